"""A shell that reads the script completes commands, options and configs."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from dnc_datasets.cli import COMMANDS, main


def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out

    def completed(*words: str) -> list[str]:
        call = (
            f"{script}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
            f"_dnc dnc '{words[-1]}' '{words[-2]}'; echo ${{COMPREPLY[@]}}"
        )
        return subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True).stdout.split()

    assert completed("dnc", "bu") == ["build"]
    assert completed("dnc", "build", "--str") == ["--strict"]
    assert "dataset" in completed("dnc", "push", "d")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert "--strict" in script
