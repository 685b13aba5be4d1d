"""Paraphraser with a Hugging Face sequence-to-sequence model, loaded by name or folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from dnc_datasets import extras, files
from dnc_datasets.english.reading.content_words import content_words
from dnc_datasets.errors import DncError

# The noun phrase of the question, up to its verb.
_ASKED = re.compile(
    r"\bhow (?:many|much) (?P<what>.{0,200}?)(?: (?:do|does|did|is|are|was|were|will|would|can|could|has|have|had|should)\b|\?)",
    re.IGNORECASE,
)
# Words that a question may gain or lose without a change of meaning.
_ASKING = frozenset(("number", "amount", "total", "altogether"))
# Words that determine the calculation, grouped by meaning. No meaning may be lost or added.
_DECIDING = (
    re.compile(r"\b(?:left|remain\w*|still|unsold|rest|not)\b|n't\b"),
    re.compile(r"\b(?:before|first|begin\w*|start\w*|original\w*|initial\w*)\b"),
    re.compile(r"\b(?:more|extra|additional|another|greater|larger|longer|taller|older|heavier)\b"),
    re.compile(r"\b(?:fewer|less|smaller|shorter|younger|lighter)\b"),
    re.compile(r"\b(?:each|every|per|apiece|equal\w*|even\w*)\b"),
    re.compile(r"\btimes\b|\btwice\b|\bhalf\b"),
)
_STUTTER = re.compile(r"\b(\w+(?: \w+)?)\b \1\b|\b(\w+ \w+)\b.*\b\2\b", re.IGNORECASE)
_SPACE = re.compile(r" (?=[.,;:?!])|(?<=\w) ?' ?(?=(?:s|t|re|ve|ll|d|m)\b)")
# A model needs much memory, and only one is in use at a time.
_MAX_MODELS = 1
_MAX_NEW_TOKENS = 60
_MAX_BEAMS = 10


@lru_cache(maxsize=_MAX_MODELS)
def paraphraser(model: str) -> Callable[[str, int], list[str]]:
    """Return a deterministic function `(sentence, most) -> paraphrases` that uses beam search.

    No code of the model is run: `trust_remote_code` stays off and weights are safetensors. The network is
    used only if DNC_ONLINE is set.
    """
    try:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    except ImportError as error:
        raise DncError(
            f"a paraphrase model needs transformers and torch: {extras.command('train')}"
        ) from error
    try:
        online = files.may_go_online()
        with files.hub(online=online):
            tokenizer = AutoTokenizer.from_pretrained(model, local_files_only=not online)
            network = AutoModelForSeq2SeqLM.from_pretrained(
                model, use_safetensors=True, local_files_only=not online
            )
    except (OSError, ValueError) as error:
        raise DncError(
            f"paraphrase model {model!r} cannot be loaded: {error}. "
            "Give the folder of a sequence-to-sequence model with weights as safetensors, or its name on the Hub, "
            f"with {files.ONLINE}=1 in the environment where it is to be downloaded"
        ) from error
    network.eval()

    def paraphrase(sentence: str, most: int) -> list[str]:
        beams = min(max(most, 1), _MAX_BEAMS)
        batch = tokenizer([sentence], return_tensors="pt", truncation=True)
        made = network.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            num_beams=beams,
            num_return_sequences=beams,
            do_sample=False,
            max_new_tokens=_MAX_NEW_TOKENS,
        )
        texts = [_tidy(text) for text in tokenizer.batch_decode(made, skip_special_tokens=True)]
        return list(dict.fromkeys(text for text in texts if is_alike(sentence, text)))

    return paraphrase


def _tidy(text: str) -> str:
    """Remove the blank before punctuation: "What are the pens ?" becomes "What are the pens?"."""
    return _SPACE.sub(lambda match: "'" if "'" in match[0] else "", " ".join(text.split()))


def is_alike(sentence: str, text: str) -> bool:
    """Return whether the text may be a paraphrase of the sentence, as a first rough filter.

    A paraphrase has the same end mark, asks for the same thing and keeps the words that determine the
    calculation. It has no repeated words, and each of the two texts shares half of its content words with the
    other.
    """
    if text[-1:] != sentence[-1:] or (_STUTTER.search(text) and not _STUTTER.search(sentence)):
        return False
    if any(bool(word.search(sentence.lower())) != bool(word.search(text.lower())) for word in _DECIDING):
        return False
    old, new = (content_words(one) - _ASKING for one in (sentence, text))
    asked = _ASKED.search(sentence)
    if asked and not content_words(asked["what"]) - _ASKING <= new:
        return False
    return 2 * len(old & new) >= max(len(old), len(new))
