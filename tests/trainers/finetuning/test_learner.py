"""Every family learns 32 problems by heart; what is saved loads elsewhere and writes the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from dnc_datasets import perturbations
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import perturb
from dnc_trainers import load_solver, loop
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.finetuning.config import Finetuning, from_preset
from dnc_trainers.finetuning.learner import FinetuneLearner, train
from dnc_trainers.finetuning.pretrained import PretrainedError

Make = Callable[[str], Path]


def settings(model: Path, **changes: Any) -> Finetuning:
    writes_only = model.name in ("tiny-gpt2", "tiny-llama")
    # Enough epochs that processors whose sums differ in the last bit all learn every problem.
    given: dict[str, Any] = {"lr": 5e-3 if writes_only else 3e-3, "epochs": 60}
    given |= {"batch": 8, "warmup": 0.1, "checkpoint_seconds": 1e9}
    return from_preset(str(model), "default", {**given, **changes})


def logits(network: Any, learner: FinetuneLearner) -> torch.Tensor:
    batch = learner.train.batch([0, 1, 2])
    given = {"input_ids": batch.ids, "attention_mask": batch.mask}
    if learner.pretrained.encoder_decoder:
        given["labels"] = batch.labels
    with torch.no_grad():
        found: torch.Tensor = network.eval()(**given).logits
    return found


@pytest.mark.parametrize("family", ["t5", "t5_untied", "bart", "gpt2", "llama"])
def test_overfits_and_is_saved_as_a_plain_folder(
    family: str, make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    learner, _ = train(settings(make_model(family)), tiny, [], folder=tmp_path)
    assert learner.dropped == 0
    answers = learner.solve(tiny)
    # Sums that differ in the last bit between processors may cost one problem.
    correct = [answer for answer in answers if answer.correct]
    assert len(correct) >= len(tiny) - 1
    assert all(answer.same_equation for answer in correct)

    before = logits(learner.model.network, learner)
    family_of = AutoModelForSeq2SeqLM if learner.pretrained.encoder_decoder else AutoModelForCausalLM
    there = family_of.from_pretrained(tmp_path / "model")
    assert torch.equal(logits(there, learner), before)
    written, read = there.get_output_embeddings().weight, there.get_input_embeddings().weight
    assert (written is read) == (family != "t5_untied")
    text = "Ann has 7 pens."
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    assert tokenizer(text)["input_ids"] == learner.pretrained.tokenizer(text)["input_ids"]
    # As a solver it answers problems, and texts that are cut into what they tell and ask.
    solver = load_solver(tmp_path)
    assert [found.text for found in solver.answers(tiny)] == [answer.value for answer in answers]
    assert [found.text for found in solver.answers([problem.text for problem in tiny])] == [
        answer.value for answer in answers
    ]
    # The same command again loads what is there.
    again, history = train(settings(make_model(family)), tiny, [], folder=tmp_path)
    assert len(history.epochs) == again.config.epochs
    assert torch.equal(logits(again.model.network, again), before)


def test_damaged_model_is_not_taken(make_model: Make, tiny: list[Problem], tmp_path: Path) -> None:
    config = settings(make_model("gpt2"), epochs=1)
    train(config, tiny[:8], [], folder=tmp_path)
    weights = tmp_path / "model" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    for taken in (lambda: train(config, tiny[:8], [], folder=tmp_path), lambda: load_solver(tmp_path)):
        with pytest.raises(
            CheckpointError, match=r"is not the model that this run saved; remove .*model\.json"
        ):
            taken()


@pytest.mark.parametrize(
    "changes",
    [
        {"target": "answer"},
        {"target": "equation_answer", "target_length": 40, "decoding": "grammar"},
        {"numbers": "slots", "decoding": "grammar", "beam": 3},
        {"form": "chat"},
    ],
    ids=lambda changes: "-".join(map(str, changes.values())),
)
def test_forms_are_learnt(changes: dict[str, Any], make_model: Make, tiny: list[Problem]) -> None:
    """A model learns eight problems by heart in every form."""
    learner, _ = train(settings(make_model("llama"), batch=4, epochs=80, **changes), tiny[:8], [])
    assert learner.dropped == 0
    answers = learner.solve(tiny[:8])
    assert [answer.id for answer in answers if not answer.correct] == []
    assert all(answer.same_equation for answer in answers) == (changes.get("target") != "answer")


@pytest.mark.parametrize("family", ["t5", "bart", "llama"])
def test_untrained_model_writes_expressions_under_the_grammar(
    family: str, make_model: Make, tiny: list[Problem]
) -> None:
    """Random weights: freely decoded nothing can be read, constrained everything can."""
    free, bound = (
        FinetuneLearner(settings(make_model(family), decoding=how, target_length=12), tiny, [])
        for how in ("free", "grammar")
    )
    assert not any(answer.equation for answer in free.solve(tiny))
    assert all(answer.equation for answer in bound.solve(tiny))
    assert all(answer.equation for answer in bound.solve(tiny[:8], beam=3))


def _gradients(config: Finetuning, tiny: list[Problem]) -> list[torch.Tensor]:
    learner = FinetuneLearner(config, tiny, [])
    learner.model.train()
    run = loop._Run(learner, config, None, loop.make_accelerator(config))
    run._backward(list(range(11)), config.accumulate)
    return [p.grad for p in learner.model.parameters() if p.grad is not None]


@pytest.mark.parametrize("changes", [{"accumulate": 3}, {"checkpointing": True}], ids=["parts", "again"])
@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_less_memory_gives_the_same_gradients(
    family: str, changes: dict[str, Any], make_model: Make, tiny: list[Problem]
) -> None:
    model = make_model(family)
    whole, other = (_gradients(settings(model, **given), tiny) for given in ({}, changes))
    assert len(whole) == len(other)
    for a, b in zip(whole, other, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_prompts_are_not_learnt(make_model: Make, tiny: list[Problem]) -> None:
    """The loss is over the answer's tokens alone, in the chat form too, and equals transformers' own."""
    for form in ("plain", "chat"):
        learner = FinetuneLearner(settings(make_model("llama"), form=form), tiny, [])
        batch = learner.train.batch(range(6))
        kept = [example.target for example in learner.train.examples[:6]]
        assert batch.symbols() == sum(len(target or ()) for target in kept)
        labels = torch.full_like(batch.ids, -100)
        labels[:, -batch.labels.shape[1] :] = batch.labels
        with torch.no_grad():
            ours = learner.model.eval()(batch)
            theirs = learner.model.network(
                input_ids=batch.ids,
                attention_mask=batch.mask,
                position_ids=(batch.mask.cumsum(1) - 1).clamp(min=0),
                labels=labels,
            ).loss
        torch.testing.assert_close(ours, theirs)


def test_padding_changes_nothing(make_model: Make, tiny: list[Problem]) -> None:
    """A row decodes to the same text alone and beside longer ones."""
    for family in ("gpt2", "t5"):
        learner = FinetuneLearner(settings(make_model(family), eval_batch=32, target_length=8), tiny, [])
        accelerator = loop.make_accelerator(learner.config)
        together = learner._write(learner.train, 1, accelerator)
        learner.config = settings(make_model(family), eval_batch=1, target_length=8)
        assert learner._write(learner.train, 1, accelerator) == together


def test_too_long_problems_are_counted_never_cut(
    make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    long = tiny[0].replace(id="long", body=f"{tiny[0].body} " * 40)
    for family in ("bart", "gpt2"):
        learner = FinetuneLearner(settings(make_model(family)), [*tiny[:8], long], [])
        assert (learner.dropped, learner.train.too_long, learner.unread([*tiny, long])) == (1, 1, 1)
        assert 8 not in {row for rows in learner.order(0) for row in rows}
        answer = learner.solve([long])[0]
        assert (answer.equation, answer.correct) == ("", False)
    # T5 has no places that could run out; its tokenizer's limit is a default.
    learner = FinetuneLearner(settings(make_model("t5"), source_length=5000), [*tiny[:8], long], [])
    assert (learner.dropped, learner.train.too_long) == (0, 0)
    with pytest.raises(PretrainedError, match="positions for 256 tokens only"):
        FinetuneLearner(settings(make_model("gpt2"), source_length=5000), tiny, [])


def test_lora_is_merged_when_saved(make_model: Make, tiny: list[Problem], tmp_path: Path) -> None:
    pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    config = settings(make_model("gpt2"), lora=4, epochs=2)
    start = FinetuneLearner(config, tiny, [])
    learner, _ = train(config, tiny, [], folder=tmp_path)
    there = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    assert torch.equal(logits(there, learner), logits(learner.model.network, learner))
    assert not torch.equal(logits(there, learner), logits(start.model.network, start))
    # The frozen weights stay what they were: training changed the linear layers only.
    assert torch.equal(there.transformer.wpe.weight, start.pretrained.network.transformer.wpe.weight)


def test_a_stopped_lora_run_ends_with_the_same_weights(
    make_model: Make, tiny: list[Problem], tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    config = settings(make_model("gpt2"), lora=4, epochs=3, checkpoint_seconds=0)
    straight, _ = train(config, tiny[:16], tiny[:4], folder=tmp_path / "straight")

    def stop(note: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, tiny[:16], tiny[:4], folder=tmp_path / "run", progress=stop)
    # Only what is trained is written: the frozen weights are as the model came.
    (file,) = (tmp_path / "run").glob("best-*.safetensors")
    assert file.stat().st_size < (make_model("gpt2") / "model.safetensors").stat().st_size / 2
    resumed, _ = train(config, tiny[:16], tiny[:4], folder=tmp_path / "run")
    assert torch.equal(logits(resumed.model.network, resumed), logits(straight.model.network, straight))


def test_lora_without_peft(make_model: Make, tiny: list[Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(PretrainedError, match=r"pip install .*\[lora\]"):
        FinetuneLearner(settings(make_model("gpt2"), lora=4), tiny, [])


def test_yes_and_no_are_learnt_beside_numbers(make_model: Make, tiny: list[Problem], tmp_path: Path) -> None:
    asked = perturbations.get("append_bool")
    rows = [perturb(problem, (asked,), dataset="tiny") for problem in tiny[:8]]
    problems = [*tiny[:8], *(row.problem for row in rows if row.original)]
    assert {"yes", "no"} <= {problem.answer for problem in problems}
    learner, _ = train(settings(make_model("t5"), target="answer", epochs=100), problems, [], folder=tmp_path)
    answers = learner.solve(problems)
    assert [answer.output for answer in answers] == [problem.answer for problem in problems]
    assert all(answer.correct for answer in answers)
