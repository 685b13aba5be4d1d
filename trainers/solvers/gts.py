"""GTS: a goal-driven tree decoder over a BiLSTM, which decodes the trees of a batch in lockstep.

Every node has a goal vector. The goal and its attention over the text choose an operator or a number. An
operator splits its goal into one for the left and one for the right operand. The right goal also depends on
the finished left subtree. See Xie and Sun (2019), "A goal-driven tree-structured neural model".
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config, ConfigError
from dnc_trainers.representation import OPERATORS, Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.encoders import TextEncoder
from dnc_trainers.solvers.solver import Memory, PerRow, Solver


class Gate(nn.Module):
    """tanh of one linear map, gated by the sigmoid of another."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.both = nn.Linear(size, 2 * hidden)

    def forward(self, *parts: Tensor) -> Tensor:
        """Return the gated value [N, H]."""
        value, gate = self.both(torch.cat(parts, -1)).chunk(2, -1)
        return torch.tanh(value) * torch.sigmoid(gate)


@dataclass
class TreeMemory(Memory):
    """The text, its attention keys, and the embeddings of every leaf: constants, then numbers."""

    keys: Tensor  # [B, L, H]
    leaves: Tensor  # [B, C + SLOTS, H]
    leaf_keys: Tensor  # [B, C + SLOTS, H]


@dataclass
class TreeState(PerRow):
    """State of the tree decoder: the goal of the current node, and a stack of the open operators above it."""

    goal: Tensor  # [N, H], the goal of the current node
    context: Tensor  # [N, H], the attention's summary of the text for that goal
    depth: Tensor  # [N], the number of open operators
    operators: Tensor  # [N, D, H], the embeddings of the open operators
    right_goals: Tensor  # [N, D, H], the goals of their right operands
    lefts: Tensor  # [N, D, H], their finished left operands
    at_right: Tensor  # [N, D], whether the current node is in the right operand


