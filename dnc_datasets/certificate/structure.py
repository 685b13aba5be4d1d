"""Promises about structure: checks of rows with a changed number, relation, remark or name.

Every check reads only the two problems. It shares no rule with the perturbations.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import FACTOR_WORDS, RELATION_WORDS
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_ASKED_BACK = re.compile(
    r"(?<=[.?]) If the answer is (?P<answer>[\d.]{1,40}), what is (?P<what>x|the unknown number)\?\Z"
)
_DEFINED = re.compile(
    r"Let x be (?P<a>\d[\d,.]*) (?P<op>times|plus|minus) (?P<b>\d[\d,]*(?:\.\d+)?)\.(?:(?: |\n\n)(?P<rest>.+))?",
    re.DOTALL,
)
_OPERATORS = {"times": "*", "plus": "+", "minus": "-"}
_EXTENDED = re.compile(r"(?<=\?) And how much is (?P<factor>\d{1,3}) times that number\?\Z")
_LONE_X = re.compile(r"(?<![A-Za-z])x(?![A-Za-z])")
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d|\S")


def _forms(text: str, quantity: Quantity, what: str) -> Iterator[str]:
    """Yield the text with a number hidden, in each possible form."""
    before, after = text[: quantity.start], text[quantity.end :]
    if what == "x":
        yield f"{before}x{after}"
        if re.search(r"\b[Aa] \Z", before):
            yield f"{before[:-1]}n x{after}"
    else:
        yield f"{before}an unknown number of{after}"
        if before.endswith("$"):
            yield f"{before[:-1]}an unknown number of dollars{after}"


def _hidden(original: Problem, new: tuple[str, str], what: str) -> Quantity | None:
    """Return the only number of the original whose hiding gives these texts. Otherwise return None."""
    old = (original.body, original.question)
    found = []
    for at, text in enumerate(old):
        if old[1 - at] != new[1 - at]:
            continue
        found += [one for one in numerals.find(text) if new[at] in _forms(text, one, what)]
    return found[0] if len(found) == 1 else None


def _asked_back(original: Problem, perturbed: Problem) -> tuple[Quantity, Fraction] | None:
    """Return the hidden number and the answer that is given instead."""
    asked = _ASKED_BACK.search(perturbed.question)
    answer = numerals.parse(asked["answer"]) if asked is not None else None
    if asked is None or answer is None:
        return None
    texts = (perturbed.body, perturbed.question[: asked.start()])
    hidden = _hidden(original.replace(question=original.question.rstrip()), texts, asked["what"])
    return None if hidden is None else (hidden, answer)


def one_number_hidden(original: Problem, perturbed: Problem) -> bool:
    """one number is hidden, the original's answer is given, and the text is the original's elsewhere, to the letter"""
    found = _asked_back(original, perturbed)
    if found is None or original.table != perturbed.table or original.history != perturbed.history:
        return False
    hidden, answer = found
    shown = {abs(value) for value in perturbed.values()}
    return (
        answer == numerals.parse(original.answer)
        and abs(hidden.value) not in shown
        and abs(hidden.value) not in numerals.implied(original.text)
        and perturbed.answer == expression.canonical(abs(hidden.value))
    )


def hidden_value_follows(original: Problem, perturbed: Problem) -> bool:
    """solved for the hidden number, the original's equation gives it, also if another answer were given"""
    found = _asked_back(original, perturbed)
    if found is None:
        return False
    value, answer = abs(found[0].value), found[1]
    try:
        inverse = expression.parse(perturbed.equation)
        if inverse.value() != value or value in numbers_of(inverse):
            return False
        if not original.equation:
            return answer in numbers_of(inverse)
        forward = expression.parse(original.equation)
        if numbers_of(forward).count(value) != 1:
            return False
        return all(follows(forward, inverse, value, answer, value + shift) for shift in (1, 7, 60))
    except ExpressionError:
        return False


def follows(forward: Expr, inverse: Expr, old: Fraction, answer: Fraction, new: Fraction) -> bool:
    """Return whether the inverse recovers another hidden number.

    The forward equation first gives the answer for that number.
    """
    (tree,) = _with_each(forward, old, new)
    try:
        result = tree.value()
        return any(made.value() == new for made in _with_each(inverse, answer, result))
    except ExpressionError:
        return True  # a division by zero is no evidence


def numbers_of(tree: Expr) -> list[Fraction]:
    return [leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)]


