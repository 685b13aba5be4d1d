"""Language, plausible: numbers in digits become words in the style of a writer ("five dollars")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_datasets.certificate.numbers import SPELLED_IN
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity, cardinals, chinese
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers import (
    amounts_in_words,
    numbered_things,
    report_reach,
    report_style,
    reports,
)
from dnc_datasets.perturbations.numbers import names_and_dates as uncounted
from dnc_datasets.perturbations.numbers.amounts import (
    CURRENCIES,
    currency_before,
    is_fixed_cell,
    is_label,
    is_prose,
    is_reference,
    is_year,
)
from dnc_datasets.perturbations.numbers.report_reach import REACHES, Reach
from dnc_datasets.problem import TEXT_FIELDS, Edit, Problem, splice
from dnc_datasets.tables.typed import fills_cell, typed

_SPOKEN = frozenset(("cardinal", "decimal", "money", "percent", "ordinal"))
_ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)
# "a one", "a hundred", but "an eight", "an eleven", "an eighty".
_VOWEL = re.compile(r"eight|eleven")
# "It is currently 2021.": a number that is not a count.
_YEAR_BEFORE = re.compile(r"\b(?:currently|now|year|years|since|until|in|by|from|of|and|to) $")
_YEAR_AFTER = re.compile(r"[.,;?!]|$")
# "5,000 thousands": the number counts a scale, and "five thousand thousands" is no English.
# Nor is "(five dollars) million".
_SCALE_AFTER = re.compile(r" (?:thousand|million|billion)s\b|\) (?:thousand|million|billion)\b")
# A ratio, a range or a minus: "1:4", "20–25", "–19%". The backtick represents rupees in some reports.
_RATIO = frozenset(("/", ":", "–", "−"))
_SIGNED = _RATIO | {"`"}
# "27 °C", "38 m2", "600 MHz", "3-of-4", and the decimal comma of other languages, "38,2%".
_SYMBOL_AFTER = re.compile(r" ?(?:°|[kMGT]?(?:Hz|Wh?|B)\b|[a-z]{1,2}[23²³]\b)|,\d|-of-\d")
# "ten oz" is not used.
_ABBREVIATED_UNIT = re.compile(r"[ -]?(?:mg|mm|mph|oz|sq)\b")
# "38,2", "3-of-4", "USD 74 billion".
_SYMBOL_BEFORE = re.compile(r"\d,$|\d-of-$|\b(?:[A-Z]{2,3}|Rs\.?) ?$")
# The “More than 5 years” category: a quoted heading is unchanged.
_QUOTE_BEFORE = re.compile(r"“[^”]{0,30}$")
_QUOTE_AFTER = re.compile(r"[^“”]{0,30}”")
_QUOTED = 31
_IN_BRACKETS = re.compile(r"[$€£¥] ?\( ?$")
_TABLE_SCALES = frozenset(("thousand", "million", "billion"))
_IN_A_SCALE = re.compile(
    r"\bin (?:[a-z]+ )?(?:thousands|millions|billions)\b|\b(?:thousands|millions|billions) of\b|\b000['’]?s\b|"
    r"[$€£]\s?(?:000|m\b|millions?\b)",
    re.IGNORECASE,
)
_LIST = re.compile(r",? (?:and |or )?")
_BEFORE = 6
# Decimals said in words in one text: two, or the three of a list of years where nothing else can be in words.
_MOST_DECIMALS = (2, 3)


@perturbation(
    "language_plausible",
    draw_key="language",
    capability=Capability.NUMBER_DETECTION,
    promises=("target_kept", "values_kept"),
    reaches_cells=True,
    qualifies="rows without a number in digits remain unchanged",
)
def spell_plausibly(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, language: str = ""
) -> Problem | None:
    """12 pens -> twelve pens: the same value in words ("$5" -> "five dollars", "5%" -> "five percent").

    Chinese is seen by its characters (12个 -> 十二个); any other `language` but English is named, by its code.
    """
    changes = {}
    prose, report = is_prose(problem), bool(problem.table)
    other = language not in ("", "en", "zh")
    in_chinese = language == "zh" or (not language and is_chinese(f"{problem.question}{problem.body}"))
    if other:
        cardinals.check(language)
    for path, text in problem.texts(scope):
        if is_fixed_cell(problem, path):
            continue
        if other:
            spelled = splice(text, foreign_edits(text, language))
        elif in_chinese:
            spelled = _sound_text(text, chinese_edits(text))
        elif report and not path.startswith("table."):
            continue  # below
        else:
            # By position, so that it is remembered.
            spelled = _spelled_text(text, prose, path.startswith("table."))
        if spelled != text:
            changes[path] = spelled
    if report and not (other or in_chinese):
        changes = _in_agreeing_cells(problem, changes) | _changes_of_report(problem, scope)
    if not changes and not (other or in_chinese or prose):
        # "one point five dollars" is used only if a problem has no other number to spell.
        said = {path: _spelled_text(text, prose, False, True) for path, text in problem.texts(scope)}
        changes = {path: text for path, text in said.items() if text != dict(problem.texts(scope))[path]}
    if not changes:
        return None
    made = problem.with_texts(changes)
    # The certificate re-spells texts that it cannot read.
    return made.replace(meta=(*made.meta, (SPELLED_IN, language))) if other else made


def _in_agreeing_cells(problem: Problem, changes: dict[str, str]) -> dict[str, str]:
    """Return the changed cells of those kinds of which all cells can be in words.

    A table does not mix digits and words.
    """
    read = typed(problem.table)
    in_digits = {
        read.kinds[row, column] for row, column in read.numbers if f"table.{row}.{column}" not in changes
    }
    kinds = {f"table.{row}.{column}": kind for (row, column), kind in read.kinds.items()}
    return {path: text for path, text in changes.items() if kinds.get(path) not in in_digits}


def _changes_of_report(problem: Problem, scope: Sequence[str]) -> dict[str, str]:
    """The texts of a report with numbers in words, longer ones only where the report has no shorter one."""
    shown = f"{problem.body} {' '.join(cell for row in problem.table for cell in row)}"
    stated = _IN_A_SCALE.search(shown) is not None
    scaled = stated or problem.note("table_scale") in _TABLE_SCALES
    texts = {path: text for path, text in problem.texts(scope) if not path.startswith("table.")}
    for most in _MOST_DECIMALS:
        for reach in (None, *REACHES):
            spelled = {
                path: _spelled_report(text, scaled, reach, stated, most) for path, text in texts.items()
            }
            if changes := {path: made for path, made in spelled.items() if made != texts[path]}:
                return changes
    return {}


# Many questions share a passage, so the result for a text is cached.
@memoized
def _spelled_text(text: str, prose: bool, in_table: bool, cents: bool = False) -> str:
    found = numerals.find(text)
    return _sound_text(
        text,
        [
            amounts_in_words.spelled(text, quantity, prose)
            for at, quantity in enumerate(found)
            if _can_be_words(text, found, at)
            and not (prose and _is_fixed(text, quantity, in_table))
            and (prose or in_table or _can_be_said(text, quantity, cents))
            and not (in_table and not _is_plain_cell(text, quantity))
        ],
    )


def _can_be_words(text: str, found: Sequence[Quantity], at: int) -> bool:
    quantity = found[at]
    return (
        quantity.kind in _SPOKEN
        and quantity.in_digits
        and numerals.can_spell(quantity.value)
        and not _runs_on(text, found, at)
        and not is_label(text, quantity.start, quantity.end)
        and not numbered_things.is_label(text, quantity.start, quantity.end)
        and not _ABBREVIATED_UNIT.match(text, quantity.end)
        and text[quantity.end : quantity.end + 1] not in _RATIO
        and text[quantity.start - 1 : quantity.start] not in _SIGNED
    )


@memoized
def _spelled_report(text: str, scaled: bool, reach: Reach | None, stated: bool, most: int) -> str:
    """The text of a report with small counts and round amounts in words, or with the numbers of a reach.

    Where the report is in a scale, `scaled`, money that does not name one is in that scale, or may be unless the scale
    is not `stated` and the text writes "$710,000" beside "$2.2 million".
    """
    whole = not stated and reach is not None and report_reach.states_whole_amounts(text, numerals.find(text))
    edits = _report_edits(text, scaled and not whole)
    chosen = [edits[at] for at in sorted(report_style.chosen(text, numerals.find(text), edits, reach))]
    chosen = _with_few_decimals(text, chosen, most)
    spelled = splice(text, chosen)
    if _same_values(spelled, text):
        return spelled
    kept: list[Edit] = []
    for start, end in sentence_spans(text):
        inside = [edit for edit in chosen if start <= edit.start < end]
        if inside and _same_values(splice(text, inside), text):
            kept += inside
    return _sound_text(text, kept)


def _with_few_decimals(text: str, edits: Sequence[Edit], left: int) -> list[Edit]:
    """The edits of paragraphs with at most `left` decimals together, "one point six percent", shortest first."""
    lines: dict[int, list[Edit]] = {}
    for edit in edits:
        lines.setdefault(text.count("\n", 0, edit.start), []).append(edit)
    kept: list[Edit] = []
    for line in sorted(lines.values(), key=_decimals):
        if (number := _decimals(line)) <= left:
            kept += line
            left -= number
    return sorted(kept, key=lambda edit: edit.start)


def _decimals(edits: Sequence[Edit]) -> int:
    return sum("point " in edit.new.replace("-", " ") for edit in edits)


@memoized
def _report_edits(text: str, scaled: bool) -> dict[int, Edit]:
    """Return the edits of all numbers of a report that can be in words, by index."""
    found, small = numerals.find(text), reports.folded(text)
    edits = {
        at: amounts_in_words.spelled(text, quantity, True, report=True)
        for at, quantity in enumerate(found)
        if _can_be_words(text, found, at)
        and not _is_fixed(text, quantity)
        and report_style.is_countable(small, found, at)
        and not _states_other_scale(text, quantity, scaled)
    }
    return {at: edit for at, edit in edits.items() if _same_values(splice(text, [edit]), text)}


def _sound_text(text: str, edits: Sequence[Edit]) -> str:
    """Return the text after those edits that keep its values."""
    if not edits:
        return text
    spelled = splice(text, edits)
    if _same_values(spelled, text):
        return spelled
    # "1 of her trees" would become "one of her trees", where "one" is no number: such an edit is omitted.
    spelled = splice(text, _sound(text, edits))
    return spelled if _same_values(spelled, text) else text


def _sound(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that keep the values. A list such as "the 1, 5 and 10" has all its edits or none."""
    lists: list[list[Edit]] = []
    for edit in edits:
        if lists and _LIST.fullmatch(text, lists[-1][-1].end, edit.start):
            lists[-1].append(edit)
        else:
            lists.append([edit])
    return [
        edit
        for group in lists
        if all(_same_values(splice(text, [edit]), text) for edit in group)
        for edit in group
    ]


