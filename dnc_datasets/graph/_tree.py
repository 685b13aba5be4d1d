"""Operations on the tree of a solution: paths, inversion, roots, and the exchange of one leaf or operator."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary

# The way from the root to a node: 0 for the left (or only) operand, 1 for the right one.
Path = tuple[int, ...]


def _operands(tree: Expr) -> tuple[Expr, ...]:
    if isinstance(tree, Binary):
        return tree.left, tree.right
    return (tree.operand,) if isinstance(tree, Unary) else ()


def nodes(tree: Expr, path: Path = ()) -> Iterator[tuple[Path, Expr]]:
    """Yield every node with its path, the root first, then from left to right."""
    yield path, tree
    for at, operand in enumerate(_operands(tree)):
        yield from nodes(operand, (*path, at))


def leaf_paths(tree: Expr) -> list[Path]:
    """Return the paths of the leaves, from left to right, as in `tree.leaves()`."""
    return [path for path, node in nodes(tree) if not _operands(node)]


def node_at(tree: Expr, path: Path) -> Expr:
    """Return the node at a path."""
    for at in path:
        tree = _operands(tree)[at]
    return tree


def with_node(tree: Expr, path: Path, new: Expr) -> Expr:
    """Return the tree with another node at a path.

    >>> with_node(expression.parse("(3 + 4) * 5"), (0, 1), expression.parse("9")).infix()
    '(3 + 9) * 5'
    """
    if not path:
        return new
    if isinstance(tree, Unary):
        return Unary(tree.op, with_node(tree.operand, path[1:], new))
    assert isinstance(tree, Binary)
    if path[0] == 0:
        return Binary(tree.op, with_node(tree.left, path[1:], new), tree.right)
    return Binary(tree.op, tree.left, with_node(tree.right, path[1:], new))


def with_operator(tree: Expr, path: Path, operator: str) -> Expr:
    """Return the tree with another operator at the node of a path.

    >>> with_operator(expression.parse("(3 + 4) * 5"), (0,), "-").infix()
    '(3 - 4) * 5'
    """
    node = node_at(tree, path)
    if not isinstance(node, Binary):
        raise ExpressionError(f"{node.infix()!r} has no operator between two operands")
    return with_node(tree, path, Binary(operator, node.left, node.right))


def differences(one: Expr, other: Expr, path: Path = ()) -> list[Path]:
    """Return the paths at which two trees differ in a leaf, operator or shape.

    Below a change of shape there are none.

    >>> differences(expression.parse("(3 + 4) * 5"), expression.parse("(3 - 4) * 6"))
    [(0,), (1,)]
    """
    left, right = _operands(one), _operands(other)
    if type(one) is not type(other) or not left:
        return [] if one == other else [path]
    same = getattr(one, "op", "") == getattr(other, "op", "")
    found = [] if same else [path]
    for at, (first, second) in enumerate(zip(left, right, strict=True)):
        found += differences(first, second, (*path, at))
    return found


def invert(tree: Expr, path: Path, result: Expr) -> Expr:
    """Return the expression that gives the node at a path if the value of the tree is `result`.

    >>> invert(expression.parse("(3 + 4) * 5"), (0, 1), expression.parse("35")).infix()
    '35 / 5 - 3'

    Raises ExpressionError where an operation on the way has no single inverse (powers, remainders).
    """
    for at in path:
        if isinstance(tree, Binary):
            result = _undo(tree, at, result)
        elif isinstance(tree, Unary) and tree.op == "-":
            result = Unary("-", result)
        else:
            result = Binary("*", result, expression.literal("100"))
        tree = _operands(tree)[at]
    return result


def _undo(node: Binary, at: int, result: Expr) -> Expr:
    """Return the operand at this side of a node, from the node's value and its other operand."""
    other = node.right if at == 0 else node.left
    if node.op == "+":
        return Binary("-", result, other)
    if node.op == "*":
        return Binary("/", result, other)
    if node.op == "-":
        return Binary("+", result, other) if at == 0 else Binary("-", other, result)
    if node.op == "/":
        return Binary("*", result, other) if at == 0 else Binary("/", other, result)
    raise ExpressionError(f"the operator {node.op!r} has no single inverse")


def roots(tree: Expr, path: Path, result: Fraction) -> set[Fraction]:
    """Return the values at a path that give this result or its negative.

    A difference without direction has both.

    >>> sorted(map(str, roots(expression.parse("30 - 12"), (1,), Fraction(18))))
    ['12', '48']
    """
    found = set()
    for wanted in (result, -result):
        try:
            found.add(invert(tree, path, expression.number(wanted)).value())
        except ExpressionError:
            continue
    return found


def pair_of(equation: Expr, op: str) -> tuple[Expr, Expr] | None:
    """Return the two operands that this operation joins, or None for another operation or other operands."""
    if isinstance(equation, Binary) and equation.op == op:
        left, right = equation.left, equation.right
        return (left, right) if _is_term(left) and _is_term(right) else None
    return None


def _is_term(equation: Expr) -> bool:
    """Return whether this is one operand, negative or not."""
    return isinstance(equation, Number) or (
        isinstance(equation, Unary) and equation.op == "-" and isinstance(equation.operand, Number)
    )


def terms_of(equation: Expr) -> list[Expr]:
    """Return the operands of a sum, or none where it is not a sum of operands only."""
    if isinstance(equation, Binary) and equation.op == "+":
        left, right = terms_of(equation.left), terms_of(equation.right)
        return left + right if left and right else []
    return [equation] if _is_term(equation) else []


def relative_change(equation: Expr) -> tuple[Expr, Expr] | None:
    """Return the new and the old value of (new - old) / old * 100 or of (new / old - 1) * 100."""
    if not (isinstance(equation, Binary) and equation.op == "*" and _is_number(equation.right, 100)):
        return None
    inner = equation.left
    if not isinstance(inner, Binary):
        return None
    if inner.op == "/" and isinstance(inner.left, Binary) and inner.left.op == "-":
        new, old = inner.left.left, inner.left.right
        return (new, old) if old == inner.right and _is_term(new) and _is_term(old) else None
    if (
        inner.op == "-"
        and isinstance(inner.left, Binary)
        and inner.left.op == "/"
        and _is_number(inner.right, 1)
    ):
        new, old = inner.left.left, inner.left.right
        return (new, old) if _is_term(new) and _is_term(old) else None
    return None


def _is_number(equation: Expr, value: int) -> bool:
    return isinstance(equation, Number) and equation.number == value
