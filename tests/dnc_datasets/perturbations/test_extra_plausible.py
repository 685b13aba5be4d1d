"""Statements that a report borrows: which ones, how evenly they are drawn, and where they are put."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from dnc_datasets import operand_links, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.perturbations.statements import neighbours
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.perturbations.statements.places import after_complete, at_end, with_statement
from dnc_datasets.perturbations.statements.topics import common, topic
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import Row, perturb

STEPS = perturbations.recipe("extra_plausible", "table")
BODY = "Larch Mills grinds oats and pays rent to the owners of its barns."
TABLE = (
    ("(in thousands)", "2019", "2018"),
    ("Interest expense", "7", "5"),
    ("Corn sales", "8", "4"),
    ("Total", "15", "9"),
)


def problem(question: str, body: str = BODY) -> Problem:
    return Problem("1", body, question, table=TABLE, equation="8 - 4", answer="4")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Taxes", "the total tax in 2019"),
        ("liability", "liabilities"),
        ("losses", "the loss of the company"),
        ("net sales", "total revenues"),
        ("R&D costs", "R&D expenses"),
        ("shares", "the stock"),
    ],
)
def test_words_that_mean_the_same(first: str, second: str) -> None:
    assert words(first) == words(second) != frozenset()


def test_words_in_many_reports_tell_none_apart() -> None:
    reports = [frozenset(("lease", f"name{number}", f"group{number // 2}")) for number in range(40)]
    assert common(reports) == {"lease"}
    assert common(reversed(reports)) == {"lease"}
    # A word of a few among very many is no common one, and two reports are too few to tell.
    assert common([*reports[:3], *[frozenset(("tax",))] * 97]) == {"tax"}
    assert common(reports[:2]) == frozenset()


@pytest.mark.parametrize(
    ("statement", "fits"),
    [
        ("Severance payments were $93 million.", True),
        ("Our lease liabilities totaled $93 million.", True),
        # what is asked for, under another word as well
        ("Revenues from barges were $93 million.", False),
        ("The corn was worth $93 million.", False),
        # a line of the table, whole; a word of one that all reports share is nothing
        ("Our interest expense increased by $93 million.", False),
        ("Lease expenses were $93 million.", True),
        # what only this report speaks of
        ("Larch Trading had 93 barges.", False),
        ("Barns were bought for $93 million.", False),
    ],
)
def test_a_statement_keeps_away_from_what_is_asked_and_shown(statement: str, fits: bool) -> None:
    about = topic(
        problem("What was the change in corn sales from 2018 to 2019?"), words("expense lease interest")
    )
    assert about.is_left_alone_by(words(statement)) is fits


def made(problems: list[Problem], neighbours: Neighbours) -> dict[str, Row]:
    steps = perturbations.recipe("extra", "table")
    return {one.id: perturb(one, steps, dataset="d", neighbours=neighbours) for one in problems}


def test_statements_are_drawn_evenly_and_in_any_order_of_rows() -> None:
    """Reports with the same words all over, each with a statement on a thing of its own."""
    names = ("barge", "kiln", "tram", "dock", "crane", "ferry", "silo", "loom", "forge", "press")
    problems = []
    for number in range(60):
        own = f"{names[number % 10]}{chr(97 + number // 10)}"
        body = (
            f"The company paid ${100 + number} million in cash for a {own}.\n\nThe expenses are as follows:"
        )
        table = (("", "2019", "2018"), (f"Cost of the {own}", f"{1000 + number}", f"{3000 + number}"))
        problems.append(
            Problem(str(number), body, f"What did the {own} add in 2019?", table=table, answer="1")
        )
    rows = made(problems, Neighbours(problems))
    assert rows == dict(reversed(made(problems[::-1], Neighbours(problems)).items()))
    borrowed = Counter(
        next(line for line in row.problem.body.split("\n\n") if line not in one.body)
        for one, row in zip(problems, rows.values(), strict=True)
    )
    assert borrowed.total() == 60
    assert len(borrowed) > 30
    assert max(borrowed.values()) < 6


_PROBLEMS = [
    Problem(str(number), f"A shop sells {number} red kites in May. A barn holds {number + 500} cows.", "")
    for number in range(2, 60)
]


def _texts(pool: Neighbours) -> list[str]:
    return [statement.text for statement in pool.statements]


@pytest.mark.parametrize("most", [10, 1000])
def test_the_pool_is_bounded_and_the_same_in_any_order(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", most)
    found = _texts(Neighbours(_PROBLEMS, seed=1, dataset="d"))
    assert len(found) == min(most, 2 * len(_PROBLEMS))
    assert found == _texts(Neighbours(reversed(_PROBLEMS), seed=1, dataset="d"))
    assert found == _texts(Neighbours([*_PROBLEMS[::2], *_PROBLEMS[1::2], *_PROBLEMS], seed=1, dataset="d"))


def test_the_pool_of_the_whole_is_among_those_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that parts of a split can be looked at apart."""
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", 10)
    whole = _texts(Neighbours(_PROBLEMS))
    parts = {text for at in range(3) for text in _texts(Neighbours(_PROBLEMS[at::3]))}
    assert set(whole) <= parts


