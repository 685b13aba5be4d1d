"""A certificate is read by its own code: it imports the lexicon of English, and nothing of the perturbations."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from dnc_datasets import certificate

FOLDER = Path(certificate.__file__).parent


def _imported(path: Path) -> set[str]:
    """The modules that a file imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_imports_nothing_that_writes_rows(path: Path) -> None:
    for name in _imported(path):
        assert not name.startswith("dnc_datasets.perturbations"), name
        english = name.startswith("dnc_datasets.english") and name != "dnc_datasets.english"
        assert not english or name.startswith("dnc_datasets.english.lexicon"), name


def test_no_two_checks_have_one_name() -> None:
    stems = (path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
    modules = [import_module(f"dnc_datasets.certificate.{stem}") for stem in stems]
    names = [check.__name__ for module in modules for check in getattr(module, "CHECKS", ())]
    assert len(names) == len(set(names))
