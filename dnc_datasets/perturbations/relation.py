"""Relation: one word that relates two amounts changes, and one leaf or operator of the solution with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import DOUBLE_AND_TRIPLE, SIZED_NAMES, is_plural
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.graph import (
    Graph,
    Leaf,
    Path,
    differences,
    graph_of,
    node_at,
    nodes,
    with_node,
    with_operator,
)
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import recalculated
from dnc_datasets.problem import Problem, splice

PROMISES = (
    "one_relation_changed",
    "relation_gives_answer",
    "nodes_stay_plausible",
    "equation_gives_answer",
    "asked_as_computed",
)
Edits = list[tuple[int, int, str]]
_NOUN = r"(?P<noun>(?: [a-z]+){0,3}?)"
_MORE = re.compile(
    rf"(?P<sign>%?)(?P<unit>(?: (?!times\b|percent\b)[a-z]+)??) (?P<word>more|fewer|less){_NOUN} (?P<than>than)\b"
)
_COMPARED = re.compile(
    r" (?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|inches|inch|feet|foot|meters?|centimeters?|cm|"
    r"pounds?|kg|kilograms?|ounces?|grams?|miles?|kilometers?|points?|degrees?|mph) "
    r"(?P<word>older|younger|taller|shorter|heavier|lighter|faster|slower|longer|higher|lower|later|earlier) than\b"
)
_PRICED = re.compile(r"%?(?: dollars| cents)? (?P<word>cheaper|more expensive) than\b")
_CHANGED = re.compile(
    r"\b(?P<word>increased|decreased|increases|decreases|increase|decrease) by (?:an? )?\$?\Z"
)
_OTHER_CHANGE = re.compile(
    r"\b(?:increas|decreas|reduc|rais|discount|grow|grew|rise|rose|fell|fall|drop|gain|los[est])",
    re.IGNORECASE,
)
_OPPOSITE = {
    "older": "younger", "younger": "older", "taller": "shorter", "heavier": "lighter", "lighter": "heavier",
    "later": "earlier", "earlier": "later", "cheaper": "more expensive", "more expensive": "cheaper",
    "faster": "slower", "slower": "faster", "longer": "shorter", "higher": "lower", "lower": "higher",
}  # fmt: skip
_TIMES = re.compile(rf" (?P<word>times as many){_NOUN} (?P<than>as)\b")
_AS = r"as (?:many|much|old|long|tall|big|heavy|fast|far|expensive|large|wide|high)\b"
_THE = r"(?:the|that|what|his|her|their|its) "
_TWICE = re.compile(rf"\b(?:(?P<word>[Tt]wice|[Hh]alf) {_AS}|(?P<of>[Tt]wice) {_THE})")
_THRICE = re.compile(rf"\b(?P<word>three times) (?:{_AS}|{_THE})")
_DOUBLED = re.compile(
    rf"\b(?P<word>doubled|doubles|doubling|tripled|triples|tripling|(?:double|triple)(?= {_THE}))"
)
_WORDS_FOR = {
    2: re.compile(
        r"\b(?:twice|doubl\w+|half|halves|halved|both|pairs?|couples?|twins?|two|second)\b", re.IGNORECASE
    ),
    3: re.compile(r"\b(?:thrice|tripl\w+|thirds?|three|trio|triangle)\b", re.IGNORECASE),
}
_SUPERLATIVE = re.compile(
    r"\b(?:most|least|fewest|best|worst|(?!(?:rest|rests|test|tests|west|forest|interest|guest|nest|chest|harvest|request|"
    r"quest|invest|arrest|contest|honest|earnest|suggest|digest)\b)[a-z]{2,}est)\b",
    re.IGNORECASE,
)
_CONTRASTED = re.compile(
    r"\b(?:but|only|however|although|though|even|just|already|still|so)\b[^.!?]{0,200}\Z", re.IGNORECASE
)
# The text gives a reason for the direction of a relation.
_REASONED = re.compile(
    r"\b(?:because|due to|since|as a result|therefore|thanks to|so that|(?:some|a few) (?:more|fewer|less))\b|"
    r"\b(?:is|are|was|were|gets?|got|becomes?|became|feels?|felt) (?:much |even |a bit |getting )?"
    r"(?!over\b|under\b|after\b|either\b|together\b|never\b|number\b|her\b)[a-z]{3,}er\b(?! than\b)",
    re.IGNORECASE,
)
# A price that a person can or cannot pay.
_AFFORDED = re.compile(r"\b(?:afford\w*|budget\w*|too (?:expensive|much|many|few|long))\b", re.IGNORECASE)
_AS_LARGE = re.compile(
    rf"\b{_AS} as\b|\b[Hh]ow (?:big|small|large|tall|short)\b|\binches tall\b|\bfeet tall\b"
)
_SCORED = re.compile(r"\b(?:tests?|exams?|quiz|quizzes|grades?|percentage|percent)\b|%", re.IGNORECASE)
_HOURS, _DAY = re.compile(r"\bhours\b", re.IGNORECASE), re.compile(r"\bday\b", re.IGNORECASE)
_FULL_SCORE = 100
_WAKING_HOURS = 16
# An age gives a year by a difference, whose sign another relation may reverse. "When she is 14" may then be past.
_AT_A_TIME = re.compile(
    r"\b(?:was|were|is|are) born\b|\bwhat year\b|\bin how many (?:years|months|weeks|days)\b|"
    r"\bwhen (?:he|she|[A-Z][a-z]+) (?:is|turns|will be|becomes|reaches)\b",
    re.IGNORECASE,
)
# A mother is always older than her child.
_AGE = re.compile(r"\b(?:old|older|younger|age|ages|aged)\b", re.IGNORECASE)
_FAMILY = re.compile(
    r"\b(?:grand[a-z]+|parents?|mothers?|moms?|mum|fathers?|dads?|sons?|daughters?|child|children|kids?|aunts?|uncles?|"
    r"nephews?|nieces?|bab(?:y|ies))\b",
    re.IGNORECASE,
)
# "4 minutes more quickly", "live 2 years longer": the opposite has another form.
_NOT_TURNED = re.compile(
    r"\b(?:more|less) [a-z]+ly than\b|\bli(?:ve|ves|ved) [^.!?]{1,40} (?:longer|shorter) than\b"
)
# "5 more than twice as many" has two relations in one.
_STACKED = re.compile(r" (?:twice|thrice|half|double|triple|[a-z]{2,8} times|\d{1,3} times)\b")
_LARGEST_FACTOR = 6
_LARGEST_GROWTH = 6  # of the largest amount, by "5 times as many" for "5 more"
_LARGEST_TWICE = 3  # by "twice" for "half": a book of 600 pages does not become one of 2400
_THREE = 3


@perturbation(
    "relation",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=PROMISES,
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="one comparison (more than, times as many as, twice) whose change leaves every step positive",
)
def change_relation(problem: Problem, draw: Draw) -> Problem | None:
    """Ann has 5 more pens than Bob. -> Ann has 5 fewer pens than Bob."""
    graph = graph_of(problem)
    if graph is None or is_too_long(problem.text):
        return None
    unsure = (_SUPERLATIVE, _REASONED, _AT_A_TIME, _NOT_TURNED, _AFFORDED)
    if any(pattern.search(problem.text) for pattern in unsure):
        return None
    if not _uses_all_numbers(problem, graph) or (_AGE.search(problem.text) and _FAMILY.search(problem.text)):
        return None
    made = [row for rule in _RULES for row in rule(problem, graph) if row is not None]
    return draw.choice(made) if made else None


def _uses_all_numbers(problem: Problem, graph: Graph) -> bool:
    """Return whether every number of the text is an operand. A fraction may be two operands."""
    used = {leaf.value for leaf in graph.leaves} | {Fraction(1)}
    return all(
        abs(value) in used or {abs(Fraction(part)) for part in value.as_integer_ratio()} <= used
        for value in problem.values()
    )


def _row(problem: Problem, graph: Graph, field: str, edits: Edits, tree: Expr | None) -> Problem | None:
    """Return the problem with these edits and this calculation; None if a step would be implausible."""
    text = problem.text_at(field)
    tree = _in_all_copies(graph.tree, tree) if tree is not None else None
    if tree is None or _CONTRASTED.search(text[: edits[0][0]]):
        return None
    start = max(text.rfind(mark, 0, edits[0][0]) for mark in ".!?") + 1
    sentence = re.split(r"[.!?]\s", text[start:], maxsplit=1)[0]
    if SIZED_NAMES & set(re.findall(r"[a-z-]+", _AS_LARGE.sub("", sentence))):
        return None  # a miniature poodle is larger than a toy poodle
    before, after = _largest(graph.tree), _largest(tree)
    if after > _LARGEST_GROWTH * before:
        return None
    if _SCORED.search(problem.text) and before <= _FULL_SCORE < after:
        return None
    daily = _HOURS.search(problem.text) and _DAY.search(problem.text)
    if daily and before <= _WAKING_HOURS < after:
        return None
    try:
        if not is_plausible(graph.tree, tree) or tree.value() in map(abs, problem.values()):
            return None  # an answer that the text states needs no calculation
    except ExpressionError:
        return None
    return recalculated(problem.with_texts({field: splice(text, edits)}), tree, problem.unit)


def _stated(
    problem: Problem, graph: Graph, pattern: re.Pattern[str]
) -> Iterator[tuple[Leaf, str, re.Match[str]]]:
    """Yield the linked leaves that precede this pattern, each with its field and its match."""
    for leaf in (*graph.linked, *graph.repeated):
        quantity = leaf.quantity
        assert quantity is not None
        if match := pattern.match(problem.text_at(quantity.field), quantity.end):
            yield leaf, quantity.field, match


def _more_and_fewer(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "5 fewer pens than" for "5 more pens than", and the reverse."""
    for leaf, field, match in _stated(problem, graph, _MORE):
        head = match["noun"].split(" of ")[0].split()[-1:]
        counted = bool(head) and is_plural(head[0]) and not match["sign"] + match["unit"] and leaf.unit != "$"
        word = "more" if match["word"] != "more" else "fewer" if counted else "less"
        edits = [(match.start("word"), match.end("word"), word)]
        yield _row(problem, graph, field, edits, negated(graph, leaf))


