"""Tables of the papers for docs/reproduction.md beyond single splits: folds, categories, stages, searches."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dnc_datasets.problem import CONSTRAINT
from dnc_datasets.serving import catalogue
from dnc_metrics import contrast, drop, reproduce
from dnc_trainers import breakdowns, pooling, searching, stored, tables
from dnc_trainers.results import Result

Cells = Sequence[Result]
VARY_COMMAND = (
    "dnc research protocol constrained --data asdiv_a --settings attack --test asdiv_a_manual --breakdown \\\n"
    "        --perturbations language,type,noise,distribution,verbosity,extra,logic,order \\\n"
    "        --vary lr=1e-2 --vary batch=128"
)
CROSS_COMMAND = (
    "dnc research protocol gts --data asdiv_a --settings attack,defense --perturbations verbosity --cross \\\n        "
    + " ".join(f"--test asdiv_a-{name}-attack" for name in ("language", "type", "noise", "distribution"))
    + " \\\n        "
    + " ".join(f"--test asdiv_a-{name}-attack" for name in ("extra", "logic", "order"))
)
SOLVERS = ("seq2seq", "constrained", "gts", "graph2tree")
# Patel et al. (2021), table 10: trained from scratch, in percent.
TABLE_10 = {
    "seq2seq": {"1": 25.4, "2": 20.3, "addition": 28.5, "subtraction": 22.3, "multiplication": 17.9, "division": 29.3},
    "gts": {"1": 31.7, "2": 27.9, "addition": 35.8, "subtraction": 26.7, "multiplication": 29.2, "division": 39.5},
    "graph2tree": {
        "1": 42.9, "2": 16.1, "addition": 24.9, "subtraction": 41.3, "multiplication": 27.4, "division": 40.7,
    },
}  # fmt: skip
# Tables 13 and 14, of the best model (Graph2Tree over RoBERTa), with the signs as printed.
TAKEN_OUT = {
    "question_sensitivity": -13.7, "reasoning_ability": 3.3, "structural_invariance": -4.5, "11": -7.3, "12": -1.5,
    "13": -1.3, "21": -5.5, "22": -3.2, "23": 10.2, "31": -2.3, "32": 3.3, "33": -6.9,
}  # fmt: skip
# Table 15, of the same model on ASDiv-A, by the number of numbers in a problem.
BY_NUMBERS = {"2": 93.3, "3": 59.0, "4": 47.5}
# Table 9: problems, templates, operators, lexicon diversity.
TABLE_9 = {
    "mawps": ("2373", "39", "1.78", "0.26"), "asdiv_a": ("1218", "19", "1.23", "0.50"),
    "svamp": ("1000", "26", "1.24", "0.22"),
}  # fmt: skip
# Tables 2, 3 and 4, over RoBERTa, all folds: with the question, without it, easy, hard.
BLIND = {
    ("asdiv_a", "seq2seq"): (76.9, 58.7, 91.3, 56.1), ("mawps", "seq2seq"): (86.7, 77.4, 86.8, 86.7),
    ("asdiv_a", "gts"): (81.2, 60.7, 91.6, 65.3), ("mawps", "gts"): (88.5, 76.2, 92.6, 71.7),
    ("asdiv_a", "graph2tree"): (82.2, 64.4, 92.8, 63.3), ("mawps", "graph2tree"): (88.7, 77.7, 93.4, 71.0),
}  # fmt: skip
_AGAIN_REORDERED, _AGAIN_PARAPHRASED = "trained again on reordering", "trained again on paraphrase"
# Table 7: seed problems by operation.
TABLE_7 = {"addition": 28, "subtraction": 33, "multiplication": 19, "division": 20}
# Kumar et al. (2021), tables 2 and 3: (dataset, solver) -> accuracy under reordering, under paraphrase, and
# of solvers that were retrained on the findings of either search.
KUMAR = {
    ("asdiv_a", "seq2seq"): (17.5, 13.2, 34.5, 28.8), ("asdiv_a", "gts"): (30.5, 21.2, 48.4, 31.6),
    ("asdiv_a", "graph2tree"): (33.5, 23.8, 54.8, 33.0), ("mawps", "seq2seq"): (18.2, 10.5, 32.4, 27.6),
    ("mawps", "gts"): (32.3, 22.7, 52.3, 40.7), ("mawps", "graph2tree"): (35.6, 25.5, 54.9, 42.3),
}  # fmt: skip
_STAGES = (
    ("trained", "reordering"), ("trained", "paraphrase"),
    (_AGAIN_REORDERED, "reordering"), (_AGAIN_PARAPHRASED, "paraphrase"),
)  # fmt: skip


def sections(cells: Cells, results: Path) -> Iterator[str]:
    """Yield every section with results."""
    plain = [cell for cell in cells if cell.model in SOLVERS and cell.is_fair]
    yield folds(plain)
    yield categories(plain)
    yield stages(plain)
    ours = as_given(stored.cells("papers", results))
    yield without_question(ours)
    yield searched(stored.searches("searches", results))
    yield crossed(ours)
    yield side_by_side(ours)
    yield published_rows(ours)
    yield statistics(results)


def as_given(cells: Cells) -> list[Result]:
    """Return the cells of models without added training data; the tables of stages have the others."""
    return [cell for cell in cells if not cell.training.added_rows]


def folds(cells: Cells) -> str:
    """Return the section of break-downs over all five folds, and Easy and Hard without the question."""
    parts = []
    for dataset, title in (("asdiv_a", "ASDiv-A"), ("mawps", "MAWPS")):
        names = catalogue.find(dataset).source.folds
        own = [cell for cell in cells if cell.test.startswith(f"{dataset}-fold") and cell.seed == 0]
        whole = [
            cell for cell in pooling.over_folds(own) if cell.folds == len(names) and not cell.training.refit
        ]
        full = {cell.model: cell for cell in whole if cell.data == cell.test == dataset}
        blind = {cell.model: cell for cell in whole if cell.test == f"{dataset}-no_question-attack"}
        if full:
            problems = [problem for fold in names for problem in catalogue.read(dataset, fold)["test"]]
            parts.append(f"{title}:\n\n{breakdowns.breakdown_tables(full, blind, problems)}")
    published = ", ".join(f"{count} numbers {share}" for count, share in BY_NUMBERS.items())
    return (
        "## Break-downs over five folds, one seed, with weighing\n\n"
        "    dnc research protocol SOLVER --data asdiv_a --folds --breakdown --set choice=plausible\n"
        "    dnc research protocol SOLVER --data mawps --folds --breakdown --set choice=plausible\n\n"
        "All test rows of the folds together. *type* is the operation that is done last. Patel et al. (2021), table "
        f"15, Graph2Tree over RoBERTa on ASDiv-A: {published}; ours are trained from scratch, so that only the order "
        "may be compared. Easy and Hard (their tables 3 and 4) stand in the section on questions taken away.\n\n"
        + "\n".join(parts)
    )


def categories(cells: Cells) -> str:
    """Return the section of SVAMP by operation, and the weight of each category and variation."""
    full = {cell.model: cell for cell in cells if cell.data == cell.test == "svamp"}
    if "graph2tree" not in full:
        return ""
    problems = catalogue.read("svamp")["test"]
    lines: list[list[str]] = []
    for kind in ("operators", "type"):
        labels = breakdowns.labels_of(problems, kind)
        by = {name: breakdowns.breakdown(cell, labels) for name, cell in full.items() if name in TABLE_10}
        for at, (label, rows, _) in enumerate(next(iter(by.values()))):
            if label in TABLE_10["gts"]:
                name = f"{label} operators" if kind == "operators" else label
                shown = [str(f) for s in by for f in (TABLE_10[s][label], tables.percent(by[s][at][2]))]
                lines.append([name, str(rows), *shown])
    header = ("", "rows", *(word for name in by for word in (f"{name}, published", f"{name}, ours")))
    text = (
        "## SVAMP: what a category weighs (Patel et al., tables 10, 13, 14)\n\n"
        "    dnc research protocol graph2tree --data svamp --breakdown --set choice=plausible\n\n"
        "One seed, with weighing. Types are the source's. Published figures are of models trained from scratch, whose "
        "epoch was chosen on SVAMP.\n\n" + tables.markdown(header, lines)
    )
    for kind in ("category", "variation"):
        table = breakdowns.weight_table([full["graph2tree"]], breakdowns.labels_of(problems, kind), kind)
        text += "\n" + _with_column(table, "change, published (sign as printed)", TAKEN_OUT)
    return (
        text
        + "\nThe published changes are of Graph2Tree over RoBERTa (43.8 in all), with the signs as printed: minus "
        "means that the rows taken out are harder than the rest. Ours are of Graph2Tree from scratch; plus means the "
        "same. A row with several labels counts for each of them. The published tables count 649 and 264 rows where "
        "the files give 650 and 265.\n"
    )


def _with_column(table: str, title: str, figures: Mapping[str, float]) -> str:
    """Add a column to a Markdown table, by the first cell."""
    lines = table.splitlines()
    made = [f"{lines[0]} {title} |", f"{lines[1]} ---: |"]
    for line in lines[2:]:
        name = line.split("|")[1].strip().replace("\\", "")
        made.append(f"{line} {f'{figures[name]:+.1f}' if name in figures else ''} |")
    return "\n".join(made) + "\n"


def stages(cells: Cells) -> str:
    """Return the section of the two stages of the DNC paper, of Graph2Tree on its split."""
    own = [cell for cell in cells if cell.model == "graph2tree" and cell.test.startswith("asdiv_a")]
    eight = ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")
    kept = [cell for cell in own if catalogue.find(cell.test).recipe in ("", *eight)]
    table = breakdowns.stage_table(kept, "asdiv_a")
    if not table:
        return ""
    return (
        "## The DNC split: the two stages, Graph2Tree\n\n"
        "    dnc research protocol graph2tree --data asdiv_a --settings attack,defense \\\n"
        f"        --perturbations {','.join(eight)}\n\n"
        "Bare decoder. Drops over the seeds that were attacked, recovery over those that were defended; intervals "
        "over problems. Published "
        "means of Graph2Tree's drops, computed from the printed cells: numerical 3.07, semantic 29.37; table 12 prints "
        "3.07 as the semantic one, and 11.58 as a recovery that no set of its cells gives (10.30 over all; "
        "`python -m dnc_metrics.reproduce --only tables`).\n\n" + table
    )


def without_question(cells: Cells) -> str:
    """Return the section without questions: every solver on the folds with results, decoded as published."""
    fair = [cell for cell in cells if cell.model in SOLVERS and cell.is_fair]
    together = pooling.over_folds(fair)
    by_test = {(cell.model, cell.data, cell.test): cell for cell in together}
    lines = []
    for dataset in ("asdiv_a", "mawps"):
        for solver in SOLVERS:
            full = by_test.get((solver, dataset, dataset))
            blind = by_test.get((solver, dataset, f"{dataset}-no_question-attack"))
            if full is None or blind is None:
                continue
            split = [
                f"{tables.percent(share)} ({rows})" for _, rows, share in breakdowns.easy_hard(full, blind)
            ]
            known = [str(figure) for figure in BLIND.get((dataset, solver), ())]
            shown = [str(full.folds), str(full.cell.rows)]
            shares = [tables.percent(cell.accuracy) for cell in (full, blind)]
            lines.append([dataset, solver, *shown, *shares, *split, " / ".join(known)])
    if not lines:
        return ""
    header = (
        "dataset", "solver", "folds", "rows", "with the question", "without", "easy (rows)", "hard (rows)",
        "published over RoBERTa: with / without / easy / hard",
    )  # fmt: skip
    return (
        "## The question taken away (Patel et al., tables 3 and 4)\n\n"
        "    dnc research protocol SOLVER --data asdiv_a --folds --settings attack "
        "--perturbations no_question --breakdown\n\n"
        "One seed, the likeliest hypothesis, the epoch chosen so. *Easy* are the problems that the same model answers "
        "without the question, so that its rows differ by solver. Published figures are of solvers over RoBERTa whose "
        "epoch was chosen on the fold; ours are trained from scratch.\n\n" + tables.markdown(header, lines)
    )


def crossed(cells: Cells) -> str:
    """Return the section of clean and defended models on the clean test rows and under every attack."""
    own = [cell for cell in cells if cell.model == "gts" and "-fold" not in cell.data]
    table = breakdowns.cross_table(sorted(own, key=lambda cell: cell.test != "asdiv_a"), "asdiv_a")
    if not table:
        return ""
    return (
        "## What a defense costs, and whether it helps against another attack: GTS on the DNC split\n\n"
        f"    {CROSS_COMMAND}\n\n"
        "One seed, the likeliest hypothesis, 122 test problems. In brackets, how much more a model has than the clean "
        "one on the same rows, with an interval for the pairs. No paper prints such a table; Geva et al. (2022) have "
        "the clean development set beside each contrast set.\n\n" + table
    )


def side_by_side(cells: Cells) -> str:
    """Return the section of settings side by side, as in the DNC paper's tables 7 and 8."""
    by: dict[str, list[Result]] = {}
    own = [cell for cell in cells if cell.model == "constrained" and cell.data == "asdiv_a"]
    for cell in own:
        settings = cell.settings
        by.setdefault(f"lr={settings['lr']:g}, batch={settings['batch']}", []).append(cell)
    if len(by) < 2:
        return ""
    return (
        "## Settings side by side (as the DNC paper's tables 7 and 8)\n\n"
        f"    {VARY_COMMAND}\n\n"
        "The bag of words, one seed, on the DNC split (122 problems); the paper's are Graph2Tree and T5, whose cells "
        "stand in the first section.\n\n" + breakdowns.side_by_side(by, "asdiv_a")
    )


