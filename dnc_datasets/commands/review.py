"""`dnc review`: pairs side by side, marked good or bad in the terminal or on a page; agreement."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from dnc_datasets import atomic, outputs, plugins, review
from dnc_datasets.commands import add_from, add_seed, console, given_folders
from dnc_datasets.commands.show import pair_table
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", nargs="?", default="", help="e.g. asdiv_a-order-attack")
    parser.add_argument("-n", type=int, default=50, help="how many pairs (default 50)")
    parser.add_argument("--judge", default="me", help="your name, kept with every mark")
    parser.add_argument(
        "--marks", type=Path, help="file of marks (default: CONFIG-JUDGE.jsonl); resumes there"
    )
    parser.add_argument(
        "--fresh", type=Path, nargs="+", metavar="MARKS", default=[],
        help="leave out the pairs that these mark files judge: a sample of pairs not looked at before",
    )  # fmt: skip
    parser.add_argument("--print", action="store_true", help="print the pairs as text, and ask for no marks")
    parser.add_argument(
        "--suspects", nargs="?", const="smollm", default="", metavar="SCORER",
        help="print the pairs whose perturbed text a small language model finds least likely, worst first: "
        "smollm (default), smollm:FOLDER, or a scorer of another package (entry point dnc.scorers)",
    )  # fmt: skip
    parser.add_argument(
        "--among", type=int, default=400, help="with --suspects: how many pairs are drawn and scored (400)"
    )
    parser.add_argument("--html", type=Path, help="write a page to mark on, instead of asking here")
    parser.add_argument(
        "--stats", type=Path, nargs="+", metavar="MARKS", help="counts and agreement of mark files"
    )
    parser.add_argument("--json", action="store_true", help="with --stats: as JSON")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.stats:
        return _stats([mark for path in arguments.stats for mark in _read(path)], as_json=arguments.json)
    if not arguments.config:
        raise DncError("name a config, e.g. dnc review asdiv_a-order-attack, or mark files with --stats")
    variant = catalogue.find(arguments.config)
    marks = arguments.marks or Path(f"{variant.name}-{arguments.judge}.jsonl")
    if arguments.html:
        outputs.file(arguments.html, review.is_page)
    elif not arguments.print and not arguments.suspects:
        outputs.file(marks, review.is_mark)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    made = variant.rows(splits, seed=arguments.seed)
    judged = {mark.id for path in arguments.fresh for mark in _read(path) if mark.config == variant.name}
    rows = review.sample(
        (row for some in made.values() for row in some),
        arguments.among if arguments.suspects else arguments.n,
        variant.name,
        arguments.seed,
        judged,
    )
    if not rows:
        why = "every perturbed row is judged already" if judged else "there is no perturbed row"
        raise DncError(f"{variant.name}: {why}; `dnc list {variant.dataset}` shows the counts")
    if arguments.suspects:
        score = _scorer(arguments.suspects)
        for at, (lost, row) in enumerate(review.suspects(rows, score)[: arguments.n], 1):
            print(f"{lost:+.2f} a word")
            print(review.plain(row, at))
        return 0
    if arguments.print:
        for at, row in enumerate(rows, 1):
            print(review.plain(row, at))
        return 0
    if arguments.html:
        atomic.write_text(arguments.html, review.page(rows, variant.name, arguments.judge))
        print(f"{len(rows)} pairs in {arguments.html}: open it in a browser, mark, and save the marks")
        return 0
    return _ask(rows, variant.name, arguments.judge, marks)


def _scorer(name: str) -> Callable[[Sequence[str]], Sequence[float]]:
    """The scorer of a name such as smollm or smollm:FOLDER, brought by an entry point of `dnc.scorers`."""
    kind, _, rest = name.partition(":")
    known = plugins.entry_points("dnc.scorers")
    if kind not in known:
        raise DncError(
            f"there is no scorer {kind!r}; known: {', '.join(sorted(known)) or 'none'} (where smollm is "
            "missing, install dnc-bench again)"
        )
    scorer: Callable[[Sequence[str]], Sequence[float]] = plugins.load("dnc.scorers", kind)(rest)
    return scorer


def _read(path: Path) -> list[review.Mark]:
    if not path.is_file():
        raise DncError(f"there is no file of marks {path}")
    return review.read_marks(path)


def _ask(rows: list[Row], config: str, judge: str, path: Path) -> int:
    """Show one pair after the other and keep each mark as soon as it is given."""
    done = {mark.id for mark in review.read_marks(path)} if path.exists() else set()
    with path.open("a", encoding="utf-8") as file:
        for at, row in enumerate(rows, 1):
            if row.problem.id in done:
                continue
            console().print(pair_table(row, f"{at} of {len(rows)}  {config}"))
            try:
                verdict, reason = _verdict()
            except EOFError:
                break
            if verdict == "quit":
                break
            if verdict != "skip":
                mark = review.Mark(config, row.problem.id, judge, verdict, reason)
                file.write(review.line(mark) + "\n")
                file.flush()
    marks = review.read_marks(path)
    print(f"{len(marks)} marks in {path}")
    return _stats(marks, as_json=False) if marks else 0


def _verdict() -> tuple[str, str]:
    while True:
        key = input("[g]ood, [b]ad, [s]kip, [q]uit: ").strip().lower()[:1]
        if key == "b":
            return "bad", input("what is wrong? ").strip()
        if key in ("g", "s", "q"):
            return {"g": "good", "s": "skip", "q": "quit"}[key], ""


def _stats(marks: list[review.Mark], *, as_json: bool) -> int:
    counted = review.counts(marks)
    agreed = review.agreement(marks)
    if as_json:
        judged = [
            {"config": config, "judge": judge, **{verdict: found[verdict] for verdict in review.VERDICTS}}
            for (config, judge), found in counted.items()
        ]
        print(json.dumps({"judged": judged, "agreement": [one._asdict() for one in agreed]}))
        return 0
    from rich.table import Table

    table = Table("config", "judge", "good", "bad", "bad in 100")
    for (config, judge), found in counted.items():
        total = sum(found.values())
        table.add_row(
            config, judge, str(found["good"]), str(found["bad"]), f"{100 * found['bad'] / total:.1f}"
        )
    console().print(table)
    for mark in marks:
        if mark.verdict == "bad":
            console().print(f"bad  {mark.config}  {mark.id}  {mark.reason}", markup=False)
    for one in agreed:
        kappa = "-" if one.kappa is None else f"{one.kappa:.2f}"
        console().print(
            f"{one.one} and {one.two}: {one.agreed} of {one.pairs} agree, kappa {kappa}", markup=False
        )
    return 0
