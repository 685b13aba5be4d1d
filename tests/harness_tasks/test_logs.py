"""Logs of plain lm-eval and of inspect_ai become the record that `dnc eval` writes of the same replies."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

from dnc_datasets import cli, untrusted
from dnc_harness import data, logs, tasks_path
from dnc_harness.errors import HarnessError
from dnc_metrics import record
from dnc_metrics.record import Record

Run = Callable[..., Record]
TASKS = ["dnc_tiny_original", "dnc_tiny_verbosity_attack"]


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    """What `lm_eval --log_samples --output_path` leaves, by lm-eval's own hands."""
    tracker = EvaluationTracker(output_path=str(tmp_path / "plain"))
    tracker.general_config_tracker.model_name_sanitized = "a_model"
    tracker.date_id = "2026-11-16T10-00-00.000000"
    results = simple_evaluate(
        model="scripted",
        model_args="script=some_wrong",
        tasks=list(TASKS),
        task_manager=TaskManager(include_path=str(tasks_path() / "tiny"), include_defaults=False),
        evaluation_tracker=None,
    )
    for task, samples in results["samples"].items():
        tracker.save_results_samples(task_name=task, samples=samples)
    return tmp_path / "plain"


def test_an_lm_eval_folder(logged: Path, run: Run) -> None:
    assert cli.main(["score", "--from-lm-eval", str(logged), "--out", "scored"]) == 0
    found = record.load(Path("scored"))
    expected = run("some_wrong", *TASKS)
    assert (found.cells, found.tables, found.causes) == (expected.cells, expected.tables, expected.causes)


def test_rows_of_another_build_are_refused(logged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = logged.rglob("samples_dnc_tiny_original_*.jsonl")
    first, *others = path.read_text().splitlines(keepends=True)
    sample = json.loads(first)
    sample["doc"]["body"] += " And 3 more."
    path.write_text(json.dumps(sample) + "\n" + "".join(others))
    assert cli.main(["score", "--from-lm-eval", str(logged)]) == 1
    assert "of another version, seed or build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [("{}\n", "no sample of lm-eval"), ("nonsense\n", "not JSON"), (None, "no samples of a DNC task")],
)
def test_folders_that_hold_no_samples(
    content: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "plain" / "model"
    folder.mkdir(parents=True)
    name = "hellaswag" if content is None else "dnc_tiny_original"
    (folder / f"samples_{name}_2026-11-16T10-00-00.000000.jsonl").write_text(content or "{}\n")
    assert cli.main(["score", "--from-lm-eval", str(tmp_path / "plain")]) == 1
    assert said in capsys.readouterr().err


def test_one_way_of_giving_replies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["score"]) == 1
    assert "one of the three" in capsys.readouterr().err


@pytest.mark.parametrize("stated", [2_000_000, 10])
def test_an_archive_that_unpacks_to_more_than_the_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: int
) -> None:
    """An archive of a few kilobytes may hold gigabytes, and say that it holds less."""
    pytest.importorskip("inspect_ai")
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_1.json", b"a" * 2_000_000)
    size = struct.pack("<I", 2_000_000)
    path.write_bytes(path.read_bytes().replace(size, struct.pack("<I", stated)))
    monkeypatch.setattr(untrusted, "MAX_BYTES", 1_000_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(HarnessError, match="more than 1000000 bytes"):
        logs.inspect([path])


def test_inspect_logs(tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from dnc_harness.inspect import dnc

    paths = []
    for config in ("tiny", "tiny-verbosity-attack"):
        docs = data.splits(config, dnc_limit=30)["test"]
        outputs = [ModelOutput.from_content("mock", scripted.some_wrong(doc)) for doc in docs]
        for output in outputs:
            output.usage = ModelUsage()  # without one, the mock model downloads a tokenizer to count with
        model = get_model("mockllm/model", custom_outputs=outputs)
        given: dict[str, Any] = {"display": "none", "log_dir": str(tmp_path / "logs")}
        (log,) = inspect_ai.eval(
            dnc(config, limit=30), model=model, max_connections=1, max_samples=1, **given
        )
        paths.append(Path(log.location.removeprefix("file://")))
    assert cli.main(["score", "--from-inspect", *map(str, paths), "--out", "scored"]) == 0
    found = record.load(Path("scored"))
    expected = run("some_wrong", *TASKS, limit=30)
    assert (found.cells, found.tables, found.causes) == (expected.cells, expected.tables, expected.causes)
    assert found.system.name == "mockllm/model"
    text = inspect_ai.log.read_eval_log(str(paths[0])).model_copy(deep=True)
    text.eval.task_args["prompt"] = "no way of asking"
    inspect_ai.log.write_eval_log(text, str(tmp_path / "prompt.json"))
    assert cli.main(["score", "--from-inspect", str(tmp_path / "prompt.json")]) == 1
    assert "unknown prompt 'no way of asking'" in capsys.readouterr().err
    (tmp_path / "bad.json").write_text("{}")
    assert cli.main(["score", "--from-inspect", str(tmp_path / "bad.json")]) == 1
    assert "no log of inspect_ai" in capsys.readouterr().err
