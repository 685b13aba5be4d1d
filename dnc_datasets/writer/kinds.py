"""The kinds of rewrites: the prompt, the smallest proposal of the model, and the problem assembled from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from dnc_datasets import expression
from dnc_datasets.english.reading.problem_text import split_problem
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import DncError, ExpressionError, UnknownNameError
from dnc_datasets.problem import Problem

CERTIFIED, AGREED, JUDGED = "certified", "agreed", "judged"
LEVELS = (CERTIFIED, AGREED, JUDGED)
# A newer version of the judge may only refuse rows that an older one accepted.
JUDGE_VERSION = 1
_WORDING = (
    "values_said", "asked_kept", "rates_kept", "directions_kept", "numbers_not_crossed", "owners_kept", "sides_kept",
    "times_more_kept", "shares_kept", "steps_kept", "opposites_kept", "units_kept", "qualifiers_kept", "nothing_added",
)  # fmt: skip
_FENCE = re.compile(r"```[a-z]{0,20}\n?")
_THOUGHT_END = "</think>"
_NUMBERED = re.compile(r"\A\s{0,8}(?:\d{1,3}[.):]|[-*])\s{1,8}")
_MAX_PARTS = 100
_MAX_TEXT = 8_000
_MAX_WORDS = 50


class RefusedError(DncError):
    """A proposal from which no problem can be assembled. The message names what it lacks."""


@dataclass(frozen=True)
class Kind:
    """One kind of rewrite."""

    name: str
    capability: str
    instruction: str
    assemble: Callable[[Problem, Mapping[str, Any]], Problem]
    promises: tuple[str, ...]
    level: str  # level without the agreement of a solver; empty where a solver must agree

    def prompt(self, problem: Problem) -> str:
        """Return the prompt for a problem."""
        parts = (
            "\n".join(f"{at}. {part}" for at, part in enumerate(parts_of(problem), 1))
            if self.name in ("paraphrase", "order")
            else problem.text
        )
        return f"{self.instruction}\n\n{parts}\n"


def parts_of(problem: Problem) -> list[str]:
    """Return the sentences of the body, then the question."""
    return [*sentences(problem.body), problem.question]


def digest(text: str) -> str:
    """Return the hash by which rows name a prompt or a candidate."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def proposal(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a candidate. Those of a raw `reply` are read from its text."""
    reply = line.get("reply")
    if not isinstance(reply, str):
        return line
    text = _FENCE.sub("", reply.rpartition(_THOUGHT_END)[2][: 4 * _MAX_TEXT]).strip()
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = json.loads(text[start : end + 1])
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return {**found, "writer": line.get("writer")}
    lines = [_NUMBERED.sub("", one, count=1).strip() for one in text.splitlines() if one.strip()]
    return {"parts": lines, "text": " ".join(lines), "writer": line.get("writer")}


def _text(line: Mapping[str, Any]) -> str:
    text = line.get("text")
    if not isinstance(text, str) or not text.strip() or len(text) > _MAX_TEXT or not text.isprintable():
        raise RefusedError(f"`text` is not one printable text of at most {_MAX_TEXT} characters")
    return " ".join(text.split())


def _paraphrase(problem: Problem, line: Mapping[str, Any]) -> Problem:
    """Return the problem in the sentences of a proposal, or in the sentences of a text that is not cut."""
    parts = line.get("parts") or [line.get("text")]
    if not isinstance(parts, list) or len(parts) > _MAX_PARTS:
        raise RefusedError("`parts` is not a list of sentences")
    texts = [_text({"text": part}) for part in parts]
    if len(texts) == 1 and len(parts_of(problem)) > 1:
        return _rewritten(problem, {"text": texts[0]})
    return problem.replace(body=" ".join(texts[:-1]), question=texts[-1])


def _mapped(problem: Problem, line: Mapping[str, Any]) -> Problem:
    words = line.get("map")
    if not isinstance(words, dict) or not 0 < len(words) <= _MAX_WORDS:
        raise RefusedError("`map` is not an object of words to words")
    known = {str(old): str(new) for old, new in words.items()}
    if not all(re.fullmatch(r"[A-Za-z]{1,40}", word) for pair in known.items() for word in pair):
        raise RefusedError("`map` holds something that is not one word of letters")
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})\b")
    return problem.with_texts(
        {
            field: pattern.sub(lambda match: known[match[0]], text)
            for field, text in problem.texts(("body", "question"))
        }
    )


