"""Every command and snippet of the READMEs runs as written, only smaller, offline and in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "harness_tasks/README.md")
# How a command begins -> why it is not run here.
NOT_RUN = {
    "make diagnose": "it is a run of some minutes; what it calls has tests of its own",
    "make test": "it is this",
    "pip install": "make release-check installs the package in empty environments",
    "dnc diagnose --model api": "it takes a server; tests/harness_tasks/test_own_model.py has one",
    "dnc diagnose --predictions": "it takes replies of one's own; tests/harness_tasks/test_own_model.py has them",
    "dnc compare": "it takes two systems; tests/leaderboard runs it",
}
# What represents a reader's own thing, and what makes a run short: the words of a README -> those that are run.
SMALLER = {
    r"dnc build tiny$": "dnc build tiny-verbosity-attack",
    r"dnc show (tiny\S+)( --plugin .*)?$": r"dnc show \1 -n 1\2",
    r"(dnc eval .*--tasks .*)$": r"\1 --limit 1 --gen-kwargs max_gen_toks=4",
    r"(dnc diagnose --model hf:)\S+$": r"\1name --limit 1",
    r"results/NAME": "results/name",  # an upper-case name would get a short hash
    r"(dnc diagnose --model python:\S+)$": r"\1 --limit 1",
    r"(lm_eval .*)$": r"\1 --limit 1 --gen_kwargs max_gen_toks=4",
    r"(lm_eval .*--tasks )dnc_\w+": r"\1dnc_tiny_passages_original",
    r"(dnc eval .*--tasks )dnc_\w+": r"\1dnc_tiny_passages",
    r"pretrained=(?:MODEL|\.\.\.)": "pretrained=NAME",
    r"hf:FOLDER_OR_NAME": "hf:NAME",
    r"(dnc eval .*--apply-chat-template.*--out )results/": r"\1chat/",
    r"--model PROVIDER/MODEL": "--model hf/local -M model_path=NAME -M do_sample=false --limit 1 --display none",
}
PROBLEM = {
    "id": "1", "body": "Ana has 12 pens.", "question": "How many has she with 30 more?", "equation": "12 + 30",
    "answer": "42",
}  # fmt: skip
# Several commands in one process, which takes a tenth of the time.
DRIVER = """
import json, shlex, sys
from dnc_datasets.cli import main

if __name__ == "__main__":
    for command in json.loads(sys.argv[1]):
        print("$", command, flush=True)
        code = main(shlex.split(command)[1:])
        assert code == 0, f"{command}: {code}"
        if "--questions" in command:  # the reader asks the questions elsewhere
            rows = [json.loads(line) for line in open("asked.jsonl", encoding="utf-8")]
            with open("answered.jsonl", "w", encoding="utf-8") as file:
                file.writelines(json.dumps({**row, "output": "42"}) + "\\n" for row in rows)
"""


def commands(page: str) -> Iterator[str]:
    """The commands of a page: the blocks that are indented by four, without comments."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    for block in re.findall(r"(?:^    .*\n)+", text, re.M):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if command := re.sub(r"(?:^|\s+)#\s.*$", "", line).strip():
                yield command


def snippets(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def shortened(command: str) -> str:
    for words, smaller in SMALLER.items():
        command = re.sub(words, smaller, command)
    return command


def wanted(*programs: str) -> list[str]:
    """The commands of all pages that call one of these programs, as they are run."""
    every = [command for page in PAGES for command in commands(page)]
    return [
        shortened(command)
        for command in every
        if command.split()[0] in programs and not command.startswith(tuple(NOT_RUN))
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader's folder: problems, a function, and the model NAME, a random one of some thousand weights."""
    here = tmp_path_factory.mktemp("reader")
    (here / "my.jsonl").write_text(json.dumps(PROBLEM) + "\n", encoding="utf-8")
    (here / "mine.csv").write_text(
        ",".join(PROBLEM) + "\n" + ",".join(PROBLEM.values()) + "\n", encoding="utf-8"
    )
    (here / "my_module.py").write_text(
        "def answer(prompts):\n    return ['42' for _ in prompts]\n", encoding="utf-8"
    )
    (here / "driver.py").write_text(DRIVER, encoding="utf-8")
    (here / "examples").symlink_to(ROOT / "examples")
    return here


@pytest.fixture(scope="module")
def language_model(folder: Path) -> Path:
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = {symbol: at for at, symbol in enumerate(["<end>", *pre_tokenizers.ByteLevel.alphabet()])}
    tokenizer = Tokenizer(models.BPE(vocab=letters, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>"
    )
    fast.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    fast.save_pretrained(folder / "NAME")
    config = transformers.LlamaConfig(
        vocab_size=len(letters), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=4096, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder / "NAME")
    (folder / "name").symlink_to(folder / "NAME")
    return folder / "NAME"


def run(words: list[str] | str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "DNC_CACHE": str(folder / "cache"),
    }
    done = subprocess.run(
        words, shell=isinstance(words, str), cwd=folder, env=environment, capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, f"{words}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_every_command_is_run_or_left_out_for_a_reason() -> None:
    for page in PAGES:
        for command in commands(page):
            runs = command.split()[0] in ("dnc", "lm_eval", "inspect")
            assert runs or any(command.startswith(start) for start in NOT_RUN), f"{page}: {command}"
    for start in NOT_RUN:
        assert any(command.startswith(start) for command in commands("README.md")), f"{start} is gone"


def test_commands_of_dnc(folder: Path, language_model: Path) -> None:
    pytest.importorskip("lm_eval")
    given = wanted("dnc")
    assert len(given) > 12
    run([sys.executable, "driver.py", json.dumps(given)], folder)
    assert (folder / "results" / "mine" / "record.json").is_file()


def test_commands_of_lm_eval(folder: Path, language_model: Path) -> None:
    pytest.importorskip("lm_eval")
    given = wanted("lm_eval")
    assert len(given) == 2  # one in each page; they differ in the order of their words only
    assert "dnc_tiny_passages_original" in run(given[0], folder)


def test_commands_of_inspect(folder: Path, language_model: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    given = wanted("inspect")
    assert len(given) == 3
    run(given[0], folder)
    (path,) = (folder / "logs").glob("*.eval")
    assert log.read_eval_log(str(path), header_only=True).status == "success", (
        "inspect exits with 0 in any case"
    )


def test_snippets(folder: Path) -> None:
    """All in one session, in their order."""
    code = "\n".join(text for page in PAGES for text in snippets(page))
    assert "load_dataset" in code
    assert "evaluate.load" in code
    run([sys.executable, "-c", code], folder)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900