@register("gts")
class Gts(Solver):
    """A BiLSTM encoder and the goal-driven tree decoder."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        if config.numbers != "replacement" or config.target != "equation":
            raise ConfigError(
                f"{config.solver} decodes trees over slots: set numbers=replacement, target=equation"
            )
        hidden = config.hidden
        self.encoder = TextEncoder(config, vocabulary, shared_numbers=True)
        self.operator_embedding = nn.Embedding(len(OPERATORS), hidden)
        self.constants = nn.Parameter(torch.randn(len(vocabulary.constants), hidden) * 0.1)
        self.first_goal = Gate(hidden, hidden)
        self.right_goal = Gate(2 * hidden, hidden)
        self.child_goals = nn.ModuleList((Gate(3 * hidden, hidden), Gate(3 * hidden, hidden)))
        self.merge = Gate(3 * hidden, hidden)
        self.attend_key = nn.Linear(hidden, hidden)
        self.attend_goal = nn.Linear(hidden, hidden)
        self.attend = nn.Linear(hidden, 1, bias=False)
        self.leaf_key = nn.Linear(hidden, hidden, bias=False)
        self.leaf_query = nn.Linear(2 * hidden, hidden)
        self.leaf_score = nn.Linear(hidden, 1, bias=False)
        self.operator_score = nn.Linear(2 * hidden, len(OPERATORS))
        self.dropout = nn.Dropout(config.dropout)
        self.stack_size = self.grammar.max_length // 2 + 1

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the states of the words and the root goal."""
        read: tuple[Tensor, Tensor] = self.encoder(batch)
        return read

    def encode(self, batch: Batch) -> TreeMemory:
        states, root = self.read(batch)
        rows = torch.arange(len(states), device=states.device)[:, None]
        numbers = states[rows, batch.positions]
        leaves = torch.cat((self.constants.expand(len(states), -1, -1), numbers), 1)
        dropped = self.dropout(leaves)
        return TreeMemory(
            states, batch.mask, root, batch.slots, self.attend_key(states), leaves, self.leaf_key(dropped)
        )

    def start(self, memory: TreeMemory) -> TreeState:
        size, hidden = memory.root.shape
        stack = memory.root.new_zeros(size, self.stack_size, hidden)
        goal = self.first_goal(self.dropout(memory.root))
        depth = torch.zeros(size, dtype=torch.long, device=goal.device)
        at_right = torch.zeros(size, self.stack_size, dtype=torch.bool, device=goal.device)
        return TreeState(goal, self._context(memory, goal), depth, stack, stack, stack, at_right)

    def _context(self, memory: TreeMemory, goal: Tensor) -> Tensor:
        energy = torch.tanh(memory.keys + self.attend_goal(self.dropout(goal))[:, None])
        weights = self.attend(energy).squeeze(-1).masked_fill(~memory.mask, float("-inf")).softmax(-1)
        return torch.bmm(weights[:, None], memory.states).squeeze(1)

    def scores(self, memory: TreeMemory, state: TreeState) -> Tensor:
        query = self.dropout(torch.cat((state.goal, state.context), -1))
        leaf = self.leaf_score(torch.tanh(memory.leaf_keys + self.leaf_query(query)[:, None])).squeeze(-1)
        return torch.cat((self.operator_score(query), leaf), -1)

    def advance(self, memory: TreeMemory, state: TreeState, symbols: Tensor) -> TreeState:
        rows = torch.arange(len(symbols), device=symbols.device)
        is_operator = symbols < len(OPERATORS)
        # If an operator was chosen, it is opened and its left operand is next.
        operator = self.operator_embedding(symbols.clamp(max=len(OPERATORS) - 1))
        parts = (self.dropout(state.goal), self.dropout(state.context), self.dropout(operator))
        left_goal, right_goal = (child(*parts) for child in self.child_goals)
        top = _at(state.depth, self.stack_size) & is_operator[:, None]
        operators = torch.where(top[..., None], operator[:, None], state.operators)
        right_goals = torch.where(top[..., None], right_goal[:, None], state.right_goals)
        at_right = state.at_right & ~top
        # If a leaf was chosen, every operator whose right operand it completes is closed.
        depth, lefts = state.depth, state.lefts
        tree = memory.leaves[rows, (symbols - len(OPERATORS)).clamp(min=0)]
        while True:
            above = _at(depth - 1, self.stack_size)
            closing = ~is_operator & (above & at_right).any(1)
            if not closing.any():
                break
            # The subtree's vector is needed only if an operator above is still in its left operand.
            if (closing[:, None] & ~at_right & _below(depth - 1, self.stack_size)).any():
                parts = (_pick(operators, above), _pick(lefts, above), tree)
                merged = self.merge(*(self.dropout(part) for part in parts))
                tree = torch.where(closing[:, None], merged, tree)
            depth = depth - closing.long()
        # The left operand of the operator above is complete, and its right operand is next.
        above = _at(depth - 1, self.stack_size) & ~is_operator[:, None]
        lefts = torch.where(above[..., None], tree[:, None], lefts)
        at_right = at_right | above
        wanted = self.right_goal(self.dropout(tree), self.dropout(_pick(right_goals, above)))
        goal = torch.where(is_operator[:, None], self.first_goal(self.dropout(left_goal)), wanted)
        depth = depth + is_operator.long()
        context = self._context(memory, goal)
        return TreeState(goal, context, depth, operators, right_goals, lefts, at_right)


def _at(depth: Tensor, size: int) -> Tensor:
    """Return a mask [N, D] that is true at one index of each stack; all false if the depth is outside."""
    return torch.arange(size, device=depth.device) == depth[:, None]


def _below(depth: Tensor, size: int) -> Tensor:
    """Return a mask [N, D] that is true at the indices below a depth."""
    return torch.arange(size, device=depth.device) < depth[:, None]


def _pick(stack: Tensor, place: Tensor) -> Tensor:
    """Return the entry at the marked index of each stack [N, H], zero if none is marked."""
    return torch.bmm(place[:, None].to(stack.dtype), stack).squeeze(1)
