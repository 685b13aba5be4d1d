"""A challenge set built like SVAMP: variations of seed problems, alone and in combinations."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from dnc_datasets import escaping, expression, filesystem, numerals, owned_folder, perturbations
from dnc_datasets.english.lexicon import is_plural
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.folder_update import updated_folder
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.problem import Problem
from dnc_datasets.serving import rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import MEMBER, Row, perturb
from dnc_datasets.sources.svamp import CATEGORIES

CONFIG = "challenge"
# The figures also identify a folder that we wrote: many other folders have a card named README.md.
_TABLE, _CARD, _FIGURES = "test.parquet", "README.md", "challenge.json"
_MARK = _COMMAND = "dnc challenge"
_NAMES = (_FIGURES, _CARD, CONFIG, f"{CONFIG}/{_TABLE}")
OPERATIONS = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division"}
# Code -> perturbation. `sources.svamp.VARIATIONS` explains the codes.
VARIATIONS = {
    "11": "vary-same_object_different_structure",
    "12": "vary-different_object_same_structure",
    "13": "vary-different_object_different_structure",
    "21": "vary-add_relevant_information",
    "22": "vary-change_information",
    "23": "vary-invert_operation",
    "31": "vary-change_order_of_objects",
    "32": "vary-change_order_of_phrases",
    "33": "vary-add_irrelevant_information",
}
# The combinations that at least five problems of SVAMP show, commonest first.
COMBINATIONS = (
    "11+21 11+33 23+32 13+33 12+33 11+31+33 11+22 11+21+32 12+21 11+23 22+32 11+21+31 31+33 21+32 13+31+33 11+32 "
    "11+32+33 21+23 23+33 22+33 11+22+33 12+31+33 13+21 22+23 32+33"
).split()


def alone(problem: Problem, *, dataset: str, seed: int = 0) -> dict[str, Row]:
    """Map the code of each variation to the row it gives.

    Codes of variations that do not apply are left out.
    """
    rows_by_code = {code: _varied(problem, (code,), dataset, seed) for code in VARIATIONS}
    return {code: row for code, row in rows_by_code.items() if row is not None}


def varied(problem: Problem, *, dataset: str, seed: int = 0) -> Iterator[Row]:
    """Yield every variation of a seed problem, alone and combined, each text once and with its own id.

    A combination is tried in every order of its steps, because some steps apply only after others.
    """
    single = alone(problem, dataset=dataset, seed=seed)
    seen = {problem.text}
    for codes in (*single, *COMBINATIONS):
        parts = tuple(codes.split("+"))
        # Steps that do not apply to the seed problem seldom apply to its variations, so those orders are not tried.
        orders = permutations(parts) if len(parts) > 1 and any(part in single for part in parts) else (parts,)
        for order in orders:
            row = single.get(codes) if len(parts) == 1 else _varied(problem, order, dataset, seed)
            if row is not None and row.problem.text not in seen:
                seen.add(row.problem.text)
                yield _labelled(row, codes)
                break


def _varied(problem: Problem, codes: Sequence[str], dataset: str, seed: int) -> Row | None:
    steps: tuple[Perturbation, ...] = tuple(perturbations.get(VARIATIONS[code]) for code in codes)
    row = perturb(problem, steps, dataset=dataset, seed=seed)
    return row if row.original is not None and _is_what_it_says(problem, row.problem, codes) else None


def _is_what_it_says(before: Problem, after: Problem, codes: Sequence[str]) -> bool:
    """Return whether the equation uses exactly the added information that is labelled relevant.

    Each step may be correct and their combination not, because a later step may change the question.
    """
    new = Counter(after.values()) - Counter(before.values())
    used = Counter(leaf.value() for leaf in expression.parse(after.equation).leaves())
    needed, idle = new & used, new - used
    if "33" in codes:
        return bool(idle) and ("21" not in codes or bool(needed))
    return "21" not in codes or not idle


def template(text: str) -> str:
    """Replace numbers, persons and counted things by tags, as in the variations of SVAMP's authors.

    >>> template("Amy has 3 red pens and 2 cups. Ben took a cup. How many red pens has Amy?")
    '[NAME1] has [NUM1] [OBJp1] and [NUM2] [OBJp2]. [NAME2] took a [OBJs2]. How many [OBJp1] has [NAME1]?'
    """
    tags: dict[str, str] = {}
    spans = [
        (quantity.start, quantity.end, f"[NUM{number}]")
        for number, quantity in enumerate(numerals.find(text), 1)
    ]
    for number, name in enumerate(person.phrase for person in people(text) if person.kind == "name"):
        tags[name] = f"[NAME{number + 1}]"
    things = dict.fromkeys(item.noun for item in counted(text) if item.noun and is_plural(item.noun))
    for number, noun in enumerate(things, 1):
        tags[noun] = f"[OBJp{number}]"
        if noun.endswith("s"):
            tags.setdefault(noun[:-1], f"[OBJs{number}]")
    for words in sorted(tags, key=len, reverse=True):
        for match in re.finditer(rf"\b{re.escape(words)}\b", text):
            if all(match.end() <= start or end <= match.start() for start, end, _ in spans):
                spans.append((match.start(), match.end(), tags[words]))
    for start, end, tag in sorted(spans, reverse=True):
        text = f"{text[:start]}{tag}{text[end:]}"
    return text


def _labelled(row: Row, codes: str) -> Row:
    """Return the row with its own id, its template, and the labels that SVAMP's rows have."""
    categories = "+".join(sorted({CATEGORIES[code[0]] for code in codes.split("+")}))
    notes: Mapping[str, str] = {
        **dict(row.problem.meta),
        "variation": codes,
        "category": categories,
        "template": template(row.problem.text),
    }
    problem = row.problem.replace(id=f"{row.problem.id}{MEMBER}{codes}", meta=tuple(sorted(notes.items())))
    return replace(row, problem=problem)


