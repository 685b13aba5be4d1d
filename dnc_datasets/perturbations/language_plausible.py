"""Language, plausible: numbers in digits become words as a writer would put them ("five dollars")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_datasets.certificate.numbers import SPELLED_IN
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import AFTER_MONEY_AMOUNT, AFTER_SCALED_AMOUNTS, CASH_NOUNS
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity, cardinals, chinese
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers import names_and_dates as uncounted
from dnc_datasets.perturbations.numbers import numbered_things, reports
from dnc_datasets.perturbations.numbers.amounts import (
    CURRENCIES,
    currency_before,
    is_fixed_cell,
    is_label,
    is_prose,
    is_reference,
    is_year,
)
from dnc_datasets.problem import TEXT_FIELDS, Edit, Problem, splice
from dnc_datasets.tables.typed import fills_cell

_SPOKEN = frozenset(("cardinal", "decimal", "money", "percent", "ordinal"))
_SAID_AGAIN = re.compile(r" (?:dollars?|euros?|pounds?|yen|bucks)\b")
_NEXT_WORD = re.compile(r"\s+([A-Za-z]+)")
_ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)
_DETERMINER = re.compile(
    r"\b(?:an?|the|its|our|their|this|that|each|any|another|annual|his|her|my|every|remaining|old|new) $",
    re.IGNORECASE,
)
# "a one", "a hundred", but "an eight", "an eleven", "an eighty".
_VOWEL = re.compile(r"eight|eleven")
# "It is currently 2021.": a number that counts nothing there.
_YEAR_BEFORE = re.compile(r"\b(?:currently|now|year|years|since|until|in|by|from|of|and|to) $")
_YEAR_AFTER = re.compile(r"[.,;?!]|$")
_SCALED = re.compile(r"([0-9.,]+) (dozen|thousand|million|billion|trillion)")
# "5,000 thousands": the number counts a scale, and "five thousand thousands" is no English.
# Nor is "(five dollars) million".
_SCALE_AFTER = re.compile(r" (?:thousand|million|billion)s\b|\) (?:thousand|million|billion)\b")
# A ratio, a range or a minus: "1:4", "20–25", "–19%". The backtick represents rupees in some reports.
_RATIO = frozenset(("/", ":", "–", "−"))
_SIGNED = _RATIO | {"`"}
# "27 °C", "38 m2", "600 MHz", "3-of-4", and the decimal comma of other languages, "38,2%".
_SYMBOL_AFTER = re.compile(r" ?(?:°|[kMGT]?(?:Hz|Wh?|B)\b|[a-z]{1,2}[23²³]\b)|,\d|-of-\d")
# "ten oz" is read nowhere.
_ABBREVIATED_UNIT = re.compile(r"[ -]?(?:mg|mm|mph|oz|sq)\b")
# "38,2", "3-of-4", "USD 74 billion".
_SYMBOL_BEFORE = re.compile(r"\d,$|\d-of-$|\b(?:[A-Z]{2,3}|Rs\.?) ?$")
# "the 10th Cavalry" is a name.
_NAME_AFTER = re.compile(
    r"(?: [A-Z][a-z]+)? (?:Cavalry|Infantry|Army|Division|Battalion|Squadron|Regiment|Corps|Brigade|Fleet|Force|"
    r"Amendment|Congress|District|Avenue|Street|Ward)\b"
)
# A full stop after these ends no sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:[A-Z]|approx|ca|c|vs|St|Mrs?|Ms|Dr|Gen|Lt|Col|Capt|e\.g|i\.e))\.$")
_IN_BRACKETS = re.compile(r"[$€£¥] ?\( ?$")
_TABLE_SCALES = frozenset(("thousand", "million", "billion"))
_IN_A_SCALE = re.compile(
    r"\bin (?:thousands|millions|billions)\b|\b(?:thousands|millions|billions) of\b", re.IGNORECASE
)
_MANY_DIGITS = 4
_LIST = re.compile(r",? (?:and |or )?")
_BEFORE = 6


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
        else:
            scaled = report and (
                problem.note("table_scale") in _TABLE_SCALES or _IN_A_SCALE.search(problem.body) is not None
            )
            # By position, so that it is remembered.
            spelled = _spelled_text(text, prose, path.startswith("table."), False, report, scaled)
        if spelled != text:
            changes[path] = spelled
    if not changes and not (other or in_chinese or prose):
        # "one point five dollars" is said only where a problem has no other number to say.
        said = {path: _spelled_text(text, prose, False, cents=True) for path, text in problem.texts(scope)}
        changes = {path: text for path, text in said.items() if text != dict(problem.texts(scope))[path]}
    if not changes:
        return None
    made = problem.with_texts(changes)
    # The certificate spells again what it cannot read.
    return made.replace(meta=(*made.meta, (SPELLED_IN, language))) if other else made


# Many questions share a passage, so what was made of a text is kept.
@memoized
def _spelled_text(
    text: str,
    prose: bool,
    in_table: bool,
    cents: bool = False,
    report: bool = False,
    scaled: bool = False,
) -> str:
    found = numerals.find(text)
    small = reports.folded(text) if report and not in_table else ""
    edits = [
        _spelled(text, quantity, prose)
        for at, quantity in enumerate(found)
        if quantity.kind in _SPOKEN
        and quantity.in_digits
        and numerals.can_spell(quantity.value)
        and not _runs_on(text, found, at)
        and not is_label(text, quantity.start, quantity.end)
        and not numbered_things.is_label(text, quantity.start, quantity.end)
        and not _ABBREVIATED_UNIT.match(text, quantity.end)
        and text[quantity.end : quantity.end + 1] not in _RATIO
        and text[quantity.start - 1 : quantity.start] not in _SIGNED
        and not (prose and _is_fixed(text, quantity))
        and (not small or reports.is_amount(small, quantity.start, quantity.end))
        and not (small and _reads_badly(text, quantity, scaled))
        and (prose or in_table or _can_be_said(text, quantity, cents))
        and not (in_table and not _is_plain_cell(text, quantity))
    ]
    return _sound_text(text, edits)


def _sound_text(text: str, edits: Sequence[Edit]) -> str:
    """The text with those of the edits that keep its values."""
    if not edits:
        return text
    spelled = splice(text, edits)
    if _same_values(spelled, text):
        return spelled
    # "1 of her trees" would become "one of her trees", where "one" counts nothing: such an edit is left out.
    spelled = splice(text, _sound(text, edits))
    return spelled if _same_values(spelled, text) else text


def _sound(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that keep the values; of a list such as "the 1, 5 and 10" all or none."""
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
    """Whether words can stand for a number of a story: no year, and "one point five dollars" only with `cents`."""
    start, end = quantity.start, quantity.end
    if currency_before(text, start) and not quantity.is_integer and not cents:
        return False
    if is_year(quantity.text) and quantity.text >= "1900" and _YEAR_AFTER.match(text, end):
        return _YEAR_BEFORE.search(text, max(0, start - 12), start) is None
    article = _ARTICLE.search(text, max(0, start - 4), currency_start(text, start))
    return article is None or (len(article[0]) == 3) == bool(_VOWEL.match(numerals.spell(quantity.value)))