def published_rows(cells: Cells) -> str:
    """Return the section of the published perturbed test rows, by what they show."""
    own = [cell for cell in cells if cell.test == "asdiv_a_manual" and cell.settings["lr"] == 2e-3]
    own = [cell for cell in own if cell.settings["batch"] == 16]
    if not own:
        return ""
    labels = breakdowns.labels_of(catalogue.read("asdiv_a_manual")["test"], "shows")
    lines = [
        [name, str(rows), tables.percent(share)] for name, rows, share in breakdowns.breakdown(own[0], labels)
    ]
    return (
        "## The published perturbed test rows\n\n"
        f"    {VARY_COMMAND}\n\n"
        "The bag of words, trained on ASDiv-a's 974 problems, on the 293 rows of `asdiv_a_manual` (forms of 117 test "
        "problems; no Logic, no Order among them).\n\n" + tables.markdown(("shows", "rows", "answer"), lines)
    )


def searched(found: Sequence[searching.Stage]) -> str:
    """Return the section of adversarial rewording: solvers under search, and retrained."""
    parts, missing = [], []
    for (dataset, solver), figures in KUMAR.items():
        known = dict(zip(_STAGES, figures, strict=True))
        own = [
            one
            for one in found
            if one.result.model == solver and pooling.without_fold(one.result.test) == dataset
        ]
        if not own:
            missing.append(f"{solver} on {dataset}")
            continue
        own.sort(key=lambda one: (one.search, one.name != "trained"))
        lines = searching.table(own).splitlines()
        made = [f"{lines[0]} published |", f"{lines[1]} ---: |"]
        for line in lines[2:]:
            stage, search = (cell.strip() for cell in line.split("|")[1:3])
            made.append(f"{line} {known.get((stage, search), '')} |")
        tests, epochs = sorted({one.result.test for one in own}), own[0].result.settings["epochs"]
        command = (
            f"dnc research protocol {solver} --data {dataset} --folds {len(tests)} --settings search,retrain "
            f"--search reordering,paraphrase --set epochs={epochs}"
        )
        parts.append(f"    {command}\n\n{solver} on {', '.join(tests)}:\n\n" + "\n".join(made) + "\n")
        there = {(one.name, one.search) for one in own}
        left = [f"{stage} ({search})" for stage, search in known if (stage, search) not in there]
        if left:
            parts.append(f"Not run yet: {'; '.join(left)}. The command goes on where it stopped.\n")
    if not parts:
        return ""
    head = (
        "## Adversarial rewording (Kumar et al., tables 2 and 3)\n\n"
        "Each stage is one line. The published paraphrases are a model's, filtered by people; ours are by rules with a "
        "certificate, far fewer a sentence, so that the published fall is no goal. What may be compared is whether "
        "training on what was found helps. One seed, the likeliest hypothesis, fewer epochs than elsewhere on this "
        "page; published figures are of five folds.\n"
    )
    tail = [f"Not run: {', '.join(missing)}.\n"] if missing else []
    return "\n".join([head, *parts, *tail])


