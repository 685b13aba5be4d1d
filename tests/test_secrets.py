"""No secret that a user gives a command, in any of these forms, is in a file that it writes or on the screen."""

from __future__ import annotations

import base64
import http.server
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import model_arguments, secrets

HERE = Path(__file__).parent
SECRET = "hunter2-Zx9"
HEADER = {"Authorization": f"Bearer {SECRET}"}
# Each a form in which people give secrets to models.
FORMS: dict[str, dict[str, Any]] = {
    **{
        name: {name: SECRET}
        for name in (
            "api_key",
            "auth_token",
            "azure_ad_token",
            "bearer",
            "credentials",
            "passwd",
            "password",
            "token",
            "x",
        )
    },
    "header": {"header": HEADER},
    "extra_headers": {"model_kwargs": {"extra_headers": HEADER}},
    "user in URL": {"base_url": f"http://me:{SECRET}@127.0.0.1:9/v1"},
    "user in URL without a scheme": {"base_url": f"me:{SECRET}@127.0.0.1:9/v1"},
    "query of URL": {"base_url": f"http://127.0.0.1:9/v1?api-key={SECRET}"},
    "query of model": {"tokenizer": f"host/name?token={SECRET}"},
    "fragment of URL": {"base_url": f"http://127.0.0.1:9/v1#{SECRET}"},
}
NUMBER = "918273645"
ENVIRONMENT = dict.fromkeys(("OPENAI_API_KEY", "HF_TOKEN", "AZURE_OPENAI_KEY", "AWS_SECRET_KEY"), SECRET)
PROGRAM = "import sys; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"


