"""A built folder, and what `dnc score` makes of two systems' replies to it: one right, one nearly."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from dnc_datasets.cli import main
from dnc_datasets.serving import rows
from dnc_datasets.serving.build import build

CONFIGS = ("tiny", "tiny-verbosity_plausible-attack", "tiny-noise-attack")


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "dnc"
    build([*CONFIGS, "tiny_dialogues"], folder)
    return folder


def replies(data: Path, config: str, wrong: int = 0) -> list[dict[str, str]]:
    """A reply to each row; the first `wrong` are not right."""
    stored = rows.read(data / config / "test.parquet")
    return [
        {
            "config": config,
            "id": row["id"],
            "output": f"I add it up. The answer is {'unclear' if at < wrong else row['target']}.",
        }
        for at, row in enumerate(stored)
    ]


@pytest.fixture(scope="session")
def results(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the records of a system that is always right, and of one that is wrong three times a config."""
    folder = tmp_path_factory.mktemp("results")
    for name, wrong in (("perfect", 0), ("nearly", 3)):
        file = folder / f"{name}.jsonl"
        lines = [json.dumps(one) for config in CONFIGS for one in replies(data, config, wrong)]
        file.write_text("\n".join(lines), encoding="utf-8")
        assert (
            main(["score", str(file), "--data", str(data), "--name", name, "--out", str(folder / name)]) == 0
        )
        file.unlink()
    return folder
