"""Tiny models of four families with random weights, and tokenizers made of the problems that they are to learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue

FAMILIES = ("t5", "t5_untied", "bart", "gpt2", "llama")
CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="session")
def tiny() -> list[Problem]:
    """32 problems of the embedded corpus, of many templates, each with a question that is a sentence."""
    problems = [
        problem
        for problem in catalogue.read("tiny")["train"]
        if problem.id.endswith("-1") and problem.body.endswith(".") and not problem.question.startswith("If")
    ]
    return problems[:: len(problems) // 32][:32]


@pytest.fixture(scope="session")
def make_model(tiny: list[Problem], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's model, made once."""
    texts = [f"{one.question} {one.body} {one.equation} {one.answer}" for one in tiny]
    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            made[family] = tmp_path_factory.mktemp("models") / f"tiny-{family}"
            _save(family, texts, made[family])
        return made[family]

    return make


def _save(family: str, texts: list[str], folder: Path) -> None:
    tokenizer = _tokenizer(family, texts)
    torch.manual_seed(0)
    network = _network(family, len(tokenizer))
    from dnc_trainers.finetuning import pretrained

    folder.mkdir()
    pretrained.save(network, tokenizer, folder)


def _tokenizer(family: str, texts: list[str]) -> Any:
    """Unigram with marks of new words for T5, bytes for the others; BART's adds a token before every text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "</s>", "<unk>", "<s>", "<|user|>", "<|assistant|>"]
    symbols = [*"0123456789+-*/()=.,%", *"number"]
    if family.startswith("t5"):
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)]
        )
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=400, special_tokens=special, unk_token="<unk>", initial_alphabet=symbols
        )
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=500, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
    tokenizer.train_from_iterator(texts, trainer)
    around = {"t5": "{} </s>", "t5_untied": "{} </s>", "bart": "<s> {} </s>", "llama": "<s> {}", "gpt2": "{}"}
    pair = {"t5": "$A </s> $B </s>", "t5_untied": "$A </s> $B </s>", "bart": "<s> $A </s> $B </s>"}
    tokenizer.post_processor = processors.TemplateProcessing(
        single=around[family].format("$A"),
        pair=pair.get(family, "$A $B"),
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in special],
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=None if family == "gpt2" else "<pad>", eos_token="</s>",
        unk_token="<unk>", bos_token="<s>", model_max_length=256,
    )  # fmt: skip
    made.chat_template = CHAT if family == "llama" else None
    return made


def _network(family: str, size: int) -> Any:
    import transformers as t

    ids: dict[str, Any] = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 3}
    if family.startswith("t5"):
        config = t.T5Config(
            vocab_size=size, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0.0,
            decoder_start_token_id=0, feed_forward_proj="gated-gelu",
            tie_word_embeddings=family == "t5",
        )  # fmt: skip
        network = t.T5ForConditionalGeneration(config)
        if family == "t5_untied":
            network.lm_head.weight = torch.nn.Parameter(torch.randn(size, 64) / 8)
        return network
    if family == "bart":
        return t.BartForConditionalGeneration(
            t.BartConfig(
                vocab_size=size, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, dropout=0.0,
                max_position_embeddings=256, init_std=0.12, decoder_start_token_id=1, forced_bos_token_id=3,
                forced_eos_token_id=None, **ids,
            )
        )  # fmt: skip
    if family == "gpt2":
        return t.GPT2LMHeadModel(
            t.GPT2Config(
                vocab_size=size, n_positions=256, n_embd=64, n_layer=2, n_head=4, resid_pdrop=0.0,
                embd_pdrop=0.0, attn_pdrop=0.0, **{**ids, "pad_token_id": None},
            )
        )  # fmt: skip
    return t.LlamaForCausalLM(
        t.LlamaConfig(
            vocab_size=size, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
            tie_word_embeddings=True, **ids,
        )
    )  # fmt: skip
