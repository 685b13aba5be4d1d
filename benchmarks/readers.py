"""The readers' part of docs/reproduction.md, from the stored cells of the groups `readers/NAME`."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import reader_texts as texts

import dnc_metrics
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_trainers import pooling, stored, tables
from dnc_trainers.results import Result

Cell = Result
# Settings that define another system of a reader, with its name in tables.
_FORMS = {
    ("headings", True): "headings and match",
    ("order", "concatenate"): "concatenated operands",
    ("direction", "symmetric"): "symmetric (published)",
    ("graph_layers", 0): "no graph convolution",
    ("edge_loss", False): "no edge loss",
    ("number_graph", True): "number graph",
    ("tags", True): "tagged spans",
    ("copy", False): "no copying",
}
_TITLES = {
    "tagop": "TagOp",
    "rgnet": "RGNet",
    "discrete": "discrete reader",
    "sequence": "sequence",
    "gts": "GTS",
}
_SHOWN = (
    "encoder", "encoder_layers", "frozen_layers", "length", "epochs", "batch", "hidden", "embedding", "dropout", "lr",
)  # fmt: skip


def section(results: Path) -> str:
    """Return the readers' section; empty without results."""
    cells = {
        group.removeprefix("readers/"): sorted(stored.cells(group, results), key=_place)
        for group in stored.groups("readers/", results)
    }
    if not any(cells.values()):
        return ""
    parts = [
        tagop(cells.get("tatqa_a", [])),
        conversations(cells.get("drawn", []), texts.DRAWN),
        by_kind(cells.get("drawn", [])),
        attacked(cells.get("drawn", [])),
        conversations(cells.get("socratic", []), texts.SOCRATIC),
        languages(cells.get("two_languages", [])),
        *(passages(cells.get(name, []), name) for name in ("drop_num", "tiny_passages")),
    ]
    return "\n".join(["## Readers\n", *(part for part in parts if part), texts.DIFFERENCES])


# TagOp with our additions, as the stored results of its earlier heads have them.
_ADDED_MEAN = "TagOp, headings and match"
_ADDED = f"{_ADDED_MEAN}, concatenated operands"


def _place(cell: Cell) -> tuple[int, int]:
    """Return the position of a system in tables: by its reader, the form without switches first."""
    return list(_TITLES).index(cell.model), label(cell).count(",")


def label(cell: Cell) -> str:
    """Return the name of a system in tables: the reader, and its non-default switches."""
    settings = cell.settings
    forms = [title for (name, value), title in _FORMS.items() if name in settings and settings[name] == value]
    if cell.model == "tagop" and settings.get("encoder") and not settings.get("headings"):
        forms.append("over MiniLM")
    last = ["to the last epoch"] if cell.training.refit else []
    return ", ".join([_TITLES.get(cell.model, cell.model), *forms, *last])


def _settings(cell: Cell) -> str:
    """Return the settings of a run as options of its command."""
    settings = cell.settings
    encoder = bool(settings.get("encoder"))
    idle = ("embedding",) if encoder else ("encoder_layers", "frozen_layers")
    shown = [name for name in _SHOWN if name in settings and name not in idle]
    return " ".join(f"--set {name}={settings[name]}" for name in shown if settings[name] != "")


def _changed_rows(cell: Cell) -> int:
    return sum(outcome.perturbed for outcome in cell.outcomes.values())


def _published() -> dict[tuple[str, str], float]:
    """Map (setting, perturbation) to TagOp's accuracy in table 9 of Xu et al. (2022)."""
    path = Path(dnc_metrics.path("robustness")) / "published.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "tatqa_a"]
    return {(row["setting"], row["perturbation"]): float(row["accuracy"]) for row in rows}


def _by_test(cells: Iterable[Cell]) -> dict[str, dict[str, Cell]]:
    """Map system -> test -> cell."""
    found: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        found.setdefault(label(cell), {})[cell.test] = cell
    return found


