"""`dnc candidates`: prompts for a language model that rewrites problems, and the rewrites."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from dnc_datasets import json_lines, owned_folder, secrets
from dnc_datasets.commands import add_force, progress_bar
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.problem import Problem
from dnc_datasets.writer import kinds
from dnc_datasets.writer.judge import identity

_MOST = 64
_AT_A_TIME = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", type=Path, help="read problems from .jsonl, .csv or .tsv")
    parser.add_argument("--kind", default="paraphrase", help=f"choose the kind: {', '.join(kinds.KINDS)}")
    parser.add_argument("-n", type=int, default=1, help="ask for N rewrites per problem (default 1)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="write this file of JSON lines"
    )
    parser.add_argument(
        "--writer", default="", metavar="KIND:NAME",
        help="ask this model, e.g. lm_eval:BACKEND:ARGUMENTS, and write its rewrites; resumes",
    )  # fmt: skip
    parser.add_argument("--encoding", default="", help="set the encoding of the input (default UTF-8)")
    add_force(parser)


def run(arguments: argparse.Namespace) -> int:
    kind = kinds.get(arguments.kind)
    if not 1 <= arguments.n <= _MOST:
        raise DncError(f"-n {arguments.n}: give a number from 1 to {_MOST}")
    asked = [
        {"id": problem.id, "kind": kind.name, "prompt": kind.prompt(problem), "n": arguments.n}
        for problem in _problems(arguments.input, arguments.encoding)
    ]
    if not arguments.writer:
        with owned_folder.new_owned_file(arguments.out, _is_ours, arguments.force) as out:
            out.writelines(f"{json.dumps(one, ensure_ascii=False)}\n".encode() for one in asked)
        print(f"{len(asked)} prompts written to {arguments.out}")
        return 0
    with owned_folder.locked_file(arguments.out, _is_ours, arguments.force):
        return _fill(arguments, kind.name, {one["id"]: str(one["prompt"]) for one in asked})


def _is_ours(line: str) -> bool:
    return not line or ('"id": ' in line and '"kind": ' in line)


def _problems(source: Path, encoding: str) -> Iterator[Problem]:
    for line in files.lines(source, encoding):
        try:
            problem = problems.read(files.record(line), line.number)
        except ProblemError:
            continue  # `dnc perturb` reports it
        if problem.shape == "word_problem":
            yield problem


def _fill(arguments: argparse.Namespace, kind: str, prompts: dict[str, str]) -> int:
    """Append the rewrites that the file does not hold yet."""
    from dnc_harness.models import writing

    done: dict[str, int] = {}
    if arguments.out.exists():
        for line in json_lines.unbroken(arguments.out.open("rb")):
            if line.get("kind") == kind:
                done[str(line.get("id"))] = done.get(str(line.get("id")), 0) + 1
    missing = [name for name in prompts for _ in range(arguments.n - done.get(name, 0))]
    if not missing:
        print(f"{arguments.out} holds {arguments.n} rewrites of each of {len(prompts)} problems")
        return 0
    writer = writing(arguments.writer, varied=arguments.n > 1)
    with progress_bar("writing", len(missing)) as advance, arguments.out.open("ab") as out:
        if out.tell() and arguments.out.read_bytes()[-1:] != b"\n":
            out.write(b"\n")  # a line that a kill cut off
        for at in range(0, len(missing), _AT_A_TIME):
            names = missing[at : at + _AT_A_TIME]
            replies = writer([prompts[one] for one in names])
            clean = secrets.file_cleaner()  # the keys of the model are registered here
            for name, reply in zip(names, replies, strict=True):
                line = {"id": name, "kind": kind, "reply": reply, "writer": identity(arguments.writer)}
                out.write(f"{clean(json.dumps(line))}\n".encode())
            out.flush()
            advance(len(names))
    print(f"{len(missing)} rewrites added to {arguments.out}")
    return 0
