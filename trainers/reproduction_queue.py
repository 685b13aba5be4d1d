"""Queue of the papers' tables as cells: which are current, stale or missing, and the cost of the rest."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import dnc_metrics
from dnc_datasets.errors import SourceError
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_trainers import data, protocol, readers, solvers, tables
from dnc_trainers.results import ANSWER, EQUATION, LIKELIEST, Result
from dnc_trainers.row_digests import Reasons
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
# The settings that distinguish the runs of a system from runs that vary one of them.
_FORMS: dict[str, dict[str, Any]] = {
    "tagop": {"encoder": ""},
    "smollm2": {"form": "chat", "epochs": 2, "lr": 2e-4},
    "flan_t5_small_titles": {"target": "equation", "numbers": "text", "lr": 5e-4, "batch": 16},
}
# Xu et al. (2022), tables 7 and 8, equations: clean, then the change under each of EIGHT.
_VARIED = {
    ("table 7", "graph2tree", "lr", 1e-2): (62.30, -4.10, 3.28, 4.10, -4.92, -33.61, -44.26, -18.03, -33.61),
    ("table 7", "graph2tree", "batch", 128): (71.31, -9.84, 3.28, 1.64, -10.66, -38.52, -57.38, -27.87, -13.11),
    ("table 8", "flan_t5_small_titles", "lr", 1e-4): (
        61.48, -17.21, -20.49, -23.77, -18.03, -39.34, -40.16, -27.05, -31.15,
    ),
    ("table 8", "flan_t5_small_titles", "batch", 16): (
        63.11, -17.21, -32.79, -32.79, -13.11, -38.52, -21.31, -28.69, -33.61,
    ),
}  # fmt: skip
# Paper, table or figure -> the reason why it has no cells in the queue.
WITHOUT_CELLS = (
    (DNC, "tables 1, 2", "examples and definitions; no results"),
    (DNC, "table 4", "sizes: dnc list stats; DROP-num and TATQA-a's training part are not available"),
    (DNC, "tables 3, 9, 10, 11: BART", "no BART weights here; dnc research protocol --model hf:FOLDER"),
    (DNC, "table 5", "section on targets; the paper's M_ans learns equation and answer: target=equation_answer"),
    (DNC, "table 6", "section on slots"),
    (DNC, "table 12", "section on the two stages, computed from the cells of tables 9 to 11"),
    (SVAMP, "tables 1, 8, 21, 23", "examples; no results"),
    (SVAMP, "tables 17 to 20", "templates with tags, without results; dnc research challenge writes its own"),
    (SVAMP, "tables 6, 22", "attention of one model on single problems: dnc research attention"),
    (SVAMP, "tables 7, 9", "section on statistics of datasets"),
    (SVAMP, "tables 10, 13, 14, 15", "sections on break-downs, on categories and on pretrained encoders"),
    (SVAMP, "tables 2, 5, 12: RoBERTa", "section on pretrained encoders, with MiniLM"),
    (SVAMP, "table 16", "settings; section on settings chosen on validation problems"),
    (SVAMP, "in the text", "sections on SVAMP in the training part and on training on one dataset and asking another"),
    ("BPB", "tables 1, 2; figures 1, 2", "examples and rules; no results"),
    ("BPB", "tables 3, 4, 5", "section on the contrast set of IIRC; other sizes: dnc list coverage"),
    (
        "BPB", "tables 6, 7; figures 3, 4, 5",
        "section on contrast sets, with our reader: no weights of TASE, READER and UnifiedQA here",
    ),
    ("BPB", "section 3: parser and generator", "section on steps and questions"),
    ("BPB", "table 8", "section on the contrast set of IIRC, with constant answers only: no weights of UnifiedQA"),
    ("NOAHQA", "tables 1, 11; figures 1 to 5", "surveys, examples and distributions of data that is not available"),
    ("NOAHQA", "tables 2, 3", "sizes of data that is not available: dnc list stats noahqa_en --from noahqa_en=DIR"),
    ("NOAHQA", "tables 4 to 7, 9; figure 6", "sections on RGNet, on drawn conversations: the data is not available"),
    ("NOAHQA", "t-test of table 4", "paired test in the section on RGNet's pointer-generator; dnc compare"),
    ("NOAHQA", "table 4: FlowQA, HotpotQA's reader", "not part of the toolkit"),
    ("NOAHQA", "table 8", "section on models of other data, on drawn conversations"),
    ("NOAHQA", "table 10", "settings; no results"),
    (KUMAR, "tables 2, 3", "section on adversarial rewording, on single folds; all folds: about 10 core-hours"),
    (KUMAR, "table 3: BERT", "section on adversarial rewording over a pretrained encoder, with MiniLM"),
    (KUMAR, "table 4", "judgements by people: dnc research review"),
    (KUMAR, "tables 1, 5, 6", "examples; no results"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of a table: a label, the published accuracy, and the (train, test) configs of its cells."""

    label: str
    published: float
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Experiment:
    """Rows of a table that one call of `dnc research protocol` fills, and the rank of their value."""

    paper: str
    table: str
    system: str
    published_system: str
    words: tuple[str, ...]
    rows: tuple[Row, ...]
    rank: int
    hours: float  # of one training, if no training time is stored
    form: str = "bare decoder, one beam of five"
    settings: Mapping[str, Any] = field(default_factory=dict)
    score: str = ANSWER

    @property
    def name(self) -> str:
        """Return the name that `--only` matches."""
        return f"{self.paper} {self.table} {self.system} on {self.dataset}"

    @property
    def dataset(self) -> str:
        """Return the dataset that the system is trained on."""
        return self.words[self.words.index("--data") + 1]

    @property
    def is_perturbed(self) -> bool:
        """Return whether the rows are a clean test set followed by attacks and defenses."""
        return "--settings" in self.words and "--folds" not in self.words

    @property
    def group(self) -> str:
        """Return the group of stored results that the cells belong to."""
        return f"readers/{self.dataset}" if self.system in readers.names() else "papers"


