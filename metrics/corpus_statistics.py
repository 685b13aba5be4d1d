"""Statistics of a dataset that the papers report: templates, operators, lexical diversity; conversations."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.problem import Problem
from dnc_metrics import answers
from dnc_metrics.errors import MetricError, check_lengths
from dnc_metrics.extraction.equation_text import read

_ORDER = 4  # the longest n-gram of BLEU


class Baseline(NamedTuple):
    """A constant baseline: its output, its hits and their share."""

    output: str
    hits: int
    share: Fraction


def template(equation: str) -> str:
    """Return an equation's prefix form with every number and slot masked; the input is infix or prefix.

    >>> template("(3 + 4) * 2"), template("* number0 7")
    ('* + number number number', '* number number')
    """
    masked = _tree(equation).replace(lambda leaf: expression.Name(_MASK))
    return masked.prefix()


def templates(equations: Iterable[str]) -> Counter[str]:
    """Count the occurrences of each template."""
    return Counter(map(template, equations))


def majority_baseline(equations: Iterable[str]) -> Baseline:
    """Return the commonest equation, up to spaces, and its share: SVAMP's majority template.

    It is not executed, so an equation that gives the answer in another way is no hit.

    >>> majority_baseline(["+ number0 number1", "- number0 number1", "+ number0  number1"])
    Baseline(output='+ number0 number1', hits=2, share=Fraction(2, 3))
    """
    return _commonest(" ".join(equation.split()) for equation in equations)


def constant_baseline(golds: Sequence[str], groups: Sequence[str] | None = None) -> dict[str, Baseline]:
    """Return the score of the best constant answer of each group, such as a perturbation; "" without groups.

    Numbers are compared by value ("3" and "3.0" are equal), texts in lower case.
    """
    if groups is not None:
        check_lengths(golds=golds, groups=groups)
    members: dict[str, list[str]] = defaultdict(list)
    for index, gold in enumerate(golds):
        value = answers.gold_value(gold)
        name = expression.canonical(value) if value is not None else gold.strip().lower()
        members[groups[index] if groups is not None else ""].append(name)
    return {group: _commonest(names) for group, names in members.items()}


def average_operators(equations: Iterable[str]) -> Fraction:
    """Return the mean number of operators in an equation."""
    counts = [len(_tree(equation).operators) for equation in equations]
    if not counts:
        raise MetricError("no equations; give at least one")
    return Fraction(sum(counts), len(counts))


def lexicon_diversity(texts: Sequence[Sequence[str]], kinds: Sequence[str] | None = None) -> float:
    """Return corpus lexicon diversity (CLD), the mean over texts i of LD(i).

    LD(i) = 1 - max over j of (BLEU(i, j) + BLEU(j, i)) / 2, with j any other text, or any other of the same
    kind. Texts are lists of tokens, with numbers masked. BLEU is of order 4 with uniform weights and brevity
    penalty, without smoothing: two texts without a common 4-gram have 0. The papers do not state their
    smoothing and preprocessing, so only the order of their figures (SVAMP .22, MAWPS .26, ASDiv-A .50) is
    comparable.
    """
    if kinds is not None:
        check_lengths(texts=texts, kinds=kinds)
    if not texts:
        raise MetricError("no texts; give at least one")
    grams = [_ngrams(tuple(text)) for text in texts]
    # Only texts that share a longest n-gram can score above 0.
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, counts in enumerate(grams):
        for gram in counts[_ORDER - 1]:
            holders[gram].append(index)
    total = 0.0
    for i, counts in enumerate(grams):
        others = {j for gram in counts[_ORDER - 1] for j in holders[gram]} - {i}
        if kinds is not None:
            others = {j for j in others if kinds[j] == kinds[i]}
        total += 1 - max(
            (_overlap(counts, grams[j], len(texts[i]), len(texts[j])) for j in others), default=0.0
        )
    return total / len(texts)


def _tree(equation: str) -> expression.Expr:
    found = read(equation.strip())
    if found is None or found.expr is None:
        raise MetricError(f"the equation {equation!r:.60} cannot be read; write it infix or prefix")
    return found.expr


def _commonest(outputs: Iterable[str]) -> Baseline:
    counts = Counter(outputs)
    if not counts:
        raise MetricError("nothing to count; give at least one")
    # Ties are broken alphabetically.
    output, hits = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return Baseline(output, hits, Fraction(hits, counts.total()))


def _ngrams(tokens: tuple[str, ...]) -> list[Counter[tuple[str, ...]]]:
    return [
        Counter(tokens[start : start + size] for start in range(len(tokens) - size + 1))
        for size in range(1, _ORDER + 1)
    ]


def _overlap(
    a: Sequence[Mapping[tuple[str, ...], int]],
    b: Sequence[Mapping[tuple[str, ...], int]],
    length_a: int,
    length_b: int,
) -> float:
    """Return the mean of BLEU in both directions; both have the same common n-grams."""
    forward = backward = 0.0
    for size, (mine, theirs) in enumerate(zip(a, b, strict=True), start=1):
        shared = sum(min(count, theirs[gram]) for gram, count in mine.items() if gram in theirs)
        if not shared:
            return 0.0
        forward += math.log(shared / (length_a - size + 1))
        backward += math.log(shared / (length_b - size + 1))
    # the brevity penalty
    forward += _ORDER * min(0.0, 1 - length_b / length_a)
    backward += _ORDER * min(0.0, 1 - length_a / length_b)
    return (math.exp(forward / _ORDER) + math.exp(backward / _ORDER)) / 2


_WORD = re.compile(r"[a-z]+|[^\sa-z]")
_CHINESE = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")
_MASK = "number"
Splits = Mapping[str, Sequence[Problem]]


def tokens(text: str, *, masked: bool = False) -> list[str]:
    """Return the lower-case words and marks of a text, or its Chinese characters; `masked` replaces numbers.

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
    """Return problems, equation templates, mean operators, numbers and words, and lexicon diversity."""
    equations = [problem.equation for problem in problems if problem.equation]
    texts = [tokens(problem.text, masked=True) for problem in problems]
    found = {"problems": str(len(problems)), "with an equation": str(len(equations))}
    try:
        found["equation templates"] = str(len(templates(equations)))
        found["operators per equation"] = f"{float(average_operators(equations)):.2f}"
    except MetricError:
        pass  # no equation at all, or none that can be read
    found["numbers per problem"] = f"{_mean([len(problem.quantities()) for problem in problems]):.2f}"
    found["words per problem"] = f"{_mean([len(text) for text in texts]):.2f}"
    found["lexicon diversity"] = f"{lexicon_diversity(texts):.2f}"
    return found


