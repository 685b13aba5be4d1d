"""Paraphrase: every sentence in other words, every number with its own things and people."""

from __future__ import annotations

from dnc_datasets.certificate.wording import heads_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.head_entities import same_heads
from dnc_datasets.english.reading.sentences import capitalised, is_too_long, sentences
from dnc_datasets.english.rewording.paraphrases import paraphrases
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
    if is_too_long(problem.text):
        return None
    body = [draw_one(sentence, draw, most, model) for sentence in sentences(problem.body)]
    question = draw_one(problem.question, draw, most, model)
    changed = problem.replace(body=" ".join(body), question=question)
    # Sentence by sentence every number kept its head; a sentence that the splitter cut wrongly may not have.
    in_other_words = changed.text.split() != problem.text.split()
    return changed if in_other_words and heads_kept(problem, changed) else None


def draw_one(sentence: str, draw: Draw, most: int, model: str) -> str:
    """One paraphrase of a sentence, or the sentence where there is none."""
    choices = choose(sentence, most, model)
    return draw.choice(choices) if choices else sentence


def choose(sentence: str, most: int, model: str = "") -> list[str]:
    """The paraphrases of a sentence that keep every number with its head entity.

    A question that continues an open clause ("..., how many") is paraphrased as if it began a sentence.
    """
    if not sentence:
        return []
    whole = capitalised(sentence)
    if model:
        from dnc_datasets.english.rewording.paraphrase_model import paraphraser

        found = [
            text for text in paraphraser(model)(whole, most) if text != whole and same_heads(whole, text)
        ]
    else:
        found = paraphrases(whole, most)
    if whole == sentence:
        return found
    return [text[0].lower() + text[1:] for text in found]
