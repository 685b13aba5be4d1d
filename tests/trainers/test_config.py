"""Settings are read as their types, and wrong ones are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_datasets.errors import DncError, UnknownNameError
from dnc_trainers import protocol, solvers
from dnc_trainers.config import Config, ConfigError, from_words, from_yaml


def test_command_line_beats_file_beats_solver(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("lr: 0.01\nhidden: 32\n")
    config = protocol.default_config("transformer", 7, file, ["hidden=64"])
    assert (config.lr, config.hidden, config.layers, config.seed) == (0.01, 64, 2, 7)


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden": "wide"},
        {"hidden": 0},
        {"dropout": 1.0},
        {"numbers": "words"},
        {"batch": 2.5},
        {"lr": 0},
        {"lr": "nan"},
    ],
)
def test_wrong_values(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        Config().with_settings(settings)


def test_unknown_names_answer_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean hidden"):
        Config().with_settings({"hiden": 3})
    with pytest.raises(UnknownNameError, match="did you mean gts"):
        solvers.default_config("gtss")
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        from_words(["hidden"])


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [1\n", "1: 2\n"])
def test_broken_yaml(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(DncError, match=r"run\.yaml"):
        from_yaml(file)


def test_fingerprint_follows_what_changes_the_weights() -> None:
    assert Config().fingerprint() == Config(checkpoint_seconds=1).fingerprint()
    assert Config().fingerprint() != Config(seed=1).fingerprint()
