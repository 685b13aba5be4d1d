"""Promises about reasoning: what a certificate checks where a question asks for another step, or for yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links, steps
from dnc_datasets.certificate import tables
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.certificate.wording import without_last_condition
from dnc_datasets.english.lexicon import CHANGE_NOUNS, GRAMMAR_WORDS, MONTH, NUMBER_TO_TWELVE, is_unit, plain
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.problem import Problem

_COMPARED = re.compile(
    r"\b(?P<how>more than|fewer than|less than|greater than|at least|at most|exactly|other than|above|below) "
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
            spare, added = spare | _PART_VERBS, added | {"make", "up"}
        added |= {"by"} if _COMPARED_CHANGE.search(perturbed.question) else set()
        if "growth" in old & new:
            spare |= {"rate"}
    return not lost - spare and not {
        word for word in new - old - unit - added if not _is_unit(word) and not _same_verb(word, old - new)
    }


# With a threshold in percent, the words for a share are said by its sign.
_SHARE_WORDS = {"percent", "percentage", "portion", "proportion", "share"}
_PART_VERBS = {"represent", "account", "comprise", "comprised", "form", "part", "made", "composed", "up"}
_SHARE_COMPARED = re.compile(r"\b(?:than|least|most) \d[\d.,]{0,12}% of\b")
_COMPARED_CHANGE = re.compile(
    r"\b(?:increase|decrease|decline|grow|rise|fall|drop|change) by (?:more than|less than|at least|at most) "
)


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
    """Whether a question for how much more asks for a difference of numbers of the text that is no step of the old.

    Two kinds of things that the question names have the numbers that the text has directly before them.
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
    """the clauses that name each of two days or things give it one amount, and these amounts give the answer"""
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
    """The one number, or the one price, of the clauses that name something; None where there are several."""
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
    """The numbers directly before a kind of things, with their places; a place after the kind may be left out."""
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
_COMPARED_YEARS = re.compile(
    r"\b(?P<word>higher|lower) (?P<first>[^?]{2,60}?) than (?P<second>[^?]{2,250})\?"
)
_CHOSEN_YEAR = re.compile(
    r"\bin which (?:of the )?(?:fiscal |financial )?years?\b.{2,250}\b(?P<word>higher|lower|highest|lowest)\b",
    re.IGNORECASE,
)


def table_comparison_holds(original: Problem, perturbed: Problem) -> bool:
    """the figures of the table, read again for the years that the question names, give yes or no, or the year"""
    figures = figures_by_year(original) or _changed_years(original)
    if not figures or perturbed.equation or not _same_figure(original, perturbed):
        return False
    if found := _CHOSEN_YEAR.search(perturbed.question):
        named = years_of(perturbed.question)
        if sorted(figures) != sorted(named) or sum(value < 0 for value in figures.values()) > 1:
            return False
        best = (max if found["word"].startswith("high") else min)(figures.values())
        return [str(year) for year, value in figures.items() if value == best] == [perturbed.answer]
    compared = _COMPARED_YEARS.search(perturbed.question)
    if compared is None or perturbed.answer not in ("yes", "no"):
        return False
    years = [years_of(compared["first"]), years_of(compared["second"])]
    if any(len(some) != 1 or some[0] not in figures for some in years):
        return False
    first, second = (figures[some[0]] for some in years)
    if first == second or max(first, second) < 0:
        return False
    return (perturbed.answer == "yes") == ((first > second) == (compared["word"] == "higher"))


_FROM_TO = re.compile(
    r"\b(?:from|between) [^?]{0,40}\b(?P<first>(?:19|20)\d\d) (?:to|and) [^?]{0,40}\b(?P<second>(?:19|20)\d\d)"
)
_GROWTH_ASKED = re.compile(
    r"\b(?:percent|percentage|growth)\b|%|\bhow much did\b[^?]{1,150}\b(?:increase|grow|rise|change)\b",
    re.IGNORECASE,
)


