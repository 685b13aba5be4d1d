"""Promises about reasoning: checks of questions that ask for another step or for yes or no."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals, steps
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.certificate.wording import without_last_condition
from dnc_datasets.english.lexicon import GRAMMAR_WORDS, NUMBER_TO_TWELVE, PART_VERBS, is_unit, plain
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.problem import Problem

_COMPARED = re.compile(
    r"\b(?P<how>more than|fewer than|less than|greater than|at least|at most|exactly|other than|above|below) "
    rf"(?:\$?(?P<number>-?\d[\d,.]{{0,30}})|(?P<word>{NUMBER_TO_TWELVE})\b)"
    r"(?P<unit>%| thousand| million| billion)?"
)
# "a number of pens other than 12", "an amount other than $12": only the noun is kept.
_OTHER_THAN = re.compile(r"\ban? (?:number of|amount)\b(?=[^?]{1,60}\bother than\b)")
_SCALES = {"percent": "%", "thousand": " thousand", "million": " million", "billion": " billion"}
_WORD = re.compile(r"[a-z]+")
_ALL = 100  # percent


def only_question_changed(original: Problem, perturbed: Problem) -> bool:
    """only the question is another one; the statement is the original's to the letter, its last "If" aside"""
    context_fields = ("table", "segments", "history")
    return (
        original.question != perturbed.question
        and perturbed.body in (original.body, without_last_condition(original.body))
        and all(getattr(original, name) == getattr(perturbed, name) for name in context_fields)
    )


def answer_from_equation(original: Problem, perturbed: Problem) -> bool:
    """the comparison that the question states, made with the original's exact answer, gives yes or no as the answer"""
    found = list(_COMPARED.finditer(perturbed.question))
    if len(found) != 1 or _COMPARED.search(original.question):
        return False
    if original.table and (found[0]["unit"] or "") not in _units(original):
        return False  # 12 million is not 12
    threshold = numerals.parse((found[0]["number"] or found[0]["word"]).rstrip(".,"))
    values = _values(original)
    if threshold is None or not values:
        return False
    if original.table and original.unit == "percent" and threshold <= -_ALL:
        return False  # no amount falls by all of it and more
    said = {_holds(found[0]["how"], value, threshold) for value in values}
    return (
        said == {perturbed.answer == "yes"} and perturbed.answer in ("yes", "no") and not perturbed.equation
    )


def _units(problem: Problem) -> set[str]:
    """Return the scale of the answer. An answer without a scale may also have that of the table."""
    scales = {problem.unit} if problem.unit else {"", problem.note("table_scale")}
    return {_SCALES.get(scale, "") for scale in scales}


def _values(problem: Problem) -> set[Fraction]:
    """Return the exact and the stated value of the answer. A comparison must not depend on the rounding."""
    try:
        values = {expression.parse(problem.answer).value()}
        if problem.equation:
            values.add(expression.parse(problem.equation).value())
    except ExpressionError:
        return set()
    return values


def _holds(how: str, value: Fraction, threshold: Fraction) -> bool:
    if how in ("more than", "greater than", "above"):
        return value > threshold
    if how in ("fewer than", "less than", "below"):
        return value < threshold
    if how == "other than":
        return value != threshold
    if how == "exactly":
        return value == threshold
    return value >= threshold if how == "at least" else value <= threshold


