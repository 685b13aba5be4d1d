"""`load_dataset("dnc", config)` as a user calls it: from a built folder, and with nothing but the import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from dnc_datasets.errors import BuildError
from dnc_datasets.serving import hub, rows
from dnc_datasets.serving.build import build

CONFIG = "tiny-verbosity-attack"
# Each script ends by printing one JSON value.
SHOW = f"""
import json, sys
whole = load_dataset("dnc", "{CONFIG}")
stream = load_dataset("dnc", "{CONFIG}", streaming=True)
print(json.dumps({{
    "rows": {{split: list(part) for split, part in whole.items()}},
    "streamed": {{split: list(part) for split, part in stream.items()}},
    "features": str(whole["test"].features),
    "default": load_dataset("dnc", split="test")[0],
    "imported": "dnc_datasets" in sys.modules,
}}))
"""


def run(script: str, cwd: Path, cache: Path) -> Any:
    """What the script prints, run in another process and directory, with no network."""
    settings = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(cache), "HF_DATASETS_CACHE": str(cache / "datasets")}
    environment = {**os.environ, **settings, "DNC_CACHE": str(cache / "dnc")}
    environment.pop("DNC_MIRROR", None)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def from_folder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run(f"from datasets import load_dataset\n{SHOW}", built.parent, tmp_path_factory.mktemp("cache"))


def test_from_a_built_folder(built: Path, from_folder: Any):
    splits = ("train", "validation", "test")
    assert from_folder["imported"] is False
    assert from_folder["rows"] == {split: rows.read(built / CONFIG / f"{split}.parquet") for split in splits}
    assert from_folder["streamed"] == from_folder["rows"]
    assert from_folder["default"] == rows.read(built / "tiny" / "test.parquet")[0]


@pytest.mark.parametrize(
    "imports",
    [
        "import dnc_datasets; from datasets import load_dataset",
        "from datasets import load_dataset; import dnc_datasets",
    ],
)
def test_from_anywhere_after_the_import(from_folder: Any, tmp_path: Path, imports: str):
    found = run(imports + "\n" + SHOW, tmp_path, tmp_path / "cache")
    assert found.pop("imported") is True
    assert found == {key: value for key, value in from_folder.items() if key != "imported"}


def test_the_local_folder_wins_and_other_configs_and_seeds_are_made(tmp_path: Path):
    build([CONFIG], tmp_path / "dnc", seed=1)
    script = f"""
import dnc_datasets, json
from datasets import load_dataset
load = lambda name, **options: load_dataset("dnc", name, split="test", **options)[:]["body"]
same = [load("{CONFIG}"), load(None), load("{CONFIG}", seed=1)]
print(json.dumps([*same, load("{CONFIG}", seed=0), load("tiny")]))
"""
    local, default, one, zero, other = run(script, tmp_path, tmp_path / "cache")
    assert (
        local
        == default
        == one
        == [row["body"] for row in rows.read(tmp_path / "dnc" / CONFIG / "test.parquet")]
    )
    assert len({str(bodies) for bodies in (local, zero, other)}) == 3


def test_what_is_cached_is_never_served_stale_nor_without_us(tmp_path: Path):
    load = """
import dnc_datasets, json
from datasets import load_dataset
{}
print(json.dumps(load_dataset("dnc", "tiny")["test"][0]))
"""
    first = run(load.format(""), tmp_path, tmp_path / "cache")
    # The same version whose source gives something else: a developer's edit, or another copy of the files.
    changed = """
from dataclasses import replace
from dnc_datasets.sources import tiny
from dnc_datasets.problem import Problem
tiny.SOURCE = replace(tiny.SOURCE, read=lambda files, fold: {"test": [Problem("new", "", "?")]})
"""
    assert run(load.format(changed), tmp_path, tmp_path / "cache")["id"] == "new"
    assert run(load.format(""), tmp_path, tmp_path / "cache") == first
    without_us = """
import datasets, json
try:
    datasets.load_dataset("dnc", "tiny")
except Exception as error:
    print(json.dumps(type(error).__name__))
"""
    assert run(without_us, tmp_path, tmp_path / "cache") == "ConnectionError"


def test_errors_are_ours_and_other_paths_are_not_touched(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "dnc").mkdir()  # a folder of that name which is no dataset, such as a checkout
    script = """
import dnc_datasets, datasets, json
messages = []
for name, options in (("tinny", {}), ("tiny-verbosity-atack", {}), ("asdiv_a", {}), ("tiny", {"sed": 1})):
    try:
        datasets.load_dataset("dnc", name, **options)
    except dnc_datasets.errors.DncError as error:
        messages.append(f"{type(error).__name__}: {error}")
