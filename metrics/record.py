"""The record of a result: the system, the rows, the outcomes, and their uncertainty.

Every command that scores a system writes this form. All that shows, compares or publishes results reads it:
the file `record.json`, and beside it a file with one line per row and cell, whose hash the record holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dnc_datasets import filesystem, json_lines, owned_folder, secrets, untrusted
from dnc_datasets.owned_folder import OwnedFolder
from dnc_metrics.errors import RecordError

SCHEMA = "dnc-record/2"
# Readable schemas. Version 2 only adds fields with defaults.
READABLE = ("dnc-record/1", SCHEMA)
FILE_NAME = "record.json"
# The suffix of records that share a folder with others, such as those of several trainings.
ENDING = ".record.json"
RIGHT, WRONG, NOT_FOUND, TRUNCATED, FAULT = STATUSES = (
    "right", "wrong", "not found", "truncated", "server fault",
)  # fmt: skip
# The maximum share of server faults with which a cell still supports a verdict or a leaderboard entry.
# Filtered rows are rarely the easy ones, so excluding many of them would raise a score.
MAX_FAULTS = 0.01
_MAX_BYTES = 256 << 20
_MAX_LINE = 4 << 20
# The p-value below which memorised answers are reported.
MEMORISED = 0.01
# Commands that continue each other's records, with their names in version 0.2.0.
_TRAINING = ("research protocol", "research finetune", "train", "protocol", "finetune")
_WRITERS = {f"dnc {name}": "dnc research train" for name in _TRAINING}
# Fields of an outcome that are written even if they are empty or false.
_ALWAYS = frozenset(("cell", "id", "right", "status"))
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# The command that re-writes an earlier file, by a key that only such files have.
_FORMER = {"tasks": "dnc eval", "attacks": "dnc diagnose", "outcomes": "dnc research protocol"}


@dataclass(frozen=True)
class TrainingRun:
    """The training of a system: the rows and settings that identify it, and the course of the training.

    `rows_sha256` is the digest of the training and validation rows, `settings_sha256` that of the settings. A
    system whose digests differ from those of the current rows and settings is another system. An empty digest
    is unknown.
    """

    model: str  # the solver, reader or pretrained model
    data: str  # the config, and the names of the added rows
    rows_sha256: str = ""
    settings_sha256: str = ""
    rows: int = 0  # rows that the model was trained on
    dropped_rows: int = 0  # rows whose target the model cannot represent
    too_long_rows: int = 0
    added_rows: int = 0
    validation_rows: int = 0
    validation_accuracy: float = 0.0
    epoch: int = 0  # the selected epoch, from 0
    epochs: int = 0
    seconds: float = 0.0
    parameters: int = 0
    tau: float = 0.0  # the share of perturbed training rows added for each perturbation
    refit: bool = False  # trained on the validation rows too, for all epochs
    chosen_on_test: bool = False
    saw_gsm8k_test: bool = False


@dataclass(frozen=True)
class System:
    """The scored system. `sees_values` is false for a model that reads slots instead of numbers."""

    name: str
    kind: str  # "language model", "solver", "pretrained model" or "predictions"
    model: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    trained_on: str = ""
    sees_values: bool = True
    training: TrainingRun | None = None  # of systems that this project trained


@dataclass(frozen=True)
class Provenance:
    """The origin of a result, sufficient to reproduce it, and without secrets."""

    command: str
    version: str
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)
    processes: int = 1
    date: str = ""  # the day of the run (UTC), as in 2026-01-31


def today() -> str:
    """Return the date for a new record."""
    return datetime.now(timezone.utc).date().isoformat()


@dataclass(frozen=True)
class Repeated:
    """Scores of rows that were asked several times: the share of correct replies, and its variance.

    `within` is the variance of a reply around its row's share of correct ones, `between` that of the rows.
    """

    times: int
    pass_at_1: float
    interval: tuple[float, float]
    within: float
    between: float


@dataclass(frozen=True)
class Cell:
    """A system's scores on one config with one prompt.

    `scores` are shares of rows. The one named `score` is the headline, and decides which rows are right. Rows
    whose reply is a server fault are counted only in `statuses`, not in `rows` or any score. `data`
    identifies the rows: version, seed, parameters, and the checksum computed from the rows that were read.
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
    changed: int  # number of rows that the perturbation changed
    right: int
    scores: Mapping[str, float]
    statuses: Mapping[str, int]
    rules: Mapping[str, int] = field(default_factory=dict)  # counts of the rules that read the replies
    baselines: Mapping[str, float] = field(default_factory=dict)  # the same score of constant answers
    data: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0  # rows of the split that this prompt cannot ask
    cut_off: int = 0  # number of replies that reached the token limit
    repeated: Repeated | None = None  # if every row was asked several times; `rows` then counts replies
    measures: Mapping[str, float] = field(default_factory=dict)  # figures that are no share of right rows
    too_long: int = 0  # rows that the system cannot read completely; they count as wrong
    all_splits: bool = False  # every row of the dataset was asked, not only the test split
    seen_rows: int = 0  # rows whose text is among the training rows; counted if `all_splits`

    @property
    def key(self) -> str:
        """Return the key that distinguishes the cells of a record."""
        return f"{self.config}|{self.prompt}"

    @property
    def faults(self) -> int:
        """Return the number of rows without a reply of the model, because the server failed."""
        return self.statuses.get(FAULT, 0)

    @property
    def has_too_many_faults(self) -> bool:
        """Return whether more than 1 % of the rows are server faults, so that there is no verdict."""
        return self.faults > MAX_FAULTS * (self.rows + self.faults)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one row in one cell."""

    cell: str
    id: str
    right: bool
    status: str
    answer: str = ""  # the number that was read, as canonical text
    reply: str = ""
    stated: str = ""  # the calculation that the model wrote
    cut_off: bool = False  # the token limit ended the reply
    perturbed: bool = False
    cluster: str = ""  # the key of rows that are not independent
    scores: Mapping[str, bool | float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)  # keys of break-downs
    # Only for wrong answers: the causes, and the problem for display.
    causes: tuple[str, ...] = ()
    sentence: str = ""
    gold: str = ""
    text: str = ""
    before: str = ""  # the text before it was perturbed
    fault: str = ""  # the server's fault
    digest: str = ""  # of a perturbed row's text; equal for rows that several perturbations share


@dataclass(frozen=True)
class Line:
    """A perturbation, or all of a capability, against the originals of the same rows.

    Accuracies, the drop (a loss is positive) and its interval are shares from 0 to 1. The interval, `at_most`
    and `p_alone` are of this line alone. `p`, `p_clear` and the verdict are adjusted for the lines judged
    together.
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
    smallest: float | None = None  # the smallest detectable drop
    relative: float | None = None
    decide: int | None = None  # approximate number of templates that would decide an open line
    p_alone: float | None = None
    p_clear: float | None = None  # of a drop as large as the margin
    at_most: float | None = None  # one-sided bound of the drop
    lost: int = 0
    gained: int = 0


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
    method: str = ""  # the method of judging the lines; see `verdicts.METHOD`


