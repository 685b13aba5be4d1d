"""What is published says what the record says, in forms that the libraries of others read."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml

from dnc_datasets.cli import main
from dnc_leaderboard.hub import every_eval_ever
from dnc_metrics import record

pytest.importorskip("inspect_ai")


@pytest.fixture
def published(results: Path, data: Path, tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(
        "---\nlicense: mit\nmodel-index:\n- name: m\n  results:\n  - task: {type: x}\n"
        "    dataset: {type: other, name: o}\n    metrics: [{type: accuracy, value: 1}]\n---\n# My model\n",
        encoding="utf-8",
    )
    words = ["--repo", "someone/m", "--dataset-repo", "someone/dnc", "--dry-run", "--built", str(data)]
    out = ["--out", str(tmp_path / "published"), "--card", str(tmp_path / "README.md")]
    assert main(["publish", "results", str(results / "nearly"), *words, *out]) == 0
    return tmp_path / "published"


def test_entries_are_inspect_s_values_of_listed_configs(published: Path, results: Path) -> None:
    from huggingface_hub import parse_eval_result_entries

    text = (published / ".eval_results" / "dnc.yaml").read_text(encoding="utf-8")
    entries = {one.task_id: one for one in parse_eval_result_entries(yaml.safe_load(text))}
    # tiny-noise-attack is no task of eval.yaml, tiny_dialogues was not asked.
    assert set(entries) == {"tiny", "tiny_verbosity_plausible_attack"}
    rows = record.load(results / "nearly").cells[0].rows
    for one in entries.values():
        assert one.dataset_id == "someone/dnc"
        assert one.value == round(100 * (rows - 3) / rows, 4)
        assert "inspect_ai" in one.notes


def test_the_model_index_holds_every_cell_and_every_drop(published: Path, results: Path) -> None:
    from huggingface_hub import ModelCard

    card = ModelCard.load(published / "README.md")
    assert card.text.strip() == "# My model"
    assert card.data.license == "mit"
    found = record.load(results / "nearly")
    values = {
        (one.dataset_config, one.metric_type): one.metric_value
        for one in card.data.eval_results
        if one.dataset_type == "someone/dnc"
    }
    for cell in found.cells:
        assert values[cell.config, "accuracy"] == round(100 * cell.scores[cell.score], 2)
    drops = {line.name: line.drop for line in found.tables[0].lines if not line.is_capability}
    for name, drop in drops.items():
        assert values[f"tiny-{name}-attack", "drop"] == round(100 * drop, 2)
    # What others wrote in the card stays.
    assert [one.metric_value for one in card.data.eval_results if one.dataset_type == "other"] == [1]


def test_every_eval_ever(published: Path, results: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    (file,) = (published / "every_eval_ever" / "data" / "dnc" / "someone" / "m").iterdir()
    if validator := shutil.which("every_eval_ever"):  # needs Python 3.12; `make release-check` installs it
        folder = published / "every_eval_ever"
        words = [validator, "validate", str(file.relative_to(folder))]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    value: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    schema = json.loads((Path(__file__).parent / "every_eval_ever.json").read_text(encoding="utf-8"))
    jsonschema.validate(value, schema)
    assert UUID(file.stem).version == 4
    assert value["schema_version"] == "0.3.0"
    details = value["model_info"]["additional_details"]
    assert details["deployment_type"] in ("self_deployed", "externally_managed", "unknown")
    assert details["model_availability"] in ("open_weights", "closed_weights", "unknown")
    ids = [one["evaluation_result_id"] for one in value["evaluation_results"]]
    assert len(ids) == len(set(ids))
    found = record.load(results / "nearly")
    scores = {one["evaluation_name"]: one["score_details"]["score"] for one in value["evaluation_results"]}
    for cell in found.cells:
        assert scores[f"{cell.config} {cell.prompt}"] == cell.scores[cell.score]
    for line in found.tables[0].lines:
        assert scores[f"tiny attack direct {line.name}: drop"] == line.drop
    value["evaluation_results"][0]["score_details"]["score"] = "high"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, schema)


def test_every_eval_ever_carries_the_prompt_as_it_was_sent(results: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = record.load(results / "nearly")
    settings = {**found.made.settings, "prompts": {"direct": "{problem}\nAnswer:"}}
    found = replace(found, made=replace(found.made, settings=settings))
    date = datetime(2026, 1, 1, tzinfo=timezone.utc)
    _, value = every_eval_ever.document(found, "someone/m", "someone/dnc", date)
    schema = json.loads((Path(__file__).parent / "every_eval_ever.json").read_text(encoding="utf-8"))
    jsonschema.validate(value, schema)
    sent = [one["generation_config"] for one in value["evaluation_results"] if "generation_config" in one]
    assert [one["generation_args"]["prompt_template"] for one in sent] == ["{problem}\nAnswer:"] * len(
        found.cells
    )


def test_what_was_not_asked_whole_is_left_out(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "some.jsonl"
    from dnc_datasets.serving import rows

    row = rows.read(data / "tiny" / "test.parquet")[0]
    file.write_text(json.dumps({"id": row["id"], "output": "1"}), encoding="utf-8")
    words = ["--config", "tiny", "--partial", "--built", str(data), "--out", str(tmp_path / "r")]
    assert main(["score", str(file), *words]) == 0
    words = [
        "--repo",
        "a/b",
        "--dataset-repo",
        "c/d",
        "--dry-run",
        "--built",
        str(data),
        "--out",
        str(tmp_path / "p"),
    ]
    assert main(["publish", "results", str(tmp_path / "r"), *words]) == 0
    assert "1 of 240 rows were asked" in capsys.readouterr().out
    assert not (tmp_path / "p" / ".eval_results").exists()


def test_records_of_two_systems_are_refused(
    results: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "--repo",
        "a/b",
        "--dataset-repo",
        "c/d",
        "--dry-run",
        "--built",
        str(data),
        "--out",
        str(tmp_path / "p"),
    ]
    assert main(["publish", "results", str(results / "perfect"), str(results / "nearly"), *words]) == 1
    assert "different systems (perfect, nearly)" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_a_config_is_listed_once(
    results: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = record.load(results / "nearly")
    rows = record.outcomes(results / "nearly", found)
    # The original, as in the other record, and a perturbed config of another prompt.
    cells = (found.cells[0], replace(found.cells[1], prompt="cot"))
    rows += [replace(one, cell=cells[1].key) for one in rows if one.cell == found.cells[1].key]
    record.write(replace(found, cells=cells, tables=()), rows, tmp_path / "more")
    words = [
        "--repo",
        "a/b",
        "--dataset-repo",
        "c/d",
        "--dry-run",
        "--built",
        str(data),
        "--out",
        str(tmp_path / "p"),
    ]
    assert main(["publish", "results", str(results / "nearly"), str(tmp_path / "more"), *words]) == 0
    (index,) = yaml.safe_load((tmp_path / "p" / "model-index.yaml").read_text())["model-index"]
    names = [
        f"{result['dataset']['name']} {metric['name']}"
        for result in index["results"]
        for metric in result["metrics"]
        if metric["type"] == "accuracy"
    ]
    verbose = f"DNC {cells[1].config} answer_lenient (prompt"
    assert len(names) == len(set(names)) == len(found.cells) + 1
    assert {f"{verbose} direct)", f"{verbose} cot)"} < set(names)
    entries = yaml.safe_load((tmp_path / "p" / ".eval_results" / "dnc.yaml").read_text())
    tasks = [one["dataset"]["task_id"] for one in entries]
    assert sorted(tasks) == ["tiny", "tiny_verbosity_plausible_attack"]
    other = (replace(cells[0], right=0), cells[1])
    record.write(replace(found, cells=other, tables=()), rows, tmp_path / "more")
    assert main(["publish", "results", str(results / "nearly"), str(tmp_path / "more"), *words]) == 1
    assert "results on tiny (direct), and they differ" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["m", "a/b/c", "../x", "a/..", "a/b\n", "<a>/b", ""])
def test_names_that_are_no_repository(
    name: str, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--dry-run", "--repo", name, "--dataset-repo", "c/d", "--out", str(tmp_path / "p")]
    assert main(["publish", "results", str(results / "perfect"), *words]) == 1
    assert "OWNER/NAME" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    "header",
    [
        "model-index: none",
        "model-index: [m]",
        "model-index: [{name: m, results: {task: x}}]",
        "model-index: [{name: m, results: [7]}]",
        "model-index: [{name: m, results: [{dataset: other}]}]",
        "model-index: [{name: m, results: [{dataset: {type: [other]}}]}]",
        "model-index: " + "[" * 3000,
        "- license",
    ],
)
def test_a_card_with_other_metadata_is_an_error_that_names_it(
    header: str, results: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = tmp_path / "README.md"
    card.write_text(f"---\n{header}\n---\n# My model\n", encoding="utf-8")
    words = ["--model", "someone/m", "--dataset", "someone/dnc", "--data", str(data)]
    out = ["--out", str(tmp_path / "published"), "--card", str(card)]
    assert main(["publish", str(results / "nearly"), *words, *out]) == 1
    assert str(card) in capsys.readouterr().err
