"""Torture, outside `make test`: kills at random points, every way of tampering, a full disk.

    python tests/torture.py --kills 50 --seed 0

Each command is started, killed with SIGKILL after a drawn part of the time that it takes undisturbed, and
started again (to be killed again, two times in three) until it ends; what it leaves is compared, byte for byte
where bytes do not hold times, with what it leaves undisturbed. The counts are printed; the exit code is 1 if
anything differs.
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
}
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
            "PYTHONPATH": os.pathsep.join((str(HERE / "harness_tasks"), str(folder))),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        },
        stdout=subprocess.DEVNULL,
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
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}: {errors[-2000:]}")
    return time.monotonic() - began


def kill(words: Words, folder: Path, after: float) -> bool:
    """Start, and kill the process and its workers after so many seconds; had it not ended by itself?"""
    process = start(words, folder)
    try:
        process.wait(after)
        alive = False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        alive = True
    process.communicate()
    return alive


def prepare(folder: Path) -> None:
    """What the commands read, and things of the user's that must stay."""
    folder.mkdir(parents=True)
    (folder / "right.py").write_text(MODEL, encoding="utf-8")
    with (folder / "my.jsonl").open("w", encoding="utf-8") as file:
        for row in range(4000):
            body = f"Ana has {row + 3} pens. Bo has {row + 30} pens."
            line = {"id": str(row), "body": body, "question": "How many pens?", "answer": str(2 * row + 33)}
            file.write(json.dumps({**line, "equation": f"{row + 3} + {row + 30}"}) + "\n")


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
    wrong += [f"{name}: {file} was left behind" for file in found if file not in expected]
    return wrong + [
        f"{name}: {file} differs" for file in expected if file in found and found[file] != expected[file]
    ]


def kills(name: str, count: int, draw: Random, work: Path) -> tuple[int, int, list[str]]:
    """(kills that met a living process, runs brought to their end, differences)"""
    words = list(COMMANDS[name])
    undisturbed = work / name / "undisturbed"
    prepare(undisturbed)
    seconds = finish(words, undisturbed)
    add_own_things(undisturbed / "out")
    if name == "build":  # a second build, over the first and the user's own things
        words += ["--seed", "5"]
        seconds = finish(words, undisturbed)
    expected = state(undisturbed / "out")
    done, runs, wrong = 0, 0, []
    while done < count:
        folder = work / name / f"run{runs}"
        prepare(folder)
        if name == "build":
            finish(COMMANDS[name], folder)
        add_own_things(folder / "out")
        for _ in range(3):
            if done < count and draw.random() < 0.9:
                done += kill(words, folder, draw.uniform(0.05, 1.0) * seconds)
        finish(words, folder)
        wrong += same(f"{name} run {runs}", state(folder / "out"), expected)
        strays = [p.name for p in folder.rglob("*") if p.name.endswith(STRAYS)]
        wrong += [f"{name} run {runs}: {stray} was left behind" for stray in strays]
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


def full_disk(work: Path) -> tuple[int, str, list[str]]:
    """Each command on a disk that fills up, and again with room: an error that says so, and the same result."""
    wrong: list[str] = []
    tried = 0
    kind = "tmpfs"
    for name, words in COMMANDS.items():
        undisturbed = work / "full" / name
        prepare(undisturbed)
        finish(words, undisturbed)
        expected = state(undisturbed / "out")
        with small_disk(undisturbed, "1m") as disk:
            folder = disk or undisturbed / "limited"
            kind = "tmpfs" if disk else "RLIMIT_FSIZE"
            place = folder / "in"
            if disk:
                place.mkdir()
                for file in ("right.py", "my.jsonl"):
                    (place / file).symlink_to(undisturbed / file)
                filler = disk / "filler"
                filler.write_bytes(b"x" * (1024 * 1024 - 8 * 1024))
            else:
                prepare(place)
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
    parser.add_argument("--only", nargs="*", default=[*COMMANDS, "tampering", "disk"])
    arguments = parser.parse_args()
    draw = Random(arguments.seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dnc-torture-") as name:
        work = Path(name)
        for command in filter(arguments.only.__contains__, COMMANDS):
            done, runs, found = kills(command, arguments.kills, draw, work)
            print(f"{command}: {done} kills in {runs} runs, {len(found)} differences", flush=True)
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
