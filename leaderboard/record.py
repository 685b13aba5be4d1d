"""The record of a result: which system, on which rows, with what outcome, and how sure that is.

Every command that scores a system writes this one form, and everything that shows, compares or publishes
results reads it: `record.json`, and beside it one line per row and cell, whose hash the record holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from dnc_datasets import atomic, json_lines
from dnc_leaderboard._typed import RecordError, read

SCHEMA = "dnc-record/1"
FILE_NAME = "record.json"
# How the names of records end that share a folder with others, such as those of several trainings.
ENDING = ".record.json"
RIGHT, WRONG, NOT_FOUND, TRUNCATED = STATUSES = ("right", "wrong", "not found", "truncated")
_MAX_BYTES = 512 * 1024 * 1024
_MAX_LINE = 4 * 1024 * 1024
# So unlikely by chance that people are warned of answers known by heart.
MEMORISED = 0.01
# Fields of an outcome that are written even where they are empty or false.
_ALWAYS = frozenset(("cell", "id", "right", "status"))
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# What made a file of before, by a key that only such files have, and the command that makes it anew.
_FORMER = {"tasks": "dnc eval", "attacks": "dnc diagnose", "outcomes": "dnc protocol"}


@dataclass(frozen=True)
class System:
    """What was scored. `sees_values` is false for a model that is given slots instead of numbers."""

    name: str
    kind: str  # "language model", "solver", "pretrained model" or "predictions"
    model: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    trained_on: str = ""
    sees_values: bool = True


@dataclass(frozen=True)
class Provenance:
    """How the result came to be: enough to make it again, and never a secret."""

    command: str
    version: str
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)
    processes: int = 1


@dataclass(frozen=True)
class Repeated:
    """Rows that were asked several times: how often a reply is right, and how much of that is luck.

    `within` is the variance of a reply around its row's share of right ones, `between` that of the rows.
    """

    times: int
    pass_at_1: float
    interval: tuple[float, float]
    within: float
    between: float


@dataclass(frozen=True)
class Cell:
    """A system's scores on one config, asked in one way.

    `scores` are shares of rows; the one named `score` is the headline, and decides what is right. `data`
    identifies the rows: version, seed, parameters, and the checksum computed from what was read.
    """

    config: str
    dataset: str
    fold: str
    perturbation: str  # the recipe; empty for an original
    setting: str
    capability: str
    prompt: str
    score: str
    rows: int
    changed: int  # rows that the perturbation changed
    right: int
    scores: Mapping[str, float]
    statuses: Mapping[str, int]
    rules: Mapping[str, int] = field(default_factory=dict)  # how answers were found in the replies
    baselines: Mapping[str, float] = field(default_factory=dict)  # the same score of constant answers
    data: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0  # rows of the split that cannot be asked in this way
    cut_off: int = 0  # replies that hit the limit of tokens
    repeated: Repeated | None = None  # where every row was asked several times; `rows` counts replies then

    @property
    def key(self) -> str:
        """What tells the cells of a record apart."""
        return f"{self.config}|{self.prompt}"


@dataclass(frozen=True)
class Outcome:
    """What became of one row in one cell."""

    cell: str
    id: str
    right: bool
    status: str
    answer: str = ""  # the number that was read, as canonical text
    reply: str = ""
    stated: str = ""  # the calculation that the model wrote
    cut_off: bool = False  # the limit of tokens ended the reply
    perturbed: bool = False
    cluster: str = ""  # what rows share that are not independent
    scores: Mapping[str, bool | float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)  # what break-downs go by
    # Of wrong answers only: what explains them, and what was asked, so that failures can be shown.
    causes: tuple[str, ...] = ()
    sentence: str = ""
    gold: str = ""
    text: str = ""
    before: str = ""  # the text before it was perturbed


@dataclass(frozen=True)
class Line:
    """A perturbation, or all of a capability, against the originals of the same rows.

    Accuracies, the drop (a loss is positive) and its interval are shares from 0 to 1; the interval holds for
    all lines of the table together, and the verdict follows from it alone.
    """

    name: str
    capability: str
    is_capability: bool
    n: int
    clusters: int
    before: float | None = None
    after: float | None = None
    drop: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    verdict: str = ""
    reason: str = ""
    smallest: float | None = None  # the smallest drop that would have shown
    relative: float | None = None
    decide: int | None = None  # about how many rows would decide, where these leave it undecided


@dataclass(frozen=True)
class Table:
    """The lines of one dataset (or fold), setting and prompt: capabilities first."""

    dataset: str
    fold: str
    setting: str
    prompt: str
    score: str
    margin: float
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class CauseLine:
    """A cause of wrong answers: its share of them, an interval, and the share that chance would give."""

    cause: str
    count: float
    share: float
    interval: tuple[float, float]
    null: float | None
    above_chance: bool


@dataclass(frozen=True)
class Causes:
    """Why answers are wrong in one cell, or on the changed rows of a whole capability.

    `originals` and `p_memorised`: how many wrong answers are those of the unperturbed problems, and how
    likely as many would be by chance.
    """

    name: str  # the key of a cell, or a capability
    is_capability: bool
    wrong: int
    lines: tuple[CauseLine, ...]
    originals: int = 0
    p_memorised: float = 1.0


@dataclass(frozen=True)
class Kind:
    """The members of a contrast set that one perturbation made, and what constant answers score on them."""

    rows: int
    right: int
    baselines: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Contrast:
    """A contrast set: how often an original and all its members are right.

    `consistency` counts the original as a member, `worst_case` does not. There is no drop: where a number was asked
    for and now yes or no, one guesses right far more often.
    """

    dataset: str
    fold: str
    perturbation: str
    prompt: str
    originals: int  # with at least one member, all of them asked
    consistent: int
    consistency: float
    worst_case: float
    kinds: Mapping[str, Kind]


@dataclass(frozen=True)
class Strength:
    """Accuracy at one strength of a perturbation, with a band that holds for all strengths together."""

    name: str
    accuracy: float
    band: tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """Accuracy against the strength of a perturbation on the same rows: the original first, then the mildest."""

    dataset: str
    perturbation: str
    prompt: str
    n: int
    strengths: tuple[Strength, ...]


@dataclass(frozen=True)
class RowsFile:
    """The file of outcomes beside the record."""

    name: str
    sha256: str
    count: int


@dataclass(frozen=True)
class Record:
    """Everything that one run says about one system."""

    system: System
    made: Provenance
    cells: tuple[Cell, ...]
    tables: tuple[Table, ...] = ()
    causes: tuple[Causes, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    curves: tuple[Curve, ...] = ()
    rows: RowsFile | None = None
    schema: str = SCHEMA

    def text(self) -> str:
        """As JSON; NaN and infinity, which JSON does not have, are an error."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load(path: Path) -> Record:
    """The record in a file, or in the `record.json` of a folder."""
    file = path / FILE_NAME if path.is_dir() else path
    found = _json(file)
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        made_by = next(
            (name for key, name in _FORMER.items() if isinstance(found, dict) and key in found), ""
        )
        anew = f"; `{made_by}` writes it anew" if made_by else "; give what `dnc eval` or `dnc score` wrote"
        raise RecordError(f"{file} has schema {schema!r:.60}; this version reads {SCHEMA}{anew}")
    try:
        return read(Record, found, "record")
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from error


