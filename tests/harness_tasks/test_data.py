"""Rows reach lm-eval from a built folder or from the embedded corpus, paired under a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.serving import catalogue, checksums, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.content import Columns
from dnc_harness import data, listing
from dnc_harness.errors import HarnessError, MissingDataError


def test_a_limit_takes_the_same_ids_from_every_variant() -> None:
    whole = [doc["id"] for doc in data.splits("tiny")["test"]]
    chosen = [doc["id"] for doc in data.splits("tiny", dnc_limit=7)["test"]]
    assert len(chosen) == 7
    assert chosen == [row for row in whole if row in set(chosen)], "rows keep their order"
    assert chosen != whole[:7]
    for variant in catalogue.variants("tiny"):
        found = data.splits(variant.name, dnc_limit=7)["test"]
        if variant.setting == "contrast":
            assert {doc["original_id"] for doc in found} <= set(chosen)
            assert all(doc["id"].startswith(f"{doc['original_id']}#") for doc in found)
        else:
            assert [doc["id"] for doc in found] == chosen


@given(st.sets(st.text(max_size=5), min_size=1), st.integers(1, 40), st.integers(1, 40))
def test_a_larger_limit_keeps_what_a_smaller_one_chose(ids: set[str], some: int, more: int) -> None:
    docs = [{"id": row} for row in sorted(ids)]
    few = data.limited(docs, "tiny", some)
    assert len(few) == min(some, len(docs))
    assert all(doc in data.limited(docs, "tiny", some + more) for doc in few)


def test_a_built_folder_gives_the_rows_that_are_made_without_one(tmp_path: Path) -> None:
    made = data.splits("tiny-extra-attack")
    build(["tiny-extra-attack"], tmp_path / "built")
    read = data.splits("tiny-extra-attack", dnc_data=str(tmp_path / "built"))
    assert read == made
    assert data.provenance(catalogue.find("tiny-extra-attack"), tmp_path / "built")["sha256"]


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data.folder() == Path("dnc")
    monkeypatch.setenv(data.FOLDER_VARIABLE, str(tmp_path))
    assert data.folder() == tmp_path
    assert data.folder("other") == Path("other")


@pytest.mark.parametrize(
    ("dataset", "asked", "left_out"),
    [
        ("tiny_passages", 327, 0),
        ("tiny_tables", 332, 0),
        ("tiny_dialogues", 21, 6),
        ("tiny_dialogues_zh", 7, 4),
    ],
)
def test_equations_are_asked_of_the_rows_that_have_one(dataset: str, asked: int, left_out: int) -> None:
    """The same rows in every variant, or pairs would be lost."""
    whole = data.splits(dataset)["test"]
    ids = [doc["id"] for doc in whole if doc["equation"]]
    assert (len(ids), len(whole) - len(ids)) == (asked, left_out)
    for variant in catalogue.variants(dataset):
        if any(step.asks_yes_no for step in variant.steps) or variant.setting == "contrast":
            continue
        found = data.equation_splits(variant.name)
        assert [doc["id"] for doc in found["test"]] == ids
        assert all(doc["equation"] for doc in found["fewshot"])
        assert data.left_out(variant, Path("dnc"), listing.EQUATION) == left_out
    few = data.equation_splits(dataset, dnc_limit=5)["test"]
    assert len(few) == 5
    assert all(doc["id"] in ids for doc in few)


def test_an_equation_that_does_not_give_the_answer_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = data.test_records(catalogue.find("tiny"), Path("dnc"))
    monkeypatch.setattr(data, "test_records", lambda *_: [{**first, "equation": "1 + 1"}, *others])
    assert first["answer"] != "2"
    assert first["id"] not in {doc["id"] for doc in data.equation_splits("tiny")["test"]}
    assert len(data.equation_splits("tiny")["test"]) == len(others)


def test_a_config_without_equations_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    first = data.test_records(catalogue.find("tiny"), Path("dnc"))[0]
    monkeypatch.setattr(data, "test_records", lambda *_: [{**first, "equation": ""}])
    with pytest.raises(HarnessError, match="no row of drop_num has an equation"):
        data.equation_splits("drop_num")


def test_a_missing_dataset_names_the_command_that_provides_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"`dnc build asdiv_a` provides"):
        data.splits("asdiv_a-noise-attack")
    with pytest.raises(MissingDataError, match=rf"`dnc build asdiv_a --out {tmp_path}/x` provides"):
        data.splits("asdiv_a", dnc_data=str(tmp_path / "x"))


def test_a_folder_of_another_version_is_not_used(tmp_path: Path) -> None:
    build(["tiny"], tmp_path / "built")
    path = tmp_path / "built" / "checksums.json"
    found = json.loads(path.read_text())
    path.write_text(json.dumps({**found, "version": "0.0.0", "configs": {"svamp": found["configs"]["tiny"]}}))
    with pytest.raises(MissingDataError, match=r"built by version 0\.0\.0.*`dnc build svamp"):
        data.splits("svamp", dnc_data=str(tmp_path / "built"))


def test_real_rows_of_every_shape_have_what_prompts_need(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    build(["svamp", "svamp-noise-attack"], Path("dnc"))
    original, perturbed = (
        data.splits(name, dnc_limit=30)["test"] for name in ("svamp", "svamp-noise-attack")
    )
    assert [doc["id"] for doc in original] == [doc["id"] for doc in perturbed]
    assert not any(doc["perturbed"] for doc in original)
    assert any(doc["perturbed"] for doc in perturbed)


def test_the_rows_that_were_read_are_hashed_and_others_are_not_scored(tmp_path: Path) -> None:
    variant, built = catalogue.find("tiny_tables"), tmp_path / "own"
    build(["tiny_tables"], built)
    genuine = data.provenance(variant, built)["sha256"]
    records = data.test_records(variant, built)
    assert genuine == rows.digest({"test": records})
    path = built / "tiny_tables" / "test.parquet"
    rows.write([{**record, "answer": "42"} for record in records], path)
    with pytest.raises(HarnessError, match=r"does not hold the rows that checksums\.json names"):
        data.splits("tiny_tables", dnc_data=str(built))
    # Somebody who changes the checksum as well gets another one into the results.
    hashed = Columns()
    hashed.begin("test")
    changed = rows.digest({"test": rows.read(path, hashed.add)})
    said = built / "checksums.json"
    before = checksums.read(built).configs["tiny_tables"].splits["test"].content
    said.write_text(said.read_text().replace(before, hashed.end()), encoding="utf-8")
    data.splits("tiny_tables", dnc_data=str(built))
    assert data.provenance(variant, built)["sha256"] == changed != genuine
    path.write_bytes(b"")
    with pytest.raises(HarnessError, match="cannot be read"):
        data.splits("tiny_tables", dnc_data=str(built))


def test_a_contrast_set_is_never_empty_for_a_limit() -> None:
    for limit in range(1, 12):
        assert data.splits("tiny_passages-bpb-contrast", dnc_limit=limit)["test"]