@dataclass(frozen=True)
class CauseLine:
    """A cause of wrong answers: its share of them, an interval, and the share expected by chance."""

    cause: str
    count: float
    share: float
    interval: tuple[float, float]
    null: float | None
    above_chance: bool


@dataclass(frozen=True)
class Causes:
    """The causes of wrong answers in one cell, or on the changed rows of a capability.

    `originals` is the number of wrong answers that are those of the unperturbed problems, and `p_memorised`
    its p-value.
    """

    name: str  # the key of a cell, or a capability
    is_capability: bool
    wrong: int
    lines: tuple[CauseLine, ...]
    originals: int = 0
    p_memorised: float = 1.0


@dataclass(frozen=True)
class Behaviour:
    """A mistake that a system makes systematically, such as adding all numbers of the text.

    It was chosen on half of the clusters. `rows` to `p` are figures of the other half: the wrong answers on
    rows for which the behaviour predicts a distinct answer, the share of them that it predicts, and the share
    expected by chance. `p` is adjusted for the number of behaviours that were tried.
    """

    name: str
    sentence: str  # follows the name of a system: "adds all numbers of the text"
    rows: int
    clusters: int
    share: float
    interval: tuple[float, float]
    chance: float
    p: float
    tried: int
    named: int  # wrong answers of both halves that it predicts
    wrong: int  # wrong answers of both halves
    configs: tuple[str, ...] = ()  # configs with such answers, the most frequent first
    capabilities: Mapping[str, float] = field(default_factory=dict)  # share of a capability's wrong answers
    rivals: tuple[str, ...] = ()  # sentences of behaviours that these rows cannot separate from it


