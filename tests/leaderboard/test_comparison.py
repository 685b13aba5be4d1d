"""Two systems on the same rows: as sure as a diagnosis of one, and silent where no drop can be stated."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.cli import main
from dnc_leaderboard import comparison, page
from dnc_leaderboard.comparison import DROP, ORIGINAL, PERTURBED, Difference
from dnc_leaderboard.report import with_unique_names
from dnc_metrics import verdict_words, verdicts
from dnc_metrics.record import Cell, Outcome, Provenance, Record, System, write

ROWS, CLUSTERS = 60, 15
YES = {"answer type": "bool"}
Systems = list[tuple[Record, list[Outcome]]]


def _cell(config: str, perturbation: str) -> Cell:
    setting, capability = ("attack", "operation_reasoning") if perturbation else ("", "")
    place = (config, "my_own", "", perturbation, setting, capability)
    return Cell(*place, "direct", "answer_lenient", ROWS, ROWS, 0, {}, {})


def _system(name: str, right: Mapping[str, Sequence[bool]]) -> tuple[Record, list[Outcome]]:
    """A system with these outcomes on `my_own` and on perturbed configs of it."""
    cells, rows = [], []
    for perturbation, outcomes in right.items():
        cell = _cell(f"my_own-{perturbation}-attack" if perturbation else "my_own", perturbation)
        cells.append(cell)
        for at, one in enumerate(outcomes):
            labels = YES if perturbation == "append_bool" else {}
            status = "right" if one else "wrong"
            made = Outcome(cell.key, str(at), one, status, perturbed=bool(perturbation), labels=labels)
            rows.append(Outcome(**{**vars(made), "cluster": f"template {at % CLUSTERS}"}))
    return Record(System(name, "predictions"), Provenance("dnc score", "0"), tuple(cells)), rows


ALL, NONE = [True] * ROWS, [False] * ROWS


def _compared(
    one: Mapping[str, Sequence[bool]], other: Mapping[str, Sequence[bool]]
) -> dict[tuple[str, str], Difference]:
    found = comparison.compare([_system("one", one), _system("other", other)])
    return {(line.config, line.measure): line for line in found}


def test_no_drop_is_compared_where_the_type_of_answer_changed() -> None:
    found = _compared({"": ALL, "append_bool": NONE}, {"": ALL, "append_bool": ALL})
    assert found["my_own-append_bool-attack", PERTURBED].verdict == "other is better"
    for config in ("my_own-append_bool-attack", "my_own-operation_reasoning-attack"):
        line = found[config, DROP]
        assert (line.n, line.difference, line.verdict) == (0, None, "another type of answer")
    # Of a capability, the rows of the others count.
    found = _compared(
        {"": ALL, "append_bool": NONE, "order": NONE}, {"": ALL, "append_bool": ALL, "order": ALL}
    )
    assert found["my_own-operation_reasoning-attack", DROP].n == ROWS


def test_prompts_are_compared_apart_and_told_where_there_are_several() -> None:
    systems = []
    for name, outcomes in (("one", {"": ALL, "order": NONE}), ("other", {"": ALL, "order": ALL})):
        found, rows = _system(name, outcomes)
        aloud = [dataclasses.replace(cell, prompt="cot") for cell in found.cells]
        again = [
            dataclasses.replace(row, cell=row.cell.replace("|direct", "|cot"), right=True) for row in rows
        ]
        systems.append((dataclasses.replace(found, cells=(*found.cells, *aloud)), [*rows, *again]))
    lines = comparison.compare(systems)
    drops = {title: line.difference for title, line in comparison.titled(lines) if line.measure == DROP}
    assert drops == {
        "my_own-order-attack (direct)": 1.0,
        "my_own-order-attack (cot)": 0.0,
        "my_own-operation_reasoning-attack (direct)": 1.0,
        "my_own-operation_reasoning-attack (cot)": 0.0,
    }
    alone = [line for line in lines if line.prompt == "cot"]
    assert {title for title, _ in comparison.titled(alone)} == {line.config for line in alone}


def test_it_is_as_sure_as_a_diagnosis() -> None:
    some = [at % CLUSTERS > 3 for at in range(ROWS)]
    found = _compared({"": ALL, "order": some}, {"": some, "order": some})
    clusters = [at % CLUSTERS for at in range(ROWS)]
    for place, (before, after) in {
        ("my_own", ORIGINAL): (ALL, some),
        ("my_own-order-attack", PERTURBED): (some, some),
        ("my_own-order-attack", DROP): (ALL, some),
    }.items():
        sample = verdicts.sample([was - now for was, now in zip(before, after, strict=True)], clusters)
        line = found[place]
        assert line.difference == pytest.approx(sample.drop)
        assert line.interval == pytest.approx(verdicts.interval(sample, 0.05 / 2))
        assert line.smallest == pytest.approx(verdict_words.smallest_drop(sample, 2))


@pytest.mark.parametrize("after", [ALL, NONE])
def test_rows_that_are_all_alike_are_no_certainty(after: list[bool]) -> None:
    found = _compared({"": ALL, "order": ALL}, {"": ALL, "order": after})
    for line in found.values():
        assert line.interval is not None
        assert line.smallest is not None
        low, high = line.interval
        assert -1 <= low < high <= 1
        # Fifteen clusters of rows that are all alike tell as much as fifteen rows, and the two columns agree on it.
        assert high - low > 0.3
        assert line.smallest > 0.2


def test_one_may_lose_what_the_other_gains() -> None:
    found = _compared({"": ALL, "order": NONE}, {"": NONE, "order": ALL})
    line = found["my_own-order-attack", DROP]
    assert line.difference == 2
    assert line.interval is not None
    assert line.interval[0] < line.interval[1] == 2
    assert line.verdict == "other is better"


def test_names_stand_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "other"):
        write(*_system(name, {"": ALL, "change_last": ALL}), tmp_path / name)
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "other"), "--details"]) == 0
    shown = capsys.readouterr().out
    assert "my_own-change_last-attack" in shown.replace("\n", "").replace(" ", "")
    assert "my own" not in shown


def test_one_table_and_a_sentence_for_each_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = [at % CLUSTERS > 7 for at in range(ROWS)]
    for name, after in (("steady", ALL), ("broken", NONE), ("hasty", some)):
        write(*_system(name, {"": ALL, "order": after, "logic": after}), tmp_path / name)
    assert main(["compare", *(str(tmp_path / name) for name in ("steady", "broken", "hasty"))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("originals in %" in line for line in lines) == 1
    (row,) = [line.split() for line in lines if line.strip().startswith("operation reasoning")]
    assert row[2:] == ["my_own-attack", "0.0", "100.0", "53.3"]
    text = " ".join(" ".join(lines).split())
    for worse in ("broken", "hasty"):
        assert f"steady loses less accuracy than {worse} where operation reasoning (" in text
    assert "broken against hasty: no difference is shown in operation reasoning" in text, (
        "seven templates differ"
    )
    assert text.count("on the originals of my_own, no difference is shown (0.0 points).") == 3


def test_a_row_that_two_perturbations_share_is_compared_once() -> None:
    systems = []
    for name, after in (("one", ALL), ("other", NONE)):
        found, rows = _system(name, {"": ALL, "order": after, "change_order": after})
        rows = [dataclasses.replace(row, digest=f"text {row.id}") if row.perturbed else row for row in rows]
        systems.append((found, rows))
    pooled = next(line for line in comparison.compare(systems) if line.capability)
    assert pooled.n == ROWS


def test_rows_that_were_hardly_reworded_are_in_no_drop() -> None:
    systems = []
    for name, after in (("one", ALL), ("other", NONE)):
        found, rows = _system(name, {"": ALL, "order": after, "paraphrase": ALL})
        weak = {"strength": "weak"}
        rows = [dataclasses.replace(row, labels=weak) if "paraphrase" in row.cell else row for row in rows]
        systems.append((found, rows))
    pooled = next(line for line in comparison.compare(systems) if line.capability)
    assert (pooled.n, pooled.one, pooled.other) == (ROWS, 0.0, 1.0)


def test_a_probe_is_no_part_of_the_conclusion() -> None:
    systems = []
    for name, after in (("one", ALL), ("other", NONE)):
        found, rows = _system(name, {"": ALL, "no_question": after})
        cells = [
            dataclasses.replace(cell, capability="probe") if cell.perturbation else cell
            for cell in found.cells
        ]
        systems.append((dataclasses.replace(found, cells=tuple(cells)), rows))
    found = comparison.compare(systems)
    assert comparison.sentences(found) == [
        "one against other: on the originals of my_own, no difference is shown (0.0 points)."
    ]


def _with(system: tuple[Record, list[Outcome]], **settings: Any) -> tuple[Record, list[Outcome]]:
    record, outcomes = system
    return replace(record, made=replace(record.made, settings=settings)), outcomes


def test_settings_that_differ_stand_behind_the_name(systems: Systems) -> None:
    first, second = (
        _with(systems[0], lr=rate, batch=16, epoch=epoch) for rate, epoch in ((0.1, 3), (0.2, 5))
    )
    name = first[0].system.name
    made = with_unique_names([first, second])
    assert [record.system.name for record, _ in made] == [f"{name} (lr=0.1)", f"{name} (lr=0.2)"]
    shown = page.page(made)
    assert "(lr=0.1)" in shown
    assert "(lr=0.2)" in shown


def test_parts_of_one_system_keep_its_name(systems: Systems) -> None:
    assert with_unique_names([systems[0], systems[0]]) == [systems[0], systems[0]]
    record, outcomes = systems[0]
    parts = [(replace(record, cells=(cell,)), outcomes) for cell in record.cells[:2]]
    assert with_unique_names(parts) == parts
    assert with_unique_names(systems[:2]) == systems[:2]
