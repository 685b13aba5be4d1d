"""Write docs/reproduction.md from the result files: published figures beside ours.

    python -m dnc_datasets.corpus.drawn_conversations CONVERSATIONS --count 200
    DNC_MIRROR=... python benchmarks/reproduction.py --from drop_num=DIR --from tatqa_a=DIR --from iirc_bpb=DIR \\
        --from noahqa_en=CONVERSATIONS

SVAMP's break-downs need its files. `--from` names the folders of files that cannot be downloaded; without
them the results on their rows count as stale.

The commands on the page make the results, and `dnc research reproduce` adds them. A page can be written at
any time from the available results.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import dnc_split
import encoders
import papers
import readers
import short_runs

from dnc_datasets import atomic
from dnc_datasets.commands import add_from, given_folders
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_trainers import breakdowns, pooling, reproduction_queue, row_digests, solvers, stored, tables
from dnc_trainers.results import EQUATION, LIKELIEST, Result

HERE = Path(__file__).parent
# Accuracy in percent, trained from scratch: Patel et al. (2021), tables 2 and 5.
GOALS = {
    "asdiv_a": {"seq2seq": 55.5, "constrained": 46.3, "gts": 71.4, "graph2tree": 77.4},
    "mawps": {"seq2seq": 79.7, "constrained": 75.1, "gts": 82.6, "graph2tree": 83.7},
    "svamp": {"seq2seq": 24.2, "constrained": 17.5, "gts": 30.8, "graph2tree": 36.5},
}
# Field of a training -> its option of `dnc research protocol`.
OPTIONS = {"refit": "--refit", "chosen_on_test": "--choose-on-test"}
Cells = Sequence[Result]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs" / "reproduction.md")
    add_from(parser)
    arguments = parser.parse_args()
    given = given_folders(arguments)
    lines = list(stored.read("cells", arguments.results)) + list(stored.read("searches", arguments.results))
    stale = row_digests.stale(lines, given)
    with tempfile.TemporaryDirectory() as current:
        row_digests.write_current(arguments.results, Path(current), stale)
        # A section that needs stale results differs without them.
        parts = [
            with_note(every, fresh)
            for every, fresh in zip(sections(arguments.results), sections(Path(current)), strict=True)
        ]
    head = [
        "# Reproduction\n",
        "Written by `python benchmarks/reproduction.py` from the files in `benchmarks/results/`.\n",
        row_digests.summary(lines, stale),
        reproduction_queue.overview(lines, stale, given),
        METHOD,
    ]
    tail = [papers.contrast_sets(given), DIFFERENCES]
    atomic.write_text(arguments.out, "\n".join(part for part in (*head, *parts, *tail) if part))
    print(f"written: {arguments.out} from {len(lines)} stored lines, {len(stale)} cells stale")


def sections(folder: Path) -> list[str]:
    """Return the sections of the page, from the results of a folder."""
    bare = papers.as_given(stored.cells("papers", folder))
    cells = _bare_split([_with_options(cell) for cell in stored.cells("solvers", folder)], bare)
    return [
        folds("asdiv_a", "ASDiv-A", ASDIV_COMMANDS, cells, bare),
        folds("mawps", "MAWPS", MAWPS_COMMANDS, cells, bare),
        leaked(cells),
        svamp(cells),
        *papers.sections(cells, folder),
        *(part(system, cells) for system in dnc_split.SYSTEMS for part in dnc_split.PARTS),
        dnc_split.searched(folder),
        dnc_split.targets(cells),
        dnc_split.numbers(cells),
        encoders.section(folder),
        readers.section(folder),
        *short_runs.sections(folder),
        speed(folder / "speed.json"),
        finetuning_speed(folder / "finetune.json"),
    ]


def _bare_split(cells: Cells, bare: Cells) -> list[Result]:
    """Return the cells; those of Graph2Tree on the DNC split are replaced by cells without weighing, if any."""
    usual = solvers.default_config("graph2tree")
    own = [
        cell
        for cell in bare
        if cell.model == "graph2tree"
        and _is_split(cell)
        and (cell.settings["lr"], cell.settings["batch"]) == (usual.lr, usual.batch)  # not table 7
    ]
    return [*(cell for cell in cells if not own or cell.model != "graph2tree" or not _is_split(cell)), *own]


def _is_split(cell: Result) -> bool:
    """Return whether a cell is of ASDiv-a's published split, and of no fold."""
    return bool(cell.data.startswith("asdiv_a") and "-fold" not in cell.data)


