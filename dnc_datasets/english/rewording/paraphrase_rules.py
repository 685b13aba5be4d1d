"""Paraphrase rules. Each rule rewrites the first match of its pattern once.

A rule consists of a pattern and its replacement. Synonyms come from `wordings`.
"""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import (
    KIND_NOUNS,
    NOT_BEFORE_EACH,
    PLAIN_VERBS,
    TIME_UNIT,
    is_past,
    is_verb,
)
from dnc_datasets.english.reading.dependence import has_pronoun
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import capitalised, uncapitalised
from dnc_datasets.english.rewording.structural_rules import NAME, NUMBER, STRUCTURAL, Rewrite
from dnc_datasets.english.rewording.wordings import SHORT, WORDS

_CONTAINERS = (
    "box|bag|package|pack|basket|jar|bucket|carton|crate|shelf|row|page|vase|pot|tray|drawer|fishbowl|case|can|pizza|bowl|"
    "tank|cupboard|bin|bottle|folder|album|binder|envelope|packet"
)
_KEPT = (
    "books|cards|marbles|stamps|games|pencils|crayons|markers|blocks|balls|cats|dogs|toys|dolls|cars|stickers|CDs|DVDs|shirts|"
    "shells|seashells|coins|hats|pens|kites|bikes|bicycles|trains|trucks|bears|caps|comics|magazines|paintings|posters|puzzles|"
    "records|rings|necklaces|bracelets|shoes|dresses|skirts|socks|scarves|goats|cows|horses|sheep|chickens|pigs|rabbits|fish|birds"
)


def _to_the_end(match: re.Match[str]) -> str | None:
    """Rewrite "On Monday, Amy ran 3 miles" as "Amy ran 3 miles on Monday"."""
    if not 1 <= len(match["time"].split(" ")) <= 4 or not 1 <= len(match["what"].split(" ")) <= 8:
        return None  # in a long sentence, the last phrase may belong to only a part of it
    if _HAS_ITS_TIME.search(match["rest"]) or re.search(r"\b(?:in|on|at|during|for) ", match["what"]):
        return None  # "fewer than in May | in June"
    return f"{capitalised(match['rest'])} {match['when'][0].lower()}{match['when'][1:]}."


def _to_the_front(match: re.Match[str]) -> str | None:
    """Rewrite "Amy ran 3 miles on Monday" as "On Monday, Amy ran 3 miles"."""
    if _HAS_ITS_TIME.search(match["rest"]):
        return None
    inside = uncapitalised(match["rest"])
    return f"{capitalised(match['when'])}, {inside}." if inside is not None else None


# "On Friday he bought 4 times the number he bought | on Monday": the time is that of the last clause.
_HAS_ITS_TIME = re.compile(
    r"^(?:On|In|At|During|For|After|Before|By|Last|When|While|Yesterday|Today)\b|\b(?:that|which|who|as|than|when)\b"
    r"|\b(?:he|she|they|it|[A-Z][a-z]+) [a-z]+$"
)


def _two_sentences(match: re.Match[str]) -> str | None:
    """Rewrite "Amy has 3 pens and Ben has 5 pens" as "Amy has 3 pens. Ben has 5 pens"."""
    ends = [counted(match[part])[-1:] for part in ("one", "two")]
    tails = [match[part][end[0].noun_end :] for part, end in zip(("one", "two"), ends, strict=True) if end]
    if len(tails) != 2 or (tails[1] and not tails[0]):
        return None  # "Amy found 2 shells and Ben found 5 shells on the beach": both were there
    return f"{match['one']}. {match['two']}."


def _needs_time(match: re.Match[str]) -> str | None:
    """Rewrite "It takes her 3 hours to paint a wall" as "She needs 3 hours to paint a wall"."""
    if match["to"] not in PLAIN_VERBS:
        return None
    who = {"her": "She", "him": "He", "them": "They"}.get(match["who"], match["who"])
    needs = "needed" if match["verb"] == "took" else "need" if who == "They" else "needs"
    return f"{who} {needs} {match['n']} to {match['to']}"


