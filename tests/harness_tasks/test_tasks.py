"""The task files are those of the catalogue, and lm-eval reads them all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from dnc_datasets import cli
from dnc_datasets.errors import OutputError
from dnc_datasets.serving import catalogue
from dnc_harness import listing, task_files, tasks_path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("DNC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_folder_of_tasks_is_written_once(cache: Path) -> None:
    first = tasks_path()
    assert first.is_relative_to(cache)
    before = (first / "_direct").stat().st_mtime_ns
    assert tasks_path() == first
    assert (first / "_direct").stat().st_mtime_ns == before
    assert [path.name for path in first.parent.iterdir()] == [first.name], "no temporary folder is left"


def test_a_missing_or_changed_file_of_the_folder_is_written_again(cache: Path) -> None:
    task, base = tasks_path() / "tiny" / "dnc_tiny_original.yaml", tasks_path() / "_cot"
    expected = task.read_text(), base.read_text()
    task.unlink()
    base.write_text("task: changed\n")
    tasks_path()
    assert (task.read_text(), base.read_text()) == expected


def test_a_read_only_cache_falls_back_to_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder can be made below a file")
    monkeypatch.setenv("DNC_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tasks_path()
    assert (folder / "tiny" / "dnc_tiny_original.yaml").is_file()
    assert folder.parent == tmp_path / f"dnc-tasks-{os.getuid()}"
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert tasks_path() == folder


def test_a_temporary_folder_that_others_can_write_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder can be made below a file")
    monkeypatch.setenv("DNC_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    open_to_all = tmp_path / f"dnc-tasks-{os.getuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    assert not tasks_path().is_relative_to(open_to_all)


def test_write_updates_a_folder_and_keeps_other_files(tmp_path: Path) -> None:
    count = task_files.write(tmp_path)
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == count
    stale = tmp_path / "tiny" / "dnc_tiny_gone.yaml"
    stale.write_text((tmp_path / "tiny" / "dnc_tiny_original.yaml").read_text())
    own = tmp_path / "tiny" / "mine.yaml"
    own.write_text("task: mine\n")
    assert task_files.write(tmp_path) == count
    assert not stale.exists()
    assert own.read_text() == "task: mine\n"


def test_write_does_not_replace_a_file_that_it_did_not_write(tmp_path: Path) -> None:
    (tmp_path / "_direct").write_text("mine\n")
    with pytest.raises(OutputError, match="_direct"):
        task_files.write(tmp_path)
    assert (tmp_path / "_direct").read_text() == "mine\n"


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
    leaves = [leaf for member in groups["dnc"] for leaf in groups.get(member, [member])]
    assert sorted(leaves) == sorted(t.name for t in listing.tasks() if t.prompt == listing.DIRECT)


def test_capability_groups_hold_the_originals_that_their_tasks_are_compared_with() -> None:
    members = listing.groups()["dnc_number_detection"]
    assert {"dnc_tiny_original", "dnc_tiny_language_plausible_attack"} <= set(members)
    assert "dnc_tiny_language_attack" not in members
    assert len(members) == len(set(members))


def test_forms_as_published_have_a_group_of_their_own() -> None:
    groups = listing.groups()
    plain = {
        f"dnc_tiny_{name}_attack" for name in ("language", "noise", "distribution", "verbosity", "extra")
    }
    assert set(groups["dnc_tiny_published"]) == plain | {"dnc_tiny_original"}
    assert plain.isdisjoint(groups["dnc_tiny"])


@pytest.mark.parametrize("dataset", ["tiny"])
def test_a_defense_has_the_test_rows_of_the_attack(dataset: str) -> None:
    """The reason why defenses are asked for the answer only."""
    test = {"test": catalogue.read(dataset)["test"]}
    for variant in catalogue.variants(dataset):
        if variant.setting == "attack":
            defense = catalogue.find(variant.name.replace("-attack", "-defense"))
            assert variant.rows(test) == defense.rows(test)


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tasks", "--path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == tasks_path()
    assert cli.main(["tasks"]) == 0
    assert "dnc_tiny_original_cot" in capsys.readouterr().out.split()
    assert cli.main(["tasks", "--groups"]) == 0
    assert "dnc_probe" in capsys.readouterr().out.split()
    assert cli.main(["tasks", "--write", str(tmp_path / "tasks")]) == 0
    assert f"files in {tmp_path / 'tasks'}" in capsys.readouterr().out
    assert (tmp_path / "tasks" / "groups" / "dnc.yaml").is_file()