def _opposites(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "3 years younger than" for "3 years older than", and similar opposites."""
    found = [*_stated(problem, graph, _COMPARED), *_stated(problem, graph, _PRICED)]
    for leaf, field, match in found:
        word = match["word"]
        if word == "shorter":
            word = "longer" if re.search(r"\blong\b", problem.text) else "taller"
        else:
            word = _OPPOSITE[word]
        yield _row(
            problem, graph, field, [(match.start("word"), match.end("word"), word)], negated(graph, leaf)
        )


def _times_to_more(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "3 more pens than" for "3 times as many pens as"."""
    for leaf, field, match in _stated(problem, graph, _TIMES):
        edits = [
            (match.start("word"), match.end("word"), "more"),
            (match.start("than"), match.end("than"), "than"),
        ]
        yield _row(problem, graph, field, edits, with_other_operator(graph, leaf, {"*": "+", "/": "-"}))


def _more_to_times(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "3 times as many pens as" for "3 more pens than"."""
    for leaf, field, match in _stated(problem, graph, _MORE):
        noun = match["noun"].strip()
        fits = (
            match["word"] == "more"
            and not match["sign"] + match["unit"]
            and not _STACKED.match(problem.text_at(field), match.end())
            and leaf.unit != "$"
            and 2 < leaf.value <= _LARGEST_FACTOR
        )
        if not fits or (noun and not noun.endswith("s")) or leaf.value.denominator > 1:
            continue
        edits = [
            (match.start("word"), match.end("word"), "times as many"),
            (match.start("than"), match.end("than"), "as"),
        ]
        yield _row(problem, graph, field, edits, with_other_operator(graph, leaf, {"+": "*", "-": "/"}))


def _twice_and_half(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "half" or "three times as many" for "twice as many", and "twice" for "half"."""
    leaf = _meant(problem, graph, 2)
    for field, match in _words(problem, _TWICE):
        if leaf is None:
            return
        word = match["word"] or match["of"]
        place = (match.start(), match.start() + len(word))
        other = {"twice": "half", "half": "twice"}[word.lower()]
        other = other.capitalize() if word[0].isupper() else other
        swapped = with_other_operator(graph, leaf, {"*": "/", "/": "*"})
        if swapped is not None and _largest(swapped) > _LARGEST_TWICE * _largest(graph.tree):
            swapped = None
        yield _row(problem, graph, field, [(*place, other)], swapped)
        if word.lower() == "twice" and not re.search(r"\bthree times\b", problem.text, re.IGNORECASE):
            three = "Three times" if word[0].isupper() else "three times"
            yield _row(problem, graph, field, [(*place, three)], with_other_value(graph, leaf, Fraction(3)))


def _three_times(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "twice as many" for "three times as many"."""
    for leaf in graph.linked:
        quantity = leaf.quantity
        assert quantity is not None
        text = problem.text_at(quantity.field)
        match = _THRICE.match(text, quantity.start)
        if match and leaf.value == _THREE and not _WORDS_FOR[2].search(problem.text):
            edits = [(match.start("word"), match.end("word"), "twice")]
            yield _row(problem, graph, quantity.field, edits, with_other_value(graph, leaf, Fraction(2)))


def _increase_and_decrease(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "decreased by 20%" for "increased by 20%", and the reverse."""
    for leaf in graph.linked:
        quantity = leaf.quantity
        assert quantity is not None
        match = _CHANGED.search(problem.text_at(quantity.field)[: quantity.start])
        if match and len(_OTHER_CHANGE.findall(problem.text)) == 1:
            word = match["word"]
            other = f"de{word[2:]}" if word.startswith("in") else f"in{word[2:]}"
            edits = [(match.start("word"), match.end("word"), other)]
            yield _row(problem, graph, quantity.field, edits, negated(graph, leaf))


def _doubled_and_tripled(problem: Problem, graph: Graph) -> Iterator[Problem | None]:
    """Yield problems with "tripled" for "doubled", and the reverse."""
    for field, match in _words(problem, _DOUBLED):
        factor = 2 if match["word"].startswith("doubl") else 3
        leaf = _meant(problem, graph, factor)
        if leaf is not None:
            edits = [(match.start("word"), match.end("word"), DOUBLE_AND_TRIPLE[match["word"]])]
            yield _row(problem, graph, field, edits, with_other_value(graph, leaf, Fraction(5 - factor)))


def _words(problem: Problem, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for field, text in problem.texts(("body", "question")):
        for match in pattern.finditer(text):
            yield field, match


def _meant(problem: Problem, graph: Graph, factor: int) -> Leaf | None:
    """Return the leaf with this value that one word, and no number of the text, implies.

    The leaf belongs to one step or to its copies.
    """
    leaves = [leaf for leaf in graph.leaves if leaf.value == factor]
    stated = factor in problem.values()
    steps = {(graph.parent(leaf), leaf.path[-1:]) for leaf in leaves}
    if len(steps) != 1 or stated or len(_WORDS_FOR[factor].findall(problem.text)) != 1:
        return None
    return leaves[0]


_RULES: tuple[Callable[[Problem, Graph], Iterator[Problem | None]], ...] = (
    _more_and_fewer,
    _opposites,
    _times_to_more,
    _more_to_times,
    _twice_and_half,
    _three_times,
    _increase_and_decrease,
    _doubled_and_tripled,
)


_FLIPPED = {"+": "-", "-": "+"}


def negated(graph: Graph, leaf: Leaf) -> Expr | None:
    """Return the calculation with the opposite sign for a leaf: subtracted instead of added, or the reverse.

    The sign is that of the nearest sum or difference above the leaf, with only products and quotients
    between.
    """
    path = leaf.path
    while path:
        side, path = path[-1], path[:-1]
        node = node_at(graph.tree, path)
        if not isinstance(node, Binary):
            return None
        if node.op in _FLIPPED:
            if side == 1:
                return with_operator(graph.tree, path, _FLIPPED[node.op])
            if node.op == "+":
                return with_node(graph.tree, path, Binary("-", node.right, node.left))
            return None
        if node.op not in "*/":
            return None
    return None


def with_other_operator(graph: Graph, leaf: Leaf, other: Mapping[str, str]) -> Expr | None:
    """Return the calculation with another operator directly above a leaf.

    Return None if `other` has no replacement for the operator.
    """
    node = graph.parent(leaf)
    if not isinstance(node, Binary) or node.op not in other:
        return None
    if node.op in "-/" and leaf.path[-1] == 0:
        return None  # the dividend or minuend is not the related number
    if other[node.op] in "-/" and leaf.path[-1] == 0:
        return with_node(graph.tree, leaf.path[:-1], Binary(other[node.op], node.right, node.left))
    return with_operator(graph.tree, leaf.path[:-1], other[node.op])


def with_other_value(graph: Graph, leaf: Leaf, value: Fraction) -> Expr:
    """Return the calculation with another number at a leaf."""
    return with_node(graph.tree, leaf.path, expression.number(value))


def _in_all_copies(old: Expr, new: Expr) -> Expr | None:
    """Return the calculation with the changed step in all its copies; None if nothing changed."""
    changed = differences(old, new)
    if len(changed) != 1:
        changed = [_common(changed)] if changed else []
    if not changed:
        return None
    path = changed[0]
    while path and not isinstance(node_at(old, path), Binary):
        path = path[:-1]
    step, other = node_at(old, path), node_at(new, path)
    copies = [at for at, node in nodes(old) if node == step]
    for at in copies:
        new = with_node(new, at, other)
    return new


def _common(paths: list[Path]) -> Path:
    """Return the longest common prefix of these paths."""
    first, last = min(paths), max(paths)
    length = next((at for at, (one, two) in enumerate(zip(first, last, strict=False)) if one != two), None)
    return first[:length] if length is not None else min(first, last, key=len)


def _largest(tree: Expr) -> Fraction:
    """Return the largest amount in a calculation."""
    try:
        return max(node.value() for _, node in nodes(tree))
    except ExpressionError:
        return Fraction(0)


def is_plausible(old: Expr, new: Expr) -> bool:
    """Return whether every step is positive, the result is another one, and integer amounts remain integers.

    A share such as 1/3 or 20/100 is no amount.
    """
    before = {node.value() for _, node in nodes(old)}
    after = {node.value() for _, node in nodes(new)}
    if min(after) <= 0 or new.value() == old.value():
        return False
    if all(value.denominator == 1 or value < 1 for value in before):
        return all(value.denominator == 1 for value in after - before)
    return old.value().denominator > 1 or new.value().denominator == 1
