"""Rules of the perturbation `logic`: a question, a relation of the body, and the question in its place.

Each rule has a question pattern (see `english.questions`), the name of a relation (see `english.relations`),
the new question with the slots of both, and the new equation over the numbers of the relation ({eq} is the
old one).
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule that asks another question about the same numbers."""

    name: str
    asks: str
    relation: str
    says: str
    equation: str


# Operations of an equation -> the relations that it may have. Other relations need several operations.
SUMS = ("list", "times", "twice", "two sum", "comparison", "initial more", "initial less", "gained less",
        "gained more", "two acts", "counted twice", "joined less", "joined more", "at first and later",
        "two own acts")  # fmt: skip
PRODUCTS = ("list", "product", "product done", "each done", "each holds", "each with", "apiece", "per time")
QUOTIENTS = ("each of a total", "left after one", "in each of a total", "two things")
STEPS = ("list", "times", "two sum", "list first", "removals", "removed first", "two events", "compared first",
         "compared first less", "product first", "holding first", "with first")  # fmt: skip
# The only relation whose question may contain a number.
ASKED = ("asked number",)


def rules_for(operators: tuple[str, ...], *, asked: bool = False) -> tuple[Rule, ...]:
    """Return the rules for an equation with these operators, in the order of the table."""
    if asked:
        return tuple(rule for rule in RULES if rule.relation in ASKED and operators == ("*",))
    if len(operators) > 1:
        return tuple(rule for rule in RULES if rule.relation in STEPS)
    single = {"+": SUMS, "*": PRODUCTS, "/": QUOTIENTS}.get(operators[0]) if operators else ()
    if single is not None:
        return tuple(rule for rule in RULES if rule.relation in single)
    # Subtraction: the relations that belong to no other single operation.
    others = {*SUMS, *PRODUCTS, *QUOTIENTS, *STEPS, *ASKED} - {"comparison"}
    return tuple(rule for rule in RULES if rule.relation not in others)


_DO = "aux=do|does|did"
_BE = "be=is|are|was|were"
_MODAL = "aux=will|would|can|could|should"

