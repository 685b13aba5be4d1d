"""Diagnose anything that answers text with text, capability by capability, with the rows of the catalogue."""

import re

from dnc_datasets import perturbations
from dnc_datasets.serving import catalogue
from dnc_metrics import answers, robustness


def model(text: str) -> str:
    """Replace this: it adds up all numbers in digits, and so falls for every number too many."""
    return str(sum(int(number) for number in re.findall(r"\d+", text)))


for name in ("language", "type", "verbosity", "order"):
    variant = catalogue.find(f"tiny-{name}-attack")
    rows = variant.rows(catalogue.read(variant.dataset))["test"]
    pairs = [(row.original, row.problem) for row in rows if row.original is not None]
    before = {old.id: answers.score(model(old.text), old.answer).correct for old, _ in pairs}
    after = {new.id: answers.score(model(new.text), new.answer).correct for _, new in pairs}
    found = robustness.compare(before, after)
    capability = perturbations.get(name).capability.value
    print(
        f"{capability}, {name}: {found.original:.1%} -> {found.perturbed:.1%} of {found.pairs}: {found.verdict}"
    )
