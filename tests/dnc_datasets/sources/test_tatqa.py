"""TATQA-a: derivations become equations, operands are linked, and the table perturbations hold."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets import expression, operand_links, perturbations, sources
from dnc_datasets.errors import SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row, perturb
from dnc_datasets.sources.formats.table_scale import UNKNOWN, table_scale
from dnc_datasets.sources.tatqa_a import derive

DNC = "microsoft/NumberDiagnosis/b646a7179b4619dadfae009a4e68a562394c8ad9/data/dataset/tatqa-a"
CASES = json.loads((Path(__file__).parent / "equation_cases.json").read_text(encoding="utf-8"))["derivations"]
Splits = dict[str, list[Problem]]


@pytest.fixture(scope="module")
def folder(mirror: Path, standin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tatqa")
    (made / "trainset.json").symlink_to(standin / "tatqa-a" / "trainset.json")
    for name in ("validset.json", "testset.json"):
        (made / name).symlink_to(mirror / DNC / name)
    return made


@pytest.fixture(scope="module")
def everything(folder: Path) -> Splits:
    return catalogue.read("tatqa_a_all", given=folder)


@pytest.fixture(scope="module")
def splits(everything: Splits) -> Splits:
    return {
        name: [row for row in rows if row.note("type") == "arithmetic"] for name, rows in everything.items()
    }


@pytest.mark.parametrize("case", CASES, ids=[case["derivation"] for case in CASES])
def test_derivations(case: dict[str, str]) -> None:
    derived = derive(case["derivation"], Fraction(case["answer"]), case["scale"])
    assert derived is not None
    assert derived.agrees
    assert derived.equation.infix() == case["equation"]


def test_derivation_that_gives_another_answer_is_marked() -> None:
    derived = derive("(3.52+4.73)/2", Fraction("4.12"), "")
    assert derived is not None
    assert not derived.agrees
    assert derive("see note", Fraction(1), "") is None


def test_sizes(everything: Splits, splits: Splits, folder: Path) -> None:
    for name in ("validation", "test"):
        assert len({row.note("context") for row in everything[name]}) == 248
        assert len(everything[name]) == 1489
    assert len(splits["test"]) == 625
    assert splits == catalogue.read("tatqa_a", given=folder)
    ids = [row.id for rows in everything.values() for row in rows]
    assert len(ids) == len(set(ids))


def test_derivations_give_the_answers_but_for_the_errata(splits: Splits) -> None:
    rows = splits["validation"] + splits["test"]
    wrong = {row.id for row in rows if not row.equation or row.expected_answer() != row.answer}
    listed = {erratum.row for erratum in sources.get("tatqa_a").errata} - {"*"}
    assert wrong == listed == {row.id for row in rows if row.note("defect")}


def test_links_lead_to_the_operands(splits: Splits) -> None:
    linked = total = 0
    for row in splits["validation"] + splits["test"]:
        operands = operand_links.operand_values(expression.parse(row.equation))
        known = operand_links.stored(row)
        assert list(known) == operands
        total += 1
        linked += operand_links.AMBIGUOUS not in known.values()
        for value, link in known.items():
            if "." in link:
                place = operand_links.locate(row, link)
                assert place is not None
                assert place.value == value
                assert row.text_at(place.field)[place.start : place.end] == place.text
    assert linked / total > 0.95


def made(problems: list[Problem], name: str) -> list[Row]:
    """The rows that were changed; a broken promise is an error."""
    steps = perturbations.recipe(name, "table")
    neighbours = Neighbours(problems)
    given = {"scope": ("body", "question")}
    rows = [
        perturb(row, steps, dataset="tatqa_a", neighbours=neighbours, parameters=given) for row in problems
    ]
    return [row for row in rows if row.original is not None]


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("logic", 0.59),
        ("order", 0.5),
        ("noise", 0.5),
        ("distribution", 0.6),
        ("language", 0.6),
        ("type", 0.3),
        ("verbosity", 0.4),
        ("extra", 0.9),
    ],
)
def test_certificates_hold(splits: Splits, name: str, share: float) -> None:
    assert len(made(splits["test"], name)) >= share * len(splits["test"])


@pytest.mark.parametrize("name", ["language_plausible", "type", "verbosity_plausible"])
def test_cells_can_be_in_scope_and_years_of_headings_stay(splits: Splits, name: str) -> None:
    step = perturbations.recipe(name, "table")
    changed = 0
    for problem in splits["test"][::5]:
        row = perturb(problem, step, dataset="tatqa_a", parameters={"scope": ("table",)})
        changed += row.original is not None
        assert row.problem.body == problem.body
        for old, new in zip(problem.table, row.problem.table, strict=True):
            for before, after in zip(old, new, strict=True):
                if before in ("2017", "2018", "2019") or not any(char.isdigit() for char in before):
                    assert after == before
    assert changed > 60


@pytest.mark.parametrize("name", ["language_table", "type_table", "verbosity_table"])
def test_configs_with_cells(splits: Splits, name: str) -> None:
    variant = catalogue.find(f"tatqa_a-{name}-attack")
    rows = [row for row in variant.rows({"test": splits["test"][::5]})["test"] if row.original is not None]
    assert len(rows) > 80
    for row in rows:
        assert row.original is not None
        assert row.certificate == variant.steps[0].promises
        assert row.problem.table[0] == row.original.table[0]
    assert any(row.problem.table != row.original.table for row in rows if row.original)
    # No parameter can take the cells out again: the name says what is in scope.
    assert "scope" not in variant.steps[0].parameters


CONTEXT = {
    "table": {
        "uid": "t",
        "table": [["", "2019", "2018"], ["Sales", "$1,200", "1,000"], ["Costs", "(300)", "250"]],
    },
    "paragraphs": [
        {"order": 1, "text": "In thousands."},
        {"order": 2, "text": "We opened 4 shops."},
    ],
    "questions": [
        {
            "uid": "q",
            "order": 1,
            "question": "What was the change in sales from 2018 to 2019?",
            "answer": 200,
            "derivation": "1,200-1,000",
            "answer_type": "arithmetic",
            "scale": "thousand",
        }
    ],
}


@pytest.fixture
def sales() -> Problem:
    from dnc_datasets.sources.tatqa_a import read_context

    (problem,) = read_context(CONTEXT)
    return problem


def test_operands_are_linked_by_value_without_a_mapping(sales: Problem) -> None:
    assert operand_links.stored(sales) == {Fraction(1200): "table.1.1", Fraction(1000): "table.1.2"}
    assert sales.unit == "thousand"


def test_noise_changes_cell_equation_and_answer(sales: Problem) -> None:
    (row,) = made([sales], "noise")
    assert row.problem.table[1][1].startswith("$1,200.")
    assert row.problem.table[2] == sales.table[2]
    assert row.problem.answer == row.problem.expected_answer() != "200"


def test_noise_keeps_rows_whose_operand_stands_twice(sales: Problem) -> None:
    assert made([sales.replace(body="Sales were 1,000 in 2018.")], "noise") == []


def test_logic_turns_question_and_equation(sales: Problem) -> None:
    from dnc_datasets.perturbations.table_logic import rewrites

    asked = {rewrite.question: (rewrite.equation.infix(), rewrite.unit) for rewrite in rewrites(sales)}
    assert asked == {
        "What was the percentage change in sales from 2018 to 2019?": (
            "(1200 - 1000) / 1000 * 100",
            "percent",
        ),
        "What was the sum of sales in 2018 and 2019?": ("1200 + 1000", "thousand"),
        "What was the average of sales in 2018 and 2019?": ("(1200 + 1000) / 2", "thousand"),
    }


def test_order_moves_rows_and_links(sales: Problem) -> None:
    (row,) = made([sales], "order")
    found = operand_links.stored(row.problem)
    assert found.keys() == operand_links.stored(sales).keys()
    place = operand_links.locate(row.problem, found[Fraction(1200)])
    assert place is not None
    assert place.value == 1200
    assert row.problem.table[0] == sales.table[0]


@pytest.mark.parametrize(
    ("equation", "fixed"),
    [
        ("(7 + 9) / 2", {2}),
        ("(7 - 2) / 2 * 100", {100}),
        ("7 / 9 - 1", {1}),
        ("7 - 1", set()),
        ("(7 + 8 + 9) / 3", {3}),
    ],
)
def test_constants(equation: str, fixed: set[int]) -> None:
    assert operand_links.constants(expression.parse(equation)) == fixed


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    for name in ("trainset", "validset", "testset"):
        (tmp_path / f"{name}.json").write_text('[{"table": {}, "paragraphs": [], "questions": []}]')
    with pytest.raises(SourceError, match="context 1 is not as TAT-QA writes it"):
        catalogue.read("tatqa_a", given=tmp_path)


@pytest.mark.parametrize(
    ("heads", "body", "asked", "scale"),
    [
        (["", "2019 $’000"], "", set(), "thousand"),
        (["(In thousands)", "2019"], "", {"thousand", ""}, "thousand"),
        (["", "£m"], "", set(), "million"),
        (["USDm", "2019"], "", {"million"}, "million"),
        (["SEK billion", "2019"], "", set(), "billion"),
        (["", "2019"], "Amounts are as follows (in millions, except per share data):", set(), "million"),
        (["", "2019"], "We raised $5 million.", {"thousand"}, "thousand"),
        (["", "2019"], "We raised $5 million.", set(), ""),
        (["", "2019"], "", {""}, ""),
        (["", "2019"], "", {"thousand", ""}, UNKNOWN),
        (["£m", "2019"], "", {"thousand"}, UNKNOWN),
        (["£m", "in thousands"], "", set(), UNKNOWN),
        (["£m", "in thousands"], "", {"million"}, "million"),
    ],
)
def test_scale(heads: list[str], body: str, asked: set[str], scale: str) -> None:
    assert table_scale([heads, ["Sales", "5"]], body, asked) == scale