messages.append(datasets.load_dataset("mine")["train"][0])
messages.append(datasets.load_dataset("csv", data_files="mine/data.csv")["train"][0])
messages.append(datasets.get_dataset_split_names("dnc", "tiny"))
print(json.dumps(messages))
"""
    dataset, setting, absent, option, mine, csv, splits = run(
        script.replace("import dnc_datasets,", "import dnc_datasets.errors,"), tmp_path, tmp_path / "cache"
    )
    assert dataset.startswith("UnknownNameError: unknown config 'tinny'; did you mean tiny")
    assert "tiny-verbosity-attack" in setting
    assert "dnc fetch asdiv_a" in absent
    assert "takes seed, not sed" in option
    assert mine == csv == {"a": 1, "b": 2}
    assert splits == ["train", "validation", "test"]


SCHOOL = """
import datasets, functools, http.server, json, os, pathlib, threading
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset, load_dataset_builder
import dnc_datasets
from hashlib import sha256
from dnc_datasets import sources
from dnc_datasets.problem import from_row
from dnc_datasets.sources import PinnedFile, Source

row = {"id": "1", "body": "Ana has 12 pens. Bo has 30 pens.", "question": "How many pens?", "equation": "12 + 30",
       "answer": "42"}
data = json.dumps(row).encode()
file = PinnedFile("owner/school", "c" * 40, "school.jsonl", sha256=sha256(data).hexdigest(), size=len(data))
def read(files, fold):
    found = [from_row(json.loads(line)) for line in files[file.path].read_text().splitlines()]
    return {"train": found, "validation": found, "test": found}
sources.register(Source("school", "A school", "word_problem", read=read, files=(file,), licence="CC0-1.0", citation=""))
upstream = pathlib.Path("upstream", file.location)
upstream.parent.mkdir(parents=True)
upstream.write_bytes(data)
asked = []
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words): asked.append(words)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory="upstream"))
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["DNC_UPSTREAM"] = f"http://127.0.0.1:{server.server_port}"
observed = {}
try:
    load_dataset("dnc", "school-verbosity-attack")
except dnc_datasets.serving.hub_builder.SourceError as error:
    observed["offline"] = str(error)
datasets.config.HF_DATASETS_OFFLINE = False
import huggingface_hub
huggingface_hub.constants.HF_HUB_OFFLINE = False
observed["builder"] = load_dataset_builder("dnc", "school-verbosity-attack").config.name
observed["body"] = load_dataset("dnc", "school-type+verbosity-attack", split="test", seed=2)[0]["body"]
observed["streamed"] = next(iter(load_dataset("dnc", "school", split="test", streaming=True)))["body"]
observed["requests"] = len(asked)
observed["names"] = [name for name in get_dataset_config_names("dnc") if name.startswith("school")][:1]
observed["splits"] = get_dataset_split_names("dnc", "school")
try:
    load_dataset("dnc", "school", revision="0.0.1")
except Exception as error:
    observed["revision"] = str(error)
load_dataset("dnc", "school", revision=dnc_datasets.__version__)
print(json.dumps(observed))
"""


def test_pinned_files_are_downloaded_on_first_use(tmp_path: Path):
    stated = run(SCHOOL, tmp_path, tmp_path / "cache")
    assert "`dnc fetch school`" in stated["offline"]
    assert "data_dir=DIR" in stated["offline"]
    assert stated["builder"] == "school-verbosity-attack"
    assert stated["body"].startswith("Ana has 12.0 (not ")
    assert stated["streamed"] == "Ana has 12 pens. Bo has 30 pens."
    assert stated["requests"] == 1, "the file is downloaded once"
    assert stated["names"] == ["school"]
    assert stated["splits"] == ["train", "validation", "test"]
    assert "install that version" in stated["revision"]


def test_the_import_alone_is_light():
    code = "import dnc_datasets, sys; print({'datasets', 'pyarrow', 'inspect'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == "set()\n"


ROOT = Path(hub.__file__).parents[2]


def load_dataset_builder(path: str) -> None:
    """A builder function with other parameters than the one we know."""


def full_builder(path, name, data_dir, data_files, cache_dir, features): ...


def plain(path, name=None):
    return path


def calling(path, name=None):
    return load_dataset_builder(path) or path


@pytest.mark.parametrize(
    ("load", "builder"), [(plain, None), (plain, full_builder), (calling, load_dataset_builder)]
)
def test_a_release_that_cannot_be_served_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, load: Any, builder: Any
):
    module: Any = ModuleType("datasets")
    module.load = ModuleType("datasets.load")
    module.load_dataset = module.load.load_dataset = copy_named("load_dataset", load)
    if builder:
        module.load.load_dataset_builder = copy_named("load_dataset_builder", builder)
    monkeypatch.setitem(sys.modules, "datasets", module)
    monkeypatch.setitem(sys.modules, "datasets.load", module.load)
    monkeypatch.chdir(tmp_path)
    hub.register(module)
    hub.register(module)
    for load_dataset in (module.load_dataset, module.load.load_dataset):
        with pytest.raises(BuildError, match="Run `dnc build`"):
            load_dataset("dnc", "tiny")
        assert load_dataset("squad") == "squad"
    (tmp_path / "dnc").mkdir()
    assert module.load_dataset("dnc", "tiny") == "dnc"


def copy_named(name: str, function: FunctionType) -> FunctionType:
    return FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
