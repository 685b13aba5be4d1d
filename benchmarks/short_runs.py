"""Sections of docs/reproduction.md on short runs: decoding, settings, transfer, contrast sets, and others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev

from dnc_metrics import intervals
from dnc_trainers import searching, stored, tables
from dnc_trainers.results import Result

Cells = Sequence[Result]
# Patel et al. (2021), table 16: the settings of Seq2Seq and the bag of words that were chosen.
_CHOSEN = ("embedding", "hidden", "layers", "lr", "batch", "encoder_lr", "encoder_layers")
# Geva et al. (2022), table 6: TASE on DROP without and with augmentation. F1 on the originals and on all
# members.
_TASE = {"TASE, published": (83.5, 54.8), "TASE+, published": (83.7, 66.5)}
# Zhang et al. (2021), table 8.
_TABLE_8 = {"discrete": ("NumNet+ of DROP", 7.53), "gts": ("GTS of Math23K (Chinese)", 8.96)}
# Kumar et al. (2021), table 3, GTS over BERT on ASDiv-A.
_KUMAR_BERT = {"reordering": 59.8, "paraphrase": 40.0}


def sections(results: Path) -> Iterator[str]:
    """Yield every section with results."""
    yield greedy(stored.cells("greedy", results), stored.cells("papers", results))
    yield selection(stored.cells("selection", results))
    yield transfer(stored.cells("cross", results))
    yield augmented(stored.cells("augmented", results))
    yield searched(stored.searches("encoder_searches", results))
    yield contrast(stored.cells("bpb", results))
    yield decompositions(results / "stats.json")
    yield conversations(stored.cells("conversations", results))
    yield other_data([*stored.cells("bpb", results), *stored.cells("transfer", results)])


def greedy(found: Cells, beam: Cells) -> str:
    """Return the section of Seq2Seq with greedy decoding, beside its beam."""
    own = {cell.test: cell for cell in found if cell.data == cell.test}
    if not own:
        return ""
    other = {
        cell.test: cell
        for cell in beam
        if cell.model == "seq2seq" and cell.data == cell.test in own and cell.is_fair and cell.seed == 0
    }
    lines = []
    for name, cells in (("greedy", own), ("beam of five", other)):
        rows = sum(cell.cell.rows for cell in cells.values())
        right = sum(cell.cell.right for cell in cells.values())
        if len(cells) == len(own):
            share = tables.percent(right / rows)
            lines.append(
                [name, str(len(cells)), str(rows), share, tables.interval(intervals.wilson(right, rows))]
            )
    header = ("decoding", "folds", "rows", "answers", "95 % interval")
    return (
        "## Seq2Seq, greedily (Patel et al., table 2)\n\n"
        "    dnc research protocol seq2seq --data asdiv_a --folds --set beam=1\n\n"
        "ASDiv-A, one seed; the epoch is chosen by the same decoding. The published Seq2Seq (55.5 over five folds) "
        "decodes greedily to the length of the gold equation. With slots for numbers the grammar only keeps an "
        "expression within 15 symbols: in prefix notation every sequence ends when no operand is missing.\n\n"
        + tables.markdown(header, lines)
    )


def _differences(cell: Result, first: Result) -> str:
    """Return the settings of a run that differ from the first one."""
    changed = (name for name in _CHOSEN if cell.settings.get(name) != first.settings.get(name))
    return ", ".join(f"{name}={cell.settings[name]:g}" for name in changed)


def selection(cells: Cells) -> str:
    """Return the section of settings varied one at a time, chosen on validation problems."""
    parts = []
    for key in dict.fromkeys((cell.model, cell.settings["encoder"], cell.test) for cell in cells):
        own = [cell for cell in cells if (cell.model, cell.settings["encoder"], cell.test) == key]
        first = _base_run(own)
        own.sort(key=lambda cell: (cell is not first, _differences(cell, first)))
        best = max(own, key=lambda cell: cell.training.validation_accuracy)
        lines = [
            [
                _differences(cell, first) or "as given",
                tables.percent(cell.training.validation_accuracy),
                tables.percent(cell.accuracy),
                "chosen" if cell is best else "",
            ]
            for cell in own
        ]
        words = " ".join(f"--vary {_differences(cell, first)}" for cell in own if cell is not first)
        model, encoder, test = key
        dataset, _, fold = test.partition("-")
        over = f" --encoder {encoder}" if encoder else ""
        kept = " ".join(
            f"--set {name}={first.settings[name]:g}" for name in ("encoder_lr", "epochs") if encoder
        )
        command = f"dnc research protocol {model} --data {dataset} --folds 1{over} {kept} {words}"
        settings = ", ".join(f"{name} {first.settings[name]:g}" for name in _CHOSEN[:5])
        parts.append(
            f"    {' '.join(command.split())}\n\n"
            f"{model}{' over MiniLM' if encoder else ''} on {dataset} {fold}, as given: {settings}. "
            f"{first.training.validation_rows} validation problems choose; the test column is shown beside and chooses "
            "nothing.\n\n" + tables.markdown(("setting", "validation", "test", ""), lines)
        )
    if not parts:
        return ""
    head = "## Settings chosen on validation problems (Patel et al., table 16)\n"
    return "\n".join([head, *parts])


def _base_run(cells: Cells) -> Result:
    """Return the run from which the others differ in the fewest settings."""
    return min(cells, key=lambda one: sum(_differences(cell, one).count("=") for cell in cells))


def transfer(cells: Cells) -> str:
    """Return the section of training on one dataset of word problems and testing on all of another."""
    own = [cell for cell in cells if cell.cell.all_splits]
    if not own:
        return ""
    lines = [
        [
            cell.model,
            cell.data,
            cell.test,
            str(cell.cell.rows),
            str(cell.cell.seen_rows),
            f"{tables.percent(cell.accuracy)} {tables.interval(intervals.wilson(cell.cell.right, cell.cell.rows))}",
        ]
        for cell in own
    ]
    header = ("solver", "trained on", "asked", "rows", "of them in training", "answers")
    commands = "".join(
        f"    dnc research protocol {cell.model} --data {cell.data} --test {cell.test} --whole\n"
        for cell in own
    )
    return (
        "## Trained on one dataset, asked another (Patel et al., in the text)\n\n"
        f"{commands}\nOne seed, bare decoder, from scratch. The paper states 82 and 73 % for its own model.\n\n"
        + tables.markdown(header, lines)
    )


def augmented(cells: Cells) -> str:
    """Return the section of SVAMP in the training part, by its folds."""
    own = [cell for cell in cells if cell.data == cell.test and cell.test.startswith("svamp-fold")]
    if not own:
        return ""
    right, rows = (sum(getattr(cell.cell, name) for cell in own) for name in ("right", "rows"))
    lines = [
        [cell.test, str(cell.training.rows), str(cell.cell.rows), tables.percent(cell.accuracy)]
        for cell in own
    ]
    share = f"{tables.percent(right / rows)} {tables.interval(intervals.wilson(right, rows))}"
    lines.append([f"{len(own)} folds", "", str(rows), share])
    first = own[0]
    return (
        "## SVAMP in the training part (Patel et al., section 6.1)\n\n"
        f"    dnc research protocol {first.model} --data svamp --folds {len(own)} "
        f"--set epochs={first.settings['epochs']}\n\n"
        "One seed, bare decoder, from scratch. The paper states about 65 % for its best model over RoBERTa.\n\n"
        + tables.markdown(("fold", "training problems", "test problems", "answers"), lines)
    )


def searched(stages: Sequence[searching.Stage]) -> str:
    """Return the section of GTS over a pretrained encoder under search."""
    if not stages:
        return ""
    ordered = sorted(stages, key=lambda one: (one.search, one.name != "trained"))
    first = ordered[0].result
    folds = ", ".join(sorted({one.result.test for one in stages}))
    published = ", ".join(f"{name} {share}" for name, share in _KUMAR_BERT.items())
    return (
        "## Adversarial rewording over a pretrained encoder (Kumar et al., table 3, BERT)\n\n"
        "    dnc research protocol gts --data asdiv_a --folds 1 --settings search,retrain "
        "--search reordering,paraphrase \\\n"
        f"        --encoder minilm --set encoder_lr={first.settings['encoder_lr']:g} "
        f"--set epochs={first.settings['epochs']}\n\n"
        f"GTS over MiniLM, which stays as it came, on {folds}; one seed. The published figures are of GTS over BERT, "
        f"trained again on what was found: {published}. Ours come from rules with a certificate, so that the fall is "
        "no goal.\n\n" + searching.table(ordered)
    )


def contrast(cells: Cells) -> str:
    """Return the section of a passage reader on originals and members, with and without augmentation."""
    own = [cell for cell in cells if cell.tested.dataset == "drop_num"]
    if not own:
        return ""
    tests = list(dict.fromkeys(cell.test for cell in own))
    taus = sorted({cell.training.tau for cell in own})
    seeds = sorted({cell.seed for cell in own})
    first = own[0]
    lines = []
    for test in tests:
        at = [next(c for c in own if c.test == test)]
        name = at[0].tested.recipe or "originals"
        changed = str(sum(one.perturbed for one in at[0].outcomes.values())) if at[0].tested.recipe else ""
        lines.append([name, str(at[0].cell.rows), changed])
        for tau in taus:
            some = [_on_changed(c) for c in own if c.test == test and c.training.tau == tau]
            lines[-1].append(_spread(some))
    header = (
        "rows",
        "all",
        "changed",
        *(f"tau {tau:g}" if tau else "no members in training" for tau in taus),
    )
    options = " ".join(
        f"--set {name}={first.settings[name]}" for name in ("length", "hidden", "embedding", "epochs")
    )
    recipes = ",".join(one for test in tests if (one := next(c for c in own if c.test == test).tested.recipe))
    shares = ",".join(f"{tau:g}" for tau in taus if tau)
    mixed = [cell for cell in own if cell.training.tau]
    chosen = [
        max((c for c in mixed if c.seed == seed), key=lambda c: c.training.validation_accuracy).training.tau
        for seed in seeds
    ]
    published = "; ".join(f"{name} {first} and {second}" for name, (first, second) in _TASE.items())
    return (
        "## Contrast sets and augmentation (Geva et al., tables 6 to 8, figures 3 to 5)\n\n"
        "    dnc research protocol discrete --data drop_num --from drop_num=DIR --settings attack,augment \\\n"
        f"        --perturbations {recipes} --tau {shares} --cross --seeds {len(seeds)} \\\n        {options}\n\n"
        "DIR holds the stand-in of DROP-num. The discrete reader, from scratch, takes the place of TASE, whose weights "
        f"are not available: mean and standard deviation over {len(seeds)} seeds, answers in percent, of the rows that "
        "a perturbation changed. Validation problems, clean and changed, choose tau: "
        + ", ".join(f"{tau:g} (seed {seed})" for seed, tau in zip(seeds, chosen, strict=True))
        + ". Of the questions of append_bool half are answered by yes, so that half is chance; without members in "
        f"training the reader never answers yes or no. F1 on originals and members of DROP: {published}.\n\n"
        + tables.markdown(header, lines)
    )


def _on_changed(cell: Result) -> float:
    """Return the share of right answers on the changed rows of a perturbation, or all rows of an original."""
    rows = [one.right for one in cell.outcomes.values() if one.perturbed or not cell.tested.recipe]
    return sum(rows) / max(len(rows), 1)


def _spread(shares: Sequence[float]) -> str:
    if not shares:
        return ""
    spread = f" ± {100 * stdev(shares):.1f}" if len(shares) > 1 else ""
    return f"{tables.percent(mean(shares))}{spread}"


def decompositions(path: Path) -> str:
    """Return the section of the rules and the small models that write steps, and questions of steps."""
    stated = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rules, pairs = stated.get("steps by rules", {}), stated.get("pairs", {})
    if not rules:
        return ""
    kinds = [name for name in next(iter(rules.values())) if name not in _MEASURES]
    lines = [
        [
            name,
            f"{found['rows']}",
            f"{found['sari']:.3f}",
            *(tables.percent(found[what]) for what in ("exact", "operators", "last operator")),
            *(f"{found[kind]}" for kind in kinds),
        ]
        for name, found in rules.items()
    ]
    header = ("questions of", "rows", "SARI", "exact", "all operators", "last operator", *kinds)
    text = (
        "## Steps and questions (Geva et al., section 3)\n\n"
        "    dnc research qdmr break_qdmr --evaluate\n"
        "    dnc research qdmr break_qdmr --split train --pairs pairs.jsonl\n\n"
        "The rules' steps beside Break's, on the half of its development part that no rule was written on, and the "
        "errors by kind (the paper's parser, BART-large trained on Break's training part: SARI .773).\n\n"
        + tables.markdown(header, lines)
    )
    if pairs:
        added = ", ".join(f"{name} {count}" for name, count in pairs["added"].items())
        text += (
            f"\nPairs that train a generator of questions: {pairs['source']} of the source, and "
            f"{sum(pairs['added'].values())} that the surface rules add ({added}; the paper adds 4,315 to Break's "
            "training part, which is not in the mirror).\n"
        )
    for direction, what in _DIRECTIONS.items():
        if found := stated.get(direction):
            text += (
                f"\n    dnc research finetune hf:flan-t5-small-titles --data break_qdmr --direction {direction} "
                f"--set epochs={found['epochs']}\n\n"
                f"A flan-T5-small derivative that writes {what}, {found['training_rows']} training pairs, on "
                f"{found['rows']:.0f} test pairs: exact match {tables.percent(found['exact_match'])}, SARI "
                f"{found['sari']:.3f}.\n"
            )
    return text


_MEASURES = ("rows", "sari", "exact", "operators", "last operator")
_DIRECTIONS = {
    "decomposition-to-question": "questions of steps",
    "question-to-decomposition": "steps of questions",
}


def conversations(cells: Cells) -> str:
    """Return the section of RGNet with its pointer-generator, and of the sequence reader with graphs."""
    own = [cell for cell in cells if cell.data == cell.test == "noahqa_en"]
    if not own:
        return ""
    own.sort(key=lambda cell: (cell.model != "rgnet", _label(cell) != "RGNet", _label(cell)))
    lines = [[_label(cell), _answers(cell), *_graph(cell.cell.measures, "")] for cell in own]
    base = own[0].cell.measures
    names = dict.fromkeys(key.partition(":")[0] for key in base if key.endswith(": GEM"))
    lines += [[name, "", *_graph(base, f"{name}: ")] for name in names]
    header = ("system", "answers", "GEM", "DAGsim", "edge F1")
    return (
        "## RGNet with its pointer-generator (Zhang et al., tables 4 and 5)\n\n"
        "    python -m dnc_datasets.corpus.drawn_conversations DIR --count 200\n"
        "    dnc research protocol rgnet --data noahqa_en --from noahqa_en=DIR \\\n"
        "        --set encoder=minilm --set encoder_layers=2 --set frozen_layers=2 --set length=320 --set epochs=6 \\\n"
        "        --set batch=8 --set hidden=64 --set dropout=0.1 --set lr=0.001 --set probes=yes \\\n"
        "        --vary direction=symmetric --vary graph_layers=0\n"
        "    dnc research protocol sequence --data noahqa_en --from noahqa_en=DIR --set length=320 --set epochs=8 \\\n"
        "        --set hidden=64 --set embedding=64 --set lr=0.002 --set graph=yes --vary graph=no --vary copy=no\n\n"
        f"{own[0].training.rows} training turns, {own[0].cell.rows} test turns of other templates, one seed; answers "
        "with intervals over turns. The sequence reader writes the graph as text after the answer.\n\n"
        + tables.markdown(header, lines)
        + _not_above(own)
        + _paired(own)
    )


def _label(cell: Result) -> str:
    settings = cell.settings
    if cell.model == "rgnet":
        forms = ["symmetric (published)"] * (settings["direction"] == "symmetric")
        forms += ["no graph convolution"] * (settings["graph_layers"] == 0)
        return ", ".join(["RGNet", *forms])
    forms = ["no copying"] * (not settings["copy"]) + ["graph as text"] * bool(settings.get("graph"))
    return ", ".join(["sequence", *forms])


def _answers(cell: Result) -> str:
    return f"{tables.percent(cell.accuracy)} {tables.interval(intervals.wilson(cell.cell.right, cell.cell.rows))}"


def _graph(measures: Mapping[str, float], prefix: str) -> list[str]:
    return [tables.percent(measures.get(f"{prefix}{name}")) for name in ("GEM", "DAGsim", "edge F1")]


def _paired(own: Cells) -> str:
    """Return the differences of the first system to the others on the same turns, with the exact test."""
    first = own[0]
    parts = []
    for other in own[1:]:
        rows = sorted(first.outcomes.keys() & other.outcomes.keys())
        won = sum(first.outcomes[row].right and not other.outcomes[row].right for row in rows)
        lost = sum(other.outcomes[row].right and not first.outcomes[row].right for row in rows)
        low, high = intervals.paired_difference(won, lost, len(rows))
        parts.append(
            f"{_label(other)} {100 * (won - lost) / len(rows):+.1f} {tables.interval((low, high))}, "
            f"p {_p(intervals.mcnemar(won, lost))}"
        )
    if not parts:
        return ""
    return (
        f"\nAnswers of {_label(first)} less those of each other system on the same turns, with McNemar's exact test "
        f"(`dnc compare RESULTS`; the paper has a t-test; turns of one conversation are counted as if they were "
        f"independent): {'; '.join(parts)}.\n"
    )


def _p(value: float) -> str:
    """Format a p-value: 0.0001 -> < 0.001"""
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _not_above(own: Cells) -> str:
    """Return the systems whose graphs are not above the best baseline."""
    base = own[0].cell.measures
    known = {key.partition(":")[0]: share for key, share in base.items() if key.endswith(": GEM")}
    if not known:
        return ""
    name = max(known, key=lambda one: known[one])
    below = [_label(one) for one in own if one.cell.measures.get("GEM", 1.0) <= known[name]]
    return (
        f"\nBy GEM not above {name} ({tables.percent(known[name])}): {'; '.join(below)}.\n" if below else ""
    )


def other_data(cells: Cells) -> str:
    """Return the section of models of other data on the drawn conversations."""
    own = [
        cell
        for cell in cells
        if cell.test == "noahqa_en" and cell.model in _TABLE_8 and not cell.training.tau
    ]
    if not own:
        return ""
    lines = [
        [cell.model, cell.data, _answers(cell), *map(str, _TABLE_8[cell.model])]
        for cell in own
        if cell.seed == 0
    ]
    header = ("system", "trained on", "answers", "published system", "published, NOAHQA test")
    return (
        "## Models of other data on conversations (Zhang et al., table 8)\n\n"
        "    dnc research protocol discrete --data drop_num --test noahqa_en --from drop_num=DIR "
        "--from noahqa_en=CONVERSATIONS\n"
        "    dnc research protocol gts --data mawps --test noahqa_en --from noahqa_en=CONVERSATIONS\n\n"
        f"{own[0].cell.rows} turns of the drawn conversations; the reader and its settings are those of the section on "
        "contrast sets. Conversations, systems and training data are others than the paper's: what may be compared is "
        "that neither transfers.\n\n" + tables.markdown(header, lines)
    )