def _same_values(text: str, other: str) -> bool:
    return [q.ratio for q in numerals.find(text)] == [q.ratio for q in numerals.find(other)]


def _can_be_said(text: str, quantity: Quantity, cents: bool) -> bool:
    """Return whether words can replace a number of a story: not a year.

    "one point five dollars" needs `cents`.
    """
    start, end = quantity.start, quantity.end
    if currency_before(text, start) and not quantity.is_integer and not cents:
        return False
    if is_year(quantity.text) and quantity.text >= "1900" and _YEAR_AFTER.match(text, end):
        return _YEAR_BEFORE.search(text, max(0, start - 12), start) is None
    article = _ARTICLE.search(text, max(0, start - 4), amounts_in_words.currency_start(text, start))
    return article is None or (len(article[0]) == 3) == bool(_VOWEL.match(numerals.spell(quantity.value)))


def _is_plain_cell(text: str, quantity: Quantity) -> bool:
    """Return whether words can replace the entire cell: "$5", "(13)".

    They cannot for "$ (13)", "(3)%" or "Level 1".
    """
    start, end = quantity.start, quantity.end
    signed = any(sign in text for sign in CURRENCIES) and not currency_before(text, start)
    return fills_cell(text, start, end) and not signed and (")%" not in text) and " %" not in text