@dataclass(frozen=True)
class Kind:
    """The members of a contrast set that one perturbation made, and the scores of constant answers."""

    rows: int
    right: int
    baselines: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Contrast:
    """A contrast set: how often an original and all its members are right.

    `consistency` counts the original as a member, `worst_case` does not. There is no drop, since guessing
    succeeds far more often if yes or no is asked for instead of a number.
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
    """Accuracy at one strength of a perturbation, with the interval of that strength alone."""

    name: str
    accuracy: float
    band: tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """Accuracy by the strength of a perturbation on the same rows: the original first, then the mildest."""

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
    """All results of one run of one system."""

    system: System
    made: Provenance
    cells: tuple[Cell, ...]
    tables: tuple[Table, ...] = ()
    causes: tuple[Causes, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    curves: tuple[Curve, ...] = ()
    rows: RowsFile | None = None
    schema: str = SCHEMA
    behaviours: tuple[Behaviour, ...] = ()

    def text(self) -> str:
        """Return the record as JSON; raise an error for NaN and infinity, which JSON lacks."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load(path: Path) -> Record:
    """Return the record in a file, or in the `record.json` of a folder.

    Invisible characters and those that change the direction of text are removed from its names.
    """
    file = path / FILE_NAME if path.is_dir() else path
    remedy = "give the record that `dnc eval`, `dnc score` or `dnc diagnose` wrote"
    if not file.exists():
        raise RecordError(f"there is no {file}; {remedy}")
    found = untrusted.read_json(file, error=RecordError, remedy=remedy, max_bytes=_MAX_BYTES, names=True)
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema not in READABLE:
        former = (name for key, name in _FORMER.items() if isinstance(found, dict) and key in found)
        command = next(former, "")
        remedy = f"run `{command}` to write it once more" if command else remedy
        raise RecordError(
            f"{file} has schema {schema!r:.60}; this version reads {' and '.join(READABLE)}; {remedy}"
        )
    return from_json(found, f"{file}: record")


def from_json(value: Any, where: str = "record") -> Record:
    """Return the record that plain JSON values describe; an error names the invalid field."""
    return replace(untrusted.convert(value, Record, where, RecordError), schema=SCHEMA)


def outcome_from_json(value: Any, where: str = "outcome") -> Outcome:
    """Return the outcome that plain JSON values describe."""
    return untrusted.convert(value, Outcome, where, RecordError)


def outcomes(path: Path, record: Record, *, faults: bool = False) -> list[Outcome]:
    """Return the outcomes of a record from the file beside it; raise an error for another checksum.

    Server faults, which are not results of the model, are omitted unless `faults` is set.
    """
    if record.rows is None:
        return []
    folder = path if path.is_dir() else path.parent
    name = record.rows.name
    if Path(name).name != name:
        raise RecordError(f"{path}: rows.name {name!r:.60} is not a file beside the record")
    file = folder / name
    _check_digest(file, record.rows.sha256, path)
    rows = []
    for number, value in json_lines.objects(file, error=RecordError, max_line=_MAX_LINE):
        if isinstance(value.get("cell"), str):
            value["cell"] = _cell_name(value["cell"])
        row = outcome_from_json(value, f"{file}, line {number}")
        if faults or row.status != FAULT:
            rows.append(row)
    return rows