def with_note(every: str, current: str) -> str:
    """Return a section, with a note after its heading if it needs stale results."""
    if every == current or not every:
        return every
    heading, _, text = every.partition("\n")
    if not heading.startswith("#"):
        return f"{STALE}\n{every}"
    return f"{heading}\n\n{STALE}{text}"


STALE = (
    "*Stale: some or all results of this section are of rows that are not known to be those of this version. "
    "They show what was measured then.*\n"
)

METHOD = """Every model is trained from scratch, unless its section says otherwise. The epoch is chosen on validation
problems: a tenth of the training part, or the published split where there is one, and never on the test
problems. Answers are compared as exact rationals, without tolerance; equations as written, up to spacing,
brackets and the spelling of numbers. Decoding ends on its own: no gold length is used. A training problem
whose equation cannot be written over the numbers of its text and the constants that occur at least five
times is left out of training; a test problem of that kind counts as wrong.

*Bare decoder*: of a beam of five hypotheses the likeliest is taken, as the published decoders do;
`dnc research protocol` does so by default.
*With weighing* (`--set choice=plausible`, called `+ weighing` in tables of results) the values of the numbers, which
the decoder does not see, change the choice (`trainers/choice.py`). The likelihood of an equation is multiplied by the
frequency of such answers among the training problems (positive, a number used twice, at least one where all numbers are
integers), and by how much more frequent each operator is between operands of such sizes. No published decoder has this
step.

Two kinds of runs are stored. Those of the columns *bare* never weigh: their epoch is chosen by the likeliest
hypotheses (one seed, the commands as they stand). The first of them has the epoch chosen on the test fold, after
training on the held-out problems too (`--choose-on-test`): so the published scores were made, and only with these is
like compared with like. All others chose their epoch with weighing (`--set choice=plausible`); their columns *bare
decoder* are decoded from these same models. Intervals, seeds, folds and equations of the five folds and of SVAMP are
with weighing. Graph2Tree's attack, defense and stage tables on the DNC split are of the bare decoder, which never sees
a value.

Ordinals and a lone "one" are read as words (no training equation of that split uses any of 156), and words by their
stems.
"""

ASDIV_COMMANDS = """    dnc research protocol SOLVER --data asdiv_a --folds
    dnc research protocol graph2tree --data asdiv_a --folds --seeds 3
    dnc research protocol graph2tree --data asdiv_a --folds --seeds 3 --refit

With `--refit` the model is trained on the training and the held-out problems together, and its last epoch is
taken.
"""

MAWPS_COMMANDS = """    dnc research protocol SOLVER --data mawps --folds

No setting was chosen on these folds. Test problems that, up to their numbers, ask a question of the training
part (the data flags them as leaked) are counted, as in the published figures.
"""

DIFFERENCES = """## Why figures differ

- The published scores take the best epoch on the fold that they report. Ours take it on held-out training problems,
  which leaves a tenth less to train on, or take the last epoch (`--refit`).
- The published models are larger (hidden size up to 512, up to two layers) and train longer: 60 epochs in batches of 8.
  Ours have a hidden size of 256, one layer and 30 epochs in batches of 16. Graph2Tree has two layers and 60 epochs.
- Early trials of hidden size, dropout, rate and epochs showed test scores too, and the bag of words was set once more
  after a first run over five folds. Batch size, stems and the reading of ordinals were chosen on the validation parts
  of folds 0 and 1. The weighing, and the edges, second layer and dropped words of Graph2Tree, were chosen on the
  validation parts of all five folds, whose problems are test problems of other folds. That `--refit` trains to the last
  epoch was decided after test scores by epoch of two folds had been seen. Seed 2 of Graph2Tree was run after the scores
  of the other seeds were known.
- With 98 validation problems a fold, the choice of the epoch is mostly chance.
- The published Seq2Seq and bag-of-words scores allow an error of 0.1 and decode to the length of the gold equation.
- Word groups of Graph2Tree come from rules on tokens here, from a dependency parse there.
- Number words such as "one hundred and five" are one number here. The published pipeline splits them, which is most of
  its loss under *language*.
- *logic* and *order* were written by hand for the published test set. Ours are made by rules and change fewer problems.
- Under *distribution* the larger of two numbers often becomes the smaller, and Graph2Tree reads which is the larger.
"""


