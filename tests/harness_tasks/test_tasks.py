"""The checked-in task files are those of the catalogue, and lm-eval reads them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from dnc_datasets import cli
from dnc_datasets.serving import catalogue
from dnc_harness import generate, listing, tasks_path


def test_checked_in_files_are_in_step_with_the_catalogue() -> None:
    assert generate.differences() == [], "run `dnc tasks --write` and commit what it writes"


def test_a_missing_a_changed_and_a_left_over_file_are_noticed_and_mended(tmp_path: Path) -> None:
    generate.write(tmp_path)
    assert generate.differences(tmp_path) == []
    (tmp_path / "tiny" / "dnc_tiny_original.yaml").unlink()
    (tmp_path / "_cot").write_text("task: changed\n")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "dnc_gone.yaml").write_text("task: dnc_gone\n")
    assert generate.differences(tmp_path) == [
        "missing: tiny/dnc_tiny_original.yaml",
        "left over: gone/dnc_gone.yaml",
        "changed: _cot",
    ]
    generate.write(tmp_path)
    assert generate.differences(tmp_path) == []
    assert not (tmp_path / "gone").exists()


def test_every_config_has_a_task_and_names_are_unique() -> None:
    tasks = listing.tasks()
    direct = [task.variant.name for task in tasks if task.prompt == listing.DIRECT]
    asked = [one for one in catalogue.variants() if one.recipe or one.source.asked]
    assert sorted(direct) == sorted(variant.name for variant in asked)
    names = [task.name for task in tasks] + list(listing.groups())
    assert len(names) == len(set(names))
    for name in ("asdiv_a_verbosity_attack", "tiny_passages_original", "tatqa_a_noise_attack"):
        assert f"dnc_{name}_equation" in names
    assert "dnc_drop_num_original_equation" not in names, "DROP has no equations"


def test_lm_eval_finds_every_task_group_and_tag() -> None:
    manager = TaskManager(include_path=str(tasks_path()), include_defaults=False)
    tasks = listing.tasks()
    assert set(manager.all_subtasks) == {task.name for task in tasks}
    assert set(manager.all_groups) == set(listing.groups())
    assert set(manager.all_tags) == {task.tag for task in tasks if task.tag}


def test_the_group_dnc_holds_every_config_once() -> None:
    groups = listing.groups()
    leaves = [leaf for member in groups["dnc"] for leaf in groups[member]]
    assert sorted(leaves) == sorted(t.name for t in listing.tasks() if t.prompt == listing.DIRECT)


def test_capability_groups_hold_the_originals_that_their_tasks_are_compared_with() -> None:
    members = listing.groups()["dnc_number_detection"]
    assert {"dnc_tiny_original", "dnc_tiny_language_attack"} <= set(members)
    assert len(members) == len(set(members))


@pytest.mark.parametrize("dataset", ["tiny"])
def test_a_defense_has_the_test_rows_of_the_attack(dataset: str) -> None:
    """The reason why defenses are asked for the answer only."""
    test = {"test": catalogue.read(dataset)["test"]}
    for variant in catalogue.variants(dataset):
        if variant.setting == "attack":
            defense = catalogue.find(variant.name.replace("-attack", "-defense"))
            assert variant.rows(test) == defense.rows(test)


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tasks-path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == tasks_path()
    assert cli.main(["tasks"]) == 0
    assert "dnc_tiny_original_cot" in capsys.readouterr().out.split()
    assert cli.main(["tasks", "--groups"]) == 0
    assert "dnc_probe" in capsys.readouterr().out.split()
    assert cli.main(["tasks", "--check"]) == 0
