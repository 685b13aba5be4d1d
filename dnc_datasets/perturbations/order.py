"""Order: the numbers of a word problem occur in another order. Nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dnc_datasets.certificate.wording import attachments_kept, introductions_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.quantities import same_values
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.rewording.clauses import behind_question, start_moved
from dnc_datasets.english.rewording.conditions import exchanged_with_if
from dnc_datasets.english.rewording.exchanges import all_reordered, reordered
from dnc_datasets.english.rewording.statements import swapped
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

# "He reads 20 pages a day for a week. If he has already read 149 pages": the 149 may include the week.
_IN_SEQUENCE = re.compile(r"\balready\b")


@perturbation(
    "order",
    capability=Capability.OPERATION_REASONING,
    promises=(
        "target_kept",
        "values_permuted",
        "order_changed",
        "attachments_kept",
        "introductions_kept",
        "words_stay_together",
    ),
    shapes=("word_problem",),
    qualifies="there must be parts that can change places",
    not_for={
        "passage": "another order of sentences would break the narrative",
        "dialogue": "later questions refer to earlier ones, and evidence to places in the passage",
    },
)
def change_order(problem: Problem, draw: Draw) -> Problem | None:
    """Amy has 3 pens. Ben has 5 pens. -> Ben has 5 pens. Amy has 3 pens."""
    if is_too_long(problem.text) or "leftover" in problem.text:
        return None
    for body, question in _moves(problem.body, problem.question):
        changed = problem.replace(body=body, question=question)
        same = same_values(changed.text, problem.text)
        if (
            same
            and changed.text.count("..") == problem.text.count("..")  # "400 sq. ft.." ends twice
            and changed.values() != problem.values()
            and attachments_kept(problem, changed)
            and introductions_kept(problem, changed)
        ):
            return changed
    return None


def _moves(body: str, question: str) -> Iterator[tuple[str, str]]:
    """Yield the possible changes: exchanged statements, a reversed list, a statement moved after "if"."""
    if (moved := swapped(body, question)) is not None:
        yield moved, question
    for moved in all_reordered(body):
        yield moved, question
    if (moved := reordered(question)) is not None:
        yield body, moved
    if _IN_SEQUENCE.search(body):
        return
    for move in (exchanged_with_if, start_moved, behind_question):
        if (pair := move(body, question)) is not None:
            yield pair
