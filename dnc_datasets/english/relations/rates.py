"""Relations of rates: the amount of each one, the amount of all, and a total that is shared."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import TIME_UNIT, is_past, plain, third_person
from dnc_datasets.english.reading.quantities import Counted, counted
from dnc_datasets.english.relations.relation import Case, Slots, in_past, name_of, numbers_of, relation

_EACH = re.compile(
    r"\b(?:[Ee]ach|[Ee]very|[Oo]ne|[Aa](?=(?: [a-z]+){1,2} (?:can|could|will) )) "
    r"(?P<one>[a-z-]+(?: of [a-z]+| [a-z-]+)?)(?: in (?:his|her|the|a) [a-z ]+?)? "
    r"(?P<modal>(?:can|could|will|should) )?(?P<verb>has|had|have|having|holds?|held|contains?|contained|costs?|needs?|"
    r"needed|weighs?|weighed|seats?|serves?|carry|carries|takes?|took|fits?|makes?|earns?|requires?|transport|"
    r"accommodate|accommodates|fill|fills|is composed of|gets?|got|came with)(?: exactly| about| around)? (?P<number>\$?[\w.,-]*\w)"
    r"(?P<noun>(?: [A-Za-z-]+){0,2}?)(?P<tail>(?: (?:in|on|inside|of) [a-z ]+)?)(?=[.,]|$| and | to )"
)
_IN_EACH = re.compile(
    r"\b(?:[Tt]here (?P<be>are|were)|with|puts?|placed|has|had) (?P<number>[\w,-]+) (?P<noun>[a-z]+(?: [a-z]+)?) "
    r"(?P<at>in|on|inside|into|per)(?:(?<!per) (?:each|every|a))? (?P<one>[a-z]+(?: [a-z]+)?)(?=[.,]|$| and )"
)
_EACH_WITH = re.compile(
    r"(?P<many>[a-z]{1,30}s)(?P<of> of [a-z]{1,30})?(?: (?:in|on|at|for) the [a-z]{1,30})?(?:, each (?:having|with|containing|holding) | (?:having|with) )"
    r"(?P<number>[\w,-]{1,30}) (?P<noun>[a-z]{1,30}(?: [a-z]{1,30})?s)(?P<each> each)?(?= inside\b|[.,]|$| and )"
)


def each_clause(case: Case) -> tuple[re.Match[str], Fraction] | None:
    """Return the clause that states the amount of each one, with its number."""
    numbers = set(numbers_of(case.equation))
    for found in _EACH.finditer(case.body):
        value = numerals.parse(found["number"].removeprefix("$"))
        if value is not None and value in numbers:
            return found, value
    return None


def one_does(each: re.Match[str]) -> str:
    """Return the clause about one of them, as it follows "than": "one box holds"."""
    if each["modal"]:
        return f"one {each['one']} {each['modal']}{each['verb']}"
    return (
        f"one {each['one']} {'has' if each['verb'] in ('have', 'having', 'is composed of') else each['verb']}"
    )


@relation("each done")
def _each_done(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy bought 8 bags. Each bag holds 5 nuts." and compare the amount of all bags with one bag."""
    numbers, each = numbers_of(case.equation), each_clause(case)
    if each is None or each[1] not in numbers or len(set(numbers)) != 2:
        return None
    found, value = each
    holder = _holders(case, found["one"], next(number for number in numbers if number != value))
    if holder is None or holder.value < 2 or value <= 0:
        return None
    verb = (
        {"having": "have", "is composed of": "have"}.get(found["verb"])
        or plain(found["verb"])
        or found["verb"].removesuffix("s")
    )
    money = "$" in found["number"] or found["noun"].strip() in ("dollars", "cents")
    noun = "" if verb == "cost" else found["noun"].strip()
    if noun and (of := re.match(r" of [a-z]+", found["tail"])):
        noun += of[0]
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
        "all_do": f"{modal} all the {_all(holder, found['one'])} together {verb}",
        "one_does": f"one {found['one']}",
        "b": found["number"].removeprefix("$"),
    }  # fmt: skip


def _all(holder: Counted, one: str) -> str:
    """Return the plural of the holders, with the words of "each": "hot dogs" for "each hot dog"."""
    before = one.split(" of ")[0].split()[:-1]
    return " ".join([*before, _head(holder)])