def _with_each(tree: Expr, old: Fraction, new: Fraction) -> list[Expr]:
    """Return the tree once for each leaf with this value, with the new value at that leaf."""
    places = [at for at, leaf in enumerate(tree.leaves()) if isinstance(leaf, Number) and leaf.number == old]
    return [_with_leaf(tree, place, expression.number(new)) for place in places]


def _with_leaf(tree: Expr, place: int, new: Expr) -> Expr:
    """Return the tree with another leaf at a position, counted from the left."""
    count = iter(range(len(tree.leaves())))
    return tree.replace(lambda leaf: new if next(count) == place else leaf)


def definition(perturbed: Problem) -> tuple[Expr, str] | None:
    """Return the calculation that defines x, and the body after it."""
    defined = _DEFINED.fullmatch(perturbed.body)
    if defined is None:
        return None
    first, second = (defined[side].replace(",", "") for side in "ab")
    tree = expression.parse(f"{first} {_OPERATORS[defined['op']]} {second}")
    return tree, defined["rest"] or ""


def definition_gives_original(original: Problem, perturbed: Problem) -> bool:
    """with the value of its definition in place of x, the text is the original's to the letter"""
    found = definition(perturbed)
    if found is None:
        return False
    tree, body = found
    hidden = _hidden(original, (body, perturbed.question), "x")
    uses = len(_LONE_X.findall(f"{body} {perturbed.question}"))
    return (
        hidden is not None
        and uses == 1
        and hidden.value == tree.value()
        and [abs(value) for value in original.values()].count(hidden.value) == 1
    )


def equation_keeps_value(original: Problem, perturbed: Problem) -> bool:
    """the answer is the original's, and the equation is too, with the definition in place of the number"""
    found = definition(perturbed)
    kept = (original.answer, original.answers, original.unit) == (
        perturbed.answer,
        perturbed.answers,
        perturbed.unit,
    )
    if found is None or not kept or bool(original.equation) != bool(perturbed.equation):
        return False
    if not original.equation:
        return True
    value = expression.number(found[0].value())
    defined = expression.parse(original.equation).replace(lambda leaf: found[0] if leaf == value else leaf)
    return expression.parse(perturbed.equation) == defined


def question_extended(original: Problem, perturbed: Problem) -> bool:
    """a further question asks for a multiple of the original's answer, and nothing else changed"""
    asked = _EXTENDED.search(perturbed.question)
    if (
        asked is None
        or perturbed.question[: asked.start()] != original.question.rstrip()
        or perturbed.body != original.body
    ):
        return False
    first, second = numerals.parse(original.answer), numerals.parse(perturbed.answer)
    return first is not None and second == first * int(asked["factor"])


_SIGN_WORDS = RELATION_WORDS - FACTOR_WORDS


def _changed_words(
    original: Problem, perturbed: Problem
) -> tuple[list[str], list[str], int, list[str]] | None:
    """Return the removed and the added words, the position of the first change, and the original's words."""
    old, new = (_WORD.findall(f"{problem.body}\n{problem.question}") for problem in (original, perturbed))
    out: list[str] = []
    added: list[str] = []
    places: list[int] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag != "equal":
            places.append(i1)
            out += [word.lower() for word in old[i1:i2]]
            added += [word.lower() for word in new[j1:j2]]
    return (out, added, places[0], old) if places and max(places) - places[0] <= 6 else None


def one_relation_changed(original: Problem, perturbed: Problem) -> bool:
    """one relation between two amounts is put in other words, and no other word changed"""
    changed = _changed_words(original, perturbed)
    if changed is None:
        return False
    out, added, _, _ = changed
    # "half as many" may be read as a separate number.
    old, new = ([one for one in problem.ratios() if one != (1, 2)] for problem in (original, perturbed))
    old, new = old + [(3, 1)] * added.count("three"), new + [(3, 1)] * out.count("three")
    return sorted(new) == sorted(old) and set(out + added) <= RELATION_WORDS and bool(out)


def relation_gives_answer(original: Problem, perturbed: Problem) -> bool:
    """the original's equation, changed in the number or operation that the changed words state, gives the answer"""
    changed = _changed_words(original, perturbed)
    if changed is None:
        return False
    out, added, place, words = changed
    try:
        tree, answer = expression.parse(original.equation), numerals.parse(perturbed.answer)
        if answer is None:
            return False
        return any(made == answer for made in _related(tree, out, added, words[:place], words[place:]))
    except ExpressionError:
        return False