def experiments() -> list[Experiment]:
    """Return every experiment, the most valuable first."""
    every = [*_perturbed(), *_varied(), *_folds(), *_svamp()]
    return sorted(every, key=lambda one: one.rank)


def _perturbed() -> Iterator[Experiment]:
    table = "tables 3, 9, 10, 11"
    options = ("--settings", "attack,defense", "--perturbations")
    systems = (
        ("graph2tree", "graph2tree", ("graph2tree",), "asdiv_a", 1, 0.6, "bare decoder, one beam of five"),
        (
            "smollm2", "gpt2",
            ("--model", "hf:smollm2", "--set", "form=chat", "--set", "epochs=2", "--set", "lr=2e-4"), "asdiv_a",
            2, 0.55, "SmolLM2-135M instead of GPT-2, 2 epochs",
        ),
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
        wanted = _FORMS.get(system, {})
        yield Experiment(DNC, table, system, published, command, rows, rank, hours, form, wanted)
    yield _tagop_over_minilm()


def _tagop_over_minilm() -> Experiment:
    """Return TagOp with its published heads over a pretrained encoder, whose last layer is trained."""
    figures = _figures("tatqa_a", "tagops")
    attacks = {key: figure for key, figure in figures.items() if key[0] != "defense"}
    settings = {"encoder": "minilm", "encoder_layers": 3, "frozen_layers": 2, "length": 192, "epochs": 10}
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    names = ",".join(name for _, name in attacks if name)
    command = ("tagop", "--data", "tatqa_a", "--settings", "attack", "--perturbations", names, *words)
    rows = tuple(_row("tatqa_a", setting, name, figure) for (setting, name), figure in attacks.items())
    form = "published heads over three layers of MiniLM, one of them trained"
    return Experiment(
        DNC,
        "tables 3, 9, 10, 11 (MiniLM)",
        "tagop",
        "tagops",
        command,
        rows,
        8,
        0.2,
        form,
        {"encoder": "minilm"},
    )


def _varied() -> Iterator[Experiment]:
    """Yield tables 7 and 8: other learning rates and batch sizes, under attack."""
    for (table, system, name, value), (clean, *changes) in _VARIED.items():
        attacks = [
            _row("asdiv_a", "attack", one, clean + change) for one, change in zip(EIGHT, changes, strict=True)
        ]
        rows = (Row("asdiv_a, clean", clean, (("asdiv_a", "asdiv_a"),)), *attacks)
        is_solver = system == "graph2tree"
        words = (system,) if is_solver else ("--model", "hf:flan-t5-small-titles", "--set", "epochs=4")
        options = ("--settings", "attack", "--perturbations", ",".join(EIGHT), "--set", f"{name}={value:g}")
        form = "bare decoder, one beam of five" if is_solver else "a flan-T5-small derivative, 4 epochs"
        wanted = {**_FORMS.get(system, {}), name: value}
        command = (*words, "--data", "asdiv_a", *options)
        yield Experiment(
            DNC, f"{table} ({name} {value:g})", system, system, command, rows, 7, 0.15,
            f"equations; {form}", wanted, EQUATION,
        )  # fmt: skip


def _row(dataset: str, setting: str, name: str, figure: float) -> Row:
    if not name:
        return Row(f"{dataset}, clean", figure, ((dataset, dataset),))
    test = f"{dataset}-{name}-{setting}"
    return Row(f"{dataset}, {name}, {setting}", figure, ((dataset if setting == "attack" else test, test),))


def _figures(dataset: str, model: str) -> dict[tuple[str, str], float]:
    """Map (setting, perturbation) to the published accuracy of answers; ("", "") is clean."""
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
    """The stored results by model, training config and test config, with their staleness."""

    def __init__(self, lines: Sequence[Stored], stale: Reasons) -> None:
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
                reader = line.group.startswith("readers/")  # a reader's form states that rows were added
                if training.tau or training.refit or training.chosen_on_test:
                    continue
                if training.added_rows and not reader:
                    continue
                key = (result.model, result.train if reader else result.data, result.test)
                self._found.setdefault(key, []).append(
                    (result, (line.group, line.name, result.test) in stale)
                )

    def state(self, experiment: Experiment, row: Row) -> str:
        """Return whether all cells of a row are current, some are stale, or some are missing."""
        cells = [self._cell(experiment, cell) for cell in row.cells]
        if not all(cells):
            return MISSING
        return STALE if any(is_stale for cell in cells for _, is_stale in cell) else CURRENT

    def results(self, experiment: Experiment, row: Row) -> list[Result]:
        """Return the results of a row, the current ones of a cell before the stale ones."""
        return [result for cell in row.cells for result, _ in self._cell(experiment, cell)]

    def hours(self, experiment: Experiment) -> float:
        """Return the core-hours of the rows that are not current, by the median of stored training times."""
        left = {
            train
            for row in experiment.rows
            if self.state(experiment, row) != CURRENT
            for train, _ in row.cells
        }
        kind = _kind(experiment.rows[0].cells[0][0])
        known = self._seconds.get((experiment.system, kind), [])
        each = median(known) / 3600 if known else experiment.hours
        return len(left) * each

    def _cell(self, experiment: Experiment, cell: tuple[str, str]) -> list[tuple[Result, bool]]:
        wanted = {**_defaults(experiment.system), **experiment.settings}
        matches = [
            (result, is_stale)
            for result, is_stale in self._found.get((experiment.system, *cell), [])
            if all(result.settings.get(name, value) == value for name, value in wanted.items())
        ]
        # One run per seed: current before stale, and runs that chose the epoch with the bare decoder first.
        matches.sort(key=lambda one: (one[1], one[0].settings.get("choice") == "plausible"))
        by_seed: dict[int, tuple[Result, bool]] = {}
        for result, is_stale in matches:
            by_seed.setdefault(result.seed, (result, is_stale))
        chosen = list(by_seed.values())
        return [one for one in chosen if not one[1]] or chosen


def _kind(config: str) -> str:
    """Return the dataset of a config and whether it is a fold; trainings of one kind have similar costs."""
    dataset, _, rest = config.partition("-")
    return f"{dataset}-fold" if rest.startswith("fold") else dataset


def _defaults(system: str) -> dict[str, Any]:
    """Return the settings that distinguish a run with defaults from one that varies them."""
    if system not in (*solvers.names(), *readers.names()):
        return {}
    config = protocol.default_config(system, 0, None, [])
    names = _SOLVER_SETTINGS if system in solvers.names() else _READER_SETTINGS
    return {name: getattr(config, name) for name in names if hasattr(config, name)}


def bare(result: Result) -> float:
    """Return the accuracy of the likeliest hypothesis, whatever the run's own choice."""
    return result.share(LIKELIEST) if result.settings.get("choice") == "plausible" else result.accuracy


def _score(experiment: Experiment, result: Result) -> float:
    return bare(result) if experiment.score == ANSWER else result.share(experiment.score)


def overview(lines: Sequence[Stored], stale: Reasons, given: Mapping[str, Path] | None = None) -> str:
    """Return the section of the page with every table of the papers, one system at a time."""
    ledger = Ledger(lines, stale)
    page = _Page(ledger, given or {})
    found = experiments()
    hours = sum(map(ledger.hours, found))
    parts = [
        "## Every table of the five papers\n\n"
        "    dnc research reproduce --plan\n"
        "    dnc research reproduce --hours 8 --from drop_num=DIR --from tatqa_a=DIR\n\n"
        "Accuracy of answers in percent, or of equations where the title says so, with 95 % intervals. Solvers decode "
        "with an expression grammar and a beam of five, and the likeliest hypothesis counts. A star marks a *stale* "
        "result: its rows are not known to be those of this version. A dash marks a cell that was not run. *Constant* "
        "is the accuracy of always giving the commonest answer of the test rows. The cells that are not current cost "
        f"about {hours:.0f} core-hours.\n"
    ]
    for paper in dict.fromkeys([*(one.paper for one in found), *(line[0] for line in WITHOUT_CELLS)]):
        parts.append(f"### {paper}\n")
        own = [one for one in found if one.paper == paper]
        parts += [page.attacks(one) for one in own if one.is_perturbed]
        rest = [one for one in own if not one.is_perturbed]
        parts += [page.plain([one for one in rest if one.table == table]) for table in _tables(rest)]
        reasons = [list(line[1:]) for line in WITHOUT_CELLS if line[0] == paper]
        parts.append(tables.markdown(("table or figure without cells in the queue", "reason"), reasons))
    return "\n".join(parts)


def _tables(found: Sequence[Experiment]) -> list[str]:
    return sorted({one.table for one in found}, key=lambda name: int(name.split()[1].strip(",")))


class _Page:
    """Writer of the tables of experiments."""

    def __init__(self, ledger: Ledger, given: Mapping[str, Path]) -> None:
        self._ledger = ledger
        self._constant = cache(lambda config: constant(config, given))

    def attacks(self, experiment: Experiment) -> str:
        """Return one line for each perturbation, with attack and defense side by side."""
        clean, *rest = experiment.rows
        by: dict[str, dict[str, Row]] = {}
        for row in rest:
            variant = catalogue.find(row.cells[0][1])
            by.setdefault(variant.recipe, {})[variant.setting] = row
        lines = [["(clean)", f"{clean.published:.1f}", self._cell(experiment, clean), *[""] * 6]]
        lines[0].append(self._baselines(experiment, clean))
        for name, rows in by.items():
            attack, defense = rows.get("attack"), rows.get("defense")
            drop = clean.published - attack.published if attack else None
            start = self._share(experiment, clean, beside=attack) if attack else None
            share = self._share(experiment, attack) if attack else None
            ours = None if start is None or share is None else 100 * (start - share)
            lines.append(
                [
                    name,
                    f"{attack.published:.1f}" if attack else "",
                    self._cell(experiment, attack) if attack else "",
                    _points(drop),
                    _points(ours),
                    _points(None if drop is None else 100 * drop / clean.published),
                    _points(None if ours is None or not start else ours / start),
                    f"{defense.published:.1f}" if defense else "",
                    self._cell(experiment, defense) if defense else "",
                    self._baselines(experiment, attack or rest[0]),
                ]
            )
        header = (
            "perturbation", "attack, published", "attack, ours", "drop, published", "drop, ours",
            "relative drop, published", "relative drop, ours", "defense, published", "defense, ours", "constant",
        )  # fmt: skip
        return f"{self._head(experiment)}\n{tables.markdown(header, lines)}{self._warning(experiment, clean)}"

    def _warning(self, experiment: Experiment, clean: Row) -> str:
        """Return a warning if a system is not above a constant answer or the rules."""
        share = self._share(experiment, clean)
        if share is None or experiment.score != ANSWER:
            return ""
        floors = {"the constant answer": self._constant(clean.cells[0][1])}
        floors["the rules"] = max(
            (one.cell.baselines.get("rules", 0.0) for one in self._ledger.results(experiment, clean)),
            default=0.0,
        )
        below = [name for name, floor in floors.items() if floor and share <= floor]
        return f"\nOn the clean rows the system is not above {' and '.join(below)}.\n" if below else ""

    def plain(self, found: Sequence[Experiment]) -> str:
        """Return one line for each solver and dataset of a table."""
        lines = [
            [
                one.system, row.label, one.form, f"{row.published:.1f}", self._cell(one, row),
                self._seeds(one, row), self._baselines(one, row),
            ]
            for one in found
            for row in one.rows
        ]  # fmt: skip
        header = ("system", "rows", "form", "published", "ours", "seeds", "constant")
        left = sum(map(self._ledger.hours, found))
        cost = f" About {left:.1f} core-hours are not run." if left else ""
        return f"**{_capital(found[0].table)}.**{cost}\n\n{tables.markdown(header, lines)}"

    def _head(self, experiment: Experiment) -> str:
        results = [one for row in experiment.rows for one in self._ledger.results(experiment, row)]
        sizes = sorted({one.training.rows for one in results if one.training.rows})
        trained = f" trained on {_range(sizes)} rows," if sizes else ""
        seeds = sorted({self._seeds(experiment, row) for row in experiment.rows} - {""})
        left = self._ledger.hours(experiment)
        cost = f" About {left:.1f} core-hours are not current." if left else ""
        name = f"{_capital(experiment.table)}: {experiment.system} on {experiment.dataset}"
        return f"**{name}** ({experiment.form};{trained} seeds: {_range(seeds)}).{cost}\n"

    def _share(self, experiment: Experiment, row: Row, *, beside: Row | None = None) -> float | None:
        """Return the accuracy of a row over all its rows and seeds, or None if a cell is missing.

        With `beside`, only the seeds of that other row count, so that a drop compares a model with itself.
        """
        if self._ledger.state(experiment, row) == MISSING:
            return None
        results = self._ledger.results(experiment, row)
        if beside:
            seeds = {one.seed for one in self._ledger.results(experiment, beside)}
            results = [one for one in results if one.seed in seeds]
        if not results:
            return None
        right = sum(_score(experiment, one) * one.cell.rows for one in results)
        return right / sum(one.cell.rows for one in results)

    def _cell(self, experiment: Experiment, row: Row) -> str:
        share = self._share(experiment, row)
        if share is None:
            return "–"
        results = self._ledger.results(experiment, row)
        size = sum(one.cell.rows for one in results) // len({one.seed for one in results})
        interval = tables.interval(intervals.wilson(round(share * size), size))
        star = "" if self._ledger.state(experiment, row) == CURRENT else "*"
        return f"{tables.percent(share)}{star} {interval}"

    def _seeds(self, experiment: Experiment, row: Row) -> str:
        if self._ledger.state(experiment, row) == MISSING:
            return ""
        return str(len({one.seed for one in self._ledger.results(experiment, row)}))

    def _baselines(self, experiment: Experiment, row: Row) -> str:
        """Return the accuracy of the commonest answer, and of the rules that a reader is compared with."""
        if experiment.score != ANSWER:
            return ""
        tests = dict.fromkeys(test for _, test in row.cells)
        shares = [share for test in tests if (share := self._constant(test)) is not None]
        parts = [tables.percent(sum(shares) / len(shares))] if shares else []
        known = [one.cell.baselines for one in self._ledger.results(experiment, row)]
        rules = {one["rules"] for one in known if "rules" in one}
        return "; ".join([*parts, *(f"rules {tables.percent(share)}" for share in sorted(rules))])


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _range(values: Sequence[object]) -> str:
    """Return the range of sorted values: [3] -> "3", [454, 470] -> "454 to 470"."""
    return " to ".join(map(str, dict.fromkeys([values[0], values[-1]]))) if values else "no"


def constant(config: str, given: Mapping[str, Path]) -> float | None:
    """Return the accuracy of the commonest answer of a test set, or None if its files are not available."""
    variant = catalogue.find(config)
    try:
        answers = Counter(row.problem.answer for row in data.asked(variant, given.get(variant.dataset)))
    except SourceError:
        return None
    return max(answers.values()) / answers.total()
