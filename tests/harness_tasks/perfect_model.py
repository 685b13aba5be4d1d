"""A model that knows every answer, and writes it in every way in which people and models write answers.

    python tests/harness_tasks/perfect_model.py [DATASET ...] [--rows N] [--from DATASET=DIR ...]

scores it on every row (or on N of each split) of every config of the datasets that are at hand: the embedded
ones, and others where $DNC_MIRROR or `--from` has their files, or a stand-in with real text lies beside the
mirror. It prints a line per config, and fails unless the model is right everywhere.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets import numerals, sources
from dnc_datasets.commands import add_from, given_folders
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, rows
from dnc_harness import data
from dnc_metrics import answers, replies

Doc = Mapping[str, Any]
_DIGITS = "零一二三四五六七八九"


class Way(NamedTuple):
    """A way of writing: its name, whether it marks the answer or leaves it alone, and the reply it makes."""

    name: str
    marks: bool
    write: Callable[[str], str]


_STEPS = "First I add 3 and 4, which gives 7. Then there are 12 bags, so 12 * 7 = 84."
# What may stand around a number, however the number itself is written.
FRAMES = (
    Way("alone", True, lambda shown: shown),
    Way("a sentence", False, lambda shown: f"In the end there would be {shown}."),
    Way("the answer is", True, lambda shown: f"The answer is {shown}."),
    Way("chain of thought", True, lambda shown: f"{_STEPS}\n\nSo the final answer is {shown}."),
    Way("hash", True, lambda shown: f"{_STEPS}\n#### {shown}"),
    Way("bold", True, lambda shown: f"{_STEPS}\n\n**Answer: {shown}**"),
    Way("corrected", True, lambda shown: f"The answer is 7. Wait, that is wrong. The answer is {shown}."),
    Way(
        "runs on",
        True,
        lambda shown: f"The answer is {shown}.\n\nQuestion: Tom has 8 pens.\nThe answer is 8.",
    ),
    Way("think", True, lambda shown: f"<think>{_STEPS} The answer is 84.</think>\n\nThe answer is {shown}."),
    Way("think, alone", True, lambda shown: f"<thinking>\n{_STEPS} The answer is 84.\n</thinking>\n{shown}"),
    Way("think, unopened", True, lambda shown: f"{_STEPS} The answer is 84.\n</think>\n\n{shown}"),
    Way(
        "channels",
        True,
        lambda shown: (
            f"<|channel|>analysis<|message|>{_STEPS} The answer is 84.<|end|><|start|>assistant"
            f"<|channel|>final<|message|>The answer is {shown}.<|return|>"
        ),
    ),
    Way("json", True, lambda shown: json.dumps({"steps": [_STEPS], "answer": shown})),
    Way("boxed", True, lambda shown: f"{_STEPS} Therefore $\\boxed{{{shown}}}$."),
    Way("tag", True, lambda shown: f"{_STEPS}\n<answer>{shown}</answer>"),
)
CHINESE_FRAMES = (
    Way("答案是", True, lambda shown: f"先算 3+4=7。\n答案是{shown}。"),
    Way("答", True, lambda shown: f"3×4=12（个）\n答：{shown}"),
)


def spellings(value: Fraction, doc: Doc) -> Iterator[tuple[str, str]]:
    """Names and texts of the ways of writing a number alone."""
    unit = doc["unit"] or "apples"
    whole = value.denominator == 1
    yield "fraction", f"{value.numerator}/{value.denominator}"
    two, four = (str(value),) * 2 if whole else (_decimals(value, 2), _decimals(value, 4))
    yield "decimals", four if not whole else f"{value}.0"
    yield "two decimals", two if not whole else f"{value}.00"
    yield "unit", f"{two} {unit}"
    yield "currency", f"-${two[1:]}" if two.startswith("-") else f"${two}"
    head, dot, tail = two.partition(".")
    yield "thousands", f"{int(head):,}{dot}{tail}" if head != "-0" else two
    yield "latex", f"\\frac{{{value.numerator}}}{{{value.denominator}}}" if value >= 0 else two
    if replies.asks_percentage(doc):
        yield "percent", f"{two}%"
    words = _words(value)
    if words:
        yield "words", words
    if doc["language"] == "zh":
        yield "中文", _chinese(value)


def written(doc: Doc) -> Iterator[tuple[str, bool, str]]:
    """The name, whether it marks the answer, and the reply of every way of writing the row's answer."""
    gold = doc["answer"]
    if doc["answer_type"] == replies.CONSTRAINT:  # no answer, but what must hold of it: "boolean", ">= 12"
        gold = {"boolean": "yes", "numeric": "7"}.get(gold, gold.partition(" ")[2])
    in_words = doc["answer_type"] in ("unanswerable", replies.SEVERAL)
    value = None if in_words else answers.gold_value(gold)
    frames = FRAMES + (CHINESE_FRAMES if doc["language"] == "zh" else ())
    if value is None:
        for frame in frames:
            if frame.marks and frame.name != "bold":
                yield f"text, {frame.name}", True, frame.write(gold)
        return
    for name, shown in spellings(value, doc):
        for frame in frames:
            yield f"{name}, {frame.name}", frame.marks, frame.write(shown)