def statistics(results: Path) -> str:
    """Return the section of table 9 of Patel et al., and our challenge set."""
    path = results / "stats.json"
    if not path.exists():
        return ""
    stated = json.loads(path.read_text(encoding="utf-8"))
    columns = ("problems", "equation templates", "operators per equation", "lexicon diversity")
    lines = []
    of_files = _templates_of_files()
    for name, known in TABLE_9.items():
        pairs = zip(known, (_figure(stated[name][column]) for column in columns), strict=True)
        lines.append([name, *(figure for pair in pairs for figure in pair), of_files.get(name, "")])
    text = (
        "## Statistics of datasets (Patel et al., table 9)\n\n"
        "    dnc list stats mawps asdiv_a svamp\n"
        "    dnc research challenge asdiv_a --seed-problems 100 --published-seeds --embeddings minilm --out challenge\n"
        "    dnc list stats challenge\n\n"
        "Lexicon diversity is 1 less the mean of each text's greatest likeness (BLEU of order 4, both ways, numbers "
        "masked) to another. Neither paper states smoothing and preprocessing: SVAMP comes out nearly as published, "
        "MAWPS and ASDiv-A higher. Tried for ASDiv-A: orders 1 to 3 give .44, .58 and .67, add-one smoothing .71; "
        "published is .50 (SVAMP: .08, .13, .17 and .20). One function counts the templates of our equations and of "
        "the equations of the CSV files of the test folds (`python -m dnc_metrics.reproduce --only corpus`). An "
        "operand such as 1/2 is a division in our equations and one number in the files. The published MAWPS has 2,373 "
        "problems, the files 1,921.\n\n"
    )
    shown = (f"{column}, {whose}" for column in columns for whose in ("published", "ours"))
    header = ("dataset", *shown, "equation templates of the CSV files")
    text += tables.markdown(header, lines)
    if "challenge" in stated:
        own = stated["challenge"]
        counts = ", ".join(f"{label} {count}" for label, count in own["variation"].items())
        text += (
            f"\nThe challenge set of ASDiv-A: {own['seeds']} seeds, chosen by clustering among the {own['varied']} of "
            f"{own['of']} problems{_conditions(own)} that can be varied with certainty, give {own['problems']} "
            "problems with "
            f"{own['equation templates']} templates, {_figure(own['operators per equation'])} operators and a "
            f"diversity of {_figure(own['lexicon diversity'])}. By variation: {counts}.{_discarded(own)}\n"
        )
        if "operations" in own:
            seeds = ", ".join(
                f"{name} {own['operations'].get(name, 0)} ({known})" for name, known in TABLE_7.items()
            )
            text += f"\nThe seeds by the operation done last (table 7, published in brackets): {seeds}.\n"
    return text