RULES = tuple(
    Rule(*row)
    for row in (
        # total -> difference, things of one list
        ("total of a list, done", f"how many {{what}} {_DO} {{who}} {{verb=}}", "list",
         "How many more {big} than {small} {aux} {who} {verb}?", "{a} - {b}"),
        ("total of a list, with what", f"how many {{what}} {_DO} {{who}} {{verb=}} {{tail}}", "list",
         "How many more {big} than {small} {aux} {who} {verb} {tail}?", "{a} - {b}"),
        ("total of a list, there", f"how many {{what}} {_BE} there {{tail*}}", "list",
         "How many more {big} than {small} {be} there {tail}?", "{a} - {b}"),
        ("total of a list, somewhere", f"how many {{what}} {_BE} where=in|on|at {{tail}}", "list",
         "How many more {big} than {small} {be} {where} {tail}?", "{a} - {b}"),
        ("total of a list, may", f"how many {{what}} {_MODAL} {{who}} {{verb=}}", "list",
         "How many more {big} than {small} {aux} {who} {verb}?", "{a} - {b}"),
        ("total number of a list", "what is|'s the total|sum number? of {rest*}", "list",
         "How many more {big} than {small} {list_did}?", "{a} - {b}"),
        ("list of factors", "{rest*}", "list", "How many more {big} than {small} {list_did}?", "{a} - {b}"),
        # total -> difference, the same thing at two times or places
        ("total over times", f"how many {{what~}} {_DO} {{who}} {{rest*}}", "times",
         "How many more {noun} {list_did} {big_tail} than {small_tail}?", "{a} - {b}"),
        ("total money over uses", f"how much money? {_DO} {{who}} {{rest*}}", "times",
         "How much more money {list_did} {big_tail} than {small_tail}?", "{a} - {b}"),
        ("total of two times", f"how many {{what~}} {_DO} {{who}} {{rest*}}", "twice",
         "How many more {noun} {list_did} {big_tail} than {small_tail}?", "{a} - {b}"),
        ("total time of two", f"how long {_DO} {{who}} {{rest*}}", "twice",
         "How many more {noun} {list_did} {big_tail} than {small_tail}?", "{a} - {b}"),
        ("total at first and later", "{rest*}", "at first and later",
         "How many more {noun} {list_did} {big_tail} than {small_tail}?", "{a} - {b}"),
        ("total of two own acts", "{rest*}", "two own acts",
         "How many more {noun} {event_did} than {event}?", "{a} - {b}"),
        # total at a place -> initial number compared with the arrivals
        ("joined, less", "how many {rest*}", "joined less",
         "How many more {noun} {be} {place} at first than {event}?", "{a} - {b}"),
        ("joined, more", "how many {rest*}", "joined more",
         "How many more {noun} {event} than {be} {place} at first?", "{b} - {a}"),
        # total -> difference, two people
        ("total of two", f"how many {{what~}} {_DO} {{who}} {{rest*}}", "two sum",
         "How many more {noun} {big_did} than {small_who}?", "{a} - {b}"),
        ("total of two, were", f"how many {{what}} {_BE} {{rest*}}", "two sum",
         "How many more {noun} {big_did} than {small_who}?", "{a} - {b}"),
        ("sum of two", "what is|'s the total|sum number? of {rest*}", "two sum",
         "How many more {noun} {big_did} than {small_who}?", "{a} - {b}"),
        # difference -> total
        ("more of two", f"how many|much more|fewer|less {{what*}} {_DO} {{who}} {{rest*}}", "two difference",
         "{How} {noun} {both_did} altogether?", "{a} + {b}"),
        ("more of a list, there", f"how many more|fewer {{what}} {_BE} there {{rest*}}", "list difference",
         "How many {first} and {second} {be} there altogether?", "{a} + {b}"),
        ("more of a list", f"how many more|fewer {{what}} {_DO} {{who}} {{verb=}} than {{rest}}", "list difference",
         "How many {first} and {second} {aux} {who} {verb} altogether?", "{a} + {b}"),
        ("difference of numbers", "what is|'s the difference of|between the number of {rest*}", "difference",
         "What is the total number of {rest}?", "{a} + {b}"),
        ("difference of amounts", "what is|'s the difference of|between {rest*}", "difference",
         "What is the sum of {rest}?", "{a} + {b}"),
        ("more at one time", "{rest*}", "times compared",
         "How many {noun} {asked_did} {at} {one} and {at} {two} altogether?", "{a} + {b}"),
        ("difference, at first", "what is|'s the difference {rest*}", "difference at first",
         "How many {noun} did {who} have at first?", "{a} + {b}"),
        ("difference, more left", "what is|'s the difference {rest*}", "difference at first less",
         "How many more {noun} did {who} have left than {event}?", "({eq}) - {b}"),
        ("difference, less left", "what is|'s the difference {rest*}", "difference at first more",
         "How many more {noun} {event_did} than {pronoun} had left?", "{b} - ({eq})"),
        # one of two -> both
        ("compared one", f"how many {{what}} {_DO} {{who}} {{verb=}}", "comparison",
         "How many {noun} {both_did} altogether?", "{eq} + {known}"),
        ("compared one, with what", f"how many {{what}} {_DO} {{who}} {{verb=}} {{rest}}", "comparison",
         "How many {noun} {both_did} altogether?", "{eq} + {known}"),
        # remaining number -> compared with the removed one
        ("left, more", f"how many {{what~}} {_DO} {{who}} have word=left|now", "removed less",
         "How many more {noun} {aux} {who} have {word} than {event}?", "({eq}) - {b}"),
        ("left, less", f"how many {{what~}} {_DO} {{who}} have word=left|now", "removed more",
         "How many more {noun} {event_did} than {pronoun} {have} {word}?", "{b} - ({eq})"),
        ("still has, more", f"how many {{what~}} {_DO} {{who}} still have", "removed less",
         "How many more {noun} {aux} {who} still have than {event}?", "({eq}) - {b}"),
        ("still has, less", f"how many {{what~}} {_DO} {{who}} still have", "removed more",
         "How many more {noun} {event_did} than {pronoun} still {have}?", "{b} - ({eq})"),
        ("would have left, more", "how many {what~} aux=would|will {who} still? have word=left?", "removed less",
         "How many more {noun} {aux} {who} have left than {event}?", "({eq}) - {b}"),
        ("would have left, less", "how many {what~} aux=would|will {who} still? have word=left?", "removed more",
         "How many more {noun} {event_did} than {pronoun} {aux} have left?", "{b} - ({eq})"),
        ("money left, more", f"how much money? {_DO} {{who}} still? have word=left|now?", "removed less",
         "How much more money {aux} {who} have left than {event}?", "({eq}) - {b}"),
        ("money left, less", f"how much money? {_DO} {{who}} still? have word=left|now?", "removed more",
         "How much more money {event_did} than {pronoun} {have} left?", "{b} - ({eq})"),
        ("left there, more", f"how many {{what}} {_BE} left {{tail*}}", "gone less",
         "How many more {noun} {be} left {tail} than {event}?", "({eq}) - {b}"),
        ("left there, less", f"how many {{what}} {_BE} left {{tail*}}", "gone more",
         "How many more {noun} {event} than {be} left {tail}?", "{b} - ({eq})"),
        ("somebody's left there, more", f"how many {{what}} {_BE} left {{tail*}}", "removed there less",
         "How many more {noun} {be} left {tail} than {event}?", "({eq}) - {b}"),
        ("somebody's left there, less", f"how many {{what}} {_BE} left {{tail*}}", "removed there more",
         "How many more {noun} {event_did} than {be} left {tail}?", "{b} - ({eq})"),
        ("at first, more", "how many {what~} did {who} have|start {rest}", "start more",
         "How many more {noun} did {who} have at first than {event}?", "({eq}) - {b}"),
        ("at first, less", "how many {what~} did {who} have|start {rest}", "start less",
         "How many more {noun} {event_did} than {pronoun} had at first?", "{b} - ({eq})"),
        ("still there, more", f"how many {{what}} {_BE} still {{tail}}", "gone less",
         "How many more {noun} {be} still {tail} than {event}?", "({eq}) - {b}"),
        ("there now, less", f"how many {{what}} {_BE} there {{tail}}", "gone more",
         "How many more {noun} {event} than {be} {tail}?", "{b} - ({eq})"),
        ("kept, more", f"how many {{what}} {_BE} still where=in|on {{tail}}", "kept less",
         "How many more {what} {be} still {where} {tail} than {event}?", "({eq}) - {b}"),
        ("remain, more", "how many {what} remain where=in|on {tail}", "kept less",
         "How many more {what} remain {where} {tail} than {event}?", "({eq}) - {b}"),
        ("not so, more", f"how many of the {{what}} {_BE} not {{so}}", "so less",
         "How many more of the {what} {be} not {so} than {be} {so}?", "({eq}) - {b}"),
        ("added there, more", "how many {what~} did {who} {verb=} {tail*}", "added there more",
         "How many more {noun} did {who} {verb} {tail} than were {place} at first?", "({eq}) - {a}"),
        ("came there, less", "how many {what} {verb=} {tail*}", "came there less",
         "How many more {noun} were {place} at first than {event}?", "{a} - ({eq})"),
        # removed number -> compared with the remaining one
        ("went, more", "how many {what~} did {who} {verb=} {tail*}", "left less",
         "How many more {noun} did {who} {verb} {tail} than {pronoun} {left}?", "({eq}) - {b}"),
        ("went, less", "how many {what~} did {who} {verb=} {tail*}", "left more",
         "How many more {noun} {left_did} than {pronoun} {verb_past} {tail}?", "{b} - ({eq})"),
        ("money went, more", "how much money? did {who} {verb=} {tail*}", "left less",
         "How much more money did {who} {verb} {tail} than {pronoun} {left}?", "({eq}) - {b}"),
        ("money went, less", "how much money? did {who} {verb=} {tail*}", "left more",
         "How much more money {left_did} than {pronoun} {verb_past} {tail}?", "{b} - ({eq})"),
        # at first -> compared
        ("at first, now more", "how many {what~} did {who} have {rest}", "initial more",
         "How many more {noun} {now_did} than {event}?", "{a} - {b}"),
        ("at first, now less", "how many {what~} did {who} have {rest}", "initial less",
         "How many more {noun} {event_did} than {pronoun} {now}?", "{b} - {a}"),
        ("money at first, now less", "how much money? did {who} have {rest}", "initial less",
         "How much more money {event_did} than {pronoun} {now}?", "{b} - {a}"),
        # in the end -> compared
        ("gained, less", f"how many {{what~}} {_DO} {{who}} have|own word=now?", "gained less",
         "How many more {noun} did {who} have at first than {event}?", "{a} - {b}"),
        ("gained, more", f"how many {{what~}} {_DO} {{who}} have|own word=now?", "gained more",
         "How many more {noun} {event_did} than {pronoun} had at first?", "{b} - {a}"),
        ("would have gained, less", f"how many {{what~}} {_MODAL} {{who}} have", "gained less",
         "How many more {noun} did {who} have at first than {event}?", "{a} - {b}"),
        ("would have gained, more", f"how many {{what~}} {_MODAL} {{who}} have", "gained more",
         "How many more {noun} {event_did} than {pronoun} had at first?", "{b} - {a}"),
        ("money gained, less", f"how much money {_DO} {{who}} have word=now?", "gained less",
         "How much more money did {who} have at first than {event}?", "{a} - {b}"),
        # product -> compared with its factor
        ("product, there", f"how many {{what}} {_BE} there {{rest*}}", "product",
         "How many more {what} than {containers} {be} there?", "{eq} - {a}"),
        ("product, done", f"how many {{what}} {_DO} {{who}} {{verb=}} {{rest*}}", "product done",
         "How many more {what} than {containers} {aux} {who} {verb}?", "{eq} - {a}"),
        # product -> all compared with one
        ("product of what each does", "{rest*}", "each done",
         "{How} more {noun} {all_do} than {one_does}?", "{eq} - {b}"),
        ("product of what is in each", "{rest*}", "each holds",
         "How many more {noun} {be} there {at} all the {containers} together than {at} one {container}?", "{eq} - {b}"),
        ("product of what each comes with", "{rest*}", "each with",
         "How many more {noun} {aux} all the {containers} together have than one {container}?", "{eq} - {b}"),
        ("product of a price", "how much {rest*}", "apiece",
         "How much more {aux} all the {many} together cost than one {one}?", "{eq} - {b}"),
        ("product over time", "{rest*}", "per time",
         "How many more {noun} {asks} in {times} than in one {time}?", "{eq} - {b}"),
        ("product with what is asked", "{rest*}", "asked number", "{made}?", "{eq} - {b}"),
        # quotient -> difference
        ("quotient by what each does", "{rest*}", "each of a total",
         "How many more {noun} {list_did} than {one_does}?", "{a} - {b}"),
        ("quotient by what one takes", "how many {what} aux=can|could|will|would {who} verb=buy|make|bake {rest*}",
         "left after one", "{How} {noun} {future} {who} have left after {doing} one {one}?", "{a} - {b}"),
        ("quotient by what is in each", "{rest*}", "in each of a total",
         "How many more {noun} {be} there in all than {at} each {one}?", "{a} - {b}"),
        ("quotient of things", "{rest*}", "two things", "How many more {big} than {small} {be} there?", "{a} - {b}"),
        # arrivals -> compared with the initial number
        ("came, less", "how many {what~} did {who} {verb=} {tail*}", "come less",
         "How many more {noun} did {owner} have at first than {came}?", "{a} - ({eq})"),
        ("came, more", "how many {what~} did {who} {verb=} {tail*}", "come more",
         "How many more {noun} did {who} {verb} {tail} than {owner_again} had at first?", "({eq}) - {a}"),
        # still needed -> compared with the existing number
        ("needed, more", "how many|much more {what} aux=does|do {who} need {tail*}", "needed more",
         "{how_much} more {noun} {aux} {who} still need than {pronoun} already {have}?", "({eq}) - {b}"),
        ("needed, less", "how many|much more {what} aux=does|do {who} need {tail*}", "needed less",
         "{how_much} more {noun} {aux} {who} already have than {pronoun} still {needs}?", "{b} - ({eq})"),
        ("still to do, more", "how many more {what} aux=does|do {who} need to {verb=} {tail*}", "to do more",
         "How many more {what} {aux} {who} still need to {verb} than {pronoun} {ready}?", "({eq}) - {b}"),
        ("still to do, less", "how many more {what} aux=does|do {who} need to {verb=} {tail*}", "to do less",
         "How many more {what} {ready_did} than {pronoun} still {needs} to {verb}?", "{b} - ({eq})"),
        ("parts, more", "{rest*}", "rest more", "How many more {second} {noun} than {first} {noun} {be} there?",
         "({eq}) - {b}"),
        # several changes -> two of them compared
        ("two changes", "{rest*}", "two events", "{How} more {noun} {event_did} than {event}?", "{a} - {b}"),
        ("two acts", "{rest*}", "two acts", "How many more {noun} {event_did} than {event}?", "{a} - {b}"),
        ("counted twice", "{rest*}", "counted twice", "How many more {noun} {event} than {small_tail}?", "{a} - {b}"),
        # two steps -> the first of them
        ("two steps, removal first", "{rest*}", "removed first", "{How} {noun} {aux} {who} have left?", "{a} - {b}"),
        ("two steps, list first", "{rest*}", "list first", "{How} {common} {list_did} in all?", "{a} + {b}"),
        ("two removals", "{rest*}", "removals", "{How} {common} {list_did} in all?", "{a} + {b}"),
        ("two steps, more first", "how many {rest*}", "compared first", "How many {noun} {who_did}?", "{a} + {b}"),
        ("two steps, fewer first", "how many {rest*}", "compared first less", "How many {noun} {who_did}?", "{a} - {b}"),
        ("two steps, product first", "{rest*}", "product first", "{How} {noun} {all_do}?", "{inner}"),
        ("two steps, contents first", "{rest*}", "holding first",
         "How many {noun} {be} there {at} all the {containers} together?", "{inner}"),
        ("two steps, each first", "{rest*}", "with first",
         "How many {noun} {aux} all the {containers} together have?", "{inner}"),
    )
)  # fmt: skip
