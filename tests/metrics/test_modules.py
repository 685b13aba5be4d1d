"""Every metric loads and computes through the real evaluate library, offline, and its folder is complete."""

from __future__ import annotations

import doctest
import importlib
import json
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dnc_metrics
from dnc_datasets.errors import UnknownNameError
from dnc_metrics import evaluate_module

ROOT = Path(__file__).resolve().parents[2]
PLAIN = sorted(path.stem for path in (ROOT / "metrics").glob("*.py"))


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library with its caches in a folder of the test, and without a network."""
    patch = pytest.MonkeyPatch()
    cache = tmp_path_factory.mktemp("evaluate")
    for name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE"):
        patch.setenv(name, str(cache / name.lower()))
    patch.setenv("HF_EVALUATE_OFFLINE", "1")
    patch.setattr(socket.socket, "connect", _no_network)
    yield pytest.importorskip("evaluate")
    patch.undo()


def _no_network(*_: object) -> None:
    raise AssertionError("a test reached for the network")


@pytest.fixture(scope="module")
def metrics(evaluate: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    cache = str(tmp_path_factory.mktemp("data"))
    return {
        name: evaluate.load(dnc_metrics.path(name), cache_dir=cache, experiment_id=name)
        for name in dnc_metrics.MODULES
    }


def _cases() -> list[Any]:
    found = []
    for name in dnc_metrics.MODULES:
        cases = json.loads((Path(dnc_metrics.path(name)) / "cases.json").read_text(encoding="utf-8"))
        found += [pytest.param(name, case, id=f"{name}: {case['name']}") for case in cases]
    return found


def _check(result: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        for name, value in expected.items():
            _check(result[name], value)
    elif isinstance(expected, float):
        assert result == pytest.approx(expected, abs=1e-6)
    else:
        assert result == expected


@pytest.mark.parametrize(("name", "case"), _cases())
def test_cases_through_evaluate(metrics: dict[str, Any], name: str, case: dict[str, Any]) -> None:
    _check(metrics[name].compute(**case["inputs"], **case.get("options", {})), case["result"])


def test_load_from_a_checkout(evaluate: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    dagsim = evaluate.load("metrics/dagsim", cache_dir=str(tmp_path))
    edges = [["<q>", "<p1>"]]
    assert dagsim.compute(predictions=[edges], references=[edges])["dagsim"] == 1


def test_batches(metrics: dict[str, Any]) -> None:
    metric = metrics["answer_accuracy"]
    metric.add_batch(predictions=["1", "2"], references=["1", "3"])
    metric.add(prediction="5", reference="5.0")
    assert metric.compute()["correct"] == 2


def test_errors_pass_through(metrics: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="original 'a' is given twice"):
        metrics["consistency"].compute(ids=["a", "a"], variants=["original"] * 2, scores=[1, 1])
    with pytest.raises(ValueError, match="row 'a' of 'noise' is given twice"):
        metrics["robustness"].compute(ids=["a", "a"], variants=["noise"] * 2, outcomes=[1, 1])


@pytest.mark.parametrize("name", dnc_metrics.MODULES)
def test_the_folder_is_complete(name: str) -> None:
    folder = Path(dnc_metrics.path(name))
    for file in (f"{name}.py", "README.md", "cases.json"):
        assert (folder / file).is_file(), f"{name} lacks {file}"
    card = (folder / "README.md").read_text(encoding="utf-8")
    header = card.split("---\n")[1]
    for field in ("title:", "emoji:", "sdk: gradio", "app_file: app.py", "tags:", "- evaluate", "- metric"):
        assert field in header
    for section in ("## How to use", "## Limitations", "## Reproduce"):
        assert section in card


@pytest.mark.parametrize("name", dnc_metrics.MODULES)
def test_the_card_tells_the_truth(name: str, metrics: dict[str, Any]) -> None:
    """The Python in the card runs and gives what the card says."""
    card = (Path(dnc_metrics.path(name)) / "README.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_doctest(card, {"metric": metrics[name]}, name, None, 0)
    assert examples.examples
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert runner.run(examples).failed == 0


@pytest.mark.parametrize("name", dnc_metrics.MODULES)
def test_the_widget_computes_its_examples(name: str, metrics: dict[str, Any]) -> None:
    for example in evaluate_module.examples(name):
        assert "error" not in evaluate_module.compute(metrics[name], example)
    assert "error" in evaluate_module.compute(metrics[name], "[1]")
    assert "error" in evaluate_module.compute(metrics[name], "{")
    assert "error" in evaluate_module.compute(metrics[name], '{"predictions": ["1"]}')


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean dagsim"):
        dnc_metrics.path("dagsym")


@pytest.mark.parametrize("name", PLAIN)
def test_docstrings(name: str) -> None:
    module = importlib.import_module("dnc_metrics" if name == "__init__" else f"dnc_metrics.{name}")
    assert module.__doc__
    assert doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0


def test_plain_functions_need_no_heavy_library() -> None:
    import subprocess

    heavy = ("evaluate", "datasets", "torch", "transformers", "gradio", "scipy", "numpy", "pyarrow", "spacy")
    modules = [name for name in PLAIN if not name.startswith("__")]
    code = (
        f"import sys, dnc_metrics\nfrom dnc_metrics import {', '.join(modules)}\n"
        f"from dnc_metrics import {', '.join(dnc_metrics.MODULES)}\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