def test_another_seed_and_another_dataset_have_another_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_MAX_STATEMENTS", 10)
    pools = [
        Neighbours(_PROBLEMS),
        Neighbours(_PROBLEMS, seed=1),
        Neighbours(_PROBLEMS, dataset="other"),
    ]
    assert len({tuple(_texts(pool)) for pool in pools}) == 3


def test_what_was_seen_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_MAX_SEEN", 3)
    assert set(_texts(Neighbours(_PROBLEMS * 2))) == set(_texts(Neighbours(_PROBLEMS)))


def test_shared_words_come_from_a_bounded_number_of_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [
        Problem(str(n), f"Barges are leased. Item{n} is not.", "", table=(("", "2019"), ("Rent", f"{n}")))
        for n in range(40)
    ]
    assert Neighbours(reports).common_words >= {"barg", "rent", "leas"}
    monkeypatch.setattr(neighbours, "_MAX_REPORTS", 5)
    some = Neighbours(reports).common_words
    assert some >= {"barg", "rent", "leas"}
    assert some == Neighbours(reports[::-1]).common_words


def test_a_conversation_lends_the_sentence_that_says_what_it_is_about() -> None:
    stated = Problem(
        "1", "", "How many?", segments=("A school has 9 classes. It is old.", "Each class has 16 pupils.")
    )
    assert [one.text for one in Neighbours([stated]).statements] == ["A school has 9 classes."]


MILLS = (("", "2019", "2018"), ("Mills", "7", "5"))
ADDED = "Barge rents were $88 million."


def report(*paragraphs: str, **fields: str) -> Problem:
    return Problem("1", "\n\n".join(paragraphs), "How many mills?", table=MILLS, answer="7", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["We own mills.", "Each mill is old and small."], ["We own mills.", "Each mill is old and small.", ADDED]),
        # a sentence that leads to the table stays beside it
        (
            ["We own mills in two towns.", "The mills are as follows:"],
            [f"We own mills in two towns. {ADDED}", "The mills are as follows:"],
        ),
        (
            ["We own mills in two towns. The following table counts them (in units)."],
            [f"We own mills in two towns. {ADDED} The following table counts them (in units)."],
        ),
        # and with it what joins on to the sentence before
        (
            ["Our mills grind corn and oats. We own two of them. These are shown below:"],
            [f"Our mills grind corn and oats. {ADDED} We own two of them. These are shown below:"],
        ),
        (
            ["Our mills grind corn and oats. We own two old mills. The sizes of these mills are as follows:"],
            [f"Our mills grind corn and oats. {ADDED} We own two old mills. The sizes of these mills are as follows:"],
        ),
        # no heading is parted from its text, and "Note 12." is no sentence
        (["Note 12. Mills", "The mills are as follows:"], ["Note 12. Mills", ADDED, "The mills are as follows:"]),
        (
            ["Mills", "The following table counts our mills (in units)"],
            ["Mills", ADDED, "The following table counts our mills (in units)"],
        ),
        (["7. MILLS:", "The mills of ours consist of:"], ["7. MILLS:", ADDED, "The mills of ours consist of:"]),
        (["Our mills are older than most.", "Barns"], [f"Our mills are older than most. {ADDED}", "Barns"]),
        # the table above has been read already
        (
            ["The mills of the table above were bought by us."],
            ["The mills of the table above were bought by us.", ADDED],
        ),
    ],
)  # fmt: skip
def test_a_report_reads_on_to_its_table(before: list[str], after: list[str]) -> None:
    problem = report(*before)
    made = with_statement(problem, ADDED)
    assert made is not None
    assert made.body.split("\n\n") == after
    certify(problem, made, perturbations.get("extra_plausible", "table"))


