"""What several processes cost: no worker loads what it does not need, and each is prepared once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path
from dnc_datasets.serving import build, workers

HEAVY = ("torch", "transformers", "spacy", "pandas", "datasets", "accelerate")

def loaded(task):
    build._make(task)
    return [name for name in HEAVY if name in sys.modules]

if __name__ == "__main__":
    from dnc_datasets.serving import catalogue
    names = ("tiny_tables-logic-attack", "tiny_passages-extra-attack")
    tasks = [build._Task(catalogue.find(name), Path(sys.argv[1]), 0, None) for name in names]
    print(workers.each(loaded, tasks, 2, lambda task: None), [name for name in HEAVY if name in sys.modules])
"""


def test_no_worker_of_a_build_loads_what_it_does_not_need(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "out").mkdir()
    told = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "[[], []] []"
