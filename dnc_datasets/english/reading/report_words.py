"""The words of a report that name things, as stems, with one stem for all synonyms of a line item."""

from __future__ import annotations

import re

from dnc_datasets.memoization import memoized

_WORD = re.compile(r"[a-z]{2,}")
# Endings of plurals and verbs with the ending of their stem: taxes, tax; liability, liabilities; leased, leasing.
_ENDING = re.compile(r"(?<=[a-z]{2})(?:ies|sses|ss|es|s|y|ed|ing|e)\b")
# Words for the same line of a report, each group under its first.
_SAME = (
    "revenue sales turnover",
    "income profit earnings ebitda ebit ebita eps loss",
    "cost expense charge expenditure spending spend capex fee",
    "stock share equity rsus rsas",
    "debt borrowing loan note bond",
    "employee headcount workforce personnel staff",
    "cash cashflow",
    "research rd",
    "depreciation amortization amortisation",
    "sga administrative selling",
    "acquisition acquire business",
)
# Words of every report and of many questions that name no line of a table.
_NAMES_NOTHING = (
    "an the of to in on at by for from with and or but is are was were be been has have had do does did there that "
    "this these those each every per all some many much more most than as if so not no will would can could may out "
    "up into over under about after before during when while which who how what why where between among its their "
    "our we us it they company companies group year years fiscal financial period quarter month day end ended ending "
    "beginning date january february march april june july august september october november december million "
    "millions thousand thousands billion dollar dollars total totaled sum amount amounts value average change changes "
    "changed increase increased decrease decreased difference percentage percent cent proportion ratio respectively "
    "respective higher lower compared due primarily mainly approximately included including includes related other "
    "net gross any also both consolidated following table note notes statement see section reported"
)


@memoized
def words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that name things. Synonyms have the same stem.

    >>> words("Taxes") == words("the total tax in 2019"), words("Sales") == words("revenues")
    (True, True)
    """
    stems = _stems(text)
    return frozenset([_MEANS.get(stem, stem) for stem in stems]) - _EMPTY


def _stems(text: str) -> list[str]:
    small = text.lower().replace("&", "").replace("-", " ")
    return _WORD.findall(_ENDING.sub("", small))


_EMPTY = frozenset(_stems(_NAMES_NOTHING))
_MEANS = {stem: _stems(group)[0] for group in _SAME for stem in _stems(group)}
