"""The training loop that every model goes through: accelerate, schedules, early stopping, exact resume."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from dnc_datasets import atomic
from dnc_datasets.draws import Draw
from dnc_trainers import checkpoint, processes
from dnc_trainers.checkpoint import cloned, distinct, ties
from dnc_trainers.config import Training
from dnc_trainers.processes import TrainingError

_LAST = "last"  # where a run goes on
_BEST = "best"  # the weights of the best epoch so far
MODEL = "model"  # what a finished run leaves


class Learner(Protocol):
    """What the loop trains: a model whose `forward(batch)` is the loss, its batches, and its validation."""

    model: nn.Module
    name: str  # what is learnt from what, for messages; part of what a checkpoint must agree on
    rows_sha256: str  # the digest of the training and validation rows, which the finished model names

    def order(self, epoch: int) -> list[list[int]]:
        """The rows of every batch of an epoch."""
        ...

    def batch(self, rows: Sequence[int], device: torch.device) -> Any:
        """These rows as the model's input."""
        ...

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Scores on validation data; "accuracy" chooses the epoch. Every process gets the same."""
        ...

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Leave the finished model in the run's folder; MODEL.json with the record is written last.

        `weights` are those that were trained, whole; the model itself has them too, or its part of them.
        """
        ...

    def load(self, folder: Path) -> None:
        """Take the weights of the finished model in the run's folder."""
        ...


@dataclass
class History:
    """What a run did: one record per epoch, and which epoch was the best."""

    epochs: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = -1
    best: float = -1.0
    seconds: float = 0.0

    def add(self, record: dict[str, float]) -> bool:
        """Add an epoch; is it the best so far? Of equal ones the later, which has seen more."""
        self.epochs.append(record)
        if record["accuracy"] < self.best:
            return False
        self.best, self.best_epoch = record["accuracy"], int(record["epoch"])
        return True


def make_accelerator(config: Training) -> Any:
    """An accelerate `Accelerator` for this machine."""
    from accelerate import Accelerator
    from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

    processes.check_launch()
    # A batch may leave parameters unused, e.g. those that merge subtrees.
    handlers: list[Any] = [DistributedDataParallelKwargs(find_unused_parameters=True)]
    cpu = not torch.cuda.is_available()
    if cpu and processes.launched_for("DEEPSPEED"):
        # If it knew that it runs on CPUs, accelerate would leave DeepSpeed aside.
        cpu, handlers = False, [*handlers, InitProcessGroupKwargs(backend="gloo")]
    made = Accelerator(cpu=cpu, mixed_precision=precision(config.precision), kwargs_handlers=handlers)
    processes.check(made, config)
    if made.num_processes > 1:
        processes.leave_at_exit()
    return made


def precision(asked: str) -> str:
    """The mixed precision to train with: "no" wherever there is no GPU, however it is asked for.

    Nothing is tried out: on some processors an operation in bf16 ends the process. "auto" is bf16 on a GPU that
    has it, else "no", as T5 does not survive fp16.
    """
    if not torch.cuda.is_available():
        return "no"
    if asked == "auto":
        return "bf16" if torch.cuda.is_bf16_supported() else "no"
    return asked


def seed_torch(seed: int, *use: str) -> None:
    """Set torch's generator for one use of one run: the seeds of all uses are independent."""
    torch.manual_seed(Draw(seed, "training", "-".join(use), "torch").word() >> 1)


