"""`dnc explain` shows every wrong reply whole, and knows what it is asked for."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_metrics import record, record_builder
from dnc_metrics.record import Provenance, System
from dnc_metrics.record_builder import Asked, Scored

GOLD = "103456.25"
ANSWERS = (Fraction(4033, 100), Fraction(22, 7), Fraction(10**400))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A record with wrong replies: a decimal, a fraction that no decimal is, and a number beyond all bounds."""
    replies = []
    for at, answer in enumerate(ANSWERS):
        row = {
            "id": f"a-rather-long-id-{at}",
            "body": "A rope of 12 m and one of 30 m are tied together, and then 7 m are cut off again.",
            "question": "How long is it?",
            "answer": GOLD,
            "equation": "",
            "meta": "{}",
        }
        replies.append(Scored(row, False, "wrong", answer, "[/b] so it is", cluster=str(at)))
    asked = Asked("mine", "mine", "", "", "", "", "direct", "answer_lenient", replies)
    made, rows = record_builder.make(System("m", "predictions"), Provenance("dnc score", "0"), [asked])
    record.write(made, rows, tmp_path)
    return tmp_path


def test_numbers_are_written_as_people_write_them(folder: Path) -> None:
    decimal, fraction, huge = (one.answer for one in record.outcomes(folder, record.load(folder)))
    assert (decimal, fraction) == ("40.33", "22/7")
    assert huge == f"1{400 * '0'}"


def test_answers_and_golds_are_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = record.load(folder)
    rows = record.outcomes(folder, found)
    # An earlier record wrote the same number so; and sentences may be far longer than a line.
    old = [record.Outcome(**{**vars(rows[0]), "answer": "4033/100", "sentence": 40 * "very long "}), rows[1]]
    record.write(found, old, folder)
    assert main(["explain", str(folder), "-n", "0"]) == 0
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) < 200
    for text in (GOLD, "4033/100", "22/7", "a-rather-long-id-0"):
        assert text in shown


def test_a_number_beyond_all_bounds_leaves_room_for_the_rest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert f"1{39 * '0'}…" in shown
    assert shown.count(GOLD) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cause", "arithmetic slips"), "did you mean arithmetic slip"),
        (("--cause", "nonsense"), "unknown cause 'nonsense'"),
        (("--config", "mime"), "unknown config of m 'mime'; did you mean mine"),
        (("--config", "mime", "--json"), "did you mean mine"),
    ],
)
def test_names_that_nothing_has(
    words: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(folder), *words]) == 1
    assert said in capsys.readouterr().err
    assert main(["explain", str(folder), "--cause", "arithmetic slip", "--config", "mine"]) == 0


def test_a_shortened_list_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(folder), "-n", "2"]) == 0
    assert capsys.readouterr().out.endswith("2 of 3 wrong replies; -n 0 shows all\n")
    assert main(["explain", str(folder)]) == 0
    assert "shows all" not in capsys.readouterr().out