def question_words_kept(original: Problem, perturbed: Problem) -> bool:
    """the question says what the original's says: no word that carries meaning is lost, and none is new but the unit"""
    old, new = _meaning(original.question), _meaning(perturbed.question)
    unit = _meaning(f"{original.unit} {original.note('table_scale')}") | {
        word for word in _meaning(original.text) if _is_unit(word)
    }
    one = {word for word in old if _is_unit(word) and word.removesuffix("s") in new}  # "more than 1 day"
    lost = {word for word in old - new - one if not _same_verb(word, new - old)}
    spare = {"money", "long", "far", "time", "average"}
    added = {"later"} if "after" in original.question.split() else set()
    if "than" in perturbed.question.split():  # "longer over his second"
        spare |= {"over", "compared", "to", "with", "versus"}
        added |= {"longer"} if {"more", "yards"} <= set(original.question.lower().split()) else set()
    if original.table and original.unit == "percent":
        spare, added = spare | _SHARE_WORDS, added | {"percentage"}
        if _SHARE_COMPARED.search(perturbed.question):
            spare, added = spare | PART_VERBS, added | {"make", "up"}
        added |= {"by"} if _COMPARED_CHANGE.search(perturbed.question) else set()
        if "growth" in old & new:
            spare |= {"rate"}
    return not lost - spare and not {
        word for word in new - old - unit - added if not _is_unit(word) and not _same_verb(word, old - new)
    }


# With a threshold in percent, its sign replaces the words for a share.
_SHARE_WORDS = {"percent", "percentage", "portion", "proportion", "share"}
_SHARE_COMPARED = re.compile(r"\b(?:than|least|most) \d[\d.,]{0,12}% of\b")
_COMPARED_CHANGE = re.compile(
    r"\b(?:increase|decrease|decline|grow|rise|fall|drop|change) by (?:more than|less than|at least|at most) "
)


def _is_unit(word: str) -> bool:
    return is_unit(word) or is_unit(word.removesuffix("s"))


def _meaning(text: str) -> set[str]:
    # A threshold in words ("more than two 1-yard runs") is compared separately.
    said = _COMPARED.sub(" ", _OTHER_THAN.sub(" ", text.lower().replace("n't", " not")))
    return {word for word in _WORD.findall(said) if word not in GRAMMAR_WORDS}


def _same_verb(word: str, others: set[str]) -> bool:
    """Return whether one of the others is a form of the same verb: went, go."""
    form = plain(word)
    if form is not None and any(plain(other) == form for other in others):
        return True
    # A regular verb that is in no list: resettled, resettle.
    return any(_is_past_of(word, other) or _is_past_of(other, word) for other in others)


def _is_past_of(past: str, form: str) -> bool:
    return past in (f"{form}d", f"{form}ed", f"{form}{form[-1]}ed")


def equation_is_a_step(original: Problem, perturbed: Problem) -> bool:
    """the equation is a proper part of the original's, or a step of its solution before the last"""
    try:
        part = expression.parse(perturbed.equation)
        whole = expression.parse(original.equation) if original.equation else None
    except ExpressionError:
        return False
    if whole is not None and part != whole and part in _parts(whole):
        return True
    return part in steps.composed(steps.stored(original))[:-1]


def _parts(tree: Expr) -> list[Expr]:
    if isinstance(tree, Binary):
        return [tree, *_parts(tree.left), *_parts(tree.right)]
    return [tree, *_parts(tree.operand)] if isinstance(tree, Unary) else [tree]


def last_operation_replaced(original: Problem, perturbed: Problem) -> bool:
    """a sum became a difference of the same numbers or the reverse, or several steps the difference of two amounts"""
    try:
        old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    except ExpressionError:
        return False
    if len(old.operators) > 1:
        return _compares_two_amounts(original, perturbed, old, new)
    return {old.operators, new.operators} == {("+",), ("-",)} and sorted(map(str, old.leaves())) == sorted(
        map(str, new.leaves())
    )


_HOW_MUCH_MORE = re.compile(
    r"\bhow (?:many|much|many years) (?:more|older|fewer)\b[^?]{1,200}\bthan\b", re.IGNORECASE
)


