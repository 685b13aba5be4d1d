"""Removes typography from model text: LaTeX, markdown, full-width and other forms of digits and signs."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from dnc_datasets.expression import canonical
from dnc_datasets.numerals import chinese

MAX_TEXT = 10_000  # maximum number of characters of a text: half from its beginning, half from its end
_MAX_EXPONENT = 30
_IN_NUMBER = "0123456789.,/"

# Single characters: full-width ASCII, the many minus signs and spaces, other scripts' full stops.
_CHARACTERS = {0xFF01 + i: 0x21 + i for i in range(94)} | str.maketrans(
    {"−": "-", "‐": "-", "‑": "-", "﹣": "-", "⁻": "-", "\u3000": " ", "\u00a0": " ", "\u2007": " "}
    | {"\u202f": " ", "\u2009": " ", "。": "\n", "、": ",", "≈": "=", "≃": "=", "∶": ":", "＄": "$", "∕": "/"}
    | {"⁄": "/", "’": "'", "‘": "'", "“": '"', "”": '"', "【": "[", "】": "]", "\u200b": None, "\ufeff": None}
)
# A thin or no-break space between digits groups them.
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u202f\u2009\u2007](?=\d{3}(?!\d))")
# An ordinary space also does in "2 027", but not in "5 100 dollar bills" or "3 250-gram bags".
_SPACED_GROUPS = re.compile(
    r"(?<![\w.,/+*=^-])(?<!\d )\d{1,3}(?: \d{3})+(?![\w/-]| ?[-+*/×÷^=|]| \d)(?! ?[,;] ?\d)"
)
_ROUND_WITH_A_WORD = re.compile(r"[1-9][05]0 [^\W\d]")
_OTHER_DIGIT = re.compile(r"[^\x00-\x7f](?<=\d)")
_OTHER_SIGNS = str.maketrans({"٫": ".", "٬": ",", "٪": "%", "،": ",", "؟": "?", "।": "."})

_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}|(\d)(\d))")
_WRAPPED = re.compile(
    r"\\(?:text(?:bf|it|rm|sf)?|math(?:rm|bf|it|sf)|mbox|operatorname|underline)\s*\{([^{}]*)\}"
)
_LATEX = (
    (re.compile(r"\{,\}|\\[!,;: ](?=\d{3}(?!\d))"), ""),
    (re.compile(r"\\(?:times|cdot|ast)(?![a-zA-Z])"), " * "),
    (re.compile(r"\\div(?![a-zA-Z])"), " / "),
    (re.compile(r"\\(?:approx|equiv|simeq|implies|Rightarrow|rightarrow|to)(?![a-zA-Z])"), " = "),
    (re.compile(r"\\(?:left|right|displaystyle|quad|qquad)(?![a-zA-Z])|\\[()\[\],;:! ]|\^\{?\\circ\}?"), " "),
    (re.compile(r"\\([$%#&_{}])"), r"\1"),
    (re.compile(r"\\\\|\\newline(?![a-zA-Z])"), "\n"),
)
# "$42$", "$x = 42$" are formulas; "$42" and "$3 and $4" are money. One formula per pair of signs.
_FORMULA = re.compile(r"\$\$?([^$\n]{1,120}?)(?<![\s(])\$\$?(?!\d)")

_BOLD = re.compile(r"(?<![\w)*])(\*{1,3}|_{2,3}|~~)(?=[^\s*_])([^*\n]{1,400}?)(?<=[^\s*_])\1(?![\w(*])")
_SIGNED = re.compile(r"\b(?:minus|negative)\s+(?=[$€£]?\d)", re.I)
_MIXED = re.compile(r"(?<=\d)\s+(?:and\s+)?(?=[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])|(?<=\d)\s+and\s+(?=\d{1,3}/\d)")
_SCIENTIFIC = re.compile(
    r"(?<![\w.])(-?\d{1,30}(?:\.\d{1,30})?)(?:[eE]([+-]?\d{1,3})\b|\s*[*x×]\s*10\s*(?:\^|\*\*)\s*\{?([+-]?\d{1,3})\b\}?)"
)
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_LINES = re.compile(r"\n{3,}")
_UNDERSCORES = re.compile(r"(?<=\d)[_'](?=\d{3}(?!\d))")


def window(text: str) -> str:
    """Return the text, or its beginning and end if it is longer than `MAX_TEXT`."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    # The rest of a number at a cut would be another number.
    return f"{text[:half].rstrip(_IN_NUMBER)}\n{text[-half:].lstrip(_IN_NUMBER)}"