def _related(
    tree: Expr, out: list[str], added: list[str], before: list[str], after: list[str]
) -> Iterator[Fraction]:
    """Yield the values of the equation after the change that the words announce."""
    if "times" in (*out, *added) and "three" not in (*out, *added):
        number = _number_before(before)
        swap = {"*": "+", "/": "-"} if "times" in out else {"+": "*", "-": "/"}
        yield from (made.value() for made in _with_operator(tree, number, swap))
        yield _with_operators(tree, number, swap).value()
    elif {*out, *added} <= _SIGN_WORDS:
        number = _number_after(after) if out[0].startswith(("incr", "decr")) else _number_before(before)
        yield from (made.value() for made in _with_each(tree, number, -number))
        yield _with_all(tree, number, -number).value()
    else:
        factor = Fraction(3 if out[0].startswith(("tripl", "three")) else 2)
        new = Fraction(1, 2) if {"half", "twice"} == {*out, *added} else 5 - factor
        yield from (made.value() for made in _with_each(tree, factor, new))
        yield _with_all(tree, factor, new).value()


def _with_all(tree: Expr, old: Fraction, new: Fraction) -> Expr:
    """Return the tree with a new value at every leaf with the old one, as a step may be repeated in it."""
    return tree.replace(lambda leaf: expression.number(new) if leaf == expression.number(old) else leaf)


def _with_operators(tree: Expr, number: Fraction, swap: dict[str, str]) -> Expr:
    """Return the tree with another operator above every leaf of this value.

    The leaf becomes the right operand.
    """
    if isinstance(tree, Unary):
        return Unary(tree.op, _with_operators(tree.operand, number, swap))
    if not isinstance(tree, Binary):
        return tree
    left, right = (_with_operators(side, number, swap) for side in (tree.left, tree.right))
    leaf = expression.number(number)
    if tree.op in swap and tree.right == leaf:
        return Binary(swap[tree.op], left, right)
    if tree.op in swap and tree.left == leaf and tree.op in "+*":
        return Binary(swap[tree.op], right, left)
    return Binary(tree.op, left, right)


def _number_before(words: list[str]) -> Fraction:
    """Return the last number before the changed words."""
    found = numerals.find(" ".join(words[-6:]))
    if not found:
        raise ExpressionError("no number before the changed words")
    return found[-1].value


def _number_after(words: list[str]) -> Fraction:
    """Return the first number after the changed word."""
    found = numerals.find(" ".join(words[:6]).replace("$ ", "$"))
    if not found:
        raise ExpressionError("no number after the changed words")
    return found[0].value


def _with_operator(tree: Expr, number: Fraction, swap: dict[str, str]) -> Iterator[Expr]:
    """Yield the trees with another operator directly above one leaf of this value.

    The leaf becomes the right operand.
    """
    if isinstance(tree, Unary):
        yield from (Unary(tree.op, inner) for inner in _with_operator(tree.operand, number, swap))
    if not isinstance(tree, Binary):
        return
    leaf = expression.number(number)
    if tree.op in swap:
        if tree.right == leaf:
            yield Binary(swap[tree.op], tree.left, tree.right)
        elif tree.left == leaf and tree.op in "+*":
            yield Binary(swap[tree.op], tree.right, tree.left)
    yield from (Binary(tree.op, inner, tree.right) for inner in _with_operator(tree.left, number, swap))
    yield from (Binary(tree.op, tree.left, inner) for inner in _with_operator(tree.right, number, swap))


def nodes_stay_plausible(original: Problem, perturbed: Problem) -> bool:
    """every new step is positive, amounts that were integers still are, and the answer is another one"""
    try:
        old, new = (_steps(expression.parse(problem.equation)) for problem in (original, perturbed))
    except ExpressionError:
        return False
    amounts_are_integers = all(value.denominator == 1 or value < 1 for value in old)
    fractions = [value for value in new if value.denominator > 1 and value not in old]
    fits = min(new) > 0 and not (amounts_are_integers and fractions)
    return fits and original.answer != perturbed.answer


def _steps(tree: Expr) -> list[Fraction]:
    if isinstance(tree, Binary):
        return [tree.value(), *_steps(tree.left), *_steps(tree.right)]
    return [tree.value(), *_steps(tree.operand)] if isinstance(tree, Unary) else [tree.value()]


