"""Black-box attacks on scripted models: they find every flip there is, and none where there is none."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dnc_datasets import cli, numerals
from dnc_datasets.attack import models, search, transformation
from dnc_datasets.attack.attempt import Settings
from dnc_datasets.attack.goal import PARAPHRASE, holds, is_right
from dnc_datasets.attack.run import attack
from dnc_datasets.attack.transformation import Space, space
from dnc_datasets.certificate import CHECKS
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.paraphrases import Paraphrase
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.serving import catalogue


def _problem(number: int, end: str) -> Problem:
    body = f"Mona has {number} stamps. Omar gave {number + 7} stamps to Mona."
    question = f"How many stamps does Mona have{end}?"
    return Problem(
        f"p-{number}", body, question, equation=f"{number} + {number + 7}", answer=str(2 * number + 7)
    )


PROBLEMS = [_problem(10 * n, end) for n, end in enumerate((" in total", " in all", "", " total", " left"), 1)]
# Only these can be said with "altogether".
TOTALS = {"p-10", "p-20"}


class Scripted:
    """Right unless the text contains a word; counts what it is asked."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[str]:
        self.asked += texts
        return ["I do not know" if self.word in text else _answer(text) for text in texts]


def _answer(text: str) -> str:
    return next(f"The answer is {p.answer}." for p in PROBLEMS if f" {p.id[2:]} " in text)


@pytest.mark.parametrize("name", search.NAMES)
def test_every_flip_is_found_and_nothing_else(name: str) -> None:
    model = Scripted("altogether")
    report = attack(PROBLEMS, model, Settings("own", "scripted", search=name))
    assert {outcome.id for outcome in report.outcomes if outcome.flipped} == TOTALS
    assert len(model.asked) == len(set(model.asked)) == report.figures()["queries"]
    for problem, outcome in zip(PROBLEMS, report.outcomes, strict=True):
        if outcome.adversarial is not None:
            made = from_row(outcome.adversarial)
            assert "altogether" in made.text
            assert made.id == problem.id
            assert holds(problem, made, PARAPHRASE)


def test_all_that_can_be_flipped_of_a_hundred_problems_is() -> None:
    problems = [p for p in catalogue.read("tiny")["train"] if "altogether" not in p.text][:100]
    right = {frozenset(q.value for q in p.quantities()): p.answer for p in problems}
    problems = [p for p in problems if right[frozenset(q.value for q in p.quantities())] == p.answer]

    def model(texts: Sequence[str]) -> list[str]:
        values = (frozenset(quantity.value for quantity in numerals.find(text)) for text in texts)
        known = [right[value] for value in values]
        return ["no idea" if "altogether" in text else it for text, it in zip(texts, known, strict=True)]

    reachable = set()
    for problem in problems:
        forms = space(problem)
        for choice in itertools.product(*map(range, forms.sizes)):
            row = forms.build(choice)
            if row and "altogether" in row.problem.text and holds(problem, row.problem):
                reachable.add(problem.id)
    assert len(problems) > 50
    assert reachable
    report = attack(problems, model, Settings("tiny", "scripted"))
    assert all(outcome.right for outcome in report.outcomes)
    assert {outcome.id for outcome in report.outcomes if outcome.flipped} == reachable


@pytest.mark.parametrize("name", search.NAMES)
def test_a_model_that_never_errs_is_not_flipped(name: str) -> None:
    report = attack(PROBLEMS, Scripted("no such word"), Settings("own", "scripted", search=name))
    figures = report.figures()
    assert figures["flipped"] == 0
    assert figures["queries_per_success"] is None
    assert figures["accuracy_under_attack"] == figures["accuracy"] == 1


def test_full_search_asks_the_whole_space_once() -> None:
    model = Scripted("no such word")
    forms = space(PROBLEMS[0], most=7)
    attack(PROBLEMS[:1], model, Settings("own", "scripted", budget=10**6))
    sizes = forms.sizes
    total = 1
    for size in sizes:
        total *= size
    assert len(model.asked) == total


