"""`dnc research qdmr`: questions as steps, changed steps, and their questions and answers."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dnc_datasets import model_names, owned_folder
from dnc_datasets.commands import add_from, add_seed, given_folders, progress_bar
from dnc_datasets.errors import DncError
from dnc_datasets.own import files as own_files
from dnc_datasets.own import problems as own_problems
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.qdmr.questions import decomposed
from dnc_datasets.qdmr.steps import Decomposition, parse_steps, write_steps
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.contrast_members import KINDS, Member, Models, members, steps_of
from dnc_metrics import decompositions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", nargs="?", default="", help="name a dataset, or your own problems (JSON lines or CSV)"
    )
    parser.add_argument("--question", action="append", default=[], help="show the steps of this question")
    parser.add_argument("--split", default="test", help="read this split of a dataset (default test)")
    parser.add_argument("--limit", type=int, default=0, help="read only the first N problems")
    parser.add_argument(
        "--parser", metavar="hf:NAME", help="use a model to write steps where no rule reads a question"
    )
    parser.add_argument(
        "--generator", metavar="hf:NAME", help="use a model to word questions where no rule does"
    )
    parser.add_argument(
        "--reader", metavar="hf:NAME", help="use a question-answering model to find the values of steps"
    )
    parser.add_argument("--out", metavar="PATH", type=Path, help="write the members as JSON lines")
    parser.add_argument(
        "--evaluate",
        action="store_true",
        help="compare the steps of the rules with those of the source, and count the errors by kind",
    )
    parser.add_argument(
        "--pairs",
        metavar="PATH",
        type=Path,
        help="write the pairs of steps and question that train a generator, with those that rules add, as JSON lines",
    )
    parser.add_argument("--json", action="store_true", help="print counts as JSON")
    add_from(parser)
    add_seed(parser)


def _is_ours(line: str) -> bool:
    return not line or '"original_id"' in line


def _is_pair(line: str) -> bool:
    return not line or '"steps": ' in line


def run(arguments: argparse.Namespace) -> int:
    if bool(arguments.data) == bool(arguments.question):
        raise DncError("name a dataset or a file of problems, or give questions with --question")
    if arguments.out:
        owned_folder.owned_file(arguments.out, _is_ours)
    if arguments.pairs:
        owned_folder.owned_file(arguments.pairs, _is_pair)
    models = _models(arguments)
    if arguments.question:
        for text in arguments.question:
            _show(text, models)
        return 0
    problems = _problems(arguments)
    if arguments.evaluate or arguments.pairs:
        if not all(problem.note("qdmr") for problem in problems):
            raise DncError(f"{arguments.data} has no decompositions; use break_qdmr or drop_qdmr")
        return _write_pairs(problems, arguments) if arguments.pairs else _evaluate(problems, arguments)
    made: list[Member] = []
    parsed = Counter[str]()
    with progress_bar("perturbing", len(problems)) as advance:
        for problem in problems:
            steps = steps_of(problem, models)
            parsed[steps[1] if steps else "none"] += 1
            made += members(problem, models, dataset=arguments.data, seed=arguments.seed)
            advance()
    if arguments.out:
        lines = "".join(f"{line}\n" for line in map(_line, made))
        owned_folder.write_owned_text(arguments.out, lines, _is_ours)
    _print_summary(arguments, len(problems), parsed, made)
    return 0


# Kinds of errors in the steps that the rules write.
_ERRORS = ("right", "other words", "other operators", "too few steps", "too many steps", "no steps")


def _error(predicted: Decomposition | None, gold: Decomposition, is_right: bool) -> str:
    if predicted is None:
        return "no steps"
    if is_right:
        return "right"
    if len(predicted) != len(gold):
        return "too few steps" if len(predicted) < len(gold) else "too many steps"
    same = [step.operator for step in predicted] == [step.operator for step in gold]
    return "other words" if same else "other operators"


def _evaluate(problems: Sequence[Problem], arguments: argparse.Namespace) -> int:
    """Print SARI and matches of the rules' steps by source of the question, and their errors by kind."""
    by: dict[str, list[tuple[decompositions.Score, bool, str]]] = {}
    for problem in problems:
        gold, predicted = parse_steps(problem.note("qdmr")), decomposed(problem.question)
        scored = decompositions.score(problem.question, write_steps(predicted or ()), write_steps(gold))
        last = predicted is not None and predicted[-1].operator is gold[-1].operator
        error = _error(predicted, gold, scored.normalised)
        by.setdefault(problem.id.partition("_")[0], []).append((scored, last, error))
    by_source = {name: _measures(some) for name, some in sorted(by.items())}
    if arguments.json:
        print(json.dumps(by_source))
        return 0
    for name, measures in by_source.items():
        shares = ", ".join(f"{what} {measures[what]:.1%}" for what in ("exact", "operators", "last operator"))
        errors = ", ".join(f"{what} {measures[what]}" for what in _ERRORS)
        print(f"{name}: {measures['rows']} questions, SARI {measures['sari']:.3f}, {shares}\n  {errors}")
    return 0