def currency_start(text: str, start: int) -> int:
    """Where the number begins with the sign of money before it."""
    sign = currency_before(text, start)
    return text.rindex(sign, 0, start) if sign else start


def _is_plain_cell(text: str, quantity: Quantity) -> bool:
    """Whether words can stand for the whole cell: "$5", "(13)", but not "$ (13)", "(3)%" or "Level 1"."""
    start, end = quantity.start, quantity.end
    signed = any(sign in text for sign in CURRENCIES) and not currency_before(text, start)
    return fills_cell(text, start, end) and not signed and (")%" not in text) and " %" not in text


def _is_fixed(text: str, quantity: Quantity) -> bool:
    """Whether the number of a report is a year, points at something or belongs to a name or a phrase."""
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
    if is_year(quantity.text) or is_reference(text, start, end) or uncounted.has_spoken_label(text, start):
        return True
    if numbered_things.is_score_or_title(text, start, end) and not quantity.text.startswith("$"):
        return True
    return uncounted.is_early_year(text, start, end) or uncounted.is_silent_name(text, start, end)


def _reads_badly(text: str, quantity: Quantity, scaled: bool) -> bool:
    """Whether an amount of a report stays in digits.

    In a report in thousands, "$30,000" would become thirty thousand dollars. "3,941.5 million" is long in words, and an
    amount before its noun needs its sign: "$61.6 million operating losses".
    """
    in_scale = _SCALED.fullmatch(quantity.text)
    digits = in_scale[1].replace(",", "") if in_scale else ""
    if digits and len(digits.replace(".", "").strip("0")) >= _MANY_DIGITS:
        return True
    if not currency_before(text, quantity.start):
        return False
    if scaled and not in_scale:
        return True
    following = _NEXT_WORD.match(text, quantity.end)
    return (
        in_scale is not None
        and following is not None
        and following[1].lower() not in AFTER_MONEY_AMOUNT
        and not following[1].endswith(("ed", "ing", "ly"))
        and following[1].lower() not in AFTER_SCALED_AMOUNTS
    )


