"""The words that fill the templates' slots: people, things and places, by word class, with their forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dnc_datasets.errors import SourceError

# The form that is made, not listed: the word with its indefinite article.
ARTICLE_FORM = "a"
# A vowel letter that sounds like a consonant takes "a".
_CONSONANT_SOUNDS = ("ukulele", "uniform", "unicorn", "unicycle", "European")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of one class; `forms` maps "one", "many", "he" ... to text, the main form first."""

    word_class: str
    forms: Mapping[str, str]
    text: str = field(
        init=False, compare=False, repr=False
    )  # the main form: a name, or a noun in the singular

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", next(iter(self.forms.values())))

    @property
    def key(self) -> str:
        """What identifies the word in a problem's notes, such as "fruit/apple"."""
        return f"{self.word_class}/{self.text}"

    def form(self, name: str) -> str:
        """One form; "" is the main one, "a" the main one with its article.

        >>> Word("fruit", {"one": "apple", "many": "apples"}).form("a")
        'an apple'
        """
        if not name:
            return self.text
        if name == ARTICLE_FORM:
            article = "an" if self.text[0] in "aeiouAEIOU" and self.text not in _CONSONANT_SOUNDS else "a"
            return f"{article} {self.text}"
        return self.forms[name]


class Lexicon:
    """Word classes by name; a class holds words, or unites other classes."""

    def __init__(self, classes: Mapping[str, Mapping[str, Any]]) -> None:
        self._words: dict[str, tuple[Word, ...]] = {}
        self._links: dict[str, Mapping[str, str]] = {}
        self._keys: dict[str, Word] = {}
        self._united: dict[str, tuple[Word, ...]] = {}  # several classes
        self._texts: dict[str, frozenset[str]] = {}
        for name, entry in classes.items():
            if "of" in entry:
                self._words[name] = tuple(word for part in entry["of"] for word in self._words[part])
                continue
            words = tuple(_word(name, entry, item) for item in entry["words"])
            self._words[name] = words
            self._links[name] = entry.get("links", {})
            self._keys.update((word.key, word) for word in words)

    @property
    def classes(self) -> tuple[str, ...]:
        """The name of every class."""
        return tuple(self._words)

    def words(self, classes: str) -> tuple[Word, ...]:
        """The words of a class, or of several as in "fruit|vegetable"."""
        if classes not in self._united:
            self._united[classes] = tuple(word for name in classes.split("|") for word in self._words[name])
        return self._united[classes]

    def texts(self, classes: str) -> frozenset[str]:
        """The main forms of these words."""
        if classes not in self._texts:
            self._texts[classes] = frozenset(word.text for word in self.words(classes))
        return self._texts[classes]

    def word(self, key: str) -> Word:
        """The word with this key."""
        try:
            return self._keys[key]
        except KeyError:
            raise SourceError(
                f"the embedded corpus has no word {key!r}; rebuild data of another version"
            ) from None

    def linked(self, word_class: str, link: str) -> str | None:
        """The class that goes with a class, such as what its things are packed in, if there is one."""
        return self._links.get(word_class, {}).get(link)


def _word(word_class: str, entry: Mapping[str, Any], item: str | list[str]) -> Word:
    texts = [item] if isinstance(item, str) else item
    forms = dict(zip(entry["forms"], texts, strict=True))
    return Word(word_class, {**forms, **entry.get("shared", {})})


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of the embedded corpus."""
    text = files("dnc_datasets.corpus").joinpath("lexicon.json").read_text(encoding="utf-8")
    return Lexicon(json.loads(text))
