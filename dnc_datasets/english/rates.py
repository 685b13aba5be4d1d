"""Relations of rates: what each one holds or costs, what all do, and what a total is shared among."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.english.quantities import Counted, counted
from dnc_datasets.english.relations import Case, Slots, did, name_of, operands, relation
from dnc_datasets.english.verbs import is_past, plain
from dnc_datasets.expression import Number

_EACH = re.compile(
    r"\b(?:[Ee]ach|[Ee]very|[Oo]ne|[Aa](?=(?: [a-z]+){1,2} (?:can|could|will) )) "
    r"(?P<one>[a-z-]+(?: of [a-z]+| [a-z-]+)?)(?: in (?:his|her|the|a) [a-z ]+?)? "
    r"(?P<modal>(?:can|could|will|should) )?(?P<verb>has|had|have|having|holds?|held|contains?|contained|costs?|needs?|"
    r"needed|weighs?|weighed|seats?|serves?|carry|carries|takes?|took|fits?|makes?|earns?|requires?|transport|"
    r"accommodate|accommodates|fill|fills|is composed of)(?: exactly| about| around)? (?P<number>\$?[\w.,-]*\w)"
    r"(?P<noun>(?: [A-Za-z-]+){0,2}?)(?P<tail>(?: (?:in|on|inside|of) [a-z ]+)?)(?=[.,]|$| and | to )"
)
_IN_EACH = re.compile(
    r"\b(?:[Tt]here (?P<be>are|were)|with|puts?|placed|has|had) (?P<number>[\w,-]+) (?P<noun>[a-z]+(?: [a-z]+)?) (?:in|on|inside) (?:each|every|a) (?P<one>[a-z]+(?: [a-z]+)?)(?=[.,]|$| and )"
)


def _each(case: Case) -> tuple[re.Match[str], Fraction] | None:
    """The clause that tells what each one does, with its number."""
    numbers = {leaf.number for leaf in case.equation.leaves() if isinstance(leaf, Number)}
    for found in _EACH.finditer(case.body):
        value = numerals.parse(found["number"].removeprefix("$"))
        if value is not None and value in numbers:
            return found, value
    return None


def _one_does(each: re.Match[str]) -> str:
    if each["modal"]:
        return f"one {each['one']} {each['modal']}{each['verb']}"
    return (
        f"one {each['one']} {'has' if each['verb'] in ('have', 'having', 'is composed of') else each['verb']}"
    )


@relation("each done")
def _each_done(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy bought 8 bags. Each bag holds 5 nuts.": what all do, compared with what one does."""
    numbers, each = operands(case.equation, "*"), _each(case)
    if numbers is None or each is None or each[1] not in numbers or len(set(numbers)) != 2:
        return None
    found, value = each
    holder = _holders(case, found["one"], next(number for number in numbers if number != value))
    if holder is None or holder.value < 2 or value <= 0:
        return None
    verb = (
        {"having": "have", "is composed of": "have"}.get(found["verb"])
        or plain(found["verb"])
        or found["verb"]
    )
    money = "$" in found["number"] or found["noun"].strip() in ("dollars", "cents")
    noun = "" if verb == "cost" else found["noun"].strip()
    if (not noun and not money) or (money and verb != "cost"):
        return None
    if not re.search(rf"\b{_head(holder)}\b", f"{case.body} {case.question}"):
        return None
    modal = (
        found["modal"].strip()
        if found["modal"]
        else ("did" if is_past(found["verb"]) and verb != "cost" else "do")
    )
    return {
        "How": "How much" if verb == "cost" else "How many", "noun": noun,
        "all_do": f"{modal} all the {_head(holder)} together {verb}", "one_does": f"one {found['one']}",
        "b": found["number"].removeprefix("$"),
    }  # fmt: skip


def _holders(case: Case, one: str, value: Fraction) -> Counted | None:
    """The one fact that counts the things of which each is spoken."""
    listed = [
        item
        for item in counted(case.body)
        if item.value == value and _is_plural(_head(item), one.split(" of ")[0].split()[-1])
    ]
    return listed[0] if len(listed) == 1 and not listed[0].noun.startswith("more ") else None