@pytest.mark.parametrize("link", ["body.0.0", "body.0.1", "body.1.0"])
def test_links_still_lead_to_their_operands(link: str) -> None:
    problem = report(
        "We bought 31 mills in three towns. The following table has 42 of them.",
        "The other 53 mills are as follows:",
        meta=(("operands", f'{{"9": "{link}"}}'),),  # type: ignore[arg-type]
    )
    made = with_statement(problem, ADDED)
    assert made is not None
    found, moved = operand_links.locate(problem, link), operand_links.locate(made, link)
    assert found is not None
    assert moved is not None
    assert found.value == moved.value


def test_a_report_takes_no_sentence_of_another_company() -> None:
    table = (("", "Fiscal Year Ended March 31,", ""), ("", "2019", "2018"), ("Dividends paid", "$52", "$54"))
    one = Problem("1", "16. Affiliates are described below.", "What was the change?", table=table, answer="2")
    other = Problem("2", "Larch Lines leased 31 barges from Alder in May.", "?", table=MILLS, answer="7")
    row = perturb(one, STEPS, dataset="d", neighbours=Neighbours([other] * 3))
    assert "Larch" not in row.problem.body


FINQA_BODY = (
    "larch mills grinds 24000 tons of oats per year in its barns . it also pays rent to the owners of these barns . "
    "the owners of the mill live in a small town . 2019 annual report 61 ."
)


def in_thousands(body: str, seed: int = 0) -> str:
    """The text of a report in thousands after the change; its own text where no statement is sure to fit."""
    one = problem("What was the change in corn sales?", body).replace(meta=(("table_scale", "thousand"),))
    made = perturbations.get("extra_plausible", "table").function(
        one, Draw(seed, "d", "1", "extra"), Neighbours([])
    )
    return body if made is None else made.body


def test_a_statement_follows_the_manner_of_tokenised_text() -> None:
    for seed in range(20):
        before = f"{FINQA_BODY} sales were $ 7 in 2019 . ."
        body = in_thousands(before, seed)
        assert body != before
        assert body == body.lower()
        assert not re.search(r"\d,\d", body)
        assert not re.search(r"\$\d", body)


@pytest.mark.parametrize(
    ("paragraphs", "place"),
    [
        (["We own mills that grind oats.", "They are old and small mills."], 2),
        (["We own mills that grind oats.", "The mills are as follows:"], None),
        (["We own mills that grind oats.", "(1) Includes the mill at Larch."], 1),
        (["We own mills that grind oats.", "In tons. (1) Without those at Larch.", "(2) In pounds."], 1),
        (["We own mills that grind oats.", "These are leased from their owners , and"], None),
        (["The mills are as follows:"], None),
        (["mills and barns of the company 2019 annual report 61 ."], None),
    ],
)
def test_a_statement_is_a_paragraph_after_the_last_complete_one(
    paragraphs: list[str], place: int | None
) -> None:
    made = at_end(report(*paragraphs), ADDED)
    if place is None:
        assert made is None
    else:
        assert made is not None
        assert made.body.split("\n\n") == [*paragraphs[:place], ADDED, *paragraphs[place:]]


@pytest.mark.parametrize(
    ("paragraphs", "place"),
    [
        (
            [
                "We own mills that grind oats. They are as old as the town itself.",
                "Our mills are as follows:",
            ],
            0,
        ),
        # before a new subject, and never between two paragraphs of one
        (
            [
                "We own mills that grind oats.",
                "Barges carry coal along the canal.",
                "The barges are as follows:",
            ],
            1,
        ),
        (
            [
                "1 Mills of old",
                "We own mills that grind oats.",
                "Our mills grind oats by night.",
                "They are as follows:",
            ],
            0,
        ),
        # after prose, before the notes of the table
        (["We own mills that grind oats.", "(1) Includes the mill at Larch."], 1),
        # before all, where nothing of the text is complete but its opening
        (["Our mills are as follows:"], 0),
        (["10. Mills", "Our mills are as follows:", "(1) Includes the barns"], 0),
        (["NOTES TO THE FINANCIAL STATEMENTS", "Our mills are as follows:"], None),
        (["ITEM 5 MILLS", "Our mills are as follows:"], None),
        (["(in thousands)", "Our mills are as follows:"], None),
        (["these mills are as follows:"], None),
        (["These mills are as follows:"], None),
    ],
)
def test_a_statement_follows_prose_where_the_end_leads_to_a_table(
    paragraphs: list[str], place: int | None
) -> None:
    made = after_complete(report(*paragraphs), ADDED)
    if place is None:
        assert made is None
    else:
        assert made is not None
        assert made.body.split("\n\n") == [*paragraphs[:place], ADDED, *paragraphs[place:]]