def _discarded(own: Mapping[str, object]) -> str:
    """Return the number of problems that the published rule discards, and of templates with tags."""
    if "discarded" not in own:
        return ""
    return (
        f" Discarded for more than two operators: {own['discarded']} (paper: 98). Templates with tags for numbers, "
        f"persons and things: {own['tag templates']}."
    )


def _conditions(own: Mapping[str, object]) -> str:
    return " of one operator and at most 40 words" if own.get("published seeds") else ""


def _templates_of_files() -> dict[str, str]:
    """Map datasets to the number of templates in their CSV files; empty without a mirror."""
    mirror = os.environ.get("DNC_MIRROR", "")
    if not mirror:
        return {}
    found = {figure.name: figure.measured for figure in reproduce.corpus_figures(Path(mirror))}
    titles = {"mawps": "MAWPS", "asdiv_a": "ASDiv-A", "svamp": "SVAMP"}
    return {name: found[f"{title}, equation templates"] for name, title in titles.items()}


# Geva et al. (2022), tables 4 and 5, IIRC: members and judged members of each perturbation, in percent valid.
TABLE_4 = {
    "append_bool": (1884, 198, 98.0), "change_last": (43, 43, 76.7), "replace_arith": (1, 1, 0.0),
    "replace_bool": (1, 1, 100.0), "replace_comp": (14, 14, 71.4), "prune_step": (507, 302, 88.4),
}  # fmt: skip
TABLE_5 = {"boolean": 52, ">=": 1, "<=": 3}
# Table 8: UnifiedQA on IIRC. F1 on the originals, the valid members and all members; consistency over all
# members, and over members and constraints.
TABLE_8 = ("44.5", "61.1", "36.5", "28.1", "28.1")