def test_the_budget_holds() -> None:
    model = Scripted("no such word")
    report = attack(PROBLEMS, model, Settings("own", "scripted", budget=5))
    assert all(outcome.queries <= 5 for outcome in report.outcomes)


def test_what_was_wrong_is_not_attacked() -> None:
    report = attack(PROBLEMS, lambda texts: ["0"] * len(texts), Settings("own", "zero"))
    assert all(not outcome.right and outcome.queries == 1 for outcome in report.outcomes)


def test_stacked_recipes_are_tried_and_may_not_change_the_answer() -> None:
    model = Scripted(".0 ")
    report = attack(PROBLEMS, model, Settings("own", "scripted", recipes=("type",)))
    assert all(outcome.flipped for outcome in report.outcomes)
    for recipe in ("noise", "type+logic", "no_question"):
        with pytest.raises(DncError, match="changes the answer or takes the question away"):
            Settings("own", "scripted", recipes=(recipe,))


def test_a_row_names_the_checks_that_hold_for_it() -> None:
    report = attack(PROBLEMS, Scripted("altogether"), Settings("own", "scripted"))
    assert {tuple(o.certificate) for o in report.outcomes if o.flipped} == {PARAPHRASE}
    # A denied number is one more, and where the words are changed too, the rest is not the original.
    denied = attack(PROBLEMS, Scripted("not "), Settings("own", "scripted", recipes=("verbosity",)))
    assert all(outcome.flipped for outcome in denied.outcomes)
    for problem, outcome in zip(PROBLEMS, denied.outcomes, strict=True):
        assert {"target_kept", "distractors_new"} <= set(outcome.certificate)
        assert "values_permuted" not in outcome.certificate
        made = from_row(outcome.adversarial or {})
        assert all(CHECKS[name](problem, made) for name in outcome.certificate)


def test_greedy_goes_on_from_a_form_that_is_possible() -> None:
    forms = space(PROBLEMS[0], most=7)
    turns = search.greedy(forms, Draw(0, "own", "p-10", "attack"))
    first = next(turns)
    second = turns.send([])  # none of the first slot's forms kept the constraints
    assert all(sum(map(bool, choice)) == 1 for choice in (*first, *second))
    third = search.greedy(forms, Draw(0, "own", "p-10", "attack"))
    assert next(third) == first
    assert all(sum(map(bool, choice)) == 2 for choice in third.send(first))


def test_a_used_budget_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    build = Space.build
    monkeypatch.setattr(Space, "build", lambda self, choice: built.append(choice) or build(self, choice))
    attack(PROBLEMS[:1], Scripted("no such word"), Settings("own", "scripted", budget=2))
    assert 0 < len(built) <= 8


def test_problems_share_queries() -> None:
    sizes: list[int] = []

    def model(texts: Sequence[str]) -> list[str]:
        sizes.append(len(texts))
        return [_answer(text) for text in texts]

    attack(PROBLEMS, model, Settings("own", "scripted"))
    assert sizes[0] == len(PROBLEMS)
    assert max(sizes) > 16


