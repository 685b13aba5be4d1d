"""The bag-of-words probe: Seq2Seq whose encoder reads each word separately, without word order.

Problems that it solves have shallow cues. See Patel et al. (2021), section 5.
"""

from __future__ import annotations

from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config
from dnc_trainers.representation import Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.encoders import Pretrained, Words
from dnc_trainers.solvers.seq2seq import Seq2Seq


class BagOfWords(nn.Module):
    """A linear map of each word's embedding; the summary is the mean over the words without padding.

    Of a pretrained encoder, only the embeddings are used, since its states depend on a word's neighbours.
    """

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.pretrained = (
            Pretrained(config, shared_numbers=False, contextual=False) if config.encoder else None
        )
        self.dropout = nn.Dropout(config.dropout)
        if not config.encoder:
            self.words = Words(config, vocabulary, shared_numbers=False)
        size = self.pretrained.size if self.pretrained is not None else config.embedding
        self.linear = nn.Linear(size, config.hidden)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states [B, L, H] and their mean [B, H]."""
        inputs = self.words(batch) if self.pretrained is None else self.dropout(self.pretrained(batch))
        states = self.linear(inputs)
        weights = batch.mask.to(states.dtype)[..., None]
        return states, (states * weights).sum(1) / weights.sum(1)


@register("constrained", dropout=0.1, lr=2e-3, epochs=40)
class Constrained(Seq2Seq):
    """Seq2Seq over a bag of words."""

    def make_encoder(self, config: Config, vocabulary: Vocabulary) -> nn.Module:
        return BagOfWords(config, vocabulary)