@pytest.mark.parametrize(
    ("paragraphs", "made"),
    [
        # complete: a full stop of the text and one of its form
        (
            ["the mills grind oats of the county .", "the barns were let to the owners of the farms. ."],
            [
                "the mills grind oats of the county .",
                "the barns were let to the owners of the farms. .",
                "{added}",
            ],
        ),
        # cut off, and of something else
        (
            ["larch mills grinds oats in its barns . the rents of a town were paid to the ."],
            ["larch mills grinds oats in its barns . {added} the rents of a town were paid to the ."],
        ),
        (["larch mills grinds oats in its barns . the barns were let to the ."], None),
        # a footer
        (
            ["larch mills grinds oats in its barns . larch mills 2019 annual report 61 ."],
            ["larch mills grinds oats in its barns . {added} larch mills 2019 annual report 61 ."],
        ),
        # the rest of a sentence that its form has cut in two, and a heading of a page
        (
            [
                "larch mills grinds oats in its barns under rule no . 144 , the rents of a town were let to the ."
            ],
            None,
        ),
        (["notes to consolidated financial statements the mills are as follows : ."], None),
        # in a quotation, or in the middle of a text
        (
            ["larch mills spoke of 201cthe mills and barns of old . 201d the barns were let to the ."],
            None,
        ),
        (["mills and the barns are as follows : ."], None),
    ],
)
def test_a_statement_joins_tokenised_text_where_a_sentence_is_complete(
    paragraphs: list[str], made: list[str] | None
) -> None:
    added = "barge rents were $ 88 million ."
    problem = after_complete(report(*paragraphs), added)
    if made is None:
        assert problem is None
    else:
        assert problem is not None
        assert problem.body.split("\n\n") == [part.format(added=added) for part in made]


def test_a_statement_ends_the_paragraph_before_a_heading() -> None:
    made = after_complete(
        report("We own old mills in two towns.", "2. Barns", "Barns are as follows:"), ADDED
    )
    assert made is not None
    assert made.body.split("\n\n") == [
        f"We own old mills in two towns. {ADDED}",
        "2. Barns",
        "Barns are as follows:",
    ]


def test_what_the_source_cites_keeps_its_place() -> None:
    prose = "We own 31 mills. They are old and small mills."
    one = report(prose, "Our 42 barns are as follows:").replace(evidence=("body.1",))
    assert after_complete(one, ADDED) is None


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("The Group grinds oats. We let barns to the Group.", "The Group"),
        ("We grind oats. Our barns are old. The Company lets them.", "We"),
        ("The Corporation grinds oats.", "The Corporation"),
        ("The company of Larch grinds oats.", "The Company"),
    ],
)
def test_a_statement_calls_the_company_as_the_report_mostly_does(body: str, subject: str) -> None:
    texts = [in_thousands(body, seed).replace(body, "") for seed in range(30)]
    subjects = {
        name
        for name in ("We", "The Group", "The Company", "The Corporation")
        for text in texts
        if re.search(rf"\b{name}\b", text, re.IGNORECASE)
    }
    assert subjects == {subject}


def test_a_statement_names_no_line_of_the_table() -> None:
    for seed in range(20):
        assert "nterest expense" not in in_thousands(f"{BODY} Sales rose to $7 thousand.", seed)


@pytest.mark.parametrize(
    ("body", "signs"),
    [
        ("Rent of the barns was £4 million.", {"£"}),
        # in the manner of the report, whose amounts are in thousands
        ("Rent of the barns was £4,200.", set()),
        ("Rent of the barns was RMB4,200 thousand.", set()),
        ("Rent of the barns was $4 or €3 thousand.", set()),
    ],
)
def test_a_statement_is_in_the_currency_of_the_report(body: str, signs: set[str]) -> None:
    texts = [in_thousands(f"{BODY} {body}", seed) for seed in range(20)]
    assert {sign for text in texts for sign in "$£€" if text.count(sign) > body.count(sign)} == signs


def test_statements_of_reports_differ() -> None:
    added = {in_thousands(BODY, seed).split("\n\n")[-1] for seed in range(40)}
    assert len(added) > 30
    assert len({re.sub(r"[\d,.]+", "", text) for text in added}) > 25
