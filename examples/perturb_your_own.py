"""Perturb problems of your own; `dnc perturb FILE --with RECIPE --out FILE` does the same to a file."""

from dnc_datasets.perturbations import recipe
from dnc_datasets.problem import from_row
from dnc_datasets.serving.settings import perturb

problems = [
    {
        "id": "1",
        "body": "Ana has 12 pens.",
        "question": "How many has she with 30 more?",
        "equation": "12 + 30",
        "answer": "42",
    },
    {"id": "2", "body": "It rained.", "question": "How long did it rain?"},
]

for given in problems:
    for name in ("language", "distribution", "verbosity+type"):
        row = perturb(from_row(given), recipe(name), dataset="mine", seed=0)
        if row.original is None:
            print(f"{name} leaves {given['id']} as it was: {row.reason}")
        else:
            print(f"{name}: {row.problem.text} Answer: {row.problem.answer}")
