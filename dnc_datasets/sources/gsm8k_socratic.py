"""GSM8K in its Socratic form: the same problems, with a question that a person wrote for each step of the solution."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dnc_datasets.problem import Problem
from dnc_datasets.sources import Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import read_json_lines
from dnc_datasets.sources.gsm8k import REPO, problem_of
from dnc_datasets.sources.gsm8k import SOURCE as GSM8K

# In meta: a JSON list of objects, `question` and the `value` that the step gives.
STEP_QUESTIONS = "step_questions"
_SPLITS = {
    split: PinnedFile(*REPO, f"grade_school_math/data/{split}_socratic.jsonl") for split in ("train", "test")
}


def read(files: Files, fold: str) -> Splits:
    """Read the problems of each available file. An id is that of the same problem in `gsm8k`."""
    return {split: list(_problems(split, files[file.path])) for split, file in _SPLITS.items()}


def _problems(split: str, path: Path) -> Iterator[Problem]:
    for number, record in enumerate(read_json_lines(path, ("question", "answer")), 1):
        asked, stated = _parted(record["answer"])
        problem = problem_of(f"{split}-{number}", record["question"], stated, path)
        meta = dict(problem.meta) | {STEP_QUESTIONS: json.dumps(asked, ensure_ascii=False)}
        yield problem.replace(meta=tuple(sorted(meta.items())))


def _parted(answer: str) -> tuple[list[dict[str, str]], str]:
    """Return the questions, each with the value of its step, and the solution without them."""
    asked = []
    stated = []
    for line in answer.splitlines():
        question, mark, step = line.partition(" ** ")
        stated.append(step if mark else line)
        if mark and step.count("<<") == 1 and "=" in step:
            value = step.partition("<<")[2].partition(">>")[0].rpartition("=")[2].strip()
            asked.append({"question": " ".join(question.split()), "value": value})
    return asked, "\n".join(stated)


SOURCE = Source(
    name="gsm8k_socratic",
    title="GSM8K in its Socratic form, with a question for each step",
    shape="word_problem",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="MIT",
    homepage=GSM8K.homepage,
    scope=GSM8K.scope,
    citation=GSM8K.citation,
    errata=GSM8K.errata,
    manual="The Socratic files are not pinned here. Download train_socratic.jsonl and test_socratic.jsonl from "
    "https://github.com/openai/grade-school-math (folder grade_school_math/data)",
)