def dnc(folder: Path, *words: str, **environment: str) -> str:
    """Run a command in the folder and give all that it says."""
    done = subprocess.run(
        [sys.executable, "-c", f"import scripted; {PROGRAM}" if "scripted" in words else PROGRAM, *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                (str(HERE / "harness_tasks"), str(folder), os.environ.get("PYTHONPATH", ""))
            ),
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            **ENVIRONMENT,
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    return f"{words[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}"


def search(folder: Path, said: str, *secrets: str) -> None:
    for secret in secrets or (SECRET,):
        assert secret not in said
        for path in folder.rglob("*"):
            if path.is_file():
                assert secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("form", FORMS)
def test_what_is_recorded_of_a_model_s_arguments(form: str) -> None:
    shown = json.dumps(model_arguments.arguments({"model": "m", "max_gen_toks": 7, **FORMS[form]}))
    assert SECRET not in shown
    assert {"model": "m", "max_gen_toks": 7}.items() <= json.loads(shown).items()
    basic = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert basic not in secrets.hide(f"bad key {basic}", {"base_url": f"http://me:{SECRET}@127.0.0.1:9/v1"})
    message = f"error at http://me:{SECRET}@127.0.0.1:9/v1?api-key={SECRET} with {FORMS[form]}"
    assert SECRET not in secrets.hide(message, FORMS[form])
    text = ",".join(f"{name}={value}" for name, value in FORMS[form].items())
    assert SECRET not in model_arguments.model(f"lm_eval:local-completions:model=m,{text},max_gen_toks=7")


def test_a_number_may_be_a_secret_too() -> None:
    given = {"passwd": int(NUMBER), "timeout": 300}
    assert secrets.hide(f"{NUMBER} after 300 s", given) == "*** after 300 s"


@pytest.fixture(scope="module")
def everything() -> dict[str, Any]:
    """All forms at once, those of the URL in one URL."""
    together: dict[str, Any] = {}
    for form in FORMS.values():
        together.update(form)
    return {**together, "base_url": f"http://me:{SECRET}@127.0.0.1:9/v1?api-key={SECRET}#{SECRET}"}


def test_eval(tmp_path: Path, everything: dict[str, Any]) -> None:
    pytest.importorskip("lm_eval")
    words = ["eval", "--tasks", "dnc_tiny_original,dnc_tiny_type_attack", "--limit", "2", "--out", "results"]
    arguments = json.dumps({**everything, "model": "right"})
    options = json.dumps({"temperature": 0, "extra_headers": HEADER, "api_key": SECRET})
    said = dnc(tmp_path, *words, "--model", "scripted", "--model-args", arguments, "--gen-kwargs", options)
    assert "eval ended with 0" in said
    assert "http://127.0.0.1:9/v1" in (tmp_path / "results" / "run.json").read_text()
    search(tmp_path, said)


def test_attack(tmp_path: Path, everything: dict[str, Any]) -> None:
    pytest.importorskip("lm_eval")
    plain = {name: value for name, value in everything.items() if not isinstance(value, dict)}
    arguments = ",".join(f"{name}={value}" for name, value in plain.items())
    said = dnc(
        tmp_path, "attack", "tiny", "-n", "3", "--out", "out", "--model", f"lm_eval:dummy:model=m,{arguments}"
    )
    assert "attack ended with 0" in said
    assert "lm_eval:dummy:model=m" in (tmp_path / "out" / "report.json").read_text()
    search(tmp_path, said)


@pytest.mark.parametrize("command", ["eval", "attack"])
def test_a_server_that_is_not_there(tmp_path: Path, command: str) -> None:
    """What the libraries say of a failed request names its whole address."""
    pytest.importorskip("lm_eval")
    address = f"http://me:{SECRET}@127.0.0.1:9/v1?api-key={SECRET}"
    arguments = f"model=m,tokenizer_backend=none,max_retries=1,timeout=1,base_url={address}"
    words = (
        ["eval", "--model", "local-completions", "--model-args", arguments, "--tasks", "dnc_tiny_original"]
        if command == "eval"
        else ["attack", "tiny", "-n", "1", "--model", f"lm_eval:local-completions:{arguments}"]
    )
    limit = ["--limit", "1"] if command == "eval" else []
    said = dnc(tmp_path, *words, *limit, "--out", "out")
    assert f"{command} ended with 1" in said
    assert f"the model {'does not answer' if command == 'eval' else 'stopped answering'}" in said
    search(tmp_path, said)


@pytest.mark.parametrize("concurrent", [1, 3])
def test_the_key_of_the_environment_in_the_errors_of_libraries(
    tmp_path: Path, failing_server: str, concurrent: int
) -> None:
    """lm-eval logs the exception of aiohttp, which holds the headers of the request."""
    pytest.importorskip("lm_eval")
    arguments = (
        f"model=m,tokenizer_backend=none,max_retries=1,num_concurrent={concurrent},base_url={failing_server}"
    )
    words = ["eval", "--model", "local-completions", "--model-args", arguments, "--limit", "4"]
    said = dnc(tmp_path, *words, "--tasks", "dnc_tiny_original", "--out", "out")
    assert "eval ended with 1" in said
    assert "500" in said
    search(tmp_path, said)


def test_every_logger_and_stream_is_guarded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    stream = io.StringIO()
    library = logging.getLogger("a_library_with_a_handler_of_its_own")
    handler = logging.StreamHandler(stream)
    library.addHandler(handler)
    with secrets.guard({"password": "swordfish"}):
        library.error("headers %s and %d", {"Authorization": f"Bearer {SECRET}"}, 7)
        try:
            raise ValueError(f"swordfish {SECRET}")
        except ValueError:
            library.exception("failed", stack_info=True)
        print(f"a line with {SECRET}")
        print("Authorization: Bearer of-someone-else", file=sys.stderr)
    library.removeHandler(handler)
    logged, shown = stream.getvalue(), capsys.readouterr()
    assert "ValueError: *** ***" in logged
    assert "and 7" in logged
    assert shown.out == "a line with ***\n"
    assert shown.err.endswith("Authorization: Bearer ***\n")
    for text in (logged, *shown):
        assert SECRET not in text
        assert "swordfish" not in text


def test_variables_that_are_no_secret_are_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "TOKENIZERS_PARALLELISM": "tokenizers",
        "HF_TOKEN_PATH": "/home/me/token",
        "DNC_TOKEN": "7",
        "MONKEY_NAME": "monkey-name",
    }.items():
        monkeypatch.setenv(name, value)
    text = "tokenizers /home/me/token 7 monkey-name"
    assert secrets.hide(text) == text


def test_commands_without_a_model(tmp_path: Path) -> None:
    """The environment alone: nothing of it is written down."""
    (tmp_path / "my.jsonl").write_text(
        '{"id": "1", "body": "Ana has 12 pens and 5 cups.", "question": "How many things?"}\n',
        encoding="utf-8",
    )
    commands = (
        ["build", "tiny-type-attack"],
        ["verify"],
        ["perturb", "my.jsonl", "--with", "type", "--out", "o.jsonl"],
        ["coverage", "tiny_dialogues", "--write", "coverage.md"],
        ["review", "tiny-type-attack", "-n", "2", "--html", "page.html"],
    )
    for words in commands:
        said = dnc(tmp_path, *words)
        assert f"{words[0]} ended with 0" in said
        search(tmp_path, said)