def _is_fixed(text: str, quantity: Quantity, in_table: bool = False) -> bool:
    """Return whether the number of a report is a year or a reference, or part of a name or a phrase."""
    start, end = quantity.start, quantity.end
    if _SYMBOL_AFTER.match(text, end) or _SYMBOL_BEFORE.search(text, max(0, start - _BEFORE), start):
        return True
    if uncounted.in_phrase(text, start, end) or _SCALE_AFTER.match(text, end):
        return True
    if _IN_BRACKETS.search(text, max(0, start - _BEFORE), start):
        return True  # "$ ( 13332 )"
    if sign := currency_before(text, start):
        return (
            text[end : end + 1].isalpha()
            or text[: text.rindex(sign, 0, start)][-1:] in _RATIO  # "€1:£0.88"
            or _has_cents(quantity)
        )
    if _QUOTE_BEFORE.search(text, max(0, start - _QUOTED), start) and _QUOTE_AFTER.match(text, end):
        return True
    if in_table:  # the table says which of its cells are years
        return False
    if is_year(quantity.text) or is_reference(text, start, end) or uncounted.has_spoken_label(text, start):
        return True
    if numbered_things.is_score_or_title(text, start, end) and not quantity.text.startswith("$"):
        return True
    return uncounted.is_early_year(text, start, end) or uncounted.is_silent_name(text, start, end)


