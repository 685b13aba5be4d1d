"""DeepSpeed's parts, gathered and given back: sizes that no number of processes divides, to the bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import sys, torch
from dnc_trainers import layouts, loop
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
    layout = layouts.of(accelerator, plain, optimizer, {}, lambda: inputs[:1])
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