def _holders(case: Case, one: str, value: Fraction) -> Counted | None:
    """Return the only fact that counts the holders that "each" refers to."""
    # "28 packs of gum and 13 packs of nuts": all the packs are more than 28.
    named = [item for item in counted(case.body) if _is_plural(_head(item), one.split(" of ")[0].split()[-1])]
    listed = [item for item in named if item.value == value and len(named) == 1]
    return listed[0] if len(listed) == 1 and not listed[0].noun.startswith("more ") else None


def _head(item: Counted) -> str:
    return item.noun.split(" of ")[0].split()[-1] if item.noun else ""


@relation("each holds")
def _each_holds(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There are 5 boxes. There are 3 pens in each box." and compare all boxes with one."""
    numbers, found = numbers_of(case.equation), _IN_EACH.search(case.body)
    value = numerals.parse(found["number"]) if found else None
    if found is None or value not in numbers or len(set(numbers)) != 2 or found["one"].startswith("one "):
        return None
    holder = _holders(case, found["one"], next(number for number in numbers if number != value))
    if holder is None or holder.value < 2 or value is None:
        return None
    at = "on" if found["at"] == "on" else "in"
    return {
        "noun": found["noun"], "be": found["be"] or ("were" if in_past(case.body) else "are"), "at": at,
        "containers": _all(holder, found["one"]),
        "container": found["one"], "b": found["number"],
    }  # fmt: skip


@relation("each with")
def _each_with(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There are 6 lakes, each having 9 boats." and compare all lakes with one."""
    numbers, found = numbers_of(case.equation), _EACH_WITH.search(case.body)
    if found is None or not (found["each"] or ", each" in found[0]):
        return None
    value = numerals.parse(found["number"])
    if value not in numbers or len(set(numbers)) != 2:
        return None
    other = next(number for number in numbers if number != value)
    holders = [item for item in counted(case.body) if _head(item) == found["many"]]
    if len(holders) != 1 or holders[0].value != other or other < 2:
        return None
    of = found["of"] or ""
    return {
        "noun": found["noun"].removeprefix("different "), "aux": "did" if in_past(case.body) else "do",
        "containers": found["many"] + of, "container": single(found["many"]) + of, "b": found["number"],
    }  # fmt: skip


_APIECE = re.compile(
    r"(?<![\w,-])(?P<count>\w[\w,-]*) (?P<many>(?:[a-z]+ )?[a-z]+s)(?: each)? (?:at|for) \$(?P<number>[\d.]*\d)(?: apiece| each)?(?=[.,]|$| and )"
)


@relation("apiece")
def _apiece(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "Amy buys 3 cups at $2 apiece." and compare all cups with one."""
    numbers = numbers_of(case.equation)
    for found in _APIECE.finditer(case.body):
        if not re.search(r"\b(?:each|apiece)\b", found[0]):
            continue
        count, price = numerals.parse(found["count"]), numerals.parse(found["number"])
        if count is None or count < 2 or sorted(numbers) != sorted((count, price or count)):
            continue
        past_tense = re.search(r"\b(?:bought|ordered|sold|was|were|did)\b", case.body)
        return {"many": found["many"], "one": single(found["many"]), "b": found["number"],
                "aux": "did" if past_tense else "do", "unit": "dollars"}  # fmt: skip
    return None


def single(many: str) -> str:
    """Return the singular of a regular plural, by its ending: "boxes" -> "box", "buddies" -> "buddy"."""
    if many.endswith("ies"):
        return many[:-3] + "y"
    return many[:-2] if many.endswith(("xes", "ches", "shes", "sses")) else many[:-1]


_PER_TIME = re.compile(
    r"(?P<who>[Hh]e|[Ss]he|[Tt]hey|I|[Aa] [a-z]+|[Tt]he [a-z]+|[A-Z][a-z]+) (?P<modal>can |could )?(?P<verb>[a-z]+) "
    r"(?P<number>\w[\w,-]*) (?P<noun>(?:[a-z]+ )?[a-z]+s(?: of [a-z]+)?) (?:in |on )?(?:a|per|each|every) "
    rf"(?P<unit>{TIME_UNIT}|game|round|trip|lap)\b"
)


@relation("per time")
def _per_time(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "A machine fills 9 cups a minute. It runs for 8 minutes." and compare 8 minutes with one."""
    numbers, found = numbers_of(case.equation), _PER_TIME.search(case.body)
    if found is None or len(set(numbers)) != 2 or plain(found["verb"]) in (None, "be"):
        return None
    value = numerals.parse(found["number"])
    times = [item for item in counted(case.body) if _head(item) == f"{found['unit']}s"]
    if value not in numbers or len(times) != 1 or sorted((value, times[0].value)) != sorted(numbers):
        return None
    small = found["who"][0].lower() + found["who"][1:]
    known = found["who"] == "I" or small.split()[0] not in ("he", "she", "they", "a", "the")
    who = name_of(found["who"] if known else small, case)
    if not who or times[0].value < 2 or found["noun"].startswith("dollar"):
        return None
    verb = plain(found["verb"]) or found["verb"]
    if found["modal"]:
        asks = f"{found['modal'].strip()} {who} {verb}"
    elif is_past(found["verb"]):
        asks = f"did {who} {verb}"
    else:
        asks = f"{'does' if third_person(verb) == found['verb'] else 'do'} {who} {verb}"
    return {
        "noun": found["noun"], "asks": asks, "times": f"{times[0].text} {found['unit']}s", "time": found["unit"],
        "b": found["number"], "unit": found["noun"],
    }  # fmt: skip


_ASKED = (
    re.compile(
        r"(?P<how>how (?:many|much))(?P<rest> [a-z ]{0,80}?(?:do|does|did|can|could|will|would) )(?P<n>\w[\w,-]{0,30}) "
        r"(?P<many>(?:[a-z]{1,30} )?[a-z]{1,30}s)(?P<verb> [a-z]{1,30})$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<how>how (?:many|much))(?P<rest> [\w. ]{0,80}?)(?P<at>in|on|for|with|to (?:wash|bake|make|fill|paint)) (?P<n>\w[\w,-]{0,30}) "
        r"(?P<many>(?:[a-z]{1,30} )?[a-z]{1,30}s)(?: of [a-z]{1,30})?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<how>how long)(?P<rest> will it take [\w. ]{0,80}?)(?P<at>to [a-z]{1,30}) (?P<n>\w[\w,-]{0,30}) "
        r"(?P<many>(?:[a-z]{1,30} )?[a-z]{1,30}s)(?: of [a-z]{1,30})?$",
        re.IGNORECASE,
    ),
)


@relation("asked number")
def _asked_number(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "A bee has 6 legs. How many legs do 8 bees have?" and compare 8 bees with one."""
    numbers, question = numbers_of(case.equation), slots["question"]
    found = next((match for form in _ASKED if (match := form.match(question))), None)
    stated = numerals.find(case.body)
    if found is None or len(stated) not in (1, 2) or len(numerals.find(question)) != 1:
        return None
    count, one = numerals.parse(found["n"]), single(found["many"])
    rates = [quantity for quantity in stated if quantity.value != 1]
    if count is None or count < 2 or len(rates) != 1 or sorted((count, rates[0].value)) != sorted(numbers):
        return None
    if not re.search(rf"\b(?:an?|one|1|each|every|per) {re.escape(one)}\b", case.body, re.IGNORECASE):
        return None
    how = "How much longer" if found["how"].lower() == "how long" else f"{found['how'].capitalize()} more"
    at = f"{found['at']} " if found.re is not _ASKED[0] else ""
    return {
        "made": f"{how}{question[found.end('how') :]} than {at}one {one}",
        "b": rates[0].text.removeprefix("$"),
    }


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
    """Match "There are 5 boxes. Each box has 3 pens. How many pens are there?"."""
    numbers = numbers_of(case.equation)
    if any(number.denominator != 1 for number in numbers) or len(set(numbers)) != 2:
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
    r"(?<![\w,-])(?P<number>[\w,-]+)(?: of (?:them|the [a-z]+)| (?P<noun>[a-z]+))? (?P<be>are|were) (?P<one>[a-z]+),?(?: and)? the "
    r"(?:rest|others)(?: of the [a-z]+)? (?:are|were) (?P<two>[a-z]+)\b"
)


@relation("rest more")
def _rest(case: Case, slots: Slots) -> dict[str, str] | None:
    """Match "There are 9 pens. 2 are red and the rest are blue."."""
    numbers, found = numbers_of(case.equation), _REST.search(case.body)
    if found is None:
        return None
    value = numerals.parse(found["number"])
    wholes = [item for item in counted(case.body) if item.value == numbers[0] and item.noun]
    if value != numbers[1] or len(wholes) != 1 or value is None:
        return None
    rest = numbers[0] - value
    if rest in (value, 0):
        return None
    colours = (found["one"], found["two"])
    if any(word.endswith(("s", "ing")) for word in colours):
        return None
    noun = _head(wholes[0])
    return {"first": colours[0], "second": colours[1], "noun": noun, "be": found["be"], "b": found["number"]}
