"""Scorers for `dnc research review --suspects`: the likelihood of a text under a small language model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dnc_harness.smollm import convert, gguf_file

Scorer = Callable[[Sequence[str]], list[float]]


def smollm(folder: str = "") -> Scorer:
    """Return SmolLM2-135M, from its PyPI package or a folder, as a scorer: mean log-probability per word."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = Path(folder) if folder else cache / "dnc" / "smollm2-135m-instruct"
    if not (path / "config.json").is_file():
        convert(gguf_file(), path)
    return causal(path)


def causal(folder: Path) -> Scorer:
    """Return a causal language model in a folder as a scorer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model: Any = AutoModelForCausalLM.from_pretrained(
        str(folder), local_files_only=True, use_safetensors=True
    ).eval()

    def score(texts: Sequence[str]) -> list[float]:
        found = []
        for text in texts:
            # Every text starts with a line break, so that its first word is scored too.
            ids = tokenizer("\n" + text, return_tensors="pt").input_ids
            with torch.inference_mode():
                loss = model(input_ids=ids, labels=ids).loss
            found.append(-float(loss) * (ids.shape[1] - 1) / max(1, len(text.split())))
        return found

    return score
