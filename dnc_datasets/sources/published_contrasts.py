"""Published contrast sets: the human one for DROP, and the one of Break, Perturb, Build for IIRC."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import CONSTRAINT, Problem
from dnc_datasets.published import MEMBERS
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.break_qdmr import answer_text, drop_problem
from dnc_datasets.sources.drop_num import canonical_answer
from dnc_datasets.sources.formats.records import read_json, read_object

Record = Mapping[str, Any]

_HUMAN = PinnedFile(
    "allenai/contrast-sets", "0e9d9d0de6382a34ecc6241d28201831ef78f40f", "DROP/drop_contrast_sets_test.json"
)
_BPB = ("mega002/qdmr-based-question-generation", "09d6ae128710e6992e007c5c6ccb48b8311df169")
_GENERATED = PinnedFile(*_BPB, "data/iirc_dev_example_info_contrast_set.json")
_VALIDATED = PinnedFile(*_BPB, "data/iirc_dev_contrast_set_sample_validated.json")
_CONSTRAINTS = PinnedFile(*_BPB, "data/iirc_dev_example_info_constraints.json")
_KEYS = ("orig_qid", "qid", "question", "generated_question", "transformation")
# The start of a transformation's name -> the perturbation.
_KINDS = {
    "append_boolean_step": "append_bool",
    "prune_last_step": "prune_step",
    "prune_last_step_rm_unused": "prune_step",
    "change_last_step": "change_last",
    "op_replace_comparison": "replace_comp",
    "op_replace_boolean": "replace_bool",
    "op_replace_arithmetic": "replace_arith",
}


def read_human(files: Files, fold: str) -> Splits:
    """Read the originals, without answers, each with the questions that people made of it."""
    path = files[_HUMAN.path]
    originals: dict[str, Problem] = {}
    members: dict[str, list[dict[str, Any]]] = {}
    for passage, record in read_object(path).items():
        try:
            body = record["passage"].strip()
            for pair in record["qa_pairs"]:
                row = pair["query_id"].rpartition("_")[0] or pair["query_id"]
                golds = [pair["answer"], *pair.get("validated_answers", ())]
                texts = list(dict.fromkeys(text for gold in golds if (text := answer_text(gold))))
                if not texts:
                    continue
                asked = pair.get("original_question") or pair["question"]
                originals.setdefault(
                    row,
                    Problem(row, body, asked.strip(), answer_type="unknown", meta=(("passage", passage),)),
                )
                one = drop_problem("", body, pair["question"], texts, pair["answer"], passage)
                members.setdefault(row, []).append(_member("human", one))
        except (KeyError, TypeError, AttributeError) as error:
            raise SourceError(
                f"{path}: passage {passage!r} is not as the contrast set of DROP writes it ({error!r}); is it "
                "drop_contrast_sets_test.json?"
            ) from error
    return {"test": [_with_members(originals[row], members[row]) for row in originals]}


def read_generated(files: Files, fold: str) -> Splits:
    """Read the originals of IIRC with their published members, which all have answers."""
    return _grouped(_answered_records(files))


def read_validated(files: Files, fold: str) -> Splits:
    """Read the originals with the members that people judged valid."""
    path = files[_VALIDATED.path]
    try:
        valid = {pair["query_id"] for part in read_object(path).values() for pair in part["qa_pairs"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceError(f"{path}: not a file of validated members ({error!r})") from error
    return _grouped((record, "") for record, _ in _answered_records(files) if record["qid"] in valid)


def read_constrained(files: Files, fold: str) -> Splits:
    """Read the originals with all members, including questions with only a constraint."""
    found = read_json(files[_CONSTRAINTS.path], _KEYS)
    constraints = ((record, str(record.get("transformed_answer_constraints") or "")) for record in found)
    return _grouped((*_answered_records(files), *(pair for pair in constraints if pair[1])))


def _answered_records(files: Files) -> Iterator[tuple[Record, str]]:
    for record in read_json(files[_GENERATED.path], _KEYS):
        if str(record.get("transformed_answer") or "").strip():
            yield record, ""


def _grouped(records: Iterable[tuple[Record, str]]) -> Splits:
    """Group records, each with its constraint or "", by their originals."""
    originals: dict[str, Problem] = {}
    members: dict[str, list[dict[str, Any]]] = {}
    for record, constraint in records:
        kind = _KINDS.get(record["transformation"].partition("+")[0])
        answers = [str(text).strip() for text in record.get("orig_answer_texts") or ()]
        if kind is None or not answers:
            continue
        row, body = record["orig_qid"], str(record.get("passage") or "").strip()
        first = _answered(Problem(row, body, record["question"].strip()), ", ".join(answers))
        original = originals.setdefault(row, first)
        asked = original.replace(question=record["generated_question"].strip(), body=body)
        if constraint:
            bound = f" {original.answer}" if constraint in (">=", "<=") else ""
            one = asked.replace(answer=f"{constraint}{bound}", answers=(), answer_type=CONSTRAINT)
        else:
            one = _answered(asked, str(record["transformed_answer"]).strip())
        members.setdefault(row, []).append(_member(kind, one))
    return {"test": [_with_members(originals[row], members[row]) for row in originals]}


def _answered(problem: Problem, answer: str) -> Problem:
    number = numerals.parse(answer) is not None
    kind = "number" if number else "yes_no" if answer.lower() in ("yes", "no") else "span"
    meta = problem.meta or (("passage", problem.id),)
    return problem.replace(answer=canonical_answer(answer), answers=(), answer_type=kind, meta=meta)


def _member(kind: str, problem: Problem) -> dict[str, Any]:
    stated: dict[str, Any] = {"kind": kind, "question": problem.question, "answer": problem.answer}
    stated["answer_type"] = problem.answer_type
    return {**stated, "answers": list(problem.answers)} if problem.answers else stated


def _with_members(original: Problem, members: list[dict[str, Any]]) -> Problem:
    meta = (*original.meta, (MEMBERS, json.dumps(members, ensure_ascii=False)))
    return original.replace(meta=tuple(sorted(meta)))


_UNPERTURBED = "its contrast set is published; ask for NAME-published-contrast"

DROP = Source(
    name="drop_human",
    title="The contrast set of DROP that people wrote",
    shape="passage",
    read=read_human,
    files=(_HUMAN,),
    licence="CC BY-SA 4.0",
    homepage="https://github.com/allenai/contrast-sets",
    scope=("body", "question"),
    numeric=False,
    equations=False,
    citation="""@inproceedings{gardner-etal-2020-evaluating,
  title = {Evaluating Models' Local Decision Boundaries via Contrast Sets},
  author = {Gardner, Matt and others},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2020},
  year = {2020}
}""",
    errata=(
        Erratum(
            "*",
            "the originals are of DROP's test part, whose answers are not public",
            "only members are asked, and consistency is over them",
        ),
    ),
    manual="Its file is not pinned here. Download drop_contrast_sets_test.json from "
    "https://github.com/allenai/contrast-sets (folder DROP)",
    unperturbed=_UNPERTURBED.replace("NAME", "drop_human"),
    asked=False,
    contrasts=True,
)

IIRC = Source(
    name="iirc_bpb",
    title="The contrast set of Break, Perturb, Build for IIRC",
    shape="passage",
    read=read_generated,
    files=(_GENERATED,),
    licence="CC BY 4.0",
    homepage="https://github.com/mega002/qdmr-based-question-generation",
    scope=("body", "question"),
    numeric=False,
    equations=False,
    citation="""@article{geva-etal-2022-break,
  title = {Break, Perturb, Build: Automatic Perturbation of Reasoning Paths Through Question Decomposition},
  author = {Geva, Mor and Wolfson, Tomer and Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  year = {2022}
}""",
    manual="Its files are not pinned here. Unpack data/iirc_data.zip of "
    "https://github.com/mega002/qdmr-based-question-generation; the file names are those of the release",
    unperturbed=_UNPERTURBED.replace("NAME", "iirc_bpb"),
    contrasts=True,
)

IIRC_VALIDATED = replace(
    IIRC,
    name="iirc_bpb_validated",
    title="The members of IIRC's contrast set that people judged valid",
    read=read_validated,
    files=(_GENERATED, _VALIDATED),
    unperturbed=_UNPERTURBED.replace("NAME", "iirc_bpb_validated"),
)

IIRC_CONSTRAINTS = replace(
    IIRC,
    name="iirc_bpb_constraints",
    title="IIRC's contrast set with its constraints",
    read=read_constrained,
    files=(_GENERATED, _CONSTRAINTS),
    unperturbed=_UNPERTURBED.replace("NAME", "iirc_bpb_constraints"),
)
