"""Order over tables: paragraphs and independent rows change places, and the links to them follow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

from dnc_datasets import numerals, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import MONTH, MONTH_ABBREVIATIONS, any_of
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.table_values import with_note
from dnc_datasets.perturbations.tables.period_columns import column_orders, speaks_of_places
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed
from dnc_datasets.tables.typed import YEARS, keeps_its_place

# A heading has no end mark. A paragraph that ends in a colon belongs to the next one.
_ENDS = re.compile(r"[.!?][\"'”’)]*\Z")
# "(1) Includes", "2 See", "* Amounts", "Notes:", "• growth", "A Leasing activity": the place is relevant.
_MARKED = re.compile(r"\(?(?:\w{1,3}|[ivx]+)\) |\d{1,2}[. ]|[*•–—−-]|[A-Za-z] [A-Z]|Notes?\b|\(|[¹²³⁰-⁹]")
# A paragraph with one of these words in its first sentence depends on the one before it.
_LEANS = re.compile(
    r"\A(?:However|In addition|Additionally|Further|Furthermore|Also|Accordingly|As a result|Therefore|Thus|"
    r"Similarly|Conversely|Finally|Moreover|In contrast|Other|Within|Partly|Partially|Offset|Still|Yet|Nevertheless|"
    r"The (?:remaining|remainder|other|new|latter|increase|decrease|change|growth|decline)s?|"
    r"Under the|It|They|Both|Each|Had|Sequentially|On an? [a-z-]+ basis)\b|"
    r"\b(?:this|these|those|such|aforementioned|foregoing|above|also|following|the same|latter|former|said)\b",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"(?:\bfollowing tables?\b|\bas follows\b|\b(?:tables?|shown|set forth) below\b)[^.]{0,300}\.\Z|:[ .]*\Z",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r".*?[.!?](?= |\Z)", re.DOTALL)
# "Interest income. Interest income decreased", "Cash flows used in investing activities—We paid", "Rent: We".
_RUN_IN_HEADING = re.compile(
    r"[A-Z][^.!?:;—–$\d]{2,70}(?:\.|:| ?[—–])\s*[A-Z]|(?:Fiscal|Year) \d|\d{4} (?:vs|compared)"
)
# "Network distribution Our fees are": a capital in the middle opens the sentence after a heading.
_HEADING_BEFORE_SENTENCE = re.compile(
    r"(?!(?:In|On|At|As|For|During|Since|Under|After|Before|By|With|When|If|To|From|Of)\b)"
    r"[A-Z][^.!?:;,\d$]{2,60} (?:The|We|Our|In|As|For|During|An?|This|These|Under|There|Its|At|On) [a-z]"
)
_LONGEST_HEADING = 5
# "The quantitative test is": what two words name has been named before.
_NAMED_THING = re.compile(r"The ([A-Za-z-]+ [A-Za-z-]+)\b")
_DEFINES = re.compile(
    r"\bdefine(?:s|d)?\b|\b(?:is|are) determined by\b|\AOverall\b|\AIn total\b", re.IGNORECASE
)
_LONGEST_TITLE = 12
# (the “Tax Act”): uses of the name must follow its definition.
_DEFINED = re.compile(r"[“\"‘']([^”\"’']{2,40})[”\"’']\)")


@perturbation(
    "order",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "parts_rearranged", "links_follow"),
    shapes=("table",),
)
def rearrange(problem: Problem, draw: Draw) -> Problem | None:
    """Neighbouring paragraphs and rows that are self-contained change places; the numbers stay.

    Headings, notes, subtotals and whatever leans on its neighbour keep their places, and nothing
    moves past them. If nothing can move so, columns of years, dates or periods are reversed.
    """
    parts = operand_links.paragraphs(problem.body)
    paragraph_order = _order(
        len(parts), [[range(at, at + 1) for at in run] for run in _paragraph_runs(parts)], draw
    )
    row_order = _order(
        len(problem.table), [_families(problem.table, run) for run in _movable_runs(problem.table)], draw
    )
    moves = {
        **{f"body.{old}": f"body.{new}" for new, old in enumerate(paragraph_order)},
        **{f"table.{old}": f"table.{new}" for new, old in enumerate(row_order)},
    }
    table = tuple(problem.table[old] for old in row_order)
    body = operand_links.PARAGRAPH_BREAK.join(parts[old] for old in paragraph_order)
    if (body, table) == (problem.body, problem.table):
        return _with_columns_reversed(problem)
    return _rearranged(problem, body, table, moves)


def _with_columns_reversed(problem: Problem) -> Problem | None:
    """Return the problem with its columns reversed: 2019, 2018, 2017 -> 2017, 2018, 2019."""
    orders = column_orders(problem.table)
    if not orders or speaks_of_places(problem):
        return None
    table = tuple(tuple(row[old] for old in order) for row, order in zip(problem.table, orders, strict=True))
    moves = {
        f"table.{row}.{old}": f"table.{row}.{new}"
        for row, order in enumerate(orders)
        for new, old in enumerate(order)
    }
    return _rearranged(problem, problem.body, table, moves)


def _rearranged(
    problem: Problem, body: str, table: tuple[tuple[str, ...], ...], moves: dict[str, str]
) -> Problem:
    known = {value: _moved(link, moves) for value, link in operand_links.stored(problem).items()}
    return problem.replace(
        body=body,
        table=table,
        evidence=tuple(_moved(link, moves) for link in problem.evidence),
        meta=with_note(problem, "operands", operand_links.to_note(known)),
    )


def _moved(link: str, moves: dict[str, str]) -> str:
    if link in moves:
        return moves[link]
    field, first, *rest = [*link.split("."), ""]
    place = moves.get(f"{field}.{first}")
    return link if place is None else ".".join([place, *rest[:-1]])


def _order(count: int, runs: Sequence[Sequence[range]], draw: Draw) -> list[int]:
    """Return the old indices in new order, with the families of each run and their parts rearranged."""
    order = list(range(count))
    for families in runs:
        shuffled = [at for family in draw.shuffled(families) for at in draw.shuffled(family)]
        run = [at for family in families for at in family]
        if shuffled == run:
            first = len(families[0]) if len(families) > 1 else 1
            shuffled = [*run[first:], *run[:first]]
        order[run[0] : run[-1] + 1] = shuffled
    return order


def _paragraph_runs(parts: Sequence[str]) -> list[range]:
    """Return the places of neighbouring paragraphs that can be exchanged."""
    headed = [_opens_with_heading(text) for text in parts]
    fixed = [
        at for at in range(len(parts)) if headed[at] or _continues(parts, headed, at) or _stays(parts, at)
    ]
    bounds = pairwise([-1, *fixed, len(parts)])
    return [
        run
        for before, after in bounds
        for run in _of_same_years(parts, range(before + 1, after))
        if len(run) >= _FEWEST_MOVED
    ]


def _of_same_years(parts: Sequence[str], run: range) -> list[range]:
    """Return a run, split where the latest year in the first sentences changes."""
    cuts, latest = [run.start], ""
    for at in run:
        year = max(YEARS.findall(_first_sentence(parts[at])), default="")
        if year and latest and year != latest:
            cuts.append(at)
        latest = year or latest
    return [range(start, stop) for start, stop in pairwise([*cuts, run.stop])]


def _first_sentence(text: str) -> str:
    first = _FIRST_SENTENCE.match(text)
    return first[0] if first else text


def _stays(parts: Sequence[str], at: int) -> bool:
    """Return whether a paragraph must keep its place.

    It must if it is no prose, depends on another paragraph, or another paragraph depends on it.
    """
    text = parts[at]
    if (not at and len(parts) > _FEWEST_MOVED) or (
        at and _is_title(parts[at - 1]) and not _ENDS.search(parts[at - 1])
    ):
        return True  # the introduction of the text, or of its section
    if _DEFINES.search(text) or text[:1].islower() or _INTRODUCES.search(text):
        return True  # used by others, cut out of a page, or followed by its table
    if not _ENDS.search(text) or _MARKED.match(text) or _leans(text) or _names_for_others(parts, at):
        return True
    return at + 1 < len(parts) and not _MARKED.match(parts[at + 1]) and _leans(parts[at + 1])


def _opens_with_heading(text: str) -> bool:
    """Return whether a paragraph begins with a heading of some words: "Rent: We", "Gross profit Gross profit rose".

    >>> _opens_with_heading("Network distribution Our fees are due."), _opens_with_heading("Our fees are due.")
    (True, False)
    """
    if _RUN_IN_HEADING.match(text) or _HEADING_BEFORE_SENTENCE.match(text):
        return True
    first = [word.strip("-–—&").lower() for word in text.split(maxsplit=2 * _LONGEST_HEADING)]
    return any(
        first[:size] == first[size : 2 * size] for size in range(1, _LONGEST_HEADING + 1) if first[size:]
    )


def _continues(parts: Sequence[str], headed: Sequence[bool], at: int) -> bool:
    """Return whether a paragraph continues the one before, in a part with headings or by the thing it names."""
    if not headed[at] and any(headed[:at]) and any(headed[at + 1 :]):
        return True
    thing = _NAMED_THING.match(parts[at])
    return at > 0 and thing is not None and thing[1].lower() in parts[at - 1].lower()


def _is_title(text: str) -> bool:
    return text.count(" ") < _LONGEST_TITLE


def _leans(text: str) -> bool:
    first = _FIRST_SENTENCE.match(text)
    return first is not None and _LEANS.search(first[0]) is not None


def _names_for_others(parts: Sequence[str], at: int) -> bool:
    """Return whether a later paragraph uses a name that this one introduces."""
    return any(name in later for name in _DEFINED.findall(parts[at]) for later in parts[at + 1 :])


# A row with such a label is computed from others or has a fixed place.
_DEPENDS = re.compile(
    r"\b(?:sub-?total|total|totals|sum|net|gross|balances?|beginning|ending|end|opening|closing|less|plus|add|"
    r"deduct|therein|thereof|of which|including|excluding|profit|loss|margin|change|increase|decrease|average|"
    r"before|after|per|remaining|thereafter|within|later|first|second|third|fourth|quarter|year|years|"
    r"months?|days?|level|q[1-4]|fy ?\d\d|ebitda?|earnings|accumulated|allowance|adjusted|adjustments?|"
    r"income|results?|surplus|deficit|equity|outstanding|granted|vested|exercised|forfeited|high|low|minimum|maximum|"
    r"(?:operating|investing|financing) activities|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|%|\b(?:19|20)[0-9]{2}\b|:$|\A[\W\d]|\A[a-z](?:[.)]|\W*\Z)|\A(?:i{1,3}|iv|vi{0,3})[.)]|\A(?:all )?others?\b|"
    r"\A(?:basic|diluted|current|non-?current)\b|\((?:non-?)?current\)|"
    r"\A(?:revenues?|sales|net sales|turnover)[\W\d]*\Z|\Acosts? of (?:goods sold|sales|revenues?)\b|"
    r"\bcorporate\b|\beliminations?\b|\bunallocated\b|"
    r" (?:[a-z]|i{1,3}|iv|\d)\Z",
    re.IGNORECASE,
)
# "Balance at 1 January" and "Balance at 31 December", "2015 net revenue" and "2016 net revenue": an account between.
_BALANCE = re.compile(
    r"\bbalances?\b|\b(?:beginning|opening|start|end|ending|closing) of\b|\b(?:opening|closing|beginning|ending)\b|"
    r"\b(?:non|un)-?vested (?:at|as|shares|stock|rsus)|\boutstanding[ ,]+(?:at|as|beginning|end)",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"\b(?:19|20)\d\d\b|\b(?:{MONTH})\b(?: \d{{1,2}})?|\b(?:beginning|opening|start|end|ending|closing)\b|[\W\d]+",
    re.IGNORECASE,
)
_MONTH_ROW = re.compile(rf"(?:{any_of(MONTH_ABBREVIATIONS)}) ?\.? \d", re.IGNORECASE)
# Assets come before liabilities.
_OWNED = re.compile(
    r"\bcash\b|\breceivables?\b|\binventor(?:y|ies)\b|\bproperty\b|\bequipment\b|\bgoodwill\b|\bprepaid\b|\bassets?\b",
    re.IGNORECASE,
)
_OWED = re.compile(r"\bpayables?\b|\bliabilit(?:y|ies)\b|\baccrued\b|\bdebt\b|\bborrowings\b", re.IGNORECASE)
_CURRENCY_SIGNS = frozenset("$€£¥")
_TOTAL = re.compile(r"\b(?:sub-?)?total\b", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]{4}")
_NOTED = re.compile(r"\(\s?\w{1,2}\s?\)\s*\Z")  # notes follow in the order of their marks
_MARKETS = re.compile(
    r"\b(?:index|indices|s ?& ?p|nasdaq|nyse|dow jones|russell|peers?|composite|msci|ftse)\b", re.IGNORECASE
)
_REST = re.compile(r"(?:all )?others?\b|rest\b", re.IGNORECASE)
_MAX_TERMS = 12
_FEWEST_MOVED, _FEWEST_RANKED = 2, 5


def movable_runs(table: Sequence[Sequence[str]]) -> list[range]:
    """Return the runs of two or more neighbouring rows that may change places without a change of meaning."""
    groups = _groups(table)
    kept = _accounts(table) | _repeated(table) | _ranked(table)
    cuts = _group_bounds(table, groups) | _market_bounds(table)
    runs: list[range] = []
    start = 1  # the first row is always a heading
    for at in range(1, len(table) + 1):
        movable = at < len(table) and _stands_alone(table[at]) and not groups[at] and at not in kept
        if movable and at not in cuts:
            continue
        if at - start >= _FEWEST_MOVED and _is_closed(table, start, at) and _is_one_side(table[start:at]):
            runs.append(range(start, at))
        start = at if movable else at + 1
    return runs


# A table has several questions.
_movable_runs = memoized(movable_runs)


def _accounts(table: Sequence[Sequence[str]]) -> set[int]:
    """Return the rows of accounts, from an opening to a closing balance."""
    inside: set[int] = set()
    labels = [row[0].strip() if row else "" for row in table]
    balances = [at for at, label in enumerate(labels) if at and _BALANCE.search(label)]
    for first, last in pairwise(balances):
        inside |= {*range(first, last + 1)}
    inside |= {at for at, label in enumerate(labels) if _MONTH_ROW.match(label)}
    known: dict[str, int] = {}
    for at, label in enumerate(labels):
        if at and YEARS.search(label):
            name = _DATED.sub(" ", label.lower()).strip()
            if name in known:
                inside |= {*range(known[name], at + 1)}
            known[name] = at
    return inside


def _repeated(table: Sequence[Sequence[str]]) -> set[int]:
    """Return the rows with repeated labels: blocks of one table that list the same things in one order."""
    labels = Counter(row[0].strip().lower() for row in table if row)
    return {at for at, row in enumerate(table) if row and labels[row[0].strip().lower()] > 1}


def _ranked(table: Sequence[Sequence[str]]) -> set[int]:
    """The rows of a ranking: five or more neighbours, totals and the rest aside, that run by the size of an amount."""
    ranked: set[int] = set()
    start = 1
    for at in range(1, len(table) + 1):
        if at < len(table) and _is_item(table[at]):
            continue
        if at - start >= _FEWEST_RANKED:
            columns = zip(*([signed(cell) for cell in row[1:]] for row in table[start:at]), strict=False)
            if any(map(_is_sorted, columns)):
                ranked |= {*range(start, at)}
        start = at + 1
    return ranked


def _is_item(row: Sequence[str]) -> bool:
    """Return whether a row has a label and amounts, and is neither a total nor a remainder."""
    return (
        bool(row) and bool(row[0]) and not (_is_heading(row) or _TOTAL.search(row[0]) or _REST.match(row[0]))
    )


def _is_sorted(values: Sequence[Fraction | None]) -> bool:
    sizes = [value for value in values if value is not None]
    if len(sizes) < len(values) or len({*sizes}) < _FEWEST_RANKED:
        return False
    return sizes in (sorted(sizes), sorted(sizes, reverse=True))


def _market_bounds(table: Sequence[Sequence[str]]) -> set[int]:
    """Return the rows before which a list of comparison indices starts or ends."""
    market = [bool(row) and _MARKETS.search(row[0]) is not None for row in table]
    return {at for at in range(1, len(table)) if market[at] != market[at - 1]}


def _families(table: Sequence[Sequence[str]], run: range) -> list[range]:
    """Return a run split into families of neighbours with a common word, such as two kinds of leases.

    >>> _families((("Operating leases",), ("Capital leases",), ("Purchases",)), range(3))
    [range(0, 2), range(2, 3)]
    """
    found: list[range] = []
    shared: frozenset[str] = frozenset()
    for at in run:
        own = words(table[at][0])
        both = own & shared
        if found and both:
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
        shared = both or own
    return found


def _is_one_side(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether no row of assets is among rows of liabilities."""
    return not all(any(side.search(row[0]) for row in rows) for side in (_OWNED, _OWED))