def tagop(cells: Sequence[Cell]) -> str:
    """Return the section of TagOp as published, with our additions, and the rules, attacked and defended."""
    clean = tables.clean_results([c for c in cells if label(c) == _ADDED], "tatqa_a")
    if not clean:
        return ""
    systems, published = _by_test(cells), _published()
    own, mean, form = systems[_ADDED], systems.get(_ADDED_MEAN, {}), systems.get("TagOp", {})
    over = systems.get("TagOp, over MiniLM", {})
    attacked = tables.attacked_results(list(own.values()), "tatqa_a")
    compared = pooling.compared(clean, attacked)
    first = clean[0]
    forms = (form, over)
    lines = [_tagop_line("(clean)", published.get(("original", "none")), first, forms, "", "")]
    for recipe, result in compared.items():
        cell = attacked[recipe][0]
        drop, sure = f"{100 * result.drop:.1f}", tables.interval(result.drop_interval)
        known = published.get(("attack", recipe))
        lines.append(_tagop_line(recipe, known, cell, forms, drop, sure))
    header = (
        "attack", "changed rows", "paper: TagOp", "published form, from scratch", "published form, MiniLM",
        "with our additions, earlier heads", "drop", "95 % interval", "rules",
    )  # fmt: skip
    defended = []
    for cell in cells:
        variant = catalogue.find(cell.train)
        if variant.setting == "defense" and label(cell) == _ADDED:
            before = attacked.get(variant.recipe)
            defended.append(
                [
                    variant.recipe,
                    _number(published.get(("defense", variant.recipe))),
                    tables.percent(before[0].accuracy) if before else "",
                    tables.percent(cell.accuracy),
                    tables.percent(cell.cell.baselines["rules"]),
                ]
            )
    ahead = first.accuracy - first.cell.baselines["rules"]
    parts = [
        "### TagOp on TATQA-a\n",
        "    dnc research protocol tagop --data tatqa_a --from tatqa_a=DIR "
        f"--also-train tatqa_dataset_test_gold.json \\\n"
        f"        {_settings(first)} \\\n        --settings attack --perturbations all\n",
        *filter(None, (_published_form(one.get("tatqa_a")) for one in forms)),
        "The columns with our additions were measured with earlier heads, which tagged pooled cells and also read the "
        "question. These heads are no longer part of the toolkit.\n",
        f"{first.cell.rows} arithmetic test questions, exact values, one seed; trained on {first.training.rows} "
        f"questions ({first.training.dropped_rows} more have no program, or one whose operands were cut). MiniLM's "
        f"first layers are frozen and read each text once. {first.cell.too_long} test questions lose an operand to "
        f"the limit and count as wrong. {_verdict(ahead)}\n",
        tables.markdown(header, lines),
        texts.ORDER.format(*(_order(one) for one in (first, mean.get("tatqa_a")))),
    ]
    if defended:
        named = ("defended for", "paper: defended", "ours attacked", "ours defended", "rules")
        parts.append("Trained and tested on perturbed data (`--settings defense`):\n")
        parts.append(tables.markdown(named, defended))
    return "\n".join(parts)


def _published_form(cell: Cell | None) -> str:
    """Return the results of the published form over all questions and over those of the paper."""
    if cell is None:
        return ""
    right, rows, rules = cell.cell.right, cell.cell.rows, cell.cell.baselines["rules"]
    below = "above" if cell.accuracy > rules else "not above"
    encoder, more = cell.settings["encoder"], cell.training.added_rows
    options = _settings(cell) if encoder else f"--set epochs={cell.settings['epochs']}"
    also = " --also-train tatqa_dataset_test_gold.json" if more else ""
    return (
        f"The published form over {'MiniLM' if encoder else 'a BiLSTM from scratch'} instead of RoBERTa-large "
        f"(`dnc research protocol tagop --data tatqa_a --from tatqa_a=DIR{also} {options}`) was trained on "
        f"{cell.training.rows} questions. {right} answers are right: {tables.percent(right / rows)} % of {rows}, and "
        f"{tables.percent(right / _EXPRESSIBLE)} % of the {_EXPRESSIBLE} questions that the paper's 42.41 fits. This "
        f"is {below} the rules ({tables.percent(rules)} %).\n"
    )


# Published accuracies on TATQA-a are fractions of this number of questions.
_EXPRESSIBLE = 580


def _verdict(ahead: float) -> str:
    """Return a sentence that compares TagOp with the rules."""
    if ahead > 0:
        return f"TagOp is {100 * ahead:.1f} points better than the rules."
    return (
        f"TagOp does not beat the rules ({100 * ahead:.1f} points): they were written over questions of this kind, "
        "lose nothing to a limit, and what is learnt here are heads over a frozen encoder, from some 500 tables; "
        "validation falls again while the loss goes on falling."
    )


