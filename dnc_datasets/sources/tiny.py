"""The embedded corpus as a source: it needs no files, because its problems are generated."""

from __future__ import annotations

from dnc_datasets.sources import Files, Source, Splits


def _read(files: Files, fold: str) -> Splits:
    from dnc_datasets.corpus import (
        problems,
    )  # parsing the templates takes a while; most commands never need it

    return problems()


SOURCE = Source(
    name="tiny",
    title="Embedded corpus of one- and two-step word problems generated from templates",
    shape="word_problem",
    read=_read,
    files=(),
    licence="Apache-2.0",
    citation="Generated from the templates that come with dnc-bench; cite the package (CITATION.cff).",
)
