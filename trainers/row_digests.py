"""Digests of the rows of stored results, which distinguish current from stale results.

    DNC_MIRROR=... python -m dnc_trainers.row_digests        # add digests to the results whose rows can be rebuilt
    DNC_MIRROR=... python -m dnc_trainers.row_digests --revisions 45a9754..HEAD asdiv_a-type-defense

Results of version 0.2.0 and earlier do not name their rows. If they were trained and tested on originals of
pinned upstream files, a digest is derived: the rows cannot have changed, and the ids and the number of rows
must agree. The rows of a perturbed config depend on the rules of the time. Their digest is derived if every
revision of that version writes the current rows, or rows that differ from the result's (`SAME_SINCE`). The
second command rebuilds the rows of a config at every revision. All other results have no digest, show "rows
unknown" and count as stale.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_trainers import data, stored
from dnc_trainers.results import Result
from dnc_trainers.stored import Stored

CHANGED = "rows have changed"
Reasons = Mapping[tuple[str, str, str], str]
# (dataset, perturbation) -> the first version whose revisions since 2026-11-16 09:24 all write the current
# rows, or rows of which other ids are changed. Of 151 revisions 93 were rebuilt; the others change no module
# that these loaded. Revisions of 0.2.0 before 8872f6e change four rows fewer under noise and distribution.
SAME_SINCE = {
    ("asdiv_a", "noise"): "0.2.0",
    ("asdiv_a", "distribution"): "0.2.0",
    ("asdiv_a", "type"): "0.1.0",
    ("asdiv_a", "no_question"): "0.1.0",
    ("mawps", "no_question"): "0.2.0",
    ("svamp", "no_question"): "0.1.0",
}
# Prints a digest of the texts and golds of each config, with the modules of a revision.
_REBUILD = """
import hashlib, json, sys
sys.path.insert(0, sys.argv[1])
from dnc_datasets.serving import catalogue
for name in sys.argv[2:]:
    variant, digest = catalogue.find(name), hashlib.sha256()
    for split, rows in variant.rows(catalogue.read(variant.dataset, variant.fold)).items():
        for row in rows:
            one = row.problem
            digest.update(json.dumps([split, one.id, one.body, one.question, one.equation, one.answer]).encode())
    print(name, digest.hexdigest()[:12], end="  ")
"""
# Files of a results folder without results of trained systems.
_OTHERS = ("stats.json", "speed.json", "finetune.json")


def main() -> None:
    """Add the digests that can be derived to the stored results, or rebuild the rows of earlier revisions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--revisions", metavar="FIRST..LAST", help="rebuild the rows of configs at these revisions"
    )
    parser.add_argument("configs", nargs="*")
    arguments = parser.parse_args()
    if arguments.revisions:
        for revision in _git("log", "--format=%h", arguments.revisions, "--", "dnc_datasets").split():
            print(revision, _rebuild(revision, arguments.configs), flush=True)
        return
    for kind in stored.KINDS:
        lines = [_with_digests(line) for line in stored.read(kind)]
        stored.write(kind, iter(lines))
        known = sum("digests" in line.result or "record" in line.result for line in lines)
        print(f"{kind}: {known} of {len(lines)} results name their rows")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=Path(__file__).parents[1], check=True, capture_output=True, text=True
    ).stdout


