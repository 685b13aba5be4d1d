"""Words without their endings, so that "marbles" and "marble" are one word of a small vocabulary."""

from __future__ import annotations

from dnc_datasets.memoization import memoized

# Ending and what is in its place, the first that fits; what is left must have three letters.
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ing", ""),
    ("ed", ""),
    ("s", ""),
)
_LEAST = 3


@memoized
def stem(word: str) -> str:
    """A word's stem by its ending alone: a key, not always a word.

    >>> [stem(word) for word in ("boxes", "shared", "shares", "stopping", "glass")]
    ['box', 'shar', 'shar', 'stop', 'glass']
    """
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST and not word.endswith("ss"):
            word = word.removesuffix(ending) + instead
            doubled = ending in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "ls"
            word = word[:-1] if doubled and len(word) > _LEAST else word
            break
    # "shared" has lost its e; so must "share".
    return word[:-1] if word.endswith("e") and len(word) > _LEAST else word
