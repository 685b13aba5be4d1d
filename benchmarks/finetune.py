"""Tokens per second and peak memory of `dnc research finetune`'s loop against transformers' own Trainer.

    python benchmarks/finetune.py --out benchmarks/results/finetune.json

Both have the same T5 with random weights (about 8 million), problems, batch size and optimizer. Texts have
equal length, or mixed lengths as in real data. Both alternate, each turn in a separate process. Seconds are
processor seconds of one thread, so that other load has little effect. Tokens are those of texts and targets,
without padding. The Trainer has its default settings: it pads each batch to its longest text and draws
batches at random.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from dnc_datasets import atomic
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem

ROWS, BATCH, TURNS = 128, 16, 2
WORDS = [f"word{i}" for i in range(1500)]
KINDS = ("equal", "mixed")
LOOPS = ("ours", "trainer")


def problems(kind: str) -> list[Problem]:
    """Return problems of 64 words, or of 12 to 250 words with more short ones."""
    problems = []
    for index in range(ROWS):
        draw = Draw(0, "benchmark", str(index), kind)
        length = 64 if kind == "equal" else int(12 * (250 / 12) ** (draw.integer(0, 1000) / 1000))
        body = " ".join(WORDS[draw.integer(0, len(WORDS) - 1)] for _ in range(length))
        a, b = draw.integer(10, 99), draw.integer(10, 99)
        problems.append(Problem(str(index), body, "How many?", equation=f"{a} + {b}", answer=str(a + b)))
    return problems


def make_model(folder: Path) -> None:
    """Save a T5 with random weights and a word-level tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    known = ["<pad>", "</s>", "<unk>", "How", "many", "?", *"+-*/", *map(str, range(200)), *WORDS]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(known)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(known), d_model=256, d_kv=64, d_ff=1024, num_layers=4, num_heads=4, dropout_rate=0.1,
        decoder_start_token_id=0,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    fast.save_pretrained(folder)


def turn(loop_name: str, kind: str, folder: Path) -> dict[str, float]:
    """Run one epoch of one of the loops, and return its figures."""
    import torch

    from dnc_trainers import loop
    from dnc_trainers.finetuning.config import from_preset
    from dnc_trainers.finetuning.learner import FinetuneLearner

    torch.set_num_threads(1)
    config = from_preset(str(folder), "default", {"epochs": 1, "batch": BATCH})
    learner = FinetuneLearner(config, problems(kind), [])
    assert not learner.dropped
    tokens = sum(len(example.source) + len(example.target or ()) for example in learner.train.examples)
    if loop_name == "ours":
        accelerator = loop.make_accelerator(config)
        began = time.process_time()
        loop.fit(learner, config, accelerator=accelerator)
    else:
        trainer = _trainer(learner, folder)
        began = time.process_time()
        trainer.train()
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"tokens_per_second": round(tokens / seconds, 1), "peak_megabytes": round(memory, 1)}


def _trainer(learner: Any, folder: Path) -> Any:
    """Return transformers' Trainer over the same examples."""
    from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

    config, tokenizer = learner.config, learner.pretrained.tokenizer
    rows = [
        {"input_ids": list(one.source), "attention_mask": [1] * len(one.source), "labels": list(one.target)}
        for one in learner.train.examples
    ]
    arguments = Seq2SeqTrainingArguments(
        output_dir=str(folder / "out"), num_train_epochs=1, per_device_train_batch_size=BATCH, use_cpu=True,
        learning_rate=config.lr, weight_decay=config.weight_decay, lr_scheduler_type="cosine",
        warmup_steps=1, max_grad_norm=config.clip, optim="adamw_torch_fused", save_strategy="no",
        logging_strategy="no", report_to=[], disable_tqdm=True, dataloader_pin_memory=False,
    )  # fmt: skip
    return Seq2SeqTrainer(
        model=learner.pretrained.network,
        args=arguments,
        train_dataset=rows,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=learner.pretrained.network),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--turn", nargs=3, metavar=("LOOP", "KIND", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.turn:
        name, kind, folder = arguments.turn
        print(json.dumps(turn(name, kind, Path(folder))))
        return
    report: dict[str, Any] = {"rows": ROWS, "batch": BATCH, "python": platform.python_version()}
    with tempfile.TemporaryDirectory() as place:
        make_model(Path(place))
        for kind in KINDS:
            turns: dict[str, list[dict[str, float]]] = {name: [] for name in LOOPS}
            for _ in range(TURNS):
                for name in LOOPS:
                    command = [sys.executable, __file__, "--turn", name, kind, place]
                    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    turns[name].append(json.loads(output.splitlines()[-1]))
            found = {
                name: {key: round(median(one[key] for one in made), 1) for key in made[0]}
                for name, made in turns.items()
            }
            times = found["ours"]["tokens_per_second"] / found["trainer"]["tokens_per_second"]
            report[kind] = {**found, "times_faster": round(times, 2)}
            print(kind, json.dumps(report[kind]), flush=True)
    if arguments.out:
        atomic.write_text(arguments.out, json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