_REMARK = re.compile(
    r"\b(?P<number>[A-Z][a-z]{1,20}) of the (?P<noun>[a-z]{1,20}) (?P<rest>[a-zA-Z -]{1,80})\."
)
# The complete list of remarks with an irrelevant number about a thing or a person.
_OF_ONE = re.compile(
    r"\bThe (?P<thing>[a-z]{1,20}(?: [a-z]{1,20})?) (?:opened \d+ years ago|was (?:founded|built) \d+ years ago|"
    r"closes at \d+ o'clock|starts at \d+ o'clock|is \d+ blocks away from a park|(?:is|was) \d+ years old|"
    r"has \d+ (?:chapters|windows))\."
    r"|\b(?P<name>[A-Z][a-z]{1,20}) learned to [a-z]+(?: a bike)? at the age of \d+\."
)
_THINGS_ARE = re.compile(r"(?:were|are) [a-z ]+er than (?:the others|the rest|all the others)")
_PEOPLE_ARE = re.compile(
    r"(?:had|have|were|are|wore|wear|could|can|liked?|play(?:ed)?|lived?|spoke|speak) [A-Za-z -]+"
)
# Words with which a remark could change an amount.
_ACTS = re.compile(
    r"\b(?:more|fewer|less|left(?!-handed)|gave|gone|lost|bought|sold|ate|each|every|all|none|not|no|only|extra|broken|absent|away)\b"
)


def remark_changes_nothing(original: Problem, perturbed: Problem) -> bool:
    """without one sentence the body is the original's; that describes at most half of what is counted, or somebody"""
    found = [
        match
        for match in _REMARK.finditer(perturbed.body)
        if _without(perturbed.body, match) == original.body
    ]
    if perturbed.question != original.question:
        return False
    if not found:
        return _person_remark(original, perturbed)
    if len(found) != 1:
        return False
    said = found[0]
    number = numerals.parse(said["number"])
    if number is None or len(numerals.find(said[0])) != 1:
        return False
    rest = said["rest"].replace("than all the others", "than the others")
    if not (_THINGS_ARE.fullmatch(rest) or (_PEOPLE_ARE.fullmatch(rest) and not _ACTS.search(rest))):
        return False
    counts = [
        one.value
        for one in numerals.find(original.text)
        if re.match(rf" (?:[a-z]+ ){{0,2}}{said['noun']}\b", original.text[one.end :])
    ]
    known = {*original.values(), numerals.parse(original.answer)}
    return bool(counts) and number * 2 <= min(counts) and number not in known


def _person_remark(original: Problem, perturbed: Problem) -> bool:
    """Return whether a listed remark in a new unit was added about something named before."""
    known = {*original.values(), numerals.parse(original.answer)}
    for said in _OF_ONE.finditer(perturbed.body):
        if _without(perturbed.body, said) != original.body:
            continue
        nouns = re.findall(r"\b(?:years|o'clock|blocks|chapters|windows|age|park)\b", said[0])
        spoken_of = any(
            re.search(rf"\b{noun.rstrip('s')}s?\b", original.text, re.IGNORECASE) for noun in nouns
        )
        new = {quantity.value for quantity in numerals.find(said[0])}
        named = said["name"] or said["thing"].split()[-1]
        before = perturbed.body[: said.start()]
        return (
            re.search(rf"\b{named}\b", before) is not None
            and not re.search(rf"\b{named}s\b", original.text)
            and not spoken_of
            and new.isdisjoint(known)
        )
    return False


def _without(text: str, match: re.Match[str]) -> str:
    """Return the text without a sentence and the blank before it."""
    return f"{text[: match.start()].rstrip(' ')}{text[match.end() :]}"


def names_exchanged(original: Problem, perturbed: Problem) -> bool:
    """names are exchanged one for one, and undoing the exchange gives the original to the letter"""
    kept = (original.equation, original.answer, original.answers, original.table)
    if kept != (perturbed.equation, perturbed.answer, perturbed.answers, perturbed.table):
        return False
    old, new = _WORD.findall(original.text), _WORD.findall(perturbed.text)
    if len(old) != len(new):
        return False
    names = {(one, other) for one, other in zip(old, new, strict=True) if one != other}
    back = {other: one for one, other in names}
    one_to_one = len(back) == len(names) == len({one for one, _ in names})
    capitals = all(re.fullmatch("[A-Z][a-z]+", word) for pair in names for word in pair)
    if (
        not names
        or not one_to_one
        or not capitals
        or set(back) & set(old)
        or {one for one, _ in names} & set(new)
    ):
        return False
    pattern = re.compile(rf"\b(?:{'|'.join(back)})\b")
    return all(
        pattern.sub(lambda match: back[match[0]], getattr(perturbed, field)) == getattr(original, field)
        for field in ("body", "question", "unit")
    )


CHECKS = (
    one_number_hidden,
    hidden_value_follows,
    definition_gives_original,
    equation_keeps_value,
    question_extended,
    one_relation_changed,
    relation_gives_answer,
    nodes_stay_plausible,
    remark_changes_nothing,
    names_exchanged,
)