def _with_options(result: Result) -> Result:
    """Return a result with its solver's name in tables, which states its training options."""
    training = result.training
    options = [option for key, option in OPTIONS.items() if getattr(training, key)]
    name = " ".join(filter(None, (result.model, dnc_split.label(result), *options)))
    return replace(result, system=replace(result.system, training=replace(training, model=name)))


def _goals(dataset: str, cells: Cells) -> Iterator[tuple[str, float]]:
    """Yield the solvers of a table with their published accuracies, also with options that have results."""
    there = {cell.model for cell in cells if cell.data.startswith(dataset)}
    for solver, goal in GOALS[dataset].items():
        yield solver, goal
        for option in OPTIONS.values():
            if f"{solver} {option}" in there:
                yield f"{solver} {option}", goal


def folds(dataset: str, title: str, commands: str, cells: Cells, bare: Cells) -> str:
    """Return the section of a dataset in five folds; a seed counts if all its folds have been run.

    `bare` are cells of models that were trained without weighing.
    """
    names = [f"{dataset}-{fold}" for fold in catalogue.find(dataset).source.folds]
    pooled = {
        (cell.model, bool(cell.training.chosen_on_test)): _of_folds(cell, len(names))
        for cell in pooling.over_folds(bare)
        if cell.data == cell.test == dataset
    }
    lines = []
    for solver, goal in _goals(dataset, cells):
        own: dict[int, dict[str, Result]] = {}
        for cell in cells:
            if cell.model == solver and cell.data == cell.test and cell.test in names:
                own.setdefault(cell.seed, {})[cell.test] = cell
        whole = [list(seed.values()) for _, seed in sorted(own.items()) if len(seed) == len(names)]
        there = [cell for seed in whole for cell in seed]
        if not there:
            lines.append([solver, f"{goal}", *_bare(solver, pooled), "not run", *[""] * 10])
            continue
        lines.append(
            [
                solver,
                f"{goal}",
                *_bare(solver, pooled),
                tables.percent(_likeliest(there)),
                tables.percent(pooling.share(there)),
                tables.interval(pooling.share_interval(there)),
                ", ".join(tables.percent(pooling.share(seed)) for seed in whole),
                *(tables.percent(pooling.share([c for c in there if c.test == name])) for name in names),
                tables.percent(pooling.share(there, EQUATION)),
                f"{sum(c.training.seconds for c in there) / len(there):.0f}",
            ]
        )
    header = (
        "solver", "published", "bare, epoch by the test fold", "bare, epoch by validation", "bare decoder",
        "with weighing", "95 % interval", "by seed", "fold 0", "1", "2", "3", "4", "equation", "s per training",
    )  # fmt: skip
    return (
        f"## {title}, five folds\n\n{commands}\n"
        + tables.markdown(header, lines)
        + "\nWhere there are several seeds, figures are means over them and intervals are bootstrapped over "
        "problems.\nSeconds were measured on a busy two-core machine, one thread per training.\n"
    )


def _of_folds(cell: Result, every: int) -> str:
    """Return the accuracy of a cell of several folds, with the number of folds if some are missing."""
    return tables.percent(cell.accuracy) + (f" ({cell.folds} of {every} folds)" if cell.folds < every else "")


def _bare(solver: str, shares: Mapping[tuple[str, bool], str]) -> list[str]:
    """Return the accuracies of a solver without weighing, with the epoch chosen on test and on validation."""
    return [shares.get((solver, on_test), "") for on_test in (True, False)]


def leaked(cells: Cells) -> str:
    """Return MAWPS's accuracy on test problems that are also in the training part, and on the others."""
    right: dict[str, dict[str, list[bool]]] = {}
    for fold in catalogue.find("mawps").source.folds:
        own = [c for c in cells if c.data == c.test == f"mawps-{fold}"]
        notes = {problem.id: problem.note("leaked") for problem in catalogue.read("mawps", fold)["test"]}
        for cell in own:
            for row, outcome in cell.outcomes.items():
                by_note = right.setdefault(cell.model, {"yes": [], "no": []})
                by_note[notes[row]].append(outcome.right)
    lines = [
        [solver, *(f"{tables.percent(sum(part) / len(part))} ({len(part)})" for part in by_note.values())]
        for solver, by_note in right.items()
    ]
    return tables.markdown(("solver", "leaked (rows)", "others (rows)"), lines) if lines else ""


