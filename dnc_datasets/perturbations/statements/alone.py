"""Which sentences of a company report can be read on their own, and state an amount."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.reading.sentences import capitalised
from dnc_datasets.perturbations.numbers.amounts import AMOUNTS, is_name

# "Restructuring charges During the year we", "REVENUE Fiscal 2019 revenue", "Rates—The rate": the heading has
# run into its first sentence, which a capital letter behind a word without a mark gives away.
_HEADING_RUN_IN = re.compile(
    r"[\w)] (?:The|This|These|We|Our|In|On|At|As|For|From|During|Under|An?|It|There|Year|Fiscal \d|All|No|"
    r"Based|Due|Following|Prior|Since|To|With|Within)\b"
    r"|\A(.{6,60}?) (?i:\1)\b|\A(?:[A-Z]{5,}|[A-Z]{2,} [A-Z]{2,})\b|\A[^.]{0,60}[—–]|\A[^.]{0,60}: [A-Z]|•"
)
# A report speaks of "our" customers and of "other" income, and a company of "its" own: that leans on nothing.
# These openings go on from something.
_GOES_ON = re.compile(
    r"\A(?:Accordingly|Hence|As a result|As such|Between the|With regards?|Within|In addition|Further|Of|At the|Under|"
    r"Sequentially|If|Its?|They|Their|He|She|Both|Each|Among|Pursuant to the|Due to the|Other than|(?:No|All) other|"
    r"A further|Adjustments for|The (?:[\w-]+ ){1,4}(?:increase|decrease)s? (?:was|were|is)|"
    r"The (?:year-over-year|overall|resulting|other|remaining|latter|former|key|final|next|two|three|four)|"
    r"The (?:[\w-]+ )?(?:increase|decrease|change|growth|decline|balance|impact|effect|plan|agreement|amount|movement|"
    r"legislation|amendment|award|acquisition|transaction|loan|software|domain name|facility|difference)s?)\b"
    r"|\A[\d-]+,"
)
# These words lean on what was said before, or point at it, wherever they stand.
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
# "$2 million and $3 million, respectively" needs two things to go with, in the sentence itself.
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
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
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
# "was $5 million, $6 million and $7 million | in 2019, ..., respectively": amount, more amounts, what is counted.
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
    """The sentence up to the period it speaks of, or behind it; the sentence itself where that is not sure.

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


def reads_alone(text: str) -> bool:
    """Whether this sentence of a report makes sense under another table, and has an amount to mislead with."""
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
