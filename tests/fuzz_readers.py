"""The readers of foreign files for `make fuzz`: each case writes a mutated file and returns the call that reads it."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

Reader = Callable[[Path], object]
NOT_BUILT = Path("none")
_TIME = "2026-01-01T00-00-00.000000"
_PENS = {
    "body": "Ana has 3 pens. Bo has 4.",
    "question": "How many pens?",
    "equation": "3 + 4",
    "answer": "7",
}


def written(value: Any, draw: random.Random, share: float) -> bytes:
    """Return a value as JSON, mutated in this share of the cases."""
    return mutate_json(text_of(value), draw) if draw.random() < share else text_of(value)


@cache
def valid_record(*configs: str, rows: int | None = None) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """Return a record of these configs as a JSON value, and the lines of its rows."""
    from dnc_datasets.serving import catalogue
    from dnc_datasets.version import __version__
    from dnc_harness import data, recording
    from dnc_metrics import record, record_builder
    from dnc_metrics.record import Provenance, System

    asked = []
    for name in configs:
        variant = catalogue.find(name)
        asked_rows = data.test_records(variant, NOT_BUILT)[:rows]
        replies = {
            row["id"]: [recording.Reply(f"#### {row['answer'] if at % 3 else 7}")]
            for at, row in enumerate(asked_rows)
        }
        asked.append(recording.asked(variant, "direct", replies, NOT_BUILT))
    made, outcomes = record_builder.make(
        System("toy", "predictions"), Provenance("dnc score", __version__), asked
    )
    return json.loads(made.text()), tuple(text_of(json.loads(record.encoded(one))) for one in outcomes)


def write_record(folder: Path, draw: random.Random, value: dict[str, Any], rows: tuple[bytes, ...]) -> None:
    """Write a mutated record and mutated rows; the rows have the digest that the record names."""
    data = mutate_lines(rows, draw) if draw.random() < 0.5 else b"\n".join(rows) + b"\n"
    file = {"name": "record.rows.jsonl", "sha256": sha256(data).hexdigest(), "count": len(rows)}
    folder.mkdir()
    (folder / "record.rows.jsonl").write_bytes(data)
    (folder / "record.json").write_bytes(written({**value, "rows": file}, draw, 0.7))


def record_case(folder: Path, draw: random.Random) -> Reader:
    """A leaderboard's folder with one record."""
    from dnc_leaderboard import board, ranking

    write_record(folder / "one", draw, *valid_record("tiny", "tiny-type-attack", rows=12))
    return lambda folder: ranking.ranked(board.rows(board.load(folder)[0]))


def page_case(folder: Path, draw: random.Random) -> Reader:
    """A folder with a record, as `dnc report` and `dnc explain` read it."""
    from dnc_leaderboard import report

    write_record(folder / "one", draw, *valid_record("tiny", "tiny-type-attack", rows=12))
    return lambda folder: report.write(report.load([folder / "one"]), folder / "page", pictures=False)


def submission_case(folder: Path, draw: random.Random) -> Reader:
    """The two files of a submission to the leaderboard, with all rows of a config."""
    from dnc_harness import submission

    write_record(folder / "one", draw, *valid_record("tiny_tables"))
    files = [folder / "one" / name for name in ("record.json", "record.rows.jsonl")]
    return lambda folder: submission.check(files, NOT_BUILT)


def prediction_case(folder: Path, draw: random.Random) -> Reader:
    from dnc_harness import predictions

    rows = [{"id": f"{at}", "config": "tiny", "output": f"The answer is {at}."} for at in range(6)]
    if draw.random() < 0.5:
        (folder / "p.jsonl").write_bytes(mutate_lines([text_of(row) for row in rows], draw))
        return lambda folder: predictions.read(folder / "p.jsonl", "tiny")
    (folder / "p.csv").write_bytes(mutate_bytes(mutate_bytes(separated(rows), draw), draw))
    return lambda folder: predictions.read(folder / "p.csv", "tiny")