def test_an_attack_resumes_and_repeats(tmp_path: Path) -> None:
    settings = Settings("own", "scripted", seed=4)
    first = attack(PROBLEMS, Scripted("altogether"), settings, tmp_path)
    before = (tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    # As if the process had been killed in the middle of the third problem.
    (tmp_path / "journal.jsonl").write_text("\n".join([*before[:3], before[3][:20]]), encoding="utf-8")
    model = Scripted("altogether")
    again = attack(PROBLEMS, model, settings, tmp_path)
    assert again.outcomes == first.outcomes
    assert not any(" 10 " in text or " 20 " in text for text in model.asked)
    for other in (Settings("own", "scripted", seed=5), Settings("own", "scripted", seed=4, split="train")):
        with pytest.raises(DncError, match="another attack"):
            attack(PROBLEMS, model, other, tmp_path)


def test_the_adversarial_set_loads_as_a_dataset(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    attack(PROBLEMS, Scripted("altogether"), Settings("own", "scripted"), tmp_path / "out")
    loaded = datasets.load_dataset(
        str(tmp_path / "out"), "adversarial", split="test", cache_dir=str(tmp_path / "cache")
    )
    assert loaded["id"] == [problem.id for problem in PROBLEMS]
    assert [row["id"] for row in loaded if row["perturbed"]] == [p.id for p in PROBLEMS if p.id in TOTALS]
    assert loaded["answer"] == [problem.answer for problem in PROBLEMS]


def test_goal_reads_the_last_number_exactly() -> None:
    problem = PROBLEMS[0]
    assert is_right(problem, "10 + 17 = 27")
    assert is_right(problem, "27.0")
    assert not is_right(problem, "27 is wrong, it is 28")
    assert not is_right(problem, "none")


def test_models_and_searches_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "own_model.py").write_text("def answer(texts):\n    return ['1'] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert models.load("own_model:answer")(["a", "b"]) == ["1", "1"]
    for wrong in (
        "own_model",
        "own_model:none",
        "no_such_module:answer",
        ":",
        "solver:",
        "solver:no_such_folder",
    ):
        with pytest.raises(DncError):
            models.load(wrong)
    with pytest.raises(DncError, match="1 answers to 2 texts"):
        models.ask(lambda texts: ["1"], ["a", "b"], "short")
    with pytest.raises(UnknownNameError):
        search.get("fll")


def test_an_lm_eval_backend_answers(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    assert models.load("lm_eval:dummy:")(["a", "b"]) == ["lol", "lol"]


def test_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "zero.py").write_text("def answer(texts):\n    return ['0'] * len(texts)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert (
        cli.main(
            ["research", "attack", "tiny", "--model", "zero:answer", "--out", "out", "-n", "3", "--json"]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["problems"] == 3
    assert (tmp_path / "out" / "report.json").exists()


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        (["tiny-type-attack"], "--with type"),
        (["tiny_tables"], "word problems"),
        (["tiny", "--budget", "0"], "budget is 0"),
        (["tiny", "-m", "-1"], "most is -1"),
        (["tiny", "--with", "noise"], "changes the answer"),
    ],
)
def test_the_command_refuses(words: list[str], stated: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["research", "attack", *words, "--model", "any:thing", "--out", "never"]) == 1
    assert stated in capsys.readouterr().err
    assert not Path("never").exists()


def test_no_paraphrase_where_none_is_asked_for() -> None:
    problem = Problem(
        "1",
        "Pinky made 147 pies and Helen made 56.",
        "How many pies do they have?",
        equation="147 + 56",
        answer="203",
    )
    assert any(len(slot) > 1 for slot in space(problem, most=1).slots)
    assert all(len(slot) == 1 for slot in space(problem, most=0).slots)


def test_spacy_refuses_a_paraphrase_that_gives_a_number_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sentences name the same people and count plums: the rules see no difference."""
    from dnc_datasets.second_reader import frames

    assert frames.is_available(), "the extra `test` installs spaCy's pipeline"
    body = "Amy bought 3 plums from Ben."
    candidates = ["Amy got 3 plums from Ben.", "Ben bought 3 plums from Amy."]
    monkeypatch.setattr(
        transformation,
        "choose",
        lambda part, most, model: [Paraphrase(text, ()) for text in candidates] if part == body else [],
    )
    problem = Problem("p", body, "How many plums does Amy have?", equation="3", answer="3")
    assert space(problem, model="hf:a-model").slots[0] == (body, candidates[0])
    assert space(problem).slots[0] == (body, *candidates)
    assert transformation.head_filter("hf:a-model") == "rules and spaCy"
    assert transformation.head_filter("") == "rules"
