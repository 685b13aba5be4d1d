"""Rows that no task file names: one's own, fresh draws, another seed or parameter, several replies a row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import scripted

from dnc_datasets import cli
from dnc_datasets.serving import catalogue
from dnc_harness import row_sets
from dnc_metrics import record
from dnc_metrics.record import Record

Run = Callable[..., Record]


def _eval(script: str, *words: object, out: str = "results") -> Record:
    given = [
        "eval",
        "--model",
        "scripted",
        "--model-args",
        f"script={script}",
        "--out",
        out,
        *map(str, words),
    ]
    assert cli.main(given) == 0
    return record.load(Path(out))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Forty problems, as `dnc perturb` wrote them."""
    problems = [
        {"id": str(at), "problem": f"Tom had {at + 12} pens and lost {at + 3} of them. How many are left?",
         "equation": f"{at + 12} - {at + 3}", "answer": "9"}
        for at in range(40)
    ]  # fmt: skip
    (tmp_path / "pens.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in problems))
    made = tmp_path / "mine.jsonl"
    assert cli.main(["perturb", str(tmp_path / "pens.jsonl"), "--with", "verbosity", "--out", str(made)]) == 0
    return made


def test_a_model_on_ones_own_file(own: Path, tmp_path: Path) -> None:
    found = _eval("wrong_where_perturbed", "--own", own)
    assert [(cell.config, cell.rows, cell.right) for cell in found.cells] == [
        ("mine", 40, 40),
        ("mine-verbosity-attack", 40, 0),
    ]
    (table,) = found.tables
    assert {line.verdict for line in table.lines} == {"drop"}
    assert all(asked.startswith("Question: Tom had") for asked in scripted.ASKED)
    # The replies, scored apart from the model, give the same record.
    replies = [
        json.dumps({"config": one.cell.partition("|")[0], "id": one.id, "output": one.reply})
        for one in record.outcomes(Path("results"), found)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(replies))
    assert cli.main(["score", str(tmp_path / "replies.jsonl"), "--own", str(own), "--out", "scored"]) == 0
    assert record.load(Path("scored")).tables == found.tables


def test_fresh_draws_tell_who_knows_only_the_published_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scripted.SCRIPTS, "by_heart", scripted.wrong_where_perturbed)
    found = _eval("by_heart", "--tasks", "dnc_tiny_original", "--draws", 3, "--limit", 60)
    names = [cell.perturbation for cell in found.cells if cell.perturbation]
    assert names == [f"distribution_plausible draw {seed}" for seed in range(3)]
    assert len({cell.data["sha256"] for cell in found.cells}) == 4, "every draw is another"
    first, *draws = found.tables[0].lines
    assert (first.name, first.is_capability, first.verdict) == ("fresh_numbers", True, "drop")
    # A row that two draws write alike counts once.
    assert max(line.n for line in draws) < first.n <= sum(line.n for line in draws)
    fair = _eval("right", "--tasks", "dnc_tiny_original", "--draws", 3, "--limit", 60, out="fair")
    assert fair.tables[0].lines[0].drop == 0


def test_another_seed_and_other_parameters_make_other_rows() -> None:
    tasks = ("--tasks", "dnc_tiny_original,dnc_tiny_distribution_attack", "--limit", 20)
    usual = _eval("right", *tasks)
    again = _eval("right", *tasks, "--seed", 0, out="again")
    other = _eval("right", *tasks, "--seed", 7, "--set", "mu=50", out="other")
    shas = [found.cells[-1].data["sha256"] for found in (usual, again, other)]
    assert shas[0] == shas[1] != shas[2]
    assert (other.cells[-1].data["seed"], other.cells[-1].data["parameters"]) == (7, {"mu": 50})
    assert [cell.config for cell in other.cells] == [cell.config for cell in usual.cells]
    assert all(cell.right == cell.rows for cell in other.cells)


def test_a_perturbation_applied_twice_changes_twice() -> None:
    variant = catalogue.find("tiny-extra-attack")
    once, twice = (row_sets.of_variant(variant, Path("dnc"), times=times) for times in (1, 2))
    changed = [(a, b) for a, b in zip(once.rows, twice.rows, strict=True) if b["perturbed"]]
    assert len(changed) > 100
    for a, b in changed:
        assert a["source"] == b["source"]
        assert len(a["source"]["body"]) < len(a["body"]) < len(b["body"])
        assert len(b["certificate"]) == 2 * len(a["certificate"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name tasks or groups with --tasks"),
        (("--own", "{own}", "--draws", "2"), "give them to `dnc perturb`"),
        (("--tasks", "dnc_tiny", "--draws", "-1"), "give the number of draws"),
        (("--tasks", "dnc_tiny_type_attack", "--set", "mu=5"), "type takes scope"),
        (("--tasks", "dnc_tiny", "--repeats", "0"), "at least once"),
        (("--tasks", "dnc_tiny", "--repeats", "2", "--gen-kwargs", "temperature=0"), "a model that samples"),
        (("--own", "no-such-file.jsonl"), "cannot be read"),
    ],
)
def test_errors_say_what_to_do(
    words: tuple[str, ...], said: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["eval", "--model", "scripted", "--out", "r", *(word.format(own=own) for word in words)]
    assert cli.main(given) == 1
    assert said in capsys.readouterr().err


def test_repeated_replies(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    times: dict[str, int] = {}

    def sampled(doc: dict[str, object]) -> str:
        """Right on every second asking of half the rows, and always on the others."""
        row = str(doc["id"])
        times[row] = times.get(row, 0) + 1
        return str(doc["answer"]) if sum(map(ord, row)) % 2 or times[row] % 2 else "I do not know."

    monkeypatch.setitem(scripted.SCRIPTS, "sampled", sampled)
    found = _eval("sampled", "--tasks", "dnc_tiny_original", "--repeats", 4, "--limit", 40)
    (cell,) = found.cells
    assert cell.rows == 160
    assert cell.repeated is not None
    assert cell.repeated.times == 4
    luck = sum(not sum(map(ord, row)) % 2 for row in times) / 40
    assert cell.repeated.pass_at_1 == pytest.approx(1 - luck / 2)
    assert cell.repeated.within == pytest.approx(luck * 0.25 * 4 / 3)
    low, high = cell.repeated.interval
    assert low < cell.repeated.pass_at_1 < high
    assert cell.repeated.between >= 0
    assert "pass@1" in capsys.readouterr().out
    outcomes = record.outcomes(Path("results"), found)
    assert len({one.id for one in outcomes}) == 160
    # A second run asks nothing, though every row was asked four times.
    asked = len(scripted.ASKED)
    assert _eval("sampled", "--tasks", "dnc_tiny_original", "--repeats", 4, "--limit", 40) == found
    assert len(scripted.ASKED) == asked


def test_other_wordings_of_the_instruction_are_lines_of_their_own() -> None:
    found = _eval("right", "--tasks", "dnc_tiny_original", "--wordings", 3, "--limit", 10)
    lines = {cell.perturbation: cell.scores["answer_lenient"] for cell in found.cells}
    assert lines == {"": 1.0, "wording 1": 1.0, "wording 2": 1.0, "wording 3": 1.0}
    assert len({prompt.split("\n", 1)[1] for prompt in scripted.ASKED}) == 4
