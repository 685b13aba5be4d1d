"""A pretrained model with its data: fine-tuned by the loop, decoded and scored as the solvers are."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from dnc_datasets import numerals
from dnc_datasets.folder_update import replaced_folder
from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, loop, processes
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.finetuning import forms, pretrained
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.constraint import Constraint, Processor
from dnc_trainers.finetuning.examples import IGNORED, Batch, Examples
from dnc_trainers.learning import Answer, ProblemLearner
from dnc_trainers.readers import replies
from dnc_trainers.readers.replies import Reply
from dnc_trainers.representation import Prediction
from dnc_trainers.solving import score


class Writer(nn.Module):
    """A pretrained model whose `forward` returns the loss of a batch: the mean over the target tokens."""

    def __init__(self, model: pretrained.Pretrained) -> None:
        super().__init__()
        self.network = model.network
        self._encoder_decoder = model.encoder_decoder
        # Arguments that nearly every causal model accepts.
        self._keeps, self._places = (model.accepts(name) for name in ("logits_to_keep", "position_ids"))
        # The layers that are split over processes one by one, under the attribute that accelerate reads.
        self._no_split_modules = getattr(model.network, "_no_split_modules", None)

    def forward(self, batch: Batch) -> Tensor:
        """Return the mean cross-entropy of the target tokens."""
        inputs: dict[str, Any] = {"input_ids": batch.ids, "attention_mask": batch.mask, "use_cache": False}
        if self._encoder_decoder:
            loss: Tensor = self.network(**inputs, labels=batch.labels).loss
            return loss
        width = batch.labels.shape[1]
        if self._keeps:
            # Targets end at the right edge, so no logits are computed for the prompt.
            inputs["logits_to_keep"] = width + 1
        if self._places:
            inputs["position_ids"] = (batch.mask.cumsum(1) - 1).clamp(min=0)
        logits = self.network(**inputs).logits[:, -width - 1 : -1]
        return functional.cross_entropy(
            logits.flatten(0, 1).float(), batch.labels.flatten(), ignore_index=IGNORED
        )

    @property
    def config(self) -> Any:
        """Return the network's config, from which DeepSpeed reads sizes."""
        return self.network.config

    def generate(self, **given: Any) -> Tensor:
        """Return the tokens that the network generates."""
        network: Any = self.network
        tokens: Tensor = network.generate(**given)
        return tokens

    def tie_weights(self) -> None:
        """Tie shared weights again, for accelerate, which separates them when it splits a model."""
        network: Any = self.network
        network.tie_weights()