def contrast_sets(given: Mapping[str, Path]) -> str:
    """Return the section of the published contrast set of IIRC, with the scores of constant answers."""
    folder = given.get("iirc_bpb")
    if folder is None:
        return ""
    every, valid, bound = (
        _members(name, folder) for name in ("iirc_bpb", "iirc_bpb_validated", "iirc_bpb_constraints")
    )
    counts, validated = (Counter(one.kind for one in found) for found in (every, valid))
    lines = [
        [name, str(members), str(counts[name]), str(judged), f"{share}", str(validated[name])]
        for name, (members, judged, share) in TABLE_4.items()
    ]
    header = (
        "perturbation",
        "members, published",
        "read",
        "judged, published",
        "valid, published",
        "valid, read",
    )
    kinds = Counter(one.answer.split()[0] for one in bound if one.is_constraint)
    shares = [
        [f"always {word}", *(f"{100 * share:.1f}" for share in _constant(word, folder, every, valid, bound))]
        for word in ("yes", "no")
    ]
    columns = (
        "answer", "originals, F1", "valid members, F1", "members, F1", "consistency", "consistency with constraints",
    )  # fmt: skip
    return (
        "## The published contrast set of IIRC (Geva et al., tables 4, 5 and 8)\n\n"
        "    dnc build iirc_bpb_constraints iirc_bpb_constraints-published-contrast --from iirc_bpb_constraints=DIR\n"
        "    dnc score iirc_bpb_constraints=originals.jsonl "
        "iirc_bpb_constraints-published-contrast=predictions.jsonl --out scores\n\n"
        f"DIR holds {len(every)} of the 2,452 released members, {len({one.original for one in every})} of the 587 "
        f"originals. Constraints, read / published: "
        + ", ".join(f"{name} {kinds[name]} / {count}" for name, count in TABLE_5.items())
        + ".\n\n"
        + tables.markdown(header, lines)
        + "\nNo system of the paper is here. Constant answers score as follows; UnifiedQA's figures are those of table "
        "8, over all released members.\n\n"
        + tables.markdown(columns, [*shares, ["UnifiedQA, published", *TABLE_8]])
    )