def _check_digest(file: Path, expected: str, path: Path) -> None:
    """Raise an error if the file of rows is not the one that the record names."""
    digest = sha256()
    try:
        with filesystem.open_regular(file) as content:
            while part := content.read(1 << 20):
                digest.update(part)
    except OSError as error:
        raise RecordError(
            f"{file} cannot be read: {error.strerror or error}; it belongs beside {path.name}"
        ) from error
    if digest.hexdigest() != expected:
        raise RecordError(
            f"{file} is not the file that {path} names: its checksum differs. Score the replies once more"
        )


@lru_cache(1024)
def _cell_name(name: str) -> str:
    """Return the name of a cell, cleaned as `load` does in the record."""
    return untrusted.clean_name(name)


def refuse_faults(record: Record) -> None:
    """Raise an error if too many rows of a cell are server faults for a leaderboard."""
    for cell in record.cells:
        if cell.has_too_many_faults:
            raise RecordError(
                f"{record.system.name}: {cell.faults} server faults among the {cell.rows + cell.faults} rows of "
                f"{cell.config}; a leaderboard accepts at most {100 * MAX_FAULTS:g} %. Run `dnc eval` with the same "
                "arguments once more: it asks for these rows alone"
            )


def write(
    record: Record,
    rows: Iterable[Outcome],
    folder: Path | OwnedFolder,
    name: str = FILE_NAME,
    *,
    force: bool = False,
) -> Record:
    """Write the record, and its outcomes beside it, one by one; return the record with their hash.

    Two processes that write the same record do so in sequence. The record of another command is not replaced
    without `force`.
    """
    beside = f"{name.removesuffix('.json')}.rows.jsonl"
    digest, count, clean = sha256(), 0, secrets.file_cleaner()
    with ExitStack() as stack:
        if isinstance(folder, Path):
            folder = stack.enter_context(owned(folder, record.made.command, name, force=force, wait=True))
        with folder.new_file(beside) as file:
            for one in rows:
                line = encoded(one, clean)
                digest.update(line)
                file.write(line)
                count += 1
        complete = replace(record, rows=RowsFile(beside, digest.hexdigest(), count))
        folder.write_text(name, clean(complete.text()))
    return complete


def may_write(folder: Path, command: str, *, force: bool = False) -> None:
    """Raise an error if the folder holds a record that the command did not write."""
    if owned_folder.usable(folder).exists():
        with owned(folder, command, force=force):
            pass


def owned(
    folder: Path, command: str, name: str = FILE_NAME, *, force: bool = False, wait: bool = False
) -> OwnedFolder:
    """Return a folder in which the command writes a record: a record of another command is not replaced."""
    writer = _WRITERS.get(command, command)
    beside = f"{name.removesuffix('.json')}.rows.jsonl"

    def adopts(path: Path) -> tuple[str, ...]:
        """Return the names of a record of a version without marks, if the same command wrote it."""
        try:
            former = load(path / name).made.command
        except RecordError:
            return ()
        return (name, beside) if _WRITERS.get(former, former) == writer else ()

    return OwnedFolder(folder, writer, names=(name, beside), adopts=adopts, force=force, wait=wait)


def by_cell(rows: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of each cell, by its key."""
    found: dict[str, list[Outcome]] = {}
    for one in rows:
        found.setdefault(one.cell, []).append(one)
    return found


def encoded(outcome: Outcome, clean: Callable[[str], str] = str) -> bytes:
    """Return the line of an outcome in the file of rows, without empty and false fields.

    A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD.
    """
    line = _ENCODE({key: value for key, value in vars(outcome).items() if value or key in _ALWAYS}) + "\n"
    line = clean(line)
    try:
        return line.encode()
    except UnicodeEncodeError:
        return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
