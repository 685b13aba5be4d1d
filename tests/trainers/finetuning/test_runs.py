"""Whole runs: the command, a kill, two processes, and what `dnc eval` makes of the folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from dnc_datasets.cli import main
from dnc_datasets.problem import Problem, to_row
from dnc_leaderboard import report
from dnc_trainers import data, loop, processes, results, searching
from dnc_trainers.config import Config
from dnc_trainers.finetuning.config import from_preset
from dnc_trainers.finetuning.learner import train

Make = Callable[[str], Path]

# Trains and solves with the rows and settings of a folder, as one process or several.
_RUN = """
import json, sys, torch
from pathlib import Path
from dnc_datasets.problem import from_row
from dnc_trainers import loop
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.learner import train
torch.set_num_threads(1)
folder = Path(sys.argv[1])
rows = [from_row(row) for row in json.loads((folder / "rows.json").read_text())]
config = Finetuning(**json.loads((folder / "config.json").read_text()))
accelerator = loop.make_accelerator(config)
learner, _ = train(config, rows, rows[:6], folder=folder / "run", accelerator=accelerator,
                   progress=lambda note: print(note, flush=True))
answers = [answer.to_json() for answer in learner.solve(rows, accelerator=accelerator)]
(folder / f"answers{accelerator.num_processes}.{accelerator.process_index}.json").write_text(json.dumps(answers))
"""
_ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def _prepared(folder: Path, model: Path, rows: list[Problem], **changes: Any) -> Any:
    config = from_preset(str(model), "default", {"batch": 8, "lr": 3e-3, "checkpoint_seconds": 0, **changes})
    (folder / "rows.json").write_text(json.dumps([to_row(problem) for problem in rows]))
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    (folder / "work.py").write_text(_RUN)
    return config


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_killed_run_ends_with_the_same_weights(
    family: str, make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    rows = tiny[:16]
    # Dropout and an average of tied weights, so that all that can go wrong does.
    config = _prepared(tmp_path, make_model(family), rows, epochs=8, average=0.9, patience=0)
    _, history = train(config, rows, rows[:6], folder=tmp_path / "straight")
    command = [sys.executable, str(tmp_path / "work.py"), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_ENVIRONMENT) as process:
        assert process.stdout
        for _ in range(3):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "run" / "model.json").exists()
    assert (tmp_path / "run" / "last.json").exists()
    _, resumed = train(config, rows, rows[:6], folder=tmp_path / "run")
    expected, found = (
        load_file(tmp_path / name / "model" / "model.safetensors") for name in ("straight", "run")
    )
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[key], found[key]) for key in expected)
    assert [e["loss"] for e in resumed.epochs] == [e["loss"] for e in history.epochs]
    assert not list((tmp_path / "run").glob("*.safetensors"))


def test_two_processes_score_every_row_once(make_model: Make, tiny: list[Problem], tmp_path: Path) -> None:
    rows = tiny[:17]
    config = _prepared(tmp_path, make_model("bart"), rows, epochs=2, eval_batch=5, accumulate=2)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    words = [str(tmp_path / "work.py"), str(tmp_path)]
    ended = subprocess.run([*launch, *words], capture_output=True, text=True, timeout=300, env=_ENVIRONMENT)
    assert ended.returncode == 0, ended.stderr[-6000:]
    first, second = (json.loads((tmp_path / f"answers2.{rank}.json").read_text()) for rank in range(2))
    # One process loads what the two have left.
    learner, _ = train(config, rows, rows[:6], folder=tmp_path / "run")
    assert first == second == [answer.to_json() for answer in learner.solve(rows)]
    assert [answer["id"] for answer in first] == [problem.id for problem in rows]


def test_a_killed_process_ends_the_run_and_it_goes_on(
    make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    rows = tiny[:16]
    config = _prepared(tmp_path, make_model("gpt2"), rows, epochs=4)
    # In the middle of the second epoch, before the processes exchange gradients. The launcher would end the other
    # process at once; it must find out alone, so that it ignores the launcher's signal.
    dying = """