def _compares_two_amounts(original: Problem, perturbed: Problem, old: Expr, new: Expr) -> bool:
    """Return whether a question for "how many more" asks for a new difference of numbers of the text.

    The difference is no step of the old equation. If the question names two kinds of things, their numbers
    directly precede them in the text.
    """
    if not isinstance(new, Binary) or new.op != "-" or new in _parts(old) or new.value() <= 0:
        return False
    if _HOW_MUCH_MORE.search(perturbed.question) is None:
        return False
    stated = {quantity.value for quantity in numerals.find(original.body)}
    sides = (new.left, new.right)
    for side in sides:
        if isinstance(side, Number):
            if side.number not in stated:
                return False
        elif not {leaf.number for leaf in side.leaves() if isinstance(leaf, Number)} & stated:
            return False
    kinds = _MORE_KINDS.search(perturbed.question)
    if kinds is None or not all(isinstance(side, Number) for side in sides):
        return True
    counts = [{value for value, _ in _counts(original.body, kinds[name].lower())} for name in ("one", "two")]
    return all(not some or some == {side.value()} for some, side in zip(counts, sides, strict=True))


_MORE_KINDS = re.compile(
    r"\bhow many more (?P<one>[a-z][a-z' -]{1,60}?) than (?P<two>[a-z][a-z' -]{1,60}?) (?:did|does|do|are|were) ",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?P<word>more|fewer) (?P<noun>[a-z][a-z '-]{1,40}) than (?P<second>[A-Z][A-Za-z. ]{1,40})\?"
)


def comparison_from_equation(original: Problem, perturbed: Problem) -> bool:
    """who has more follows from the numbers that the text tells of each of the two, and gives the answer"""
    found = _MORE.search(perturbed.question)
    if found is None or perturbed.answer not in ("yes", "no") or perturbed.equation:
        return False
    first = perturbed.question[: found.start()].split(" ", 1)[1].rsplit(" ", 2)[0]
    amounts = [_amount_of(name, original) for name in (first, found["second"])]
    if None in amounts or amounts[0] == amounts[1]:
        return False
    more = amounts[0] > amounts[1]  # type: ignore[operator]
    return (perturbed.answer == "yes") == (more == (found["word"] == "more"))


def comparison_holds(original: Problem, perturbed: Problem) -> bool:
    """who or what has more follows from what the text tells of each, or from what the original's question says"""
    found = _MORE.search(perturbed.question)
    named = found is not None and _IS_NAME.fullmatch(found["second"]) is not None
    if named and original.equation:
        return comparison_from_equation(original, perturbed)
    if _COMPARED_AMOUNTS.search(perturbed.question):
        return amounts_compared(original, perturbed)
    return comparison_from_difference(original, perturbed) or kinds_compared(original, perturbed)


_A_TIME = r"(?:on|in|during|this|last) [A-Za-z ]{3,20}"
_COMPARED_AMOUNTS = re.compile(
    r"\b(?:cost (?P<price>more|less) than (?P<cheap>[^?]{2,80})|(?P<word>more|fewer) [a-z' -]{2,40} "
    rf"(?P<first>{_A_TIME}) than (?P<second>{_A_TIME}))\?",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\A(?:do|does|did) (?:an?|one|the) |\A(?:an?|one|the) ", re.IGNORECASE)
_AMOUNT_CLAUSE = re.compile(r"[.!?;](?=\s|\Z)|, | and | while | but ")


def amounts_compared(original: Problem, perturbed: Problem) -> bool:
    """Return whether the clauses that name two days or things give each one amount, and these the answer."""
    found = _COMPARED_AMOUNTS.search(perturbed.question)
    if found is None or perturbed.answer not in ("yes", "no") or perturbed.equation:
        return False
    if found["price"]:
        one = _ARTICLE.sub("", perturbed.question[: found.start()].strip())
        sides, word = [one, _ARTICLE.sub("", found["cheap"])], found["price"]
    else:
        sides, word = [found["first"], found["second"]], found["word"]
    amounts = [_amount_beside(side.lower(), original.body, bool(found["price"])) for side in sides]
    if amounts[0] is None or amounts[1] is None or amounts[0] == amounts[1]:
        return False
    return (perturbed.answer == "yes") == ((amounts[0] > amounts[1]) == (word.lower() == "more"))


def _amount_beside(name: str, body: str, price: bool) -> Fraction | None:
    """Return the only number, or only price, of the clauses that name a thing. Otherwise return None."""
    singular = " of ".join(part.removesuffix("s") for part in name.split(" of "))
    found: set[Fraction] = set()
    for clause in _AMOUNT_CLAUSE.split(body):
        if not re.search(rf"\b{re.escape(singular if price else name)}", clause.lower()):
            continue
        for one in numerals.find(clause):
            is_money = clause[: one.start].endswith("$") or clause[one.end :].startswith(
                (" dollars", " cents")
            )
            if is_money == price:
                found.add(one.value)
    return found.pop() if len(found) == 1 else None


_COMPARED_KINDS = re.compile(
    r"(?P<did>(?:did|does|do|are|were)\b[^?]{2,60}?) (?P<word>more|fewer) (?P<one>[^?]{2,60}) than "
    r"(?P<two>[^?]{2,120})\?",
    re.IGNORECASE,
)


def kinds_compared(original: Problem, perturbed: Problem) -> bool:
    """one sentence counts both kinds, each once in the text, and says of them what the question says"""
    found = _COMPARED_KINDS.search(perturbed.question)
    if found is None or perturbed.answer not in ("yes", "no") or perturbed.equation:
        return False
    sides = [_counts(original.body, found[side].lower()) for side in ("one", "two")]
    if any(len(some) != 1 for some in sides):
        return False
    ((first, at),), ((second, place),) = sides
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(original.body)), len(original.body)]
    bounds = [max(start for start in starts if start <= one) for one in (at, place)]
    if first == second or bounds[0] != bounds[1]:
        return False
    end = min(start for start in starts if start > max(at, place))
    said = {plain(word) or word for word in _WORD.findall(original.body[bounds[0] : end].lower())}
    asked = {plain(word) or word for word in _WORD.findall(found["did"].lower())} - GRAMMAR_WORDS
    names = {word.lower() for word in _NAME.findall(f". {original.body}")}
    verbs = {word for word in asked if word not in names}
    if not verbs <= said | {"do", "be", "there"} or not asked - verbs <= names:
        return False
    return (perturbed.answer == "yes") == ((first > second) == (found["word"].lower() == "more"))