def _changed_years(original: Problem) -> dict[int, Fraction]:
    """The two numbers of a percentage change by the years that the question names from the earlier to the later.

    Only where no cell with one of the numbers is in the column of another year.
    """
    asked = _FROM_TO.search(original.question)
    tree = _equation(original) if original.equation else None
    if asked is None or tree is None or not _GROWTH_ASKED.search(original.question):
        return {}
    first, second = int(asked["first"]), int(asked["second"])
    numbers = [leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)]
    if len(numbers) < 3 or first >= second or years_of(original.question) != [first, second]:
        return {}
    new, old = numbers[0], numbers[1]
    if min(new, old) <= 0 or tree.value() not in ((new - old) / old * 100, (new - old) / old):
        return {}
    by_year = {first: old, second: new}
    for (row, column), figure in tables.figures(original.table).items():
        heads = {
            year for cells in original.table[:row] for year in years_of("".join(cells[column : column + 1]))
        }
        for year, value in by_year.items():
            against = abs(figure.value) == value and heads and year not in heads
            if against and not _is_in_year(original, value, year):
                return {}
    return by_year


def _is_in_year(original: Problem, value: Fraction, year: int) -> bool:
    """Whether a column of a year has a figure."""
    return any(
        abs(figure.value) == value
        and year
        in {one for cells in original.table[:row] for one in years_of("".join(cells[column : column + 1]))}
        for (row, column), figure in tables.figures(original.table).items()
    )


def asked_figure_is_named(original: Problem, perturbed: Problem) -> bool:
    """the question names one cell by label and year, or asks for one year of the figure that the original's names"""
    scale = original.note("table_scale")
    scales = {scale} if original.unit == "percent" else {original.unit}
    if _are_rates(original):
        scales = {"percent"}
    if tables.asked_cell_is_named(original, perturbed):
        spare = set() if _are_rates(original) else {"", scale}
        return not _names_change(perturbed) and perturbed.unit in scales | spare
    if _only_figure_is_named(perturbed) and not _names_change(perturbed):
        return perturbed.unit in scales
    named = years_of(perturbed.question)
    figures = figures_by_year(original)
    if len(named) != 1 or named[0] not in figures or not _same_figure(original, perturbed):
        return False
    return perturbed.unit in scales and expression.canonical(figures[named[0]]) == perturbed.answer


def _only_figure_is_named(perturbed: Problem) -> bool:
    """Whether a question without a year names one row whose only figure, or whose total, is the answer."""
    asked = perturbed.question.lower()
    labels = [cells[0].strip().lower() if cells else "" for cells in perturbed.table]
    longest = max((label for label in labels if label and label in asked), key=len, default="")
    if years_of(perturbed.question) or labels.count(longest) != 1:
        return False
    row = labels.index(longest)
    own = {column: one for (at, column), one in tables.figures(perturbed.table).items() if at == row}
    heads = {column: " ".join(cells[column] for cells in perturbed.table[:row]) for column in own}
    totals = [column for column in own if re.search(r"\btotals?\b", heads[column], re.IGNORECASE)]
    chosen = totals if len(own) > 1 else list(own)
    return len(chosen) == 1 and expression.canonical(own[chosen[0]].value) == perturbed.answer


def years_of(text: str) -> list[int]:
    """The years of a text; "FY19" is 2019."""
    found = _ANY_YEAR.findall(text)
    return [2000 + int(year[-2:]) if year.startswith("FY") else int(year) for year in found]


def _same_figure(original: Problem, perturbed: Problem) -> bool:
    """Whether two questions name the same thing, once the operation, the years and the comparison are left out."""
    # "the total revenue" over three years may be their sum, or that of a row called "Total revenue".
    table, rows = _along_years(original)
    summed = not any("total" in table[row][0].lower() for row in rows)
    named = _figure(original.question, summed)
    return bool(named) and named == _figure(perturbed.question, summed) and not _names_change(perturbed)


def _names_change(perturbed: Problem) -> bool:
    """Whether a question for a figure names a change, as no label does: "the average increase in costs"."""
    named = [cells[0] for cells in perturbed.table if cells] + list(
        perturbed.table[0] if perturbed.table else ()
    )
    labels = {word for cell in named for word in _TOKEN.findall(cell.lower())}
    return any(
        word in CHANGE_NOUNS and word not in labels for word in _TOKEN.findall(perturbed.question.lower())
    )


