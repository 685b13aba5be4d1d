"""The bag-of-words probe: Seq2Seq whose encoder sees each word alone, so that word order is lost.

What it still solves can be solved by shallow cues. See Patel et al. (2021), section 5.
"""

from __future__ import annotations

from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config, ConfigError
from dnc_trainers.representation import Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.encoders import Words
from dnc_trainers.solvers.seq2seq import Seq2Seq


class BagOfWords(nn.Module):
    """One linear map on each word's embedding; the summary is their mean over the real words."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__()
        if config.encoder:
            raise ConfigError("constrained sees each word alone and takes no pretrained encoder")
        self.words = Words(config, vocabulary, shared_numbers=False)
        self.linear = nn.Linear(config.embedding, config.hidden)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The states [B, L, H] and their mean [B, H]."""
        states = self.linear(self.words(batch))
        weights = batch.mask.to(states.dtype)[..., None]
        return states, (states * weights).sum(1) / weights.sum(1)


@register("constrained", dropout=0.1, lr=2e-3, epochs=40)
class Constrained(Seq2Seq):
    """Seq2Seq over a bag of words."""

    def make_encoder(self, config: Config, vocabulary: Vocabulary) -> nn.Module:
        return BagOfWords(config, vocabulary)
