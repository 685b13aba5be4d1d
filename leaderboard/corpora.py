"""Statistics of a dataset as the papers report them: templates, operators, lexical diversity; conversations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from dnc_datasets import numerals
from dnc_datasets.problem import Problem
from dnc_metrics import corpus
from dnc_metrics.errors import MetricError

_WORD = re.compile(r"[a-z]+|[^\sa-z]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")
_MASK = "number"
Splits = Mapping[str, Sequence[Problem]]


def tokens(text: str, *, masked: bool = False) -> list[str]:
    """The words and marks of a text in small letters, a Chinese character each; `masked`: every number is one word.

    >>> tokens("Amy has 1,200 pens.", masked=True)
    ['amy', 'has', 'number', 'pens', '.']
    """
    if not masked:
        return _CHINESE.findall(text)
    found, last = [], 0
    for quantity in numerals.find(text):
        found += [*_WORD.findall(text[last : quantity.start].lower()), _MASK]
        last = quantity.end
    return found + _WORD.findall(text[last:].lower())


def word_problems(problems: Sequence[Problem]) -> dict[str, str]:
    """Problems, equation templates, mean operators, mean numbers and words, and corpus lexicon diversity."""
    equations = [problem.equation for problem in problems if problem.equation]
    texts = [tokens(problem.text, masked=True) for problem in problems]
    found = {"problems": str(len(problems)), "with an equation": str(len(equations))}
    try:
        found["equation templates"] = str(len(corpus.templates(equations)))
        found["operators per equation"] = f"{float(corpus.average_operators(equations)):.2f}"
    except MetricError:
        pass  # no equation at all, or none that can be read
    found["numbers per problem"] = f"{_mean([len(problem.quantities()) for problem in problems]):.2f}"
    found["words per problem"] = f"{_mean([len(text) for text in texts]):.2f}"
    found["lexicon diversity"] = f"{corpus.lexicon_diversity(texts):.2f}"
    return found


def kinds(problems: Sequence[Problem], note: str) -> list[tuple[str, int]]:
    """How many problems have each label of a note of theirs, such as `variation`; several are joined by +."""
    # A label that stands twice on a problem counts once.
    counts = Counter(label for problem in problems for label in set(problem.note(note).split("+")) if label)
    return sorted(counts.items())


def conversations(splits: Splits) -> tuple[list[str], list[list[str]]]:
    """NOAHQA's table 2: conversations, and the mean and the most of what each has; a column a split, then all."""
    everything = {**splits, "all": [problem for part in splits.values() for problem in part]}
    lines = []
    for name, count in _COUNTED.items():
        lines.append([name, *(_mean_and_most(list(count(problems))) for problems in everything.values())])
    first = ["conversations", *(str(len(_by_conversation(problems))) for problems in everything.values())]
    return ["", *everything], [first, *lines]


def answer_types(splits: Splits) -> list[tuple[str, int, float]]:
    """NOAHQA's table 3: (type, questions, share) of the answers."""
    counts = Counter(
        problem.note("type") or problem.answer_type for part in splits.values() for problem in part
    )
    return [(name, count, count / counts.total()) for name, count in counts.most_common()]


def _by_conversation(problems: Sequence[Problem]) -> dict[str, list[Problem]]:
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        found.setdefault(problem.note("conversation") or problem.id, []).append(problem)
    return found


def _turns(problems: Sequence[Problem]) -> Iterator[int]:
    yield from (len(turns) for turns in _by_conversation(problems).values())


def _segments(problems: Sequence[Problem]) -> Iterator[int]:
    yield from (len(turns[0].segments) for turns in _by_conversation(problems).values())


def _passage(problems: Sequence[Problem]) -> Iterator[int]:
    for turns in _by_conversation(problems).values():
        yield len(tokens(" ".join(turns[0].segments)))


_COUNTED: Mapping[str, Callable[[Sequence[Problem]], Iterator[int]]] = {
    "questions per conversation": _turns,
    "segments per passage": _segments,
    "tokens per passage": _passage,
    "tokens per question": lambda problems: (len(tokens(problem.question)) for problem in problems),
    "tokens per answer": lambda problems: (len(tokens(problem.answer)) for problem in problems),
    "evidence per question": lambda problems: (len(problem.evidence) for problem in problems),
}


def _mean(counts: Sequence[int]) -> float:
    return sum(counts) / len(counts) if counts else 0.0


def _mean_and_most(counts: Sequence[int]) -> str:
    return f"{_mean(counts):.2f} / {max(counts, default=0)}"
