"""Paraphrase: every sentence in other words, every number with its own things and people."""

from __future__ import annotations

from dnc_datasets.certificate.wording import heads_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.head_entities import same_heads
from dnc_datasets.english.reading.sentences import capitalised, is_too_long, sentences
from dnc_datasets.english.rewording.paraphrases import Paraphrase, said_otherwise
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem


@perturbation(
    "paraphrase",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "values_permuted", "heads_kept", "text_changed"),
    shapes=("word_problem",),
    qualifies="a rule must know another way of saying one of its sentences",
)
def say_otherwise(problem: Problem, draw: Draw, *, most: int = 7, model: str = "") -> Problem | None:
    """Amy gave 3 pens to Ben. -> Ben got 3 pens from Amy.

    One of up to `most` paraphrases of each sentence is drawn: by rule, or, where `model` names a
    Hugging Face sequence-to-sequence paraphraser (or its folder), those of the model that pass the filter.
    """
    return _said(problem, draw, most, model)[0]


def rules_fired(problem: Problem, draw: Draw, *, most: int = 7) -> tuple[str, ...]:
    """The rules by which `say_otherwise` words this problem otherwise, sentence by sentence."""
    return _said(problem, draw, most, "")[1]


def _said(problem: Problem, draw: Draw, most: int, model: str) -> tuple[Problem | None, tuple[str, ...]]:
    if is_too_long(problem.text):
        return None, ()
    drawn = [_drawn(sentence, draw, most, model) for sentence in (*sentences(problem.body), problem.question)]
    changed = problem.replace(body=" ".join(one.text for one in drawn[:-1]), question=drawn[-1].text)
    # Sentence by sentence every number kept its head; a sentence that the splitter cut wrongly may not have.
    in_other_words = changed.text.split() != problem.text.split()
    if not in_other_words or not heads_kept(problem, changed):
        return None, ()
    return changed, tuple(rule for one in drawn for rule in one.rules)


def _drawn(sentence: str, draw: Draw, most: int, model: str) -> Paraphrase:
    """One of the paraphrases of a sentence by most rules, or the sentence where there is none."""
    choices = choose(sentence, most, model)
    if not choices:
        return Paraphrase(sentence, ())
    rules = max(len(one.rules) for one in choices)
    return draw.choice([one for one in choices if len(one.rules) == rules])


def choose(sentence: str, most: int, model: str = "") -> list[Paraphrase]:
    """At most so many paraphrases of a sentence, all of which keep every number with its head entity.

    A question that continues an open clause ("..., how many") is paraphrased as if it began a sentence.
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
