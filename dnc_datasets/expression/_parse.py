"""Parser of arithmetic text: infix notation with the extensions of datasets, and prefix notation."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, NoReturn

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression._tree import (
    BINARY,
    NAME,
    UNARY,
    Binary,
    Expr,
    Name,
    Number,
    Unary,
    literal,
    shown,
)

_MAX_LENGTH = 2000  # characters of one expression
_MAX_REMEMBERED = 100  # characters of a text whose tree, of up to 10 kB, stays in the cache

# One token, longest first. In "3x4" and "3 x4", a letter x beside a number is a times sign.
_TOKEN = re.compile(
    r"[0-9.][0-9.,]*|\*\*|[-+*/^%()\[\]{}]"
    r"|(?<=[0-9)\]}%])[xX](?![A-Za-z_])|(?<=[0-9)\]}%][ ])[xX](?=[0-9.(\[{])"
    r"|[A-Za-z_][A-Za-z_0-9]*|\S"
)
# "192 / 4", the usual form of `Expr.infix`: parsed without the stacks, in half the time.
_TWO_OPERANDS = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) ([-+*/]) ([0-9]{1,20}(?:\.[0-9]{1,20})?)")
_CURRENCY = re.compile(r"[$€£]\s*(?=[0-9.])")
# Right of "=": nothing, "?", the name of the unknown, or a number with an optional remainder.
_STATED = re.compile(
    r"\?*|[A-Za-z_]\w*|(?P<sign>-?)\s*(?P<top>[0-9.][0-9.,]*)(?:\s*/\s*(?P<bottom>[0-9.][0-9.,]*))?(?P<percent>\s*%)?"
    r"(?:\s*(?:[rR]|rem|remainder)\s*(?P<rest>[0-9.][0-9.,]*))?"
)
# Synonymous signs. Each is replaced by one character, so that columns remain correct.
_SIGNS = {0xFF01 + i: 0x21 + i for i in range(94)} | str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "∙": "*", "•": "*", "∗": "*", "÷": "/", "∕": "/", "⁄": "/"}
    | {"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-"}
)
_DIGITS = frozenset("0123456789.")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_CLOSER.values())
_NEGATION = "neg"  # on the stack, where "-" is the subtraction
_LEVEL = {**BINARY, _NEGATION: UNARY["-"], "(": 0, "[": 0, "{": 0}

_OPERAND = "a number, '-' or an opening bracket"
_OPERATOR = "an operator (+ - * / ^ %), '=' or the end"


class Equation(NamedTuple):
    """An expression and the result that its source states: "248/16=15 r8" is (248/16, 15, 8)."""

    expr: Expr
    stated: Fraction | None
    remainder: Fraction | None


def parse(text: str, *, names: bool = False) -> Expr:
    """Return the tree of an infix expression, such as "(12.46 / 2) * 6".

    Operators are + - * / ^ and ** (right-associative), % (the remainder between operands, otherwise percent),
    × · ÷, every usual minus sign, and x between operands. Brackets are ( [ and {. A number may have a
    currency sign and grouping commas ("1,050"). "x =" before the expression, and "= 67", "= 15 r8" or "= ?"
    after it, are dropped. With `names`, words are names of values. Adjacent operands, as in "2(3+4)" or "1
    1/2", are errors.
    """
    return _equation(text, names).expr


def parse_equation(text: str, *, names: bool = False) -> Equation:
    """Parse an expression and keep the stated value and the remainder after "=", None where absent."""
    return _equation(text, names)


def parse_prefix(text: str, *, names: bool = True) -> Expr:
    """Return the tree of a prefix expression with spaces between its tokens, such as "/ - number0 number1 4".

    A number may carry a sign or a percent sign: "-3", "5%".
    """
    _check_length(text)
    stack: list[Expr] = []
    tokens = [(found.group(), found.start()) for found in re.finditer(r"\S+", text.translate(_SIGNS))]
    for token, at in reversed(tokens):
        op = "^" if token == "**" else token
        if op in BINARY:
            if len(stack) < 2:
                _refuse(
                    text, at, f"{token!r} with {len(stack)} of its two operands", "both operands after it"
                )
            stack.append(Binary(op, stack.pop(), stack.pop()))
        elif names and NAME.fullmatch(token):
            stack.append(Name(token))
        elif token[0] in "-0123456789.":
            leaf: Expr = _number(text, at, token.removeprefix("-").removesuffix("%"))
            leaf = Unary("%", leaf) if token[-1] == "%" else leaf
            stack.append(Unary("-", leaf) if token[0] == "-" else leaf)
        else:
            _refuse(text, at, repr(token[:20]), f"an operator, a number{' or a name' if names else ''}")
    if len(stack) != 1:
        found = f"{len(stack)} expressions side by side" if stack else "nothing"
        _refuse(text, 0, found, "one expression, operators first")
    return stack[0]


def _equation(text: str, names: bool) -> Equation:
    if type(text) is str and len(text) <= _MAX_REMEMBERED:
        return _remembered(text, names)
    _check_length(text)
    return _parse(text, names)


def _parse(text: str, names: bool) -> Equation:
    """Split "x = expression = stated" and read the parts."""
    plain = _TWO_OPERANDS.fullmatch(text)
    if plain:
        left, op, right = plain.groups()
        return Equation(Binary(op, literal(left), literal(right)), None, None)
    clean = text
    if not text.isascii():
        clean = clean.translate(_SIGNS)
    if "$" in clean or not clean.isascii():
        clean = _CURRENCY.sub(lambda sign: " " * len(sign.group()), clean)
    body, equals, right = clean.partition("=")
    start = 0
    if not equals:
        return Equation(_infix(text, body, 0, names), None, None)
    if NAME.fullmatch(body.strip()) and right.strip(" ?"):
        start = len(body) + 1
        body, equals, right = right.partition("=")
    expr = _infix(text, body, start, names)
    found = _STATED.fullmatch(right.strip())
    at = start + len(body) + 1
    if found is None:
        _refuse(text, at, repr(right.strip()[:20]), "a number, as in '= 67' or '= 15 r8', or '?' after '='")
    top, bottom, rest = found["top"], found["bottom"], found["rest"]
    if top is None:
        return Equation(expr, None, None)
    stated = _number(text, at, top).number
    if bottom:
        divisor = _number(text, at, bottom).number
        if not divisor:
            _refuse(text, at, "a division by zero", "a number after '='")
        stated /= divisor
    if found["percent"]:
        stated /= 100
    remainder = _number(text, at, rest).number if rest else None
    return Equation(expr, -stated if found["sign"] else stated, remainder)


_remembered = lru_cache(maxsize=1 << 12)(_parse)


def _infix(text: str, body: str, start: int, names: bool) -> Expr:
    """Return the tree of an infix expression by precedence parsing.

    It uses two explicit stacks, so that no input can exhaust the stack of Python.
    """
    tokens = _TOKEN.findall(body)
    if "x" in tokens or "X" in tokens:
        _read_times(tokens)
    operands: list[Expr] = []
    pending: list[str] = []
    expects_operand = True
    for index, token in enumerate(tokens):
        if expects_operand:
            if token[0] in _DIGITS:
                try:
                    operands.append(literal(token))
                except ExpressionError as error:
                    _refuse_token(text, body, start, index, str(error))
                expects_operand = False
            elif token in _CLOSER:
                pending.append(token)
            elif token == "-":
                pending.append(_NEGATION)
            elif names and NAME.fullmatch(token):
                operands.append(Name(token))
                expects_operand = False
            else:
                _refuse_token(text, body, start, index, f"expected {_OPERAND}{' or a name' if names else ''}")
        elif token in _CLOSERS:
            while pending and pending[-1] not in _CLOSER:
                _reduce(operands, pending.pop())
            if not pending or _CLOSER[pending.pop()] != token:
                _refuse_token(text, body, start, index, "it closes no bracket of its kind")
        elif token == "%" and not _starts_operand(tokens, index + 1):
            operands[-1] = Unary("%", operands[-1])
        else:
            op = "^" if token == "**" else token
            level = BINARY.get(op)
            if level is None:
                _refuse_token(text, body, start, index, f"expected {_OPERATOR}; write '*' for every product")
            least = level + 1 if op == "^" else level
            while pending and _LEVEL[pending[-1]] >= least:
                _reduce(operands, pending.pop())
            pending.append(op)
            expects_operand = True
    if expects_operand:
        _refuse(text, start + len(body), "the end", _OPERAND)
    while pending:
        op = pending.pop()
        if op in _CLOSER:
            _refuse(text, start + len(body), "the end", f"{_CLOSER[op]!r} for the {op!r} before")
        _reduce(operands, op)
    return operands[0]


def _reduce(operands: list[Expr], op: str) -> None:
    right = operands.pop()
    operands.append(Unary("-", right) if op == _NEGATION else Binary(op, operands.pop(), right))


def _starts_operand(tokens: list[str], index: int) -> bool:
    return index < len(tokens) and (
        tokens[index][0] in _DIGITS or tokens[index] in _CLOSER or _is_name(tokens[index])
    )


def _is_name(token: str) -> bool:
    return NAME.fullmatch(token) is not None


def _read_times(tokens: list[str]) -> None:
    """Replace every x that can only be a times sign by "*". Any other x remains a name."""
    for index, token in enumerate(tokens):
        if index and token in ("x", "X"):
            before = tokens[index - 1]
            ends_operand = before[0] in _DIGITS or before in _CLOSERS or _is_name(before)
            if ends_operand or (before == "%" and index > 1 and _starts_operand(tokens, index + 1)):
                tokens[index] = "*"


def _number(text: str, at: int, token: str) -> Number:
    try:
        return literal(token)
    except ExpressionError as error:
        raise ExpressionError(f"cannot read {shown(text)}: at column {at + 1}, {error}") from None


def _check_length(text: str) -> None:
    if not isinstance(text, str):
        raise ExpressionError(f"an expression must be text, not {type(text).__name__}")
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {_MAX_LENGTH} are accepted")


def _refuse_token(text: str, body: str, start: int, index: int, why: str) -> NoReturn:
    token = list(_TOKEN.finditer(body))[index]
    at = start + token.start()
    raise ExpressionError(
        f"cannot read {shown(text)}: found {token.group()[:20]!r} at column {at + 1}; {why}"
    )


def _refuse(text: str, at: int, found: str, expected: str) -> NoReturn:
    raise ExpressionError(f"cannot read {shown(text)}: found {found} at column {at + 1}; expected {expected}")
