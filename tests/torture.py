"""Torture, outside `make test`: kills at random points, every way of tampering, a full disk.

    python tests/torture.py --kills 50 --seed 0

Each command is started, killed with SIGKILL after a drawn part of the time that it takes undisturbed (one kill of
four is within its start-up), and started again until it ends. Two processes are started on one `--out`: each ends well
or says that the other one is writing. Each command runs on a disk that fills up. The files that remain are compared,
byte for byte where bytes do not hold times, with those of an undisturbed run. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
# Not this folder itself: the folder `dnc_datasets` in it must not be taken for the package.
sys.path[:1] = [str(HERE / "dnc_datasets" / "serving"), str(HERE / "harness_tasks")]
PROGRAM = "import sys; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"
OURS = {"LICENSE": "mine", ".git/HEAD": "ref: mine", "notes.md": "mine"}
STRAYS = (".dnc-unfinished", ".building")
LIMIT = 2048  # bytes that a file may have where no disk can be filled
TIMES = ("train_seconds", "validation_seconds", "seconds", "date", "total_evaluation_time_seconds")
SMALL = ["--set", "hidden=8", "--set", "embedding=8", "--set", "epochs=3", "--set", "checkpoint_seconds=0"]

STARTUP = 0.4  # seconds
SHRUNK = "add-008-1"

Words = list[str]
COMMANDS: dict[str, Words] = {
    "build": ["build", "tiny_tables-type-attack", "tiny_tables", "tiny_passages-type-attack", "--out", "out"],
    "eval": [
        *("eval", "--model", "scripted", "--model-args", "model=wrong_where_perturbed,delay=0.01"),
        *("--tasks", "dnc_tiny_tables_original,dnc_tiny_tables_type_attack", "--limit", "30", "--out", "out"),
    ],
    "train": [
        "train",
        "gts",
        "--data",
        "tiny_dialogues",
        "--runs",
        "out",
        "--results",
        "out/results",
        *SMALL,
    ],
    "attack": ["attack", "tiny", "--model", "right:answer", "-n", "12", "--budget", "30", "--out", "out"],
    "perturb": [
        "perturb",
        "my.jsonl",
        "--with",
        "verbosity",
        "--out",
        "out/o.jsonl",
        "--reasons",
        "out/r.jsonl",
    ],
    "score": ["score", "replies.jsonl", "--out", "out"],
    # Enough replies that they are kept in temporary files.
    "score_many": ["score", "many.jsonl", "--own", "pens.jsonl", "--out", "out"],
    "report": ["report", "scored", "--out", "out", "--no-pictures"],
    "severity": [
        *("severity", "tiny", "--with", "verbosity", "--model", "scripted", "--limit", "12", "--out", "out"),
        *("--model-args", "model=wrong_where_perturbed,delay=0.01"),
    ],
    "shrink": ["shrink", "tiny-type+verbosity-attack", SHRUNK, "--model", "right:answer", "--json"],
}
SILENT = ("shrink",)  # prints and writes no file
MODEL = """
import time

def answer(texts):
    time.sleep(0.02)
    return ["0" if " all" in text else "7" for text in texts]
