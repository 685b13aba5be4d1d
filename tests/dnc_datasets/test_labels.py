"""Labels are counted, and a threshold that gives answers away is noticed."""

from dnc_datasets.labels import labels


def _row(at: int, question: str, answer: str) -> dict[str, str]:
    return {"id": str(at), "body": "Tom had 20 pens.", "question": question, "answer": answer}


def test_a_threshold_that_tells_is_noticed() -> None:
    telling = [_row(at, f"Has he more than {at} pens?", "yes" if at < 50 else "no") for at in range(100)]
    found = labels(telling)
    assert found is not None
    assert (found.yes, found.no, found.p) == (50, 50, 1.0)
    assert found.threshold.share is not None
    assert found.threshold.share > 0.9
    fair = [_row(at, f"Has he more than {at % 7} pens?", "yes" if at % 2 else "no") for at in range(200)]
    found = labels(fair)
    assert found is not None
    assert found.threshold.share is not None
    assert found.threshold.share < 0.65
    assert found.largest == (100, 200)


def test_rows_without_yes_or_no_give_nothing() -> None:
    assert labels([_row(1, "How many?", "5")]) is None


def test_an_uneven_coin_is_unlikely() -> None:
    found = labels([_row(at, "Has he more than 3 pens?", "no") for at in range(20)])
    assert found is not None
    assert found.p < 1e-5
