"""Self-contained sentences: those of a report, a passage or a word problem that make sense in another text."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import MONTH, is_verb
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import capitalised
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, is_name

# "Restructuring charges During the year we", "REVENUE Fiscal 2019 revenue", "Rates—The rate": the heading has
# merged with its first sentence. A capital letter after a word without a mark shows that.
_HEADING_RUN_IN = re.compile(
    r"[\w)] (?:The|This|These|We|Our|In|On|At|As|For|From|During|Under|An?|It|There|Year|Fiscal \d|All|No|"
    r"Based|Due|Following|Prior|Since|To|With|Within)\b"
    r"|\A(.{6,60}?) (?i:\1)\b|\A(?:[A-Z]{5,}|[A-Z]{2,} [A-Z]{2,})\b|\A[^.]{0,60}[—–]|\A[^.]{0,60}: [A-Z]|•"
)
# A report may say "our customers", "other income" and "its own" without an antecedent.
# These openings continue an earlier sentence.
_GOES_ON = re.compile(
    r"\A(?:Accordingly|Hence|As a result|As such|Between the|With regards?|Within|In addition|Further|Of|At the|Under|"
    r"Sequentially|If|Its?|They|Their|He|She|Both|Each|Among|Pursuant to the|Due to the|Other than|(?:No|All) other|"
    r"A further|Adjustments for|The (?:[\w-]+ ){1,4}(?:increase|decrease)s? (?:was|were|is)|"
    r"The (?:year-over-year|overall|resulting|other|remaining|latter|former|key|final|next|two|three|four)|"
    r"The (?:[\w-]+ )?(?:increase|decrease|change|growth|decline|balance|impact|effect|plan|agreement|amount|movement|"
    r"legislation|amendment|award|acquisition|transaction|loan|software|domain name|facility|difference)s?)\b"
    r"|\A[\d-]+,"
)
# These words refer to earlier text, at any place of a sentence.
_LEANS = re.compile(
    r"\b(?:this|these|those|such(?! as)|also|same|again|still|then|now|however|therefore|thus|instead|another|"
    r"similarly|likewise|contrast|conversely|additionally|furthermore|moreover|subsequently|consequently|"
    r"nevertheless|example|instance|response|how|afterwards|altogether|ones|rest|he|she|his|her|him|"
    r"following|follows|(?:the|a) remaining|(?:first|second|third|last)(?! quarter| half| day|-| lien| part)|"
    r"other (?:includ|consist|was|were|is|are)\w*|each was|(?:under|in|of|to) the (?:plans?|agreement|transaction)|"
    r"above|below|herein|hereto|thereof|thereon|aforementioned|foregoing|said|respective|notes? \d+|"
    r"periods? presented)\b"
    r"|(?:\A|\s)\(?(?:[ivx]+|[a-z])\) ",
    re.IGNORECASE,
)
# "$2 million and $3 million, respectively" needs a pair of nouns in the same sentence.
_RESPECTIVELY = re.compile(r"\brespectively\b")
_PAIR = re.compile(r" and | & ")
# "from2 to 5", "for$264", "SEK 0.2 (–0.3) billion", "or higher 100% vest", a sentence cut at "Inc.".
_DAMAGED = re.compile(
    r"[a-z]\d|[a-z]\$|\([–-]\d|\b(?:Inc|Ltd|Corp|Co|Dr|No|Nos|U\.S)\.\Z|\bmillion million\b|\bhigher \d"
)
# "A liability of £13m compared to £12m." has no verb of its own.
_PARTICIPLES = re.compile(r"\b(?:compared|based|related|ended|used|excluded|deferred|combined|adjusted)\b")
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|had|will|would|may|did|grew|fell|rose|wrote|won|lost|ran|owns?|operates|runs|"
    r"employs|bears|supplies|exceeds|expires?|receives?|includes?|represents?|[a-z]{2,}ed)\b"
    r"|\b(?i:we|company|group) (?:(?:re)?paid|sold|made|held|spent|bought|lease|employ|operate)\b"
)


# The period of a statement. The report that borrows it has the same years, which may not come twice.
_MONTH = f"(?:{MONTH})"
_PERIOD = (
    r"(?:the )?(?:(?:(?:fiscal|financial|calendar) )?(?:years?|periods?|quarters?|(?:three|six|nine|twelve|\d+) "
    r"months) (?:ended|ending)(?: on)? )?(?:the )?(?:(?:first|second|third|fourth) (?:fiscal )?quarters? of |end of )?"
    rf"(?:(?:fiscal|financial)(?: years?)? |FY ?|Q[1-4] |(?:\d{{1,2}} )?{_MONTH} (?:\d{{1,2}},? )?|years? )?"
    r"(?:20\d\d(?:[/-]\d\d)?|(?<=FY)\d\d)\b"
)
_PERIOD_FIRST = re.compile(
    rf"\A(?:In|During|For|At|As of|As at|On) {_PERIOD}(?:, (?!\d|and\b|{_MONTH})| (?=the |we |our ))"
)
_AMOUNT = r"(?:(?:US)?[$€£] ?)?\d[\d.,]{0,20}(?:%| per ?cent| (?:m|b|tr)illion| thousand)?"
_NO_NOUN = (
    "and|or|to|from|of|in|for|at|as|on|by|with|up|due|is|was|were|are|the|an?|compared|expir\\w+|maturing"
)
# "was $5 million, $6 million and $7 million | in 2019, ..., respectively": amount, more amounts, counted noun.
_PERIOD_LAST = re.compile(
    rf"(?P<first>(?<![\d.,$€£]){_AMOUNT})(?P<more>(?:(?:,? and|,) {_AMOUNT}){{0,5}})(?P<each>,? respectively)?"
    rf"(?P<noun>(?: (?!(?:{_NO_NOUN})\b)[a-zA-Z]{{1,30}}(?<!ly)){{0,2}})"
    rf",? (?:(?:in|during|for|at|as of|as at|on) {_PERIOD}|(?:as )?compared (?:to|with) .{{0,200}}\b20\d\d\b)"
    r"(?s:(?P<rest>.*))\Z"
)
_AMOUNT_ALONE = re.compile(_AMOUNT)
_FROM = re.compile(rf" from {_AMOUNT}\Z")  # "rose by 8% from 974 | in 2018 to 1,055"
_YEAR = re.compile(r"\b20\d\d\b")


def without_period(text: str) -> str:
    """Return the sentence without its period, or the unchanged sentence where the period is not certain.

    >>> without_period("In 2019, the mill paid $5 million for 2018 and $6 million for 2017.")
    'The mill paid $5 million.'
    """
    cut = capitalised(_PERIOD_FIRST.sub("", text, count=1))
    match = _PERIOD_LAST.search(cut)
    if match is None:
        return cut
    kept = cut[: match.end("first")]
    if match["each"]:
        kept = cut[: match.end("each")]
    elif _RESPECTIVELY.search(match["rest"]) and _AMOUNT_ALONE.search(cut[: match.start()]):
        return text  # "1.7 million for $95 and 0.4 million for $30 in 2018 and 2017, respectively"
    if _YEAR.search(kept) or _FROM.search(kept):
        return text
    return f"{kept}{match['noun']}."


def self_contained_in_report(text: str) -> bool:
    """Return whether a sentence of a company report states an amount and makes sense beside another table."""
    if _HEADING_RUN_IN.search(text) or _GOES_ON.search(text) or _LEANS.search(text) or _DAMAGED.search(text):
        return False
    if _RESPECTIVELY.search(text) and len(_PAIR.findall(text)) < 2:
        return False
    if not _VERB.search(_PARTICIPLES.sub("", text)):
        return False
    return any(
        quantity.kind in AMOUNTS and not is_name(text, "body", quantity.text, quantity.start, quantity.end)
        for quantity in numerals.find(text)
    )


_MOST_WORDS = 16
# "Each period", "20 bottles per case", "candy bars which costs", "twice as old": such sentences need earlier text
# or are difficult to read.
_NEEDS_MORE = re.compile(
    r"[,;:()\"%]|\b(?:each|every|per|apiece|which|who|whose|where|that|than|as|twice|times|half|double|different|except|"
    r"percent|average|sale|discount|off|between|because|while|when|until|without|except|equally|evenly|both|all|"
    r"more|less|fewer|most|some|any|only|just|already|away|up|there(?= )|once|goal|worth|dozens?|calories|"
    r"points|semesters)\b|(?<=\w )[A-Z]\b(?!\.)",
)
_OPENS_WITH_THING = re.compile(r"(?:An?|One) (?:[a-z-]+ ){1,3}")
_THERE_ARE = re.compile(r"There (?:are|were|is|was) \S+ .*\b(?:in|on|at) (?:an?|the) [a-z]+")
_VERB_SOON = 3


def self_contained_in_problem(text: str) -> bool:
    """Return whether a sentence of a word problem is short, complete and introduces its own nouns.

    >>> self_contained_in_problem("A stall sells 44 melons.")
    True
    >>> self_contained_in_problem("Each period lasts 12 minutes.")
    False
    """
    if len(text.split()) > _MOST_WORDS or _NEEDS_MORE.search(text.removeprefix("There ")):
        return False
    if any(not item.noun and text[item.start - 1 : item.start] != "$" for item in counted(text)):
        return False  # "Amy gave 5 to Ben": the number has no noun
    if _THERE_ARE.match(text):
        return True
    if thing := _OPENS_WITH_THING.match(text):
        after = text[thing.start() :].split()[2 : 2 + _VERB_SOON]
        return any(is_verb(word) for word in after)
    named = people(text)
    return bool(named) and named[0].subject and text.startswith(named[0].phrase)


# The antecedent is elsewhere in the passage or problem: "the median income for the city", "Amy takes 3 away".
_DEPENDENT = re.compile(
    r"\A(?:As a result|As such|In the (?:city|county|town|village|borough|township)|For every|The (?:per capita|median|"
    r"average|racial|population density)|About \d|Males had|Of these)\b"
    r"|\bthe (?:city|county|town|village|borough|township|district|region|province|game|lead|[Cc]ourt|population|"
    r"offense|defense|scoring|score|drive|air force|army|fleet|siege|war)\b(?! of [A-Z])"
    r"|\b(?:regain|resum|extend|trail)(?:ed|ing|s)?\b|\binch(?:ed)? closer\b|\bthe commune\b"
    r"|\AThere (?:were|are) [\d,]+ (?:housing units|households|people|families)\b"
)
# Words of a game report, whose sentences all depend on that game.
_OF_A_GAME = re.compile(
    r"\b(?:quarter|touchdown|TD|field goal|yards?|halftime|sacked|rushed|duel|score[sd]?|scoring|offense|defense|"
    r"season|goals?|saves?|overtime|inning|playoffs?|kicker|quarterback)\b"
)
# "had signed" depends on an earlier event, and abbreviations on their full names: "the WSLF".
_TOLD_BEFORE = re.compile(
    r"\bhad (?:been )?[a-z]+(?:ed|en)\b|\b[A-Z]{3,}\b|\bthe (?:offensive|garrison|expedition)\b"
)
_OPENS_NOTHING = re.compile(
    r"(?:Perhaps|Hoping|Coming|Every|Offensively|Despite|By [a-z]|Gross Domestic|"
    r"The (?:number|percentage|share|rate|home|total|majority|remainder)\b)"
)
_OPENERS = (
    "The|There|In|On|At|By|After|Before|During|From|Of|For|As|When|While|With|An?|About|Since|Over|Under|Throughout|"
    "Some|Most|Nearly|Around|Approximately|Until|Between|Among|To|Only|More|Less"
)
# The statement names a place or a person.
_NAMED = re.compile(
    rf"(?!\A)\b(?!(?:{MONTH}|Week)\b)[A-Z][a-z]{{2,}}|\A(?!(?:{_OPENERS})\b)[A-Z][a-z]{{3,}} [a-z]"
)


def self_contained_in_passage(sentence: str) -> bool:
    """Return whether a sentence makes sense in a passage about something else.

    >>> self_contained_in_passage("In 1872 Harwick had 300 houses.")
    True
    >>> self_contained_in_passage("There were 300 births in 1872.")
    False
    """
    if _DEPENDENT.search(sentence) or _OF_A_GAME.search(sentence) or _TOLD_BEFORE.search(sentence):
        return False
    if _OPENS_NOTHING.match(sentence):
        return False
    return _NAMED.search(sentence) is not None


_WHEN = re.compile(rf"(?:In|On|By) (?:\d{{1,2}} )?(?:(?:{MONTH}) )?(?:\d{{1,2}}, )?[12]\d{{3}}\b")
_FEWEST_NAMES = 2


def has_date_and_names(sentence: str) -> bool:
    """Return whether a sentence opens with a date and contains at least two names.

    >>> has_date_and_names("In May 1872, the town of Harwick was sold to Dunmore.")
    True
    """
    names = {name[0] for name in _NAMED.finditer(sentence)}
    return _WHEN.match(sentence) is not None and len(names) >= _FEWEST_NAMES