def _there_are(match: re.Match[str]) -> str | None:
    """Rewrite "5 apples are in the basket" as "There are 5 apples in the basket"."""
    things = uncapitalised(match["things"])
    if (
        things is None
        or not counted(things)[:1]
        or counted(things)[0].start != 0
        or is_verb(things.split()[-1])
    ):
        return None
    return f"There {match['be']} {things} {match['rest']}."


def _every(match: re.Match[str]) -> str | None:
    """Replace "each box" by "every box".

    "each stuffed", "each of them" and "asked how much each cup cost" remain unchanged.
    """
    noun, before = match["noun"], match.string[: match.start()].lower()
    if (
        "?" in match.string[match.end() :]
        or "every" in match.string
        or re.search(r"(?:\b[A-Z][a-z]+|\bto) $", match.string[: match.start()])  # "Amy and Ben each order"
        or noun in NOT_BEFORE_EACH
        or re.search(
            r"(?:s|are|were|they|we|you|who|that|which|have|had|people|children|men|women) $", before
        )  # "5 balls each into", "they each order": each of them
        or is_past(noun)
        or noun.endswith(("ed", "ing"))
        or noun in KIND_NOUNS
        or before.endswith(" of ")  # "5 of each theme"
        or re.search(r"\bto [a-z]+ (?:[a-z]+ )?$", before)  # "15 minutes to find each worm": for one of them
        or "how much" in before
        or "how many" in before
    ):
        return None
    return f"{match['e']}very {noun}"


def _if_last(match: re.Match[str]) -> str | None:
    """Rewrite "If Amy has 3 pens, how many does Ben have?" as "How many does Ben have if Amy has 3 pens?"."""
    if has_pronoun(match[0]) or re.search(r"\b(?:if|then|left|now|still|when|each)\b", match["asked"]):
        return None
    return f"{capitalised(match['asked'])} if {match['given']}?"


def _apiece(match: re.Match[str]) -> str | None:
    """Replace "at $3 each" by "at $3 apiece", where the number is a price."""
    return " apiece" if re.search(r"(?:for|at|costs?) \$[\d.]+$", match.string[: match.start()]) else None


def _will(match: re.Match[str]) -> str | None:
    """Rewrite "He is going to buy 3 pens" as "He will buy 3 pens".

    "He is going to school" remains unchanged.
    """
    asked = match.string.endswith("?") or re.match(r"(?:As|When|If|While) ", match.string)
    return f"will {match['verb']}" if match["verb"] in PLAIN_VERBS and not asked else None


def _able(match: re.Match[str]) -> str | None:
    """Rewrite "He can type 60 words" as "He is able to type 60 words"."""
    return f"{match['who']} is able to {match['verb']}" if match["verb"] in PLAIN_VERBS else None


def _needs_to(match: re.Match[str]) -> str | None:
    """Rewrite "Amy has to read 3 books" as "Amy needs to read 3 books".

    "the rope he has to school" remains unchanged.
    """
    asked = re.search(
        r"\b(?:would|will|may|might|how|what|which|that)\b", match.string[: match.start()], re.IGNORECASE
    )
    if match["verb"] not in PLAIN_VERBS or asked or match.string.endswith("?"):
        return None
    return f"{'needs' if match['has'] == 'has' else 'need'} to {match['verb']}"


def _priced(match: re.Match[str]) -> str | None:
    """Rewrite "A pen costs $3" as "A pen is priced at $3", where a single article is for sale."""
    before = match.string[: match.start()]
    sold = re.search(r"\b(?:[Aa]n?|[Oo]ne|[Ee]ach|[Ee]very|[Tt]he|[Hh]is|[Hh]er) (?:[a-z]+ ){1,3}$", before)
    return "is priced at " if sold and " it " not in before else None


def _name_of(pattern: str) -> str:
    """Return the words of a pattern without its lookarounds."""
    return re.sub(r"\(\?<?[!=](?:[^()]|\([^()]*\))*\)|\\b", "", pattern).strip()


