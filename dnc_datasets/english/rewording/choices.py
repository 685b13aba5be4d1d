"""Questions with a choice: "Which is longer, the Nile or the Rhine?" -> "Which is shorter, ...?"."""

from __future__ import annotations

import re
from typing import NamedTuple

from dnc_datasets.english.lexicon import CHOICE_STOPS, MASS_NOUNS, OPPOSITES, is_past, is_plural, plain

_MAX_QUESTION = 300
_MORE = {"more": ("fewer", "less"), "most": ("fewest", "least")}
_WORD = re.compile(rf"\b(?:{'|'.join([*OPPOSITES, *_MORE])})\b", re.IGNORECASE)
# "first" and "last" are comparisons only where no noun follows them.
_ORDER = frozenset("first last second".split())
# Events that happen only once: of two things, the one that was not last was first.
_ONCE = re.compile(
    r"\b(?:happened|occurred|died|die|born|founded|signed|built|created|established|formed|ended|began)\b"
)
_AMOUNT = re.compile(r" (?:amount|number)\b")
_PREPOSITION = re.compile(r"(?:in|of|from|on|at|between|under|over|during|with) ")
_STARTS = re.compile(
    r"(?:Were|Where|Are|Is|Was) there (?:more|fewer|less) |(?:Did|Does|Do) [^,?]{2,60}? (?:more|fewer|less) "
)
_TAIL = re.compile(r" (?:in|during|according|as of|on|at|by|from|who|that|of the) ")
_WAS = re.compile(
    r"(?:Was|Is|Were|Are|Did|Does|Do) (?P<one>[^,?]{2,80}?),? or (?P<two>[^,?]{2,80}?) "
    r"(?P<word>higher|lower|larger|smaller|longer|shorter|older|younger|earlier|later|bigger|greater|first|last)\b(?P<tail>[^?,]{0,80})\?"
)


class Choice(NamedTuple):
    """A question with a choice: its text, the place of its comparison, and the two candidates."""

    question: str
    start: int
    end: int
    one: str
    two: str

    @property
    def word(self) -> str:
        """The comparison word of the question."""
        return self.question[self.start : self.end]

    @property
    def opposed(self) -> str | None:
        """The opposite of the comparison; None where no opposite is certain to select the other candidate."""
        word = self.word.lower()
        new = OPPOSITES.get(word) or (self._less(word) if word in _MORE else None)
        if new is None or (word == "last" and not _ONCE.search(self.question[: self.start])):
            return None
        return "greatest" if new == "most" and _AMOUNT.match(self.question[self.end :]) else new

    def opposite(self) -> str | None:
        """Return the question with the opposite comparison, whose answer is the other candidate."""
        new = self.opposed
        if new is None:
            return None
        shown = new.capitalize() if self.word[:1].isupper() else new
        return f"{self.question[: self.start]}{shown}{self.question[self.end :]}"

    def _less(self, word: str) -> str | None:
        """Return the opposite of "more": "fewer" for a countable noun, otherwise "less"."""
        few, little = _MORE[word]
        after = self.question[self.end :].strip()
        noun = re.match(r"[A-Za-z-]+(?: [A-Za-z-]+){0,3}", after)
        if after[:1] in ("", ",", ":", ";") or noun is None:
            return few if is_plural(self.one) and is_plural(self.two) else little
        words = noun[0].split()
        if words[0] == "of":
            return few if "there" in self.question[: self.start].lower() else little
        cut = next(
            (at for at, one in enumerate(words) if one in CHOICE_STOPS),
            len(words),
        )
        head = words[:cut]
        if not head:
            return little
        if head[-1] in MASS_NOUNS:
            return little
        return few if any(is_plural(one) for one in (*head, self.two)) else None


def choice(question: str) -> Choice | None:
    """Return the parts of a question with a choice between two things and one comparison, otherwise None.

    >>> choice("Which is longer, the Nile or the Rhine?").opposite()
    'Which is shorter, the Nile or the Rhine?'
    """
    text = " ".join(question.split())
    asked = text.rstrip("? .")
    if len(text) > _MAX_QUESTION or len(re.findall(r"\bor\b", asked)) != 1 or " or " not in asked:
        return None
    if found := _WAS.fullmatch(text):
        return _stated_first(found)
    left, _, two = asked.partition(" or ")
    left = left.rstrip(", ")
    at = max(left.rfind(", "), left.rfind(": "), left.rfind("; "))
    if found := _STARTS.match(text):
        head, one = left[: found.end()], left[found.end() :]
        cut = _TAIL.search(two)
        two = two[: cut.start()] if cut and not _TAIL.search(f" {one} ") else two
        one = _paired(one, two)
    elif at > 0:
        head, one = left[:at], left[at + 2 :]
    else:
        return None
    words = [
        word for word in _WORD.finditer(head) if word[0].lower() not in _ORDER or _is_order(head, word.end())
    ]
    one, two = _bare(one), _bare(two)
    if (
        len(words) != 1
        or re.search(r"[,:;]", head[words[0].end() :])
        or not one
        or not two
        or "," in two
        or one.lower() == two.lower()
    ):
        return None
    return Choice(text, words[0].start(), words[0].end(), one, two)


