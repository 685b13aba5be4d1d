"""spaCy's blank English comes without torch in our own command, and as it is in anybody else's program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import sys
from dnc_datasets.english.reading import tokens as language
language.alone = {alone}
print([token.text for token in language.english()("How many pens?")])
print("torch" in sys.modules and sys.modules["torch"] is None)
"""


@pytest.mark.parametrize("alone", [True, False])
def test_torch_is_asked_for_only_where_the_process_is_not_ours(alone: bool, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text('print("torch was asked for")\nraise ImportError("not installed")\n')
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(alone=alone)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    *asked, tokens, hidden = done.stdout.splitlines()
    assert bool(asked) == (not alone)
    assert tokens == "['How', 'many', 'pens', '?']"
    assert hidden == "False", "torch can be imported afterwards"
