"""The training loop of every model: accelerate, schedules, early stopping, exact resume."""

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

_LAST = "last"  # the state for resuming
_BEST = "best"  # the weights of the best epoch so far
MODEL = "model"  # the result of a finished run


class Learner(Protocol):
    """Interface of a trained model: `forward(batch)` returns the loss; it makes batches and validates."""

    model: nn.Module
    name: str  # model and data, for messages; a checkpoint must have the same
    rows_sha256: str  # the digest of the training and validation rows, stored in the finished model's record

    def order(self, epoch: int) -> list[list[int]]:
        """Return the rows of every batch of an epoch."""
        ...

    def batch(self, rows: Sequence[int], device: torch.device) -> Any:
        """Return these rows as the model's input."""
        ...

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Return scores on validation data; "accuracy" selects the epoch. They are equal in all processes."""
        ...

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Save the finished model in the run's folder; MODEL.json with the record is written last.

        `weights` are the complete trained ones. The model may hold only its part of them.
        """
        ...

    def load(self, folder: Path) -> None:
        """Load the weights of the finished model in the run's folder."""
        ...


@dataclass
class History:
    """The history of a run: one record per epoch, and the best epoch."""

    epochs: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = -1
    best: float = -1.0
    seconds: float = 0.0

    def add(self, record: dict[str, float]) -> bool:
        """Add an epoch and return whether it is the best so far; of equal ones, the later is better."""
        self.epochs.append(record)
        if record["accuracy"] < self.best:
            return False
        self.best, self.best_epoch = record["accuracy"], int(record["epoch"])
        return True


def make_accelerator(config: Training) -> Any:
    """Return an accelerate `Accelerator` for this machine."""
    from accelerate import Accelerator
    from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

    processes.check_launch()
    # A batch may leave parameters unused, for example those that merge subtrees.
    handlers: list[Any] = [DistributedDataParallelKwargs(find_unused_parameters=True)]
    cpu = not torch.cuda.is_available()
    if cpu and processes.launched_for("DEEPSPEED"):
        # accelerate ignores DeepSpeed if `cpu` is true.
        cpu, handlers = False, [*handlers, InitProcessGroupKwargs(backend="gloo")]
    accelerator = Accelerator(cpu=cpu, mixed_precision=precision(config.precision), kwargs_handlers=handlers)
    processes.check(accelerator, config)
    if accelerator.num_processes > 1:
        processes.leave_at_exit()
    return accelerator


def precision(asked: str) -> str:
    """Return the mixed precision for training: "no" without a GPU, whatever the setting.

    The function runs no trial operation, since on some processors an operation in bf16 ends the process.
    "auto" is bf16 on a GPU that supports it, else "no", because T5 is unstable in fp16.
    """
    if not torch.cuda.is_available():
        return "no"
    if asked == "auto":
        return "bf16" if torch.cuda.is_bf16_supported() else "no"
    return asked


def seed_torch(seed: int, *use: str) -> None:
    """Seed torch's generator for one purpose of one run; the seeds of all purposes are independent."""
    torch.manual_seed(Draw(seed, "training", "-".join(use), "torch").word() >> 1)


def rate(config: Training, step: int, steps: int, per_epoch: int) -> float:
    """Return the factor of the learning rate at a step: a linear warm-up, then the schedule."""
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
    """Train `learner.model` in place; it ends with the weights of its best epoch.

    With a folder, the run writes log.jsonl and checkpoints there. A killed run resumes from the last
    checkpoint and reaches the same weights as an uninterrupted one. A finished run returns immediately.
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
    """State of one run: model, optimizer and progress."""

    def __init__(self, learner: Learner, config: Training, folder: Path | None, accelerator: Any) -> None:
        self.learner, self.config, self.folder, self.accelerator = learner, config, folder, accelerator
        self.history = History()
        self.epoch = 0
        self.per_epoch = len(learner.order(0))
        # When the model is split over processes, no device needs to hold all of it.
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
        accelerator.free_memory()  # release the model of an earlier `prepare`
        self.model, self.optimizer = accelerator.prepare(self.plain, optimizer)
        self.layout = processes.of(accelerator, self.plain, self.optimizer, tied, self._sample)
        # The weights that are validated and saved: a moving average if the config has one.
        self.average = cloned(self.layout.weights()) if config.average else None
        self.best: dict[str, Tensor] = {}
        self.best_file: dict[str, str] | None = None  # their checkpoint, once it is written
        self.saved_at = time.monotonic()
        self.identity = {"config": config.fingerprint(), "learner": learner.name}
        self.digests = {"rows_sha256": learner.rows_sha256, "settings_sha256": config.digest()}

    def _sample(self) -> Any:
        return self.learner.batch(self.learner.order(0)[0][:1], self.accelerator.device)

    def finished(self) -> bool:
        """Return whether the run has ended; if so, load its best weights."""
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
        """Resume from the last checkpoint, if there is one."""
        record = checkpoint.load_record(self.folder, _LAST) if self.folder else None
        if self.folder and record:
            self._check(record, _LAST)
            # For a split model, the first process reads the checkpoint and distributes the parts.
            reads = self.accelerator.is_main_process or not self.layout.first_only
            tensors = checkpoint.read(self.folder, _LAST, record) if reads else {}
            self.layout.take(_part(tensors, "model."))
            self.best = _part(tensors, "best.")  # checkpoints of an earlier version
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
            # Epochs after the checkpoint are trained and logged once more.
            lines = "".join(json.dumps(record) + "\n" for record in self.history.epochs)
            atomic.write_text(self.folder / "log.jsonl", lines)

    def out_of_patience(self) -> bool:
        """Return whether more than `patience` epochs have passed since the best one."""
        since = len(self.history.epochs) - 1 - self.history.best_epoch
        return bool(self.config.patience and self.history.epochs and since >= self.config.patience)

    def train_epoch(self) -> str:
        """Train and validate one epoch, log it, and write a checkpoint if one is due; return a short note."""
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
            weights = self.layout.weights() if self.average is None else self.average
            self.best = weights if self.layout.first_only else cloned(weights)
            self.best_file = None
        self.epoch += 1
        self._log(record)
        due = now - self.saved_at >= self.config.checkpoint_seconds
        if processes.any_of(self.accelerator, due) if self.layout.first_only else due:
            self._save_last()
        return f"loss {record['loss']:.3f}, validation {record['accuracy']:.1%}, best {self.history.best:.1%}"

    def _backward(self, rows: list[int], pieces: int) -> float:
        """Add the gradients of these rows in `pieces` parts, equal in every process; return the mean loss."""
        cuts = [len(rows) * index // pieces for index in range(pieces + 1)]
        parts = [rows[start:end] for start, end in pairwise(cuts)]
        total = 0.0
        batches = [self.learner.batch(part, self.accelerator.device) for part in parts]
        # A batch's loss is the mean over its target tokens, so each part is weighted by its number of them.
        symbols = [batch.symbols() for batch in batches] if len(batches) > 1 else [1]
        for index, batch in enumerate(batches):
            last = index == len(batches) - 1
            self.accelerator.sync_gradients = last  # DeepSpeed then steps within `backward`
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
        # Early in training the average has a shorter horizon, so that the random initialisation is forgotten.
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
        # The best weights have their own file, which is written only when they have changed.
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
        """Load the best weights into the model, and save them."""
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
