"""What the tests of the harness share: a folder of their own, and a scripted model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("lm_eval")
sys.path.insert(0, str(Path(__file__).parent))

import scripted

from dnc_harness import evaluate
from dnc_harness.evaluate import Settings
from dnc_metrics.record import Record

Run = Callable[..., Record]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees a built folder of the checkout, or asks the network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DNC_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    # lm-eval describes the machine by running a dozen programs; no test looks at that.
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    scripted.ASKED.clear()
    scripted.DEVICES.clear()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Evaluate the scripted model: `run("right", "dnc_tiny", limit=5)`."""

    def evaluated(script: str, *tasks: str, out: str = "results", **settings: object) -> Record:
        return evaluate.run(
            Settings("scripted", tasks, tmp_path / out, {"model": script}, **settings)  # type: ignore[arg-type]
        )

    return evaluated