def test_train(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    small = [word for name in ("hidden", "embedding", "epochs", "beam") for word in ("--set", f"{name}=1")]
    said = dnc(tmp_path, "train", "gts", "--data", "tiny", *small)
    assert "train ended with 0" in said
    search(tmp_path, said)


@pytest.fixture
def failing_server() -> Iterator[str]:
    """A server that answers every request with HTTP 500."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_error(500)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}/v1/completions"
        serving.shutdown()


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server that has nothing, and what its visitors said of themselves."""
    stated: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stated.append(self.headers.get("Authorization", ""))
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{serving.server_port}", stated
        serving.shutdown()


def test_fetch_sends_user_and_password_and_shows_neither(
    tmp_path: Path, server: tuple[str, list[str]]
) -> None:
    host, stated = server
    own = {"DNC_CACHE": str(tmp_path / "cache"), "DNC_MIRROR": ""}
    said = dnc(tmp_path, "fetch", "svamp", DNC_UPSTREAM=f"http://me:{SECRET}@{host}/files", **own)
    assert "fetch ended with 1" in said
    assert f"http://{host}/files/" in said
    search(tmp_path, said)
    assert stated
    assert all(word.startswith("Basic ") for word in stated)


@pytest.mark.parametrize("command", ["attack", "candidates"])
def test_a_model_that_repeats_a_key(tmp_path: Path, command: str) -> None:
    (tmp_path / "echo.py").write_text(
        f"def answer(texts):\n    return ['your key is {SECRET}'] * len(texts)\n", encoding="utf-8"
    )
    (tmp_path / "my.jsonl").write_text(
        '{"id": "1", "body": "Ana has 12 pens and 5 cups.", "question": "How many things?"}\n',
        encoding="utf-8",
    )
    model = "python:echo:answer"
    words = {
        "attack": ["attack", "tiny", "-n", "2", "--model", model, "--out", "out"],
        "candidates": ["candidates", "my.jsonl", "--writer", model, "--out", "out/c.jsonl"],
    }
    said = dnc(tmp_path, *words[command])
    (tmp_path / "echo.py").unlink()
    assert f"{command} ended with 0" in said
    assert any(
        b"your key is ***" in path.read_bytes() for path in (tmp_path / "out").iterdir() if path.is_file()
    )
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    search(tmp_path, said)


def test_no_key_is_written_to_a_record_or_a_log_of_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server or a model may repeat the key that it was sent."""
    from dnc_harness.answer_log import AnswerLog, Request
    from dnc_metrics import record
    from dnc_metrics.record import Outcome, Provenance, Record, System

    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    secrets.remember({"api_key": 'key"of-the-arguments', "header": {"Authorization": "Bearer of-the-header"}})
    secrets.remember({"base_url": "http://me:of-the-user@127.0.0.1:9/v1?k=of-the-query"})
    basic = base64.b64encode(b"me:of-the-user").decode()
    reply = (
        f'You sent sk-of-the-environment, key"of-the-arguments, of-the-query, {basic} and of-the-header; '
        "'Authorization': 'Bearer abcd1234'. Basic 12345 skills."
    )
    made = Record(System("toy", "predictions", {"note": reply}), Provenance("dnc score", "0"), ())
    record.write(made, [Outcome("tiny|direct", "a", True, "right", reply=reply)], tmp_path)
    log = AnswerLog(tmp_path / "answers.jsonl")
    log.add([Request("t", "1", "q", {})], reply)
    log.add_fault([Request("t", "2", "r", {})], reply)
    log.close()
    clean = "You sent ***, ***, ***, *** and ***; 'Authorization': 'Bearer ***'. Basic 12345 skills."
    assert [one.reply for one in record.outcomes(tmp_path, record.load(tmp_path))] == [clean]
    assert list(log.replies.values()) == [clean]
    for name in ("record.json", "record.rows.jsonl", "answers.jsonl"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert not any(secret in text for secret in ("of-the", "abcd1234", basic)), name
