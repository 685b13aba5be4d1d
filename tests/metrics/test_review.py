"""Reviews: the sample, marks from the terminal and the page, agreement of judges, and scores on valid rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dnc_datasets import cli, review
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.review import Mark
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row
from dnc_leaderboard import report
from dnc_metrics import judges

CONFIG = "tiny-verbosity-attack"


def _row(number: int) -> Row:
    before = Problem(f"r{number}", f"Amy has {number} pens.", "How many?", answer=str(number))
    return Row(before.replace(body=f"Amy has {number} (not 9) pens."), before, ("x",))


def test_a_sample_is_drawn_once_and_holds_only_pairs() -> None:
    rows = [_row(n) for n in range(20)] + [Row(Problem("plain", "", "How many?"))]
    chosen = review.sample(rows, 8, "c", seed=1)
    assert chosen == review.sample(rows, 8, "c", seed=1)
    assert len({row.problem.id for row in chosen}) == 8
    assert chosen != review.sample(rows, 8, "c", seed=2)
    assert all(row.original for row in review.sample(rows, 99, "c"))


def test_a_fresh_sample_holds_nothing_that_was_judged() -> None:
    rows = [_row(n) for n in range(20)]
    first = {row.problem.id for row in review.sample(rows, 12, "c")}
    fresh = {row.problem.id for row in review.sample(rows, 12, "c", judged=first)}
    assert len(fresh) == 8
    assert not first & fresh


@pytest.mark.parametrize(
    ("ones", "twos", "agreed", "kappa"),
    [("ggbb", "ggbb", 4, 1.0), ("ggbb", "gbgb", 2, 0.0), ("gggg", "gggg", 4, None), ("gb", "bg", 0, -1.0)],
)
def test_agreement(ones: str, twos: str, agreed: int, kappa: float | None) -> None:
    words = {"g": "good", "b": "bad"}
    marks = [Mark("c", str(at), "one", words[verdict]) for at, verdict in enumerate(ones)]
    marks += [Mark("c", str(at), "two", words[verdict]) for at, verdict in enumerate(twos)]
    (found,) = review.agreement(marks)
    assert (found.pairs, found.agreed) == (len(ones), agreed)
    assert found.kappa == (None if kappa is None else pytest.approx(kappa))


def test_a_damaged_file_of_marks_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(review.line(Mark("c", "1", "me", "good")) + "\nnonsense\n")
    with pytest.raises(DncError, match="line 2"):
        review.read_marks(path)
    path.write_text(json.dumps({"config": "c", "id": "1", "judge": "me", "verdict": "fine"}))
    with pytest.raises(DncError, match="good or bad"):
        review.read_marks(path)


def test_the_time_of_a_mark_is_stored_and_its_median_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([10.0, 41.0, 50.0, 55.5, 60.0, 160.0])
    monkeypatch.setattr("dnc_metrics.commands.review.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("builtins.input", lambda _: "g")
    marks = tmp_path / "marks.jsonl"
    assert cli.main(["research", "review", CONFIG, "-n", "3", "--marks", str(marks)]) == 0
    assert [mark.seconds for mark in review.read_marks(marks)] == ["31.0", "5.5", "100.0"]
    assert "median time: 31.0 seconds over 3 marks" in capsys.readouterr().out
    marks.write_text(marks.read_text().replace('"5.5"', '"-1"'))
    with pytest.raises(DncError, match="line 2: seconds"):
        review.read_marks(marks)


def test_the_page_shows_the_pair_and_runs_no_text() -> None:
    row = _row(3)
    evil = Row(row.problem.replace(body="</script><script>alert(1)</script>"), row.original, ())
    text = review.page([row, evil], "c</script>", "me")
    assert "<ins>" in text
    assert "alert(1)</script>" not in text
    assert text.count("<section") == 2


def test_marks_are_given_in_the_terminal_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = tmp_path / "marks.jsonl"
    typed: Iterator[str] = iter(["x", "g", "b", "odd", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    arguments = ["research", "review", CONFIG, "-n", "5", "--marks", str(marks), "--judge", "ana"]
    assert cli.main(arguments) == 0
    first = review.read_marks(marks)
    assert [(mark.verdict, mark.reason) for mark in first] == [("good", ""), ("bad", "odd")]
    typed = iter(["g", "g", "g"])
    assert cli.main(arguments) == 0
    assert len({mark.id for mark in review.read_marks(marks)}) == 5
    capsys.readouterr()
    assert cli.main(["research", "review", "--stats", str(marks), "--json"]) == 0
    (judged,) = json.loads(capsys.readouterr().out)["judged"]
    assert judged == {"config": CONFIG, "judge": "ana", "good": 4, "bad": 1}


def test_pairs_are_printed_and_those_judged_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["research", "review", CONFIG, "-n", "5", "--print"]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n   body      - ") == printed.count("\n             + ") == 5
    ids = [line.split(" ")[1] for line in printed.splitlines() if line[:1].isdigit()]
    assert len(ids) == 5
    marks = tmp_path / "marks.jsonl"
    marks.write_text("".join(review.line(Mark(CONFIG, one, "me", "good")) + "\n" for one in ids))
    assert cli.main([*arguments, "--fresh", str(marks)]) == 0
    again = capsys.readouterr().out
    assert again.count("\n   body      - ") == 5
    assert not any(f". {one}\n" in again for one in ids)
    assert cli.main([*arguments, "--fresh", str(tmp_path / "missing.jsonl")]) != 0


def test_a_judge_who_marks_a_pair_twice_counts_once_by_the_last_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p-a.jsonl"
    first = [
        Mark(CONFIG, "1", "a", "bad", "odd", similarity="0.2", grammar="1"),
        Mark(CONFIG, "2", "a", "bad", "no"),
    ]
    later = [
        Mark(CONFIG, "1", "a", "good", similarity="0.8", grammar="5"),
        Mark(CONFIG, "1", "b", "bad", "why"),
    ]
    path.write_text("".join(review.line(mark) + "\n" for mark in (*first, *later)))
    assert cli.main(["research", "review", "--stats", str(path), str(path), "--json"]) == 0
    stated = json.loads(capsys.readouterr().out)
    assert stated["judged"] == [
        {"config": CONFIG, "judge": "a", "good": 1, "bad": 1},
        {"config": CONFIG, "judge": "b", "good": 0, "bad": 1},
    ]
    (rated,) = stated["ratings"]
    assert (rated["pairs"], rated["same_equation"], rated["similarity"], rated["grammar"]) == (
        1,
        1.0,
        0.8,
        5.0,
    )
    assert cli.main(["research", "review", "--stats", str(path), str(path)]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("bad ")]
    assert [line.split()[2:] for line in said] == [["2", "no"], ["1", "why"]]


def test_the_last_word_on_one_thing_leaves_the_others() -> None:
    rated = Mark("c", "1", "a", "bad", "odd", similarity="0.2", grammar="1")
    answer = Mark("c", "1", "a", "", answer="42")
    assert review.last_words(
        [rated, answer, rated._replace(verdict="good", reason="", similarity="", grammar="")]
    ) == [
        answer,
        rated._replace(verdict="good", reason=""),
    ]


def test_the_page_is_written(tmp_path: Path) -> None:
    assert cli.main(["research", "review", CONFIG, "-n", "4", "--html", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<section") == 4


def test_suspects_come_worst_first() -> None:
    rows = [
        Row(Problem(name, text, ""), Problem(name, "Amy has 3 pens.", ""))
        for name, text in (("a", "Amy has 3 pens now."), ("b", "Has pens 3 Amy."), ("c", "Amy owns 3 pens."))
    ]
    likely = {"Amy has 3 pens.": -1.0, "Amy has 3 pens now.": -1.5, "Has pens 3 Amy.": -4.0}

    def score(texts: Sequence[str]) -> list[float]:
        return [likely.get(text, -2.0) for text in texts]

    found = review.suspects(rows, score)
    assert [row.problem.id for _, row in found] == ["b", "c", "a"]
    assert [lost for lost, _ in found] == [3.0, 1.0, 0.5]
    with pytest.raises(DncError, match="one each"):
        review.suspects(rows, lambda texts: [0.0])


def test_an_unknown_scorer_is_an_error_that_names_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["research", "review", "tiny-order-attack", "--suspects", "none_such"]) != 0
    assert "no scorer 'none_such'" in capsys.readouterr().err


def test_the_adversarial_form_asks_three_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = tmp_path / "marks.jsonl"
    typed = iter(["g", "2", ".9", "5", "b", "other sum", "0.5", "3", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    words = ["research", "review", CONFIG, "--marks", str(marks), "--form", "adversarial", "--judge", "ana"]
    assert cli.main(words) == 0
    assert "similarity is a number from 0 to 1" in capsys.readouterr().out
    found = review.read_marks(marks)
    assert [(m.verdict, m.similarity, m.grammar) for m in found] == [
        ("good", "0.9", "5"),
        ("bad", "0.5", "3"),
    ]
    assert cli.main(["research", "review", "--stats", str(marks)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "same equation 50.0% of the marks on 2 pairs, similarity 0.70 (0 to 1), grammar 4.00 (1 to 5)" in said
    )
    marks.write_text(review.line(found[0]._replace(grammar="7")))
    with pytest.raises(DncError, match="grammar is a number from 1 to 5"):
        review.read_marks(marks)


def test_a_person_answers_without_the_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = tmp_path / "answers.jsonl"
    rows = catalogue.find(CONFIG).rows({"test": catalogue.read("tiny")["test"]})["test"]
    gold = {row.problem.text: row.problem.answer for row in rows}
    shown: list[str] = []
    monkeypatch.setattr(
        "dnc_metrics.commands.review._show", lambda row, title, form: shown.append(row.problem.text)
    )
    typed = iter([True, True, False, None])

    def answer(_: str) -> str:
        right = next(typed)
        return "q" if right is None else f"I think {gold[shown[-1]]}" if right else "-1"

    monkeypatch.setattr("builtins.input", answer)
    assert cli.main(["research", "review", CONFIG, "--answer", "--marks", str(marks), "--judge", "ana"]) == 0
    assert "ana answers tiny-verbosity-attack: 2 of 3 right, 66.7%" in " ".join(
        capsys.readouterr().out.split()
    )
    page = tmp_path / "page.html"
    assert cli.main(["research", "review", CONFIG, "--answer", "--html", str(page), "-n", "3"]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<th>question</th>" in text
    assert "<th>answer</th>" not in text
    assert "<th>equation</th>" not in text


JUDGED_CONFIG = "tiny-type-attack"


def _marks(table: str, config: str = "c") -> list[Mark]:
    """One word a judge, one letter a pair: g good, b bad, - none."""
    words = {"g": "good", "b": "bad"}
    return [
        Mark(config, str(pair), f"judge{judge}", words[letter])
        for judge, word in enumerate(table.split())
        for pair, letter in enumerate(word)
        if letter != "-"
    ]


def test_fleiss_kappa_is_that_of_the_textbook() -> None:
    # Three judges, four pairs: P = (1 + 1/3 + 1/3 + 1) / 4, both verdicts given six times of twelve.
    assert judges.fleiss(_marks("ggbb ggbb gbgb"))[1] == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert judges.fleiss(_marks("gg gg gg")) == (2, None)
    assert judges.fleiss(_marks("gb")) == (0, None)
    assert judges.fleiss(_marks("gb gb"))[1] == pytest.approx(1.0)


def test_a_majority_needs_three_judges_and_more_than_half() -> None:
    found = judges.majority(_marks("ggb- gbb- bgbg gb--"))
    assert found == {("c", "0"): "good", ("c", "1"): "none", ("c", "2"): "bad"}
    assert judges.majority(_marks("g"), least=1) == {("c", "0"): "good"}
    twice = [*_marks("b"), Mark("c", "0", "judge0", "good")]
    assert judges.majority(twice, least=1) == {("c", "0"): "good"}, "a judge's last word counts"


def test_rows_judged_valid_are_scored_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = catalogue.find(JUDGED_CONFIG).rows({"test": catalogue.read("tiny")["test"]})["test"]
    changed = [row.problem for row in rows if row.original is not None]
    valid = {problem.id for problem in changed[::4]}
    # Right on every valid row and on no other.
    said = {row.problem.id: row.problem.answer if row.problem.id in valid else "no idea" for row in rows}
    predictions = tmp_path / "said.jsonl"
    predictions.write_text(
        "".join(json.dumps({"id": key, "output": text}) + "\n" for key, text in said.items())
    )
    marks = tmp_path / "marks.jsonl"
    given = [Mark(JUDGED_CONFIG, one.id, "ana", "good" if one.id in valid else "bad") for one in changed]
    marks.write_text("".join(review.line(mark) + "\n" for mark in given))
    words = ["score", str(predictions), "--config", JUDGED_CONFIG, "--out", str(tmp_path / "out"), "--marks"]
    assert cli.main([*words, str(marks)]) == 0
    stated = capsys.readouterr().out
    assert f"judged valid: 100.0 % of {len(valid)} [" in stated
    ((record, outcomes),) = report.load([tmp_path / "out"])
    every, good, drawn = judges.parts(record, outcomes, given)
    assert every.rows == len(changed)
    assert good.rows == drawn.rows == len(valid)
    assert drawn.right < drawn.rows, "a random sample holds rows that were called bad"
    assert "more rows" not in judges.summary(record, outcomes, given)
    fewer = [one for one in outcomes if one.id != changed[0].id]
    assert judges.summary(record, fewer, given).endswith("1 more rows were judged valid and not scored")
    with pytest.raises(DncError, match="no perturbed row was scored"):
        judges.parts(record, outcomes, [Mark("tiny-noise-attack", "x", "ana", "good")])
    assert cli.main([*words, str(tmp_path / "none.jsonl")]) == 1
    assert "there is no file of marks" in capsys.readouterr().err
