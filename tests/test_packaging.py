"""The installed package holds every folder of code, and its packages import in one direction only."""

from __future__ import annotations

import ast
import configparser
import json
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from dnc_datasets import extras

ROOT = Path(__file__).resolve().parents[1]
CONFIG = configparser.ConfigParser()
CONFIG.read(ROOT / "setup.cfg", encoding="utf-8")
FOLDERS = dict(line.split(" = ") for line in CONFIG["options"]["package_dir"].strip().splitlines())
# Package -> our packages that its modules may import. Modules in `commands` may import all of them.
MAY_IMPORT = {
    "dnc_datasets": (),
    "dnc_metrics": ("dnc_datasets",),
    "dnc_harness": ("dnc_datasets", "dnc_metrics"),
    "dnc_trainers": ("dnc_datasets", "dnc_metrics"),
    "dnc_leaderboard": ("dnc_datasets", "dnc_metrics", "dnc_harness"),
}
# Scoring knows rows only as data.
NOT_FOR_METRICS = ("dnc_datasets.sources", "dnc_datasets.perturbations", "dnc_datasets.serving")
# The one place that names later packages, by strings: the table of commands.
COMMAND_TABLE = "dnc_datasets.cli"


def _modules() -> dict[str, Path]:
    """Every module of our packages and its file; a package goes by its own name."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join((package, *(part for part in parts if part != "__init__")))] = path
    return found


MODULES = _modules()


def _named(path: Path) -> Iterator[str]:
    """Every module of our packages that a file names: in an import, wherever it is, or as a string."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} line {node.lineno}: write the whole name of what is imported"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value.partition(":")[0]]  # import_module("..."), or a table for it
        else:
            continue
        for name in names:
            inner = name
            while inner and inner not in MODULES:
                inner = inner.rpartition(".")[0]
            if inner and (inner == name or not isinstance(node, ast.Constant)):
                yield inner


def _room(module: str) -> str:
    """The package that a module lies in; modules directly in `dnc_datasets` are rooms of their own."""
    if MODULES[module].name == "__init__.py" or module.count(".") == 1:
        return module
    return module.rpartition(".")[0]


def test_every_package_is_listed() -> None:
    found = {name for name, path in MODULES.items() if path.name == "__init__.py"}
    assert set(CONFIG["options"]["packages"].split()) == found


@pytest.mark.parametrize("package", FOLDERS)
def test_no_module_imports_against_the_flow(package: str) -> None:
    for module, path in MODULES.items():
        if module.partition(".")[0] != package or module == COMMAND_TABLE or "commands" in module.split("."):
            continue
        for name in _named(path):
            other = name.partition(".")[0]
            assert other == package or other in MAY_IMPORT[package], f"{path} imports {name}"
            if package == "dnc_metrics":
                assert not name.startswith(NOT_FOR_METRICS), f"{path} imports {name}"


def test_datasets_do_without_torch() -> None:
    for module, path in MODULES.items():
        if module.startswith("dnc_datasets."):
            code = path.read_text(encoding="utf-8")
            assert "import torch" not in code, f"{path} imports torch"


def test_certificates_read_with_their_own_code() -> None:
    """They import the lexicon of English, and nothing else of it or of the perturbations."""
    for module, path in MODULES.items():
        if module.startswith("dnc_datasets.certificate"):
            for name in _named(path):
                assert not name.startswith("dnc_datasets.perturbations"), f"{path} imports {name}"
                english = name.startswith("dnc_datasets.english.")
                lexicon = name.startswith("dnc_datasets.english.lexicon")
                assert lexicon or not english, f"{path} imports {name}"


def test_no_two_packages_of_dnc_datasets_import_each_other() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for module, path in MODULES.items():
        if not module.startswith("dnc_datasets.") or module == COMMAND_TABLE:
            continue
        for name in _named(path):
            one, two = _room(module), _room(name)
            # A package's own __init__ is its registry or its face, and knows what lies in it.
            within = f"{two}.".startswith(f"{one}.") or f"{one}.".startswith(f"{two}.")
            if not within and two != "dnc_datasets":
                graph[one].add(two)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"these import each other in a circle: {' -> '.join(error.args[1][::-1])}")


def test_strings_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "hidden.py"
    file.write_text(
        'from importlib import import_module\nimport_module("dnc_trainers.trained")\n'
        'TABLE = {"a": "dnc_metrics.answers:score"}\ndef f():\n    from dnc_harness import data\n',
        encoding="utf-8",
    )
    assert set(_named(file)) == {"dnc_trainers.trained", "dnc_metrics.answers", "dnc_harness.data"}


# Files in the folders of packages that nothing reads once the package is installed.
NOT_INSTALLED = ("README.md",)


def test_a_wheel_holds_every_file_that_the_code_reads(tmp_path: Path) -> None:
    """Built from a copy, so that no earlier build lends it files."""
    # Importing setuptools here would fail after a test that imported distutils.
    assert find_spec("setuptools"), "setuptools, of the extra `test`, builds the wheel"
    copy = tmp_path / "copy"
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "*.so")
    for folder in FOLDERS.values():
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    words = [
        "wheel",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "--wheel-dir",
        str(tmp_path),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"{package}/{file.relative_to(copy / folder).as_posix()}"
        for package, folder in FOLDERS.items()
        for file in (copy / folder).rglob("*")
        if file.is_file() and file.name not in NOT_INSTALLED
    }
    missing = sorted(wanted - held)
    assert not missing, f"setup.cfg, options.package_data, leaves out {missing}"


def _installed(folder: Path, origin: dict[str, object] | None) -> None:
    """Write the metadata of an installation into a folder of the path."""
    info = folder / "dnc_bench-9.dist-info"
    info.mkdir(parents=True)
    about = (
        'Metadata-Version: 2.4\nName: dnc-bench\nVersion: 9\nRequires-Dist: torch>=2.4; extra == "train"\n'
    )
    about += 'Requires-Dist: dnc-bench[train]; extra == "lora"\nRequires-Dist: peft>=0.13; extra == "lora"\n'
    (info / "METADATA").write_text(about, encoding="utf-8")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'dnc-bench[lora]'"),  # from an index
        (
            {"url": "{here}/checkout", "dir_info": {"editable": True}},
            "pip install -e '{here}/checkout[lora]'",
        ),
        ({"url": "{here}/checkout", "dir_info": {}}, "pip install '{here}/checkout[lora]'"),
        ({"url": "{here}", "dir_info": {"editable": True}}, "pip install -e '.[lora]'"),
        ({"url": "{here}/gone.whl", "archive_info": {}}, "pip install 'torch>=2.4' 'peft>=0.13'"),
        (
            {"url": "https://host/dnc.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'dnc-bench[lora] @ git+https://host/dnc.git@abc'",
        ),
    ],
)
def test_the_hint_for_an_extra_installs_it_from_where_the_package_came_from(
    origin: dict[str, object] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "checkout").mkdir()
    if origin and str(origin["url"]).startswith("{here}"):
        origin = {**origin, "url": str(origin["url"]).replace("{here}", tmp_path.as_uri())}
    _installed(tmp_path / "site", origin)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.chdir(tmp_path)
    assert extras.command("lora") == command.replace("{here}", str(tmp_path))
