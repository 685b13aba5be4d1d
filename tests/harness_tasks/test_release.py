"""Fresh releases: the commitment binds the seed, the seed gives the rows, and a memorising model is found."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
import scripted

from dnc_datasets import cli
from dnc_datasets.corpus import one_row_per_template
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.sources.tiny_release import FILE_NAME, Release, read_release
from dnc_metrics import contamination
from dnc_metrics.errors import MetricError

SEED = "0123456789abcdef" * 4
PUBLISHED = {problem.note("template"): problem.answer for problem in one_row_per_template()}


def memorised(doc: dict[str, object]) -> str:
    """Answer every template as its published row must be answered."""
    return PUBLISHED[str(doc["cluster"]).removeprefix("template ")]


scripted.SCRIPTS.update(memorised=memorised)


def _published(folder: Path) -> Path:
    """A built release that holds its originals only, so that the tests are fast."""
    from dnc_datasets.serving.build import build

    seed = folder / "seed"
    seed.mkdir()
    (seed / FILE_NAME).write_text(Release("2026-12", SEED).text())
    build(["tiny_release"], folder / "release", given={"tiny_release": seed})
    return folder / "release"


def test_the_rows_follow_from_month_and_seed_and_are_fresh() -> None:
    rows = Release("2026-12", SEED).problems()
    assert rows == Release("2026-12", SEED).problems()
    assert len(rows) > 0.97 * len(PUBLISHED)
    texts = {problem.text for problem in rows}
    assert len(texts & {problem.text for problem in Release("2027-01", SEED).problems()}) < 0.05 * len(rows)
    known = {problem.text for split in catalogue.read("tiny").values() for problem in split}
    assert not texts & known


def test_a_commitment_depends_on_month_and_seed() -> None:
    one = Release("2026-12", SEED)
    others = (Release("2027-01", SEED), Release("2026-12", "f" * 64))
    assert one.commitment not in {other.commitment for other in others}
    assert SEED not in one.commitment


def test_commit_then_publish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["release", "--month", "2026-12", "--commit", "--out", str(tmp_path / "secret")]) == 0
    commitment = capsys.readouterr().out.split()[3]
    file = tmp_path / "secret" / FILE_NAME
    assert read_release(file).commitment == commitment
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cli.main(["release", "--month", "2026-12", "--commit", "--out", str(tmp_path / "secret")]) == 1
    assert "would break its commitment" in capsys.readouterr().err
    words = ["release", "--secret", str(file), "--out", str(tmp_path / "out")]
    assert cli.main([*words, "--commitment", "0" * 64]) == 1
    assert "would not be those that were committed to" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    "change", [{"seed": "f" * 64}, {"month": "2026-13"}, {"form": "x"}, {"seed": 5}, {"commitment": None}]
)
def test_a_changed_seed_file_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    record = json.loads(Release("2026-12", SEED).text())
    (tmp_path / FILE_NAME).write_text(json.dumps(record | change))
    with pytest.raises(SourceError):
        read_release(tmp_path / FILE_NAME)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("memorised", "The model knows the published rows"),
        ("right", "The published rows give the model no advantage above the margin"),
    ],
)
def test_a_memorising_model_is_found_and_an_honest_one_is_not(
    script: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = _published(tmp_path)
    words = ["eval", "--model", f"lm_eval:scripted:model={script}", "--out", str(tmp_path / "r")]
    assert cli.main([*words, "--release", str(folder)]) == 0
    assert sentence in capsys.readouterr().out.replace("\n", " ")


def test_rows_without_a_shared_template_are_an_error() -> None:
    with pytest.raises(MetricError, match="share no template"):
        contamination.compare({"a": True}, {"b": True})


def test_every_fresh_row_is_a_sound_problem() -> None:
    def texts(problem: Problem) -> str:
        return f"{problem.body} {problem.question}"

    for problem in Release("2026-12", SEED).problems():
        assert "{" not in texts(problem)
        assert problem.equation
