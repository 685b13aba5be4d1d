"""Language, as published: numbers in digits become the words of num2words."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.numerals.cardinals import spell_digits
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.language_plausible import spell_plausibly
from dnc_datasets.perturbations.numbers.amounts import DigitNumber, numbers_in_digits
from dnc_datasets.problem import TEXT_FIELDS, Edit, Problem, splice

_MAX_DIGITS = 33  # larger numbers have no usual words


@perturbation(
    "language",
    capability=Capability.NUMBER_DETECTION,
    promises=("target_kept", "numbers_spelled"),
    qualifies="rows without a number in digits remain unchanged",
)
def spell_numbers(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, language: str = ""
) -> Problem | None:
    """12 pens -> twelve pens: the words of num2words ("$5" -> "$five", "5%" -> "five percent").

    Chinese problems, and other languages by their code, are spelled as in `language_plausible`.
    """
    if language not in ("", "en") or (not language and is_chinese(f"{problem.question}{problem.body}")):
        return spell_plausibly(problem, draw, scope=scope, language=language)
    changes = {}
    for path, text in problem.texts(scope):
        if edits := [
            _edit(number) for number in numbers_in_digits(text) if len(number.digits) <= _MAX_DIGITS
        ]:
            changes[path] = splice(text, edits)
    return problem.with_texts(changes) if changes else None


def _edit(number: DigitNumber) -> Edit:
    words = spell_digits(number.digits)
    return Edit(number.start, number.end, f"{words} percent" if number.is_percent else words)
