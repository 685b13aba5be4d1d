"""What conversations promise: an earlier answer that changes changes wherever an equation uses it."""

from __future__ import annotations

import json

from dnc_datasets import perturbations
from dnc_datasets.certificate.dialogues import history_follows
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem, Turn


def _told(bag: int, half: int, left: str, equation: str) -> Problem:
    turns = [{"equation": f"{bag} / 2", "type": "arithmetic", "segments": []}]
    return Problem(
        "1",
        "",
        "How many nuts are left in the bag?",
        segments=(f"A bag holds {bag} nuts.", "Omar eats half of them."),
        history=(Turn("How many nuts does Omar eat?", str(half)),),
        equation=equation,
        answer=left,
        meta=(("turns", json.dumps(turns)),),
    )


ORIGINAL = _told(50, 25, "25", "50 - 25")


def test_an_answer_that_stayed_in_the_equation_is_found() -> None:
    assert history_follows(ORIGINAL, ORIGINAL)
    assert history_follows(_told(50, 25, "100", "50 * 2"), _told(30, 15, "60", "30 * 2"))
    assert not history_follows(ORIGINAL, _told(30, 15, "5", "30 - 25"))


def test_where_an_equation_holds_an_earlier_answer_nothing_moves() -> None:
    for name in ("noise", "noise_plausible"):
        step = perturbations.get(name, "dialogue")
        assert step.apply(ORIGINAL, Draw(0, "d", "1", name)) is None
        assert step.apply(_told(50, 25, "90", "50 + 40"), Draw(0, "d", "1", name)) is not None
