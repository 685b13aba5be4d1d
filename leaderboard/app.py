"""The leaderboard as a Gradio app: ranking with filters, comparison of two systems, reports, submissions.

The same code runs as a Space over a repository of records and as `dnc leaderboard serve` over a folder.
Figures and ranking are those of the report page. Names in records are escaped, and a report is shown in a
sandboxed frame.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.escaping import html as escape
from dnc_leaderboard import admission, board, charts, comparison, page, ranking, ranking_table
from dnc_leaderboard.admission import Gate, Rate, Uploads
from dnc_leaderboard.board import Entry
from dnc_leaderboard.figures import interval, percent, points
from dnc_leaderboard.ranking import OPENNESS, SIZES, SORTS, Ranked

ALL = "all"
COMPARED = ("config", "measure", "n", "first %", "second %", "difference", "interval", "verdict")
_CSS = """
.gradio-container {max-width: 1280px !important; padding-top: .5rem !important}
iframe.report {width: 100%; height: 85vh; border: 1px solid #8888}
#compared th, #compared th * {word-break: normal !important; overflow-wrap: normal !important}
#board {--ink: var(--body-text-color); --paper: var(--body-background-fill); --panel: var(--background-fill-secondary);
  --rule: var(--border-color-primary); --soft: #6a6a70; --link: #1f5fa8; --warn: #a8341f; overflow-x: auto}
.dark #board {--soft: #a2a2aa; --link: #8db8ea; --warn: #f0957f}
#board h3 {color: var(--ink); margin: .8rem 0 .3rem}
#board figcaption {color: var(--soft); font-size: .85rem; padding: 0 .5rem .2rem}
"""
_OPENING = """# DNC leaderboard
Every system answered the same problems unchanged, and after changes that do not matter to a reader who understands
them. The accuracy that is left shows how robust it is."""
_MAX_DRAWN = 10  # maximum number of systems in a figure; the table has all
_MAX_ROWS = 2000
_MAX_FRAME = 20_000_000  # characters of a report
MAX_FILE = 64 * 1024 * 1024  # bytes of a submitted file
_FORM = 64 * 1024  # bytes of a form without its two files

_UPLOADS_PER_CLIENT, _UPLOADS_IN_ALL = 60, 600  # per hour
_BYTES_PER_CLIENT, _BYTES_IN_ALL = 512 * 1024**2, 4 * 1024**3  # per hour

# Files, name, openness, billions, address of the client -> the answer to the submitter.
Submit = Callable[[Sequence[Path], str, str, float | None, str], str]


class Board:
    """State of the app: the records of a folder, which can be re-read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[Entry] = []
        self.bad: list[str] = []
        self._rows: dict[str, list[Ranked]] = {}
        self.read()

    def read(self) -> None:
        """Re-read the folder."""
        self.entries, self.bad = board.load(self.folder)
        self._rows = {}

    def rows(self, capability: str = "") -> list[Ranked]:
        """Return the ranking rows of all records, computed once for each capability."""
        if capability not in self._rows:
            self._rows[capability] = board.rows(self.entries, capability)
        return self._rows[capability]

    @property
    def systems(self) -> list[str]:
        """Return the unique name of every record."""
        return [self.name(entry) for entry in self.entries]

    @staticmethod
    def name(entry: Entry) -> str:
        """Return the system's name with the folder of its record."""
        return f"{entry.found.system.name[:80]} ({entry.folder.name})"

    def entry(self, name: str) -> Entry:
        """Return the record with this name."""
        for entry in self.entries:
            if self.name(entry) == name:
                return entry
        raise DncError("choose a system from the list")

    def table(self, dataset: str, capability: str, setting: str, openness: str, size: str, sort: str) -> str:
        """Return the figure, the ranking and a forest plot for each capability, as HTML."""
        rows = ranking.ranked(
            self.rows(_filter_value(capability).replace(" ", "_")),
            dataset=_filter_value(dataset),
            setting=_filter_value(setting),
            openness=_filter_value(openness),
            size=_filter_value(size),
            sort=sort,
        )[:_MAX_ROWS]
        if not rows:
            return "<p>No system matches.</p>"
        drawn = rows[:_MAX_DRAWN]
        standings = charts.standings(f"Original and robust accuracy, by {sort}", drawn)
        return (
            f'<figure class="chart">{standings}</figure>{ranking_table.html(rows)}'
            f"<h3>Accuracy lost by capability</h3>{page.forests([(row.system, row.lines.values()) for row in drawn])}"
        )

    @property
    def main_dataset(self) -> str:
        """Return the dataset with the most systems, since systems are compared on the same rows."""
        return ranking.main_place(self.rows())[0] or ALL

    def linked(self, folder: str) -> str:
        """Return the name of the system whose report a link names; empty if there is none."""
        return next((self.name(entry) for entry in self.entries if entry.folder.name == folder), "")

    def compared(self, first: str, second: str) -> tuple[list[list[str]], str]:
        """Return the comparison of two systems on the same rows and its conclusion, or the error."""
        try:
            one, other = self.entry(first), self.entry(second)
            differences = comparison.compare([(one.found, one.outcomes), (other.found, other.outcomes)])
        except DncError as error:
            return [], str(error)
        pair = comparison.sentences(differences)
        lines = [
            [
                title, one.measure, str(one.n), percent(one.one), percent(one.other),
                points(one.difference), interval(one.interval), one.verdict,
            ]
            for title, one in comparison.titled(differences)[:_MAX_ROWS]
        ]  # fmt: skip
        return lines, " ".join(pair)

    def report(self, name: str) -> str:
        """Return a system's page in a sandboxed frame without access to the app or the network."""
        try:
            entry = self.entry(name)
        except DncError as error:
            return f"<p>{escape(str(error))}</p>"
        html = page.page([(entry.found, entry.outcomes)])
        if len(html) > _MAX_FRAME:
            return "<p>This report is too long to be shown here.</p>"
        return (
            f'<iframe class="report" title="report" sandbox="allow-scripts" srcdoc="{escape(html)}"></iframe>'
        )

    def values(self, of: str) -> list[str]:
        """Return the choices of a filter."""
        if of == "capability":
            names = {
                line.name.replace("_", " ")
                for entry in self.entries
                for table in entry.found.tables
                for line in table.lines
                if line.is_capability
            }
        else:
            names = {getattr(row, of) for row in self.rows()}
        return [ALL, *sorted(names)]


def app(shown: Board, submit: Submit | None = None) -> Any:
    """Return the Gradio app; without `submit` there is no form."""
    import gradio as gr

    chosen = (shown.main_dataset, ALL, ALL, ALL, ALL, SORTS[0])
    with gr.Blocks(title="DNC leaderboard", analytics_enabled=False) as blocks:
        gr.Markdown(_OPENING)
        with gr.Tabs() as tabs:
            with gr.Tab("Leaderboard", id="board-tab"):
                table = gr.HTML(shown.table(*chosen), elem_id="board")
                with gr.Accordion("Filter and order", open=False, elem_id="filters"), gr.Row():
                    choices = {
                        "dataset": ("dataset", shown.values("dataset"), chosen[0]),
                        "capability": ("capability", shown.values("capability"), ALL),
                        "setting": ("setting", shown.values("setting"), ALL),
                        "openness": ("open or closed", [ALL, *OPENNESS], ALL),
                        "size": ("billions of parameters", [ALL, *SIZES], ALL),
                        "sort": ("order by", list(SORTS), SORTS[0]),
                    }
                    filters = [
                        gr.Dropdown(values, value=value, label=label, elem_id=name)
                        for name, (label, values, value) in choices.items()
                    ]
                for one in filters:
                    one.change(shown.table, filters, table, api_name="table")
                if shown.bad:
                    gr.Markdown(f"{len(shown.bad)} records cannot be read and are not shown.")
            with gr.Tab("Compare", id="compare-tab"):
                _comparison(gr, shown)
            with gr.Tab("Report", id="report-tab"):
                system = gr.Dropdown(shown.systems, label="system", value=None, elem_id="system")
                frame = gr.HTML(elem_id="report")
                system.change(shown.report, system, frame)
            if submit is not None:
                _form(gr, submit)

        def follow(request: Any) -> tuple[Any, Any]:
            name = shown.linked(str(dict(request.query_params).get("report", "")))
            return (gr.Tabs(selected="report-tab"), name) if name else (gr.skip(), gr.skip())

        follow.__annotations__["request"] = gr.Request
        blocks.load(follow, None, [tabs, system])
    return blocks


def _comparison(gr: Any, shown: Board) -> None:
    with gr.Row():
        first = gr.Dropdown(shown.systems, label="first", value=None, elem_id="first")
        second = gr.Dropdown(shown.systems, label="second", value=None, elem_id="second")
    conclusion = gr.Textbox(
        label="",
        show_label=False,
        interactive=False,
        elem_id="conclusion",
        lines=3,
        placeholder="Choose two systems.",
    )
    against = gr.Dataframe(
        headers=list(COMPARED), datatype="str", interactive=False, elem_id="compared", wrap=True
    )
    for one in (first, second):
        one.change(shown.compared, [first, second], [against, conclusion])


def launch(made: Any, **options: Any) -> Any:
    """Serve the app; fonts and scripts come only from it."""
    import gradio as gr
    from starlette.middleware import Middleware

    uploads = Uploads(Path(tempfile.mkdtemp(prefix="dnc-uploads-")))
    os.environ["GRADIO_TEMP_DIR"] = str(uploads.folder)
    rate = Rate(_UPLOADS_PER_CLIENT, _UPLOADS_IN_ALL, 3600.0)
    volume = Rate(_BYTES_PER_CLIENT, _BYTES_IN_ALL, 3600.0)
    gate = Middleware(Gate, rate=rate, volume=volume, uploads=uploads, max_bytes=2 * MAX_FILE + _FORM)
    theme = gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["system-ui", "sans-serif"])
    return made.launch(
        theme=theme,
        css=_CSS + _asset("components.css"),
        head=f"<script>{_asset('ranking.js')}</script>",
        max_file_size=MAX_FILE,
        share=False,
        show_error=True,
        footer_links=[],
        app_kwargs={"middleware": [gate]},
        **options,
    )