# All that a score depends on: rows that agree in it are scored once where `failures` is given a memory.
_SCORED = ("question", "equation", "answer", "answers", "unit", "answer_type", "rounding", "language")
Memory = dict[tuple[str, ...], int]


def failures(docs: Iterable[Doc], memory: Memory | None = None) -> tuple[Counter[str], int, list[str]]:
    """Ways of writing that lost a point, the number of replies, and examples.

    A row that was scored before, by what is in `memory`, and lost nothing is only counted.
    """
    lost: Counter[str] = Counter()
    examples: list[str] = []
    count = 0
    known = {} if memory is None else memory
    for doc in docs:
        key = tuple(str(doc[name]) for name in _SCORED)
        if key in known:
            count += known[key]
            continue
        before, lost_before = count, sum(lost.values())
        for name, marks, reply in written(doc):
            count += 1
            reading = replies.score(doc, reply)
            if not reading.lenient or (marks and not reading.strict):
                lost[name] += 1
                if lost[name] == 1:
                    examples.append(f"{doc['id']} {name}: {reply!r} for {doc['answer']!r} read {reading}")
        if memory is not None and sum(lost.values()) == lost_before:
            known[key] = count - before
    return lost, count, examples


def _decimals(value: Fraction, places: int) -> str:
    """Rounded half away from zero; with more places where the number has no two significant digits by then."""
    while abs(value) * 10**places < Fraction(19, 2) and places < 40:
        places += 1
    scaled = abs(value) * 10**places
    rounded = int(scaled + Fraction(1, 2))
    sign = "-" if value < 0 and rounded else ""
    return f"{sign}{rounded // 10**places}.{rounded % 10**places:0{places}}"


def _words(value: Fraction) -> str:
    if value.denominator != 1 or abs(value) >= 10**15:
        return ""
    return ("minus " if value < 0 else "") + numerals.spell(abs(value))


def _chinese(value: Fraction) -> str:
    sign = "负" if value < 0 else ""
    shown = _decimals(abs(value), 2) if value.denominator != 1 else str(abs(value))
    head, _, part = shown.partition(".")
    spelled = _section(int(head))
    return sign + spelled + ("点" + "".join(_DIGITS[int(digit)] for digit in part) if part else "")


