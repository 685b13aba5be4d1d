"""RGNet on embedded conversations: candidates, learning answers and graphs, and what is scored beside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets.problem import Problem, Turn, to_row
from dnc_datasets.serving import catalogue
from dnc_trainers import load_solver, readers
from dnc_trainers.config import ConfigError
from dnc_trainers.readers import learner
from dnc_trainers.readers.equations import Generator
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.reasoning import FEATURES, candidates, features, graph_scores, nodes_of, reachable
from dnc_trainers.readers.replies import Reading, Reply
from dnc_trainers.readers.rgnet import RGNet


@pytest.fixture(scope="module")
def rows() -> list[Problem]:
    return catalogue.read("tiny_dialogues")["train"][:9]


@pytest.fixture(scope="module")
def config() -> Reading:
    small = {"hidden": 32, "embedding": 24, "epochs": 40, "batch": 3, "lr": 5e-3, "dropout": 0}
    return readers.default_config("rgnet").with_settings({**small, "least_word_count": 1})


def _pairs(config: Reading, direction: str) -> set[tuple[str, str]]:
    problem = Problem(
        "p", "", "And now?", segments=("One.",), history=(Turn("A?", "1"), Turn("B?", "2")), answer="3"
    )
    reader = ReaderLearner(config.with_settings({"direction": direction}), [problem], []).reader
    assert isinstance(reader, RGNet)
    made = reader.example(problem)
    return {(made.nodes[i].name, made.nodes[j].name) for i, j in made.pairs}


def test_directed_edges_point_back(config: Reading) -> None:
    directed, symmetric = (_pairs(config, name) for name in ("directed", "symmetric"))
    assert ("<q2>", "<q1>") in directed
    assert ("<q1>", "<q2>") not in directed
    assert symmetric - directed == {("<q1>", "<q2>")}
    assert not any(one == "<p1>" or two == "<q>" for one, two in symmetric)


@pytest.mark.parametrize(("decoder", "epochs"), [("generator", 80), ("grammar", 40)])
def test_it_learns_answers_and_graphs(
    rows: list[Problem], config: Reading, tmp_path: Path, decoder: str, epochs: int
) -> None:
    own = config.with_settings({"decoder": decoder, "epochs": epochs})
    learnt, _ = learner.train(own, rows, [], folder=tmp_path)
    assert learnt.dropped == 0
    answers = learnt.solve(rows)
    assert sum(answer.correct for answer in answers) >= len(rows) - 1
    stated = learnt.measures(rows, answers)
    assert (
        stated["edge F1"] > 0.8 > max(stated[f"{name}: edge F1"] for name in ("last turn", "first segment"))
    )
    assert stated["equations, gold fed to the decoder"] >= stated["equations, decoded freely"] > 0.8
    assert "type arithmetic" in stated
    assert "turn 01" in stated
    again = load_solver(tmp_path).answers(rows)
    assert [reply.text for reply in again] == [answer.text for answer in answers]
    assert [list(reply.edges) for reply in again] == [answer.notes["edges"] for answer in answers]


def test_symmetric_weights_cannot_tell_the_ends(rows: list[Problem], config: Reading) -> None:
    for direction, same in (("symmetric", True), ("directed", False)):
        made = ReaderLearner(config.with_settings({"direction": direction}), rows, [])
        batch = made.reader.collate(
            [example for example in made.train.examples if len(example.nodes) > 4][:1]
        )
        edge = made.reader._read(batch)["edge"]  # type: ignore[operator]
        apart = (edge - edge.transpose(1, 2)).abs().max()
        assert bool(apart < 1e-5) is same


def test_a_batch_without_a_known_graph_teaches_answers_alone(rows: list[Problem], config: Reading) -> None:
    unknown = [row.replace(meta=tuple((k, "[]" if k == "graph" else v) for k, v in row.meta)) for row in rows]
    made = ReaderLearner(config, unknown[:3], [])
    loss = made.model(made.reader.collate(made.train.examples))
    assert bool(loss.isfinite())
    loss.backward()
    assert made.reader.edge[0].weight.grad is None  # type: ignore[index, union-attr]


def test_graph_scores() -> None:
    gold = [("<q>", "<q1>"), ("<q1>", "<p1>")]
    problem = Problem("p", "", "?", answer="1")
    stated = graph_scores([gold], [gold], [problem])
    assert [stated[name] for name in ("known graphs", "GEM", "DAGsim", "edge F1")] == [1, 1, 1, 1]
    stated = graph_scores([gold], [[("<q>", "<q1>")]], [problem])
    assert stated["GEM"] == 0
    assert stated["edge F1"] == pytest.approx(2 / 3)
    # Turns of one conversation are one piece of evidence: its interval is as wide as it can be.
    turns = [Problem(f"p{n}", "", "?", answer="1", meta=(("conversation", f"c{n % 2}"),)) for n in range(8)]
    stated = graph_scores([gold] * 8, [gold, []] * 4, turns)
    assert [stated["GEM"], stated["GEM, from"], stated["GEM, to"]] == [0.5, 0, 1]
    assert graph_scores([[]], [gold], [problem]) == {}
    assert reachable([("<q1>", "<q2>"), ("<q2>", "<q1>")]) == []


def test_probes_take_the_passage_and_the_history_away(rows: list[Problem], config: Reading) -> None:
    made = ReaderLearner(config.with_settings({"probes": True}), rows[:4], [])
    stated = made.measures(rows[:4], made.solve(rows[:4]))
    assert {"no passage", "no history"} <= stated.keys()
    # A first turn has no history to take away.
    first = [row for row in rows if not row.history][:1]
    assert "no history" not in made.measures(first, made.solve(first))


def test_ablations_build(rows: list[Problem], config: Reading) -> None:
    for settings in ({"graph_layers": 0}, {"edge_loss": False}):
        made = ReaderLearner(config.with_settings(settings), rows[:2], [])
        made.model(made.reader.collate(made.train.examples)).backward()
    with pytest.raises(ConfigError, match="directed, symmetric"):
        config.with_settings({"direction": "both"})


def test_the_generator_writes_and_reads_equations_and_closed_answers() -> None:
    made, values = Generator(8), [Fraction(5), Fraction(3)]
    ids = made.target("(5 - 3) / 2 - (1 - 3)", values)
    assert ids is not None
    read = made.reply(list(ids), values)
    assert read.value == 3
    assert made.reply(list(made.closed("unknown")), values).words == ("unknown",)
    assert made.target("5 * 17", values) is None  # 17 is neither in the text nor a constant
    assert made.reply(list(ids[:3]), values) == Reply()  # nothing closes a bracket: there is no grammar


def test_decoders_have_their_own_heads(rows: list[Problem], config: Reading) -> None:
    names = {}
    for decoder in ("generator", "grammar"):
        made = ReaderLearner(config.with_settings({"decoder": decoder}), rows[:2], [])
        names[decoder] = {name.partition(".")[0] for name, _ in made.reader.named_parameters()}
    assert names["grammar"] - names["generator"] == {"closed"}


_SCRIPT = """
import json, sys
from pathlib import Path
from dnc_datasets.problem import from_row
from dnc_trainers import loop, readers
from dnc_trainers.readers import learner
path = Path(sys.argv[1])
problems = [from_row(row) for row in json.loads((path / "rows.json").read_text())]
config = readers.default_config("rgnet").with_settings(json.loads((path / "config.json").read_text()))
accelerator = loop.make_accelerator(config)
assert accelerator.num_processes == 2
made, _ = learner.train(config, problems, problems[:2], folder=path / "run", accelerator=accelerator)
answers = [answer.text for answer in made.solve(problems, accelerator=accelerator)]
sums = [float(p.detach().double().sum()) for p in made.model.parameters()]
(path / f"rank{accelerator.process_index}.json").write_text(json.dumps([answers, sums]))
"""


def test_two_processes_train_one_reader(tmp_path: Path, rows: list[Problem], config: Reading) -> None:
    short = config.with_settings({"epochs": 1, "eval_batch": 2, "hidden": 8, "embedding": 8})
    (tmp_path / "rows.json").write_text(json.dumps([to_row(row) for row in rows[:6]]))
    (tmp_path / "config.json").write_text(json.dumps(short.to_dict()))
    (tmp_path / "work.py").write_text(_SCRIPT)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    ended = subprocess.run(
        [*launch, str(tmp_path / "work.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ended.returncode == 0, ended.stderr[-6000:]
    one, two = (json.loads((tmp_path / f"rank{rank}.json").read_text()) for rank in range(2))
    assert one == two
    assert one[0] == [reply.text for reply in load_solver(tmp_path / "run").answers(rows[:6])]


def test_what_two_nodes_share_is_shown() -> None:
    problem = Problem(
        "p",
        "",
        "And the red pens?",
        segments=("Ann has 5 red pens.", "It rains."),
        history=(Turn("Sun?", "no"),),
    )
    nodes, _ = nodes_of(problem)
    pairs = candidates(nodes)
    shown = {
        (nodes[i].name, nodes[j].name): stated
        for (i, j), stated in zip(pairs, features(problem, pairs), strict=True)
    }
    assert shown["<q>", "<p1>"][:4] == (1.0, 0.5, 1.0, 1.0)
    assert shown["<q>", "<p2>"][:4] == (0.0, 0.0, 0.0, 0.0)
    assert shown["<q>", "<q1>"][5] == 1.0
    assert all(len(stated) == FEATURES for stated in shown.values())
