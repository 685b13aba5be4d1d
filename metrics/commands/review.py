"""`dnc research review`: judge or answer pairs in the terminal or on a page; measure agreement."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dnc_datasets import owned_folder, plugins, review
from dnc_datasets.commands import add_from, add_seed, console, given_folders
from dnc_datasets.commands.show import pair_table
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row
from dnc_metrics import judges


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", nargs="?", default="", help="name a config, e.g. asdiv_a-order-attack")
    parser.add_argument("-n", type=int, default=50, help="review this number of pairs (default 50)")
    parser.add_argument("--judge", default="me", help="store your name with every mark")
    parser.add_argument(
        "--marks",
        type=Path,
        metavar="FILE",
        help="write marks to this file (default CONFIG-JUDGE.jsonl); resumes there",
    )
    parser.add_argument(
        "--fresh", type=Path, nargs="+", metavar="MARKS", default=[],
        help="skip the pairs that these mark files already judge",
    )  # fmt: skip
    parser.add_argument(
        "--form", choices=review.FORMS, default="pair",
        help="choose the form: pair (good or bad), adversarial (same equation, similarity 0 to 1, grammar 1 to 5) or "
        "answer (see --answer)",
    )  # fmt: skip
    parser.add_argument(
        "--answer",
        dest="form",
        action="store_const",
        const="answer",
        help="answer the problems without seeing the gold answer; --stats prints the accuracy",
    )
    parser.add_argument("--print", action="store_true", help="print the pairs as text, and ask for no marks")
    parser.add_argument(
        "--suspects", nargs="?", const="smollm", default="", metavar="SCORER",
        help="print the pairs whose perturbed text a small language model finds least likely, worst first: smollm "
        "(default), smollm:FOLDER, or a scorer of another package (entry point dnc.scorers)",
    )  # fmt: skip
    parser.add_argument(
        "--among", type=int, default=400, help="draw and score this number of pairs for --suspects (400)"
    )
    parser.add_argument(
        "--html", type=Path, help="write a page for marking, instead of asking in the terminal"
    )
    parser.add_argument(
        "--stats", type=Path, nargs="+", metavar="MARKS", help="print counts and agreement of mark files"
    )
    parser.add_argument("--json", action="store_true", help="print --stats as JSON")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.stats:
        return _stats([mark for path in arguments.stats for mark in _read(path)], arguments)
    if not arguments.config:
        raise DncError(
            "name a config, e.g. dnc research review asdiv_a-order-attack, or mark files with --stats"
        )
    variant = catalogue.find(arguments.config)
    kind = "" if arguments.form == "pair" else f"-{arguments.form}"
    marks = arguments.marks or Path(f"{variant.name}-{arguments.judge}{kind}.jsonl")
    if arguments.html:
        owned_folder.owned_file(arguments.html, review.is_page)
    elif not arguments.print and not arguments.suspects:
        owned_folder.owned_file(marks, review.is_mark)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    made = variant.rows(splits, seed=arguments.seed)
    judged = {mark.id for path in arguments.fresh for mark in _read(path) if mark.config == variant.name}
    some = [row for rows in made.values() for row in rows]
    if arguments.form == "answer":
        # A problem of an original may also be answered; its pair is itself.
        some = [row if variant.recipe else replace(row, original=row.problem) for row in made["test"]]
    rows = review.sample(
        some,
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
        page = review.page(rows, variant.name, arguments.judge, arguments.form)
        owned_folder.write_owned_text(arguments.html, page, review.is_page)
        print(f"{len(rows)} pairs in {arguments.html}: open it in a browser, mark, and save the marks")
        return 0
    return _ask(rows, variant.name, marks, arguments)


def _scorer(name: str) -> Callable[[Sequence[str]], Sequence[float]]:
    """Return the scorer of a name such as smollm or smollm:FOLDER, from an entry point of `dnc.scorers`."""
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


def _ask(rows: list[Row], config: str, path: Path, arguments: argparse.Namespace) -> int:
    """Show the pairs one by one and store each mark immediately."""
    done = {mark.id for mark in review.read_marks(path)} if path.exists() else set()
    with path.open("a", encoding="utf-8") as file:
        for at, row in enumerate(rows, 1):
            if row.problem.id in done:
                continue
            _show(row, f"{at} of {len(rows)}  {config}", arguments.form)
            shown = time.monotonic()
            try:
                given = _ASK[arguments.form]()
            except EOFError:
                break
            if given is None:
                break
            if given:
                given["seconds"] = f"{time.monotonic() - shown:.1f}"
                mark = review.Mark(
                    **{"config": config, "id": row.problem.id, "judge": arguments.judge, **given}
                )
                file.write(review.line(mark) + "\n")
                file.flush()
    marks = review.read_marks(path)
    print(f"{len(marks)} marks in {path}")
    return _stats(marks, arguments) if marks else 0


def _show(row: Row, title: str, form: str) -> None:
    """Show the pair, or only the problem, without equation and answer, if a person answers it."""
    if form != "answer":
        console().print(pair_table(row, title))
        return
    console().print(f"{title}\n{row.problem.text}", markup=False)


def _verdict() -> dict[str, str] | None:
    """Ask for good or bad; an empty dict skips the pair, None stops."""
    while True:
        key = input("[g]ood, [b]ad, [s]kip, [q]uit: ").strip().lower()[:1]
        if key == "b":
            return {"verdict": "bad", "reason": input("what is wrong? ").strip()}
        if key in ("g", "s", "q"):
            return {"g": {"verdict": "good"}, "s": {}, "q": None}[key]


def _adversarial() -> dict[str, str] | None:
    """Ask whether the equation is the same (good), and for the two ratings."""
    print("good: both have the same equation")
    given = _verdict()
    for name in review.RATINGS if given else ():
        while (found := review.rating(name, input(f"{name}: ").strip())) is None:
            print(review.asked(name))
        given = {**(given or {}), name: found}
    return given


def _answer() -> dict[str, str] | None:
    """Ask for an answer; an empty one skips the problem."""
    said = input("your answer (nothing skips, q quits): ").strip()
    return None if said == "q" else {"verdict": "", "answer": said} if said else {}


_ASK: dict[str, Callable[[], dict[str, str] | None]] = {
    "pair": _verdict,
    "adversarial": _adversarial,
    "answer": _answer,
}


def _stats(marks: list[review.Mark], arguments: argparse.Namespace) -> int:
    marks = review.last_words(marks)
    counted, agreed = review.counts(marks), review.agreement(marks)
    rated, (shared, kappa) = judges.ratings(marks), judges.fleiss(marks)
    timed, seconds = review.median_seconds(marks)
    voted = Counter(judges.majority(marks).values())
    answered = judges.answered(marks, lambda config: _problems(config, arguments))
    if arguments.json:
        judged = [
            {"config": config, "judge": judge, **{verdict: found[verdict] for verdict in review.VERDICTS}}
            for (config, judge), found in counted.items()
        ]
        stated = {
            "judged": judged,
            "agreement": [one._asdict() for one in agreed],
            "fleiss": {"pairs": shared, "kappa": kappa},
            "majority": dict(voted),
            "ratings": [one._asdict() for one in rated],
            "answered": [one._asdict() for one in answered],
            "time": {"marks": timed, "median_seconds": seconds},
        }
        print(json.dumps(stated))
        return 0
    from rich.table import Table

    out = console()
    table = Table("config", "judge", "good", "bad", "bad in 100")
    for (config, judge), found in counted.items():
        total = sum(found.values())
        table.add_row(
            config, judge, str(found["good"]), str(found["bad"]), f"{100 * found['bad'] / total:.1f}"
        )
    if counted:
        out.print(table)
    for mark in marks:
        if mark.verdict == "bad":
            out.print(f"bad  {mark.config}  {mark.id}  {mark.reason}", markup=False)
    for line in (
        *(_agreement(one) for one in agreed),
        *([f"Fleiss' kappa {_shown(kappa)} over {shared} pairs that several judged"] if shared else ()),
        *([f"majority of three or more judges: {_votes(voted)}"] if voted else ()),
        *(_rated(one) for one in rated),
        *(_answered(one) for one in answered),
        *([f"median time: {seconds:.1f} seconds over {timed} marks"] if seconds is not None else ()),
    ):
        out.print(line, markup=False)
    return 0


def _problems(config: str, arguments: argparse.Namespace) -> dict[str, Problem]:
    """Return the test problems of a config, by id."""
    variant = catalogue.find(config)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    rows = variant.rows({"test": splits["test"]}, seed=arguments.seed)["test"]
    return {row.problem.id: row.problem for row in rows}


def _shown(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def _agreement(one: review.Agreement) -> str:
    return f"{one.one} and {one.two}: {one.agreed} of {one.pairs} agree, kappa {_shown(one.kappa)}"


def _votes(voted: Counter[str]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(voted.items()))


def _rated(one: judges.Rated) -> str:
    return (
        f"{one.config}: same equation {one.same_equation:.1%} of the marks on {one.pairs} pairs, "
        f"similarity {_shown(one.similarity)} (0 to 1), grammar {_shown(one.grammar)} (1 to 5)"
    )


def _answered(one: judges.Answered) -> str:
    low, high = one.interval
    return (
        f"{one.judge} answers {one.config}: {one.right} of {one.rows} right, "
        f"{one.right / one.rows:.1%} [{low:.1%}, {high:.1%}]"
    )
