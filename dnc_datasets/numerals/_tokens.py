"""Regular expressions that find candidates for numbers in a text, and the tails after them.

All of them work on the text in lower case with one blank at each end.
"""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import MONTH_ABBREVIATIONS
from dnc_datasets.numerals._words import RUN, SCALES, any_of, trie

MAX_DIGITS = 400

LETTERS = "a-z_ß-öø-ÿ"
CURRENCIES = "$£€¥₹฿"
DASHES = "-−–—"
VULGAR_FRACTIONS = "¼½¾⅐-⅞"
# Words that multiply the preceding digits: "3 million", "2 dozen".
MULTIPLES = {word: value for word, value in SCALES.items() if value <= 10**12} | {"dozen": 12}
NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?"
MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MULTIPLE = "|".join(MULTIPLES)
_PART = r"[0-9]{1,3}/[0-9]{1,3}(?![0-9/])"
# Units written without a blank. With any other letters, the digits are part of a name ("49ers", "21a").
_UNITS = (
    "km|kg|mg|g|cm|mm|m|ml|l|lbs?|oz|ft|in|yd|mi|mph|hrs?|mins?|sec|k|x|c|f|p|mb|gb|tb|hz|khz|mhz|ghz"
    "|w|kw|mw|v|b|bn|mn"
)

# Named tails of a number, each of which shows its kind. A tail that is only a look-ahead consumes nothing.
_TAIL = (
    r"\s(?:(?P<percent>%|per\s?cent|pct\b)"
    rf"|(?P<multiple>(?:{_MULTIPLE})(?![a-z]|-[a-z]))"
    r"|(?P<hour>[ap]\.?m(?![a-z])|o['’]clock)"
    rf"|(?P<mixed>{_PART})"
    rf"|(?:of\s)?(?P<day>{MONTHS}(?![a-z]))"
    r"|(?P<share>and\s(?:an?|one)[\s-](?:half|third|quarter)(?![a-z]))"
    r"|(?P<era>a\.?d\b|b\.?c\b|b?\.?c\.?e\b))"
    r"|-(?:"
    rf"(?P<mixed_tied>{_PART})"
    rf"|(?P<multiple_tied>(?:{_MULTIPLE})(?![a-z]))"
    r"|(?P<percent_tied>per\s?cent)"
    r"|(?P<date_dashed>[0-9]{2}-[0-9]{2}(?![0-9-])))"
    r"|/(?:"
    r"(?P<date>[0-9]{1,2}/[0-9]{2,4}(?![0-9/]))"
    rf"|(?P<fraction>[0-9]{{1,{MAX_DIGITS}}}(?!/|[.,]?[0-9])))"
    r"|(?P<percent_sign>%)"
    r"|(?P<ordinal>(?:st|nd|rd|th)(?![a-z0-9]))"
    r"|(?P<decade>['’]?s(?![a-z0-9]))"
    r"|(?P<clock>(?::[0-5][0-9]){1,2}(?![0-9:])(?:\.[0-9]{1,3})?)"
    rf"|(?P<vulgar>[{VULGAR_FRACTIONS}])"
    r"|(?P<range>(?=[-–—][0-9]))"
    r"|(?P<version>(?:\.[0-9]+){1,99})"
    r"|(?P<coin>[€£¢])"
    r"|(?P<hour_tied>[ap]m(?![a-z0-9]))"
    rf"|(?P<unit>(?=(?:{_UNITS})(?![{LETTERS}0-9])))"
    rf"|(?P<name>[{LETTERS}@][{LETTERS}0-9]*)"
)
TAIL = re.compile(_TAIL)
# First characters of the tails after a blank. A number before any other text needs no further test.
# Tails that also start common words of schoolbooks (adults, cents, marbles) are complete.
_WHOLE = r"(?![a-z])"
_MARCH = rf"(?:ch)?{_WHOLE}"
_TAIL_STARTS = any_of(
    (
        *"% 0 1 2 3 4 5 6 7 8 9 perc pct am pm a.m p.m a.d bc b.c c.e o'c o’c".split(),
        *("per c", "and a", "and o"),
        *(word[:4] for word in MULTIPLES),
        *(of + month for of in ("", "of ") for month in MONTH_ABBREVIATIONS if month != "mar"),
    ),
    **{"mar": _MARCH, "of mar": _MARCH, "ad": _WHOLE, "ce": _WHOLE},
).replace(".", r"\.")
# Not right after a month ("May 5"), a currency and a blank ("$ 5") or a sign and a currency ("-$5").
# Look-behinds have a fixed width, so these are the ends of months; "number 5" only costs time. The letter
# before the blank is tested first, because it decides most cases.
_MONTH_ENDS = (
    *("uary", "arch", "pril", "june", "july", "gust", "mber", "ober", "sept", "ept."),
    *(f" {month}" for month in MONTH_ABBREVIATIONS),
    *(f"{month}." for month in MONTH_ABBREVIATIONS if month != "may"),
)
_LAST_LETTERS = "".join(sorted({end[-1] for end in _MONTH_ENDS}))
_NO_MONTH = (
    rf"(?:(?<![{_LAST_LETTERS}] [1-9])|(?<!{trie(_MONTH_ENDS)} [1-9]))".replace(".", r"\.")
    + rf"(?<![{DASHES}{CURRENCIES}][ $][1-9])"
)
# The rest of four to nine digits that are not from 1500 to 2199.
_NO_YEAR = r"[0-9](?<!1[5-9])(?<!2[01])[0-9]{2}|[0-9]{4,8}"

# One pass over the text; the empty groups only say which alternative matched, and stand last because an
# alternative that starts with a plain character is tried faster. The first character is the boundary that
# excludes parts of other words ("b2b", "often").
# `amount` is the common case that needs no further look: digits that are no year, between blanks
# or after a dollar sign, with no tail.
TOKEN = re.compile(
    rf"[^{LETTERS}0-9](?:"
    rf"[0-9{VULGAR_FRACTIONS}](?:"
    rf"(?<=[ $][1-9]){_NO_MONTH}(?:[0-9]{{0,2}}(?:,[0-9]{{3}})*|{_NO_YEAR})(?:\.[0-9]{{1,9}})?"
    rf"(?=[.,?!](?![0-9])| (?!{_TAIL_STARTS}))(?P<amount>)"
    r"|(?:(?<=[1-9])[0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]*)(?:\.[0-9]+)?(?P<digits>))"
    rf"|{RUN}(?P<word>))"
)
AMOUNT, WORD = TOKEN.groupindex["amount"], TOKEN.groupindex["word"]

# Strings that contain digits but no numbers: citations, addresses of web and mail, character codes.
OPAQUE = re.compile(
    r"\[[0-9]{1,4}(?:\s?[,–-]\s?[0-9]{1,4}){0,20}\]|https?://\S+|www\.\S+"
    r"|(?<!\S)[^\s@]{1,100}@\S+|&#[0-9a-z]{1,8};"
)