def _stated_first(found: re.Match[str]) -> Choice | None:
    """Return the choice of a question that names both candidates first.

    Examples: "Was the infant rate or the maternal rate higher in 2007?", "Did Egypt or Israel use it first?".
    """
    one, two, word = _bare(found["one"]), found["two"], found["word"]
    if found[0].startswith("D"):  # a name, then a verb
        name = re.match(r"(?:the )?[A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3}(?= [a-z])", two)
        if not name or not one[:1].isupper() or word == "last":
            return None
        two = name[0]
    elif word in _ORDER or found["one"].startswith("there ") or _WORD.search(f"{one} {two}"):
        return None
    if re.match(r" [A-Za-z]*s\b", found["tail"]) or " than " in found[0]:
        return None
    two = _bare(two)
    return Choice(found[0], found.start("word"), found.end("word"), one, two) if one != two else None


def _paired(one: str, two: str) -> str:
    """Return the first candidate without the words that the second omits.

    Examples: "people under 45 or over 60", "cases of flu or of cold".
    """
    found = _PREPOSITION.match(two)
    if found:
        _, _, rest = one.partition(f" {found[0]}")
        return f"{found[0]}{rest}" if rest else one
    inner = list(re.finditer(r" (?:in|from|on|at) (?=the |The |[A-Z])", one))
    return one[inner[-1].end() :] if inner and not _TAIL.search(f"{two} ") else one


def _is_order(head: str, end: int) -> bool:
    after = head[end:].lstrip().split(" ")[0]
    return after in ("", "in", "of", "during", "on", "at", "according")


def _bare(candidate: str) -> str:
    for article in ("of ", "the ", "either ", "The "):
        candidate = candidate.strip().removeprefix(article)
    return candidate.strip()


class Compared(NamedTuple):
    """A choice as a yes-or-no question, with {} in place of the comparison, and the first candidate."""

    question: str
    word: str
    opposite: str
    one: str
    two: str


_COMPARATIVE = r"(?P<word>more|fewer|less|higher|lower|larger|smaller|greater|longer|shorter)"
_YEARS = r" ?(?P<one>\d{3,4}) or (?:in )?(?P<two>\d{3,4}) ?\??"
_IN_A_YEAR = re.compile(
    rf"(?:(?:In )?[Ww](?:hich|hat) year )(?P<aux>was|were|is|did|does|do) (?P<head>[^,:?]*?)\b{_COMPARATIVE}\b"
    rf"(?P<tail>[^,:?]*?) ?[,:]{_YEARS}"
)
_YEAR_HAD = re.compile(
    rf"W(?:hich|hat) year (?:had|has|saw) (?P<article>an? )?{_COMPARATIVE}(?P<tail> [^,:?]*?) ?[,:]{_YEARS}"
)
_YEAR_OR_YEAR = re.compile(
    rf"(?P<aux>Did|Does|Do|Were|Are|Was|Is|Will) (?P<head>[^,:?]*?)\b{_COMPARATIVE}\b(?P<tail>[^,:?]*?) in{_YEARS}"
)
_OPTION = r"(?:the )?[A-Z][\w'.-]*(?: (?:of |the )?[A-Z][\w'.-]*){0,3}"
_WHO_DID = re.compile(
    rf"(?:W(?:hich|hat)(?: [a-z]+)?|Who) (?P<verb>[a-z]+) {_COMPARATIVE}(?P<tail> [^,:?]+?)[,:] "
    rf"(?P<one>{_OPTION}) or (?P<two>{_OPTION}) ?\?"
)
_ANOTHER_YEAR = re.compile(r"\b\d{3,4}\b")


def comparison(question: str) -> Compared | None:
    """Return a choice as the yes-or-no question whether the first is more, or None for an unknown form.

    >>> comparison("Which year was the birth rate higher, 2000 or 2011?").question
    'Was the birth rate {} in 2000 than in 2011?'
    >>> comparison("Who scored more points, Ann Lee or Bo Ray?").question
    'Did Ann Lee score {} points than Bo Ray?'
    """
    parted = choice(question)
    opposite = parted.opposed if parted else None
    if parted is None or opposite is None:
        return None
    text = parted.question
    if found := _IN_A_YEAR.fullmatch(text) or _YEAR_OR_YEAR.fullmatch(text):
        made = f"{found['aux'].capitalize()} {found['head']}{{}}{found['tail']}"
    elif found := _YEAR_HAD.fullmatch(text):
        plural = any(map(is_plural, found["tail"].split()[:3])) and not found["article"]
        made = f"{'Were' if plural else 'Was'} there {found['article'] or ''}{{}}{found['tail']}"
        if not found["article"] and found["word"] not in ("more", "fewer", "less"):
            return None
    elif (found := _WHO_DID.fullmatch(text)) and is_past(found["verb"]) and plain(found["verb"]):
        verb = plain(found["verb"])
        one, two = (
            f"the {name}" if is_plural(name) and " " not in name else name
            for name in (found["one"], found["two"])
        )
        made = f"Did {one} {verb} {{}}{found['tail']} than {two}?"
        return Compared(made, found["word"], opposite, found["one"], found["two"])
    else:
        return None
    if _ANOTHER_YEAR.search(made) or not made.isascii():
        return None
    return Compared(
        f"{made} in {found['one']} than in {found['two']}?",
        found["word"],
        opposite,
        found["one"],
        found["two"],
    )