def kinds(problems: Sequence[Problem], note: str) -> list[tuple[str, int]]:
    """Count the problems with each label of a note such as `variation`; labels are joined by +."""
    # A repeated label on a problem counts once.
    counts = Counter(label for problem in problems for label in set(problem.note(note).split("+")) if label)
    return sorted(counts.items())


def conversations(splits: Splits) -> tuple[list[str], list[list[str]]]:
    """Return NOAHQA's table 2: conversations, and mean and maximum of their parts, by split and for all."""
    everything = {**splits, "all": [problem for part in splits.values() for problem in part]}
    lines = []
    for name, count in _COUNTED.items():
        lines.append([name, *(_mean_and_most(list(count(problems))) for problems in everything.values())])
    first = ["conversations", *(str(len(_by_conversation(problems))) for problems in everything.values())]
    return ["", *everything], [first, *lines]


_ARITHMETIC = "arithmetic"


def answer_types(splits: Splits) -> list[tuple[str, int, float]]:
    """Return NOAHQA's table 3: (type, questions, share) of the answers, arithmetic by external knowledge.

    External knowledge is the number pi, if the conversation does not state it.
    """
    problems = [problem for part in splits.values() for problem in part]
    counts = Counter(problem.note("type") or problem.answer_type for problem in problems)
    found = Counter(
        "with" if problem.note("knowledge") == "external" else "without"
        for problem in problems
        if problem.note("type") == _ARITHMETIC
    )
    lines: list[tuple[str, int]] = []
    for name, count in counts.most_common():
        lines.append((name, count))
        if name == _ARITHMETIC:
            lines += [(f"{name}, {how} external knowledge", found[how]) for how in ("without", "with")]
    return [(name, count, count / counts.total()) for name, count in lines]


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
