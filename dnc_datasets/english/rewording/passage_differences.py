"""Parser of questions for a difference in a passage: the two things, which is larger, derived questions."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.lexicon import OPPOSITE_COMPARATIVES, is_past, is_plural

_MAX_QUESTION = 300
_THAN = r" (?:than|compared to|compared with|versus) "
_NOUN = r"[A-Za-z][A-Za-z-]*(?: [A-Za-z][A-Za-z'-]*){0,4}?"
_NAME = r"(?:the [a-z]+s?|(?:the )?[A-Z][A-Za-z.'-]*(?: [A-Z][A-Za-z.'-]*){0,3})"
_THERE = re.compile(
    rf"How many (?P<word>more|fewer) (?P<one>{_NOUN}) (?P<be>are|were) there(?P<where> [a-z][^?,]{{2,60}})?{_THAN}"
    rf"(?P<two>{_NOUN})(?P<tail> (?:in|according|as of|at|on) [^?,]{{2,60}})?\?"
)
_PAIRED = re.compile(
    rf"How many (?P<word>more|fewer) (?P<one>{_NOUN}) than (?P<two>{_NOUN}) (?P<be>are|were) "
    r"(?P<done>there|found|made|born|built|sold|won|lost|seen|[a-z]+ed)(?P<tail> [a-z][^?,]{2,60})?\?"
)
_LONGER = re.compile(
    rf"How many (?P<unit>yards|points|feet|miles|inches) (?P<word>longer|shorter|higher|lower|larger|smaller) "
    rf"(?P<be>was|is) (?P<one>[^?,]{{3,80}}?)(?:{_THAN}| over )(?P<two>[^?,]{{3,80}})\?"
)
_DID = re.compile(
    rf"How many (?P<word>more|fewer) (?P<what>{_NOUN}) (?P<do>did|do|does) (?P<one>{_NAME}) (?P<verb>[a-z]+)"
    rf"(?P<tail> (?:in|on|at|during|for) [^?,]{{2,60}}?)?{_THAN}(?P<two>{_NAME})(?: (?:did|do|does))?\?"
)
_VERBED = re.compile(
    rf"How many (?P<word>more|fewer) (?P<one>[A-Za-z][A-Za-z -]{{1,40}}?) "
    rf"(?P<said>(?:(?:were|are) )?[a-z]+ [^?,]{{2,80}}?){_THAN}(?P<two>[^?,]{{2,80}})\?"
)
_COST = re.compile(
    r"(?P<open>H|h)ow much (?P<word>more|less) (?P<do>does|did|do) (?P<one>(?:the|a|an) [a-z][a-z -]{1,30}) cost "
    r"than (?P<two>(?:the|a|an) [a-z][a-z -]{1,30})\?"
)
_PLACED = re.compile(
    r"How many (?P<word>more|fewer) (?P<what>[a-z][a-z -]{1,40}) (?P<be>are|were)(?P<there> there)? "
    r"(?P<one>(?:in|on|at) [A-Za-z][A-Za-z ]{1,30}) than (?P<two>(?:in|on|at) [A-Za-z][A-Za-z ]{1,30})\?"
)
_DONE_AT = re.compile(
    rf"How many (?P<word>more|fewer) (?P<what>[a-z][a-z -]{{1,40}}) (?P<do>did|does|do) "
    rf"(?P<who>he|she|they|we|you|I|{_NAME}) (?P<verb>[a-z]{{2,15}}) "
    r"(?P<one>(?:in|on|at) [A-Za-z][A-Za-z ]{1,30}) than (?P<two>(?:in|on|at) [A-Za-z][A-Za-z ]{1,30})\?"
)
_MORE = frozenset("more longer higher larger".split())
_PRONOUN = re.compile(
    r"\A(?:his|her|their|its|one)\b|\A(?:the )?(?:other|last|first|second|third|fourth|fifth|shortest|longest)\b|\bones?\b|\bthat of\b"
)
_PLACE = re.compile(r"(?:in|on|at|from|against|by|for|with|during) ")
_VERBS = re.compile(r"\b(?:did|was|were|had|do|does|is|are|that|which|who|when|if)\b")
_TAILED = re.compile(r"\b(?:in|on|at|when|according|after|before|during|as|by)\b")
_EXTREME = re.compile(r"\b(?:long|short|bigg?|high|low|larg|small)est\b|\b(?:most|least)\b")


class Difference(NamedTuple):
    """A question for the difference between two things, with the questions derived from it.

    `more` states whether `one` is the larger. A derived question is empty where it would not read well.
    `yes_no` states the comparison of `one` and `two`, and `swapped` that of `two` and `one`. {} represents
    the comparison word, and `word` is the word of the original.
    """

    more: bool
    word: str
    total: str
    first: str
    yes_no: str
    swapped: str
    amount: bool = False  # an uncountable noun needs "less", not "fewer"

    def comparison(self, word: str, swapped: bool) -> str:
        """Return the yes-or-no question with this word: that of the original or its opposite."""
        return (self.swapped if swapped else self.yes_no).replace("{}", word)

    @property
    def words(self) -> tuple[str, str]:
        """The word of the original and its opposite."""
        if self.amount:
            return self.word, "less" if self.word == "more" else "more"
        return self.word, OPPOSITE_COMPARATIVES[self.word]


def difference(question: str) -> Difference | None:
    """Return the parts of a question for a difference; None where its form is not known.

    >>> difference("How many more whites are there than Pacific Islanders?").total
    'How many whites and Pacific Islanders are there in total?'
    """
    text = " ".join(question.replace("’", "'").split())
    if len(text) > _MAX_QUESTION:
        return None
    if found := _PLACED.fullmatch(text):
        return _placed(found)
    if found := _DONE_AT.fullmatch(text):
        return _done_at(found)
    if found := _PAIRED.fullmatch(text) or _THERE.fullmatch(text):
        return _there(found)
    if found := _LONGER.fullmatch(text):
        return _longer(found)
    if found := _COST.fullmatch(text):
        return _cost(found)
    if found := _DID.fullmatch(text):
        return _did(found) if "percent" not in found["what"] else None
    found = _VERBED.fullmatch(text)
    return _verbed(found) if found else None


def _there(found: re.Match[str]) -> Difference | None:
    one, two, be = found["one"], found["two"], found["be"]
    groups = found.groupdict()
    where = f"{groups.get('where') or ''}{found['tail'] or ''}"
    if _VERBS.search(f"{one} {two}") or _PRONOUN.search(two) or _EXTREME.search(f"{one} {two}"):
        return None
    if not is_plural(one):
        return None
    if (" of " in one) != (" of " in two):
        return None  # "sacks of ripe than unripe pears": swapped, sacks would be compared with pears
    alike = is_plural(two)
    # People and houses are not counted together; Danes and Swedes, or two kinds of houses, are.
    counted = alike and (one.split()[-1] == two.split()[-1] or any(word[0].isupper() for word in two.split()))
    ask = be.capitalize()
    done = groups.get("done") or "there"
    if done == "there":
        stated = (f"{ask} there {{}} {one} than {two}{where}?", f"{ask} there {{}} {two} than {one}{where}?")
    else:
        stated = (
            f"{ask} {{}} {one} than {two} {done}{where}?",
            f"{ask} {{}} {two} than {one} {done}{where}?",
        )
    return Difference(
        more=found["word"] == "more",
        word=found["word"],
        total=f"How many {one} and {two} {be} {done} in total{where}?" if counted else "",
        first=f"How many {one} {be} {done}{where}?",
        yes_no=stated[0] if alike else "",
        swapped=stated[1] if alike else "",
    )


def _longer(found: re.Match[str]) -> Difference | None:
    one, two, be, unit = found["one"], found["two"], found["be"], found["unit"]
    if _VERBS.search(f"{one} {two}") or " or " in f"{one} {two}":
        return None
    clear = (
        not _PRONOUN.search(two)
        and not _PLACE.match(two)
        and not _EXTREME.search(f"{one} {two}")
        and len(two.split()) > 1
    )
    were = "were" if be == "was" else "are"
    ask = be.capitalize()
    return Difference(
        more=found["word"] in _MORE,
        word=found["word"],
        total=f"How many {unit} {were} {one} and {two} combined?"
        if len(two.split()) > 1 and not _PLACE.match(two)
        else "",
        first=f"How many {unit} {be} {one}?",
        yes_no=f"{ask} {one} {{}} than {two}?" if clear else "",
        swapped=f"{ask} {two} {{}} than {one}?" if clear else "",
    )


def _verbed(found: re.Match[str]) -> Difference | None:
    """Return the parts of "How many more people lived in Tunis than in Sfax".

    Only a question for the first of the two things can be derived.
    """
    one, said = found["one"], found["said"]
    verb = said.split()[0]
    acts = is_past(verb) or verb in ("were", "are")
    if verb in ("did", "do", "does") or _TAILED.search(found["two"].partition(" ")[2]):
        return None  # the shared predicate would be lost with the second
    if not acts or not is_plural(one):
        return None
    if (
        _EXTREME.search(f"{said} {found['two']}")
        or _VERBS.search(" ".join(said.split()[1:]))
        or "percent" in one
    ):
        return None
    return Difference(found["word"] == "more", found["word"], "", f"How many {one} {said}?", "", "")


def _cost(found: re.Match[str]) -> Difference:
    one, two, do = found["one"], found["two"], found["do"]
    ask = do.capitalize() if found["open"] == "H" else do
    return Difference(
        more=found["word"] == "more",
        word=found["word"],
        total="",
        first="",
        yes_no=f"{ask} {one} cost {{}} than {two}?",
        swapped=f"{ask} {two} cost {{}} than {one}?",
        amount=True,
    )


def _placed(found: re.Match[str]) -> Difference:
    what, one, two, be = found["what"], found["one"], found["two"], found["be"].capitalize()
    return Difference(
        more=found["word"] == "more",
        word=found["word"],
        total="",
        first=f"How many {what} {found['be']} there {one}?",
        yes_no=f"{be} there {{}} {what} {one} than {two}?",
        swapped=f"{be} there {{}} {what} {two} than {one}?",
    )


def _done_at(found: re.Match[str]) -> Difference:
    """Return the parts of a comparison of one thing at two times or places.

    Example: "did she have in fall than in spring".
    """
    what, one, two, who = found["what"], found["one"], found["two"], f"{found['who']} {found['verb']}"
    ask = found["do"].capitalize()
    return Difference(
        more=found["word"] == "more",
        word=found["word"],
        total="",
        first=f"How many {what} {found['do']} {who} {one}?",
        yes_no=f"{ask} {who} {{}} {what} {one} than {two}?",
        swapped=f"{ask} {who} {{}} {what} {two} than {one}?",
    )


def _did(found: re.Match[str]) -> Difference | None:
    one, two, do, verb, what = (found[key] for key in ("one", "two", "do", "verb", "what"))
    tail = found["tail"] or ""
    first = f"How many {what} {do} {one} {verb}{tail}?"
    if tail:  # "lose at the first fort than at the second": the compared things are unclear
        return Difference(found["word"] == "more", found["word"], "", first, "", "")
    ask, both = do.capitalize(), "do" if do == "does" else do
    return Difference(
        more=found["word"] == "more",
        word=found["word"],
        total=f"How many {what} {both} {one} and {two} {verb} in total?",
        first=first,
        yes_no=f"{ask} {one} {verb} {{}} {what} than {two}?",
        swapped=f"{ask} {two} {verb} {{}} {what} than {one}?",
    )
