"""Takes the typography out of model text: LaTeX, markdown, full-width and other forms of digits and signs."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets.expression import canonical
from dnc_metrics._chinese import digits

MAX_TEXT = 10_000  # characters read of one text: half from its beginning, half from its end
_MAX_EXPONENT = 30
_IN_NUMBER = "0123456789.,/"

# One character for one: full-width ASCII, the many minus signs and spaces, other scripts' stops.
_CHARACTERS = {0xFF01 + i: 0x21 + i for i in range(94)} | str.maketrans(
    {"−": "-", "‐": "-", "‑": "-", "﹣": "-", "⁻": "-", "\u3000": " ", "\u00a0": " ", "\u2007": " "}
    | {"\u202f": " ", "\u2009": " ", "。": "\n", "、": ",", "≈": "=", "≃": "=", "∶": ":", "＄": "$", "∕": "/"}
    | {"⁄": "/", "’": "'", "‘": "'", "“": '"', "”": '"', "【": "[", "】": "]", "\u200b": None, "\ufeff": None}
)
# A thin or no-break space between digits groups them; an ordinary one does not.
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u202f\u2009\u2007](?=\d{3}(?!\d))")

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
    """The text, or the beginning and the end of one that is too long to be an answer."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    # What is left of a number at a cut would be another number.
    return f"{text[:half].rstrip(_IN_NUMBER)}\n{text[-half:].lstrip(_IN_NUMBER)}"


def collapsed(text: str) -> str:
    """The text with one blank for a run of them and at most two line ends in a row."""
    if "  " in text or "\t" in text or "\r" in text:
        text = _BLANKS.sub(" ", text.replace("\r\n", "\n"))
    if " \n" in text:
        text = text.replace(" \n", "\n")
    return _LINES.sub("\n\n", text) if "\n\n\n" in text else text


def tidy(text: str) -> str:
    """The same text with plain ASCII numbers: "**１，０００**" -> "1,000", "\\frac{1}{2}" -> "1/2"."""
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
    if "/" in text or not text.isascii():
        text = _MIXED.sub(lambda gap: " " if text[gap.end()].isascii() else "", text)
    return text


def latex(text: str) -> str:
    """Text for the LaTeX of numbers and of simple formulas; what it does not know it leaves."""
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
