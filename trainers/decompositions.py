"""Models for decompositions, fine-tuned to write the steps of a question or the question of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dnc_datasets import expression
from dnc_datasets.english.rewording.choices import choice
from dnc_datasets.english.rewording.passage_yes_no import passage_gap
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations.replace_bool import neither
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.steps import Decomposition, Operator, fault, parse_steps, write_steps
from dnc_metrics import decompositions
from dnc_trainers import loop
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.examples import Examples
from dnc_trainers.finetuning.learner import FinetuneLearner

DIRECTIONS = ("question-to-decomposition", "decomposition-to-question")
# The default maximum of tokens of steps or a question.
TARGET_LENGTH = 128
_BATCH = 16


def pairs(problems: Sequence[Problem], direction: str, *, patterns: bool = False) -> list[Problem]:
    """Return questions with decompositions (in `meta`) as pairs of input and target.

    With `patterns`, if questions are the target, pairs that rules derive from a question and its changed
    steps are added: a comparison with a number, the opposite of a choice, and the negation.
    """
    if direction not in DIRECTIONS:
        raise DncError(f"there is no direction {direction!r}; use {' or '.join(DIRECTIONS)}")
    examples = [
        _pair(problem.id, problem.question, parse_steps(problem.note("qdmr")), direction)
        for problem in problems
    ]
    if patterns and direction == DIRECTIONS[1]:
        for problem in problems:
            examples += [_pair(*one, direction) for one in _patterns(problem)]
    return examples


def _pair(row: str, question: str, steps: Decomposition, direction: str) -> Problem:
    read, written = question, write_steps(steps)
    if direction == DIRECTIONS[1]:
        read, written = written, read
    return Problem(row, "", read, answer=written, answer_type="decomposition")


def _patterns(problem: Problem) -> list[tuple[str, str, Decomposition]]:
    steps = parse_steps(problem.note("qdmr"))
    examples = []
    gap = passage_gap(problem.question)
    if gap is not None and steps[-1].operator in (Operator.AGGREGATE, Operator.ARITHMETIC):
        for words, relation, value in (("more than", "higher", 12), ("fewer than", "lower", 5)):
            filled = gap.question.replace("{}", f"{words} {value} {gap.noun}")
            new = transform.append_bool(steps, relation, expression.canonical(Fraction(value)))
            examples.append((f"{problem.id}#{relation}", filled, new.steps))
    offered = choice(problem.question)
    changed = transform.replace_comp(steps)
    if offered is not None and changed is not None and (opposite := offered.opposite()):
        examples.append((f"{problem.id}#other", opposite, changed.steps))
    negated, changed = neither(problem.question), transform.replace_bool(steps)
    if negated is not None and changed is not None:
        examples.append((f"{problem.id}#neither", negated, changed.steps))
    return examples


# The suffix of the id of a pair that a rule made -> the perturbation of its steps.
PATTERNS = {
    "higher": "append_bool",
    "lower": "append_bool",
    "other": "replace_comp",
    "neither": "replace_bool",
}


def made_by(row: str) -> str:
    """Return the perturbation that made the pair with this id; empty for a pair of the source."""
    return PATTERNS.get(row.rpartition("#")[2], "")


class TextLearner(FinetuneLearner):
    """A pretrained model fine-tuned to write texts, validated by the similarity to the reference text."""

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Return the mean SARI of the texts against the reference question or steps."""
        scores = self.scores(self.validated, accelerator)
        return {"accuracy": scores["sari"], **scores}

    def scores(self, examples: Examples, accelerator: Any) -> dict[str, float]:
        """Return exact match and SARI of the texts for these examples; for steps also operator accuracy."""
        texts = self._write(examples, 1, accelerator)
        rows = [example.problem for example in examples.examples]
        return score(rows, [texts.get(row, "") for row in range(len(rows))])

    def score(self, problems: Sequence[Problem], accelerator: Any = None) -> dict[str, float]:
        """Return the scores of the model on other problems."""
        accelerator = accelerator or loop.make_accelerator(self.config)
        return self.scores(Examples(problems, self.pretrained, self.config), accelerator)


