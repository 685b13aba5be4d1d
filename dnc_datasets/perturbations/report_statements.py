"""Which sentences of a company report can be read on their own, and state an amount."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.perturbations.amounts import AMOUNTS, is_reference, is_year

# "Restructuring charges During the year we", "REVENUE Fiscal 2019 revenue", "Rates—The rate": the heading has
# run into its first sentence, which a capital letter behind a word without a mark gives away.
_HEADING_RUN_IN = re.compile(
    r"[\w)] (?:The|This|These|We|Our|In|On|At|As|For|From|During|Under|An?|It|There|Year|Fiscal \d|All|No|"
    r"Based|Due|Following|Prior|Since|To|With|Within)\b"
    r"|\A(.{6,60}?) (?i:\1)\b|\A(?:[A-Z]{5,}|[A-Z]{2,} [A-Z]{2,})\b|\A[^.]{0,60}[—–]|\A[^.]{0,60}: [A-Z]|•"
)
# It goes on from something, or points at it.
_LEANS = re.compile(
    r"\A(?:Accordingly|Hence|As a result|Between the|With regards?|Within|In addition|Further|Of|At the|Under|"
    r"Sequentially|The (?:\w+ )?(?:increase|decrease|change|growth|decline|balance|impact|effect|plan|agreement|amount|"
    r"legislation|amendment|award)s?)\b|\bunder the plan\b"
    r"|\A[\d-]+,|\b[Nn]otes? \d"
    r"|\beach was\b|\b(?:above|below|herein|hereto|thereof|thereon|aforementioned|foregoing|said|respective)\b"
    r"|(?:\A|\s)\(?(?:[ivx]+|[a-z])\) "
)
# "from2 to 5", "for$264", "or higher 100% vest", a sentence cut at "Inc.".
_DAMAGED = re.compile(
    r"[a-z]\d|[a-z]\$|\b(?:Inc|Ltd|Corp|Co|Dr|No|Nos|U\.S)\.\Z|\bmillion million\b|\bhigher \d"
)
# "A liability of £13m compared to £12m." has no verb of its own.
_PARTICIPLES = re.compile(r"\b(?:compared|based|related|ended|used|excluded|deferred|combined|adjusted)\b")
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|had|will|would|may|did|"
    r"grew|fell|rose|paid|sold|made|held|spent|bought|includes?|represents?|[a-z]{2,}ed)\b"
)


def reads_alone(text: str) -> bool:
    """Whether this sentence of a report makes sense under another table, and has an amount to mislead with."""
    if _HEADING_RUN_IN.search(text) or _LEANS.search(text) or _DAMAGED.search(text):
        return False
    if not _VERB.search(_PARTICIPLES.sub("", text)):
        return False
    return any(
        quantity.kind in AMOUNTS
        and not is_year(quantity.text)
        and not is_reference(text, quantity.start, quantity.end)
        for quantity in numerals.find(text)
    )
