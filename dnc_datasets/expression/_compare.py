"""Two comparisons of expressions: by notation (`same`) and by calculation (`equivalent`)."""

from __future__ import annotations

from dnc_datasets.expression._parse import parse
from dnc_datasets.expression._tree import Binary, Expr, Name, Number, Unary

_FLIPPED = {"+": "-", "-": "+", "*": "/", "/": "*"}


def same(a: Expr | str, b: Expr | str) -> bool:
    """Return whether two expressions differ only in spacing, redundant brackets and the spelling of numbers.

    "(3 + 2.40)" and "3+2.4" are the same. "3+5" and "5+3" are not. Text is parsed first, with names.
    """
    return _tree(a) == _tree(b)


def equivalent(a: Expr | str, b: Expr | str) -> bool:
    """Return whether two expressions are the same calculation, up to order and grouping of terms and factors.

    a-(b+c) and a-b-c, a/(b*c) and a/b/c, (a*b)/c and a*(b/c), -(a-b) and b-a are equivalent. Operands are
    compared by value: 2.40 equals 2.4, and 5% equals 0.05. No operand may be added or dropped: 6/3 is not 2,
    3+0 is not 3, and 3+5 is not 4+4. Products of sums are not expanded. Text is parsed first, with names.
    """
    return _key(_tree(a)) == _key(_tree(b))


def _tree(expr: Expr | str) -> Expr:
    return parse(expr, names=True) if isinstance(expr, str) else expr


def _key(expr: Expr) -> str:
    """Return a canonical text of a calculation: a sorted sum of sorted products, with signs in front."""
    terms: list[str] = []
    _terms(expr, "+", terms)
    return _sum(terms)


def _sum(terms: list[str]) -> str:
    return f"({' '.join(sorted(terms))})"


def _terms(expr: Expr, sign: str, out: list[str]) -> None:
    """Append the signed terms of a sum to `out`."""
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
    """Append the factors of a product to `out`, each marked "*" or "/".

    Return whether the product is negative.
    """
    if isinstance(expr, Binary) and expr.op in "*/":
        left = _factors(expr.left, side, out)
        return left != _factors(expr.right, side if expr.op == "*" else _FLIPPED[side], out)
    if isinstance(expr, Unary) and expr.op == "-":
        return not _factors(expr.operand, side, out)
    if isinstance(expr, Binary) and expr.op in "+-":
        # A sum and its negative, a-b and b-a, have one key and different signs.
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
