"""Members of a question's contrast set: steps, changed steps, a question for them, and an answer.

Rules come first. Given models parse questions that no rule reads, word steps that no rule words, and read the
values of steps from the text. Their results are used only where the certificates of the rules hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dnc_datasets import expression, numerals, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.errors import CertificateError, ProblemError
from dnc_datasets.perturbations.reasoning import thresholds
from dnc_datasets.perturbations.reasoning.rows import (
    QDMR,
    answer_of,
    answered,
    are_stated_together,
    calculated,
    yes_or_no,
)
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import questions, transform
from dnc_datasets.qdmr.evaluate import Value, evaluate
from dnc_datasets.qdmr.steps import Decomposition, Operator, fault, parse_steps, write_steps
from dnc_datasets.serving.settings import perturb

Write = Callable[[Sequence[str]], list[str]]
Read = Callable[[str, str], str]
GOLD, RULES, MODEL = "gold", "rules", "model"
KINDS = ("append_bool", "change_last", "replace_arith", "replace_comp", "replace_bool", "prune_step")


@dataclass(frozen=True)
class Models:
    """Models that complement the rules: a parser, a generator of questions, and a reader of spans."""

    parser: Write | None = None
    generator: Write | None = None
    reader: Read | None = None


@dataclass(frozen=True)
class Member:
    """A member of a contrast set: its kind, its row, and the origin of steps, question and answer."""

    kind: str
    problem: Problem
    parsed_by: str
    worded_by: str
    answered_by: str


_NO_MODELS = Models()


def steps_of(problem: Problem, models: Models = _NO_MODELS) -> tuple[Decomposition, str] | None:
    """Return the steps of a question and their origin (source, rule or model), or None."""
    if given := problem.note(QDMR):
        return parse_steps(given), GOLD
    made = questions.decomposed(problem.question)
    if made is not None and (len(made) > 1 or models.parser is None):
        return made, RULES
    if models.parser is not None:
        (text,) = models.parser([problem.question])
        try:
            steps = parse_steps(text)
        except ProblemError:
            steps = ()
        if not fault(steps) and text.strip().startswith("return"):
            return steps, MODEL
    return (made, RULES) if made is not None else None


def members(
    problem: Problem, models: Models = _NO_MODELS, *, dataset: str = "own", seed: int = 0
) -> Iterator[Member]:
    """Yield the members that rules make of a problem, and those that models add."""
    found = steps_of(problem, models)
    if found is None:
        return
    steps, parsed_by = found
    meta = dict(problem.meta) | {QDMR: write_steps(steps), "passage": problem.note("passage") or problem.id}
    known = problem.replace(meta=tuple(sorted(meta.items())))
    for kind in KINDS:
        step = perturbations.get(kind, "passage")
        row = perturb(known, (step,), dataset=dataset, seed=seed)
        if row.original is not None:
            yield Member(kind, row.problem, parsed_by, RULES, RULES)
            continue
        draw = Draw(seed, dataset, problem.id, kind)
        made = _worded(kind, known, steps, models, draw) if models.generator else None
        by = MODEL
        if made is None and models.reader is not None and kind == "prune_step":
            made, by = _read(known, steps, models), RULES if models.generator is None else MODEL
            if made is not None:
                yield Member(kind, made, parsed_by, by, MODEL)
            continue
        if made is not None and _holds(known, made, kind):
            yield Member(kind, made, parsed_by, MODEL, RULES)


def _holds(original: Problem, made: Problem, kind: str) -> bool:
    try:
        certify(original, made, perturbations.get(kind, "passage"))
    except CertificateError:
        return False
    return made.question.endswith("?")


def _worded(kind: str, problem: Problem, steps: Decomposition, models: Models, draw: Draw) -> Problem | None:
    """Return a member with a question by the model and an answer by a rule. It is not yet certified."""
    if kind == "append_bool":
        return _appended(problem, steps, models, draw)
    changed = {
        "replace_arith": transform.replace_arith,
        "replace_comp": transform.replace_comp,
        "prune_step": transform.prune_step,
    }.get(kind, lambda _: None)(steps)
    value = numerals.parse(problem.answer)
    question = _question(changed.steps, models) if changed else ""
    if changed is None or not question:
        return None
    if kind == "replace_comp":
        from dnc_datasets.english.rewording.choices import choice

        asked = choice(question)
        other = transform.other_choice((asked.one, asked.two), problem.answer) if asked else None
        return answered(problem, question, other, changed.steps) if other else None
    pair = transform.operands_of(value, _values(problem), "difference") if value is not None else None
    if pair is None or "difference" not in steps[-1].text or not are_stated_together(problem, pair):
        return None
    if kind == "replace_arith":
        total = expression.Binary("+", *map(expression.number, pair))
        return calculated(problem, question, total, "", changed.steps)
    compared = difference(problem.question)
    if compared is None:
        return None
    side = pair[0] if compared.more else pair[1]
    return calculated(problem, question, expression.number(side), "", changed.steps)


def _appended(problem: Problem, steps: Decomposition, models: Models, draw: Draw) -> Problem | None:
    truth = bool(draw.integer(0, 1))  # drawn first, and only once
    known = answer_of(problem)
    if known is None or known[0] <= 0 or steps[-1].operator is Operator.SELECT:
        return None
    made = thresholds.draw(known[0], truth, ("more than", "fewer than"), draw, stated=known[1])
    if made is None:
        return None
    new = transform.append_bool(steps, thresholds.RELATIONS[made.words], made.value)
    question = _question(new.steps, models)
    return yes_or_no(problem, question, truth, new.steps) if question else None


def _question(steps: Decomposition, models: Models) -> str:
    if models.generator is None:
        return ""
    (text,) = models.generator([write_steps(steps)])
    return " ".join(text.split())


def _values(problem: Problem) -> list[Fraction]:
    return [quantity.value for quantity in numerals.find(problem.body)]


def _read(problem: Problem, steps: Decomposition, models: Models) -> Problem | None:
    """Return a question for an operand of a last step, with the value that the reader finds.

    It is used only where all steps, evaluated with the reader's values, give the original's answer.
    """
    last = steps[-1]
    if models.reader is None or len(last.references) != 2 or last.operator is not Operator.ARITHMETIC:
        return None
    given: dict[int, Value] = {}
    for number, step in enumerate(steps, 1):
        if step.operator is Operator.SELECT:
            span = models.reader(f"What is the {step.text.removeprefix('the ')}?", problem.body)
            value = numerals.parse(span.split(" ")[0].strip("$%,.")) if span else None
            if value is None:
                return None
            given[number] = value
    values = evaluate(steps, given)
    if values[-1] != numerals.parse(problem.answer):
        return None
    at = last.references[0]
    kept, side = transform.needed(steps[:at]), values[at - 1]
    if not isinstance(side, Fraction) or side not in _values(problem):
        return None
    text = kept[0].text.removeprefix("the ")
    question = _question(kept, models) or f"What is the {'number of ' if len(kept) > 1 else ''}{text}?"
    made = calculated(problem, question, expression.number(side), "", kept)
    return made if CHECKS["only_question_changed"](problem, made) and question.endswith("?") else None
