"""OpenAI-style servers, end to end on localhost: nonsense, and faults that look like replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from misbehaving_server import ANSWER, FAULTS, OWN, Server, running

from dnc_datasets import cli
from dnc_harness import evaluate, models
from dnc_harness.errors import HarnessError
from dnc_harness.evaluate import Settings
from dnc_metrics import record
from dnc_metrics.record import FAULT, Record

pytest.importorskip("aiohttp")
TASKS = ("dnc_tiny_original", "dnc_tiny_type_attack")
ROWS = 4
# Seconds that a client waits for a reply: more than a busy machine ever needs.
PATIENT = 60
CLIENTS = ("completions", "chat", "chat, concurrent")


@pytest.fixture(scope="module")
def one_server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture
def server(one_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr("dnc_harness.server_replies._SHORTEST_WAIT", 0.0)
    one_server.reset([])
    return one_server


@pytest.fixture(params=CLIENTS)
def ask(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Callable[..., Record]:
    """Run the same evaluation against the server, as each kind of client."""

    def run(name: str = "first", out: str = "r", seconds: int = PATIENT) -> Record:
        return _run(server, request.param, tmp_path / out, name, seconds)

    return run


def _run(server: Server, client: str, out: Path, name: str = "first", seconds: int = PATIENT) -> Record:
    chat = client != "completions"
    arguments = {
        "header": {"X-Run": name},
        "model": "scripted",
        "base_url": server.url("chat/completions" if chat else "completions"),
        "tokenizer_backend": "none",
        "tokenized_requests": False,
        "timeout": seconds,
        "max_retries": 3,
        "num_concurrent": 4 if "concurrent" in client else 1,
    }
    backend = "local-chat-completions" if chat else "local-completions"
    return evaluate.run(Settings(backend, TASKS, out, arguments, limit=ROWS, chat_template=chat))


def _logged(tmp_path: Path) -> int:
    return len((tmp_path / "r" / evaluate.LOG).read_text().splitlines())


def _answered(tmp_path: Path) -> int:
    lines = (tmp_path / "r" / evaluate.LOG).read_text().splitlines()
    return sum("reply" in json.loads(line) for line in lines)


def test_all_rows_are_answered(server: Server, ask: Callable[..., Record], tmp_path: Path) -> None:
    found = ask()
    assert [task.rows for task in found.cells] == [ROWS, ROWS]
    assert all("not found" not in task.statuses for task in found.cells)
    assert len(server.sent) == _logged(tmp_path) == 2 * ROWS
    first = server.sent[0]
    assert first["temperature"] == 0
    assert not any("Question" in stop for stop in first["stop"]), "a stop string only after worked examples"
    if "messages" in first:
        assert [message["role"] for message in first["messages"]] == ["user"]


def test_replies_that_hit_the_limit_are_truncated(
    server: Server, ask: Callable[..., Record], tmp_path: Path
) -> None:
    server.always = "cut off"
    found = ask()
    assert [(task.cut_off, task.statuses) for task in found.cells] == [(ROWS, {"truncated": ROWS})] * 2
    assert '"cut_off": true' in (tmp_path / "r" / evaluate.LOG).read_text()
    assert ask() == found, "the log remembers it"


@pytest.mark.parametrize("trouble", ["rate limit", "truncated JSON", "no choices", "null"])
def test_passing_trouble_is_tried_again(server: Server, ask: Callable[..., Record], trouble: str) -> None:
    server.behaviours = [ANSWER, trouble, trouble, ANSWER, trouble]
    found = ask()
    assert all(task.statuses.keys() <= {"right", "wrong"} for task in found.cells)
    assert server.answered == 2 * ROWS
    assert len(server.sent) == 2 * ROWS + 3


def test_a_time_out_is_tried_again(server: Server, ask: Callable[..., Record]) -> None:
    server.behaviours = [ANSWER, "time-out"]
    found = ask(seconds=2)
    assert all(task.statuses.keys() <= {"right", "wrong"} for task in found.cells)
    assert server.answered >= 2 * ROWS


@pytest.mark.parametrize("trouble", ["rate limit", "truncated JSON", "null"])
def test_lasting_trouble_is_a_clear_error_that_loses_nothing(
    server: Server, ask: Callable[..., Record], tmp_path: Path, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnc_harness.logged_model._MAX_FAULTS_IN_A_ROW", 3)
    server.reset([ANSWER] * 3, always=trouble)
    with pytest.raises(HarnessError, match=r"3 requests in a row failed, .*run the same command again"):
        ask()
    answered = _answered(tmp_path)
    # With several requests at once, some answers may still have been under way when the error came.
    assert answered <= 3
    server.always = ANSWER
    found = ask("second")
    assert len([sent for sent in server.sent if sent["run"] == "second"]) == 2 * ROWS - answered
    assert all(task.statuses.keys() <= {"right", "wrong"} for task in found.cells)


@pytest.mark.parametrize("trouble", ["HTTP 401", "HTTP 500"])
def test_a_server_that_never_answers_stops_the_run_at_once(
    server: Server, tmp_path: Path, trouble: str
) -> None:
    server.always = trouble
    with pytest.raises(HarnessError, match="the model does not answer: "):
        _run(server, "chat", tmp_path / "r")
    assert len(server.sent) == (1 if trouble == "HTTP 401" else 3)


def test_where_no_server_runs_the_error_asks_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnc_harness.server_replies._SHORTEST_WAIT", 0.0)
    with running() as stopped:
        url = stopped.url("chat/completions")
    with pytest.raises(HarnessError, match=rf"cannot connect to the server\. Is a server running at {url}\?"):
        _run(stopped, "chat", tmp_path / "r")


@pytest.fixture(scope="module")
def undisturbed(one_server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    """The record of each client where the server answers every request."""
    one_server.reset([])
    return {
        client: _run(one_server, client, tmp_path_factory.mktemp("undisturbed") / "r") for client in CLIENTS
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_changes_a_score_and_every_run_resumes(
    server: Server, undisturbed: dict[str, Record], tmp_path: Path, fault: str
) -> None:
    client = CLIENTS[list(FAULTS).index(fault) % len(CLIENTS)]
    server.reset([ANSWER, *[fault] * 3])
    found = _run(server, client, tmp_path / "r")
    faults = sum(cell.faults for cell in found.cells)
    if "concurrent" in client:  # the three faults may meet three rows, and each is tried again
        assert len(server.sent) == 2 * ROWS + 3 - faults
    elif fault != "redirect":
        assert (faults, len(server.sent)) == (1, 2 * ROWS + 2), "three times in all"
    assert sum(cell.rows for cell in found.cells) == 2 * ROWS - faults
    assert all(cell.statuses.keys() <= {"right", "wrong", FAULT} for cell in found.cells)
    results = json.loads((tmp_path / "r" / evaluate.RESULTS).read_text())["results"]
    assert {name: one["not_found,none"] for name, one in results.items()} == dict.fromkeys(TASKS, 0.0)
    server.reset([])
    again = _run(server, client, tmp_path / "r", "second")
    assert len(server.sent) == faults, "only the rows with a fault are asked for"
    expected = undisturbed[client]
    assert (again.cells, again.tables, again.causes) == (expected.cells, expected.tables, expected.causes)


@pytest.mark.parametrize("behaviour", OWN)
def test_odd_replies_that_are_the_models_own(server: Server, tmp_path: Path, behaviour: str) -> None:
    client = CLIENTS[list(OWN).index(behaviour) % len(CLIENTS)]
    server.reset([], always=behaviour)
    found = _run(server, client, tmp_path / "r")
    said = {"empty and finished": "not found", "refusal": "not found"}.get(behaviour)
    for cell in found.cells:
        assert cell.rows == ROWS
        assert cell.statuses.keys() <= ({said} if said else {"right", "wrong"})
    assert len(server.sent) == 2 * ROWS
    assert _run(server, client, tmp_path / "r") == found


def test_a_batch_keeps_the_replies_that_have_no_fault(server: Server, tmp_path: Path) -> None:
    arguments = {"model": "m", "base_url": server.url("completions"), "tokenizer_backend": "none"}
    arguments |= {"tokenized_requests": "False", "max_retries": "2"}
    settings = Settings("local-completions", TASKS[:1], tmp_path / "r", arguments, limit=ROWS, batch_size="4")
    server.reset(["batch with one null in wrong order", "batch in wrong order"])
    found = evaluate.run(settings)
    assert found.cells[0].faults == 0
    assert len(server.sent) == 2
    replies = [one.reply for one in record.outcomes(tmp_path / "r", found)]
    assert sorted(replies) == ["again 2", "first 0", "first 1", "first 3"]


def test_the_command_ends_with_the_faults_and_how_to_ask_again(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.reset([ANSWER, *["null"] * 3])
    arguments = (
        f"model=m,base_url={server.url('chat/completions')},tokenizer_backend=none,api_key=sk-abcdefgh"
    )
    words = ["eval", "--model", "local-chat-completions", "--model-args", arguments, "--limit", "4"]
    words += ["--tasks", ",".join(TASKS), "--apply-chat-template", "--out", str(tmp_path / "r")]
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert "1 server faults, in no score:" in shown
    assert "(null reply); more than 1 %, so there is no verdict" in shown
    assert "The same command asks for these rows alone: dnc eval --model local-chat-completions" in shown
    assert "1 server fault: no verdict" in shown.replace("\n", " ")
    assert "sk-abcdefgh" not in shown
    assert cli.main(words) == 0
    assert "server faults, in no score" not in capsys.readouterr().out


@pytest.mark.parametrize("client", ["completions", "chat/completions"])
def test_an_attack_takes_no_fault_for_an_answer(server: Server, client: str) -> None:
    model = models.api(f"{server.url(client)}#mine")
    server.behaviours = ["null", ANSWER, "content filter", "doubled index", ANSWER]
    assert model(["How many?", "How few?"]) == ["7", "7"]
    server.always = "null"
    with pytest.raises(HarnessError, match="a server fault, not an answer: null reply"):
        model(["How many?"])


def test_a_chat_server_without_a_chat_template_is_told_what_to_do(server: Server, tmp_path: Path) -> None:
    arguments = {"model": "m", "base_url": server.url("chat/completions"), "tokenizer_backend": "none"}
    with pytest.raises(HarnessError, match="--apply-chat-template"):
        evaluate.run(Settings("local-chat-completions", TASKS, tmp_path / "r", arguments, limit=1))