def _likeliest(cells: Cells) -> float:
    """Return the accuracy of the beams' first hypotheses over all rows."""
    return float(sum(c.share(LIKELIEST) * c.cell.rows for c in cells) / sum(c.cell.rows for c in cells))


def svamp(cells: Cells) -> str:
    """Return the section of SVAMP, trained on MAWPS and ASDiv-A, with its break-downs."""
    full = {c.model: c for c in cells if c.data == c.test == "svamp"}
    blind = {c.model: c for c in cells if c.data == "svamp" and c.test == "svamp-no_question-attack"}
    lines = []
    for solver, goal in _goals("svamp", cells):
        if solver not in full:
            lines.append([solver, f"{goal}", "not run", *[""] * 4])
            continue
        cell = full[solver]
        right = sum(outcome.right for outcome in cell.outcomes.values())
        without = tables.percent(blind[solver].accuracy) if solver in blind else ""
        lines.append(
            [
                solver,
                f"{goal}",
                tables.percent(_likeliest([cell])),
                tables.percent(cell.accuracy),
                tables.interval(intervals.wilson(right, cell.cell.rows)),
                tables.percent(cell.share(EQUATION)),
                without,
            ]
        )
    header = (
        "solver", "published", "bare decoder", "with weighing", "95 % interval", "equation", "without question",
    )  # fmt: skip
    text = (
        "## SVAMP, one seed\n\n"
        "    dnc research protocol SOLVER --data svamp --test svamp-no_question-attack\n\n"
        "Trained on MAWPS and ASDiv-A, a tenth of it held out.\n\n" + tables.markdown(header, lines)
    )
    if full:
        problems = catalogue.read("svamp")["test"]
        text += "\n" + breakdowns.breakdown_tables(full, blind, problems)
    return text


def speed(path: Path) -> str:
    """Return the section of seconds per epoch and per evaluation pass."""
    if not path.exists():
        return ""
    record = json.loads(path.read_text(encoding="utf-8"))
    lines = []
    for entry in record["speed"]:
        epochs = (f"{entry[f'epoch_batch{batch}']:.1f}" for batch in (8, 32))
        passes = (f"{entry[name]:.2f}" for name in ("pass_greedy", "pass_beam5"))
        faster = "published_epoch" in entry
        lines.append(
            [
                f"{entry['solver']} {entry['hidden']}x{entry['layers']}",
                *epochs,
                *passes,
                f"{entry['published_epoch']:.0f} / {entry['published_pass']:.1f}" if faster else "",
                f"{entry['times_faster_epoch']} / {entry['times_faster_pass']}" if faster else "",
            ]
        )
    header = (
        "solver, hidden x layers", "epoch, batch 8", "batch 32", "greedy pass", "beam-5 pass",
        "published epoch / pass", "times faster",
    )  # fmt: skip
    return (
        f"## Speed\n\n    python benchmarks/train.py --threads {record['threads']} --clock {record['clock']} "
        "--out benchmarks/results/speed.json\n\n"
        f"{record['note']} {record['rows']['train']} training and {record['rows']['test']} test problems "
        f"(ASDiv-A fold 0), torch {record['machine']['torch']}. The models of the tables above are those of "
        "hidden 256; they are compared with the published solvers of hidden 384.\n\n"
        + tables.markdown(header, lines)
    )


def finetuning_speed(path: Path) -> str:
    """Return the section of the fine-tuning loop beside transformers' Trainer."""
    if not path.exists():
        return ""
    record = json.loads(path.read_text(encoding="utf-8"))
    lines = [
        [
            f"{kind} lengths",
            *(f"{record[kind][loop]['tokens_per_second']:.0f}" for loop in ("ours", "trainer")),
            f"{record[kind]['times_faster']:.2f}",
            *(f"{record[kind][loop]['peak_megabytes']:.0f}" for loop in ("ours", "trainer")),
        ]
        for kind in ("equal", "mixed")
    ]
    header = ("texts of", "tokens/s", "Trainer", "times faster", "peak MB", "Trainer, MB")
    return (
        "## Speed of fine-tuning\n\n    python benchmarks/finetune.py --out benchmarks/results/finetune.json\n\n"
        f"A T5 of about eight million random weights, {record['rows']} problems in batches of {record['batch']}, one "
        "thread, processor seconds on a busy machine, tokens without padding; transformers' Trainer as it comes, "
        "without its own grouping by length.\n\n" + tables.markdown(header, lines)
    )


if __name__ == "__main__":
    main()
