"""A package of somebody else's, installed beside ours, and a file of one's own are used as ours are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dnc_datasets
from dnc_datasets import plugins
from dnc_datasets.errors import PluginError

SHOUT = '''
from dnc_datasets.perturbations import Capability, perturbation


@perturbation("shout", capability=Capability.PROBE, promises=("target_kept", "text_changed"))
def shout(problem, draw):
    """How many? -> HOW MANY?"""
    return problem.replace(question=problem.question.upper())
'''
SOURCE = """
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Source


def _read(files, fold):
    return {
        split: [
            Problem(f"{split}-{n}", f"Ana has {n} pens. Bo has {n + 1} pens.", "How many pens are there?",
                    equation=f"{n} + {n + 1}", answer=str(2 * n + 1), unit="pens")
            for n in range(start, start + 3)
        ]
        for split, start in (("train", 10), ("validation", 20), ("test", 30))
    }


SOURCE = Source("loud", "Loud problems", "word_problem", _read, (), "MIT", "nobody")
"""
SOLVER = '''
from dnc_trainers.solvers import register
from dnc_trainers.solvers.gts import Gts


@register("loud_gts", epochs=3, dropout=0.2)
class LoudGts(Gts):
    """GTS under another name."""
'''
METRIC = """
import datasets
import evaluate