def collapsed(text: str) -> str:
    """Return the text with single blanks and at most two consecutive line ends."""
    if "  " in text or "\t" in text or "\r" in text:
        text = _BLANKS.sub(" ", text.replace("\r\n", "\n"))
    if " \n" in text:
        text = text.replace(" \n", "\n")
    return _LINES.sub("\n\n", text) if "\n\n\n" in text else text


def western(text: str) -> str:
    """Return the text with digits of other scripts as ASCII digits: "٢٠٢٧" and "२०२७" -> "2027"."""
    if text.isascii() or not _OTHER_DIGIT.search(text):
        return text
    digits_replaced = _OTHER_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), text)
    return digits_replaced.translate(_OTHER_SIGNS)


def _joined(found: re.Match[str]) -> str:
    """Return a number without spaces between its groups; unchanged if the last group may count a thing."""
    if _ROUND_WITH_A_WORD.match(found.string, found.end() - 3):
        return found[0]
    return found[0].replace(" ", "")


def tidy(text: str) -> str:
    """Return the text with plain ASCII numbers: "**１，０００**" -> "1,000", "\\frac{1}{2}" -> "1/2"."""
    if not text.isascii():
        text = digits(_GROUPS.sub("", text).translate(_CHARACTERS))
    if "\\" in text or "{,}" in text:
        text = latex(text)
    if "$" in text:
        text = _FORMULA.sub(r" \1 ", text)
    if "*" in text or "_" in text or "~~" in text:
        text = _BOLD.sub(r"\2", _BOLD.sub(r"\2", text))
    if "`" in text:
        text = text.replace("`", " ")
    if "[" in text or "]" in text:
        text = text.replace("[", "(").replace("]", ")")
    if "10" in text or "e" in text or "E" in text:
        text = _SCIENTIFIC.sub(_scientific, text)
    if "minus " in text or "egative " in text or "Minus " in text:
        text = _SIGNED.sub("-", text)
    if "_" in text or "'" in text:
        text = _UNDERSCORES.sub("", text)
    if " " in text:
        text = _SPACED_GROUPS.sub(_joined, text)
    if "/" in text or not text.isascii():
        text = _MIXED.sub(lambda gap: " " if text[gap.end()].isascii() else "", text)
    return text


def latex(text: str) -> str:
    """Return plain text for the LaTeX of numbers and simple formulas; other commands remain."""
    for _ in range(3):  # a fraction or a text within a text
        text = _WRAPPED.sub(r" \1 ", text)
        text = _FRACTION.sub(_fraction, text)
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    return text


def _fraction(found: re.Match[str]) -> str:
    top, bottom = (found[1] or found[3]).strip(), (found[2] or found[4]).strip()
    before = found.string[: found.start()][-1:]
    if top.isdigit() and bottom.isdigit():
        return f"{' ' if before.isdigit() else ''}{top}/{bottom}"
    return f"({top})/({bottom})"


def _scientific(found: re.Match[str]) -> str:
    exponent = int(found[2] or found[3])
    if abs(exponent) > _MAX_EXPONENT:
        return found[0]
    return canonical(Fraction(found[1]) * Fraction(10) ** exponent)


# A single Chinese numeral in a reply is a number before more words than in a problem, or before a stop.
_COUNTED = chinese.COUNTED | frozenset("角月周")
_STOPS = frozenset(" \n.,;:!?。，；：！？、)）}】\"”'％%*<")


def digits(text: str) -> str:
    """Return the text with Chinese numerals as digits; ambiguous characters remain."""
    return chinese.RUN.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    value = chinese.whole(found["top"])
    after = found.string[found.end() : found.end() + 1]
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    if value is None or before == "第":
        return found[0]
    if found["percent"]:
        return f"{found['minus'] and '-'}{value}{_part(found['part'])}%"
    if found["bottom"]:
        bottom = chinese.whole(found["bottom"])
        return f"{found['minus'] and '-'}{value}/{bottom}" if bottom else found[0]
    alone = not before or before in '是为：: \n=为有{>"'
    short = len(found[0]) == 1
    if short and after and after not in _COUNTED and not (alone and after in _STOPS):
        return found[0]
    return f"{found['minus'] and '-'}{value}{_part(found['part'])}"


def _part(decimals: str | None) -> str:
    return "." + "".join(str(chinese.DIGITS[digit]) for digit in decimals) if decimals else ""
