"""Input and target of a pretrained model for a problem, and the prediction from its output.

The paper's input is the question followed by the body; its target is the equation in infix. Numbers remain
unchanged ("text"), or are replaced by `number0`, `number1`, ... in both ("slots"; tables 5 and 6 of the
paper). The target may also be the answer, or the equation and its value: "7 + 2 = 9".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.representation import SLOT_NAME, SLOTS, Prediction, may_be_operand, slotted_prefix

# The end of a causal model's prompt.
_ASKED = {"equation": "Equation:", "answer": "Answer:", "equation_answer": "Equation and answer:"}
# The instruction to an instruction model.
_INSTRUCTIONS = {
    "equation": "Write one arithmetic expression whose value is the answer, and nothing else.",
    "answer": "Reply with the answer only, as a number.",
    "equation_answer": 'Write one arithmetic expression whose value is the answer, then "=" and the answer.',
}


@dataclass(frozen=True)
class Put:
    """Input and target of a problem: two texts in reading order, the target or None, and the slot values."""

    first: str
    second: str
    target: str | None
    values: tuple[Fraction, ...] = ()

    @property
    def text(self) -> str:
        """Return both texts as one."""
        return f"{self.first} {self.second}".strip()


def put(problem: Problem, config: Finetuning) -> Put:
    """Return the input and target of a problem in the config's form.

    >>> put(Problem("1", "Ann has 7 pens and buys 2.", "How many?", equation="7+2", answer="9"), Finetuning())
    Put(first='How many?', second='Ann has 7 pens and buys 2.', target='7 + 2', values=())
    """
    body, question = _context(problem), problem.question
    values: list[Fraction] = []
    if config.numbers == "slots":
        body, question = _replace_numbers(body, values), _replace_numbers(question, values)
    first, second = (question, body) if config.order == "question_body" else (body, question)
    return Put(first, second, _target(problem, config, values), tuple(values))


def asked(one: Put, config: Finetuning) -> str:
    """Return the prompt of a causal model."""
    return f"{one.text}\n{_ASKED[config.target]}"


def instruction(one: Put, config: Finetuning) -> str:
    """Return the user's message to an instruction model."""
    return f"{one.text}\n{_INSTRUCTIONS[config.target]}"


def _context(problem: Problem) -> str:
    """Return everything but the question, in reading order."""
    parts = [problem.body, *problem.segments]
    parts += ["| " + " | ".join(cells) + " |" for cells in problem.table]
    parts += [f"{turn.question} {turn.answer}" for turn in problem.history]
    return "\n".join(part for part in parts if part)


def _replace_numbers(text: str, values: list[Fraction]) -> str:
    """Replace the numbers of a text by slots, and append their values to `values`."""
    parts, at = [], 0
    for quantity in numerals.find(text):
        if may_be_operand(quantity) and len(values) < SLOTS:
            parts += [text[at : quantity.start], SLOT_NAME.format(len(values))]
            values.append(quantity.value)
            at = quantity.end
    return "".join((*parts, text[at:]))


def _target(problem: Problem, config: Finetuning, values: Sequence[Fraction]) -> str | None:
    if config.target == "answer":
        return problem.answer or None
    if not problem.equation:
        return None
    try:
        tree = expression.parse(problem.equation)
        if config.numbers == "slots":
            tree = expression.parse_prefix(" ".join(slotted_prefix(problem.equation, values)))
    except ExpressionError:
        return None
    equation = tree.infix().replace(",", "")
    if config.target == "equation":
        return equation
    return f"{equation} = {problem.answer}" if problem.answer else None


def read(text: str, config: Finetuning, values: Sequence[Fraction]) -> Prediction:
    """Return the prediction in a model's output, with slots replaced by the problem's numbers.

    >>> read("7 + 2", Finetuning(), ()).value
    Fraction(9, 1)
    """
    text = text.strip()
    if config.target == "answer":
        return _prediction("", numerals.parse(text))
    names = {SLOT_NAME.format(i): value for i, value in enumerate(values)}
    try:
        equation = expression.parse_equation(text, names=bool(names))
        tree = equation.expr.replace(
            lambda leaf: expression.number(names[leaf.name]) if isinstance(leaf, expression.Name) else leaf
        )
        shown = tree.infix()
    except (ExpressionError, KeyError):
        return _prediction("", None)
    if config.target == "equation_answer":
        return _prediction(shown, equation.stated)
    try:
        return _prediction(shown, tree.value())
    except ExpressionError:
        return _prediction(shown, None)


def _prediction(equation: str, value: Fraction | None) -> Prediction:
    return Prediction(equation, value, likeliest=value)
