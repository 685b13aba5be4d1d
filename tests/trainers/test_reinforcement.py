"""GRPO on a tiny model: the verifiable reward rises on problems that it can learn by heart."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from dnc_datasets.errors import DncError
from dnc_harness import rewards
from dnc_metrics import record
from dnc_trainers import reinforcement
from dnc_trainers.commands import rl
from dnc_trainers.reinforcement import Settings


def _digit_model(folder: Path) -> str:
    """Save a small model with random weights whose vocabulary holds words and single digits."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = ["<pad>", "</s>", "<unk>", *"0123456789", "Tom", "has", "pens", "How", "many", "?"]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)


def test_the_reward_rises_on_an_overfit_set(tmp_path: Path) -> None:
    tasks = [{"prompt": "Tom has 7 pens How many ?", "answer": "7"}] * 20
    settings = Settings(steps=20, batch=32, generations=32, learning_rate=3e-2, max_tokens=1)
    progress = reinforcement.train(
        _digit_model(tmp_path / "model"), tasks, [rewards.answer_reward], settings, tmp_path / "out"
    )
    first, last = progress.ends()
    assert len(progress.rewards) == 20
    assert first + 0.4 < last

    from transformers import AutoModelForCausalLM

    assert AutoModelForCausalLM.from_pretrained(tmp_path / "out").config.hidden_size == 32
    assert not [path.name for path in (tmp_path / "out").rglob("*.bin")], "no pickles"


@pytest.mark.parametrize(
    "settings", [Settings(batch=6, generations=4), Settings(generations=1), Settings(steps=0)]
)
def test_settings_that_do_not_fit_are_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(DncError):
        reinforcement.train("none", [], [], settings, tmp_path)


def test_no_tasks_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DncError, match="no tasks to train on"):
        reinforcement.train("none", [], [rewards.answer_reward], Settings(), tmp_path)


def test_the_command_attacks_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    parser = argparse.ArgumentParser()
    rl.add_arguments(parser)
    words = [_digit_model(tmp_path / "model"), "--data", "tiny-noise-attack", "--out", "run"]
    words += (
        "--steps 2 --batch 2 --generations 2 --max-tokens 2 --limit 2 --rewards answer,consistency".split()
    )
    assert rl.run(parser.parse_args(words)) == 0
    shown = capsys.readouterr().out
    assert "tiny-noise_plausible-attack" in shown
    assert "the model is in run/model" in shown
    run = json.loads((tmp_path / "run" / "rl.json").read_text())
    assert len(run["rewards"]) == run["steps"] == 2
    for name in ("before", "after"):
        found = record.load(tmp_path / "run" / name)
        assert {cell.rows for cell in found.cells if not cell.perturbation} == {2}