def _section(number: int) -> str:
    for name, size in (("亿", 10**8), ("万", 10**4)):
        if number >= size:
            rest = number % size
            gap = "零" if 0 < rest < size // 10 else ""
            return _section(number // size) + name + gap + (_section(rest) if rest else "")
    text, gap = "", False
    for name, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = number // size % 10
        if digit:
            text += ("零" if gap and text else "") + _DIGITS[digit] + name
        gap = not digit
    return text or "零"


def docs(variant: catalogue.Variant, problems: Mapping[str, list[Any]]) -> list[Doc]:
    """The test rows of a variant as prompts and scores see them."""
    made = variant.rows({"test": problems["test"]})
    return [data._doc(variant, rows.to_record(row, variant)) for row in made["test"]]


# Files of a dataset that no mirror has, by stand-ins of the same format, from the folder beside the mirror.
_TATQA = "microsoft/NumberDiagnosis/b646a7179b4619dadfae009a4e68a562394c8ad9/data/dataset/tatqa-a"
_STAND_INS = {
    "drop_num": {f"{split}set.json": f"drop-num/{split}set.json" for split in ("train", "valid", "test")},
    "drop_num_official": {
        name: f"drop/{name}" for name in ("drop_dataset_train.json", "drop_dataset_dev.json")
    },
    "gsm8k": {name: f"gsm8k/{name}" for name in ("train.jsonl", "test.jsonl")},
    "gsm8k_socratic": {
        f"{split}_socratic.jsonl": "gsm8k_socratic/problems.jsonl" for split in ("train", "test")
    },
    "tatqa_a": {"trainset.json": "tatqa-a/trainset.json"}
    | {f"{split}set.json": f"../mirror/{_TATQA}/{split}set.json" for split in ("valid", "test")},
}
_STAND_INS["tatqa_a_all"] = _STAND_INS["tatqa_a"]
STAND_INS = tuple(_STAND_INS)


def stand_in(name: str, folder: Path, scratch: Path) -> Path | None:
    """A folder with the files of a dataset, linked from the stand-ins; None where one is missing."""
    links = {file: folder / path for file, path in _STAND_INS.get(name, {}).items()}
    if not links or not all(path.is_file() for path in links.values()):
        return None
    made = scratch / name
    made.mkdir()
    for file, path in links.items():
        (made / file).symlink_to(path.resolve())
    return made


def sample(problems: list[Problem], count: int) -> list[Problem]:
    """Rows from the whole split, some that are not whole numbers first: they are the hard ones."""
    hard = [problem for problem in problems if not problem.answer.isdigit() or problem.note("rounding")]
    some = count // 2
    taken = [*hard[:: max(1, len(hard) // max(1, some))][:some], *problems[:: max(1, len(problems) // count)]]
    return list(dict.fromkeys(taken))[:count]


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("datasets", nargs="*", default=sources.names())
    parser.add_argument("--rows", type=int, help="rows of each test split (default: all)")
    add_from(parser)
    arguments = parser.parse_args(words)
    given = given_folders(arguments)
    mirror = os.environ.get("DNC_MIRROR")
    beside = Path(mirror).with_name("standin") if mirror else Path("standin")
    bad = total = configs = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.datasets:
            folder = given.get(name) or stand_in(name, beside, Path(scratch))
            try:
                problems = {
                    fold: catalogue.read(name, fold, folder)["test"]
                    for fold in dict.fromkeys(variant.fold for variant in catalogue.variants(name))
                }
            except DncError as error:
                print(f"{name}: not at hand ({str(error)[:70]}...)")
                continue
            memory: Memory = {}
            for variant in catalogue.variants(name):
                rows_of = problems[variant.fold]
                taken = rows_of if arguments.rows is None else sample(rows_of, arguments.rows)
                found = docs(variant, {"test": taken})
                if not found:
                    continue
                lost, count, examples = failures(found, memory)
                configs, total, bad = configs + 1, total + count, bad + sum(lost.values())
                share = 100 * (1 - sum(lost.values()) / count)
                print(f"{variant.name:<50} {len(found):>6} rows {count:>8} replies {share:6.2f}", flush=True)
                for example in examples[:6]:
                    print("   ", example)
    print(f"{configs} configs, {total} replies, {bad} lost")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
