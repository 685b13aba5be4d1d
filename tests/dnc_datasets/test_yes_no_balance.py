"""Labels are counted, and a threshold that gives answers away is noticed."""

import json
from pathlib import Path

import pytest

from dnc_datasets.errors import BuildError
from dnc_datasets.serving import catalogue, checksums, verify
from dnc_datasets.serving.build import build
from dnc_datasets.serving.rows import to_record
from dnc_datasets.yes_no_balance import labels


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


def test_the_card_of_a_build_counts_yes_and_no_and_verify_recounts(tmp_path: Path) -> None:
    folder = tmp_path / "dnc"
    build(["tiny_tables-append_bool-defense", "tiny_tables"], folder)
    found = checksums.read(folder).configs
    stated = found["tiny_tables-append_bool-defense"].labels
    variant = catalogue.find("tiny_tables-append_bool-defense")
    rows = [
        to_record(row, variant)
        for split in variant.rows(catalogue.read("tiny_tables")).values()
        for row in split
    ]
    assert stated == labels(rows)
    assert stated is not None
    assert f"| {stated.yes} | {stated.no} | {stated.p:.2g} |" in (folder / "README.md").read_text(
        encoding="utf-8"
    )
    assert found["tiny_tables"].labels is None
    assert verify.verify(folder).failures == []
    changed = json.loads((folder / checksums.FILE_NAME).read_text(encoding="utf-8"))
    changed["configs"][variant.name]["labels"][0] += 1
    (folder / checksums.FILE_NAME).write_text(json.dumps(changed), encoding="utf-8")
    assert "yes and no" in verify.verify(folder).failures[0].reason
    changed["configs"][variant.name]["labels"] = "many"
    (folder / checksums.FILE_NAME).write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(BuildError, match="damaged"):
        checksums.read(folder)