def outcomes(path: Path, record: Record) -> list[Outcome]:
    """The outcomes of a record, from the file beside it; an error where it is not the file that was hashed."""
    if record.rows is None:
        return []
    folder = path if path.is_dir() else path.parent
    name = record.rows.name
    if Path(name).name != name:
        raise RecordError(f"{path}: rows.name {name!r:.60} is not a file beside the record")
    file = folder / name
    try:
        content = file.read_bytes()
    except OSError as error:
        raise RecordError(f"{file} cannot be read: {error}; it belongs beside {path.name}") from error
    if sha256(content).hexdigest() != record.rows.sha256:
        raise RecordError(f"{file} is not the file that {path} names: its checksum differs. Score it again")
    made = []
    lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > _MAX_LINE:
            raise RecordError(f"{file}, line {number}: longer than {_MAX_LINE} bytes")
    for number, value in json_lines.parsed(lines, file, error=RecordError):
        made.append(read(Outcome, value, f"{file}, line {number}"))
    return made


def write(record: Record, rows: Iterable[Outcome], folder: Path, name: str = FILE_NAME) -> Record:
    """Write the record, and its outcomes beside it; returns the record with their hash."""
    content = "".join(f"{_line(one)}\n" for one in rows).encode()
    beside = f"{name.removesuffix('.json')}.rows.jsonl"
    made = RowsFile(beside, sha256(content).hexdigest(), content.count(b"\n"))
    whole = replace(record, rows=made)
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write_bytes(folder / beside, content)
    atomic.write_text(folder / name, whole.text())
    return whole


def by_cell(rows: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes of each cell, by its key."""
    found: dict[str, list[Outcome]] = {}
    for one in rows:
        found.setdefault(one.cell, []).append(one)
    return found


def _line(outcome: Outcome) -> str:
    # What is empty or false is left out: most of a file would be that.
    return _ENCODE({key: value for key, value in vars(outcome).items() if value or key in _ALWAYS})


def _json(file: Path) -> Any:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise RecordError(f"{file} has more than {_MAX_BYTES} bytes; it is no record of ours")
        return json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except RecordError as error:
        raise RecordError(f"{file}: {error}") from error
    except FileNotFoundError as error:
        raise RecordError(
            f"there is no {file}; give what `dnc eval`, `dnc score` or `dnc diagnose` wrote"
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{file} cannot be read as a record: {error}") from error


def _no_constant(name: str) -> Any:
    raise RecordError(f"it holds {name}, which is no number")
