"""No secret that a user gives a command, in any of these forms, is in a file that it writes or on the screen."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import recorded

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
            "PYTHONPATH": os.pathsep.join((str(HERE / "harness_tasks"), str(folder))),
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
    shown = json.dumps(recorded.arguments({"model": "m", "max_gen_toks": 7, **FORMS[form]}))
    assert SECRET not in shown
    assert {"model": "m", "max_gen_toks": 7}.items() <= json.loads(shown).items()
    message = f"error at http://me:{SECRET}@127.0.0.1:9/v1?api-key={SECRET} with {FORMS[form]}"
    assert SECRET not in recorded.hidden(message, FORMS[form])
    text = ",".join(f"{name}={value}" for name, value in FORMS[form].items())
    assert SECRET not in recorded.model(f"lm_eval:local-completions:model=m,{text},max_gen_toks=7")


def test_a_number_may_be_a_secret_too() -> None:
    given = {"passwd": int(NUMBER), "timeout": 300}
    assert recorded.hidden(f"{NUMBER} after 300 s", given) == "*** after 300 s"


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
    assert "the model stopped answering" in said
    search(tmp_path, said)


def test_commands_without_a_model(tmp_path: Path) -> None:
    """The environment alone: nothing of it is written down."""
    (tmp_path / "my.jsonl").write_text(
        '{"id": "1", "body": "Ana has 12 pens and 5 cups.", "question": "How many things?"}\n',
        encoding="utf-8",
    )
    commands = (
        ["build", "tiny", "tiny-type-attack"],
        ["verify"],
        ["perturb", "my.jsonl", "--with", "type", "--out", "o.jsonl"],
        ["coverage", "tiny_tables", "--write", "coverage.md"],
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
def server() -> Iterator[tuple[str, list[str]]]:
    """A server that has nothing, and what its visitors said of themselves."""
    told: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.append(self.headers.get("Authorization", ""))
            self.send_error(404)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{serving.server_port}", told
        serving.shutdown()


def test_fetch_sends_user_and_password_and_shows_neither(
    tmp_path: Path, server: tuple[str, list[str]]
) -> None:
    host, told = server
    own = {"DNC_CACHE": str(tmp_path / "cache"), "DNC_MIRROR": ""}
    said = dnc(tmp_path, "fetch", "svamp", DNC_UPSTREAM=f"http://me:{SECRET}@{host}/files", **own)
    assert "fetch ended with 1" in said
    assert f"http://{host}/files/" in said
    search(tmp_path, said)
    assert told
    assert all(word.startswith("Basic ") for word in told)
