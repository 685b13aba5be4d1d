"""Arithmetic expressions of the datasets: parsed, printed, evaluated and compared, exactly and within bounds.

>>> parse("(12.46/2)*6=37.38").value()
Fraction(1869, 50)
>>> parse("248 ÷ 16 = 15 r8").prefix()
'/ 248 16'
>>> equivalent("3+5", "5+3"), equivalent("2+2", "2*2")
(True, False)

The input may be any text. Its length, depth, digits and exponents are bounded. Invalid text raises an
`ExpressionError` that names the problem and its column.
"""

from dnc_datasets.expression._compare import equivalent, same
from dnc_datasets.expression._parse import Equation, parse, parse_equation, parse_prefix
from dnc_datasets.expression._rational import canonical, lowest, round_value, rounds_to
from dnc_datasets.expression._tree import Binary, Expr, Name, Number, Unary, literal, number, spelled

__all__ = [
    "Binary",
    "Equation",
    "Expr",
    "Name",
    "Number",
    "Unary",
    "canonical",
    "equivalent",
    "literal",
    "lowest",
    "number",
    "parse",
    "parse_equation",
    "parse_prefix",
    "round_value",
    "rounds_to",
    "same",
    "spelled",
]