def _states_other_scale(text: str, quantity: Quantity, scaled: bool) -> bool:
    """Return whether "$30,000" of a report in thousands would become thirty thousand dollars."""
    return (
        scaled and not amounts_in_words.is_in_scale(quantity) and bool(currency_before(text, quantity.start))
    )


def _has_cents(quantity: Quantity) -> bool:
    """Return whether money has cents ("$1.22"), or decimals in a scale that the table states ("$ 233.6")."""
    return "." in quantity.text and not quantity.text[-1:].isalpha()


def _runs_on(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Return whether another number is adjacent to this one: "20 5-cent coins" must not become 25."""
    here = found[at]
    before = text[found[at - 1].end : here.start] if at else "..."
    after = text[here.end : found[at + 1].start] if at + 1 < len(found) else "..."
    if at and report_reach.states_year(text, found[at - 1], here):
        before = "..."  # "(2018 $5 million)"
    return not (before.strip(" -$") and after.strip(" -$"))


_KINDS = frozenset(("cardinal", "decimal", "fraction", "percent"))
# Dates, times and discounts; 3千 and 5万 go on.
_GOES_ON = frozenset("月日号点折时百千万亿几多来余:：/-–—~～°,.％")
_THOUSANDS_OF = ("千米", "千克", "千瓦")  # units, not thousands
_JOINED = frozenset("第周期:：/-–—~～#$¥￥€£.,")
_PERCENT = "%"


def chinese_edits(text: str) -> list[Edit]:
    """Return the edits that write numbers in Chinese numerals: 12个 -> 十二个, 5% -> 百分之五, 3/4 -> 四分之三.

    >>> [edit.new for edit in chinese_edits("他用2小时走了12千米，到3月5日")]
    ['两', '十二']
    """
    edits = []
    for quantity in numerals.find(text):
        before, after = _around(text, quantity)
        if quantity.kind not in _KINDS or not quantity.in_digits or not chinese.can_spell(quantity.value):
            continue
        if before in _JOINED or (before.isascii() and before.isalpha()):
            continue
        if after == _PERCENT:
            edits.append(Edit(quantity.start, quantity.end + 1, f"百分之{chinese.spell(quantity.value)}"))
            continue
        unit = text.startswith(_THOUSANDS_OF, quantity.end)
        if (after in _GOES_ON and not unit) or (after.isascii() and after.isalnum()):
            continue
        if after == "年" and is_year(quantity.text):
            continue
        counting = chinese.is_counted(text[quantity.end : quantity.end + 2])
        edits.append(Edit(quantity.start, quantity.end, chinese.spell(quantity.value, counting=counting)))
    return edits


def foreign_edits(text: str, language: str) -> list[Edit]:
    """Return the edits that write independent integers in another language: 12 Hefte -> zwölf Hefte.

    Years and integers that end in one are excluded.
    """
    edits = []
    for quantity in numerals.find(text):
        before, after = _around(text, quantity)
        plain = quantity.kind == "cardinal" and quantity.text.isdigit() and not is_year(quantity.text)
        alone = (not before or before in " (\n\"'") and (not after or after in " .,;:?!)\n\"'")
        # "7,3" and "1.050" are one number in most languages.
        goes_on = text[quantity.end + 1 : quantity.end + 2].isdigit() and after in (",", ".")
        if plain and alone and not goes_on and cardinals.can_spell(int(quantity.text)):
            words = cardinals.spell(int(quantity.text), language)
            opens = not text[: quantity.start].rstrip(" (\"'") or text[: quantity.start].rstrip()[-1] in ".!?"
            edits.append(Edit(quantity.start, quantity.end, words[0].upper() + words[1:] if opens else words))
    return edits


def _around(text: str, quantity: Quantity) -> tuple[str, str]:
    return text[max(0, quantity.start - 1) : quantity.start], text[quantity.end : quantity.end + 1]