def _ordered(problem: Problem, line: Mapping[str, Any]) -> Problem:
    order = line.get("order")
    body = sentences(problem.body)
    numbers = [int(one) for one in order if str(one).isdecimal()] if isinstance(order, list) else []
    if sorted(numbers) != list(range(1, len(body) + 1)):
        raise RefusedError(f"`order` is not a permutation of 1 to {len(body)}")
    return problem.replace(body=" ".join(body[one - 1] for one in numbers))


def _distracted(problem: Problem, line: Mapping[str, Any]) -> Problem:
    added = _text(line)
    if len(sentences(added)) != 1 or not added.endswith("."):
        raise RefusedError("`text` is not one statement")
    return problem.replace(body=f"{problem.body} {added}".strip())


def _other_question(problem: Problem, line: Mapping[str, Any]) -> Problem:
    equation = line.get("equation")
    try:
        answer = expression.parse(str(equation)[:500]).canonical()
    except ExpressionError as error:
        raise RefusedError("`equation` has no value") from error
    return problem.replace(question=_text(line), equation=str(equation), answer=answer, answers=(), unit="")


def _rewritten(problem: Problem, line: Mapping[str, Any]) -> Problem:
    body, question = split_problem(_text(line))
    return problem.replace(body=body, question=question)


_KEEP = "Keep every number, every unit, every person and the question. "
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "paraphrase", "operation_reasoning",
            f"Write each sentence in other words, one per line, in this order. {_KEEP}Answer with the sentences only.",
            _paraphrase, ("target_kept", "text_changed", *_WORDING), JUDGED,
        ),
        Kind(
            "names", "probe",
            'Choose another first name of the same gender for each person. Answer with JSON: {"map": {"Old": "New"}}',
            _mapped, ("target_kept", "text_changed", "words_mapped", "names_mapped"), CERTIFIED,
        ),
        Kind(
            "story", "probe",
            "Choose another thing for each thing that is counted, singular for singular and plural for plural. "
            'Answer with JSON: {"map": {"old": "new"}}',
            _mapped, ("target_kept", "text_changed", "words_mapped"), CERTIFIED,
        ),
        Kind(
            "order", "operation_reasoning",
            "Choose another order of the numbered statements in which the problem can still be understood. The "
            'question stays last. Answer with JSON: {"order": [2, 1, 3]}',
            _ordered,
            ("target_kept", "values_permuted", "order_changed", "attachments_kept", "introductions_kept",
             "words_stay_together"),
            CERTIFIED,
        ),
        Kind(
            "distractor", "operand_selection",
            'Write one statement with a number that does not change the answer. Answer with JSON: {"text": "..."}',
            _distracted, ("target_kept", "one_statement_added"), "",
        ),
        Kind(
            "question", "operation_reasoning",
            "Ask another question about the same statements, with an equation over their numbers. "
            'Answer with JSON: {"text": "...?", "equation": "..."}',
            _other_question, ("question_changed", "operands_stated"), "",
        ),
        Kind(
            "rewrite", "operation_reasoning",
            f'Rewrite the problem in other words. {_KEEP}Answer with JSON: {{"text": "..."}}',
            _rewritten, ("target_kept", "text_changed", *_WORDING), "",
        ),
    )
}  # fmt: skip


def get(name: str) -> Kind:
    """Return the kind of this name. The error for an unknown name lists the nearest names."""
    if name not in KINDS:
        raise UnknownNameError("kind of rewrite", name, tuple(KINDS))
    return KINDS[name]


def label(kind: Kind, level: str) -> str:
    """Return the name of the perturbation in rows and records: kinds of different levels are never one line."""
    return f"{kind.name}_{level}"


def of_label(name: str) -> Kind | None:
    """Return the kind of a label such as "paraphrase_judged", or None for another perturbation.

    >>> of_label("paraphrase_judged").capability
    'operation_reasoning'
    """
    kind, _, level = name.rpartition("_")
    return KINDS.get(kind) if level in LEVELS else None
