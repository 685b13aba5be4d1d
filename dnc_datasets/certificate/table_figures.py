"""Promises about a figure of a table: the cells of a question, found from its words and the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from dnc_datasets import expression, operand_links
from dnc_datasets.certificate import tables
from dnc_datasets.english.lexicon import CHANGE_NOUNS, MONTH
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Expr, Number
from dnc_datasets.problem import Problem

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


_WITHIN_A_YEAR = re.compile(
    r"\bquarters?\b|(?<!twelve )(?<!12 )\bmonths\b|(?<!52 )(?<!53 )\bweeks\b|\bhalf\b|\bq[1-4]\b",
    re.IGNORECASE,
)


def _changed_years(original: Problem) -> dict[int, Fraction]:
    """Return the two numbers of a percentage change by the years of the question, in rising order.

    Return none if a cell with one of the numbers is only in the column of another year.
    """
    asked = _FROM_TO.search(original.question)
    tree = _equation(original) if original.equation else None
    if asked is None or tree is None or not _GROWTH_ASKED.search(original.question):
        return {}
    if any(_WITHIN_A_YEAR.search(cell) for cells in original.table[:3] for cell in cells):
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
    """Return whether a column of this year has a figure of this size."""
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
    """Return whether a question without a year names one row with the answer as only figure or total."""
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
    """Return the years of a text. "FY19" is 2019."""
    found = _ANY_YEAR.findall(text)
    return [2000 + int(year[-2:]) if year.startswith("FY") else int(year) for year in found]


def _same_figure(original: Problem, perturbed: Problem) -> bool:
    """Return whether two questions name the same thing, apart from operation, years and comparison."""
    # "the total revenue" over three years may be their sum, or a figure of a row called "Total revenue".
    table, rows = _along_years(original)
    summed = not any("total" in table[row][0].lower() for row in rows)
    named = _figure(original.question, summed)
    other = _figure(perturbed.question, summed)
    if named[:1] == ["average"] != other[:1] and "average" in _TOKEN.findall(perturbed.question.lower()):
        named = named[
            1:
        ]  # the other question has no operation before the name: "was the average price higher"
    return bool(named) and named == other and not _names_change(perturbed)


def _names_change(perturbed: Problem) -> bool:
    """Return whether a question for a figure names a change that no label names.

    An example is "the average increase in costs".
    """
    named = [cells[0] for cells in perturbed.table if cells] + list(
        perturbed.table[0] if perturbed.table else ()
    )
    labels = {word for cell in named for word in _TOKEN.findall(cell.lower())}
    return any(
        word in CHANGE_NOUNS and word not in labels for word in _TOKEN.findall(perturbed.question.lower())
    )


def _figure(question: str, summed: bool) -> list[str]:
    """Return the words of a question that name its figure. If it is `summed`, "total" is left out."""
    text = _OPENING.sub(r"\g<owner>", _WHICH_YEAR.sub("", _with_noun(question)), count=1)
    text = _COMPARING.sub(" ", _PERIOD.sub(" ", text))
    words = [word for word in _TOKEN.findall(text.lower()) if word != "the"]
    if words[:2] == ["value", "of"]:
        words = words[2:]
    return [word for at, word in enumerate(words) if word != "total" or at > _OWNER or not summed]


def _with_noun(question: str) -> str:
    """Return the question with a noun for its operation.

    For example, "by what percent did rent grow" becomes a change in rent.
    """
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
_OWNER = 2  # number of words of "the company's"
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
    """Return the equation, or None if it cannot be read.

    A count of years such as "2019 - 2017 + 1" is replaced by its value.
    """
    text = _COUNT_OF_YEARS.sub(lambda found: str(int(found[1]) - int(found[2]) + 1), problem.equation)
    try:
        return expression.parse(text)
    except ExpressionError:
        return None


_COUNT_OF_YEARS = re.compile(r"\(((?:19|20)\d\d) - ((?:19|20)\d\d) \+ 1\)")


def _wanted(problem: Problem) -> set[Fraction]:
    """Return the numbers of the equation except its constants."""
    equation = _equation(problem) if problem.equation else None
    return (
        set(operand_links.operand_values(equation)) - operand_links.constants(equation) if equation else set()
    )


def _rows(table: Sequence[Sequence[str]], wanted: set[Fraction]) -> list[int]:
    """Return the rows that hold all these figures."""
    values: dict[int, set[Fraction]] = {}
    for (row, _), figure in tables.figures(table).items():
        values.setdefault(row, set()).add(abs(figure.value))
    return [row for row, some in values.items() if wanted and wanted <= some]


def _along_years(problem: Problem) -> tuple[Sequence[Sequence[str]], list[int]]:
    """Return the table with years above its columns, and the rows that hold the operands.

    The table is transposed if the years are labels.
    """
    wanted = _wanted(problem)
    rows = _rows(problem.table, wanted)
    if rows or len({len(cells) for cells in problem.table}) != 1:
        return problem.table, rows
    turned = tuple(zip(*problem.table, strict=True))
    rows = _rows(turned, wanted)
    things = {
        _DATE_WORDS.sub("", turned[0][column].lower())
        for (row, column), figure in tables.figures(turned).items()
        if row in rows and abs(figure.value) in wanted
    }
    # "granted in 2018" and "lost in 2019" are different things.
    return turned, rows if len(things) == 1 else []


_DATE_WORDS = re.compile(rf"\b(?:{MONTH}|\d{{1,4}}|of|at|as|in|ended|ending)\b|[,. ]", re.IGNORECASE)


def figures_by_year(problem: Problem) -> dict[int, Fraction]:
    """Return the operands of the equation by the year of their column. Return none if rows disagree."""
    table, rows = _along_years(problem)
    wanted, rates = _wanted(problem), _are_rates(problem)
    read = [_year_figures(table, row, rates) for row in rows]
    if not read or any(one != read[0] for one in read):
        return {}
    return {year: value for year, value in read[0].items() if abs(value) in wanted}


def _are_rates(problem: Problem) -> bool:
    """Return whether all figures with the values of the operands, in the operands' rows, are percentages."""
    table, rows = _along_years(problem)
    wanted = _wanted(problem)
    used = [
        figure.share
        for (row, _), figure in tables.figures(table).items()
        if row in rows and abs(figure.value) in wanted
    ]
    return bool(used) and all(used)


def _year_figures(table: Sequence[Sequence[str]], row: int, rates: bool) -> dict[int, Fraction]:
    """Return the amounts of a row, or its `rates`, by year. Return none if a year has two values."""
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


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (table_comparison_holds, asked_figure_is_named)