import os, signal
from dnc_trainers.finetuning import learner as module
signal.signal(signal.SIGTERM, signal.SIG_IGN)
calls, whole = [], module.FinetuneLearner.batch
def batch(self, *given):
    calls.append(given)
    if os.environ["RANK"] == "1" and len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, *given)
module.FinetuneLearner.batch = batch
"""
    (tmp_path / "work.py").write_text(dying + _RUN)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    ended = subprocess.run(
        [*launch, str(tmp_path / "work.py"), str(tmp_path)],
        capture_output=True, text=True, timeout=300, env=_ENVIRONMENT,
    )  # fmt: skip
    assert ended.returncode
    assert "another of the 2 processes has ended in epoch 2" in ended.stderr
    assert (tmp_path / "run" / "last.json").exists()
    _, history = train(config, rows, rows[:6], folder=tmp_path / "run")
    assert len(history.epochs) == 4


# Trains as two processes with parts of the model, and is stopped and goes on.
_SPLIT = """
import json, sys, torch
from pathlib import Path
from accelerate import PartialState
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin
from dnc_datasets.problem import from_row
from dnc_trainers import loop, processes
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.learner import train
torch.set_num_threads(1)
folder, kind = Path(sys.argv[1]), sys.argv[2]
rows = [from_row(row) for row in json.loads((folder / "rows.json").read_text())]
config = Finetuning(**json.loads((folder / "config.json").read_text()))
accelerator = loop.make_accelerator(config)
if kind == "fsdp":
    # accelerate splits models so on GPUs only; set so afterwards, it does so on processors too.
    PartialState().distributed_type = accelerator.state.distributed_type = DistributedType.FSDP
    accelerator.state.fsdp_plugin = FullyShardedDataParallelPlugin(
        fsdp_version=2, auto_wrap_policy="transformer_based_wrap", cpu_ram_efficient_loading=True)
    processes.check(accelerator, config)
notes = []
def stop(note):
    notes.append(note)
    if len(notes) == 2:
        raise KeyboardInterrupt
try:
    train(config, rows, rows[:6], folder=folder / "split", accelerator=accelerator, progress=stop)
except KeyboardInterrupt:
    accelerator.wait_for_everyone()
    assert json.loads((folder / "split" / "last.json").read_text())["history"]["best_epoch"] >= 0
