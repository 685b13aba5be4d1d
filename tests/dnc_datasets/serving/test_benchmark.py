"""`eval.yaml` is what inspect_ai's own reader takes, and a perfect model scores 100 on every task that it lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dnc_datasets.serving import benchmark, catalogue, checksums, rows
from dnc_datasets.serving.build import build

LISTED = ("tiny", "tiny-type-attack", "tiny-order-attack", "tiny_dialogues", "tiny_tables")
# Folds, defenses, Chinese, other perturbations, and targets that the scorer cannot tell from their neighbours.
NOT_LISTED = (
    "tiny-noise-attack",
    "tiny-verbosity-attack",
    "tiny-verbosity_plausible-defense",
    "tiny_dialogues_zh",
    "tiny_tables-noise-attack",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("benchmark") / "dnc"
    build([*LISTED, *NOT_LISTED], made)
    return made


@pytest.fixture
def hub(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """inspect_ai gets the folder where it asks the Hub for a repository."""
    pytest.importorskip("inspect_ai")
    import huggingface_hub
    from inspect_ai._eval.task import hf

    read = hf.hf_dataset

    def from_folder(path: str, revision: str, **options: Any) -> Any:
        return read(path=str(folder), cached=False, retry=False, **options)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", lambda filename, **_: str(folder / filename))
    monkeypatch.setattr(hf, "hf_dataset", from_folder)
    return folder


def scored(task: Any, reply: str, tmp_path: Path) -> float:
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mock", reply.format(sample.target)) for sample in task.dataset]
    for output in outputs:
        output.usage = ModelUsage()  # without one, the mock model downloads a tokenizer to count with
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(
        task, model=model, display="none", log_dir=str(tmp_path / "logs"), max_connections=1, max_samples=1
    )
    assert log.status == "success", log.error
    assert len(log.samples) == len(task.dataset) > 10
    return float(log.results.scores[0].metrics["accuracy"].value)


def test_inspect_s_own_reader_takes_it_and_a_perfect_model_scores_100(hub: Path, tmp_path: Path) -> None:
    from inspect_ai._eval.task.hf import task_create_from_hf

    tasks = task_create_from_hf("hf/someone/dnc")
    assert [task.name for task in tasks] == [
        f"hf/someone/dnc/{name.replace('-', '_')}" for name in sorted(LISTED)
    ]
    for task in tasks:
        assert scored(task, "3 pens and 4 pens are 7 pens.\nThe answer is {}.", tmp_path) == 1.0
    # One that is nearly right is not: the scorer does look.
    assert scored(tasks[0], "The answer is not {}9.", tmp_path) == 0.0


def test_one_task_by_its_name(hub: Path) -> None:
    from inspect_ai._eval.task.hf import task_create_from_hf

    (task,) = task_create_from_hf("hf/someone/dnc/tiny_dialogues")
    stored = rows.read(hub / "tiny_dialogues" / "test.parquet")
    assert [sample.input for sample in task.dataset] == [row["prompt"] for row in stored]
    assert [sample.metadata["id"] for sample in task.dataset] == [row["id"] for row in stored]


def test_which_configs_are_listed(folder: Path, tmp_path: Path) -> None:
    found = yaml.safe_load((folder / "eval.yaml").read_text(encoding="utf-8"))
    assert found["evaluation_framework"] == "inspect-ai"
    assert {task["config"] for task in found["tasks"]} == set(LISTED)
    build(["tiny-noise-attack"], tmp_path / "none")
    assert not (tmp_path / "none" / "eval.yaml").exists()


def test_a_file_of_the_user_s_own_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "dnc"
    build(["tiny-noise-attack"], out)
    (out / "eval.yaml").write_text("name: mine\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"eval\.yaml"):
        build(["tiny"], out)
    assert (out / "eval.yaml").read_text(encoding="utf-8") == "name: mine\n"


@pytest.mark.parametrize(
    ("target", "plain"),
    [
        ("12", True), ("-7", True), ("99999", True), ("100000", False), ("2.5", True), ("37.25", True),
        ("0.125", False), ("1234.56", False), ("5/6", False), ("", False), ("yes", True), ("Kim Lee", True),
        ("U.S.", False), ("$5", False), ("a, b", False), ("是", False), ("12 ", False),
    ],
)  # fmt: skip
def test_plain_targets(target: str, plain: bool) -> None:
    assert benchmark.is_plain(target) is plain


def test_every_plain_target_is_matched_and_its_neighbours_are_not() -> None:
    match = pytest.importorskip("inspect_ai.scorer._common").match_str
    targets = [str(n) for n in (0, 7, 10, 99999, -41)] + ["2.5", "999.99", "1234.5", "yes", "Kim"]
    for target in targets:
        assert benchmark.is_plain(target)
        assert match(f"The answer is {target}.", target, numeric=True)[1]
        if target[-1].isdigit():
            near = f"{target[:-1]}{(int(target[-1]) + 1) % 10}"
            assert not match(f"The answer is {near}.", target, numeric=True)[1]


def test_the_prompt_holds_the_whole_problem(folder: Path) -> None:
    for config in LISTED:
        source = catalogue.find(config).source
        for row in rows.read(folder / config / "test.parquet"):
            parts = [
                row["body"],
                row["question"],
                *row["segments"],
                *(cell for line in row["table"] for cell in line),
            ]
            parts += [text for turn in row["history"] for text in turn.values()]
            assert all(part in row["prompt"] for part in parts)
            assert row["prompt"] == rows.layout(row, source.shape, source.language)
            unknown = row["answer_type"] == "unanswerable"
            assert row["target"] == ("unknown" if unknown else row["answer"])


def test_configs_that_were_there_before_stay_listed(tmp_path: Path) -> None:
    out = tmp_path / "dnc"
    build(["tiny_dialogues"], out)
    build(["tiny"], out)
    tasks = benchmark.tasks(checksums.read(out), (out,))
    assert [task.name for task in tasks] == ["tiny", "tiny_dialogues"]
    assert (out / "eval.yaml").read_text(encoding="utf-8") == benchmark.text(tasks)