def _figure(question: str, summed: bool) -> list[str]:
    """The words of a question that name the figure it is about; where it is `summed`, without "total"."""
    text = _OPENING.sub(r"\g<owner>", _WHICH_YEAR.sub("", _with_noun(question)), count=1)
    text = _COMPARING.sub(" ", _PERIOD.sub(" ", text))
    words = [word for word in _TOKEN.findall(text.lower()) if word != "the"]
    if words[:2] == ["value", "of"]:
        words = words[2:]
    return [word for at, word in enumerate(words) if word != "total" or at > _OWNER or not summed]


def _with_noun(question: str) -> str:
    """The question with a noun for its operation in front: "by what percent did rent grow" is a change in rent."""
    text = _SPACE_BEFORE.sub("", question.strip())
    text = _PERIOD_BEFORE.sub("", text, count=1)
    text = _HOW_MUCH_DID.sub(r"what was the change in \g<what>", text, count=1)
    text = _BY_WHAT_PERCENT.sub(r"what was the change in \g<what>", text, count=1)
    text = _RATE_OF_GROWTH.sub("growth in", _SHARE_OF_CHANGE.sub("percentage ", text))
    return _YEAR_OF_AVERAGE.sub("average", _PERIOD_OF_CHANGE.sub(r"\g<noun> ", text))


_SPACE_BEFORE = re.compile(r" (?=[,?])")
_PERIOD_BEFORE = re.compile(
    r"\A(?:in|from|between|during|for) [A-Za-z0-9, -]{0,80}(?:19|20)\d\d,? (?=what (?:is|was|were|are) )",
    re.IGNORECASE,
)
_CHANGE_VERB = r"(?:increase|decrease|decline|grow|rise|fall|drop|change)"
_HOW_MUCH_DID = re.compile(
    r"\A(?:by )?(?:what|how much)(?: (?:percent|percentage|%))? did (?P<what>[^?]{2,120}?) "
    rf"{_CHANGE_VERB}(?: by)?(?= ?\?| (?:from|between|in|during|for|over)\b)",
    re.IGNORECASE,
)
_BY_WHAT_PERCENT = re.compile(
    r"\A(?P<what>[^?]{2,120}?) (?:changed?|increased?|decreased?|grew|declined?) by what (?:percent|percentage|%)",
    re.IGNORECASE,
)
_SHARE_OF_CHANGE = re.compile(
    r"\b(?:percent|percentage|%) of (?:the |an? )?(?=(?:net )?(?:increase|decrease|change|growth) )"
)
_RATE_OF_GROWTH = re.compile(
    r"\b(?:(?:percent|percentage|%|expected|annual|overall) ){0,2}(?:growth rate|rate of growth) (?:in|of|for)\b"
)
_PERIOD_OF_CHANGE = re.compile(
    r"\b(?P<noun>change|increase|decrease|growth|decline|difference) (?:from|between) \d{4} (?:to|and) \d{4} "
    r"(?=(?:in|of|for) )"
)
_YEAR_OF_AVERAGE = re.compile(r"\b(?:19|20)\d\d average\b")
_OWNER = 2  # words of "the company's"
_TOKEN = re.compile(r"[a-z0-9]+")
_ANY_YEAR = re.compile(r"(?<![\d,.$])(?:(?:19|20)\d\d)(?![\d,.]\d)|\bFY ?['’]?\d\d\b")
_WHICH_YEAR = re.compile(
    r"\b[Ii]n which (?:of the )?(?:fiscal |financial )?years?(?: [\dFY, and]{4,60})? (?=was\b|were\b)"
)
_OPENING = re.compile(
    r"(?:\A|(?<=, ))(?:(?:[Ww]hat|[Hh]ow much) (?:is|was|are|were)|[Ww]as|[Ww]ere) "
    r"(?:the (?=figure|value of))?(?P<owner>(?:the (?:company|group)['’]s )?)(?:the )?"
    r"(?:(?:year[- ]on[- ]year|year[- ]over[- ]year|annual|net|overall|total|nominal|absolute) "
    r"(?=percent|%|change|increase|decrease|growth|difference|variance))?"
    r"(?:(?:(?:percentage|percent|%) )?(?:changes?|increases?|decreases?|increase ?/ ?\(decrease\)|growth|decline|"
    r"difference|variance) (?:in|of)|average(?: annual)?(?: of)?|sum of|figure for|value of)? ?(?:the )?"
)
_PERIOD = re.compile(
    r"(?:(?:\b(?:from|between|in|for|across|over|during|of|at|as|on|and|or|to|compared|with|versus|fiscal|financial|"
    rf"calendar|years?|ended|ending|end|both|the|period|two|three|{MONTH}|\d{{1,2}})\b|[-–,]) ?){{0,16}}"
    r"(?:(?<![\d,.$])(?:19|20)\d\d(?![\d,.]\d)|FY ?['’]?\d\d\b)(?: year[- ]end)?"
)
_COMPARING = re.compile(
    r"\b(?:across|over|for|during|in) (?:the |both |all )?(?:\d |two |three |four |five )?(?:year period|years)\b|"
    r"\b(?:higher|lower|highest|lowest|than)\b"
)