def _rebuild(revision: str, configs: Sequence[str]) -> str:
    """Return the digests of the rows that the modules of a revision write, or the error."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "revision.tar"
        _git("archive", f"--output={archive}", revision, "dnc_datasets")
        shutil.unpack_archive(archive, folder)
        command = [sys.executable, "-c", _REBUILD, folder, *configs]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() if not done.returncode else done.stderr.strip().splitlines()[-1]


def stale(lines: Sequence[Stored], given: Mapping[str, Path] | None = None) -> Reasons:
    """Map (group, name, test config) of every cell not known to have current rows to the reason.

    `given` are the folders of datasets whose files cannot be downloaded.
    """
    reasons = {
        (line.group, line.name, result.test): _reason(result, given or {})
        for line in lines
        for result in line.results()
    }
    return {key: reason for key, reason in reasons.items() if reason}


def write_current(folder: Path, target: Path, left_out: Reasons) -> None:
    """Write a copy of a results folder without these cells."""
    for kind in stored.KINDS:
        lines = (_without_cells(line, left_out) for line in stored.read(kind, folder))
        stored.write(kind, (line for line in lines if line), target)
    for name in _OTHERS:
        if (folder / name).exists():
            shutil.copy(folder / name, target / name)


def _without_cells(line: Stored, left_out: Reasons) -> Stored | None:
    """Return a stored line without the cells in `left_out`, or None if no cell remains."""
    keys = {one.cell.key for one in line.results() if (line.group, line.name, one.test) not in left_out}
    if not keys or "record" not in line.result:
        return line if keys else None
    record = line.result["record"]
    cells = [cell for cell in record["cells"] if f"{cell['config']}|{cell['prompt']}" in keys]
    outcomes = [one for one in line.result["outcomes"] if one["cell"] in keys]
    return line._replace(result={"record": {**record, "cells": cells}, "outcomes": outcomes})


def summary(lines: Sequence[Stored], left_out: Reasons) -> str:
    """State the numbers of current and stale results."""
    counts = Counter(left_out.values())
    parts = [f"{count} are stale ({reason})" for reason, count in sorted(counts.items())]
    every = sum(1 for line in lines for _ in line.results())
    current = every - len(left_out)
    return (
        f"Of {every} stored results, {', '.join([f'{current} are of the rows of this version', *parts])}. "
        "Sections that need stale results say so below their heading.\n"
    )


def _reason(result: Result, given: Mapping[str, Path]) -> str:
    trained, tested = result.training.rows_sha256, result.cell.data.get("sha256")
    if not trained or not tested:
        return stored.UNKNOWN
    try:
        added = "+" in result.data  # problems of another file, which the digest of a config does not cover
        same = tested == _tested(result.test, given, whole=result.cell.all_splits) and (
            added or trained == _trained(result, given)
        )
    except DncError:  # its files are not available
        return stored.UNKNOWN
    return "" if same else CHANGED


def _trained(result: Result, given: Mapping[str, Path]) -> str:
    training = result.training
    chosen_on = result.test if training.chosen_on_test else ""
    return _training_digest(
        result.data, training.refit, chosen_on, given.get(catalogue.find(result.data).dataset)
    )


def _tested(config: str, given: Mapping[str, Path], *, whole: bool = False) -> str:
    variant = catalogue.find(config)
    return data.asked_digest(variant, given.get(variant.dataset), whole=whole)


@cache
def _training_digest(config: str, refit: bool, chosen_on: str, given: Path | None) -> str:
    splits = data.rows(catalogue.find(config), given)
    training, validation = ([row.problem for row in splits[name]] for name in ("train", "validation"))
    if refit or chosen_on:
        training, validation = [*training, *validation], []
    if chosen_on:
        validation = [row.problem for row in data.rows(catalogue.find(chosen_on), given)["test"]]
    return data.digest(training, validation)


def _with_digests(line: Stored) -> Stored:
    """Return the line with the digests of its rows if they can be derived."""
    if "record" in line.result or "digests" in line.result:
        return line
    result = stored.former_result(line.result)
    try:
        if not _is_pinned(result) and not _is_unchanged(result):
            return line
        digests = {"training": _trained(result, {}), "test": _tested(result.test, {})}
    except DncError:
        return line
    return line._replace(result={**line.result, "digests": digests})


def _is_pinned(result: Result) -> bool:
    """Return whether all rows are originals of pinned files, with the current ids and number of rows."""
    trained, tested = catalogue.find(result.train), catalogue.find(result.test)
    return not (trained.recipe or tested.recipe) and _has_same_rows(result)


def _is_unchanged(result: Result) -> bool:
    """Return whether the perturbed rows are current by `SAME_SINCE`, with the ids that the result lists."""
    for name in {result.train, result.test}:
        variant = catalogue.find(name)
        since = SAME_SINCE.get((variant.dataset, variant.recipe))
        if variant.recipe and (since is None or result.cell.data["version"] < since):
            return False
    changed = {row for row, one in result.outcomes.items() if one.perturbed}
    today = {row.problem.id for row in data.asked(catalogue.find(result.test)) if row.original is not None}
    return changed == today and _has_same_rows(result)


def _has_same_rows(result: Result) -> bool:
    """Return whether the ids and the number of rows are current, in configs of pinned files."""
    training, tested = result.training, catalogue.find(result.test)
    if "+" in result.data or result.cell.all_splits:
        return False
    trained = catalogue.find(result.data)
    if not (trained.source.files and tested.source.files):
        return False
    splits = data.rows(trained)
    count = len(splits["train"]) + (
        len(splits["validation"]) if training.refit or training.chosen_on_test else 0
    )
    if not training.rows or training.rows + training.dropped_rows != count:
        return False
    return {row.problem.id for row in data.asked(tested)} == result.outcomes.keys()


if __name__ == "__main__":
    main()