def _form(gr: Any, submit: Submit) -> None:
    with gr.Tab("Submit"):
        gr.Markdown(
            "Give the two files that `dnc eval` or `dnc score` wrote: `record.json` and `record.rows.jsonl`. Every "
            "reply is scored once more here, and only the new scores are shown."
        )
        files = gr.File(file_count="multiple", file_types=[".json", ".jsonl"], label="files", elem_id="files")
        with gr.Row():
            name = gr.Textbox(label="name of the system", max_length=80, elem_id="name")
            openness = gr.Dropdown(list(OPENNESS), value=OPENNESS[-1], label="open or closed")
            billions = gr.Number(label="billions of parameters", value=None, minimum=0)
        button = gr.Button("Submit", elem_id="submit")
        answer = gr.Textbox(label="", show_label=False, interactive=False, elem_id="answer")

        def sent(given: Any, said: str, is_open: str, size: float | None, request: Any) -> str:
            client = admission.client_of(request.request.scope) if request.request else ""
            # An empty field arrives as 0.
            return submit([Path(one) for one in given or ()], said, is_open, size or None, client)

        # Gradio passes the request to parameters of its own type.
        sent.__annotations__["request"] = gr.Request

        button.click(sent, [files, name, openness, billions], answer)


def _asset(name: str) -> str:
    return files("dnc_leaderboard").joinpath("assets").joinpath(name).read_text("utf-8")


def _filter_value(value: str | None) -> str:
    return "" if value in (None, ALL) else str(value)
