"""A build gives the same bytes in any way it is run, and leaves nothing half-made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dnc_datasets import atomic, folder_update
from dnc_datasets.errors import BuildError, OutputError, SourceError, UnknownNameError
from dnc_datasets.serving import catalogue, checksums, content, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.verify import verify

CONFIGS = ("tiny", "tiny-type-attack", "tiny-extra-attack")
SCRIPT = """
import multiprocessing, sys
from pathlib import Path
from dnc_datasets.serving.build import build

def tell(config):
    print(config, *(child.pid for child in multiprocessing.active_children()), flush=True)

if __name__ == "__main__":
    out, jobs, *configs = sys.argv[1:]
    build(configs, Path(out), jobs=int(jobs), progress=tell)
"""


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_same_bytes_in_any_order_with_any_jobs_and_hash_seed(tmp_path: Path, script: Path):
    runs = {"a": ("1", "1", CONFIGS), "b": ("2", "2", CONFIGS[::-1])}
    for name, (hash_seed, jobs, configs) in runs.items():
        command = [sys.executable, str(script), str(tmp_path / name / "dnc"), jobs, *configs]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed})
    for config in CONFIGS:  # one at a time, into the same folder
        build([config], tmp_path / "c" / "dnc")
    first = files(tmp_path / "a" / "dnc")
    assert first == files(tmp_path / "b" / "dnc") == files(tmp_path / "c" / "dnc")
    splits = [f"{config}/{split}.parquet" for config in CONFIGS for split in ("test", "train", "validation")]
    assert sorted(first) == sorted(["README.md", "checksums.json", "eval.yaml", *splits])


def test_another_seed_gives_other_rows(built: Path, tmp_path: Path):
    report = build(["tiny", "tiny-verbosity-attack"], tmp_path / "dnc", seed=1)
    old = checksums.read(built).configs
    assert report.configs["tiny"].sha256 == old["tiny"].sha256
    assert report.configs["tiny-verbosity-attack"].sha256 != old["tiny-verbosity-attack"].sha256


def test_the_folder_holds_the_catalogue_s_rows(built: Path):
    splits = catalogue.read("tiny")
    found = checksums.read(built)
    for name, record in found.configs.items():
        variant = catalogue.find(name)
        stored = {split: rows.read(built / name / f"{split}.parquet") for split in record.splits}
        for split, made in variant.rows(splits).items():
            assert [rows.from_record(line) for line in stored[split]] == made
            assert record.splits[split].rows == len(made)
            assert record.splits[split].perturbed == sum(row.original is not None for row in made)
        tables = {split: rows.to_table(some) for split, some in stored.items()}
        assert content.digest(tables) == record.sha256
    assert found.configs["tiny"].perturbed == 0 < found.configs["tiny-verbosity-attack"].perturbed


def test_a_killed_build_leaves_the_old_folder_and_the_next_one_cleans_up(
    built: Path, tmp_path: Path, script: Path
):
    out = tmp_path / "here" / "dnc"
    build(["tiny"], out)
    before = files(out)
    configs = [variant.name for variant in catalogue.variants("tiny")]
    command = [sys.executable, str(script), str(out), "2", *configs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        _, *workers = process.stdout.readline().split()  # the first config is written
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert len(workers) == 1  # beside the process itself
    assert files(out) == before
    assert (out.parent / ".dnc.building").is_dir()
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline, "workers outlive the build that was killed"
        time.sleep(0.02)
    build(["tiny-type-attack"], out)
    assert os.listdir(out.parent) == ["dnc"]
    assert sorted(checksums.read(out).configs) == ["tiny", "tiny-type-attack"]
    assert (
        before.items() - {(n, before[n]) for n in ("README.md", "checksums.json", "eval.yaml")}
        <= files(out).items()
    )


def is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    status = Path("/proc", pid, "stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_first_build_that_is_killed_leaves_no_folder(tmp_path: Path, script: Path):
    out = tmp_path / "here" / "dnc"
    command = [sys.executable, str(script), str(out), "1", *CONFIGS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert sorted(os.listdir(out.parent)) == [".dnc.building", ".dnc.dnc-lock"]


@pytest.mark.parametrize("moves", [0, 1, 3, 5, 6])
def test_a_kill_while_files_change_places_is_made_good_by_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int
):
    """As if the process had been killed after a number of the moves (three tables, three texts)."""
    out = tmp_path / "dnc"
    write_own_things(out)
    left = [moves]

    def replace(old: os.PathLike[str], new: os.PathLike[str]) -> None:
        if ".building/new/" in str(old):
            if not left[0]:
                raise Killed
            left[0] -= 1
        os.rename(old, new)

    with monkeypatch.context() as patched:
        patched.setattr(atomic.os, "replace", replace)
        try:
            build(["tiny_tables"], out, seed=3)
            killed = False
        except Killed:
            killed = True
    assert killed == (moves < 6)
    assert folder_update.is_half_changed(out) == killed
    if killed:
        assert any("killed while it changed" in failure.reason for failure in verify(out).failures)
    build(["tiny_tables"], out, seed=3)
    monkeypatch.chdir(tmp_path)
    build(["tiny_tables"], Path("undisturbed"), seed=3)
    expected = files(tmp_path / "undisturbed")
    assert {name: text for name, text in files(out).items() if name in expected} == expected
    assert_own_things_stayed(out)
    assert sorted(os.listdir(tmp_path)) == ["dnc", "undisturbed"]


class Killed(BaseException):
    """Simulates SIGKILL."""


OWN = {
    ".git/config": "[core]",
    ".gitattributes": "*.parquet filter=lfs",
    "LICENSE": "mine",
    "notes.md": "mine",
    "figures/a.png": "mine",
    "tiny_tables/notes.md": "mine",
}


def write_own_things(out: Path) -> None:
    """A folder that was built once, and what its publisher put into it since."""
    build(["tiny_tables"], out)
    for name, text in OWN.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")


def assert_own_things_stayed(out: Path) -> None:
    assert {name: (out / name).read_text(encoding="utf-8") for name in OWN} == OWN


@pytest.mark.parametrize("kind", ["relative", "absolute", "through a link", "not JSON", "not a list", "deep"])
def test_a_plan_that_names_files_outside_removes_nothing(tmp_path: Path, kind: str):
    out, thesis = tmp_path / "p" / "dnc", tmp_path / "thesis.txt"
    build(["tiny"], out)
    thesis.write_text("years of work", encoding="utf-8")
    (out / "link").symlink_to(tmp_path)
    plans = {
        "relative": '["../../thesis.txt"]',
        "absolute": json.dumps([str(thesis)]),
        "through a link": '["link/thesis.txt"]',
        "not JSON": '["a',
        "not a list": '{"a": 1}',
        "deep": "[" * 100_000,
    }
    building = folder_update.unfinished_folder(out)
    (building / "new").mkdir(parents=True)
    (building / "plan.json").write_text(plans[kind], encoding="utf-8")
    before = files(out)
    with pytest.raises(OutputError, match="remove it"):
        build(["tiny"], out)
    assert thesis.read_text(encoding="utf-8") == "years of work"
    assert files(out) == before


@pytest.mark.parametrize("linked", [".dnc.building", ".dnc.building/new", ".dnc.building/plan.json"])
def test_links_in_the_place_of_the_working_folder_are_not_followed(tmp_path: Path, linked: str):
    out, own = tmp_path / "p" / "dnc", tmp_path / "own"
    build(["tiny"], out)
    own.mkdir()
    (own / "plan.json").write_text("[]", encoding="utf-8")
    (own / "thesis.txt").write_text("years of work", encoding="utf-8")
    link = out.parent / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(own / "plan.json" if link.name == "plan.json" else own)
    if link.name == "new":
        (link.parent / "plan.json").write_text("[]", encoding="utf-8")
    before = files(out)
    with pytest.raises(OutputError, match="link"):
        build(["tiny"], out)
    assert sorted(os.listdir(own)) == ["plan.json", "thesis.txt"]
    assert files(out) == before


def test_only_what_a_build_wrote_is_touched(tmp_path: Path):
    out = tmp_path / "dnc"
    write_own_things(out)
    inode = (out / ".git" / "config").stat().st_ino
    build(["tiny_tables-type-attack"], out)
    build(["tiny_tables", "tiny_tables-type-attack"], out, seed=2)
    assert_own_things_stayed(out)
    assert (out / ".git" / "config").stat().st_ino == inode
    assert checksums.read(out).seed == 2
    assert os.listdir(tmp_path) == ["dnc"]


def test_a_split_that_is_no_longer_written_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "dnc"
    build(["tiny_tables"], out)
    splits = catalogue.read("tiny_tables")
    monkeypatch.setattr(catalogue, "opened", lambda *_: {"test": splits["test"]})
    build(["tiny_tables"], out)
    assert os.listdir(out / "tiny_tables") == ["test.parquet"]


def test_a_file_that_is_in_the_way_stays(tmp_path: Path):
    out = tmp_path / "dnc"
    build(["tiny_tables"], out)
    before = files(out)
    (out / "tiny_passages").mkdir()
    (out / "tiny_passages" / "test.parquet").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=r"tiny_passages/test\.parquet was not written"):
        build(["tiny_passages"], out)
    (out / "tiny_passages" / "test.parquet").unlink()
    (out / "tiny_passages").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (out / "tiny_passages").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="is a link or a file"):
        build(["tiny_passages"], out)
    assert os.listdir(tmp_path / "elsewhere") == []
    (out / "tiny_passages").unlink()
    assert files(out) == before


def test_a_publisher_s_prose_in_the_card_stays(tmp_path: Path):
    out = tmp_path / "dnc"
    build(["tiny_tables"], out)
    card = out / "README.md"
    plain = card.read_text(encoding="utf-8")
    header, begin, rest = plain.partition("<!--")
    card.write_text(f"{header}Welcome!\n{begin}{rest}\nWrite to us.\n", encoding="utf-8")
    build(["tiny_tables"], out, seed=4)
    text = card.read_text(encoding="utf-8")
    assert "Welcome!\n<!--" in text
    assert text.endswith("\nWrite to us.\n")
    assert "with seed 4" in text
    assert "with seed 0" not in text
    assert verify(out).failures == []


def test_an_error_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DNC_MIRROR", raising=False)
    monkeypatch.setenv("DNC_CACHE", str(tmp_path / "no-cache"))
    out = tmp_path / "here" / "dnc"
    build(["tiny"], out)
    before = files(out)
    with pytest.raises(SourceError, match="dnc fetch asdiv_a"):
        build(["asdiv_a", "tiny-type-attack"], out)
    assert files(out) == before
    assert os.listdir(out.parent) == ["dnc"]


def test_two_builds_of_one_folder_at_once_are_an_error(tmp_path: Path):
    with folder_update.updated_folder(tmp_path / "dnc"), pytest.raises(OutputError, match="another process"):
        build(["tiny"], tmp_path / "dnc")
    assert os.listdir(tmp_path) == ["dnc"]


def test_other_configs_of_another_seed_or_version_are_not_mixed(tmp_path: Path):
    out = tmp_path / "dnc"
    build(["tiny", "tiny-type-attack"], out)
    with pytest.raises(BuildError, match=r"1 other config.*tiny-type-attack.*seed 0.*seed 5.*--out"):
        build(["tiny"], out, seed=5)
    path = out / "checksums.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9.'), encoding="utf-8")
    with pytest.raises(BuildError, match=r"version 9\."):
        build(["tiny"], out)
    build(["tiny", "tiny-type-attack"], out, seed=5)  # all of them: nothing is mixed
    assert checksums.read(out).seed == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not a folder that `dnc build` has written"),
        ("{", "cannot be read"),
        ("[]", "is damaged"),
        ('{"version": "1", "seed": 0, "configs": {"../x": {}}}', "not a name"),
    ],
)
def test_a_folder_that_is_not_ours_is_not_overwritten(tmp_path: Path, content: str | None, message: str):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    if content is not None:
        (tmp_path / "checksums.json").write_text(content, encoding="utf-8")
    with pytest.raises(BuildError, match=message):
        build(["tiny"], tmp_path)
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "years of work"


def test_what_cannot_be_asked_for(tmp_path: Path):
    with pytest.raises(UnknownNameError, match="tiny"):
        build(["tinny"], tmp_path / "dnc")
    with pytest.raises(UnknownNameError, match="asdiv_a"):
        build(["tiny"], tmp_path / "dnc", given={"asdiv": tmp_path})
    with pytest.raises(BuildError, match="nothing to build"):
        build([], tmp_path / "dnc")
    with pytest.raises(BuildError, match="at least 1"):
        build(["tiny"], tmp_path / "dnc", jobs=0)
    assert os.listdir(tmp_path) == []


def test_the_user_s_own_copies_are_marked(tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DNC_MIRROR", raising=False)
    file = catalogue.find("asdiv_a").source.files[0]
    given = {"asdiv_a": mirror / file.repo / file.commit}
    report = build(["asdiv_a"], tmp_path / "dnc", given=given)
    assert report.configs["asdiv_a"].provenance == "unverified"
    assert "own copy" in (tmp_path / "dnc" / "README.md").read_text(encoding="utf-8")
    assert verify(tmp_path / "dnc", given=given).failures == []
    # An embedded corpus has no files that could be somebody's own.
    report = build(["tiny_tables"], tmp_path / "other", given={"tiny_tables": tmp_path})
    assert report.configs["tiny_tables"].provenance == "verified"


def test_the_card(built: Path):
    import yaml

    _, header, body = (built / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(header)
    found = checksums.read(built)
    assert {config["config_name"] for config in card["configs"]} == set(found.configs)
    assert [config["config_name"] for config in card["configs"] if config.get("default")] == ["tiny"]
    for config in card["configs"]:
        paths = {file["split"]: file["path"] for file in config["data_files"]}
        assert list(paths) == list(found.configs[config["config_name"]].splits)
        assert all((built / path).is_file() for path in paths.values())
    assert card["license"] == "apache-2.0"
    assert card["size_categories"] == ["10K<n<100K"]
    for info in card["dataset_info"]:
        record = found.configs[info["config_name"]]
        assert {one["name"]: one["num_examples"] for one in info["splits"]} == {
            split: count.rows for split, count in record.splits.items()
        }
        sizes = [(built / info["config_name"] / f"{split}.parquet").stat().st_size for split in record.splits]
        assert info["download_size"] == sum(sizes)
    test = found.configs["tiny-verbosity-attack"].splits["test"]
    assert "| `tiny-verbosity-attack` | operand selection | 0 / " in body
    assert f"| {test.perturbed} / {test.rows} |" in body
    assert "(not " in body
    assert "No problem of the embedded corpus qualifies" not in body


def test_the_card_of_real_sources_names_licence_citation_and_errata(
    tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    report = build(["asdiv_a-verbosity-attack"], tmp_path / "dnc")
    assert json.loads((tmp_path / "dnc" / "checksums.json").read_text())["seed"] == 0
    splits = report.configs["asdiv_a-verbosity-attack"].splits
    assert [count.rows for count in splits.values()] == [974, 122, 122]
    assert splits["test"].perturbed >= 92
    source = catalogue.find("asdiv_a").source
    card = (tmp_path / "dnc" / "README.md").read_text(encoding="utf-8")
    assert "license: other" in card
    for part in (source.licence, source.citation.strip(), *(erratum.defect for erratum in source.errata)):
        assert part in card
    # The examples are ours, whatever is built.
    texts = [problem.text for problems in catalogue.read("asdiv_a").values() for problem in problems]
    assert not any(text in card for text in texts)


def test_building_is_not_what_makes_the_command_line_slow():
    code = "import sys; from dnc_datasets.serving import build, verify; print({'pyarrow', 'datasets'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