"""


def start(words: Words, folder: Path, limit: int = 0) -> subprocess.Popen[str]:
    scripted = "import scripted; " if "scripted" in words else ""
    return subprocess.Popen(
        [sys.executable, "-c", scripted + PROGRAM, *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                (str(HERE / "harness_tasks"), str(folder), os.environ.get("PYTHONPATH", ""))
            ),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        },
        stdout=subprocess.PIPE if words[0] in SILENT else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=(lambda: _limited(limit)) if limit else None,
        start_new_session=True,
    )


def _limited(limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def finish(words: Words, folder: Path) -> float:
    """Run to the end and give the seconds it took."""
    began = time.monotonic()
    process = start(words, folder)
    printed, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}: {errors[-2000:]}")
    if words[0] in SILENT:
        (folder / "out").mkdir(exist_ok=True)
        (folder / "out" / "printed.txt").write_text(printed, encoding="utf-8")
    return time.monotonic() - began


def kill(words: Words, folder: Path, after: float) -> bool:
    """Start, and kill the process and its workers after a number of seconds; return whether it was still running."""
    process = start(words, folder)
    try:
        process.wait(after)
        alive = False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        alive = True
    process.communicate()
    return alive


def prepare(folder: Path, command: str) -> None:
    """Write the files that the command reads."""
    folder.mkdir(parents=True)
    (folder / "right.py").write_text(MODEL, encoding="utf-8")
    with (folder / "my.jsonl").open("w", encoding="utf-8") as file:
        for row in range(4000):
            body = f"Ana has {row + 3} pens. Bo has {row + 30} pens."
            line = {"id": str(row), "body": body, "question": "How many pens?", "answer": str(2 * row + 33)}
            file.write(json.dumps({**line, "equation": f"{row + 3} + {row + 30}"}) + "\n")
    (folder / "replies.jsonl").write_text(replies(), encoding="utf-8")
    if command == "score_many":
        write_many(folder)
    if command == "report":
        finish(["score", "replies.jsonl", "--out", "scored"], folder)


def write_many(folder: Path, count: int = 4000) -> None:
    """Write perturbed problems as `dnc perturb` does, and a reply to each of them and to each original."""
    with (folder / "pens.jsonl").open("w") as rows, (folder / "many.jsonl").open("w") as given:
        for at in range(count):
            total, lost = 12 + at % 900, 3 + at % 9
            source = {
                "body": f"Tom had {total} pens and lost {lost} of them in week {at}.",
                "question": "How many pens are left?",
                "equation": f"{total} - {lost}",
                "answer": str(total - lost),
                "meta": {},
            }
            body = f"Tom had {total} (not {total + 17}) pens and lost {lost} of them in week {at}."
            changed = {"id": str(at), "body": body, "perturbation": "verbosity", "perturbed": True}
            rows.write(json.dumps({**source, **changed, "source": source}) + "\n")
            output = f"Tom had {total} pens. The answer is {total - lost + (at % 3 == 0)}."
            for config in ("pens", "pens-verbosity-attack"):
                given.write(json.dumps({"config": config, "id": str(at), "output": output}) + "\n")


@cache
def replies() -> str:
    """Return replies to two configs, some of them wrong, as `dnc score` reads them."""
    from dnc_datasets.serving import catalogue
    from dnc_harness import data

    lines = []
    for config in ("tiny_tables", "tiny_tables-type-attack"):
        for at, row in enumerate(data.test_records(catalogue.find(config), Path("none"))):
            said = row["answer"] if at % 4 else "17"
            lines.append(json.dumps({"config": config, "id": row["id"], "output": f"The answer is {said}."}))
    return "\n".join(lines) + "\n"


def add_own_things(out: Path) -> None:
    for name, text in OURS.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")


def state(folder: Path) -> dict[str, Any]:
    """Every file that a command left, without what is a time."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = _plain(path)
    return found


def _plain(path: Path) -> Any:
    data = path.read_bytes()
    if path.name == "answers.jsonl":
        return sorted(data.splitlines())  # the order in which rows were asked, and torn lines between them
    if path.name == "journal.jsonl":
        return sorted(line for line in data.splitlines() if line)
    if path.name == "lm_eval.json":  # the rest describes the machine at that moment
        found = json.loads(data)
        return {key: _timeless(found[key]) for key in ("results", "n-samples", "n-shot", "versions")}
    if path.suffix in (".json", ".jsonl"):
        lines = [data] if path.suffix == ".json" else data.splitlines()
        return [_timeless(json.loads(line)) for line in lines]
    return data


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _timeless(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if not _is_time(key)}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def _is_time(key: str) -> bool:
    return key in TIMES or key.endswith("_time") or key == "dnc_data"


def same(name: str, found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """How the two differ."""
    wrong = [f"{name}: {file} is missing" for file in expected if file not in found]
    wrong += [f"{name}: {file} was left over" for file in found if file not in expected]
    return wrong + [
        f"{name}: {file} differs" for file in expected if file in found and found[file] != expected[file]
    ]


def kills(name: str, count: int, draw: Random, work: Path) -> tuple[int, int, list[str]]:
    """(kills that met a living process, runs brought to their end, differences)"""
    words = list(COMMANDS[name])
    undisturbed = work / name / "undisturbed"
    prepare(undisturbed, name)
    seconds = finish(words, undisturbed)
    add_own_things(undisturbed / "out")
    if name == "build":  # a second build, over the first and the user's own things
        words += ["--seed", "5"]
        seconds = finish(words, undisturbed)
    expected = state(undisturbed / "out")
    done, runs, wrong = 0, 0, []
    while done < count:
        folder = work / name / f"run{runs}"
        prepare(folder, name)
        if name == "build":
            finish(COMMANDS[name], folder)
        add_own_things(folder / "out")
        for _ in range(3):
            if done < count and draw.random() < 0.9:
                early = draw.random() < 0.25
                done += kill(
                    words, folder, draw.uniform(0, STARTUP) if early else draw.uniform(0.05, 1.0) * seconds
                )
        finish(words, folder)
        wrong += same(f"{name} run {runs}", state(folder / "out"), expected)
        strays = [p.name for p in folder.rglob("*") if p.name.endswith(STRAYS)]
        wrong += [f"{name} run {runs}: {stray} was left over" for stray in strays]
        shutil.rmtree(folder)
        runs += 1
    return done, runs, wrong


def tamperings(work: Path) -> tuple[int, list[str]]:
    """How many ways were tried, and which were not caught."""
    import tampering

    from dnc_datasets.errors import BuildError
    from dnc_datasets.serving.build import build
    from dnc_datasets.serving.verify import verify

    good = work / "good" / "dnc"
    build([tampering.CONFIG], good)
    missed = []
    for way, tamper in tampering.EVERY.items():
        folder = Path(shutil.copytree(good, work / "bad" / "dnc"))
        tamper(folder)
        try:
            if not verify(folder).failures:
                missed.append(f"not caught: {way}")
        except BuildError:
            pass
        shutil.rmtree(work / "bad")
    for way, tamper in tampering.ALLOWED.items():
        folder = Path(shutil.copytree(good, work / "bad" / "dnc"))
        tamper(folder)
        if verify(folder).failures:
            missed.append(f"a publisher's own thing is refused: {way}")
        shutil.rmtree(work / "bad")
    return len(tampering.EVERY), missed


@contextmanager
def small_disk(work: Path, size: str) -> Iterator[Path | None]:
    """A disk of that size, where the system lets us have one."""
    place = work / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True, check=False
    )
    try:
        yield None if mounted.returncode else place
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", str(place)], check=True)