learner, _ = train(config, rows, rows[:6], folder=folder / "split", accelerator=accelerator)
own = list(learner.model.parameters())
held = sum(getattr(p, "ds_tensor", p.to_local() if hasattr(p, "to_local") else p).numel() for p in own)
split = held < sum(getattr(p, "ds_numel", p.numel()) for p in own)
assert split == processes.is_split(learner.model) == (kind in ("fsdp", "3"))
answers = [answer.to_json() for answer in learner.solve(rows, accelerator=accelerator)]
(folder / f"answers.{accelerator.process_index}.json").write_text(json.dumps(answers))
"""
_TWO = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]


@pytest.mark.parametrize(("family", "kind"), [("t5", "fsdp"), ("t5", "1"), ("gpt2", "2"), ("t5", "3")])
def test_a_model_split_over_processes_learns_what_a_whole_one_does(
    family: str, kind: str, make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    """FSDP and DeepSpeed: losses and weights of whole copies, through a stop, with an uneven number of batches."""
    environment = dict(_ENVIRONMENT)
    if kind != "fsdp":
        pytest.importorskip("deepspeed", reason="deepspeed is not installed; make extras installs it")
        environment |= {"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": kind}
    rows = tiny[:13]
    _prepared(tmp_path, make_model(family), rows, epochs=3, eval_batch=5, accumulate=2)
    (tmp_path / "split.py").write_text(_SPLIT)
    for script, name, given in (
        ("work.py", "run", _ENVIRONMENT),
        ("split.py", "split", environment),
    ):
        ended = subprocess.run(
            [*_TWO, str(tmp_path / script), str(tmp_path), kind],
            capture_output=True, text=True, timeout=300, env=given,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr[:6000]
        assert (tmp_path / name / "model.json").exists()
    whole, split = (
        [json.loads(line)["loss"] for line in (tmp_path / name / "log.jsonl").read_text().splitlines()]
        for name in ("run", "split")
    )
    assert len(split) == 3
    assert split == pytest.approx(whole, rel=1e-4)
    expected, found = (
        load_file(tmp_path / name / "model" / "model.safetensors") for name in ("run", "split")
    )
    assert expected.keys() == found.keys()
    for key, tensor in expected.items():
        torch.testing.assert_close(found[key], tensor, rtol=1e-3, atol=1e-4)
    first, second = (json.loads((tmp_path / f"answers.{rank}.json").read_text()) for rank in range(2))
    assert first == second
    assert [answer["id"] for answer in first] == [problem.id for problem in rows]


def test_what_cannot_be_split_is_refused(make_model: Make) -> None:
    def under(kind: str, version: int = 2) -> Any:
        return SimpleNamespace(distributed_type=SimpleNamespace(value=kind), is_fsdp2=version == 2)

    def deep(stage: int = 2, **settings: Any) -> Any:
        plugin = SimpleNamespace(zero_stage=stage, deepspeed_config=settings)
        return SimpleNamespace(
            distributed_type=SimpleNamespace(value="DEEPSPEED"),
            state=SimpleNamespace(deepspeed_plugin=plugin),
        )

    config = from_preset(str(make_model("gpt2")), "default", {})
    processes.check(under("FSDP"), config)
    own = deep(gradient_clipping=7.0)
    processes.check(own, config)
    assert own.state.deepspeed_plugin.deepspeed_config["gradient_clipping"] == config.clip
    processes.check(under("MULTI_GPU"), Config())
    for accelerator, settings, message in (
        (under("FSDP", 1), config, "FSDP version 1"),
        (under("MEGATRON_LM"), config, "set up for Megatron-LM; .*fsdp_version: 2.* and DeepSpeed"),
        (deep(stage=0), config, "DeepSpeed's stage is 0; use zero_stage 1"),
        (deep(scheduler={}), config, "its own scheduler; remove it"),
        (deep(fp16={"enabled": True}), config, "precision to bf16"),
        (deep(), config.with_settings({"lora": 4}), "with DeepSpeed set lora=0"),
        (deep(), Config(), "launch without DeepSpeed"),
        (under("FSDP"), config.with_settings({"lora": 4}), "with FSDP set lora=0"),
        (under("FSDP"), config.with_settings({"average": 0.9}), "with FSDP set average=0"),
        (under("FSDP"), Config(), "is small and not split"),
    ):
        with pytest.raises(processes.TrainingError, match=message):
            processes.check(accelerator, settings)


@pytest.mark.parametrize(
    ("kind", "message"),
    [("MEGATRON_LM", "set up for Megatron-LM"), ("DEEPSPEED", "pip install .dnc-bench.deepspeed")],
)
def test_what_cannot_be_launched_is_told(kind: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `accelerate launch --use_deepspeed` and its like start a process."""
    monkeypatch.setenv(f"ACCELERATE_USE_{kind}", "true")
    monkeypatch.setattr(processes, "find_spec", lambda name: None)
    with pytest.raises(processes.TrainingError, match=message):
        loop.make_accelerator(Config())