class _Member(NamedTuple):
    original: str
    kind: str
    answer: str
    is_constraint: bool


def _members(name: str, folder: Path) -> list[_Member]:
    problems = {"test": catalogue.read(name, given=folder)["test"]}
    rows = catalogue.find(f"{name}-published-contrast").rows(problems)["test"]
    return [
        _Member(
            row.problem.id.split("#")[0],
            row.problem.id.rpartition("#")[2],
            row.problem.answer,
            row.problem.answer_type == CONSTRAINT,
        )
        for row in rows
    ]


def _constant(
    word: str, folder: Path, every: Sequence[_Member], valid: Sequence[_Member], bound: Sequence[_Member]
) -> tuple[float, ...]:
    """Return the scores of always giving one answer."""
    golds = {one.id: one.answer for one in catalogue.read("iirc_bpb", given=folder)["test"]}
    first = {row: drop.score(word, [gold]).f1 for row, gold in golds.items()}
    members, constraints = defaultdict(list), defaultdict(list)
    for one in every:
        members[one.original].append(drop.score(word, [one.answer]).f1)
    for one in bound:
        held = (
            contrast.holds(one.answer.split()[0], word, golds.get(one.original, ""))
            if one.is_constraint
            else None
        )
        if held is not None:
            constraints[one.original].append(held)
    scores = [score for found in members.values() for score in found]
    judged = [drop.score(word, [one.answer]).f1 for one in valid]
    consistency = [contrast.score(first, {"all": members}, constraints=held) for held in (None, constraints)]
    return (
        sum(first.values()) / len(first),
        sum(judged) / len(judged),
        sum(scores) / len(scores),
        *(one.consistency for one in consistency),
    )


def _figure(value: object) -> str:
    """Format with two decimals, as in the papers: 2.6 -> 2.60"""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
