"""Defense by reinforcement learning: GRPO through trl, with verifiable rewards on streamed training tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from dnc_datasets import extras, files
from dnc_datasets.errors import DncError

# As in trl: from prompts, completions and the dataset's columns to one number per completion.
Reward = Callable[..., Sequence[float]]


@dataclass(frozen=True)
class Settings:
    """Settings of GRPO: each step has `batch` completions in groups of `generations` per prompt."""

    steps: int = 200
    batch: int = 8
    generations: int = 8
    learning_rate: float = 1e-5
    temperature: float = 1.0
    max_tokens: int = 64
    seed: int = 0

    def check(self) -> None:
        """Raise an error if the settings are inconsistent."""
        if self.generations < 2 or self.batch % self.generations:
            raise DncError(
                f"a batch of {self.batch} cannot hold groups of {self.generations} completions; "
                "take at least two, and a batch that is a multiple of it"
            )
        if self.steps < 1 or self.max_tokens < 1:
            raise DncError("give at least one step and one token")

    @property
    def prompts(self) -> int:
        """Return the number of prompts that the run needs."""
        return self.steps * self.batch // self.generations


@dataclass(frozen=True)
class Progress:
    """The mean reward of each step."""

    rewards: tuple[float, ...]

    def ends(self, share: float = 0.2) -> tuple[float, float]:
        """Return the mean reward over the first and the last share of the steps."""
        size = max(1, int(len(self.rewards) * share))
        first, last = self.rewards[:size], self.rewards[-size:]
        return sum(first) / len(first), sum(last) / len(last)


def train(
    model: str,
    tasks: Iterable[Mapping[str, Any]],
    rewards: Sequence[Reward],
    settings: Settings,
    folder: Path,
    *,
    progress: Callable[[str], None] = lambda note: None,
) -> Progress:
    """Train a causal model on tasks with the columns `prompt` and those of the rewards; save it to `folder`.

    The order of the tasks is kept. The saved folder holds weights and tokenizer in the form of transformers.
    """
    settings.check()
    trl = _require_trl()
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, TrainerCallback

    rows = [dict(task) for task in islice(tasks, settings.prompts)]
    if not rows:
        raise DncError("there are no tasks to train on; choose another config")
    seen: list[float] = []

    class Report(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs and "reward" in logs:
                seen.append(float(logs["reward"]))
                progress(f"reward {seen[-1]:.2f}")

    online = files.may_go_online()
    with files.hub(online=online):
        options: dict[str, Any] = {"local_files_only": not online, "trust_remote_code": False}
        tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left", **options)
        network = AutoModelForCausalLM.from_pretrained(
            model, use_safetensors=True, dtype="float32", **options
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    on_gpu = torch.cuda.is_available()
    config = trl.GRPOConfig(
        output_dir=str(folder / "trl"),
        max_steps=settings.steps,
        per_device_train_batch_size=settings.batch,
        num_generations=settings.generations,
        learning_rate=settings.learning_rate,
        temperature=settings.temperature,
        max_completion_length=settings.max_tokens,
        seed=settings.seed,
        use_cpu=not on_gpu,
        bf16=on_gpu,  # many processors lack the instructions
        gradient_checkpointing=False,
        shuffle_dataset=False,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    trainer = trl.GRPOTrainer(
        model=network,
        args=config,
        train_dataset=Dataset.from_list(rows),
        reward_funcs=list(rewards),
        processing_class=tokenizer,
        callbacks=[Report()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    # The trainer's own save would add its settings as a pickle, an unsafe format.
    trainer.accelerator.unwrap_model(trainer.model).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return Progress(tuple(seen))


def describe(settings: Settings, progress: Progress) -> dict[str, Any]:
    """Return the run as JSON values."""
    first, last = progress.ends()
    return {**asdict(settings), "reward_first": first, "reward_last": last, "rewards": list(progress.rewards)}


def _require_trl() -> Any:
    try:
        import trl
    except ImportError as error:
        raise DncError(f"this needs trl and Python 3.11 or newer: {extras.command('rl')}") from error
    return trl