class Loudness(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="The share of loud predictions.", citation="", inputs_description="",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(self, predictions, references):
        return {"loudness": sum(map(str.isupper, predictions)) / len(predictions)}
"""
ENTRY_POINTS = """
[dnc.perturbations]
shout = loud_package.shout
[dnc.sources]
loud = loud_package.source:SOURCE
[dnc.solvers]
loud_gts = loud_package.solver
[dnc.metrics]
loudness = loud_package.loudness
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages with one in it, as pip would leave it."""
    folder = tmp_path_factory.mktemp("site-packages")
    texts = {
        "loud_package/__init__.py": "",
        "loud_package/shout.py": SHOUT,
        "loud_package/source.py": SOURCE,
        "loud_package/solver.py": SOLVER,
        "loud_package/loudness/__init__.py": "",
        "loud_package/loudness/loudness.py": METRIC,
        "loud_package-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: loud-package\nVersion: 1.0\n",
        "loud_package-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _run(words: list[str], cwd: Path, path: Path | None = None, *, code: int = 0) -> str:
    """What Python prints, run with a further folder of packages."""
    environment = {**os.environ, "DNC_CACHE": str(cwd / "cache"), "HF_HOME": str(cwd / "hf")}
    environment |= {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    if path:
        environment["PYTHONPATH"] = os.pathsep.join((str(path), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


# Several commands in one process, which takes a third of the time; what they print comes out as JSON.
COMMANDS = """
import contextlib, io, json, sys
from dnc_datasets.cli import main

if __name__ == "__main__":
    printed = []
    for words in json.loads(sys.argv[1]):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert main(words) == 0, words
        printed.append(out.getvalue())
    print(json.dumps(printed))
"""


def _dnc(commands: list[str], cwd: Path, path: Path | None = None) -> list[str]:
    (cwd / "commands.py").write_text(COMMANDS, encoding="utf-8")
    words = [command.split() for command in commands]
    printed: list[str] = json.loads(_run(["commands.py", json.dumps(words)], cwd, path).splitlines()[-1])
    return printed


def test_a_package_is_listed_built_and_verified(installed: Path, tmp_path: Path) -> None:
    commands = [
        "list --names",
        "build loud-shout-attack loud-noise-attack tiny_tables-shout-attack --jobs 2",
        "verify",
        "coverage loud",
        "show loud-shout-attack -n 1 --json",
    ]
    names, _, report, page, pair = _dnc(commands, tmp_path, installed)
    assert {"loud", "loud-shout-attack", "loud-noise-defense", "tiny-shout-attack"} <= set(names.split())
    assert report.rstrip().endswith("0 failed")
    assert "### shout" in (tmp_path / "dnc" / "README.md").read_text(encoding="utf-8")
    assert "| shout | 3 | 3 | 3 |  |" in page
    assert json.loads(pair)["row"]["question"] == "HOW MANY PENS ARE THERE?"


def test_a_package_is_served_as_tasks_and_scored(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    commands = [
        "tasks",
        "tasks-path",
        "eval --model dummy --tasks dnc_loud --out results --json",
    ]
    tasks, folder, found = _dnc(commands, tmp_path, installed)
    assert {"dnc_loud_shout_attack", "dnc_loud_original_equation", "dnc_tiny_shout_attack_cot"} <= set(
        tasks.split()
    )
    assert Path(folder.strip()).is_relative_to(tmp_path / "cache")
    assert (Path(folder.strip()) / "loud" / "dnc_loud_shout_attack.yaml").is_file()
    changed = {cell["config"]: cell["changed"] for cell in json.loads(found)["cells"]}
    assert changed["loud-shout-attack"] == 3


INSPECT = """
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from dnc_harness.inspect import dnc

outputs = [ModelOutput.from_content("mock", f"The answer is {n}.") for n in (61, 63, 65)]
for output in outputs:
    output.usage = ModelUsage()
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = inspect_ai.eval(dnc("loud-shout-attack"), model=model, display="none", max_samples=1, max_connections=1)
assert log.status == "success", log.error
print({score.name: score.metrics["mean"].value for score in log.results.scores}["answer_strict"])
"""


def test_a_package_is_served_to_inspect(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    assert _run(["-c", INSPECT], tmp_path, installed).split()[-1] == "1.0"


def test_solvers_and_metrics_of_a_package(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    evaluate = pytest.importorskip("evaluate")
    import dnc_metrics
    from dnc_trainers import solvers

    monkeypatch.syspath_prepend(installed)
    monkeypatch.setattr(solvers, "_REGISTERED", dict(solvers._REGISTERED))
    plugins.entry_points.cache_clear()
    try:
        assert "loud_gts" in solvers.names()
        assert solvers.default_config("loud_gts").epochs == 3
        assert solvers.get("loud_gts").__name__ == "LoudGts"
        assert "loudness" in dnc_metrics.names()
        metric = evaluate.load(dnc_metrics.path("loudness"), cache_dir=str(tmp_path))
        assert metric.compute(predictions=["A", "b"], references=["", ""]) == {"loudness": 0.5}
    finally:
        plugins.entry_points.cache_clear()


def test_a_file_of_ones_own_works_in_every_process(tmp_path: Path) -> None:
    source = SOURCE.replace("SOURCE = Source(", "sources.register(Source(").rstrip() + ")\n"
    (tmp_path / "my.py").write_text(SHOUT + "from dnc_datasets import sources\n" + source, encoding="utf-8")
    build = "build loud-shout-attack loud-shout-defense --jobs 2 --out"
    _, report = _dnc([f"{build} out --plugin my.py", "verify out --plugin my.py --jobs 2"], tmp_path)
    assert report.rstrip().endswith("0 failed")
    without = ["-m", "dnc_datasets.cli", *build.split(), "other"]
    assert "unknown config" in _run(without, tmp_path, code=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", r"bad\.py cannot be run: ZeroDivisionError"),
        (SHOUT.replace('"shout"', '"type"'), r"bad\.py, line \d+: perturbation 'type' exists already"),
        (SHOUT.replace("text_changed", "text_chnaged"), r"bad\.py, line \d+: .* promises 'text_chnaged'"),
    ],
)
def test_a_file_that_fails(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text, encoding="utf-8")
    with pytest.raises(PluginError, match=message):
        dnc_datasets.load_plugin(tmp_path / "bad.py")
    with pytest.raises(PluginError, match="there is no plug-in file"):
        dnc_datasets.load_plugin(tmp_path / "none.py")
    assert tmp_path / "bad.py" not in plugins.loaded()


def test_rows_that_break_a_promise_are_for_the_author_of_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DNC_STRICT", raising=False)
    (tmp_path / "my.py").write_text(SHOUT.replace("question=", "answer='0', question="), encoding="utf-8")
    (tmp_path / "mine.csv").write_text(
        "id,question\n1,Ann has 3 pens. How many pens has she?\n", encoding="utf-8"
    )
    dnc = ["-m", "dnc_datasets.cli"]
    shown = _run([*dnc, "show", "tiny-shout-attack", "--plugin", "my.py"], tmp_path, code=1)
    assert "240 rows failed, most often because plug-in shout would break its promise 'target_kept'" in shown
    perturb = [
        "perturb",
        "mine.csv",
        "--with",
        "shout",
        "--out",
        "out.jsonl",
        "--strict",
        "--plugin",
        "my.py",
    ]
    stated = _run([*dnc, *perturb], tmp_path, code=1)
    assert "1 row failed and remains unchanged; fix the plug-in" in stated
    assert "report" not in stated


BROKEN = """
from dnc_datasets import perturbations, sources
from dnc_datasets.errors import PluginError
for registry in (perturbations, sources):
    try:
        registry.get("oops")
    except PluginError as error:
        print(error)
"""


def test_a_package_that_is_broken_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "oops-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: oops\nVersion: 1.0\n", encoding="utf-8")
    (folder / "entry_points.txt").write_text(
        "[dnc.perturbations]\noops = json\n[dnc.sources]\noops = no_such_module\n", encoding="utf-8"
    )
    first, second = _run(["-c", BROKEN], tmp_path, tmp_path).splitlines()
    assert "'oops' loads json, which registers no perturbation of that name" in first
    assert "'oops' of oops cannot be loaded from no_such_module" in second


def test_the_installed_metadata_is_that_of_the_checkout() -> None:
    assert set(plugins.entry_points("dnc.models")) >= {"solver", "lm_eval"}, (
        "the installation is older than pyproject.toml: run `pip install --no-deps -e .` again"
    )