def _equation(problem: Problem) -> Expr | None:
    """The equation, with the number of years for "2019 - 2017 + 1"; None where it cannot be read."""
    text = _COUNT_OF_YEARS.sub(lambda found: str(int(found[1]) - int(found[2]) + 1), problem.equation)
    try:
        return expression.parse(text)
    except ExpressionError:
        return None


_COUNT_OF_YEARS = re.compile(r"\(((?:19|20)\d\d) - ((?:19|20)\d\d) \+ 1\)")


def _wanted(problem: Problem) -> set[Fraction]:
    """The numbers of the equation but its constants."""
    equation = _equation(problem) if problem.equation else None
    return (
        set(operand_links.operand_values(equation)) - operand_links.constants(equation) if equation else set()
    )


def _rows(table: Sequence[Sequence[str]], wanted: set[Fraction]) -> list[int]:
    """The rows that hold all these figures."""
    values: dict[int, set[Fraction]] = {}
    for (row, _), figure in tables.figures(table).items():
        values.setdefault(row, set()).add(abs(figure.value))
    return [row for row, some in values.items() if wanted and wanted <= some]


def _along_years(problem: Problem) -> tuple[Sequence[Sequence[str]], list[int]]:
    """The table with years above its columns, and the rows that hold the operands; turned if the years are labels."""
    wanted = _wanted(problem)
    rows = _rows(problem.table, wanted)
    if rows or len({len(cells) for cells in problem.table}) != 1:
        return problem.table, rows
    turned = tuple(zip(*problem.table, strict=True))
    return turned, _rows(turned, wanted)


def figures_by_year(problem: Problem) -> dict[int, Fraction]:
    """The operands of the equation by the year of their column; none where rows or columns disagree."""
    table, rows = _along_years(problem)
    wanted, rates = _wanted(problem), _are_rates(problem)
    read = [_year_figures(table, row, rates) for row in rows]
    if not read or any(one != read[0] for one in read):
        return {}
    return {year: value for year, value in read[0].items() if abs(value) in wanted}


def _are_rates(problem: Problem) -> bool:
    """Whether the operands are percentages: all figures of their row that have the values of one."""
    table, rows = _along_years(problem)
    wanted = _wanted(problem)
    used = [
        figure.share
        for (row, _), figure in tables.figures(table).items()
        if row in rows and abs(figure.value) in wanted
    ]
    return bool(used) and all(used)


def _year_figures(table: Sequence[Sequence[str]], row: int, rates: bool) -> dict[int, Fraction]:
    """The amounts of a row, or its `rates`, by the year of their column; none where a year has two."""
    found: dict[int, Fraction] = {}
    for (at, column), figure in tables.figures(table).items():
        heads = [cell for cells in table[:row] for cell in cells[column : column + 1]]
        named = [year for cell in heads for year in years_of(cell)]
        if at != row or not named or figure.share != rates:
            continue
        if found.get(named[-1], figure.value) != figure.value:
            return {}
        found[named[-1]] = figure.value
    return found


CHECKS = (
    only_question_changed,
    answer_from_equation,
    question_words_kept,
    equation_is_a_step,
    last_operation_replaced,
    comparison_from_equation,
    comparison_holds,
    kinds_compared,
    table_comparison_holds,
    asked_figure_is_named,
)