class FinetuneLearner(ProblemLearner[Finetuning, Answer]):
    """A pretrained model, and the problems it is fine-tuned and validated on."""

    train: Examples

    def __init__(
        self, config: Finetuning, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        super().__init__(config, train, validation, name)
        self.pretrained = pretrained.load(config)
        self.train, self.validated = self.examples(train), self.examples(validation)
        network = self.pretrained.network
        if config.checkpointing:
            network.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
            network.enable_input_require_grads()
        if config.lora:
            network = pretrained.with_lora(network, config.lora, self.pretrained.encoder_decoder)
        self.model = Writer(self.pretrained)
        self.model.network = network
        self._constraint = Constraint(self.pretrained, config) if config.decoding == "grammar" else None
        # Rows without a target, with one that is too long or not representable, or with a source that is too
        # long.
        self.dropped = sum(example.target is None for example in self.train.examples)

    def examples(self, problems: Sequence[Problem]) -> Examples:
        """Return the problems as examples for the model."""
        return Examples(problems, self.pretrained, self.config)

    def unread(self, problems: Sequence[Problem]) -> int:
        """Return the number of problems that exceed the model's length limit."""
        return self.examples(problems).too_long

    def answers(self, examples: Examples, beam: int, accelerator: Any) -> list[Answer]:
        """Return a scored answer for every example, in order; a problem over the length limit is wrong."""
        predictions = self.predictions(examples, beam, accelerator)
        answers: list[Answer] = []
        for example, prediction in zip(examples.examples, predictions, strict=True):
            if isinstance(prediction, Reply):
                answers.append(replies.score(example.problem, prediction))
                continue
            states_answer = self.config.target != "equation"
            gold = numerals.parse(example.problem.answer) if states_answer else None
            answers.append(score(example.problem, prediction, gold))
        return answers

    def predictions(self, examples: Examples, beam: int, accelerator: Any) -> list[Prediction | Reply]:
        """Return the predictions in the model's outputs, in order; empty for a problem over the limit."""
        texts = self._write(examples, beam, accelerator)
        predictions: list[Prediction | Reply] = []
        for row, example in enumerate(examples.examples):
            if example.problem.answer_type != "number":  # yes or no, as in contrast sets
                words = texts.get(row, "").strip()
                predictions.append(Reply(words=(words,) if words else ()))
            elif row in texts:
                predictions.append(forms.read(texts[row], self.config, example.values))
            else:
                predictions.append(Prediction("", None))
        return predictions

    @torch.no_grad()
    def _write(self, examples: Examples, beam: int, accelerator: Any) -> dict[int, str]:
        """Return the model's output for every row within the length limit; all processes share the work."""
        self.model.eval()
        split = processes.is_split(self.model)
        if not split:
            self.model.to(accelerator.device)

        def written(rows: Sequence[int]) -> list[str]:
            ids, mask = (part.to(accelerator.device) for part in examples.sources(rows))
            slots = [len(examples.examples[row].values) for row in rows]
            with accelerator.autocast():
                tokens = self._generate(ids, mask, slots, beam)
            texts: list[str] = self.pretrained.tokenizer.batch_decode(
                tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
            return texts

        return processes.shared(
            examples.by_length(self.config.eval_batch), written, accelerator, together=split
        )

    def _generate(self, ids: Tensor, mask: Tensor, slots: list[int], beam: int) -> Tensor:
        """Return the generated tokens of each row."""
        from transformers import GenerationConfig

        model = self.pretrained
        own = model.network.generation_config
        # Unset values come from the model's own generation config, which may forbid repeated numbers.
        settings = GenerationConfig(
            max_new_tokens=self.config.target_length,
            num_beams=beam,
            early_stopping=beam > 1,
            do_sample=False,
            no_repeat_ngram_size=0,
            repetition_penalty=1.0,
            length_penalty=1.0,
            min_length=0,
            eos_token_id=model.end,
            pad_token_id=model.pad,
            bos_token_id=own.bos_token_id,
            decoder_start_token_id=own.decoder_start_token_id
            or model.network.config.to_dict().get("decoder_start_token_id"),
            forced_bos_token_id=None if self._constraint else own.forced_bos_token_id,
        )
        start = 1 if model.encoder_decoder else ids.shape[1]
        processors = [Processor(self._constraint, start, slots, model.end)] if self._constraint else []
        writer: Any = self.model
        output: Tensor = writer.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=settings,
            logits_processor=processors,
            # Processes that hold parts of the model continue until the last one has finished.
            synced_gpus=processes.is_split(writer),
        )
        return output[:, start:]

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Save the model and its tokenizer as a plain folder that `from_pretrained` and `dnc eval` load."""
        network: Any = self.model.network
        if self.config.lora:
            network = network.merge_and_unload()
            self._set_network(network)
        with (
            checkpoint.explained(folder, loop.MODEL),
            replaced_folder(folder / loop.MODEL) as building,
        ):
            # The network may hold only a part of the weights, or in lower precision.
            whole = {name.removeprefix("network."): tensor for name, tensor in weights.items()}
            pretrained.save(network, self.pretrained.tokenizer, building, None if self.config.lora else whole)
        digests = _digests(folder / loop.MODEL)
        checkpoint.save_record(folder, loop.MODEL, {**record, "folder": loop.MODEL, "sha256": digests})

    def load(self, folder: Path) -> None:
        """Load the model that `save` wrote."""
        self.check(folder, checkpoint.load_record(folder, loop.MODEL) or {})
        place = folder / loop.MODEL
        self._set_network(pretrained.load(dataclasses.replace(self.config, model=str(place))).network)

    @staticmethod
    def check(folder: Path, record: Mapping[str, Any]) -> None:
        """Raise an error if the folder does not match the record that `save` wrote."""
        place = folder / loop.MODEL
        if not place.is_dir() or _digests(place) != record.get("sha256"):
            raise CheckpointError(
                f"{place} is not the model that this run saved; remove {folder / loop.MODEL}.json to train again"
            )

    def _set_network(self, network: Any) -> None:
        self.pretrained.network = self.model.network = network


def _digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every weight file."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.safetensors"))
    }


train = FinetuneLearner.fit
