"""Models are loaded from safetensors, and from this machine unless the user asks; no reader waits for a pipe."""

from __future__ import annotations

import ast
import importlib
import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dnc_datasets import escaping, review
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import Row

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("dnc_datasets", "metrics", "harness_tasks", "trainers", "leaderboard", "benchmarks")
# Files of numbers that are no safetensors and run no code either.
GGUF = "smollm.py"


def loads(code: str) -> Iterator[tuple[int, str, set[str]]]:
    """Every call of `X.from_pretrained`: line, X, and the options given by name (** represents any)."""
    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "from_pretrained"
        ):
            yield node.lineno, ast.unparse(node.func.value), {word.arg or "**" for word in node.keywords}


def test_every_model_is_loaded_from_safetensors_and_offline_unless_asked() -> None:
    seen = 0
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for line, what, options in loads(path.read_text(encoding="utf-8")):
                seen += 1
                assert options & {"local_files_only", "**"}, f"{path}, line {line}"
                if "Tokenizer" not in what and "Config" not in what and path.name != GGUF:
                    assert "use_safetensors" in options, f"{path}, line {line}"
    assert seen >= 10


def test_weights_that_could_run_code_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    from dnc_trainers.config import Config
    from dnc_trainers.solvers.encoders import Pretrained

    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0, "</s>": 1}, unk_token="<unk>"))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", pad_token="</s>"
    ).save_pretrained(tmp_path)
    network = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=2, hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4
        )
    )
    network.save_pretrained(tmp_path)
    Pretrained(Config(encoder=str(tmp_path), hidden=4))
    torch.save(network.state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "model.safetensors").unlink()
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("torch.load was reached"))
    with pytest.raises(DncError, match="safetensors"):
        Pretrained(Config(encoder=str(tmp_path), hidden=4))


def test_a_hub_name_does_not_go_online(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from dnc_datasets.english.rewording.paraphrase_model import paraphraser
    from dnc_trainers.config import Config
    from dnc_trainers.solvers.encoders import Pretrained

    def connected(*_: object, **__: object) -> None:
        pytest.fail("a connection was asked for")

    monkeypatch.delenv("DNC_ONLINE", raising=False)
    monkeypatch.setattr("socket.socket.connect", connected)
    monkeypatch.setattr("socket.getaddrinfo", connected)
    for load in (lambda: Pretrained(Config(encoder="someone/encoder")), lambda: paraphraser("someone/model")):
        with pytest.raises(DncError, match="DNC_ONLINE=1"):
            load()


NASTY = "a|b\n# <img src=x onerror=alert(1)> `code` [x](javascript:alert(1)) **bold** {pairs} </script><!--"


READERS = (
    "answer log", "attack", "built folder", "card", "checkpoint", "inspect", "lm-eval", "mark", "marks", "own problems",
    "page", "perturbed file", "plan", "predictions", "record", "settings", "source", "submission",
)  # fmt: skip


def _become(file: Path, kind: str) -> None:
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "link to itself":
        file.symlink_to(file.name)
    else:
        file.mkdir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_or_a_device_in_place_of_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    """Every file that `make fuzz` mutates, replaced by something that a reader could wait for without end."""
    monkeypatch.syspath_prepend(str(ROOT))
    cases = importlib.import_module("tests.fuzz_readers").CASES
    assert sorted(cases) == sorted(READERS)

    def stop(*_: object) -> None:
        raise AssertionError(f"{reader} waits for a pipe or a device")

    previous = signal.signal(signal.SIGALRM, stop)
    at = 0
    try:
        while True:
            for kind in ("pipe", "device", "link to itself", "folder"):
                folder = tmp_path / f"{at} {kind}"
                folder.mkdir()
                read = cases[reader][1](folder, random.Random(5))
                files = sorted(path for path in folder.rglob("*") if path.is_file())
                if at == len(files):
                    return
                _become(files[at], kind)
                signal.alarm(60)
                try:
                    read(folder)
                except DncError:
                    pass
                finally:
                    signal.alarm(0)
            at += 1
    finally:
        signal.signal(signal.SIGALRM, previous)


def test_names_in_markdown_stay_names() -> None:
    shown = escaping.markdown(NASTY)
    assert "\n" not in shown
    assert "](" not in shown
    for special in "|<>`*":
        assert all(shown[at - 1] == "\\" for at, char in enumerate(shown) if char == special)
    assert escaping.code(NASTY).count("`") == 2


def test_names_on_the_review_page_stay_names() -> None:
    row = Row(Problem(NASTY, NASTY, "How many?", answer="1"), Problem(NASTY, "x", "How many?", answer="1"))
    page = review.page([row], NASTY, NASTY)
    assert "<img" not in page
    assert page.count("</script>") == page.count("<section") == 1
    assert "<!--<" not in page.replace("<!-- written by dnc research review -->", "")
    (data,) = (line for line in page.splitlines() if line.startswith("const about="))
    assert json.loads(data.partition("=")[2].partition(', form="')[0])["judge"] == NASTY


BUILT_IN = {"eval", "exec", "compile", "__import__"}
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
ANYWHERE = {"parse_expr", "sympify"}


def dangerous(code: str) -> Iterator[str]:
    """Uses of the built-ins (not of methods such as model.eval()), of unpicklers, and of sympy's parser."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and node.id in BUILT_IN | MODULES | ANYWHERE:
            yield f"line {node.lineno}: {node.id}"
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in ANYWHERE or (owner == "builtins" and node.attr in BUILT_IN):
                yield f"line {node.lineno}: {owner}.{node.attr}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            yield from (f"line {node.lineno}: import {name}" for name in names if name in MODULES | ANYWHERE)


@pytest.mark.parametrize("folder", PACKAGES)
def test_nothing_is_evaluated(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} {use}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for use in dangerous(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)",
        "map(eval, rows)",
        "exec(code)",
        "import builtins\nbuiltins.eval('1')",
        "import pickle",
        "from pickle import load",
        "import sympy\nsympy.parse_expr('1')",
        "__import__('os')",
    ],
)
def test_the_search_finds_it(code: str) -> None:
    assert list(dangerous(code))


@pytest.mark.parametrize(
    "code", ["model.eval()", "lm_eval(1)", "import lm_eval", "x = 'eval(1)'  # eval(", "re.compile('a')"]
)
def test_the_search_lets_pass(code: str) -> None:
    assert not list(dangerous(code))
