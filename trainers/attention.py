"""Attention of a Seq2Seq solver, or of its bag-of-words probe, over the words when it writes each symbol.

See Patel et al. (2021), table 6: the probe's most attended word often gives the operation away.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from dnc_datasets.errors import DncError
from dnc_datasets.escaping import xml as escape
from dnc_datasets.problem import Problem
from dnc_trainers.batches import IGNORED
from dnc_trainers.solvers.seq2seq import Seq2Seq
from dnc_trainers.solving import score
from dnc_trainers.trained import TrainedSolver


@dataclass(frozen=True)
class Looked:
    """Attention in one problem: its words, the output symbols, and the weight of each word per symbol."""

    id: str
    words: tuple[str, ...]
    symbols: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]  # one row per symbol, sums to 1
    equation: str
    right: bool

    def most(self, at: int) -> tuple[str, float]:
        """Return the word with the largest weight for a symbol, and the weight."""
        place = max(range(len(self.words)), key=lambda word: self.weights[at][word])
        return self.words[place], self.weights[at][place]


def looked(solver: TrainedSolver, problems: Sequence[Problem]) -> list[Looked]:
    """Return the attention over the words of each problem while the solver decodes its greedy equation."""
    model = solver.model
    if not isinstance(model, Seq2Seq):
        raise DncError(
            f"{solver.config.solver} has no attention of symbols over words; seq2seq and constrained have"
        )
    model.eval()
    examples = solver.examples(problems)
    attentions: dict[int, Looked] = {}
    for rows in examples.by_length(solver.config.eval_batch):
        batch = examples.batch(rows)
        with torch.no_grad():
            ids = model.decode(batch, 1)[0][:, 0]
            weights = model.target_attention(model.encode(batch), ids)
        for at, row in enumerate(rows):
            attentions[row] = _attention_of(solver, examples.examples[row], ids[at].tolist(), weights[at])
    return [attentions[row] for row in range(len(problems))]


def _attention_of(solver: TrainedSolver, example: Any, ids: Sequence[int], weights: torch.Tensor) -> Looked:
    decoded = [one for one in ids if one != IGNORED]
    names, words = solver.representation.vocabulary.symbols, example.text.tokens
    prediction = solver.representation.read_symbols(decoded, example.text.values)
    return Looked(
        example.problem.id,
        words,
        tuple(names[one] for one in decoded),
        tuple(tuple(line[: len(words)]) for line in weights[: len(decoded)].tolist()),
        prediction.equation,
        score(example.problem, prediction).correct,
    )


def counts(some: Sequence[Looked]) -> dict[str, Counter[str]]:
    """Count, for each symbol, how often each word has the largest weight."""
    counters: dict[str, Counter[str]] = defaultdict(Counter)
    for one in some:
        for at, symbol in enumerate(one.symbols):
            if one.words:
                counters[symbol][one.most(at)[0].lower()] += 1
    return dict(sorted(counters.items()))


_CELL, _LEFT, _TOP, _GAP = 26, 90, 96, 34


def picture(some: Sequence[Looked]) -> str:
    """Draw the problems as an SVG: one column per word, one line per symbol, darker for a larger weight."""
    parts, top, width = [], 0, 0
    for one in some:
        width = max(width, _LEFT + _CELL * len(one.words) + _GAP)
        verdict = "right" if one.right else "wrong"
        parts.append(_text(4, top + 16, f"{one.id}: {one.equation or 'no equation'} ({verdict})", bold=True))
        for at, word in enumerate(one.words):
            parts.append(_text(_LEFT + _CELL * at + 17, top + _TOP - 6, word, turned=True))
        for line, symbol in enumerate(one.symbols):
            y = top + _TOP + _CELL * line
            parts.append(_text(4, y + 18, symbol))
            for at, weight in enumerate(one.weights[line]):
                place = f'x="{_LEFT + _CELL * at}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}"'
                tooltip = f"<title>{escape(one.words[at])} {weight:.3f}</title>"
                parts.append(f'<rect {place} fill="#06c" fill-opacity="{weight:.3f}">{tooltip}</rect>')
        top += _TOP + _CELL * len(one.symbols) + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: int, y: int, text: str, *, bold: bool = False, turned: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    turn = f' transform="rotate(-60 {x} {y})"' if turned else ""
    return f'<text x="{x}" y="{y}"{weight}{turn}>{escape(text)}</text>'
