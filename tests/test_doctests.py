"""Every example in a docstring of the packages gives what it says."""

from __future__ import annotations

import configparser
import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _modules() -> list[str]:
    """The import names of all modules with an example."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    folders = dict(line.split(" = ") for line in config["options"]["package_dir"].strip().splitlines())
    found = []
    for package, folder in folders.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = (package, *path.relative_to(ROOT / folder).with_suffix("").parts)
                found.append(".".join(part for part in parts if part != "__init__"))
    return found


@pytest.mark.parametrize("name", _modules())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(import_module(name))
    assert result.attempted, f"{name} has an example that doctest does not find: it is in no docstring"
    assert not result.failed, f"{result.failed} of the examples of {name} are wrong, see above"


def test_there_are_examples_in_all_packages_that_have_functions_for_users() -> None:
    assert {name.partition(".")[0] for name in _modules()} >= {"dnc_datasets", "dnc_metrics"}
