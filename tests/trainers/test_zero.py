"""DeepSpeed's parts, gathered and given back: sizes that no number of processes divides, to the bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dnc_datasets.problem import Problem, to_row
from dnc_trainers import solving
from dnc_trainers.config import Config

_SCRIPT = """
import sys, torch
from dnc_trainers import loop, processes
from dnc_trainers.finetuning.config import Finetuning
torch.set_num_threads(1)
accelerator = loop.make_accelerator(Finetuning(model="odd"))
zero = accelerator.deepspeed_plugin.deepspeed_config["zero_optimization"]
zero["stage3_param_persistence_threshold"] = 0  # small ones are split too

class Odd(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 5), torch.nn.Linear(5, 1)
        self.register_buffer("seen", torch.zeros(3))
        self.config = type("Sizes", (), {"hidden_size": 5})()
    def forward(self, inputs):
        return (self.last(torch.tanh(self.first(inputs))) ** 2).mean()

torch.manual_seed(0)
inputs = torch.randn(4, 3)

def prepared():
    plain = Odd()
    groups = [{"params": list(plain.parameters()), "base": 1e-2}]
    model, optimizer = accelerator.prepare(plain, torch.optim.AdamW(groups, lr=1e-2))
    layout = processes.of(accelerator, plain, optimizer, {}, lambda: inputs[:1])
    def step():
        for group in optimizer.param_groups:
            group["lr"] = group["base"]
        accelerator.backward(model(inputs))
    return layout, step

def same(one, other):
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items()), (one, other)

layout, step = prepared()
assert layout.moments() == {}
step()
step()
weights, moments = layout.weights(), layout.moments()
assert bool(weights) == bool(moments) == accelerator.is_main_process
step()
after = layout.weights()
layout.take(weights)
layout.take_moments(moments)
same(layout.weights(), weights)
for index, entry in layout.moments().items():
    same(entry, moments[index])
step()
same(layout.weights(), after)
# Another model, which has made no step yet.
accelerator.free_memory()
layout, step = prepared()
layout.take(weights)
layout.take_moments(moments)
step()
same(layout.weights(), after)
if accelerator.is_main_process:
    assert set(after) == {"first.weight", "first.bias", "last.weight", "last.bias", "seen"}
    assert any(not torch.equal(value, weights[name]) for name, value in after.items())
    print("all the same")
"""


@pytest.mark.parametrize("stage", ["1", "2", "3"])
def test_a_state_that_is_taken_back_leads_to_the_same_weights(stage: str, tmp_path: Path) -> None:
    pytest.importorskip("deepspeed", reason="deepspeed is not installed; make extras installs it")
    (tmp_path / "odd.py").write_text(_SCRIPT)
    ended = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "odd.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "ACCELERATE_USE_DEEPSPEED": "true",
            "ACCELERATE_DEEPSPEED_ZERO_STAGE": stage,
        },
    )
    assert ended.returncode == 0, ended.stderr[:6000]
    assert "all the same" in ended.stdout


# What each process does: load the finished run, solve with a share of the rows, and train a little.
_TWO_PROCESSES = """
import json, sys
from pathlib import Path
from dnc_datasets.problem import from_row
from dnc_trainers import loop, solving
from dnc_trainers.config import Config
path = Path(sys.argv[1])
problems = [from_row(row) for row in json.loads((path / "rows.json").read_text())]
config = Config(**json.loads((path / "config.json").read_text()))
accelerator = loop.make_accelerator(config)
assert accelerator.num_processes == 2
learner, _ = solving.train(config, problems, problems[:6], folder=path / "run", accelerator=accelerator)
answers = learner.solve(problems, accelerator=accelerator)
other = config.with_settings({"epochs": 2, "seed": 3})
trained, _ = solving.train(other, problems, problems[:6], folder=path / "shared", accelerator=accelerator)
sums = [float(p.detach().double().sum()) for p in trained.model.parameters()]
(path / f"rank{accelerator.process_index}.json").write_text(
    json.dumps({"answers": [answer.to_json() for answer in answers], "sums": sums})
)
"""


def test_two_processes_score_as_one(tmp_path: Path, problems: list[Problem], small: Config) -> None:
    config = small.with_settings({"epochs": 6, "eval_batch": 5})
    learner, _ = solving.train(config, problems, problems[:6], folder=tmp_path / "run")
    alone = [answer.to_json() for answer in learner.solve(problems)]
    (tmp_path / "rows.json").write_text(json.dumps([to_row(problem) for problem in problems]))
    (tmp_path / "config.json").write_text(json.dumps(config.to_dict()))
    (tmp_path / "work.py").write_text(_TWO_PROCESSES)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    subprocess.run(
        [*launch, str(tmp_path / "work.py"), str(tmp_path)],
        check=True,
        capture_output=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    first, second = (json.loads((tmp_path / f"rank{rank}.json").read_text()) for rank in range(2))
    assert first["answers"] == second["answers"] == alone
    # Both processes trained the same model, on averaged gradients.
    assert first["sums"] == second["sums"]
    assert (tmp_path / "shared" / "model.json").exists()
