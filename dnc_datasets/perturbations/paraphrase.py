"""Paraphrase: every sentence is reworded, and every number keeps its things and people."""

from __future__ import annotations

import re
from itertools import pairwise

from dnc_datasets.certificate.wording import heads_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import capitalised, is_too_long, sentences, uncapitalised
from dnc_datasets.english.rewording.paraphrases import Paraphrase, replaced_share, said_otherwise, same_heads
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

_NEAR = 0.8  # of the strongest paraphrase of a sentence
_LONGEST_JOINED = 10  # words
_CLAUSAL = re.compile(r",|\b(?:and|but|if|so|because|when|while|that|which|who|then|also)\b", re.IGNORECASE)
_OPENS_CLAUSE = re.compile(r"(?:He|She|They|There|Each|The|His|Her|Their|[A-Z][a-z]+) ")


def strength(original: Problem, changed: Problem, draw: Draw) -> dict[str, float | int]:
    """Return the share of words that were replaced, without moved words, and the number of rules."""
    share = round(replaced_share(original.text, changed.text), 3)
    return {"changed": share, "rules": len(_worded(original, draw, _MOST, "")[1])}


_MOST = 7


@perturbation(
    "paraphrase",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "values_permuted", "heads_kept", "text_changed", "words_stay_together"),
    shapes=("word_problem",),
    measure=strength,
    qualifies="a rule must know another way of saying one of its sentences",
)
def paraphrase(
    problem: Problem, draw: Draw, *, most: int = _MOST, model: str = "", min_change: float = 0.0
) -> Problem | None:
    """Amy gave 3 pens to Ben. -> Ben got 3 pens from Amy.

    One of the strongest of up to `most` paraphrases of each sentence is drawn: by rule, or, where `model` names a
    Hugging Face sequence-to-sequence paraphraser (or its folder), those of the model that pass the filter.
    A row in which a smaller share of words than `min_change` is replaced remains unchanged.
    """
    made = _worded(problem, draw, most, model)[0]
    if made is None or (min_change and replaced_share(problem.text, made.text) < min_change):
        return None
    return made


def _worded(problem: Problem, draw: Draw, most: int, model: str) -> tuple[Problem | None, tuple[str, ...]]:
    """Return the problem in other words, and the rules that changed it."""
    if is_too_long(problem.text):
        return None, ()
    body = sentences(problem.body)
    drawn = [_drawn(sentence, draw, most, model) for sentence in (*body, problem.question)]
    joined = [] if model else _joined(drawn[:-1], problem.text)
    parts = joined or drawn[:-1]
    changed = problem.replace(body=" ".join(one.text for one in parts), question=drawn[-1].text)
    # Each sentence kept the heads of its numbers. A sentence with wrong bounds may not have.
    text, before = changed.text, problem.text
    if text == before or text.split() == before.split() or _says_then_after_given(text):
        return None, ()
    if not heads_kept(problem, changed):
        return None, ()
    return changed, tuple(rule for one in (*parts, drawn[-1]) for rule in one.rules)


_THEN_AFTER_GIVEN = re.compile(r"\b(?:Given|Assuming) that [^.?!]{1,300}, then\b")


def _says_then_after_given(text: str) -> bool:
    """Return whether the text has a "then" without its "if"."""
    return ", then" in text and _THEN_AFTER_GIVEN.search(text) is not None


# "She has 9 pens, and Tina has 3" seems to name two; in "Amy's dog had puppies, and she sold 7", the dog seems to.
_TWO_SUBJECTS = re.compile(
    r"\A(?:He|She|They) [^.]{1,200}\.[A-Z](?!e |he |hey |t |ach |very |here )|"
    r"\A[A-Z][a-z]+['’]s? [^.]{1,200}\.(?:He|She|They) "
)


def _joined(parts: list[Paraphrase], text: str) -> list[Paraphrase]:
    """Return the statements with two short, unchanged ones joined: "Amy has 3 pens, and Ben has 5 pens."."""
    for at, (one, two) in enumerate(pairwise(parts)):
        if one.rules or two.rules or not all(_is_short(part.text) for part in (one, two)):
            continue
        inside = uncapitalised(two.text, text)
        if (
            inside is not None
            and _OPENS_CLAUSE.match(two.text)
            and not _TWO_SUBJECTS.search(one.text + two.text)
        ):
            whole = Paraphrase(f"{one.text[:-1]}, and {inside}", ("full stop: and",))
            return [*parts[:at], whole, *parts[at + 2 :]]
    return []


def _is_short(sentence: str) -> bool:
    """Return whether this is one short statement."""
    return (
        sentence.endswith(".") and len(sentence.split()) <= _LONGEST_JOINED and not _CLAUSAL.search(sentence)
    )


def _drawn(sentence: str, draw: Draw, most: int, model: str) -> Paraphrase:
    """Return one of the paraphrases that replace most words of a sentence; the sentence if there is none."""
    choices = choose(sentence, most, model)
    if not choices:
        return Paraphrase(sentence, ())
    if len(choices) == 1:
        return draw.choice(choices)
    shares = [replaced_share(sentence, one.text) for one in choices]
    return draw.choice(
        [one for one, share in zip(choices, shares, strict=True) if share >= _NEAR * max(shares)]
    )


def choose(sentence: str, most: int, model: str = "") -> list[Paraphrase]:
    """Return at most the given number of paraphrases, all of which keep the head entity of every number.

    A question that continues an open clause ("..., how many") is paraphrased like the start of a sentence.
    """
    if not sentence or not most:
        return []
    whole = capitalised(sentence)
    if model:
        from dnc_datasets.english.rewording.paraphrase_model import paraphraser

        found = [
            Paraphrase(text, (model,))
            for text in paraphraser(model)(whole, most)
            if text != whole and same_heads(whole, text)
        ]
    else:
        found = said_otherwise(whole, most)
    if whole == sentence:
        return found
    return [one._replace(text=one.text[0].lower() + one.text[1:]) for one in found]
