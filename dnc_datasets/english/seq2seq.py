"""A Hugging Face sequence-to-sequence model as paraphraser, by name or folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from dnc_datasets.errors import DncError

# A model holds much memory, and one is used at a time.
_MAX_MODELS = 1
_MAX_NEW_TOKENS = 60
_MAX_BEAMS = 10


@lru_cache(maxsize=_MAX_MODELS)
def paraphraser(model: str) -> Callable[[str, int], list[str]]:
    """A function `(sentence, most) -> paraphrases` by beam search, the same on every call.

    No code of the model's is run (`trust_remote_code` stays off).
    """
    try:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    except ImportError as error:
        raise DncError(
            "a paraphrase model needs transformers and torch: pip install 'dnc-bench[train]'"
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
        network = AutoModelForSeq2SeqLM.from_pretrained(model)
    except (OSError, ValueError) as error:
        raise DncError(
            f"paraphrase model {model!r} cannot be loaded: {error}. "
            "Give the name or the folder of a sequence-to-sequence model"
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
        texts = [text.strip() for text in tokenizer.batch_decode(made, skip_special_tokens=True)]
        return list(dict.fromkeys(text for text in texts if text))

    return paraphrase
