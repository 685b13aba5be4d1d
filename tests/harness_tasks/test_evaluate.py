"""Whole runs with a scripted model: the diagnosis says what the script did."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted
from lm_eval.evaluator import simple_evaluate
from lm_eval.tasks import TaskManager

from dnc_datasets import cli, perturbations
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import CONTRAST
from dnc_harness import data, evaluate, listing, prompts, tasks_path
from dnc_harness.errors import HarnessError, MissingDataError
from dnc_harness.evaluate import Settings
from dnc_leaderboard import markdown
from dnc_metrics import record
from dnc_metrics.capabilities import is_confirmatory
from dnc_metrics.record import Line, Record, Table
from dnc_metrics.verdicts import NO_DROP, OPEN

Run = Callable[..., Record]
# Their answers are of another type than the original's, so there is no drop.
YES_NO = {name for name in perturbations.names() if perturbations.get(name).asks_yes_no} | {"unanswerable"}


def compared(table: Table) -> list[Line]:
    """The lines of perturbations that keep the type of the answer."""
    return [line for line in table.lines if line.name not in YES_NO]


def test_wrong_on_every_perturbed_row_is_a_drop_of_100_points(run: Run) -> None:
    (table,) = run("wrong_where_perturbed", "dnc_tiny").tables
    assert {line.drop for line in table.lines if line.name in YES_NO} == {None}
    for line in compared(table):
        assert (line.before, line.after, line.drop) == (1.0, 0.0, 1.0)
        assert line.p_alone == pytest.approx(2 * 0.5**line.clusters, rel=1e-6)
        if line.capability == "probe":
            assert line.verdict.startswith("needs the ")
        elif line.is_capability or (is_confirmatory(line.name) and line.clusters >= 30):
            assert line.verdict == "drop"
        elif line.clusters >= 30:
            assert line.verdict == "points to a drop" or line.verdict.startswith("same rows as")
        else:
            assert line.verdict == "too few templates" or line.verdict.startswith("same rows as")
    assert sum(line.verdict == "drop" for line in table.lines) >= 8


def test_always_right_shows_no_drop_anywhere(run: Run) -> None:
    found = run("right", "dnc_tiny", "dnc_tiny_defense")
    assert {table.setting for table in found.tables} == {"attack", "defense"}
    for table in found.tables:
        assert {line.drop for line in compared(table)} == {0.0}
        lines = [line for line in compared(table) if line.capability != "probe"]
        assert not any("drop" in line.verdict for line in lines if line.verdict != NO_DROP)
        assert {line.verdict for line in lines if line.is_capability} <= {NO_DROP, OPEN}
    assert all(cell.scores["answer_strict"] == 1 for cell in found.cells)


def test_right_answers_in_twelve_styles_are_all_right_when_read_leniently(run: Run) -> None:
    found = run("in_styles", "dnc_tiny", "dnc_tiny_cot")
    assert len({scripted.in_styles({"id": chr(at), "answer": "7"}) for at in range(12)}) == 12
    for task in found.cells:
        if task.perturbation in YES_NO or task.setting == CONTRAST:
            continue  # some of the twelve are ways to write a number
        assert task.scores["answer_lenient"] == 1.0, task.config
        assert "not found" not in task.statuses
        assert 0.5 < task.scores["answer_strict"] < 1.0, "a number that merely comes last is not marked"
        assert sum(task.rules.values()) == task.rows


def test_equations_are_executed(run: Run) -> None:
    found = run("equation", "dnc_tiny_equation", limit=20)
    for task in found.cells:
        assert set(task.scores) == {
            "equation_executes",
            "equation_equivalent",
            "equation_same",
            "equation_exact",
        }
        assert task.scores["equation_executes"] == task.scores["equation_exact"] == 1.0
    assert {table.score for table in found.tables} == {"equation_executes"}


@pytest.mark.parametrize("dataset", ["tiny_passages", "tiny_tables", "tiny_dialogues", "tiny_dialogues_zh"])
def test_equations_over_texts_tables_and_conversations(
    run: Run, dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run("equation", f"dnc_{dataset}_equation", num_fewshot=2)
    assert [table.prompt for table in found.tables] == [listing.EQUATION]
    for task in found.cells:
        # Without their questions, rows of one passage are the same text, which is asked once.
        if "no_question" not in task.config:
            assert task.scores["equation_executes"] == task.scores["equation_equivalent"] == 1.0, task.config
        assert task.rows + task.left_out == len(data.splits(task.config)["test"])
    words = ["eval", "--model", "scripted", "--model-args", "model=equation", "--num-fewshot", "2"]
    words += ["--tasks", f"dnc_{dataset}_equation", "--out", str(tmp_path / "results")]
    assert cli.main(words) == 0
    said = f"{dataset}: {found.cells[0].left_out} test rows have no equation" in capsys.readouterr().out
    assert said == ("dialogues" in dataset)


def test_a_silent_model_is_wrong_because_nothing_was_found(run: Run) -> None:
    found = run("silent", "dnc_tiny_original", "dnc_tiny_noise_attack", limit=5)
    for task in found.cells:
        assert task.statuses == {"not found": 5}
        assert set(task.scores.values()) == {0.0}
        assert task.rules == {"not_found": 5}


def test_stop_strings_and_limits_follow_from_the_prompt() -> None:
    settings = {"model": "x", "tasks": (), "out": Path("x")}
    assert Settings(**settings).generation() == {}
    assert Settings(**settings, num_fewshot=2).generation()["until"][0] == "\n\nQuestion:"
    assert Settings(**settings, reasoning=True).generation() == {"max_gen_toks": 8192}
    given = Settings(**settings, reasoning=True, gen_kwargs={"max_gen_toks": 99})
    assert given.generation() == {"max_gen_toks": 99}


def test_examples_come_before_the_question_and_are_the_same_in_every_task(run: Run) -> None:
    run("right", "dnc_tiny_original_cot", "dnc_tiny_type_attack_cot", limit=3, num_fewshot=2)
    heads = {asked[: asked.rindex("Question:")] for asked in scripted.ASKED}
    assert len(heads) == 1
    assert heads.pop().count("The answer is") == 4, "two instructions and two solutions"


def test_the_record_holds_each_prompt_as_it_was_sent(run: Run) -> None:
    names = ("dnc_tiny_original", "dnc_tiny_original_cot")
    found = run("right", *names, limit=2, num_fewshot=1, system_instruction="Be brief.")
    sent = found.made.settings["prompts"]
    assert set(sent) == {"direct", "cot"}
    for text in sent.values():
        before, after = text.split("{problem}")
        assert before.startswith("Be brief.")
        matching = [one for one in scripted.ASKED if one.startswith(before) and one.endswith(after)]
        assert len(matching) == 2
    assert "The answer is" in sent["cot"].partition("{problem}")[2]


def test_a_prompt_that_was_sent_as_messages(run: Run) -> None:
    doc = data.doc(*_first_row())
    shown = prompts.direct(doc)
    messages = json.dumps([{"role": "user", "content": shown}])
    (message,) = json.loads(evaluate._template(messages, doc))
    assert message["content"].startswith("{problem}\n")
    assert message["content"].endswith(shown.splitlines()[-1])


def _first_row() -> tuple[Any, Any]:
    variant = catalogue.find("tiny")
    return data.of_source(variant), data.test_records(variant, data.folder(None))[0]


def test_a_limit_pairs_rows(run: Run) -> None:
    found = run("right", "dnc_tiny", limit=6)
    assert {task.rows for task in found.cells if task.setting != CONTRAST} == {6}
    assert all(line.n <= 6 for line in found.tables[0].lines if not line.is_capability)


def test_groups_may_share_tasks(run: Run) -> None:
    found = run("right", "dnc_tiny", "dnc_tiny_original", "dnc_tiny_noise_plausible_attack", limit=2)
    assert len(found.cells) == len({cell.key for cell in found.cells}) == len(listing.groups()["dnc_tiny"])


def test_without_the_original_there_is_nothing_to_compare(run: Run) -> None:
    assert run("right", "dnc_tiny_noise_attack", limit=2).tables == ()


def test_a_second_run_asks_nothing_and_says_the_same(run: Run, tmp_path: Path) -> None:
    first = run("wrong_where_perturbed", "dnc_tiny", limit=4)
    asked = len(scripted.ASKED)
    log = (tmp_path / "results" / evaluate.LOG).read_bytes()
    assert len(log.splitlines()) == sum(cell.rows for cell in first.cells), "one line per row of each task"
    assert run("wrong_where_perturbed", "dnc_tiny", limit=4) == first
    assert len(scripted.ASKED) == asked
    assert (tmp_path / "results" / evaluate.LOG).read_bytes() == log
    run("wrong_where_perturbed", "dnc_tiny", limit=5)
    assert asked < len(scripted.ASKED) <= asked + sum(cell.rows for cell in first.cells) / 4


def test_a_folder_holds_one_model(run: Run) -> None:
    run("right", "dnc_tiny_original", limit=1)
    message = r"another model \(model was right and is now silent\); .* --results of `dnc diagnose`"
    with pytest.raises(HarnessError, match=message):
        run("silent", "dnc_tiny_original", limit=1)


def test_lm_eval_alone_gives_the_same_scores(run: Run, tmp_path: Path) -> None:
    run("wrong_where_perturbed", "dnc_tiny")
    ours = json.loads((tmp_path / "results" / evaluate.RESULTS).read_text())
    alone = simple_evaluate(
        model="scripted",
        model_args="script=wrong_where_perturbed",
        tasks=["dnc_tiny"],
        task_manager=TaskManager(include_path=str(tasks_path()), include_defaults=False),
    )
    assert alone["results"] == ours["results"]
    assert set(alone) - {"samples"} == set(ours)
    assert ours["config"]["model"] == "scripted"


def test_errors_say_what_to_do(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean dnc_tiny"):
        run("right", "dnc_tinny")
    with pytest.raises(HarnessError, match="at least one task"):
        run("right")
    with pytest.raises(MissingDataError, match=r"`dnc build svamp` provides"):
        run("right", "dnc_tiny", "dnc_svamp")
    with pytest.raises(HarnessError, match="cannot load the model"):
        evaluate.run(Settings("no-such-backend", ("dnc_tiny",), tmp_path / "x", limit=1))


def test_a_model_without_torch_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr("lm_eval.api.registry.get_model", missing)
    with pytest.raises(HarnessError, match=r"No module named 'torch'; install it with: .*\[train\]"):
        evaluate.run(Settings("hf", ("dnc_tiny_original",), tmp_path / "x", limit=1))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, "cuda:0"),  # as lm-eval's own command, whose backends then take the CPU where there is no GPU
        ({"device": "cpu"}, "cpu"),
        ({"model_args": {"device": "cpu"}}, "cpu"),
    ],
)
def test_the_device_is_lm_evals_unless_named(tmp_path: Path, given: dict[str, Any], asked: str) -> None:
    evaluate.run(Settings("on-a-device", ("dnc_tiny_original",), tmp_path / "results", limit=1, **given))
    (device,) = scripted.DEVICES
    assert device == asked


def test_missing_datasets_can_be_left_out(run: Run) -> None:
    found = run("right", "dnc_probe", limit=2, skip_missing=True)
    assert {task.config for task in found.cells} >= {"tiny", "tiny-no_question-attack"}
    assert not any(task.config.startswith("svamp") for task in found.cells)
    with pytest.raises(HarnessError, match=r"no dataset of dnc_svamp is in dnc"):
        run("right", "dnc_svamp", out="none", skip_missing=True)


def test_secrets_are_not_written(tmp_path: Path) -> None:
    names = ("auth_token", "api_key", "token", "hf_token", "header", "password", "client_secret")
    arguments = {"model": "right", "tokenizer": "kept", "add_bos_token": True}
    arguments.update((name, f"s3cret {name}") for name in names)
    evaluate.run(Settings("scripted", ("dnc_tiny_original",), tmp_path / "r", arguments, limit=1))
    for path in (tmp_path / "r").iterdir():
        assert "s3cret" not in path.read_text(), path
    assert "kept" in (tmp_path / "r" / evaluate.RUN).read_text()


def test_the_command_prints_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--model", "scripted", "--model-args", "script=wrong_where_perturbed"]
    words += [
        "--tasks",
        "dnc_tiny_original,dnc_tiny_type_attack",
        "--limit",
        "30",
        "--out",
        str(tmp_path / "r"),
    ]
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert "number detection" in shown
    assert "100.0" in shown
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == record.SCHEMA
    assert cli.main([*words, "--limit", "0"]) == 1
    assert cli.main([*words, "--model-args", "nonsense"]) == 1


def test_the_record_is_read_as_it_was_written(run: Run, tmp_path: Path) -> None:
    build(["tiny", "tiny-noise-attack"], Path("dnc"))
    found = run("wrong_where_perturbed", "dnc_tiny_original", "dnc_tiny_noise_attack", limit=20)
    folder = tmp_path / "results"
    assert record.load(folder) == found
    assert (folder / "record.json").read_text() == found.text()
    assert all(len(cell.data["sha256"]) == 64 for cell in found.cells)
    outcomes = record.outcomes(folder, found)
    assert len(outcomes) == 40
    wrong = [one for one in outcomes if not one.right]
    assert wrong
    assert all(one.text and one.gold and one.causes and one.before for one in wrong)
    shown = markdown.text([found])
    assert "### tiny, attack, direct prompt" in shown
    assert "Original, 20 rows, in %: answer lenient 100.0" in shown


def test_a_tokenizer_without_a_chat_template_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    pytest.importorskip("lm_eval.models.huggingface")  # registers its name
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0, "</s>": 1}, unk_token="<unk>"))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", eos_token="</s>", pad_token="</s>"
    ).save_pretrained(tmp_path / "model")
    config = transformers.GPT2Config(vocab_size=2, n_embd=4, n_layer=1, n_head=1)
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path / "model")
    words = ["eval", "--model", "hf", "--model-args", f"pretrained={tmp_path / 'model'}", "--device", "cpu"]
    words += ["--tasks", "dnc_tiny_tables_type_attack", "--out", str(tmp_path / "out"), "--limit", "1"]
    assert cli.main([*words, "--apply-chat-template"]) == 1
    assert "has no chat template" in capsys.readouterr().err


def test_the_second_run_in_a_folder_is_told_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def right(doc: dict[str, object]) -> str:
        with pytest.raises(DncError, match="another process"):
            run("silent", "dnc_tiny_original", limit=1)
        return str(doc["answer"])

    monkeypatch.setitem(scripted.SCRIPTS, "meanwhile", right)
    found = run("meanwhile", "dnc_tiny_original", limit=1)
    assert found.cells[0].scores["answer_strict"] == 1.0


def test_requests_that_fail_with_the_first_one_print_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    evaluate._hush()
    logger = logging.getLogger("asyncio")
    logger.error("Task exception was never retrieved\nfuture: <Task finished>")
    logger.error("another fault")
    assert [one.getMessage() for one in caplog.records] == ["another fault"]
