"""Pretrained models and their tokenizers: loaded by folder or name, checked, and saved as plain folders."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets import extras
from dnc_datasets.errors import DncError
from dnc_datasets.files import hub
from dnc_trainers.finetuning.config import Finetuning

_NO_LIMIT = 1 << 30  # tokenizers without a limit name a number far above this one


class PretrainedError(DncError):
    """Raised for a model that cannot be loaded, or cannot be fine-tuned to write."""


@dataclass
class Pretrained:
    """A generative model with its tokenizer."""

    network: Any
    tokenizer: Any
    encoder_decoder: bool

    @property
    def pad(self) -> int:
        """Return the padding id; padding is masked, so any id works if the tokenizer has none."""
        known = (self.tokenizer.pad_token_id, self.network.config.pad_token_id, self.tokenizer.eos_token_id)
        return int(next(one for one in known if isinstance(one, int)))

    @property
    def end(self) -> int:
        """Return the id of the end-of-text token."""
        return int(self.tokenizer.eos_token_id)

    def accepts(self, argument: str) -> bool:
        """Return whether the model's `forward` accepts this argument."""
        return argument in inspect.signature(self.network.forward).parameters

    def limit(self, asked: int) -> int:
        """Return the number of tokens that the model reads: `asked`, or the limit of model and tokenizer."""
        config = self.network.config
        # T5 and related models use relative positions; the number in their configs is no limit.
        names = () if hasattr(config, "relative_attention_num_buckets") else _LIMITS
        hard = min(
            (getattr(config, name) for name in names if getattr(config, name, None)), default=_NO_LIMIT
        )
        if asked > hard:
            raise PretrainedError(
                f"source_length is {asked}, but the model has positions for {hard} tokens only"
            )
        return asked or min(hard, int(min(self.tokenizer.model_max_length, _NO_LIMIT)))


_TOKENIZER_FILES = ("tokenizer*", "*.model", "vocab*")
_LIMITS = ("max_position_embeddings", "n_positions", "max_sequence_length")


def load(config: Finetuning) -> Pretrained:
    """Return the model and the tokenizer that a config names; only safetensors weights are read."""
    with hub(online=config.download):
        return _load(config)


def _load(config: Finetuning) -> Pretrained:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.integrations import unset_hf_deepspeed_config
    from transformers.utils import logging

    logging.disable_progress_bar()
    # Under DeepSpeed's stage 3, transformers would load parts of a model. It loads completely and is split
    # later.
    unset_hf_deepspeed_config()
    name = config.model
    options: dict[str, Any] = {"local_files_only": not config.download, "trust_remote_code": False}
    if not config.download and not Path(name).is_dir() and ("\\" in name or name.startswith((".", "/"))):
        raise PretrainedError(f"there is no folder {name}")
    try:
        about: Any = AutoConfig.from_pretrained(name, **options)
    except (OSError, ValueError) as error:
        raise PretrainedError(_load_error(name, "model", error, config)) from error
    _check_writes(name, about)
    try:
        if Path(name).is_dir() and not any(any(Path(name).glob(files)) for files in _TOKENIZER_FILES):
            raise OSError("there are no files of it")  # some tokenizer classes would be created empty
        tokenizer: Any = AutoTokenizer.from_pretrained(name, **options)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise PretrainedError(_load_error(name, "tokenizer", error, config)) from error
    family = AutoModelForSeq2SeqLM if about.is_encoder_decoder else AutoModelForCausalLM
    try:
        network: Any = family.from_pretrained(name, use_safetensors=True, dtype="float32", **options)
    except (OSError, ValueError) as error:
        raise PretrainedError(_load_error(name, "weights", error, config)) from error
    pretrained = Pretrained(network, tokenizer, bool(about.is_encoder_decoder))
    if not isinstance(tokenizer.eos_token_id, int):
        raise PretrainedError(f"the tokenizer of {name} has no end-of-text token, so that no text could end")
    rows = network.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise PretrainedError(
            f"the tokenizer of {name} has {len(tokenizer)} tokens but the model knows {rows}; "
            "they do not belong together"
        )
    if config.form == "chat" and not tokenizer.chat_template:
        raise PretrainedError(f"{name} has no chat template; leave form=chat out")
    if config.form == "chat" and pretrained.encoder_decoder:
        raise PretrainedError(f"{name} is an encoder-decoder; the chat form is for causal models")
    return pretrained


def _check_writes(name: str, about: Any) -> None:
    """Raise an error if the kind of model, as its config names it, does not generate text."""
    from transformers.models.auto import modeling_auto

    kind = about.model_type
    if about.is_encoder_decoder:
        if kind in modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES:
            return
    elif kind in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        # BERT and related models can be configured as decoders, but were not trained to generate text.
        encoder = kind in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES and not about.is_decoder
        if not encoder:
            return
    raise PretrainedError(
        f"{name} is a model of kind {kind!r}, which reads text but does not write it; fine-tune an encoder-decoder "
        "(T5, BART) or a causal model (GPT-2, Llama), or use it as a solver's --encoder"
    )


def _load_error(name: str, what: str, error: Exception, config: Finetuning) -> str:
    reason = str(error).strip().split("\n")[0][:300]
    if Path(name).is_dir():
        remedy = {
            "model": "the folder needs the files that save_pretrained writes",
            "tokenizer": "the folder needs the tokenizer's files (tokenizer.json, tokenizer_config.json) too: "
            "save them beside the model with tokenizer.save_pretrained",
            "weights": "only safetensors are read (other formats can hold code): load the model where it comes "
            "from and save it with save_pretrained",
        }[what]
    elif config.download:
        remedy = "check the name and the connection"
    else:
        remedy = "it is not in the local cache; --download fetches it from the Hub"
    return f"the {what} of {name!r} cannot be loaded ({reason}); {remedy}"


def with_lora(network: Any, rank: int, encoder_decoder: bool) -> Any:
    """Return the network with LoRA matrices on every linear layer as the only trained weights."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise PretrainedError(f"lora needs peft: {extras.command('lora')}") from error
    task = "SEQ_2_SEQ_LM" if encoder_decoder else "CAUSAL_LM"
    lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type=task)
    return get_peft_model(network, lora)


def save(network: Any, tokenizer: Any, folder: Path, weights: Mapping[str, Any] | None = None) -> None:
    """Write a plain folder that `AutoModel....from_pretrained` loads, into an existing folder.

    `weights` are the complete ones of a network that holds only parts of them, or in lower precision.
    """
    network.save_pretrained(folder, state_dict=weights)
    tokenizer.save_pretrained(folder)
    kinds = {str(one.dtype) for one in (weights or {}).values() if one.is_floating_point()}
    if len(kinds) == 1 and kinds != {str(network.dtype)}:
        _update_config(folder, dtype=kinds.pop().removeprefix("torch."))
    output = network.get_output_embeddings()
    if output is not None and output.weight is not network.get_input_embeddings().weight:
        mark_untied(folder)


def mark_untied(folder: Path) -> None:
    """State in a folder's config that the output embedding differs from the input embedding.

    transformers 5 writes the opposite for every T5; versions that follow it lose one of the two matrices.
    """
    _update_config(folder, tie_word_embeddings=False)


def _update_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    about = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    path.write_text(json.dumps(about, indent=2, sort_keys=True) + "\n", encoding="utf-8")