def _counts(text: str, kind: str) -> list[tuple[Fraction, int]]:
    """Return the numbers directly before a kind of things, with their positions.

    A location after the kind may be left out.
    """
    words = kind.split()
    found: list[tuple[Fraction, int]] = []
    for quantity in numerals.find(text):
        after = _WORD.findall(text[quantity.end : quantity.end + 80].lower())
        lengths = [size for size in range(len(words), 0, -1) if after[:size] == words[:size]]
        is_kind = lengths and (lengths[0] == len(words) or words[lengths[0]] in _PLACES)
        if is_kind:
            found.append((quantity.value, quantity.start))
    return found


_PLACES = frozenset("in on at".split())
_SENTENCE_END = re.compile(r"[.!?](?=\s)")


def _amount_of(name: str, problem: Problem) -> Fraction | None:
    """Return the only operand of the equation in the clauses that name a person. Otherwise return None."""
    operands = {
        leaf.number for leaf in expression.parse(problem.equation).leaves() if isinstance(leaf, Number)
    }
    others = {word for word in _NAME.findall(problem.question) if word != name}
    stated_values: set[Fraction] = set()
    for clause in _CLAUSE.split(problem.body):
        if re.search(rf"\b{re.escape(name)}\b", clause) and not any(other in clause for other in others):
            stated_values |= {quantity.value for quantity in numerals.find(clause)} & operands
    return stated_values.pop() if len(stated_values) == 1 else None


_CLAUSE = re.compile(
    r"[.!?;] |, (?:and|but|while) | and (?=[A-Z])| but (?=[A-Z])| while (?=[A-Z])|, (?=[A-Z])"
)
_IS_NAME = re.compile(r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?")
_NAME = re.compile(r"(?<!\A)\b[A-Z][a-z]{1,15}\b")
CHECKS = (
    only_question_changed,
    answer_from_equation,
    question_words_kept,
    equation_is_a_step,
    last_operation_replaced,
    comparison_from_equation,
    comparison_holds,
    kinds_compared,
)
