"""Promises about reasoning: what a certificate checks where a question asks for another step, or for yes or no."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links, steps
from dnc_datasets.certificate import tables
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.certificate.wording import without_last_condition
from dnc_datasets.english.lexicon import GRAMMAR_WORDS, NUMBER_TO_TWELVE, is_unit, plain
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.problem import Problem

_COMPARED = re.compile(
    r"\b(?P<how>more than|fewer than|less than|greater than|at least|at most|exactly|other than) "
    rf"(?:\$?(?P<number>-?\d[\d,.]{{0,30}})|(?P<word>{NUMBER_TO_TWELVE})\b)"
    r"(?P<unit>%| thousand| million| billion)?"
)
# "a number of pens other than 12", "an amount other than $12": the pens are kept, the rest is grammar.
_OTHER_THAN = re.compile(r"\ban? (?:number of|amount)\b(?=[^?]{1,60}\bother than\b)")
_SCALES = {"percent": "%", "thousand": " thousand", "million": " million", "billion": " billion"}
_WORD = re.compile(r"[a-z]+")


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
        return False  # 12 million are not 12
    threshold = numerals.parse((found[0]["number"] or found[0]["word"]).rstrip(".,"))
    values = _values(original)
    if threshold is None or not values:
        return False
    said = {_holds(found[0]["how"], value, threshold) for value in values}
    return (
        said == {perturbed.answer == "yes"} and perturbed.answer in ("yes", "no") and not perturbed.equation
    )


def _units(problem: Problem) -> set[str]:
    """The scale of the answer; of one that states none, also that of the table."""
    scales = {problem.unit} if problem.unit else {"", problem.note("table_scale")}
    return {_SCALES.get(scale, "") for scale in scales}


def _values(problem: Problem) -> set[Fraction]:
    """The exact value of the answer and the value as stated; a comparison must not hang on the rounding."""
    try:
        values = {expression.parse(problem.answer).value()}
        if problem.equation:
            values.add(expression.parse(problem.equation).value())
    except ExpressionError:
        return set()
    return values


def _holds(how: str, value: Fraction, threshold: Fraction) -> bool:
    if how in ("more than", "greater than"):
        return value > threshold
    if how in ("fewer than", "less than"):
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
    return not lost - spare and not {
        word for word in new - old - unit - added if not _is_unit(word) and not _same_verb(word, old - new)
    }


def _is_unit(word: str) -> bool:
    return is_unit(word) or is_unit(word.removesuffix("s"))


def _meaning(text: str) -> set[str]:
    # A threshold in words ("more than two 1-yard runs") is compared apart.
    said = _COMPARED.sub(" ", _OTHER_THAN.sub(" ", text.lower().replace("n't", " not")))
    return {word for word in _WORD.findall(said) if word not in GRAMMAR_WORDS}


def _same_verb(word: str, others: set[str]) -> bool:
    """Is one of the others a form of the same verb: went, go?"""
    form = plain(word)
    if form is not None and any(plain(other) == form for other in others):
        return True
    # A regular verb that no list has: resettled, resettle.
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
    """a sum became a difference of the same numbers, or a difference their sum"""
    try:
        old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    except ExpressionError:
        return False
    return {old.operators, new.operators} == {("+",), ("-",)} and sorted(map(str, old.leaves())) == sorted(
        map(str, new.leaves())
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
    return comparison_from_difference(original, perturbed)


def _amount_of(name: str, problem: Problem) -> Fraction | None:
    """The one operand of the equation in the clauses of the body that name somebody; None where there are others."""
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
_YEARS = re.compile(
    r"(?P<what>.{2,120}) (?P<word>higher|lower) in (?P<first>\d{4}) than in (?P<second>\d{4})\?"
)


def table_comparison_holds(original: Problem, perturbed: Problem) -> bool:
    """the two figures of the table, read again for the years that the question names, give the answer"""
    found = _YEARS.search(perturbed.question)
    if found is None or perturbed.answer not in ("yes", "no") or perturbed.equation:
        return False
    figures = _by_year(original)
    first, second = figures.get(int(found["first"])), figures.get(int(found["second"]))
    if first is None or second is None or first == second or min(first, second) < 0:
        return False
    return (perturbed.answer == "yes") == ((first > second) == (found["word"] == "higher"))


def _by_year(problem: Problem) -> dict[int, Fraction]:
    """The figure under each year, in the one row that holds all operands of the equation but its constants."""
    operands = operand_links.operand_values(expression.parse(problem.equation))
    fixed = operand_links.constants(expression.parse(problem.equation))
    wanted = {value for value in operands if value not in fixed}
    read = tables.figures(problem.table)
    rows = {
        row
        for row in range(len(problem.table))
        if wanted <= {abs(figure.value) for (at, _), figure in read.items() if at == row}
    }
    if len(rows) != 1:
        return {}
    (row,) = rows
    found: dict[int, Fraction] = {}
    for (at, column), figure in read.items():
        if at == row and abs(figure.value) in wanted:
            years = [cell for cells in problem.table[:row] for cell in cells[column : column + 1]]
            named = [int(year) for cell in years for year in _YEAR.findall(cell)]
            if named:
                if named[-1] in found:
                    return {}
                found[named[-1]] = figure.value
    return found


_YEAR = re.compile(r"(?<![\d,.])(?:19|20)\d\d(?![\d,.]\d)")


CHECKS = (
    only_question_changed,
    answer_from_equation,
    question_words_kept,
    equation_is_a_step,
    last_operation_replaced,
    comparison_from_equation,
    comparison_holds,
    table_comparison_holds,
)