def _head(item: Counted) -> str:
    return item.noun.split(" of ")[0].split()[-1] if item.noun else ""


@relation("each holds")
def _each_holds(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "There are 5 boxes. There are 3 pens in each box.": all boxes, compared with one."""
    numbers, found = operands(case.equation, "*"), _IN_EACH.search(case.body)
    value = numerals.parse(found["number"]) if found else None
    if numbers is None or found is None or value not in numbers or len(set(numbers)) != 2:
        return None
    holder = _holders(case, found["one"], next(number for number in numbers if number != value))
    if holder is None or holder.value < 2 or value is None:
        return None
    be = found["be"] or (
        "were" if re.search(r"\b(?:had|was|were|did|put|placed|[a-z]{3,}ed)\b", case.body) else "are"
    )
    return {
        "noun": found["noun"],
        "be": be,
        "containers": _head(holder),
        "container": found["one"],
        "b": found["number"],
    }


@relation("each of a total")
def _each_of_total(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "Amy has 40 nuts. Each bag holds 5 nuts.": what she has, compared with what one bag holds."""
    numbers, each = operands(case.equation, "/"), _each(case)
    if numbers is None or each is None or each[1] != numbers[1] or numbers[0] <= numbers[1]:
        return None
    found, value = each
    noun = found["noun"].strip()
    totals = [
        fact for fact in case.facts if fact.value == numbers[0] and not fact.more and fact.value != value
    ]
    if (
        len(totals) != 1
        or not noun
        or totals[0].head != noun.split()[-1]
        or noun.split()[-1] in ("dollars", "cents")
    ):
        return None
    total = totals[0]
    who = name_of(total.who, case) if total.who else ""
    if not who:
        return None
    asks = f"{total.verb} there" if total.who == "there" else did(total, who)
    tail = total.tail if len(total.tail.split()) <= 5 else ""
    return {
        "noun": total.noun, "a": total.number, "b": found["number"], "list_did": asks + tail, "one_does": _one_does(found),
        "unit": total.noun,
    }  # fmt: skip


_NOT_THINGS = frozenset(
    """feet inches centimeters meters pounds ounces hours minutes seconds days weeks months years dollars cents miles
    kilometers grams kilograms liters gallons yards times points degrees cm ft percent lbs ml laps rounds
    pieces servings hour day week month year minute dollar cent foot inch pound mile acres tons kg""".split()
)


@relation("two things")
def _two_things(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "40 nuts go into 8 bags": more nuts than bags."""
    numbers = operands(case.equation, "/")
    if numbers is None or numbers[0] <= numbers[1] or any(number.denominator != 1 for number in numbers):
        return None
    things = [item for item in counted(case.body) if item.value in numbers]
    seen = [quantity.value for quantity in numerals.find(case.body)]
    if len(things) != 2 or len(set(seen)) != len(seen) or len(seen) > 3 or numbers[1] < 2:
        return None
    by = {
        item.value: item.noun.removeprefix("more ").removeprefix("equal ").removeprefix("different ")
        for item in things
    }
    big, small = by[numbers[0]], by[numbers[1]]
    heads = [noun.split(" of ")[0].split()[-1] if noun else "" for noun in (big, small)]
    if heads[0] == heads[1] or any(
        not head.endswith(("s", "people", "children", "men")) or head in _NOT_THINGS for head in heads
    ):
        return None
    if any(_BOUND.search(_around(case.body, item)) for item in things):
        return None
    past_tense = not re.search(r"\b(?:are|is|has|have|wants?|needs?|can|will)\b", case.body)
    return {"big": big, "small": small, "a": things[0].text if things[0].value == numbers[0] else things[1].text,
            "b": things[1].text if things[1].value == numbers[1] else things[0].text,
            "be": "were" if past_tense else "are"}  # fmt: skip


# "10 seats on each bus": not the number of all seats.
_BOUND = re.compile(
    r"\b(?:costs?|for \$|a day|per)\b|\b(?:each|every)\b[^|]*\||\|(?: (?:in|on|at|for|to))? (?:each|every)\b"
)


def _around(body: str, item: Counted) -> str:
    """The words beside a number, up to the end of its clause."""
    behind = re.split(r"[.,;]", body[item.noun_end :], maxsplit=1)[0]
    return f"{body[max(0, item.start - 6) : item.noun_end]}|{behind[:12]}"


_RATE = (
    re.compile(
        r"\b(?:[Ee]ach|[Ee]very) (?P<one>[a-z]+(?: [a-z]+)?) (?:has|had|have|holds|held|contains?|contained|gets?|got|is|was|"
        r"can hold|could hold|will hold|needs|needed|comes with|had exactly) \S+ (?P<many>[a-z]+)"
    ),
    re.compile(
        r"\b(?:There (?:are|were)|has|had|with|puts?) \S+ (?P<many>[a-z]+)(?: [a-z]+)? (?:in|on|into|inside) each (?P<one>[a-z]+)\b"
    ),
)


@relation("product", "product done")
def _product(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "There are 5 boxes. Each box has 3 pens. How many pens are there?" """
    numbers = operands(case.equation, "*")
    if numbers is None or any(number.denominator != 1 for number in numbers) or len(set(numbers)) != 2:
        return None
    rate = next((found for pattern in _RATE if (found := pattern.search(case.body))), None)
    if rate is None or re.search(
        r"\b(?:pounds?|dollars?|cents?|feet|inches|minutes?|hours?|miles?|points?|days?|weeks?)\b",
        case.question,
    ):
        return None
    one = rate["one"].split()[-1]
    holders = [
        fact for fact in case.facts if fact.value in numbers and _is_plural(fact.head, one) and not fact.more
    ]
    if len(holders) != 1 or not slots.get("what", "").split(" of ")[0].endswith(rate["many"]):
        return None
    holder = holders[0]
    other = next(number for number in numbers if number != holder.value)
    if other <= 1 or holder.value < 1:
        return None
    if slots["relation"] == "product done":
        verb = slots.get("verb", "")
        if verb not in ("have", "buy", "get", "order", "own") or holder.plain not in (
            verb,
            "have",
            "buy",
            "order",
            "get",
        ):
            return None
        if verb != "have" and holder.plain != verb:
            return None
    return {"containers": holder.noun, "a": holder.number, "what": slots["what"].removeprefix("total ")}


def _is_plural(many: str, one: str) -> bool:
    return many in (one + "s", one + "es", one[:-1] + "ies", one[:-1] + "ves")


_REST = re.compile(
    r"(?P<number>[\w,-]+)(?: of (?:them|the [a-z]+)| (?P<noun>[a-z]+))? (?P<be>are|were) (?P<one>[a-z]+),?(?: and)? the "
    r"(?:rest|others)(?: of the [a-z]+)? (?:are|were) (?P<two>[a-z]+)\b"
)


@relation("rest more", "rest less")
def _rest(case: Case, slots: Slots) -> dict[str, str] | None:
    """ "There are 9 pens. 2 are red and the rest are blue." """
    numbers, found = operands(case.equation, "-"), _REST.search(case.body)
    if numbers is None or found is None:
        return None
    value = numerals.parse(found["number"])
    wholes = [item for item in counted(case.body) if item.value == numbers[0] and item.noun]
    if value != numbers[1] or len(wholes) != 1 or value is None:
        return None
    rest = numbers[0] - value
    if rest in (value, 0) or (rest > value) != (slots["relation"] == "rest more"):
        return None
    colours = (found["one"], found["two"])
    if any(word.endswith(("s", "ing")) for word in colours):
        return None
    noun = _head(wholes[0])
    return {"first": colours[0], "second": colours[1], "noun": noun, "be": found["be"], "b": found["number"]}