def separated(rows: list[dict[str, str]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def own_problems_case(folder: Path, draw: random.Random) -> Reader:
    """A user's own problems, as `dnc perturb` reads them."""
    from dnc_datasets.own import files, problems

    rows: list[dict[str, Any]] = [
        {"id": "a", **_PENS},
        {"id": "b", "question": "How much more?", "table": [["Cost", "5"], ["Price", "8"]], "answer": "3"},
        {"id": "c", "question": "And then?", "history": [{"question": "How many?", "answer": "5"}], "answer": "6"},
    ]  # fmt: skip
    name = "own.jsonl"
    if draw.random() < 0.6:
        (folder / name).write_bytes(mutate_lines([text_of(row) for row in rows], draw))
    else:
        name = "own.csv"
        plain = [{key: str(row.get(key, "")) for key in ("id", "body", "question", "answer")} for row in rows]
        (folder / name).write_bytes(mutate_bytes(mutate_bytes(separated(plain), draw), draw))

    def read(folder: Path) -> None:
        for line in files.lines(folder / name):
            problems.read(files.record(line), line.number)

    return read


def perturbed_file_case(folder: Path, draw: random.Random) -> Reader:
    """A file that `dnc perturb` wrote, as `dnc score --own` reads and scores it."""
    from dnc_harness import recording
    from dnc_harness.own_files import OwnFile

    row = {
        **_PENS,
        "body": "Ana has 3 (not 9) pens. Bo has 4.",
        "perturbation": "verbosity",
        "perturbed": True,
        "source": {**_PENS, "meta": {}},
        "meta": {},
    }
    rows = [text_of({"id": f"{at}", **row}) for at in range(3)]
    (folder / "own.jsonl").write_bytes(mutate_lines(rows, draw))

    def read(folder: Path) -> None:
        own = OwnFile(folder / "own.jsonl")
        for config in (own.name, own.perturbed):
            rows = own.of(config)
            given = recording.once({row["id"]: "3 + 4 = 8" for row in rows})
            recording.of_rows(rows, given, prompt="direct", **own.place(config))

    return read


def marks_case(folder: Path, draw: random.Random) -> Reader:
    """Marks of `dnc review`."""
    from dnc_metrics import judges

    mark = {
        "config": "tiny-type-attack",
        "id": "1",
        "verdict": "good",
        "reason": "",
        "judge": "a",
        "fluency": "0.9",
    }
    (folder / "m.jsonl").write_bytes(
        mutate_lines([text_of({**mark, "id": f"{at}"}) for at in range(3)], draw)
    )
    return lambda folder: judges.read([folder / "m.jsonl"])


def plan_case(folder: Path, draw: random.Random) -> Reader:
    """A build that a kill stopped, with a mutated plan."""
    from dnc_datasets.folder_update import updated_folder

    (folder / ".out.building" / "new").mkdir(parents=True)
    (folder / ".out.building" / "plan.json").write_bytes(mutate_json(b'["a.txt", "b/c.txt"]', draw))
    (folder / "out").mkdir()
    (folder / "out" / "a.txt").write_text("a")

    def read(folder: Path) -> None:
        with updated_folder(folder / "out") as new:
            (new / "d.txt").write_text("d")

    return read


def mark_case(folder: Path, draw: random.Random) -> Reader:
    """A folder whose mark, which names the files that DNC wrote, is mutated."""
    from dnc_datasets import owned_folder

    value = {"dnc": 1, "files": {"a.txt": "dnc score", "record.json": "dnc score"}}
    (folder / owned_folder.MARK).write_bytes(mutate_json(text_of(value), draw))
    (folder / "a.txt").write_text("a")

    def read(folder: Path) -> None:
        with owned_folder.OwnedFolder(folder, "dnc score", names=("a.txt",)) as owned:
            owned.write_text("a.txt", "b")

    return read


def answer_log_case(folder: Path, draw: random.Random) -> Reader:
    from dnc_harness.answer_log import AnswerLog, Request

    lines: list[Any] = [
        {"task": "t", "row": f"{at}", "request": f"{at}", "reply": f"{at}"} for at in range(5)
    ]
    lines[2] = {"task": "t", "row": "2", "request": "2", "fault": "null reply"}
    (folder / "answers.jsonl").write_bytes(mutate_lines([text_of(line) for line in lines], draw))

    def read(folder: Path) -> None:
        log = AnswerLog(folder / "answers.jsonl")
        log.add([Request("t", "9", "q", {})], "9")
        log.close()

    return read


def attack_case(folder: Path, draw: random.Random) -> Reader:
    """The journal of an attack that a kill stopped."""
    from dnc_datasets.attack import run
    from dnc_datasets.attack.attempt import Settings
    from dnc_datasets.problem import Problem

    settings = Settings("own", "right:answer")
    problem = Problem("a", "Ana has 3 pens. Bo has 4.", "How many pens?", equation="3 + 4", answer="7")
    attempt = {"id": "b", "right": True, "flipped": False, "queries": 3}
    lines = [text_of({**attempt, "id": one}) for one in "bcd"]
    head = json.dumps(asdict(settings), sort_keys=True).encode()
    head = mutate_json(head, draw) if draw.random() < 0.2 else head
    (folder / "journal.jsonl").write_bytes(head + b"\n" + mutate_lines(lines, draw))
    return lambda folder: run.attack([problem], lambda texts: ["7" for _ in texts], settings, folder)


def built_folder_case(folder: Path, draw: random.Random) -> Reader:
    """The checksums of a built folder."""
    from dnc_datasets.serving import checksums

    split = {"rows": 2, "perturbed": 0, "content": "0" * 64, "file": "0" * 64, "size": 9}
    config = {
        "sha256": "0" * 64,
        "provenance": "verified",
        "splits": {"test": split},
        "format": 2,
        "labels": None,
    }
    value = {"version": "0.3.0", "seed": 0, "configs": {"tiny": config}}
    (folder / checksums.FILE_NAME).write_bytes(mutate_json(text_of(value), draw))
    return checksums.read


def lm_eval_case(folder: Path, draw: random.Random) -> Reader:
    from dnc_harness import logs

    (folder / "model").mkdir()
    samples = folder / "model" / f"samples_dnc_tiny_tables_original_{_TIME}.jsonl"
    samples.write_bytes(mutate_lines(lm_eval_samples(), draw))
    results = written({"config": {"model": "local-completions"}}, draw, 1)
    (folder / "model" / f"results_{_TIME}.json").write_bytes(results)
    return lambda folder: [one.asked(NOT_BUILT) for one in logs.lm_eval(folder)[1]]


@cache
def lm_eval_samples() -> list[bytes]:
    from dnc_datasets.serving import catalogue
    from dnc_harness import data

    rows = data.test_records(catalogue.find("tiny_tables"), NOT_BUILT)[:4]
    docs = [{name: str(row[name]) for name in ("id", "body", "question", "answer")} for row in rows]
    return [text_of({"doc_id": at, "doc": doc, "resps": [["#### 1"]]}) for at, doc in enumerate(docs)]


def inspect_case(folder: Path, draw: random.Random) -> Reader:
    from dnc_harness import logs

    (folder / "log.json").write_bytes(mutate_json(inspect_log(), draw))
    return lambda folder: [one.asked(NOT_BUILT) for one in logs.inspect([folder / "log.json"])[1]]


@cache
def inspect_log() -> bytes:
    """Return a log of inspect_ai with two samples of our task, as JSON."""
    docs = [json.loads(sample)["doc"] for sample in lm_eval_samples()[:2]]
    output = {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": "#### 1"}, "stop_reason": "stop"}],
    }
    samples = [
        {"id": doc["id"], "epoch": 1, "input": "q", "target": "1", "metadata": doc, "output": output, "messages": []}
        for doc in docs
    ]  # fmt: skip
    about = {
        "created": "2026-01-01T00:00:00+00:00", "task": "dnc_harness/dnc_inspect", "model": "m", "dataset": {},
        "config": {}, "task_args": {"config": "tiny_tables", "prompt": "direct"},
    }  # fmt: skip
    return text_of({"version": 2, "status": "success", "eval": about, "samples": samples})


def checkpoint_case(folder: Path, draw: random.Random) -> Reader:
    """The header of a checkpoint, and a tensor file whose own header is mutated under a right digest."""
    from dnc_trainers import checkpoint

    header = {
        "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "__metadata__": {"ties": '{"v": "w"}'},
    }
    head = written(header, draw, 0.7)
    data = len(head).to_bytes(8, "little") + head + bytes(8)
    (folder / "m-1.safetensors").write_bytes(data)
    value = {"tensors": "m-1.safetensors", "sha256": sha256(data).hexdigest(), "epoch": 1}
    (folder / "m.json").write_bytes(written(value, draw, 0.5))
    return lambda folder: checkpoint.load(folder, "m")


def settings_case(folder: Path, draw: random.Random) -> Reader:
    """The settings of a training, as YAML; JSON is YAML."""
    from dnc_trainers.config import Config, from_yaml

    value = {"hidden": 8, "epochs": 2, "numbers": "replacement", "lr": 0.001}
    (folder / "s.yaml").write_bytes(mutate_json(text_of(value), draw))
    return lambda folder: Config().with_settings(from_yaml(folder / "s.yaml"))


def card_case(folder: Path, draw: random.Random) -> Reader:
    """A model's own README.md, whose metadata `dnc publish` extends."""
    from dnc_leaderboard.hub import publishing

    result = {"dataset": {"type": "other", "name": "o"}, "task": {"type": "text-generation"}, "metrics": []}
    header = {"license": "mit", "model-index": [{"name": "m", "results": [result]}]}
    (folder / "README.md").write_bytes(b"---\n" + mutate_json(text_of(header), draw) + b"\n---\n# Model\n")
    index = [{"name": "m", "results": [{**result, "dataset": {"type": "ours", "name": "dnc"}}]}]
    return lambda folder: publishing._with_index(folder / "README.md", index)


def source_case(folder: Path, draw: random.Random) -> Reader:
    """The files of a dataset's source, in the formats that sources have."""
    from dnc_datasets.sources.formats import records

    row = {"id": "a", "body": "Ana has 3 pens.", "answer": "3"}
    keys = ("id", "body")
    kind = draw.randrange(5)
    path = folder / "s"
    if kind == 4:
        path.write_bytes(mutate_bytes(separated([row, row]), draw))
        return lambda folder: records.read_csv(folder / "s", keys)
    if kind == 3:
        path.write_bytes(mutate_lines([text_of(row)] * 3, draw))
        return lambda folder: records.read_json_lines(folder / "s", keys)
    if kind == 2:
        path.write_bytes(mutate_json(text_of({"a": row, "b": row}), draw))
        return lambda folder: records.read_object(folder / "s")
    path.write_bytes(mutate_json(text_of([row, row]), draw))
    if kind:
        return lambda folder: list(records.stream_json(folder / "s", keys))
    return lambda folder: records.read_json(folder / "s", keys)


# The readers; the number is how often a reader is drawn beside the others.
CASES: dict[str, tuple[int, Callable[[Path, random.Random], Reader]]] = {
    "answer log": (4, answer_log_case),
    "attack": (2, attack_case),
    "built folder": (4, built_folder_case),
    "card": (1, card_case),
    "checkpoint": (4, checkpoint_case),
    "inspect": (1, inspect_case),
    "lm-eval": (2, lm_eval_case),
    "mark": (4, mark_case),
    "marks": (4, marks_case),
    "own problems": (4, own_problems_case),
    "page": (1, page_case),
    "perturbed file": (4, perturbed_file_case),
    "plan": (4, plan_case),
    "predictions": (4, prediction_case),
    "record": (4, record_case),
    "settings": (1, settings_case),
    "source": (4, source_case),
    "submission": (1, submission_case),
}


_LEAVES: list[Any] = [
    None, True, False, 0, -1, 1, 2**53, 2**53 + 1, 10**400, 1e308, -0.5, 0.05, float("nan"), float("inf"), "", "0",
    "a" * 5000, "../../outside.txt", "/etc/passwd", "\ud83d", "\x00", "\x1b[31m", "\u202e\u200b", "<script>", "=1+1",
    "tiny|direct", "type", "right", "server fault", [], {}, [[]], {"": {}}, ["../x"],
]  # fmt: skip


def text_of(value: Any) -> bytes:
    """Return a value as JSON; NaN and lone surrogates remain."""
    return json.dumps(value).encode()


def mutate_json(text: bytes, draw: random.Random) -> bytes:
    """Return JSON with mutated values (four times in five) and damaged bytes (three times in ten)."""
    data = text_of(_mutated(json.loads(text), draw)) if draw.random() < 0.8 else text
    return mutate_bytes(data, draw) if draw.random() < 0.3 else data


def mutate_lines(lines: Sequence[bytes], draw: random.Random) -> bytes:
    """Return JSON lines of which one or two are mutated."""
    mutated = list(lines)
    for _ in range(draw.choice((1, 2))):
        at = draw.randrange(len(lines))
        mutated[at] = mutate_json(lines[at], draw)
    return b"\n".join(mutated) + b"\n"


def mutate_bytes(data: bytes, draw: random.Random) -> bytes:
    """Return the bytes with a part cut, doubled or replaced."""
    start = draw.randrange(len(data) + 1)
    end = min(len(data), start + draw.choice((0, 1, 5, 100)))
    kind = draw.randrange(11)
    piece = data[start:end] * 2 if kind == 10 else _PIECES[kind]
    return data[:start] + piece + (data[end:] if draw.random() < 0.9 else b"")


_PIECES = (b"", b"\xff", b"\x00", b"{", b"]", b'"', b"\\ud800", b"\n", b"9" * 400, b"[" * 3000)


def _mutated(value: Any, draw: random.Random) -> Any:
    """Return the JSON value with some of its parts replaced, removed, exchanged, renamed, doubled or nested."""
    root = [value]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        container, key = draw.choice(_places(root))
        kind = draw.randrange(6)
        if kind <= 1 or container is root:
            container[key] = _copied(draw.choice(_LEAVES))
        elif kind == 2:
            del container[key]
        elif kind == 3:
            other, other_key = draw.choice(_places(root))
            container[key] = _copied(other[other_key])
        elif kind == 4 and isinstance(container, dict):
            container[draw.choice((key + "x", "", "schema", "id"))] = container[key]
        elif kind == 4:
            container += _copied(container[:50])
        else:
            for _ in range(draw.choice((1, 3, 70))):
                container[key] = [container[key]]
    return root[0]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return the container and the key of each value below a JSON value."""
    pending, places = [value], []
    while pending:
        one = pending.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else []
        places += [(one, key) for key in keys]
        pending += [one[key] for key in keys]
    return places


def _copied(value: Any) -> Any:
    """Return a deep copy of a JSON value; through its text, which is faster than `copy.deepcopy`."""
    return json.loads(json.dumps(value)) if isinstance(value, (list, dict)) else value