def test_command(make_model: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ["--runs", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    fast = ["--set", "epochs=1", "--set", "batch=64", "--set", "target_length=16", "--set", "eval_batch=128"]
    words = ["research", "finetune", str(make_model("gpt2")), "--data", "tiny", *fast, *places]
    assert main([*words, "--setting", "defense", "--perturbations", "type"]) == 0
    said = capsys.readouterr().out
    assert "tiny_gpt2 fine-tuned on tiny-type-defense" in said
    (path,) = (tmp_path / "results").glob("*.record.json")
    ((found, _),) = report.load([tmp_path / "results"])
    assert found.system.name == "tiny_gpt2 (trained on tiny-type-defense)"
    assert (found.system.kind, found.made.command) == ("pretrained model", "dnc research finetune")
    (one,) = results.load(path)
    assert one.cell.rows == len(one.outcomes) == 240
    assert one.training.rows + one.training.dropped_rows == 2231
    (model,) = (tmp_path / "runs").glob("*/model")
    assert f"the model is in {model}" in said
    assert (model / "tokenizer.json").exists()
    # Again: what is there is not run again.
    before = path.stat().st_mtime_ns
    assert main([*words, "--setting", "defense", "--perturbations", "type", "--json"]) == 0
    assert path.stat().st_mtime_ns == before
    assert json.loads(capsys.readouterr().out)["cell"]["config"] == "tiny-type-defense"


def test_protocol_over_a_pretrained_model(
    make_model: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--runs", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    words = ["research", "protocol", "--model", str(make_model("gpt2")), "--data", "tiny", *places]
    for setting in ("epochs=1", "batch=128", "target_length=16", "eval_batch=128"):
        words += ["--set", setting]
    assert main([*words, "--settings", "attack,defense", "--perturbations", "type"]) == 0
    said = capsys.readouterr().out
    assert "tiny_gpt2 on tiny" in said
    assert "| type |" in said
    assert "| type (defense) |" in said
    assert len(results.load_folder(tmp_path / "results")) == 3
    attacked, defended = (found for found, _ in report.load([tmp_path / "results"]))
    assert [line.name for line in attacked.tables[0].lines] == ["number_detection", "type"]
    assert [cell.config for cell in defended.cells] == ["tiny-type-defense"]
    assert main(["research", "protocol", "gts", *words[2:]]) == 1
    assert "not both" in capsys.readouterr().err


def test_dnc_eval_loads_what_is_left(
    make_model: Make, tiny: list[Problem], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = from_preset(str(make_model("llama")), "default", {"epochs": 1})
    train(config, tiny[:8], [], folder=tmp_path / "run")
    assert main(["build", "tiny-type-attack", "--out", str(tmp_path / "dnc")]) == 0
    words = ["eval", "--model", "hf", "--model-args", f"pretrained={tmp_path / 'run' / 'model'}", "--json"]
    words += ["--device", "cpu", "--limit", "2", "--gen-kwargs", "max_gen_toks=4"]
    words += ["--data", str(tmp_path / "dnc"), "--out", str(tmp_path / "eval")]
    capsys.readouterr()
    code = main([*words, "--tasks", "dnc_tiny_type_attack"])
    assert code == 0, capsys.readouterr().err
    assert list((tmp_path / "eval").iterdir())


def test_share_of_perturbed_rows() -> None:
    from dnc_datasets.serving import catalogue

    rows = data.rows(catalogue.find("tiny-type-defense"))["train"]
    small, large = (data.share(rows, tau, 0, "tiny", "type") for tau in (0.05, 0.1))
    assert (len(small), len(large)) == (round(0.05 * len(rows)), round(0.1 * len(rows)))
    assert {problem.id for problem in small} < {problem.id for problem in large}
    changed = {row.problem.id: row.problem for row in rows if row.original is not None}
    assert all(changed[problem.id] == problem for problem in large)
    assert {p.id for p in data.share(rows, 0.05, 1, "tiny", "type")} != {p.id for p in small}


def test_a_fine_tuned_model_is_searched(
    make_model: Make, folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "--model",
        str(make_model("t5")),
        "--data",
        folded,
        "--settings",
        "search",
    ]
    words += ["--search", "reordering", "--budget", "10", "--set", "epochs=12", "--set", "lr=3e-3"]
    assert main([*words, "--set", "numbers=slots"]) == 0
    (stage,) = searching.read_stages(tmp_path / "results")
    right = [outcome.scores[searching.BEFORE] for outcome in stage.result.outcomes.values()]
    assert any(right), "a model that is never right cannot be attacked"
    (clean,) = results.load_folder(tmp_path / "results")
    assert sum(right) / len(right) == clean.accuracy, "texts are read as the problems are"
