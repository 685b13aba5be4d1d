"""The regular expression that finds every candidate for a number in one pass."""

from __future__ import annotations

import re

from dnc_datasets.numerals._words import RUN, SCALES

MAX_DIGITS = 400

LETTERS = "a-z_ß-öø-ÿ"
CURRENCIES = "$£€¥₹"
DASHES = "-−–—"
VULGAR_FRACTIONS = "¼½¾⅐-⅞"
MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
# Words that multiply the digits before them: "3 million", "2 dozen".
MULTIPLES = {word: value for word, value in SCALES.items() if value <= 10**12} | {"dozen": 12}
_MULTIPLE = "|".join(MULTIPLES)
_PROPER_FRACTION = r"[0-9]{1,3}/[0-9]{1,3}(?![0-9/])"
# Units written without a blank; any other letters make a name of the digits ("49ers", "21a").
_UNITS = "km|kg|mg|g|cm|mm|m|ml|l|lbs?|oz|ft|in|yd|mi|mph|hrs?|mins?|sec|k|x|c|f|p|mb|gb|tb|hz|khz|mhz|ghz|w|kw|mw|v|b|bn|mn"

# The text is in lower case, with a blank at each end. The first character is the boundary that keeps out
# what stands inside other words ("b2b", "often"). At most one tail follows a number and tells its kind
# by its name; a tail in a look-ahead stays for the next number. Tails share their first character
# where they can, which halves the time.
TOKEN = re.compile(
    rf"[^{LETTERS}0-9]\s?(?:"
    rf"(?P<number>{NUMBER})(?:"
    r"\s(?:(?P<percent>%|per\s?cent|pct\b)"
    rf"|(?P<multiple>(?:{_MULTIPLE})(?![a-z]|-[a-z]))"
    r"|(?P<hour>[ap]\.?m(?![a-z])|o['’]clock)"
    rf"|(?P<mixed>{_PROPER_FRACTION})"
    rf"|(?:of\s)?(?P<day>{MONTHS}(?![a-z]))"
    r"|(?P<share>and\s(?:an?|one)[\s-](?:half|third|quarter)(?![a-z]))"
    r"|(?P<era>a\.?d\b|b\.?c\b|b?\.?c\.?e\b))"
    rf"|-(?:(?P<mixed_tied>{_PROPER_FRACTION})"
    rf"|(?P<multiple_tied>(?:{_MULTIPLE})(?![a-z]))"
    r"|(?P<percent_tied>per\s?cent)"
    r"|(?P<date_dashed>[0-9]{2}-[0-9]{2}(?![0-9-])))"
    r"|/(?:(?P<date>[0-9]{1,2}/[0-9]{2,4}(?![0-9/]))"
    rf"|(?P<fraction>[0-9]{{1,{MAX_DIGITS}}}(?!/|[.,]?[0-9])))"
    r"|(?P<percent_sign>%)"
    r"|(?P<ordinal>(?:st|nd|rd|th)(?![a-z0-9]))"
    r"|(?P<decade>['’]?s(?![a-z0-9]))"
    r"|(?P<clock>(?::[0-5][0-9]){1,2}(?![0-9:])(?:\.[0-9]{1,3})?)"
    rf"|(?P<vulgar>[{VULGAR_FRACTIONS}])"
    r"|(?P<range>(?=[-–—][0-9]))"
    r"|(?P<version>(?:\.[0-9]+)+)"
    r"|(?P<coin>[€£¢])"
    r"|(?P<hour_tied>[ap]m(?![a-z0-9]))"
    rf"|(?P<unit>(?=(?:{_UNITS})(?![{LETTERS}0-9])))"
    rf"|(?P<name>[{LETTERS}@][{LETTERS}0-9]*)"
    r")?"
    rf"|(?P<word>{RUN})"
    rf"|(?P<month>{MONTHS}\.?(?=\s[0-9]))"
    rf"|(?P<symbol>[{VULGAR_FRACTIONS}])"
    ")"
)
NUMBER_GROUP = TOKEN.groupindex["number"]
WORD_GROUP = TOKEN.groupindex["word"]

# What looks like text but holds no numbers: citations, addresses of web and mail, character codes.
OPAQUE = re.compile(
    r"\[[0-9]{1,4}(?:\s?[,–-]\s?[0-9]{1,4}){0,20}\]|https?://\S+|www\.\S+"
    r"|(?<!\S)[^\s@]{1,100}@\S+|&#[0-9a-z]{1,8};"
)