def score(problems: Sequence[Problem], texts: Sequence[str]) -> dict[str, float]:
    """Return exact match and SARI of texts against the targets; for steps also operators and validity."""
    count = max(len(problems), 1)
    steps = bool(problems) and problems[0].answer.startswith("return ")
    totals = {"rows": float(len(problems)), "exact_match": 0.0, "sari": 0.0}
    if steps:
        totals |= {"operator_accuracy": 0.0, "last_operator": 0.0, "well_formed": 0.0}
    for problem, text in zip(problems, texts, strict=True):
        if steps:
            one = decompositions.score(problem.question, text, problem.answer)
            predicted, gold = parse_steps(text), parse_steps(problem.answer)
            totals["exact_match"] += one.normalised / count
            totals["sari"] += one.sari / count
            totals["operator_accuracy"] += one.operators / count
            totals["last_operator"] += bool(predicted) and predicted[-1].operator is gold[-1].operator
            totals["well_formed"] += not fault(predicted)
        else:
            totals["exact_match"] += (text.strip().lower() == problem.answer.lower()) / count
            source, made_words, gold_words = (one.split() for one in (problem.question, text, problem.answer))
            totals["sari"] += decompositions.sari(source, made_words, gold_words) / count
    for name in ("last_operator", "well_formed"):
        if steps:
            totals[name] /= count
    return totals


@dataclass(frozen=True)
class Trained:
    """The folder of a trained model, and its scores on the test part."""

    folder: Path
    training_rows: int
    scores: dict[str, float]


def train(
    config: Finetuning,
    splits: dict[str, list[Problem]],
    direction: str,
    folder: Path,
    *,
    progress: Callable[[str], None] = lambda note: None,
) -> Trained:
    """Fine-tune a model in one direction on questions with decompositions, and score it on the test part."""
    training = pairs(splits["train"], direction, patterns=True)
    learner = TextLearner(config, training, pairs(splits["validation"], direction), direction)
    loop.fit(learner, config, folder, accelerator=loop.make_accelerator(config), progress=progress)
    return Trained(
        folder / loop.MODEL, len(training) - learner.dropped, learner.score(pairs(splits["test"], direction))
    )


def writer(model: str) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that writes a text for each input greedily, with the fine-tuned model in a folder."""
    config = Finetuning(model=model, target="answer", target_length=TARGET_LENGTH, eval_batch=_BATCH)
    learner = TextLearner(config, [], [], "texts")
    accelerator = loop.make_accelerator(config)

    def write(texts: Sequence[str]) -> list[str]:
        problems = [Problem(str(at), "", text, answer="") for at, text in enumerate(texts)]
        outputs = learner._write(Examples(problems, learner.pretrained, config), 1, accelerator)
        return [outputs.get(row, "") for row in range(len(texts))]

    return write


def reader(model: str) -> Callable[[str, str], str]:
    """Return a function that reads the answer span from a text with an extractive QA model in a folder."""
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    from dnc_datasets.files import hub

    try:
        with hub(online=False):
            tokenizer: Any = AutoTokenizer.from_pretrained(model, local_files_only=True)
            network: Any = AutoModelForQuestionAnswering.from_pretrained(
                model, use_safetensors=True, local_files_only=True
            )
    except (OSError, ValueError) as error:
        raise DncError(
            f"--reader {model} cannot be loaded ({str(error).splitlines()[0][:200]}); give the folder of an extractive "
            "question-answering model with weights as safetensors"
        ) from error
    network.eval()

    @torch.no_grad()
    def read(question: str, text: str) -> str:
        batch = tokenizer(
            question, text, truncation="only_second", return_offsets_mapping=True, return_tensors="pt"
        )
        places = batch.pop("offset_mapping")[0].tolist()
        inside = torch.tensor([part == 1 for part in batch.sequence_ids(0)])
        output = network(**batch)
        start = output.start_logits[0].masked_fill(~inside, float("-inf"))
        first = int(start.argmax())
        end = output.end_logits[0].masked_fill(~inside, float("-inf"))
        last = first + int(end[first : first + 15].argmax())
        return text[places[first][0] : places[last][1]].strip()

    return read
