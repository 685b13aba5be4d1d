"""Every solver learns and decodes the same alone and in a batch; trees are those of a plain recursion."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from dnc_datasets.problem import Problem
from dnc_trainers import solvers, solving
from dnc_trainers.batches import IGNORED, Examples
from dnc_trainers.config import NUMBERS, TARGETS, Config, ConfigError
from dnc_trainers.representation import OPERATORS, SLOTS, Representation, Vocabulary
from dnc_trainers.solvers.grammar import Grammar
from dnc_trainers.solvers.gts import Gts


def _made(
    name: str, config: Config, problems: list[Problem]
) -> tuple[solvers.Solver, Examples, Representation]:
    config = config.with_settings({"solver": name})
    represent = Representation.of(config, problems)
    torch.manual_seed(1)
    model = solvers.build(config, represent.vocabulary).eval()
    return model, Examples(represent.examples(problems), graphs=True), represent


@pytest.mark.parametrize("name", solvers.names())
def test_learns(name: str, problems: list[Problem], small: Config) -> None:
    config = small.with_settings(
        {"solver": name, "seed": 1, "epochs": 40, "dropout": 0.0, "hidden": 32, "average": 0.5}
    )
    learner, history = solving.train(config, problems, problems[:6])
    assert history.best > 0.9
    assert sum(answer.correct for answer in learner.solve(problems)) >= 33


@pytest.mark.parametrize("name", solvers.names())
@pytest.mark.parametrize("beam", [1, 3])
def test_decodes_alike_alone_and_in_a_batch(
    name: str, beam: int, problems: list[Problem], small: Config
) -> None:
    # Problems of other lengths beside it must not change a row.
    longer = [
        p.replace(body=f"{p.body} It was a long and sunny day number 9.") if i % 2 else p
        for i, p in enumerate(problems[:7])
    ]
    model, examples, represent = _made(name, small, longer)
    together = model.decode(examples.batch(range(7)), beam)[0][:, 0]
    for row in range(7):
        alone = model.decode(examples.batch([row]), beam)[0][0, 0]
        ids = [i for i in together[row].tolist() if i != IGNORED]
        assert ids == [i for i in alone.tolist() if i != IGNORED]
        assert represent.read_symbols(ids, examples.examples[row].text.values).equation


@pytest.mark.parametrize("name", solvers.names())
def test_all_steps_at_once_score_as_step_by_step(name: str, problems: list[Problem], small: Config) -> None:
    model, examples, _ = _made(name, small, problems)
    batch = examples.batch(range(4))
    batch.targets = torch.cat(
        (batch.targets[:, :1], batch.targets), 1
    )  # "+ + a b", still open: all rows go on
    memory = model.encode(batch)
    state, steps = model.start(memory), []
    for step in range(batch.targets.shape[1]):
        steps.append(model.scores(memory, state))
        state = model.advance(memory, state, batch.targets[:, step])
    assert torch.allclose(torch.stack(steps, 1), model.target_scores(memory, batch.targets), atol=1e-5)


def test_a_wider_beam_finds_no_worse_sequence(problems: list[Problem], small: Config) -> None:
    model, examples, _ = _made("seq2seq", small, problems)
    batch = examples.batch(range(12))

    def cost(decoded: Tensor) -> Tensor:
        batch.targets = decoded
        scores = model.target_scores(model.encode(batch), decoded).masked_fill(
            ~model.existing(batch.slots)[:, None], float("-inf")
        )
        chosen = scores.log_softmax(-1).gather(-1, decoded.clamp(min=0)[..., None]).squeeze(-1)
        return chosen.masked_fill(decoded == IGNORED, 0.0).sum(1)

    (wide, scores), (narrow, _) = model.decode(batch, 8), model.decode(batch, 1)
    assert (cost(wide[:, 0]) >= cost(narrow[:, 0]) - 1e-4).all()
    assert (scores.diff(dim=1) <= 0).all()  # likeliest first


TREES = [
    "+ 0 1",
    "+ + 0 1 2",
    "+ 0 * 1 2",
    "* + 0 1 - 2 0",
    "- - - 0 1 2 1",
    "* 0 - + 1 2 / 0 1",
    "/ * + 0 1 2 + 1 0",
    "1",
]


def test_lockstep_trees_are_those_of_a_recursion(small: Config) -> None:
    problem = Problem("1", "Ann has 3 pens, 4 caps and 5 cups.", "How many?", equation="3 + 4")
    model, examples, represent = _made("gts", small, [problem])
    assert isinstance(model, Gts)
    first = represent.vocabulary.first_slot
    trees = [
        [OPERATORS.index(t) if t in OPERATORS else first + int(t) for t in tree.split()] for tree in TREES
    ]
    batch = examples.batch([0] * len(trees))
    width = max(map(len, trees))
    targets = torch.tensor([tree + [IGNORED] * (width - len(tree)) for tree in trees])
    memory = model.encode(batch)
    together = model.target_scores(memory, targets)
    one = memory.select(torch.tensor([0]))
    for row, tree in enumerate(trees):
        symbols, scores = iter(tree), []

        def grow(goal: Tensor, symbols=symbols, scores=scores) -> Tensor:  # type: ignore[no-untyped-def]
            """Score a node, then its operands; returns the subtree's vector."""
            context = model._context(one, goal)
            state = model.start(one)
            state.goal, state.context = goal, context
            scores.append(model.scores(one, state)[0])
            symbol = next(symbols)
            if symbol >= len(OPERATORS):
                return one.leaves[:, symbol - len(OPERATORS)]
            operator = model.operator_embedding(torch.tensor([symbol]))
            left_goal, right_goal = (child(goal, context, operator) for child in model.child_goals)
            left = grow(model.first_goal(left_goal))
            right = grow(model.right_goal(left, right_goal))
            return model.merge(operator, left, right)

        grow(model.first_goal(one.root))
        assert torch.allclose(torch.stack(scores), together[row, : len(tree)], atol=1e-5), TREES[row]


