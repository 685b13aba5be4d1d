"""Two ways in which expressions are the same: as written, and as a calculation."""

from __future__ import annotations

from dnc_datasets.expression._parse import parse
from dnc_datasets.expression._tree import Binary, Expr, Name, Number, Unary

_FLIPPED = {"+": "-", "-": "+", "*": "/", "/": "*"}


def same(a: Expr | str, b: Expr | str) -> bool:
    """Whether both are written alike but for spacing, redundant brackets and the spelling of numbers.

    "(3 + 2.40)" and "3+2.4" are; "3+5" and "5+3" are not. Text is parsed first, names allowed.
    """
    return _tree(a) == _tree(b)


def equivalent(a: Expr | str, b: Expr | str) -> bool:
    """Whether both do the same calculation, up to order and grouping of terms and factors.

    a-(b+c) and a-b-c, a/(b*c) and a/b/c, (a*b)/c and a*(b/c), -(a-b) and b-a are the same. Operands
    count by value (2.40 is 2.4, 5% is 0.05) and each counts: 6/3 is not 2, 3+0 is not 3, 3+5 is not
    4+4, and nothing is multiplied out. Text is parsed first, names allowed.
    """
    return _key(_tree(a)) == _key(_tree(b))


def _tree(expr: Expr | str) -> Expr:
    return parse(expr, names=True) if isinstance(expr, str) else expr


def _key(expr: Expr) -> str:
    """A text that equivalent expressions share: a sorted sum of sorted products, signs in front."""
    terms: list[str] = []
    _terms(expr, "+", terms)
    return _sum(terms)


def _sum(terms: list[str]) -> str:
    return f"({' '.join(sorted(terms))})"


def _terms(expr: Expr, sign: str, out: list[str]) -> None:
    """Add the signed terms of a sum."""
    if isinstance(expr, Binary) and expr.op in "+-":
        _terms(expr.left, sign, out)
        _terms(expr.right, sign if expr.op == "+" else _FLIPPED[sign], out)
    elif isinstance(expr, Unary) and expr.op == "-":
        _terms(expr.operand, _FLIPPED[sign], out)
    else:
        factors: list[str] = []
        negative = _factors(expr, "*", factors)
        out.append((_FLIPPED[sign] if negative else sign) + "".join(sorted(factors)))


def _factors(expr: Expr, side: str, out: list[str]) -> bool:
    """Add the factors of a product, each marked "*" or "/"; return whether their signs make it negative."""
    if isinstance(expr, Binary) and expr.op in "*/":
        left = _factors(expr.left, side, out)
        return left != _factors(expr.right, side if expr.op == "*" else _FLIPPED[side], out)
    if isinstance(expr, Unary) and expr.op == "-":
        return not _factors(expr.operand, side, out)
    if isinstance(expr, Binary) and expr.op in "+-":
        # A sum and its negative, a-b and b-a, go in under one key, the sign apart.
        terms: list[str] = []
        _terms(expr, "+", terms)
        plain, flipped = _sum(terms), _sum([_FLIPPED[term[0]] + term[1:] for term in terms])
        out.append(side + min(plain, flipped))
        return flipped < plain
    out.append(side + _atom(expr))
    return False


def _atom(expr: Expr) -> str:
    if isinstance(expr, Binary):
        return f"[{_key(expr.left)}{expr.op}{_key(expr.right)}]"
    if isinstance(expr, Unary) and not isinstance(expr.operand, Number):
        return f"[{_key(expr.operand)}%]"
    return expr.name if isinstance(expr, Name) else f"<{expr.value()}>"
