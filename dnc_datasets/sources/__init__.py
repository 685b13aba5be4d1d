"""Sources of problems: one file per dataset, each with a `Source` that this registry finds by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from dnc_datasets import plugins
from dnc_datasets.errors import PluginError, UnknownNameError
from dnc_datasets.problem import SHAPES, Problem

GROUP = "dnc.sources"
# Dataset name -> module (or module:NAME where its `Source` is not called SOURCE). Adding a source is its
# file, its line here, and its test; from outside, an entry point that names the `Source` ("my_package:SOURCE"),
# or `register` in a plug-in file.
_MODULES = {
    "asdiv_a": "dnc_datasets.sources.asdiv_a",
    "asdiv_a_manual": "dnc_datasets.sources.asdiv_a_manual",
    "break_qdmr": "dnc_datasets.sources.break_qdmr",
    "convfinqa": "dnc_datasets.sources.convfinqa",
    "drop_human": "dnc_datasets.sources.published_contrasts:DROP",
    "drop_num": "dnc_datasets.sources.drop_num",
    "drop_num_official": "dnc_datasets.sources.drop_num:OFFICIAL",
    "drop_qdmr": "dnc_datasets.sources.break_qdmr:DROP",
    "finqa": "dnc_datasets.sources.finqa",
    "gsm8k": "dnc_datasets.sources.gsm8k",
    "gsm8k_socratic": "dnc_datasets.sources.gsm8k_socratic",
    "iirc_bpb": "dnc_datasets.sources.published_contrasts:IIRC",
    "iirc_bpb_constraints": "dnc_datasets.sources.published_contrasts:IIRC_CONSTRAINTS",
    "iirc_bpb_validated": "dnc_datasets.sources.published_contrasts:IIRC_VALIDATED",
    "mawps": "dnc_datasets.sources.mawps",
    "noahqa_en": "dnc_datasets.sources.noahqa",
    "noahqa_zh": "dnc_datasets.sources.noahqa:CHINESE",
    "svamp": "dnc_datasets.sources.svamp",
    "tabmwp": "dnc_datasets.sources.tabmwp",
    "tatqa_a": "dnc_datasets.sources.tatqa_a",
    "tatqa_a_all": "dnc_datasets.sources.tatqa_a:ALL",
    "tiny": "dnc_datasets.sources.tiny",
    "tiny_all": "dnc_datasets.sources.tiny:ALL",
    "tiny_dialogues": "dnc_datasets.sources.tiny:DIALOGUES",
    "tiny_dialogues_zh": "dnc_datasets.sources.tiny:DIALOGUES_ZH",
    "tiny_passages": "dnc_datasets.sources.tiny:PASSAGES",
    "tiny_release": "dnc_datasets.sources.tiny_release",
    "tiny_tables": "dnc_datasets.sources.tiny:TABLES",
}

Splits = Mapping[str, Sequence[Problem]]
Files = Mapping[str, Path]


@dataclass(frozen=True)
class PinnedFile:
    """One upstream file at one commit. `git_blob` or `sha256` pins its bytes.

    `folds` names the folds that need the file ("" is the standard split). With None, every fold needs it.
    """

    repo: str
    commit: str
    path: str
    git_blob: str = ""
    sha256: str = ""
    size: int = 0
    folds: tuple[str, ...] | None = None

    def needed_for(self, fold: str) -> bool:
        """Return whether this fold needs the file."""
        return self.folds is None or fold in self.folds

    @property
    def location(self) -> str:
        """The path of the file in a mirror: owner/repo/commit/path."""
        return f"{self.repo}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class Erratum:
    """One known defect of the published data, and its treatment.

    `row` is the id of the row, or "*" where many rows have the defect and each is marked in its `meta`.
    """

    row: str
    defect: str
    action: str


@dataclass(frozen=True)
class Source:
    """A dataset: its pinned files, its reader, and notes for its users.

    `read(files, fold)` receives the local path of each file by its upstream path (`PinnedFile.path`) and
    returns the splits. `fold` is "" for the standard split or one of `folds`. A split is a list or, where it
    is larger than memory, a `dnc_datasets.own.stored.Stored`.

    - `manual` states the way to obtain files that cannot be fetched.
    - `scope` names the fields whose numbers are perturbed by default, as in the published work.
    - `borrowed`: the training split is of other datasets, and only the test split is its own.
    - `perturbed`: its test rows are already perturbed, and no perturbation applies to them.
    - `numeric`: every answer is a number. `chooses`: some answers are one of two years of the question.
    - `equations`: rows have equations.
    - `unperturbed` states the reason why no perturbation acts on it, if none does.
    - `asked`: its originals are questions for the evaluation of a model.
    - `contrasts`: its rows carry published members of contrast sets.
    - `test_only`: all rows are test rows, so that no model can be trained on it.
    """

    name: str
    title: str
    shape: str  # one of `dnc_datasets.problem.SHAPES`
    read: Callable[[Files, str], Splits]
    files: tuple[PinnedFile, ...]
    licence: str
    citation: str
    homepage: str = ""
    language: str = "en"
    scope: tuple[str, ...] = ("body",)
    numeric: bool = True
    chooses: bool = False
    equations: bool = True
    folds: tuple[str, ...] = ()
    borrowed: bool = False
    perturbed: bool = False
    errata: tuple[Erratum, ...] = ()
    manual: str = ""
    unperturbed: str = ""
    asked: bool = True
    contrasts: bool = False
    test_only: bool = False


_REGISTERED: dict[str, Source] = {}


def register(source: Source) -> Source:
    """Register a user's own source under its name, and return it."""
    name, at = source.name, source.read.__module__
    if not name.isidentifier() or not name.islower():
        raise PluginError(
            f"{at}: the source {name!r} has a name that no config can have; use small letters, digits and _"
        )
    if source.shape not in SHAPES:
        raise PluginError(f"{at}: source {name!r} has the shape {source.shape!r}; use {', '.join(SHAPES)}")
    other = _REGISTERED.get(name)
    taken = _MODULES.get(name) or (other and other.read.__module__ != at and other.read.__module__)
    if taken:
        raise PluginError(f"{at}: a source called {name!r} is in {taken} already; choose another name")
    _REGISTERED[name] = source
    return source


def is_own(name: str) -> bool:
    """Return whether the source is part of this package, and not of a plug-in."""
    return name in _MODULES


def names() -> tuple[str, ...]:
    """Return the names of all datasets."""
    return tuple(sorted({*_MODULES, *plugins.entry_points(GROUP), *_REGISTERED}))


def is_known(name: str) -> bool:
    """Return whether this is the name of a dataset. The test is fast enough for every row."""
    return name in _MODULES or name in _REGISTERED or name in plugins.entry_points(GROUP)


def get(name: str) -> Source:
    """Return the source called `name`. The error for an unknown name lists the nearest names."""
    if name in _MODULES:
        return _own(name)
    if name in _REGISTERED:
        return _REGISTERED[name]
    points = plugins.entry_points(GROUP)
    if name not in points:
        raise UnknownNameError("dataset", name, names())
    source = plugins.load(GROUP, name)
    if not isinstance(source, Source) or source.name != name:
        found = f"a source called {source.name!r}" if isinstance(source, Source) else repr(source)
        raise PluginError(
            f"the entry point {name!r} loads {points[name].value}, which is {found}; it must name the "
            f"`Source` whose name is {name!r}"
        )
    return register(source)


@cache
def _own(name: str) -> Source:
    module, _, attribute = _MODULES[name].partition(":")
    source: Source = getattr(import_module(module), attribute or "SOURCE")
    return source
