"""The leaderboard as a Gradio app: table with filters, two systems against each other, reports, submissions.

The same code runs as a Space over a repository of records and as `dnc leaderboard serve` over a folder. What
comes from records is text: tables show it as such, and a report stands in a frame that may reach nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_leaderboard import board, comparison, page
from dnc_leaderboard.board import OPENNESS, SIZES, SORTS, Entry
from dnc_leaderboard.figures import interval, percent, points

ALL = "all"
HEADINGS = ("system", "dataset", "setting", "prompt", "accuracy %", "worst drop", "in", "mean drop", "consistency %",
            "changed rows", "open or closed", "billions")  # fmt: skip
COMPARED = ("config", "measure", "n", "first %", "second %", "difference", "interval", "verdict")
_CSS = """
.gradio-container {max-width: 1280px !important}
iframe.report {width: 100%; height: 80vh; border: 1px solid #8888}
#board th, #board th *, #compared th, #compared th * {word-break: normal !important; overflow-wrap: normal !important}
"""
_OPENING = """# DNC leaderboard
Does a system understand the numbers of a problem, or does it only look as if it did? Every system here answered the
same problems as they are (accuracy) and after changes that a reader who understands them does not mind. **Worst drop**
and **mean drop**: the points of accuracy that this costs in the worst capability and on average. **Consistency**: of
the problems answered right as they are, the share that is right in every changed form."""
_MAX_ROWS = 2000
_MAX_FRAME = 20_000_000  # characters of a report
MAX_FILE = 64 * 1024 * 1024  # bytes of a submitted file

# Files, name, openness, billions -> what is told to who submitted.
Submit = Callable[[Sequence[Path], str, str, float | None], str]


class Board:
    """What the app shows: the records of a folder, read again when it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[Entry] = []
        self.bad: list[str] = []
        self._rows: dict[str, list[board.Row]] = {}
        self.read()

    def read(self) -> None:
        """Read the folder again."""
        self.entries, self.bad = board.load(self.folder)
        self._rows = {}

    def rows(self, capability: str = "") -> list[board.Row]:
        """The lines of all records, computed once for each capability."""
        if capability not in self._rows:
            self._rows[capability] = board.rows(self.entries, capability)
        return self._rows[capability]

    @property
    def systems(self) -> list[str]:
        """Every record by a name that tells it from the others."""
        return [self.name(entry) for entry in self.entries]

    @staticmethod
    def name(entry: Entry) -> str:
        """The system, and the folder of its record."""
        return f"{entry.found.system.name[:80]} ({entry.folder.name})"

    def entry(self, name: str) -> Entry:
        """The record of that name."""
        for entry in self.entries:
            if self.name(entry) == name:
                return entry
        raise DncError("choose a system of the list")

    def table(
        self, dataset: str, capability: str, setting: str, openness: str, size: str, sort: str
    ) -> list[list[str]]:
        """The lines of the table, as texts."""
        found = board.ranked(
            self.rows(_chosen(capability).replace(" ", "_")),
            dataset=_chosen(dataset),
            setting=_chosen(setting),
            openness=_chosen(openness),
            size=_chosen(size),
            sort=sort,
        )
        return [
            [
                row.system, row.dataset, row.setting, row.prompt, percent(row.accuracy), points(row.worst),
                row.worst_where, points(row.mean), percent(row.consistency), str(row.n), row.openness,
                "" if row.billions is None else f"{row.billions:g}",
            ]
            for row in found[:_MAX_ROWS]
        ]  # fmt: skip

    def compared(self, first: str, second: str) -> tuple[list[list[str]], str]:
        """Two systems on the same rows, and what to tell where that cannot be."""
        try:
            one, other = self.entry(first), self.entry(second)
            found = comparison.compare([(one.found, one.outcomes), (other.found, other.outcomes)])
        except DncError as error:
            return [], str(error)
        lines = [
            [
                title, one.measure, str(one.n), percent(one.one), percent(one.other),
                points(one.difference), interval(one.interval), one.verdict,
            ]
            for title, one in comparison.titled(found)[:_MAX_ROWS]
        ]  # fmt: skip
        return lines, ""

    def report(self, name: str) -> str:
        """A system's page in a frame of its own, in which nothing can reach the app or the network."""
        try:
            entry = self.entry(name)
        except DncError as error:
            return f"<p>{escape(str(error))}</p>"
        made = page.page([(entry.found, entry.outcomes)])
        if len(made) > _MAX_FRAME:
            return "<p>This report is too long to be shown here.</p>"
        return (
            f'<iframe class="report" title="report" sandbox="allow-scripts" srcdoc="{escape(made)}"></iframe>'
        )

    def values(self, of: str) -> list[str]:
        """The choices of a filter."""
        if of == "capability":
            found = {
                line.name.replace("_", " ")
                for entry in self.entries
                for table in entry.found.tables
                for line in table.lines
                if line.is_capability
            }
        else:
            found = {getattr(row, of) for row in self.rows()}
        return [ALL, *sorted(found)]


def app(shown: Board, submit: Submit | None = None) -> Any:
    """The Gradio app; without `submit` there is no form."""
    import gradio as gr

    everything = (ALL, ALL, ALL, ALL, ALL, SORTS[0])
    with gr.Blocks(title="DNC leaderboard", analytics_enabled=False) as made:
        gr.Markdown(_OPENING)
        with gr.Tab("Leaderboard"):
            with gr.Row():
                dataset = gr.Dropdown(shown.values("dataset"), value=ALL, label="dataset", elem_id="dataset")
                capability = gr.Dropdown(
                    shown.values("capability"), value=ALL, label="capability", elem_id="capability"
                )
                setting = gr.Dropdown(shown.values("setting"), value=ALL, label="setting", elem_id="setting")
                openness = gr.Dropdown(
                    [ALL, *OPENNESS], value=ALL, label="open or closed", elem_id="openness"
                )
                size = gr.Dropdown([ALL, *SIZES], value=ALL, label="billions of parameters", elem_id="size")
                sort = gr.Dropdown(list(SORTS), value=SORTS[0], label="sort by", elem_id="sort")
            filters = [dataset, capability, setting, openness, size, sort]
            table = gr.Dataframe(
                value=shown.table(*everything), headers=list(HEADINGS), datatype="str", interactive=False,
                elem_id="board", wrap=True, show_search="search", max_chars=100,
            )  # fmt: skip
            for one in filters:
                one.change(shown.table, filters, table)
            if shown.bad:
                gr.Markdown(f"{len(shown.bad)} records cannot be read and are not shown.")
        with gr.Tab("Compare"):
            with gr.Row():
                first = gr.Dropdown(shown.systems, label="first", value=None, elem_id="first")
                second = gr.Dropdown(shown.systems, label="second", value=None, elem_id="second")
            told = gr.Textbox(
                label="",
                show_label=False,
                interactive=False,
                elem_id="told",
                placeholder="Choose two systems.",
            )
            against = gr.Dataframe(
                headers=list(COMPARED), datatype="str", interactive=False, elem_id="compared", wrap=True
            )
            for one in (first, second):
                one.change(shown.compared, [first, second], [against, told])
        with gr.Tab("Report"):
            system = gr.Dropdown(shown.systems, label="system", value=None, elem_id="system")
            frame = gr.HTML(elem_id="report")
            system.change(shown.report, system, frame)
        if submit is not None:
            _form(gr, submit)
    return made


def launch(made: Any, **options: Any) -> Any:
    """Serve the app; fonts and scripts come from it alone."""
    import gradio as gr

    theme = gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["system-ui", "sans-serif"])
    return made.launch(
        theme=theme,
        css=_CSS,
        max_file_size=MAX_FILE,
        share=False,
        show_error=True,
        footer_links=[],
        **options,
    )


def _form(gr: Any, submit: Submit) -> None:
    with gr.Tab("Submit"):
        gr.Markdown(
            "Give the two files that `dnc eval` or `dnc score` wrote: `record.json` and `record.rows.jsonl`. Every "
            "reply is scored again here; what is shown is what comes out."
        )
        files = gr.File(file_count="multiple", file_types=[".json", ".jsonl"], label="files", elem_id="files")
        with gr.Row():
            name = gr.Textbox(label="name of the system", max_length=80, elem_id="name")
            openness = gr.Dropdown(list(OPENNESS), value=OPENNESS[-1], label="open or closed")
            billions = gr.Number(label="billions of parameters", value=None, minimum=0)
        button = gr.Button("Submit", elem_id="submit")
        answer = gr.Textbox(label="", show_label=False, interactive=False, elem_id="answer")

        def sent(given: list[str] | None, said: str, is_open: str, size: float | None) -> str:
            return submit([Path(one) for one in given or ()], said, is_open, size)

        button.click(sent, [files, name, openness, billions], answer)


def _chosen(value: str | None) -> str:
    return "" if value in (None, ALL) else str(value)
