"""Words of questions over passages: subjects, plurals, and what time is counted in."""

from __future__ import annotations

DO = frozenset("did do does".split())
BE = frozenset("was were is are".split())
TIME = frozenset("years months weeks days hours minutes year month day".split())
SUBJECT = frozenset("the a an he she they it his her their this that these those its both each".split())
ENDS = frozenset("in on at to with from for by into of against over".split())


def starts_subject(words: list[str]) -> bool:
    first = words[0]
    return first.lower() in SUBJECT or first[:1].isupper() or first.endswith("s")


def plural(noun: list[str]) -> bool:
    """ "men of the army", "of the personnel": is what is counted told in the plural?"""
    if noun[0] == "of":
        return len(noun) > 1
    head = noun[: noun.index("of")] if "of" in noun else noun
    cut = next((at for at, word in enumerate(head) if word in ENDS), len(head))
    return bool(head[:cut]) and head[:cut][-1].endswith(("s", "people", "children", "men", "women"))
