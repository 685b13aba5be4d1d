"""The tables of the five papers as rows of cells: which are current, stale or missing, and what the rest costs."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import dnc_metrics
from dnc_datasets.errors import SourceError
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_trainers import data, protocol, readers, solvers, tables
from dnc_trainers.results import LIKELIEST, Result
from dnc_trainers.stored import Stored

EIGHT = ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")
CURRENT, STALE, MISSING = "current", "stale", "missing"
# The papers, in the order of the page.
DNC, SVAMP, KUMAR = "DNC", "SVAMP", "Kumar"
_SOLVER_SETTINGS = ("lr", "batch", "encoder")
_READER_SETTINGS = ("headings", "match", "order", "number_pieces", "number_graph", "tags", "terms")
_GROUPS = ("solvers", "papers", "readers/tatqa_a", "readers/drop_num")
_SCRATCH = {
    ("seq2seq", "asdiv_a"): 55.5, ("gts", "asdiv_a"): 71.4, ("graph2tree", "asdiv_a"): 77.4,
    ("constrained", "asdiv_a"): 46.3, ("seq2seq", "mawps"): 79.7, ("gts", "mawps"): 82.6,
    ("graph2tree", "mawps"): 83.7, ("constrained", "mawps"): 75.1, ("seq2seq", "svamp"): 24.2,
    ("gts", "svamp"): 30.8, ("graph2tree", "svamp"): 36.5, ("constrained", "svamp"): 17.5,
}  # fmt: skip
# Patel et al. (2021), tables 3 and 11: without the question, over RoBERTa.
_BLIND = {
    ("seq2seq", "asdiv_a"): 58.7, ("gts", "asdiv_a"): 60.7, ("graph2tree", "asdiv_a"): 64.4,
    ("seq2seq", "mawps"): 77.4, ("gts", "mawps"): 76.2, ("graph2tree", "mawps"): 77.7,
    ("seq2seq", "svamp"): 29.2, ("gts", "svamp"): 28.6, ("graph2tree", "svamp"): 30.8,
}  # fmt: skip
# Paper, table or figure -> why it has no cells in the queue.
WITHOUT_CELLS = (
    (DNC, "tables 1, 2", "examples and definitions; no results"),
    (DNC, "table 4", "sizes: dnc list stats; DROP-num and TATQA-a's training part are not available"),
    (DNC, "tables 3, 9, 10, 11: BART", "no BART weights here; dnc research protocol --model hf:FOLDER"),
    (DNC, "table 5", "targets, below; the paper's M_ans learns equation and answer: target=equation_answer"),
    (DNC, "tables 6, 8", "the sections on slots below; table 8 needs T5: --vary lr=1e-4 --vary batch=16"),
    (DNC, "table 12", "computed from the cells of tables 9 to 11"),
    (SVAMP, "tables 1, 8, 17 to 21, 23", "examples and tags; no results"),
    (SVAMP, "tables 6, 22", "attention of one model on single problems: dnc research attention"),
    (SVAMP, "tables 7, 9", "statistics of datasets: the section below"),
    (SVAMP, "tables 10, 13, 14, 15", "break-downs of the cells of table 2: the sections below"),
    (SVAMP, "table 16", "settings; no results"),
    ("BPB", "tables 1, 2", "examples and rules; no results"),
    ("BPB", "tables 3, 4, 5", "sizes and judgements: dnc list coverage, dnc research review"),
    ("BPB", "tables 6, 7, 8; figures 3, 4, 5", "the weights of TASE, READER and UnifiedQA are not available offline"),
    ("NOAHQA", "tables 1, 11; figures 1 to 4", "surveys, examples and distributions of data that is not available"),
    ("NOAHQA", "tables 2 to 9; figure 6", "the data is not available; sections below are of drawn conversations"),
    ("NOAHQA", "table 10", "settings; no results"),
    (KUMAR, "tables 2, 3", "the section on adversarial rewording below; Seq2Seq, Graph2Tree and MAWPS are not run"),
    (KUMAR, "table 4", "judgements by people: dnc research review"),
    (KUMAR, "tables 5, 6", "examples; no results"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of a table: a label, the published accuracy, and the (train, test) configs of its cells."""

    label: str
    published: float
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Experiment:
    """Some rows of a table that one call of `dnc research protocol` fills, and the rank of their value."""

    paper: str
    table: str
    system: str
    published_system: str
    words: tuple[str, ...]
    rows: tuple[Row, ...]
    rank: int
    hours: float  # of one training, where no stored time says it
    form: str = "bare decoder, one beam of five"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that `--only` matches."""
        return f"{self.paper} {self.table} {self.system} on {self.words[self.words.index('--data') + 1]}"


def experiments() -> list[Experiment]:
    """Every experiment, the most valuable first."""
    found = [*_perturbed(), *_folds(), *_svamp()]
    return sorted(found, key=lambda one: one.rank)


def _perturbed() -> Iterator[Experiment]:
    table = "tables 3, 9, 10, 11"
    options = ("--settings", "attack,defense", "--perturbations")
    systems = (
        ("graph2tree", "graph2tree", ("graph2tree",), "asdiv_a", 1, 0.6, "bare decoder, one beam of five"),
        ("smollm2", "gpt2", ("--model", "hf:smollm2"), "asdiv_a", 2, 0.55, "SmolLM2-135M instead of GPT-2"),
        (
            "flan_t5_small_titles", "t5-base", ("--model", "hf:flan-t5-small-titles", "--set", "epochs=4"), "asdiv_a",
            3, 0.25, "a flan-T5-small derivative instead of T5-base, 4 epochs",
        ),
        ("tagop", "tagops", ("tagop",), "tatqa_a", 8, 0.3, "published heads over a BiLSTM from scratch"),
        ("discrete", "t5-base", ("discrete",), "drop_num", 9, 0.1, "our reader instead of T5-base"),
    )  # fmt: skip
    for system, published, words, dataset, rank, hours, form in systems:
        figures = _figures(dataset, published)
        rows = tuple(_row(dataset, setting, name, figure) for (setting, name), figure in figures.items())
        names = ",".join(dict.fromkeys(name for _, name in figures if name))
        command = (*words, "--data", dataset, *options, names)
        wanted = {"target": "equation", "numbers": "text"} if system.startswith("flan") else {}
        yield Experiment(DNC, table, system, published, command, rows, rank, hours, form, wanted)


def _row(dataset: str, setting: str, name: str, figure: float) -> Row:
    if not name:
        return Row(f"{dataset}, clean", figure, ((dataset, dataset),))
    test = f"{dataset}-{name}-{setting}"
    return Row(f"{dataset}, {name}, {setting}", figure, ((dataset if setting == "attack" else test, test),))


def _figures(dataset: str, model: str) -> dict[tuple[str, str], float]:
    """(setting, perturbation) -> the published accuracy of answers; ("", "") is clean."""
    path = Path(dnc_metrics.path("robustness")) / "published.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["dataset"], row["model"]) == (dataset, model)]
    answers = [row for row in rows if row["target"] == "answer"]
    return {
        (("", "") if row["setting"] == "original" else (row["setting"], row["perturbation"])): float(
            row["accuracy"]
        )
        for row in answers
    }


def _folds() -> Iterator[Experiment]:
    hours = {"seq2seq": 0.05, "constrained": 0.05, "gts": 0.09, "graph2tree": 0.25}
    for dataset in ("asdiv_a", "mawps"):
        folds = [f"{dataset}-{fold}" for fold in catalogue.find(dataset).source.folds]
        for solver, cost in hours.items():
            table = "table 5" if solver == "constrained" else "table 2"
            rows = [Row(f"{dataset}, five folds", _SCRATCH[solver, dataset], tuple((f, f) for f in folds))]
            words = (solver, "--data", dataset, "--folds")
            yield Experiment(SVAMP, table, solver, solver, words, tuple(rows), 5, cost)
            if (solver, dataset) not in _BLIND:
                continue
            cells = tuple((fold, f"{fold}-no_question-attack") for fold in folds)
            blind = Row(f"{dataset}, five folds, without the question", _BLIND[solver, dataset], cells)
            options = ("--settings", "attack", "--perturbations", "no_question")
            form = "from scratch; the published model reads over RoBERTa"
            published = f"{solver}, RoBERTa"
            command = (*words, *options)
            yield Experiment(SVAMP, "tables 3, 4, 11", solver, published, command, (blind,), 4, cost, form)


def _svamp() -> Iterator[Experiment]:
    for solver, cost in {"seq2seq": 0.15, "constrained": 0.15, "gts": 0.3, "graph2tree": 0.8}.items():
        rows = [Row("svamp", _SCRATCH[solver, "svamp"], (("svamp", "svamp"),))]
        if (solver, "svamp") in _BLIND:
            blind = ("svamp", "svamp-no_question-attack")
            rows.append(Row("svamp, without the question (RoBERTa)", _BLIND[solver, "svamp"], (blind,)))
        table = "table 12" if solver == "constrained" else "tables 10, 11"
        words = (solver, "--data", "svamp", "--test", "svamp-no_question-attack")
        yield Experiment(SVAMP, table, solver, solver, words, tuple(rows), 6, cost)


class Ledger:
    """The stored results by model, training config and test config, and which of them are stale."""

    def __init__(self, lines: Sequence[Stored], stale: Mapping[tuple[str, str], str]) -> None:
        self._found: dict[tuple[str, str, str], list[tuple[Result, bool]]] = {}
        self._seconds: dict[tuple[str, str], list[float]] = {}
        for line in lines:
            if line.group not in _GROUPS:
                continue
            for result in line.results():
                training = result.training
                if training.seconds:
                    kind = (result.model, _kind(result.data))
                    self._seconds.setdefault(kind, []).append(training.seconds)
                reader = line.group.startswith("readers/")  # its form says that rows were added
                if training.tau or training.refit or training.chosen_on_test:
                    continue
                if training.added_rows and not reader:
                    continue
                key = (result.model, result.train if reader else result.data, result.test)
                self._found.setdefault(key, []).append((result, (line.group, line.name) in stale))

    def state(self, experiment: Experiment, row: Row) -> str:
        """Whether all cells of a row are current, some are stale, or some are missing."""
        found = [self._cell(experiment, cell) for cell in row.cells]
        if not all(found):
            return MISSING
        return STALE if any(is_stale for cell in found for _, is_stale in cell) else CURRENT

    def results(self, experiment: Experiment, row: Row) -> list[Result]:
        """The results of a row, the current ones of a cell before the stale ones."""
        return [result for cell in row.cells for result, _ in self._cell(experiment, cell)]

    def hours(self, experiment: Experiment) -> float:
        """The core-hours of the rows that are not current, by the mean of stored training times."""
        left = {
            train
            for row in experiment.rows
            if self.state(experiment, row) != CURRENT
            for train, _ in row.cells
        }
        kind = _kind(experiment.rows[0].cells[0][0])
        known = self._seconds.get((experiment.system, kind), [])
        each = sum(known) / len(known) / 3600 if known else experiment.hours
        return len(left) * each

    def _cell(self, experiment: Experiment, cell: tuple[str, str]) -> list[tuple[Result, bool]]:
        wanted = {**_defaults(experiment.system), **experiment.settings}
        found = [
            (result, is_stale)
            for result, is_stale in self._found.get((experiment.system, *cell), [])
            if all(result.settings.get(name, value) == value for name, value in wanted.items())
        ]
        # One run a seed: a current one before a stale one, and one that chose its epoch with the bare decoder first.
        found.sort(key=lambda one: (one[1], one[0].settings.get("choice") == "plausible"))
        by_seed: dict[int, tuple[Result, bool]] = {}
        for result, is_stale in found:
            by_seed.setdefault(result.seed, (result, is_stale))
        chosen = list(by_seed.values())
        return [one for one in chosen if not one[1]] or chosen


def _kind(config: str) -> str:
    """The dataset of a config, and whether it is a fold: trainings of one kind take about as long."""
    dataset, _, rest = config.partition("-")
    return f"{dataset}-fold" if rest.startswith("fold") else dataset


def _defaults(system: str) -> dict[str, Any]:
    """The settings that tell a run with defaults from one that varies them."""
    if system not in (*solvers.names(), *readers.names()):
        return {}
    config = protocol.default_config(system, 0, None, [])
    names = _SOLVER_SETTINGS if system in solvers.names() else _READER_SETTINGS
    return {name: getattr(config, name) for name in names if hasattr(config, name)}


def bare(result: Result) -> float:
    """The accuracy of the likeliest hypothesis, whatever the run itself chose."""
    return result.share(LIKELIEST) if result.settings.get("choice") == "plausible" else result.accuracy


def overview(lines: Sequence[Stored], stale: Mapping[tuple[str, str], str]) -> str:
    """The section of the page that has one line for every row of every table."""
    ledger = Ledger(lines, stale)
    share_of = cache(constant)
    shown = []
    for one in sorted(experiments(), key=lambda found: (found.paper, found.table)):
        left = ledger.hours(one)
        for row in one.rows:
            state = ledger.state(one, row)
            cost = f"not run: {left:.1f} core-hours for the experiment" if state == MISSING else state
            names = [one.paper, one.table, f"{one.system} ({one.form})", row.label]
            shown.append(
                [*names, f"{row.published:.1f}", *_figure(ledger.results(one, row), state, share_of), cost]
            )
    header = (
        "paper", "table", "system and form", "rows", "published", "ours", "95 % interval", "seeds",
        "commonest answer, or other baseline", "state",
    )  # fmt: skip
    hours = sum(ledger.hours(one) for one in experiments())
    return (
        "## Every table of the five papers\n\n"
        "    dnc research reproduce --plan\n    dnc research reproduce --hours 8\n\n"
        "Accuracy of answers in percent. Solvers decode with an expression grammar and a beam of five, and the "
        "likeliest hypothesis counts. *Stale* results are of rows that are not known to be those of this version. The "
        f"experiments that are not current cost about {hours:.0f} core-hours.\n\n"
        + tables.markdown(header, shown)
        + "\nTables and figures without cells in the queue:\n\n"
        + tables.markdown(("paper", "table or figure", "reason"), [list(line) for line in WITHOUT_CELLS])
    )


def _figure(results: Sequence[Result], state: str, share_of: Callable[[str], float]) -> list[str]:
    """Accuracy, interval, seeds and accuracy of the commonest answer of a row."""
    if state == MISSING:
        return ["", "", "", ""]
    seeds = sorted({result.seed for result in results})
    rows = sum(result.cell.rows for result in results)
    right = sum(bare(result) * result.cell.rows for result in results)
    per_seed = rows // len(seeds)
    interval = intervals.wilson(round(right / len(seeds)), per_seed)
    shares = [share for test in dict.fromkeys(result.test for result in results) if (share := share_of(test))]
    known = max(results, key=lambda result: len(result.cell.baselines)).cell.baselines
    other = ", ".join(f"{name}: {tables.percent(share)}" for name, share in sorted(known.items()))
    floor = tables.percent(sum(shares) / len(shares)) if shares else other or "files not at hand"
    return [tables.percent(right / rows), tables.interval(interval), str(len(seeds)), floor]


def constant(config: str) -> float:
    """The accuracy of the commonest answer of a test set; 0 where its files are not at hand."""
    try:
        answers = Counter(row.problem.answer for row in data.asked(catalogue.find(config)))
    except SourceError:
        return 0.0
    return max(answers.values()) / answers.total()
