"""One and two processes give the same evaluation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from dnc_datasets.problem import Problem, to_row
from dnc_trainers import solving
from dnc_trainers.config import Config

# What each process does: load the finished run, solve with a share of the rows, and train a little.
_SCRIPT = """
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
    (tmp_path / "work.py").write_text(_SCRIPT)
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
