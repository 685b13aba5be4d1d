"""Conversations drawn from our own templates, in NOAHQA's form: exact answers, exact graphs, split by template.

A template (`conversations/en.txt`, `zh.txt`) begins with `# name`. Then come its words (`who Ann|Lena`) and numbers
(`a 20..60`, or `b a-5..9`: less than a by so much), the passage (`P ...`), and the turns: `N question = equation`,
`C` the same for a counterfactual, `Y question : comparison`, `W question : comparison ? yes : no`, `X question :
answer`, `U` where the passage does not say, `S` where nobody can. After `@` is the evidence, p1 a segment,
q1 a turn; `<a1>` is the answer of turn 1.

    python -m dnc_datasets.corpus.drawn_conversations DIR --count 1000
    dnc research train rgnet --data noahqa_en --from noahqa_en=DIR
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.owned_folder import OwnedFolder

_FOLDER = Path(__file__).parent / "conversations"
LANGUAGES = {"en": "", "zh": "_cn"}
# Of every five templates three are drawn for training, one for validation, one for testing.
_SPLITS = ("train", "train", "train", "valid", "test")
_TYPES = {"N": [3, 0], "C": [4, 0], "Y": [1, 0], "W": [2, 0], "X": [6, 0], "U": [6, 1], "S": [5, 0]}
_CLOSED = {"en": ("yes", "no", "unsure"), "zh": ("是", "不是", "不确定")}
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_LESS = re.compile(r"([a-z])-(\d+)\.\.(\d+)")
_COMPARISON = re.compile(r"(>=|>)")
_REFERENCE = re.compile(r"<a(\d+)>")
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass
class Template:
    """A conversation with open numbers and names."""

    name: str
    choices: dict[str, str] = field(default_factory=dict)
    passage: list[str] = field(default_factory=list)
    turns: list[tuple[str, str]] = field(default_factory=list)


def templates(language: str) -> list[Template]:
    """Every template of a language, in the order of its file."""
    if language not in LANGUAGES:
        raise DncError(f"there are templates in {', '.join(LANGUAGES)}, not in {language!r}")
    made: list[Template] = []
    for line in (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "#":
            made.append(Template(rest))
        elif mark == "P":
            made[-1].passage.append(rest)
        elif mark in _TYPES:
            made[-1].turns.append((mark, rest))
        elif line:
            made[-1].choices[mark] = rest
    return made


def draw(template: Template, number: int, language: str = "en", seed: int = 0) -> dict[str, Any]:
    """One conversation of a template, a pure function of its arguments."""
    drawn = Draw(seed, f"conversations_{language}", f"{template.name}-{number}", "draw")
    words = _words(template, drawn)
    name = f"{language}-{template.name}-{number}"
    record: dict[str, Any] = {
        "passage": [[at, _filled(text, words)] for at, text in enumerate(template.passage, 1)],
        "qa_pairs": [],
    }
    values: list[Fraction | None] = []
    for at, (kind, text) in enumerate(template.turns, 1):
        stated, _, evidence = text.rpartition(" @ ")
        pair = {"query_id": f"{name}-{at}", "answer_type": _TYPES[kind], "evidence": _codes(evidence)}
        values.append(_answer(pair, kind, _filled(stated, words), values, language))
        record["qa_pairs"].append(pair)
    return record


def _words(template: Template, drawn: Draw) -> dict[str, str]:
    words: dict[str, str] = {}
    for name, choice in template.choices.items():
        if match := _RANGE.fullmatch(choice):
            words[name] = str(drawn.integer(int(match[1]), int(match[2])))
        elif match := _LESS.fullmatch(choice):
            words[name] = str(int(words[match[1]]) - drawn.integer(int(match[2]), int(match[3])))
        else:
            names = choice.split("|")
            words[name] = names[drawn.integer(0, len(names) - 1)]
    return words


def _filled(text: str, words: dict[str, str]) -> str:
    return _FIELD.sub(lambda match: words[match[1]], text)


def _codes(evidence: str) -> list[float | int]:
    """NOAHQA's codes: 0.1 for the first segment, 1 for the first turn."""
    return [int(node[1:]) if node[0] == "q" else int(node[1:]) / 10 for node in evidence.split()]


def _answer(
    pair: dict[str, Any], kind: str, stated: str, values: Sequence[Fraction | None], language: str
) -> Fraction | None:
    """Write question and answer of a turn; returns its value where it has one."""
    yes, no, unsure = _CLOSED[language]
    if kind in "NC":
        question, _, equation = stated.partition(" = ")
        value = _value(equation, values)
        pair |= {"question": question, "answer": expression.canonical(value), "answer_temp": equation}
        pair["ans"] = expression.canonical(value)
        return value
    question, _, rest = stated.partition(" : ")
    if kind == "Y":
        pair |= {"question": question, "answer": yes if _holds(rest, values) else no}
    elif kind == "W":
        condition, _, answers = rest.partition(" ? ")
        first, _, second = answers.partition(" : ")
        pair |= {"question": question, "answer": first if _holds(condition, values) else second}
    else:
        pair |= {"question": question, "answer": {"X": rest, "U": "unknown", "S": unsure}[kind]}
    return None


def _value(equation: str, values: Sequence[Fraction | None]) -> Fraction:
    def earlier(match: re.Match[str]) -> str:
        value = values[int(match[1]) - 1]
        assert value is not None, f"{equation}: turn {match[1]} is no number"
        return f"({value})"

    return expression.parse(_REFERENCE.sub(earlier, equation)).value()


def _holds(condition: str, values: Sequence[Fraction | None]) -> bool:
    # The arrow of a reference is no comparison: references are filled in first.
    bare = _REFERENCE.sub(lambda match: f"@{match[1]}@", condition)
    left, sign, right = (part.strip() for part in _COMPARISON.split(bare, maxsplit=1))
    one, two = (_value(re.sub(r"@(\d+)@", r"<a\1>", side), values) for side in (left, right))
    return one >= two if sign == ">=" else one > two


def splits(language: str, count: int, seed: int = 0) -> dict[str, dict[str, Any]]:
    """About `count` conversations by split, as many of each template; no template is in two splits."""
    every = templates(language)
    each = max(count // len(every), 1)
    made: dict[str, dict[str, Any]] = {"train": {}, "valid": {}, "test": {}}
    for at, template in enumerate(every):
        part = made[_SPLITS[at % len(_SPLITS)]]
        for number in range(each):
            part[f"{language}-{template.name}-{number}"] = draw(template, number, language, seed)
    return made


def write(folder: Path, parts: dict[str, dict[str, Any]], suffix: str = "") -> None:
    """Write train, valid and test as NOAHQA names its files."""
    names = [f"{name}{suffix}.json" for name in parts]
    with OwnedFolder(folder, "drawn_conversations", names=names) as owned:
        for name, records in zip(names, parts.values(), strict=True):
            owned.write_text(name, json.dumps(records, ensure_ascii=False, indent=1) + "\n")


def main() -> None:
    """Write conversations of both languages to a folder."""
    parser = argparse.ArgumentParser(description="draw conversations from templates, in NOAHQA's form")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1000, help="conversations per language (default 1000)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for language, suffix in LANGUAGES.items():
        write(arguments.folder, splits(language, arguments.count, arguments.seed), suffix)


if __name__ == "__main__":
    main()