REWRITES = (
    *STRUCTURAL,
    # the total
    Rewrite("in total: altogether", re.compile(r"\bin total\b"), "altogether"),
    Rewrite("altogether: in total", re.compile(r"\baltogether\b"), "in total"),
    Rewrite("in all: altogether", re.compile(r"\bin all(?=\?)"), "altogether"),
    Rewrite("all together: in total", re.compile(r"\ball together(?=\?)"), "in total"),
    Rewrite("total: in total", re.compile(r"(?<!in )(?<!the )(?<!new )(?<!grand )(?<!final )(?<!his )(?<!her )(?<!their )(?<! a )\btotal(?=\?)"), "in total"),
    Rewrite("have left: still have", re.compile(r"\b(?P<aux>does|did|do) (?P<who>(?!.{0,60}\bstill )[\w.' ]{1,60}?) have left(?=\?)"),
            r"\g<aux> \g<who> still have"),
    Rewrite("still have: have left", re.compile(r"\b(?P<aux>does|did|do) (?P<who>(?!.{0,60}\bleft )[\w.' ]{1,60}?) still have(?=\?)"),
            r"\g<aux> \g<who> have left"),
    Rewrite("are left: remain", re.compile(r"\bare left\b"), "remain"),
    Rewrite("were left: remained", re.compile(r"\bwere left\b"), "remained"),
    Rewrite("to start with: at first", re.compile(r"\bto (?:start|begin) with(?=\?)"), "at first"),
    Rewrite("at first: to begin with", re.compile(r"\bat first(?=\?)"), "to begin with"),
    # the question
    Rewrite("how much money: what amount", re.compile(r"^How much money\b(?!.*(?<! in)(?<! a)(?<! the) total\b)"), "What amount of money"),
    Rewrite("how many are there: what is the number", re.compile(r"^How many (?P<what>(?!total |more |fewer )[a-z -]+) are there(?P<rest>(?: (?:in|on|at) (?:the|a|each|every) [^?]*)?)\?$"),
            r"What is the number of \g<what>\g<rest>?"),
    Rewrite("total number: how many in all", re.compile(r"^What is the total number of (?P<what>[a-z]+s)\?$"),
            r"How many \g<what> are there in all?"),
    Rewrite("how many are in: are there in",
            re.compile(r"^How many (?P<what>(?!of |more )(?:[a-z-]+ ){0,3}[a-z]+) are (?=(?:in|on) (?:the|a|her|his|their|each|all) )"),
            r"How many \g<what> are there "),
    Rewrite("more than: fewer than",
            re.compile(rf"^How many more (?P<what>(?:[a-z-]+ ){{0,2}}[a-z]+s) (?P<aux>does|did) (?P<one>{NAME}) (?P<verb>[a-z]+) than (?P<two>{NAME})\?$"),
            r"How many fewer \g<what> \g<aux> \g<two> \g<verb> than \g<one>?"),
    Rewrite("how far: what distance", re.compile(r"^How far (?=(?:did|does|do|will|would|has) [\w. ]{1,40}(?:run|walk|drive|travel|ride|hike|go|swim|bike|jump|fly|jog|sail|row|throw)\b)"), "What distance "),
    Rewrite("how many total: in total",
            re.compile(r"^How many total (?P<what>[a-z]+s(?: of [a-z]+)?) (?P<aux>did|does|do|are|were|will|would) (?P<rest>(?:(?!\b(?:if|when|after|in total)\b)[^?,]){1,120})\?$"),
            r"How many \g<what> \g<aux> \g<rest> in total?"),
    Rewrite("how long: how much time", re.compile(r"^How long (?=(?:will|would|did|does) it take\b)"), "How much time "),
    Rewrite("how tall: what height", re.compile(r"^How tall is (?P<what>the [a-z ]+|[A-Z][a-z]+)\?$"),
            r"What is the height of \g<what>?"),
    Rewrite("how much: what amount", re.compile(r"^How much (?=(?:did|does|do) [\w. ]+ (?:spend|pay|earn|save|owe|donate|give|contribute|deposit|invest|charge)\b)"), "What amount "),
    # having
    Rewrite("has: owns", re.compile(rf"^(?P<who>{NAME}|He|She) (?P<has>has|had) (?=[\w-]{{1,20}} (?!fewer|more|times)(?:[a-z]{{1,20}} ){{0,2}}(?:{_KEPT})(?:\.$| and [\w-]{{1,20}} (?!fewer|more|times)(?:[a-z]{{1,20}} ){{0,2}}(?:{_KEPT})\.$))"),
            lambda m: f"{m['who']} {'owns' if m['has'] == 'has' else 'owned'} ", "has|had"),
    Rewrite("things are in: there are things in",
            re.compile(r"^(?P<things>[\w-]{1,40} (?!of )[a-z ]{1,80}?(?: and [\w-]{1,40} (?!of )[a-z ]{1,80}?)?) (?P<be>are|were) "
                 r"(?P<rest>(?:(?:sitting|swimming|standing|playing|waiting) )?(?:in|on|at) [^,]{0,200})\.$"),
            lambda m: _there_are(m), "are|were"),
    Rewrite("there are in: contains",
            re.compile(rf"^There are (?P<n>{NUMBER} [a-z]+(?: [a-z]+)?) in the (?P<place>{_CONTAINERS})\.$"),
            r"The \g<place> contains \g<n>."),
    Rewrite("contains: there are in",
            re.compile(rf"^(?:The) (?P<place>[a-z]+) (?:contains|holds) (?P<n>{NUMBER} [a-z]+s)\.$"),
            r"There are \g<n> in the \g<place>.", "contains|holds"),
    # giving and getting
    Rewrite("gave to: gave", re.compile(rf"\bgave (?P<n>{NUMBER} [a-z]+(?: [a-z]+)?) to (?P<to>{NAME})(?=\.|, (?:and|but) (?:he|she|they)\b)"),
            r"gave \g<to> \g<n>"),
    Rewrite("gave: gave to", re.compile(rf"\bgave (?P<to>{NAME}) (?P<n>{NUMBER} [a-z]+s)(?=\.|, (?:and|but) (?:he|she|they)\b)"), r"gave \g<n> to \g<to>"),
    Rewrite("gave to: got from",
            re.compile(rf"^(?P<who>{NAME}) gave (?P<n>{NUMBER} [a-z]+(?: [a-z]+)?) to (?P<to>{NAME})\.$"),
            r"\g<to> got \g<n> from \g<who>."),
    Rewrite("got from: gave to",
            re.compile(rf"^(?P<to>{NAME}) (?:got|received) (?P<n>{NUMBER} [a-z]+s) from (?P<who>{NAME})\.$"),
            r"\g<who> gave \g<n> to \g<to>."),
    # voice and order of phrases
    Rewrite("front: end", re.compile(r"^(?P<when>(?:On|In|At(?! \d+,)|During|Last) (?!the first|the second)(?P<time>[^,]+)), "
            r"(?P<rest>(?:she|he|they|we|I|you|[A-Z][a-z]+) (?P<what>[^,]{2,}))\.$"),
            _to_the_end, "On|In|At|During|Last"),
    Rewrite("end: front", re.compile(r"^(?P<rest>(?!.{0,300}\b(?:and|yesterday|today|last)\b.{0,300} )[A-Z][^,]{0,150}?\d[^,]{0,150}?) (?P<when>on [A-Z][a-z]+day|yesterday|today|last week)\.$"),
            _to_the_front, "on|yesterday|today|last"),
    Rewrite("now first: now later", re.compile(r"^Now,? (?P<who>she|he|they|[A-Z][a-z]+) (?P<has>has|have) (?P<rest>.*)\.$"),
            lambda m: f"{capitalised(m['who'])} now {m['has']} {m['rest']}."),
    Rewrite("now first: currently", re.compile(r"^Now,? (?P<who>she|he|they|[A-Z][a-z]+) (?P<has>has|have) (?P<rest>[^?]{1,300})\.$"),
            lambda m: f"{capitalised(m['who'])} currently {m['has']} {m['rest']}.", "Now"),
    Rewrite("then first: then later", re.compile(r"^Then,? (?P<who>she|he|they|[A-Z][a-z]+) (?P<rest>[a-z]+ .*)\.$"),
            lambda m: f"{capitalised(m['who'])} then {m['rest']}."),
    Rewrite("later first: later on", re.compile(r"^Later,? (?=she |he |they |[A-Z])"), "Later on, "),
    Rewrite("also", re.compile(r"^(?P<who>She|He|They) also (?P<rest>(?!.*\b(?:and|so|because|that|which|who|if|when|while|until)\b)[^,]*)\.$"), r"\g<who> \g<rest> as well."),
    Rewrite("each: every", re.compile(r"\b(?P<e>[Ee])ach (?P<noun>[a-z]+)"),
            _every),
    # clauses
    Rewrite("and: full stop",
            re.compile(rf"^(?P<one>{NAME} [a-z]+ {NUMBER} [a-z][^,.]*?),? and (?P<two>{NAME} [a-z]+ {NUMBER} [a-z][^,.]*)\.$"),
            _two_sentences),
    Rewrite("but: however", re.compile(r"^(?P<one>[A-Z][^,]*), but (?P<two>(?:he|she|they) [^,]*)\.$"),
            r"\g<one>. However, \g<two>."),
    Rewrite("if: assuming that", re.compile(r"^If (?=(?:each|every|there|one|an?) .{3,300},$)"), "Assuming that "),
    Rewrite("if: given that", re.compile(r"^If (?=(?!.{0,200}\b(?:were to|had been|would)\b).{3,300},$)"), "Given that "),
    Rewrite("if first: if last", re.compile(r"^If (?P<given>[^,?]*), (?P<asked>how (?:many|much) [^,?]*)\?$"), _if_last),
    # places, prices, times
    Rewrite("there are: in the place",
            re.compile(r"^There (?P<be>are|were) (?P<things>(?:(?!\b(?:in|on|at|each|and)\b)[^,]){0,99}\d(?:(?!\b(?:in|on|at|each|and)\b)[^,]){0,99}) "
                       r"(?P<where>(?:in|on|at) (?:the|a|an|his|her|their) [a-z]+(?: [a-z]+)?)\.$"),
            lambda m: None if "currently" in m["things"] else f"{capitalised(m['where'])}, there {m['be']} {m['things']}."),
    Rewrite("for each: at each", re.compile(r"\bfor (?=\$\d[\d.]* each\b)"), "at "),
    Rewrite("at each: for each", re.compile(r"\b(?:sold|sells|bought|buys|pens|books|tickets|shirts) at (?=\$\d[\d.]* each\b)"),
            lambda m: m[0].removesuffix("at ") + "for "),
    Rewrite("each: apiece", re.compile(r"(?<=\d) each(?=[.,]| and )"), _apiece),
    Rewrite("a day: per day",
            re.compile(rf"(?P<n>(?<![\w$.])\$?\d[\d.,]{{0,30}}(?: (?!in\b)[a-z]+)?) an? (?P<t>{TIME_UNIT})\b"
                       r"(?! (?:and|later|ago|before|after|old|for)\b)"), r"\g<n> per \g<t>", "a|an"),
    Rewrite("per day: a day", re.compile(r"(?<=[\ds]) per (?P<t>day|week|month|year|minute)\b"), r" a \g<t>"),
    Rewrite("per hour: an hour", re.compile(r"(?<=[\ds]) per hour\b"), " an hour"),
    Rewrite("every day: each day", re.compile(r"\bevery (?=(?:day|week|month|year|morning|night|evening)\b)"), "each "),
    Rewrite("how old: what age", re.compile(rf"^How old is (?P<who>{NAME})(?P<now>(?: now)?)\?$"),
            lambda m: f"What is {m['who']}'s age{m['now']}?"),
    Rewrite("after that: afterwards", re.compile(r"^After that, "), "Afterwards, "),
    Rewrite("afterwards: after that", re.compile(r"^Afterwards, "), "After that, "),
    Rewrite("finally: lastly", re.compile(r"^Finally, "), "Lastly, "),
    Rewrite("additionally: in addition", re.compile(r"^Additionally, "), "In addition, "),
    Rewrite("half of the: half the", re.compile(r"(?<!first )(?<!second )(?<!other )\bhalf of (?=the [a-z])"), "half "),
    Rewrite("a total of: in total", re.compile(r"\ba total of (?P<n>(?:\$\d[\d,.]{0,12}\d|\$\d|\d[\d,]{0,12} [a-z]+s))(?=[.,]$)"), r"\g<n> in total"),
    Rewrite("and: as well as", re.compile(r"(?P<one>\b\d+ (?:[a-z]+ )?[a-z]+s) and (?=\d+ (?:[a-z]+ )?[a-z]+s\.$)"),
            lambda m: f"{m['one']} as well as " if not re.search(r",| and ", m.string[: m.start()]) else None),
    Rewrite("while: whereas", re.compile(r", while (?=(?:[A-Z][a-z]+|the [a-z]+) (?:has|had|have|is|are|was|were|costs?|weighs|needs|eats|sells|sold|bought)\b)"), ", whereas "),
    Rewrite("it takes: needs",
            re.compile(r"^It (?P<verb>takes|took) (?P<who>her|him|them|[A-Z][a-z]+) (?P<n>\w+ (?:seconds|minutes|hours|days|weeks|months|years)) to (?P<to>[a-z]+)\b"),
            lambda m: _needs_time(m)),
    Rewrite("part of the day first", re.compile(r"^(?P<rest>(?!.{0,200}\b(?:and|then|that|who|which|as|than|when|while)\b)(?:He|She|They|[A-Z][a-z]+) [a-z]+ [^,]{0,80}?\d[^,]{0,80}?) (?P<when>in the (?:morning|afternoon|evening))\.$"),
            _to_the_front, "morning|afternoon|evening"),
    Rewrite("all of the: all the", re.compile(r"\ball of (?=(?:the|his|her|their) [a-z])"), "all "),
    Rewrite("years old: years of age", re.compile(r"(?<=\d )years old(?=[.,]| and )"), "years of age"),
    Rewrite("can: is able to", re.compile(rf"(?P<who>^(?:He|She|{NAME})) can (?P<verb>[a-z]+)\b"), _able),
    Rewrite("has to: needs to", re.compile(r"\b(?P<has>has|have) to (?P<verb>[a-z]+)\b"), _needs_to),
    Rewrite("makes: earns", re.compile(r"\b(?P<verb>makes|made|earns|earned) (?=\$\d)"),
            lambda m: {"makes": "earns ", "made": "earned ", "earns": "makes ", "earned": "made "}[m["verb"]], "makes|made|earns|earned"),
    Rewrite("spent on: paid for",
            re.compile(r"^(?P<who>[A-Z][\w. ]{1,40}) (?P<verb>spent|spends) (?P<n>\$\d[\d.,]{0,9}) on (?P<what>(?!it\b|each\b)[a-z][a-z ]{1,60})\.$"),
            lambda m: f"{m['who']} {'paid' if m['verb'] == 'spent' else 'pays'} {m['n']} for {m['what']}."),
    Rewrite("costs: is priced at", re.compile(r"(?<=[a-z] )costs (?=\$\d[\d.,]{0,9}(?:\.$|, | and ))"), _priced),
    Rewrite("going to: will", re.compile(r"\b(?:is|are) going to (?P<verb>[a-z]+)\b"), _will),
    *(
        Rewrite(f"{_name_of(old)}: {new.strip()}", re.compile(rf"\b{old}" + ("" if old.endswith(")") else r"\b")), new)
        for old, new in WORDS
    ),
    *(Rewrite(f"{long}: {short}", re.compile(rf"\b{long}\b"), short) for long, short in SHORT.items()),
    *(
        Rewrite(f"{short}: {long}", re.compile(rf"\b{re.escape(short)}\b"), long)
        for long, short in SHORT.items()
        if short != "It's"
    ),
)  # fmt: skip