def _measures(scores: Sequence[tuple[decompositions.Score, bool, str]]) -> dict[str, float]:
    count = len(scores)
    errors = Counter(error for _, _, error in scores)
    return {
        "rows": count,
        "sari": sum(one.sari for one, _, _ in scores) / count,
        "exact": sum(one.normalised for one, _, _ in scores) / count,
        "operators": sum(one.operators for one, _, _ in scores) / count,
        "last operator": sum(last for _, last, _ in scores) / count,
        **{kind: errors[kind] for kind in _ERRORS},
    }


def _write_pairs(problems: Sequence[Problem], arguments: argparse.Namespace) -> int:
    from dnc_trainers.commands import require_torch

    require_torch()
    from dnc_trainers import decompositions as models

    pairs = models.pairs(problems, models.DIRECTIONS[1], patterns=True)
    lines = (json.dumps({"id": one.id, "steps": one.question, "question": one.answer}) for one in pairs)
    owned_folder.write_owned_text(arguments.pairs, "".join(f"{line}\n" for line in lines), _is_pair)
    added = Counter(models.made_by(one.id) for one in pairs)
    source = added.pop("")
    if arguments.json:
        print(json.dumps({"source": source, "added": dict(added)}))
        return 0
    print(f"{source} pairs of the source, {added.total()} that rules add: {_join_counts(added)}")
    print(f"{len(pairs)} pairs are in {arguments.pairs}", file=sys.stderr)
    return 0


def _models(arguments: argparse.Namespace) -> Models:
    if not (arguments.parser or arguments.generator or arguments.reader):
        return Models()
    from dnc_trainers.commands import require_torch

    require_torch()
    from dnc_trainers import decompositions

    return Models(
        decompositions.writer(model_names.pretrained(arguments.parser)) if arguments.parser else None,
        decompositions.writer(model_names.pretrained(arguments.generator)) if arguments.generator else None,
        decompositions.reader(model_names.pretrained(arguments.reader)) if arguments.reader else None,
    )


def _show(text: str, models: Models) -> None:
    parsed = steps_of(Problem("question", "", text), models)
    if parsed is None:
        print(f"{text}\n  no rule or model could read it")
        return
    steps, by = parsed
    print(f"{text}   ({by})")
    for number, step in enumerate(steps, 1):
        print(f"  {number}. {step.text}   [{step.operator.value}]")


def _problems(arguments: argparse.Namespace) -> list[Problem]:
    if Path(arguments.data).is_file():
        lines = own_files.lines(Path(arguments.data))
        problems = [own_problems.read(own_files.record(line), line.number) for line in lines]
    else:
        variant = catalogue.find(arguments.data)
        splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
        if arguments.split not in splits:
            raise DncError(f"{arguments.data} has no split {arguments.split!r}; use {', '.join(splits)}")
        problems = list(splits[arguments.split])
    return problems[: arguments.limit] if arguments.limit else problems


def _line(member: Member) -> str:
    row = to_row(member.problem)
    row["meta"] = dict(member.problem.meta)
    row |= {"id": f"{member.problem.id}#{member.kind}", "original_id": member.problem.id, "kind": member.kind}
    row |= {"parsed_by": member.parsed_by, "worded_by": member.worded_by, "answered_by": member.answered_by}
    return json.dumps(row, ensure_ascii=False)


def _print_summary(
    arguments: argparse.Namespace, count: int, parsed: Counter[str], contrast_members: list[Member]
) -> None:
    covered = len({member.problem.id for member in contrast_members})
    kinds = {kind: Counter(one.worded_by for one in contrast_members if one.kind == kind) for kind in KINDS}
    if arguments.json:
        counts = {kind: dict(by) for kind, by in kinds.items() if by}
        print(
            json.dumps({"problems": count, "covered": covered, "parsed_by": dict(parsed), "members": counts})
        )
        return
    share = f" ({covered / count:.1%})" if count else ""
    print(f"{count} questions, steps by {_join_counts(parsed)}; {covered}{share} with a member")
    for kind, by in kinds.items():
        if by:
            print(f"  {kind:<14}{by.total():>6}   worded by {_join_counts(by)}")
    if arguments.out:
        print(f"{len(contrast_members)} members are in {arguments.out}", file=sys.stderr)


def _join_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.most_common())