def two_processes(work: Path) -> tuple[int, list[str]]:
    """Two processes on one `--out`, then one alone: each ends well or names the other one, nothing is lost."""
    wrong: list[str] = []
    writers = [name for name in COMMANDS if name not in SILENT]
    for name in writers:
        undisturbed, folder = work / "pairs" / name / "undisturbed", work / "pairs" / name / "pair"
        words = COMMANDS[name]
        for one in (undisturbed, folder):
            prepare(one, name)
        finish(words, undisturbed)
        both = [start(words, folder) for _ in range(2)]
        ends = [(process.communicate()[1], process.returncode) for process in both]
        for errors, code in ends:
            if code and "is writing" not in errors:
                wrong.append(f"{name}: one of two processes ended with {code}: {errors[-300:]}")
        if all(code for _, code in ends):
            wrong.append(f"{name}: neither of two processes ended well")
        finish(words, folder)
        wrong += same(f"{name} by two processes", state(folder / "out"), state(undisturbed / "out"))
    return len(writers), wrong


def full_disk(work: Path) -> tuple[int, str, list[str]]:
    """Each command on a disk that fills up, and again with room: an error that says so, and the same result."""
    wrong: list[str] = []
    tried = 0
    kind = "tmpfs"
    for name, words in COMMANDS.items():
        if name in SILENT:
            continue
        undisturbed = work / "full" / name
        prepare(undisturbed, name)
        finish(words, undisturbed)
        expected = state(undisturbed / "out")
        with small_disk(undisturbed, "1m") as disk:
            folder = disk or undisturbed / "limited"
            kind = "tmpfs" if disk else "RLIMIT_FSIZE"
            place = folder / "in"
            if disk:
                place.mkdir()
                for file in ("right.py", "my.jsonl", "replies.jsonl", "pens.jsonl", "many.jsonl", "scored"):
                    if (undisturbed / file).exists():
                        (place / file).symlink_to(undisturbed / file)
                filler = disk / "filler"
                filler.write_bytes(b"x" * (1024 * 1024 - 8 * 1024))
            else:
                prepare(place, name)
            process = start(words, place, 0 if disk else LIMIT)
            _, errors = process.communicate()
            tried += 1
            if process.returncode != 1 or "Traceback" in errors:
                wrong.append(f"{name} on a full disk ended with {process.returncode}: {errors[-300:]}")
            if disk:
                filler.unlink()
                subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
            finish(words, place)
            wrong += same(f"{name} after a full disk", state(place / "out"), expected)
    return tried, kind, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of each command (default 50)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[*COMMANDS, "pairs", "tampering", "disk"])
    arguments = parser.parse_args()
    draw = Random(arguments.seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dnc-torture-") as name:
        work = Path(name)
        for command in filter(arguments.only.__contains__, COMMANDS):
            done, runs, found = kills(command, arguments.kills, draw, work)
            print(f"{command}: {done} kills in {runs} runs, {len(found)} differences", flush=True)
            wrong += found
        if "pairs" in arguments.only:
            tried, found = two_processes(work)
            print(f"two processes on one --out: {tried} commands, {len(found)} faults", flush=True)
            wrong += found
        if "tampering" in arguments.only:
            ways, missed = tamperings(work)
            print(f"tampering: {ways} ways, {len(missed)} not caught", flush=True)
            wrong += missed
        if "disk" in arguments.only:
            tried, kind, found = full_disk(work)
            print(f"full disk ({kind}): {tried} commands, {len(found)} faults", flush=True)
            wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