def _tagop_line(
    name: str, known: float | None, cell: Cell, forms: Sequence[Mapping[str, Cell]], drop: str, sure: str
) -> list[str]:
    return [
        name,
        str(_changed_rows(cell)) if drop else "",
        _number(known),
        *(tables.percent(one[cell.test].accuracy) if cell.test in one else "" for one in forms),
        tables.percent(cell.accuracy),
        drop,
        sure,
        tables.percent(cell.cell.baselines["rules"]),
    ]


def _number(known: float | None) -> str:
    return "" if known is None else f"{known}"


def _order(cell: Cell | None) -> str:
    """Return the number of replies that were wrong only for their order."""
    if cell is None or "wrong but for the order" not in cell.cell.measures:
        return "(not run)"
    many = cell.cell.measures["ordered replies"]
    return f"{round(cell.cell.measures['wrong but for the order'] * many)} of {many:.0f}"


def _answers(cell: Cell) -> str:
    """Return the accuracy of answers with its interval over conversations, which the ids name."""
    turns: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row, outcome in cell.outcomes.items():
        turns[row.rpartition("-")[0]] += 1
        right[row.rpartition("-")[0]] += outcome.right
    sure = intervals.bootstrap(list(turns.values()), [right[one] for one in turns])
    return f"{tables.percent(cell.accuracy)} {tables.interval(sure)}"


def conversations(cells: Sequence[Cell], stated: Mapping[str, str]) -> str:
    """Return the section of RGNet's forms with answers and graphs, and the baselines of graphs."""
    own = [c for c in cells if c.model == "rgnet" and c.data == c.test == "noahqa_en"]
    if not own:
        return ""
    lines = [
        [label(cell), _answers(cell), *_graphs(cell.cell.measures, ""), *_decoding(cell)] for cell in own
    ]
    names = dict.fromkeys(key.partition(":")[0] for key in own[0].cell.measures if key.endswith(": GEM"))
    lines += [[name, "", *_graphs(own[0].cell.measures, f"{name}: "), "", ""] for name in names]
    header = ("system", "answers", "GEM", "DAGsim", "edge F1", "equations, free", "equations, gold fed")
    first = own[0]
    known = f"{first.cell.measures['known graphs']:.0f}"
    said = stated["text"].format(train=first.training.rows, test=first.cell.rows, graphs=known)
    settings = f"{_settings(first)} \\\n        {stated['vary']}"
    command = f"    {stated['make']}\n    {stated['command']} \\\n        {settings}\n"
    taken = "; ".join(f"{label(cell)} {cell.training.epoch + 1}" for cell in own)
    note = f"{stated['note']}\nEpochs taken, of {first.settings['epochs']}: {taken}.\n"
    return "\n".join([f"### {stated['title']}\n", command, said, tables.markdown(header, lines), note])


def _graphs(measures: Mapping[str, float], prefix: str) -> list[str]:
    low, high = (measures[f"{prefix}GEM, {end}"] for end in ("from", "to"))
    gem = f"{tables.percent(measures[f'{prefix}GEM'])} {tables.interval((low, high))}"
    return [gem, *(tables.percent(measures[f"{prefix}{name}"]) for name in ("DAGsim", "edge F1"))]


def _decoding(cell: Cell) -> list[str]:
    names = ("equations, decoded freely", "equations, gold fed to the decoder")
    return [tables.percent(cell.cell.measures.get(name)) for name in names]


def by_kind(cells: Sequence[Cell]) -> str:
    """Return answers by type and by turn, of RGNet and the baselines."""
    own = [c for c in cells if c.data == c.test == "noahqa_en" and "type arithmetic" in c.cell.measures]
    if not own:
        return ""
    parts = ["Answers by type and by turn, all systems on the same turns:\n"]
    for kind in ("type", "turn"):
        names = [key for key in own[0].cell.measures if key.startswith(f"{kind} ")]
        lines = [[label(c), *(tables.percent(c.cell.measures.get(name)) for name in names)] for c in own]
        header = ["system", *(name.removeprefix(f"{kind} ").lstrip("0") for name in names)]
        parts.append(tables.markdown(header, lines))
    if probed := [c for c in own if "no passage" in c.cell.measures]:
        stated = (
            f"{label(c)} {tables.percent(c.cell.measures['no passage'])} and "
            f"{tables.percent(c.cell.measures.get('no history'))}"
            for c in probed
        )
        parts.append(f"Without the passage, and without the earlier turns: {'; '.join(stated)}.\n")
    others = {c.model: c for c in reversed(own) if c.model != "rgnet"}
    commands = (
        f"    dnc research protocol {solver} --data noahqa_en --from noahqa_en=DIR \\\n        {_settings(cell)}"
        + (" --vary copy=no" if solver == "sequence" else "")
        for solver, cell in others.items()
    )
    return "\n".join([*parts, *commands, "", texts.BASELINES])