def _stands_alone(row: Sequence[str]) -> bool:
    """Return whether the row is an item with a label and amounts, and not a heading or a sum."""
    if not row or not row[0] or _DEPENDS.search(row[0]) or _NOTED.search(row[0]) or keeps_its_place(row[0]):
        return False
    if any(quantity.kind in ("time", "date") for cell in row for quantity in numerals.find(cell)):
        return False  # a timetable has a fixed order
    # "Value Realized(1)" is a heading: its number marks a note.
    numbers = [quantity for cell in row[1:] if not _WORDS.search(cell) for quantity in numerals.find(cell)]
    return bool(numbers) and not all(YEARS.fullmatch(quantity.text) for quantity in numbers)


def _is_heading(row: Sequence[str]) -> bool:
    return bool(row) and bool(row[0]) and not any(numerals.find(cell) for cell in row[1:])


def _is_closed(table: Sequence[Sequence[str]], start: int, end: int) -> bool:
    """Return whether the extent of the heading above is clear: up to a total, a heading or the end."""
    if not _is_heading(table[start - 1]) or end == len(table):
        return True
    return not table[end][0] or _is_heading(table[end]) or _TOTAL.search(table[end][0]) is not None


def _group_bounds(table: Sequence[Sequence[str]], groups: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """Return the rows before which a group starts or ends.

    The rows of a group have a common sum or fill the same columns.
    """
    bounds = set()
    for at in range(1, len(table)):
        for first, last in groups[at]:
            bounds |= {first, last + 1}
        # Rows that fill other columns are parts of a row above, or the other way round.
        # A percent sign in the first row applies to those below it.
        # So is a currency sign, which only the first row of a block has; and assets come before liabilities.
        if any(
            marks(table[at]) != marks(table[at - 1]) for marks in (_filled, _percents, _currencies, _is_owed)
        ):
            bounds.add(at)
    return bounds


def _filled(row: Sequence[str]) -> list[bool]:
    return [bool(cell.strip()) for cell in row[1:]]


def _currencies(row: Sequence[str]) -> list[bool]:
    return [not _CURRENCY_SIGNS.isdisjoint(cell) for cell in row[1:]]


def _is_owed(row: Sequence[str]) -> list[bool]:
    """Return whether all amounts of a row are negative."""
    values = [value for cell in row[1:] if (value := signed(cell)) is not None]
    return [bool(values) and all(value <= 0 for value in values)]


def _percents(row: Sequence[str]) -> list[bool]:
    return ["%" in cell for cell in row[1:]]


def _groups(table: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
    """Return, for each row, the runs of rows directly above or below that add up to it.

    Each run is given by its first and last row.
    """
    read = [[signed(cell) for cell in row[1:]] for row in table]
    unit = lcm(*(value.denominator for row in read for value in row if value is not None))
    # Adding integers of one small unit is many times faster than adding fractions.
    amounts = [
        [None if value is None else value.numerator * (unit // value.denominator) for value in row]
        for row in read
    ]
    return [[], *(_groups_of(amounts, at, unit) for at in range(1, len(table)))]


def _groups_of(amounts: Sequence[Sequence[int | None]], at: int, unit: int) -> list[tuple[int, int]]:
    wanted = amounts[at]
    columns = {place: value for place, value in enumerate(wanted) if value}
    if not columns:
        return []
    found = []
    for step in (-1, 1):
        sums = [0] * len(wanted)
        for count in range(1, _MAX_TERMS + 1):
            other = at + step * count
            if not 1 <= other < len(amounts):
                break
            values = amounts[other]
            if len(values) != len(wanted) or not any(value is not None for value in values):
                break
            sums = [total + (value or 0) for total, value in zip(sums, values, strict=True)]
            if count > 1 and all(abs(sums[place] - size) <= unit for place, size in columns.items()):
                if max(columns.values()) > _MAX_TERMS * unit or min(columns.values()) < -_MAX_TERMS * unit:
                    found.append((min(at + step, other), max(at + step, other)))
                break
    return found
