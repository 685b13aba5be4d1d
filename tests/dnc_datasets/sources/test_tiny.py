"""The embedded corpus as every user gets it: its size, its arithmetic, its English, its bytes."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest

from dnc_datasets import expression, sources
from dnc_datasets.corpus import Template, fill, lexicon, read_fillings, templates
from dnc_datasets.corpus.generate import MONEY_UNIT, ROWS_PER_TEMPLATE
from dnc_datasets.corpus.template import KINDS, SLOT
from dnc_datasets.problem import SPLITS, Problem, from_row, to_row

# Changes whenever a template, a word or the generator does; the changelog must then say so.
GOLDEN = "8a45048995ab7a78a92ed05b872f6b300b6438d57609604b437f248dad2e1c7c"

# Equations that use one number of the text twice, as in "b has more than a, how many together".
REPEATED_OPERANDS = {
    "two-008", "two-040", "two-054", "two-055", "two-079", "two-080", "two-093", "two-103", "two-121", "two-122",
    "two-145", "two-160",
}  # fmt: skip
PRONOUNS = {"he": "boy", "him": "boy", "his": "boy", "she": "girl", "her": "girl"}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Problem]]:
    return dict(sources.get("tiny").read({}, ""))


@pytest.fixture(scope="module")
def rows(splits: dict[str, list[Problem]]) -> list[Problem]:
    return [row for split in splits.values() for row in split]


def by_id() -> dict[str, Template]:
    return {template.id: template for template in templates()}


def sha256(rows: list[Problem]) -> str:
    lines = (json.dumps(to_row(row), ensure_ascii=False, sort_keys=True) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_sizes(splits: dict[str, list[Problem]]) -> None:
    assert len(templates()) == 618
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 2231,
        "validation": 220,
        "test": 240,
    }
    assert len(lexicon().words("person")) >= 60
    nouns = {
        word.text for name in lexicon().classes for word in lexicon().words(name) if "many" in word.forms
    }
    assert len(nouns) >= 80


def test_the_bytes_are_the_published_ones(rows: list[Problem]) -> None:
    assert sha256(rows) == GOLDEN


def test_another_process_with_another_hash_seed_makes_the_same(rows: list[Problem]) -> None:
    code = "from dnc_datasets import corpus; print([p.text for s in corpus.problems().values() for p in s])"
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "77", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert other.stdout.strip() == str([row.text for row in rows])


def test_ids_and_texts_are_unique(rows: list[Problem]) -> None:
    assert [text for text, count in Counter(row.id for row in rows).items() if count > 1] == []
    assert [text for text, count in Counter(row.text for row in rows).items() if count > 1] == []
    for row in rows:
        template, _, number = row.id.rpartition("-")
        assert template == row.note("template")
        assert 1 <= int(number) <= max(ROWS_PER_TEMPLATE.values())


def test_no_template_in_two_splits(splits: dict[str, list[Problem]]) -> None:
    used = {name: {row.note("template") for row in rows} for name, rows in splits.items()}
    assert not used["train"] & used["test"]
    assert not used["validation"] & (used["train"] | used["test"])


def test_every_kind_is_in_every_split() -> None:
    found = Counter((template.kind, template.split) for template in templates())
    for kind in KINDS:
        if kind != "three_step":
            assert min(found[kind, split] for split in SPLITS) >= 2, kind
            assert found[kind, "test"] >= 4, kind


def test_the_mixture() -> None:
    count = len(templates())
    assert 0.32 <= sum(template.steps > 1 for template in templates()) / count <= 0.37
    assert 0.28 <= sum(template.body[-1].endswith(",") for template in templates()) / count <= 0.38
    assert sum(bool(template.distractors) for template in templates()) >= 15
    assert (
        sum(any(f"{{{name}" in template.question for name in template.visible) for template in templates())
        >= 8
    )
    assert {len(template.body) for template in templates()} == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("split", "other"), [("test", "train"), ("validation", "train"), ("validation", "test")]
)
def test_templates_are_not_those_of_another_split_with_other_nouns(split: str, other: str) -> None:
    def masked(template: Template) -> list[str]:
        text = SLOT.sub(lambda slot: "N" if slot[1] in template.numbers else "W", " ".join(template.texts))
        return re.findall(r"\w+", text.lower())

    theirs = [masked(template) for template in templates() if template.split == other]
    for template in templates():
        if template.split == split:
            mine = masked(template)
            closest = max(difflib.SequenceMatcher(None, mine, one, autojunk=False).ratio() for one in theirs)
            assert closest < 0.65, template.id


def test_every_answer_follows_from_its_equation(rows: list[Problem]) -> None:
    for row in rows:
        value = expression.parse(row.equation).value()
        assert row.answer == expression.canonical(value) == row.expected_answer(), row.id
        assert value > 0, row.id
        assert (value * (100 if row.unit == MONEY_UNIT else 1)).denominator == 1, row.id


def test_every_number_is_visible_once_and_nothing_else_is(rows: list[Problem]) -> None:
    for row in rows:
        template = by_id()[row.note("template")]
        seen = [quantity.value for quantity in row.quantities()]
        assert seen == [read_fillings(row).numbers[name] for name in template.visible], row.id
        assert len(set(seen)) == len(seen), row.id
        assert Fraction(row.answer) not in seen, row.id
        operands = [leaf.value() for leaf in expression.parse(row.equation).leaves()]
        assert set(operands) <= set(seen), row.id
        assert (len(set(operands)) < len(operands)) == (template.id in REPEATED_OPERANDS), row.id
        assert not [
            quantity for quantity in row.quantities() if quantity.kind in ("year", "date", "ordinal")
        ], row.id


def test_numbers_come_in_several_forms(rows: list[Problem]) -> None:
    kinds = Counter(quantity.kind for row in rows for quantity in row.quantities())
    assert kinds["word"] >= 60
    assert kinds["money"] >= 200
    texts = [quantity.text for row in rows for quantity in row.quantities()]
    assert sum("." in text for text in texts) >= 60
    assert sum("," in text for text in texts) >= 40


def test_sentences(rows: list[Problem]) -> None:
    for row in rows:
        assert "{" not in row.text + row.unit, row.id
        assert "  " not in row.text, row.id
        sentences = re.split(r"(?<=[.?]) ", row.text)
        assert 2 <= len(sentences) <= 5 or row.body.endswith(","), row.id
        assert all(sentence[0].isupper() for sentence in sentences), row.id
        assert all(sentence.endswith((".", "?")) for sentence in sentences), row.id
        assert row.text.count("?") == 1, row.id
        assert row.body.endswith((".", ",")), row.id
        assert row.question.endswith("?"), row.id
        assert row.question[0].isupper() == row.body.endswith("."), row.id


def test_articles(rows: list[Problem]) -> None:
    silent_or_long = re.compile(r"hour|honest|heir")
    for row in rows:
        for article, word in re.findall(r"\b([Aa]n?) (\$?\w+)", row.text):
            vowel = word[0].lower() in "aeiou" and not re.match(r"u[ks]|uni[cft]|one\b|eu", word.lower())
            vowel = vowel or bool(silent_or_long.match(word)) or bool(re.match(r"(8|11|18)(\D|$)", word))
            assert (article.lower() == "an") == vowel, (row.id, article, word)


def test_pronouns_agree_with_the_people(rows: list[Problem]) -> None:
    gender = {word.text: word.word_class for word in lexicon().words("person")}
    for row in rows:
        people = {gender[word] for word in re.findall(r"\b[A-Z]\w+", row.text) if word in gender}
        for pronoun in re.findall(r"\b(?:he|him|his|she|her)\b", row.text.lower()):
            assert PRONOUNS[pronoun] in people, (row.id, pronoun)


def test_a_pronoun_never_stands_for_the_other_of_two_people() -> None:
    for template in templates():
        people = [slot for slot, name in template.slots.items() if name in ("person", "girl", "boy")]
        pronouns = {
            slot for text in template.texts for slot, form in SLOT.findall(text) if slot in people and form
        }
        assert len(pronouns) <= 1, template.id
        assert not pronouns or pronouns == {people[0]}, template.id


def test_slots_of_a_problem_hold_different_words(rows: list[Problem]) -> None:
    for row in rows:
        words = [word.text for word in read_fillings(row).words.values()]
        assert len(set(words)) == len(words), row.id


def test_a_row_gives_back_its_problem_and_its_fillings(rows: list[Problem]) -> None:
    for row in rows:
        assert from_row(to_row(row)) == row
        template = by_id()[row.note("template")]
        assert fill(template, read_fillings(row), int(row.id.rpartition("-")[2])) == row
        assert row.note("kind") == template.kind
        assert row.note("category") == template.category
        assert row.note("steps") == str(len(expression.parse(row.equation).operators))