def test_slots_that_do_not_exist_are_never_chosen(problems: list[Problem], small: Config) -> None:
    model, examples, represent = _made("seq2seq", small, problems)
    with torch.no_grad():
        model.decoder.score.bias[represent.vocabulary.first_slot + 5] = 100.0
    decoded, _ = model.decode(examples.batch(range(5)), 2)
    assert (decoded != represent.vocabulary.first_slot + 5).all()


def test_tree_solvers_refuse_digits(problems: list[Problem], small: Config) -> None:
    with pytest.raises(ConfigError, match="numbers=replacement"):
        solving.SolverLearner(small.with_settings({"numbers": "tokenization"}), problems, [])


@pytest.mark.parametrize("target", ["answer", "equation_answer"])
def test_sequence_solvers_write_digits(target: str, problems: list[Problem], small: Config) -> None:
    config = small.with_settings(
        {"solver": "seq2seq", "numbers": "tokenization", "target": target, "epochs": 1}
    )
    learner, _ = solving.train(config, problems, problems[:4])
    assert all(answer.value for answer in learner.solve(problems[:8])) or target != "answer"


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), limit=st.integers(5, 20))
def test_any_walk_ends_in_an_expression(numbers: str, target: str, seed: int, limit: int) -> None:
    config = Config(numbers=numbers, target=target, max_length=limit)
    digits = numbers == "tokenization" or target != "equation"
    vocabulary = Vocabulary(("<pad>", "<unk>"), ("1", "2"), digits)
    represent, grammar = Representation(config, vocabulary), Grammar(config, vocabulary)
    torch.manual_seed(seed)
    progress = grammar.start(1, torch.device("cpu"))
    written: list[int] = []
    for step in range(limit):
        allowed = grammar.allowed(progress, step)
        assert allowed.any(), f"stuck after {written}"
        symbol = torch.multinomial(allowed[0].float(), 1)
        written.append(int(symbol))
        progress = grammar.advance(progress, symbol)
        if progress.done.all():
            break
    assert progress.done.all()
    read = represent.read_symbols(written, [Fraction(i + 2) for i in range(SLOTS)])
    if target == "answer":
        assert read.value is not None
    else:
        assert read.equation


def test_a_finished_sequence_stays_finished() -> None:
    config = Config()
    grammar = Grammar(config, Vocabulary(("<pad>", "<unk>"), ("1",)))
    progress = grammar.advance(grammar.start(1, torch.device("cpu")), torch.tensor([6]))
    assert progress.done.all()
    assert not grammar.allowed(progress, 1).any()
    assert grammar.advance(progress, torch.tensor([0])).done.all()