def operations(problems: Iterable[Problem]) -> dict[str, int]:
    """Count the problems by their last operation, as table 7 of SVAMP counts its seed problems.

    >>> operations([Problem("a", "", "How many?", equation="(8 - 2) / 3", answer="2")])
    {'addition': 0, 'subtraction': 0, 'multiplication': 0, 'division': 1}
    """
    by_sign = Counter(expression.parse(problem.equation).prefix().split()[0] for problem in problems)
    counts = {name: by_sign.pop(sign, 0) for sign, name in OPERATIONS.items()}
    return {**counts, "none": by_sign.total()} if by_sign else counts


def may_write(out: Path) -> Path:
    """Return the folder if a set may be written there: it is new, or holds no file of these names, or a set."""
    return owned_folder.check(out, _COMMAND, _NAMES, _adopts)


def _adopts(out: Path) -> tuple[str, ...]:
    """Name the files of a set that a version without marks wrote: its figures begin with the mark."""
    try:
        with filesystem.open_regular(out / _FIGURES) as file:
            return _NAMES if file.read(100).startswith(f'{{"{_MARK}": '.encode()) else ()
    except OSError:
        return ()


def write(made: Sequence[Row], dataset: str, out: Path) -> None:
    """Write the set as a dataset folder, which `load_dataset(OUT, "challenge", split="test")` reads.

    The rows of one seed problem share their `original_id`.
    """
    with OwnedFolder(out, _COMMAND, names=_NAMES, adopts=_adopts) as folder:
        _write(made, dataset, folder)


def _write(variations: Sequence[Row], dataset: str, out: OwnedFolder) -> None:
    variant = Variant(dataset, "", CONFIG, "attack")
    seeds = {row.original.id: row.original for row in variations if row.original}
    counts = operations(seeds.values())
    figures = {"dataset": dataset, "problems": len(variations), "seeds": len(seeds), "operations": counts}
    out.write_text(_FIGURES, json.dumps({_MARK: figures}) + "\n")
    out.claim(f"{CONFIG}/{_TABLE}")
    with updated_folder(out.path / CONFIG, lambda: [_TABLE]) as folder:
        rows.write([rows.to_record(row, variant) for row in variations], folder / _TABLE)
    card = [
        "---", "configs:", f"- config_name: {CONFIG}", "  data_files:", "  - split: test",
        f"    path: {CONFIG}/{_TABLE}", "---", "", f"# A challenge set of {escaping.markdown(dataset)}", "",
        f"{len(variations)} problems made of {len(seeds)} seed problems by "
        "SVAMP's nine variations, alone and combined; `original_id` names the seed, meta `variation` and `category` "
        "say what was done.", "",
        "| seed problems by the operation done last | |", "|---|---:|",
        *(f"| {name} | {count} |" for name, count in counts.items()),
    ]  # fmt: skip
    out.write_text(_CARD, "\n".join(card) + "\n")