def attacked(cells: Sequence[Cell]) -> str:
    """Return RGNet's answers and graphs under attack, and of models trained on perturbed conversations."""
    own = [c for c in cells if label(c) == "RGNet"]
    clean = tables.clean_results(own, "noahqa_en")
    lines = []
    for cell in own:
        variant = catalogue.find(cell.test)
        if clean and variant.recipe:
            trained = "clean" if variant.setting == "attack" else variant.recipe
            changed = str(_changed_rows(cell))
            lines.append([variant.recipe, trained, changed, _answers(cell), *_graphs(cell.cell.measures, "")])
    if not lines:
        return ""
    lines.insert(0, ["(clean)", "clean", "", _answers(clean[0]), *_graphs(clean[0].cell.measures, "")])
    header = ("tested on", "trained on", "changed rows", "answers", "GEM", "DAGsim", "edge F1")
    return "\n".join([texts.ATTACKED, tables.markdown(header, lines)])


def languages(cells: Sequence[Cell]) -> str:
    """Return the section of RGNet in English, Chinese and both."""
    if not cells:
        return ""
    lines = []
    for cell in sorted(cells, key=lambda c: (c.data != "noahqa_en", c.test)):
        trained = "both" if "+added" in cell.data else "English"
        tested = {"noahqa_en": "English", "noahqa_zh": "Chinese"}[cell.test]
        lines.append(
            [
                f"{trained} ({cell.training.rows} turns)",
                f"{tested} ({cell.cell.rows} turns)",
                _answers(cell),
                *_graphs(cell.cell.measures, ""),
                tables.percent(cell.cell.measures["lexical overlap: GEM"]),
            ]
        )
    header = ("trained on", "tested on", "answers", "GEM", "DAGsim", "edge F1", "GEM of lexical overlap")
    return "\n".join([texts.LANGUAGES.format(_settings(cells[0])), tables.markdown(header, lines)])


def passages(cells: Sequence[Cell], dataset: str) -> str:
    """Return the section of the discrete reader on passages, with and without the number graph."""
    clean = [c for c in cells if c.test == c.data == dataset]
    if not clean:
        return ""
    first = clean[0]
    attacks = {
        label(c): tables.attacked_results([o for o in cells if label(o) == label(c)], dataset) for c in clean
    }
    lines = [["(clean)", "", *(f"{tables.percent(c.accuracy)} {_wilson(c)}" for c in clean)]]
    for recipe, found in attacks[label(first)].items():
        line = [recipe, str(_changed_rows(found[0]))]
        for cell in clean:
            there = attacks[label(cell)].get(recipe)
            line.append(tables.percent(there[0].accuracy) if there else "")
        lines.append(line)
    from_ = f" --from {dataset}=DIR" if not dataset.startswith("tiny") else ""
    recipes = ",".join(attacks[label(first)])
    command = (
        f"    dnc research protocol discrete --data {dataset}{from_} --settings attack --perturbations {recipes} \\\n"
        f"        {_settings(first)} --vary number_graph=yes\n"
    )
    text = (
        f"One seed, {first.training.rows} training rows ({first.training.dropped_rows} more cannot be "
        f"expressed), {first.cell.rows} test rows, {first.cell.too_long} longer than {first.settings['length']} "
        f"pieces.\n"
    )
    title = f"### The discrete reader on {dataset}\n"
    header = ("attack", "changed rows", *(label(cell) for cell in clean))
    return "\n".join([title, command, text, tables.markdown(header, lines), texts.PASSAGES.get(dataset, "")])


def _wilson(cell: Cell) -> str:
    return tables.interval(intervals.wilson(round(cell.accuracy * cell.cell.rows), cell.cell.rows))