def _has_cents(quantity: Quantity) -> bool:
    """Whether money has cents ("$1.22"), or decimals in a scale that only the table states ("$ 233.6")."""
    return "." in quantity.text and not quantity.text[-1:].isalpha()


def _runs_on(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Whether another number is right beside this one: "20 5-cent coins" must not become 25."""
    here = found[at]
    before = text[found[at - 1].end : here.start] if at else "..."
    after = text[here.end : found[at + 1].start] if at + 1 < len(found) else "..."
    return not (before.strip(" -$") and after.strip(" -$"))


def _spelled(text: str, quantity: Quantity, prose: bool) -> Edit:
    start, end = quantity.start, quantity.end
    if quantity.kind == "ordinal":
        words = numerals.spell_ordinal(int(quantity.value))
        if _NAME_AFTER.match(text, end):
            words = words.capitalize()
    elif scaled := _SCALED.fullmatch(quantity.text):
        # "74.2 billion" is said as it is written.
        words = f"{numerals.spell(numerals.parse(scaled[1]) or 0)} {scaled[2]}"
    else:
        words = numerals.spell(quantity.value)
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha():
        words = words.replace(" ", "-")
    if sign := currency_before(text, start):
        start = currency_start(text, start)
        unit, plural = CURRENCIES[sign]
        if _SAID_AGAIN.match(text, end):
            pass  # "$5 dollars"
        elif _describes(text, start, end, prose):
            words = f"{words.replace(' ', '-') if quantity.is_integer else words}-{unit}"
        else:
            words = f"{words} {unit if quantity.value == 1 else plural}"
    if text[end : end + 1] == "%":
        words, end = f"{words} percent", end + 1
    return Edit(start, end, words[0].upper() + words[1:] if _opens_sentence(text, start) else words)


def _describes(text: str, start: int, end: int, prose: bool) -> bool:
    """Whether an amount of money describes a thing: "a $5 ticket", but not "a profit of $5 related to"."""
    following = _NEXT_WORD.match(text, end)
    if following is None:
        return False
    if not _DETERMINER.search(text, max(0, start - 12), start):
        return not prose and following[1] in CASH_NOUNS  # "$20 bills", but "saved $20 toward"
    if following[1][0].isupper():  # "a $59 CD player", but not "He paid Ann $59 Monday"
        return _ARTICLE.search(text, max(0, start - 3), start) is not None
    # "The $5 allocated to it"
    return following[1] not in AFTER_MONEY_AMOUNT and not following[1].endswith(
        ("ing", "ed") if prose else "ing"
    )


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'(")
    return not before or (before[-1] in ".!?\n" and not _ABBREVIATION.search(before[-8:]))


_KINDS = frozenset(("cardinal", "decimal", "fraction", "percent"))
# Dates, times and discounts; 3千 and 5万 go on.
_GOES_ON = frozenset("月日号点折时百千万亿几多来余:：/-–—~～°,.％")
_THOUSANDS_OF = ("千米", "千克", "千瓦")  # units, not thousands
_JOINED = frozenset("第周期:：/-–—~～#$¥￥€£.,")
_PERCENT = "%"


def chinese_edits(text: str) -> list[Edit]:
    """12个 -> 十二个, 5% -> 百分之五, 3/4 -> 四分之三.

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
    """12 Hefte -> zwölf Hefte: whole numbers that stand alone, but for years and those that end in one."""
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
