"""The only word lists of the package, and the few predicates over them. Standard library only."""

from dnc_datasets.english.lexicon.company import *  # noqa: F403
from dnc_datasets.english.lexicon.counted_nouns import *  # noqa: F403
from dnc_datasets.english.lexicon.function_words import *  # noqa: F403
from dnc_datasets.english.lexicon.nouns import *  # noqa: F403
from dnc_datasets.english.lexicon.numbers import *  # noqa: F403
from dnc_datasets.english.lexicon.people import *  # noqa: F403
from dnc_datasets.english.lexicon.promised_words import *  # noqa: F403
from dnc_datasets.english.lexicon.units import *  # noqa: F403
from dnc_datasets.english.lexicon.verbs import *  # noqa: F403
