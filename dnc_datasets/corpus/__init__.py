"""The embedded corpus: schoolbook word problems made from templates, a lexicon and hash-derived draws.

`templates()` gives every template in the form in which variations are made: a body in sentences, a
question, the equation over named numbers, and the word class of every slot. `choose(template, row)` picks
words and numbers for it, `fill(template, fillings)` writes the problem, and `read_fillings(problem)` gives
back what a generated problem was filled with. `templates/README.md` tells how to write a template.
"""

from dnc_datasets.corpus.generate import (
    DATASET,
    Fillings,
    choose,
    fill,
    fresh,
    one_row_per_template,
    problems,
    read_fillings,
)
from dnc_datasets.corpus.lexicon import Lexicon, Word, lexicon
from dnc_datasets.corpus.template import Template, parse_template, templates

__all__ = [
    "DATASET",
    "Fillings",
    "Lexicon",
    "Template",
    "Word",
    "choose",
    "fill",
    "fresh",
    "lexicon",
    "one_row_per_template",
    "parse_template",
    "problems",
    "read_fillings",
    "templates",
]
