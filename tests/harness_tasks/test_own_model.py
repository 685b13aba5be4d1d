"""`dnc diagnose` of a user's own model: asked through lm-eval or a server, or by its predictions."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
import scripted
from misbehaving_server import running

from dnc_datasets import cli, model_names
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_harness import data
from dnc_metrics import record
from dnc_trainers.commands import own_model

ROWS = 6


def test_every_kind_of_model_has_its_backend() -> None:
    assert model_names.backend("hf:org/name") == ("hf", {"pretrained": "org/name"}, False)
    assert model_names.backend("solver:runs/a") == ("dnc-text", {"model": "solver:runs/a"}, False)
    assert model_names.backend("lm_eval:dummy") == ("dummy", {}, False)
    assert model_names.backend("lm_eval:hf:pretrained=a,trust_remote_code=false,n=3")[1]["n"] == 3
    assert model_names.backend("lm_eval:vllm:pretrained=a,dtype=auto")[:2] == (
        "vllm",
        {"pretrained": "a", "dtype": "auto"},
    )
    name, arguments, chat = model_names.backend("api:https://host/v1/completions#m")
    assert (name, arguments["base_url"], chat) == (
        "local-completions",
        "https://host/v1/completions",
        False,
    )
    name, arguments, chat = model_names.backend("api:https://host/v1/#m")
    assert (name, arguments["base_url"], chat) == (
        "local-chat-completions",
        "https://host/v1/chat/completions",
        True,
    )


@pytest.mark.parametrize("model", ["gpt2", "hf:", "api:https://host/v1", "api:#m", "hub:x"])
def test_an_unknown_kind_of_model_is_an_error_that_names_the_kinds(model: str) -> None:
    with pytest.raises(
        DncError,
        match="hf:NAME, api:URL#NAME, lm_eval:BACKEND:ARGUMENTS, solver:RUN or python:MODULE:FUNCTION",
    ):
        model_names.backend(model)


def test_a_model_of_lm_eval_is_diagnosed_and_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diagnose", "--model", "lm_eval:scripted:model=right", "--limit", str(ROWS)]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert "tokens in" in shown.err, "the cost comes first"
    assert "right on tiny_all" in shown.out
    assert "Page: report/right/report.html" in shown.out
    assert "Next: dnc compare results/right results/OTHER" in shown.out, "nothing is wrong"
    assert Path("report/right/report.html").is_file()
    asked = len(scripted.ASKED)
    assert asked > 0
    assert cli.main(words) == 0
    assert len(scripted.ASKED) == asked, "a second run asks for nothing"
    cells = record.load(Path("results/right")).cells
    assert [cell.config for cell in cells] == [variant.name for variant in own_model.variants()]


def test_a_server_is_diagnosed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("aiohttp")
    with running() as server:
        model = f"api:http://127.0.0.1:{server.server_port}/v1#scripted"
        assert cli.main(["diagnose", "--model", model, "--limit", "1"]) == 0
        assert all("messages" in one and one["model"] == "scripted" for one in server.sent)
    assert "scripted on tiny_all" in capsys.readouterr().out


def test_a_python_function_is_diagnosed(capfd: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(
        "ASKED = []\ndef answer(texts):\n    ASKED.extend(texts)\n    return ['7'] * len(texts)\n"
    )
    assert cli.main(["diagnose", "--model", "python:mine:answer", "--limit", "2"]) == 0
    shown = capfd.readouterr()
    assert "python:mine:answer on tiny_all" in " ".join(shown.out.split())
    assert len(shown.err.splitlines()) == 1, "the cost; no bar of a task, no message of git"
    import mine

    assert all("Question:" in text for text in mine.ASKED)


REPLIES = {
    "cleaned": ["7 \ud83d", "7", "7"],
    "None": ["7", None, "7"],
    "too few": ["7"],
}


@pytest.mark.parametrize("kind", [*REPLIES, "raises"])
def test_odd_replies_of_a_python_function_are_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    (tmp_path / f"odd_{kind[:3]}.py").write_text(
        f"def answer(texts):\n    return {REPLIES[kind]!a}[: len(texts)]\n"
        if kind in REPLIES
        else "def answer(texts):\n    return texts['a']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    model = f"python:odd_{kind[:3]}:answer"
    words = ["--model", model, "--out", "out"]
    is_fine = kind == "cleaned"
    assert cli.main(["attack", "tiny", "-n", "3", "--budget", "3", *words]) == (0 if is_fine else 1)
    if kind == "cleaned":
        assert "7 \ufffd" in (tmp_path / "out" / "journal.jsonl").read_text(encoding="utf-8")
    else:
        said = {
            "None": "gave None to 1 of 3",
            "too few": "gave 1 answers to 3",
            "raises": "line 2: TypeError",
        }
        assert said[kind] in capsys.readouterr().err
    if kind == "None":
        words = ["--model", model, "--out", "asked", "--tasks", "dnc_tiny_original", "--limit", "3"]
        assert cli.main(["eval", *words]) == 0
        assert record.load(Path("asked")).cells[0].statuses["server fault"] == 1


def test_options_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[argparse.Namespace] = []

    def run(arguments: argparse.Namespace) -> int:
        given.append(arguments)
        return 0

    monkeypatch.setattr("dnc_harness.commands.eval.run", run)
    words = ["diagnose", "--model", "hf:org/name", "--until-decided", "--reasoning", "--batch-size", "8"]
    assert cli.main(words) == 0
    (asked,) = given
    assert (asked.until_decided, asked.reasoning, asked.batch_size, asked.limit) == (True, True, "8", None)
    assert asked.command_line == f"dnc {' '.join(words)}"


@pytest.mark.parametrize("option", [["--until-decided"], ["--estimate"], ["--limit", "5"]])
def test_predictions_are_asked_for_nothing(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["diagnose", "--predictions", "replies.jsonl", *option]) == 1
    assert f"{option[0]} is for a model that is asked" in capsys.readouterr().err


def test_the_estimate_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["diagnose", "--model", "lm_eval:scripted:model=right", "--limit", "2", "--estimate"]) == 0
    )
    assert "12 tasks, 24 rows" in capsys.readouterr().err
    assert not scripted.ASKED


def test_predictions_of_a_perfect_model_show_no_drop_in_four_capabilities(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["diagnose", "--questions", "asked.jsonl"]) == 0
    assert "dnc diagnose --predictions asked.jsonl" in capsys.readouterr().out
    gold = {
        variant.name: {str(row["id"]): row["answer"] for row in data.test_records(variant, data.folder(None))}
        for variant in own_model.variants()
    }
    lines = []
    for line in Path("asked.jsonl").read_text().splitlines():
        row = json.loads(line)
        probe = catalogue.find(row["config"]).recipe == "no_question"
        lines.append({**row, "output": "unknown" if probe else gold[row["config"]][row["id"]]})
    Path("perfect.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    assert cli.main(["diagnose", "--predictions", "perfect.jsonl"]) == 0
    shown = capsys.readouterr().out
    capabilities = [line for line in shown.splitlines() if line.startswith("●")]
    assert len(capabilities) == 4
    assert all("no drop above 5 points" in line for line in capabilities)
    assert len(shown.splitlines()) <= 40

    Path("short.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines[1:]))
    assert cli.main(["diagnose", "--predictions", "short.jsonl"]) == 1
    assert "has no reply for 1 of " in capsys.readouterr().err
