"""The checks of the perturbations that change what a problem says; `dnc_datasets.certificate` runs them."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.problem import Problem


def values_permuted(original: Problem, perturbed: Problem) -> bool:
    """both texts hold the same values, each as often, in any order"""
    return sorted(original.values()) == sorted(perturbed.values())


def question_first(original: Problem, perturbed: Problem) -> bool:
    """one question, opened by the word that opens the original's, holds the body's numbers in their order"""
    asked = re.search(r"\b(?:how|what|which|who)\b", original.question, re.IGNORECASE)
    body = [quantity.value for quantity in numerals.find(original.body)]
    rest = iter(perturbed.values())
    return (
        asked is not None
        and asked[0].lower() in perturbed.text.lower().split("'")[0].split()[:3]
        and perturbed.text.count("?") == 1
        and all(value in rest for value in body)
    )


def order_changed(original: Problem, perturbed: Problem) -> bool:
    """the values occur in another order"""
    return original.values() != perturbed.values()


CHECKS = (values_permuted, question_first, order_changed)
