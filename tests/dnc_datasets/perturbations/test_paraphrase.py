"""Paraphrases by rule and by model, and the head-entity filter that both go through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording import paraphrase_model as seq2seq
from dnc_datasets.english.rewording.paraphrases import (
    REWRITES,
    paraphrases,
    replaced_share,
    rewrites,
    same_heads,
)
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations.paraphrase import choose
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import perturb

SAID = [
    ("Mona gave 12 stamps to Omar.", "Omar got 12 stamps from Mona."),
    ("Mona gave 12 stamps to Omar.", "Mona gave Omar 12 stamps."),
    ("Omar received 12 stamps from Mona.", "Mona gave 12 stamps to Omar."),
    ("There are 9 jars in the crate.", "The crate contains 9 jars."),
    ("Each crate holds 9 jars.", "There are 9 jars in each crate."),
    ("Lena has 4 coins and Ivan has 6 coins.", "Lena has 4 coins. Ivan has 6 coins."),
    ("On Monday, Lena ran 4 miles.", "Lena ran 4 miles on Monday."),
    ("Now she has 5 keys.", "She now has 5 keys."),
    ("How many keys does she have in total?", "How many keys does she have altogether?"),
    ("How many keys does Lena have left?", "How many keys does Lena still have?"),
    ("How many keys did Lena find?", "What is the number of keys that Lena found?"),
    ("How much money did she spend?", "What amount of money did she spend?"),
    ("Lena did not win 3 games.", "Lena didn't win 3 games."),
]
CHANGED = [
    ("Mona gave 12 stamps to Omar.", "Mona gave 12 coins to Omar."),
    ("Mona gave 12 stamps to Omar.", "Mona gave 13 stamps to Omar."),
    ("Mona gave 12 stamps to Omar.", "Mona gave away 12 stamps."),
    ("Mona has 3 cups and 5 jars.", "Mona has 5 cups and 3 jars."),
    ("Mona has 3 cups. Ben has 5 cups.", "Ben has 3 cups. Mona has 5 cups."),
]


@pytest.mark.parametrize(("before", "after"), SAID)
def test_rules_say_the_same(before: str, after: str) -> None:
    assert after in {made for _, made in rewrites(before)}


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_the_filter_sees_what_changed(before: str, after: str) -> None:
    assert not same_heads(before, after)


def test_there_are_forty_rules_with_names_of_their_own() -> None:
    names = [rule.name for rule in REWRITES]
    assert len(names) == len(set(names)) >= 40


@given(
    st.sampled_from(("Amy", "Tom", "Mrs. Hill")),
    st.integers(2, 9999),
    st.sampled_from(("pens", "red cups", "boxes of tea")),
)
def test_every_paraphrase_passes_the_filter(who: str, number: int, things: str) -> None:
    sentence = f"{who} bought {number} {things} and gave them to Ben."
    for made in paraphrases(sentence, 7):
        assert same_heads(sentence, made)
        assert made != sentence


def test_a_problem_keeps_its_target_and_repeats() -> None:
    step = perturbations.get("paraphrase")
    problem = Problem(
        "1", "Mona gave 12 stamps to Omar. Now she has 5 stamps.", "How many stamps did she have at first?",
        equation="12 + 5", answer="17",
    )  # fmt: skip
    made = step.apply(problem, Draw(3, "d", "1", "paraphrase"))
    assert made is not None
    assert made == step.apply(problem, Draw(3, "d", "1", "paraphrase"))
    certify(problem, made, step)
    assert (made.equation, made.answer) == ("12 + 5", "17")


def test_a_row_carries_its_strength() -> None:
    problem = Problem(
        "1", "Mona has 12 stamps.", "How many stamps does Mona have left?", equation="12", answer="12"
    )  # fmt: skip
    row = perturb(problem, (perturbations.get("paraphrase"),), dataset="d")
    facts = json.loads(row.parameters or "")["paraphrase"]
    assert facts["changed"] == round(replaced_share(problem.text, row.problem.text), 3) > 0
    assert facts["rules"] >= 1


@pytest.mark.parametrize(("share", "changes"), [(0.0, True), (0.05, True), (1.0, False)])
def test_weak_paraphrases_can_be_left_out(share: float, changes: bool) -> None:
    problem = Problem("1", "Mona has 12 stamps.", "How many stamps does Mona have left?")
    made = perturbations.get("paraphrase").apply(problem, Draw(0, "d", "1", "paraphrase"), min_change=share)
    assert (made is not None) is changes


def test_two_short_statements_become_one() -> None:
    problem = Problem("1", "Zoe fed 3 owls. Omar fed 5 owls.", "Who fed more?")
    made = perturbations.get("paraphrase").apply(problem, Draw(0, "d", "1", "paraphrase"))
    assert made is not None
    assert made.body == "Zoe fed 3 owls, and Omar fed 5 owls."


def test_a_model_goes_through_the_same_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["Omar was given 12 stamps by Mona.", "Mona gave 21 stamps to Omar.", "Somebody gave 12 stamps."]
    monkeypatch.setattr(seq2seq, "paraphraser", lambda model: lambda sentence, most: said[:most])
    assert [made.text for made in choose("Mona gave 12 stamps to Omar.", 7, model="scripted")] == said[:1]


@pytest.mark.parametrize(
    ("sentence", "text", "alike"),
    [
        ("How many balloons were left?", "How many balloons remained?", True),
        ("How many pens does Amy have?", "What is the number of pens that Amy has?", True),
        ("Wei made 27 bookmarks for the fair.", "27 bookmarks were made for the fair by Wei.", True),
        ("How many seats were taken?", "How many cookies were taken?", False),
        ("How many more pens does Amy have?", "Amy has more pens.", False),
        ("The youth orchestra played in the center.", "The clock in the center.", False),
        ("Amy has 3 pens.", "Amy has 3 pens and a house with a garden behind the old mill.", False),
        ("Amy has 3 pens.", "", False),
        ("How much money did he have left?", "What amount of money did he still have?", True),
        ("How much money did he have left?", "What amount of money did he have before?", False),
        ("How much money did he have left?", "What amount of money did he have?", False),
        ("How many points did Ann score?", "How many more points did Ann score?", False),
        ("Wei made 27 hats.", "27 hats were made made by Wei.", False),
        ("How many points did Ann score?", "How many points did Ann that did Ann score?", False),
    ],
)
def test_what_a_model_says_must_be_alike(sentence: str, text: str, alike: bool) -> None:
    assert seq2seq.is_alike(sentence, text) is alike


def test_a_real_sequence_to_sequence_model_is_loaded_and_filtered(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = ["<pad>", "</s>", "<unk>", "Mona", "gave", "12", "stamps", "to", "Omar", ".", "got", "from"]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>")
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    tokenizer.save_pretrained(tmp_path)
    config = transformers.T5Config(
        vocab_size=len(words), d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    paraphrase = seq2seq.paraphraser(str(tmp_path))
    sentence = "Mona gave 12 stamps to Omar."
    made = paraphrase(sentence, 3)
    assert made == paraphrase(sentence, 3)
    assert len(made) <= 3
    # An untrained model says nothing sensible: the filter lets none of it through.
    assert all(same_heads(sentence, made.text) for made in choose(sentence, 3, model=str(tmp_path)))


def test_a_missing_model_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(DncError, match="Give the folder"):
        seq2seq.paraphraser(str(tmp_path / "none"))
