"""What a licence lets us hand on: open ones always, non-commercial ones when they are named, others never."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from dnc_datasets.serving import catalogue
from dnc_datasets.serving.checksums import PROVENANCES, Record
from dnc_datasets.sources import Source

_OPEN = frozenset(("apache-2.0", "mit", "cc by 4.0", "cc by-sa 4.0", "cc0-1.0"))


class Choice(NamedTuple):
    """The configs that may go up, and those that stay, each dataset with the reason."""

    kept: list[str]
    left_out: dict[str, str]


def is_open(source: Source) -> bool:
    """May anybody hand the data on for any purpose?"""
    return source.licence.lower() in _OPEN


def is_non_commercial(source: Source) -> bool:
    """May the data be handed on, but not used commercially (all of it, or a part)?"""
    return "by-nc" in source.licence.lower()


def choose(configs: Mapping[str, Record], named: Collection[str]) -> Choice:
    """What of a built folder may go up; `named` are the datasets whose non-commercial terms were accepted."""
    kept, left_out = [], {}
    for name, record in configs.items():
        source = catalogue.find(name).source
        if is_open(source) or (is_non_commercial(source) and source.name in named):
            if record.provenance == PROVENANCES[0]:
                kept.append(name)
            else:
                left_out[source.name] = (
                    "it was made from your own copies of the files, and what they hold is not known"
                )
        elif is_non_commercial(source):
            left_out[source.name] = f"its licence is {source.licence}; --with {source.name} takes it along"
        else:
            left_out[source.name] = f"its licence is {source.licence!r}, which does not let us hand it on"
    return Choice(kept, left_out)