def rate(config: Training, step: int, steps: int, per_epoch: int) -> float:
    """The learning rate's factor at a step: a linear warm-up, then the schedule."""
    warmup = max(int(config.warmup * steps), 1)
    if step < warmup:
        return (step + 1) / warmup
    if config.schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(steps - warmup, 1)))
    if config.schedule == "halving":
        return float(0.5 ** (step // per_epoch // config.halve_every))
    return 1.0


def fit(
    learner: Learner,
    config: Training,
    folder: Path | None = None,
    *,
    accelerator: Any = None,
    progress: Callable[[str], None] = lambda note: None,
) -> History:
    """Train `learner.model` in place and leave it with the weights of its best epoch.

    With a folder, the run writes log.jsonl and checkpoints there, goes on from the last one if it was
    killed (to the same weights as if it had not been), and ends at once if it was finished.
    """
    accelerator = accelerator or make_accelerator(config)
    if not learner.order(0):
        raise TrainingError(
            f"{learner.name}: there is nothing to train on; no row has both a target that can be written and a text "
            "that is short enough to be read"
        )
    run = _Run(learner, config, folder, accelerator)
    if run.finished():
        return run.history
    run.resume()
    while run.epoch < config.epochs and not run.out_of_patience():
        with processes.others_alive(accelerator, learner.name, run.epoch, folder):
            note = run.train_epoch()
        progress(note)
    run.finish()
    return run.history


class _Run:
    """One run's model, optimizer and progress."""

    def __init__(self, learner: Learner, config: Training, folder: Path | None, accelerator: Any) -> None:
        self.learner, self.config, self.folder, self.accelerator = learner, config, folder, accelerator
        self.history = History()
        self.epoch = 0
        self.per_epoch = len(learner.order(0))
        # Split over processes, no device need hold the whole model.
        split = accelerator.distributed_type.value in ("FSDP", "DEEPSPEED")
        self.plain = learner.model if split else learner.model.to(accelerator.device)
        tied = ties(self.plain.state_dict())
        trainable = {n: p for n, p in self.plain.named_parameters() if p.requires_grad}
        rates = sorted({config.rate_of(n) for n in trainable}, key=lambda rate: rate != config.lr)
        groups = [
            {"params": [p for n, p in trainable.items() if config.rate_of(n) == rate], "base": rate}
            for rate in rates
        ]
        optimizer = torch.optim.AdamW(groups, lr=config.lr, weight_decay=config.weight_decay, fused=True)
        accelerator.free_memory()  # of the model that it prepared before this one
        self.model, self.optimizer = accelerator.prepare(self.plain, optimizer)
        self.layout = processes.of(accelerator, self.plain, self.optimizer, tied, self._sample)
        # The weights that are validated and kept: a moving average where the config asks for one.
        self.average = cloned(self.layout.weights()) if config.average else None
        self.best: dict[str, Tensor] = {}
        self.best_file: dict[str, str] | None = None  # where they are written, once they are
        self.saved_at = time.monotonic()
        self.identity = {"config": config.fingerprint(), "learner": learner.name}
        self.digests = {"rows_sha256": learner.rows_sha256, "settings_sha256": config.digest()}

    def _sample(self) -> Any:
        return self.learner.batch(self.learner.order(0)[0][:1], self.accelerator.device)

    def finished(self) -> bool:
        """Load the best weights of a run that has ended."""
        record = checkpoint.load_record(self.folder, MODEL) if self.folder else None
        if record is None or self.folder is None:
            return False
        self._check(record, MODEL)
        self.learner.load(self.folder)
        self.history = History(**record["history"])
        return True

    def _check(self, record: Mapping[str, Any], name: str) -> None:
        if {key: record.get(key) for key in self.identity} != self.identity:
            raise TrainingError(
                f"{self.folder}/{name}.json belongs to another run ({record.get('learner')}, config "
                f"{record.get('config')}); this one is {self.identity['learner']}, config "
                f"{self.identity['config']}. Use another folder, or the same settings and data"
            )

    def resume(self) -> None:
        """Go on from the last checkpoint, if there is one."""
        record = checkpoint.load_record(self.folder, _LAST) if self.folder else None
        if self.folder and record:
            self._check(record, _LAST)
            # Of a model that is split, the first process reads and the others get their parts from it.
            reads = self.accelerator.is_main_process or not self.layout.first_only
            tensors = checkpoint.read(self.folder, _LAST, record) if reads else {}
            self.layout.take(_part(tensors, "model."))
            self.best = _part(tensors, "best.")  # of runs that an earlier version has begun
            if reference := record.get(_BEST):
                self.best = checkpoint.read(self.folder, _LAST, reference) if reads else {}
                self.best_file = reference
            if self.average is not None:
                self.average = _part(tensors, "average.")
            state: dict[int, dict[str, Tensor]] = {}
            for key, tensor in _part(tensors, "optimizer.").items():
                index, name = key.split(".")
                state.setdefault(int(index), {})[name] = tensor
            self.layout.take_moments(state)
            if self.accelerator.scaler is not None and record["scaler"]:
                self.accelerator.scaler.load_state_dict(record["scaler"])
            self.history = History(**record["history"])
            self.epoch = len(self.history.epochs)
        if self.folder and self.accelerator.is_main_process:
            # Epochs after the checkpoint are done again, and logged again.
            lines = "".join(json.dumps(record) + "\n" for record in self.history.epochs)
            atomic.write_text(self.folder / "log.jsonl", lines)

    def out_of_patience(self) -> bool:
        """Has the best epoch been too long ago?"""
        since = len(self.history.epochs) - 1 - self.history.best_epoch
        return bool(self.config.patience and self.history.epochs and since >= self.config.patience)

    def train_epoch(self) -> str:
        """One epoch: train, validate, log, and write a checkpoint if it is time. Returns a short note."""
        began = time.monotonic()
        rank, world = self.accelerator.process_index, self.accelerator.num_processes
        seed_torch(self.config.seed, "epoch", str(self.epoch), str(rank))
        self.model.train()
        total = 0.0
        order = self.learner.order(self.epoch)
        for index, rows in enumerate(order):
            step = self.epoch * self.per_epoch + index
            factor = rate(self.config, step, self.config.epochs * self.per_epoch, self.per_epoch)
            for group in self.optimizer.param_groups:
                group["lr"] = group["base"] * factor
            # Each process takes its share of the batch; the gradients are averaged over processes.
            pieces = min(self.config.accumulate, max(len(rows) // world, 1))
            value = self._backward(rows[rank::world] or rows[:1], pieces)
            if not math.isfinite(value):
                raise TrainingError(
                    f"{self.learner.name}: the loss is {value} in epoch {self.epoch + 1}, batch {index + 1}, "
                    f"rows {rows[:5]}...; nothing of this epoch was kept. "
                    f"Lower lr (now {self.config.lr}) or clip "
                    f"(now {self.config.clip})"
                )
            self.accelerator.clip_grad_norm_(self.plain.parameters(), self.config.clip)
            self.optimizer.step()
            self.optimizer.zero_grad()
            if self.average is not None:
                self._update_average(step)
            total += value
        trained = time.monotonic()
        record = {"epoch": self.epoch, "loss": total / len(order), **self._validate()}
        now = time.monotonic()
        record |= {"train_seconds": round(trained - began, 3), "validation_seconds": round(now - trained, 3)}
        self.history.seconds += now - began
        if self.history.add(record):
            kept = self.layout.weights() if self.average is None else self.average
            self.best = kept if self.layout.first_only else cloned(kept)
            self.best_file = None
        self.epoch += 1
        self._log(record)
        due = now - self.saved_at >= self.config.checkpoint_seconds
        if processes.any_of(self.accelerator, due) if self.layout.first_only else due:
            self._save_last()
        return f"loss {record['loss']:.3f}, validation {record['accuracy']:.1%}, best {self.history.best:.1%}"

    def _backward(self, rows: list[int], pieces: int) -> float:
        """Add the gradients of these rows, in `pieces` parts (equal in every process); return their mean loss."""
        cuts = [len(rows) * index // pieces for index in range(pieces + 1)]
        parts = [rows[start:end] for start, end in pairwise(cuts)]
        total = 0.0
        batches = [self.learner.batch(part, self.accelerator.device) for part in parts]
        # A batch's loss is the mean over its target symbols: parts with more of them weigh more.
        symbols = [batch.symbols() for batch in batches] if len(batches) > 1 else [1]
        for index, batch in enumerate(batches):
            last = index == len(batches) - 1
            self.accelerator.sync_gradients = last  # DeepSpeed's step is in `backward` then
            # Processes exchange gradients once, after the last part.
            with nullcontext() if last else self.accelerator.no_sync(self.model):
                with self.accelerator.autocast():
                    loss = self.model(batch) * (symbols[index] / sum(symbols))
                value = float(loss.item())
                if not math.isfinite(value):
                    return value
                self.accelerator.backward(loss)
            total += value
        return total

    def _update_average(self, step: int) -> None:
        assert self.average is not None
        # Early on the average looks back less far, so that the random start is forgotten.
        keep = min(self.config.average, (1 + step) / (10 + step))
        for key, value in distinct(self.layout.weights()).items():
            if value.dtype.is_floating_point:
                self.average[key].lerp_(value.detach(), 1 - keep)

    def _validate(self) -> dict[str, float]:
        self.model.eval()
        if self.average is None:
            return self.learner.validate(self.accelerator)
        own = cloned(self.layout.weights())
        self.layout.take(self.average)
        scores = self.learner.validate(self.accelerator)
        self.layout.take(own)
        return scores

    def _log(self, record: Mapping[str, float]) -> None:
        if self.folder and self.accelerator.is_main_process:
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")

    def _save_last(self) -> None:
        self.saved_at = time.monotonic()
        if not self.folder:
            return
        tensors = {f"model.{key}": value for key, value in self.layout.weights().items()}
        tensors |= {f"average.{key}": value for key, value in (self.average or {}).items()}
        for index, entry in self.layout.moments().items():
            tensors |= {f"optimizer.{index}.{name}": value for name, value in entry.items()}
        if not self.accelerator.is_main_process:
            return
        # The best weights are in a file of their own, which is written only when they have changed.
        self.best_file = self.best_file or checkpoint.write(self.folder, _BEST, self.best)
        scaler = self.accelerator.scaler
        record = {
            **self.identity,
            "history": vars(self.history),
            "scaler": scaler.state_dict() if scaler else None,
            _BEST: self.best_file,
        }
        checkpoint.save(self.folder, _LAST, tensors, record)
        checkpoint.tidy(self.folder, _BEST, self.best_file)

    def finish(self) -> None:
        """Leave the model with its best weights, and write them."""
        self.layout.take(self.best)
        self.plain.eval()
        if self.folder and self.accelerator.is_main_process:
            record = {**self.identity, **self.digests, "history": vars(self.history)}
            self.learner.save(self.folder, {**record, "settings": self.config.to_dict()}, self.best)
            checkpoint.remove(self.folder, _LAST)
            checkpoint.remove(self.folder, _BEST)
        self.accelerator.wait_for_everyone()


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
