"""Models that cannot be fine-tuned are refused with what to do; presets and names of runs."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from dnc_datasets.cli import main
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.problem import Problem
from dnc_trainers import loop
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import ConfigError
from dnc_trainers.finetuning import pretrained
from dnc_trainers.finetuning.config import from_preset
from dnc_trainers.finetuning.learner import train
from dnc_trainers.finetuning.pretrained import PretrainedError, load

Make = Callable[[str], Path]


@pytest.fixture
def folder(make_model: Make, tmp_path: Path) -> Path:
    """A copy of a model to spoil."""
    return Path(shutil.copytree(make_model("gpt2"), tmp_path / "model"))


def _config(folder: Path | str, **changes: Any) -> Any:
    return from_preset(str(folder), "default", changes)


def test_no_tokenizer(folder: Path) -> None:
    for path in folder.glob("token*"):
        path.unlink()
    with pytest.raises(PretrainedError, match=r"the tokenizer of .* needs the tokenizer's files"):
        load(_config(folder))


def test_encoder_only(tmp_path: Path) -> None:
    from transformers import BertConfig, BertModel

    BertModel(
        BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, vocab_size=9)
    ).save_pretrained(tmp_path)
    with pytest.raises(PretrainedError, match=r"kind 'bert', which reads text but does not write it"):
        load(_config(tmp_path))


def test_weights_that_are_not_safetensors(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({"x": torch.zeros(1)}, folder / "pytorch_model.bin")
    with pytest.raises(PretrainedError, match=r"the weights of .* only safetensors are read"):
        load(_config(folder))


def test_no_model_and_no_network() -> None:
    with pytest.raises(PretrainedError, match="--download fetches it"):
        load(_config("nobody/no-such-model"))
    with pytest.raises(PretrainedError, match="there is no folder"):
        load(_config("/no/such/folder"))


def test_chat_needs_a_template(make_model: Make) -> None:
    with pytest.raises(PretrainedError, match="has no chat template"):
        load(_config(make_model("gpt2"), form="chat"))


def test_tokenizer_of_another_model(make_model: Make, folder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["another"])
    tokenizer.save_pretrained(folder)
    with pytest.raises(PretrainedError, match=r"has 501 tokens but the model knows 500"):
        load(_config(folder))


def test_full_disk_at_the_end(
    make_model: Make, tiny: list[Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = _config(make_model("gpt2"), epochs=1, checkpoint_seconds=0)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pretrained, "save", full)
    with pytest.raises(CheckpointError, match=r"No space left on device.*run the same command again"):
        train(config, tiny[:8], [], folder=tmp_path)
    assert not (tmp_path / "model").exists()
    monkeypatch.undo()
    _, history = train(config, tiny[:8], [], folder=tmp_path)
    assert len(history.epochs) == 1


def test_presets(make_model: Make) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown preset 'dnc_paper'.*dnc-paper"):
        from_preset("x", "dnc_paper", {})
    paper = from_preset(str(make_model("t5")), "dnc-paper", {"seed": 3})
    assert (paper.epochs, paper.lr, paper.batch, paper.source_length, paper.seed) == (40, 1e-5, 32, 128, 3)
    assert from_preset(str(make_model("t5")), "default", {}).lr == 5e-4
    assert from_preset(str(make_model("gpt2")), "default", {}).lr == 5e-5
    assert from_preset("google/flan-t5-base", "default", {}).lr == 5e-4
    with pytest.raises(ConfigError, match="checkpointing is 'maybe'; it must be yes or no"):
        from_preset("x", "default", {"checkpointing": "maybe"})
    assert from_preset("x", "default", {"checkpointing": "no"}).checkpointing is False


def test_a_run_is_named_by_the_model_not_by_its_place(folder: Path, make_model: Make) -> None:
    here, there = _config(folder), _config(make_model("gpt2"))
    assert here.fingerprint() == there.fingerprint()
    assert _config("google/flan-t5-base").model_name == "flan_t5_base"
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    (other / "model.safetensors").write_bytes(bytes(data))
    assert _config(other).fingerprint() != here.fingerprint()


def test_precision_is_never_tried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert {loop.precision(asked) for asked in ("no", "fp16", "bf16", "auto")} == {"no"}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert [loop.precision(asked) for asked in ("auto", "fp16")] == ["no", "fp16"]
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert loop.precision("auto") == "bf16"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--setting", "defence", "--perturbations", "type"], "unknown setting 'defence'"),
        (["--setting", "defense"], "--setting and --perturbations go together"),
        (["--tau", "0.1"], "--tau is the share that --setting augment adds"),
        (["--setting", "augment", "--perturbations", "type", "--tau", "2"], "above 0 and at most 1"),
        (["--setting", "augment", "--perturbations", "type", "--tau", "x"], "write shares such as"),
        (["--preset", "papr"], "unknown preset 'papr'"),
    ],
)
def test_wrong_words(
    words: list[str], message: str, make_model: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["research", "finetune", str(make_model("gpt2")), "--data", "tiny", *words]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("family", ["t5_untied", "llama"])
def test_whole_weights_are_saved_in_their_own_precision(
    family: str, make_model: Make, tmp_path: Path
) -> None:
    """As of a model that DeepSpeed trains in bf16: it reads in less precision than the optimizer has."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    there = pretrained.load(from_preset(str(make_model(family)), "default", {}))
    weights = {name: one.clone() for name, one in there.network.state_dict().items()}
    pretrained.save(there.network.to(torch.bfloat16), there.tokenizer, tmp_path, weights)
    family_of = AutoModelForSeq2SeqLM if there.encoder_decoder else AutoModelForCausalLM
    read = family_of.from_pretrained(tmp_path, dtype="auto").state_dict()
    assert read.keys() == weights.keys()
    assert all(torch.equal(read[name], one) for name, one in weights.items())
