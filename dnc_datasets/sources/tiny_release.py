"""Fresh releases of the embedded corpus: every template with words and numbers drawn from a secret seed.

A publisher draws the seed and publishes its commitment, a hash, before any row exists. The release reveals
the seed, so that any reader can check the commitment and make the same rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from dnc_datasets import untrusted
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Files, PinnedFile, Source, Splits

FILE_NAME = "release.seed"  # JSON, under an ending that no loader of datasets reads
_FORM = "dnc-release/1"
_DRAWS = 50
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_SEED = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Release:
    """A month and the seed of its rows: 64 hexadecimal digits, secret until the rows are published."""

    month: str
    seed: str

    def __post_init__(self) -> None:
        if not _MONTH.fullmatch(self.month):
            raise SourceError(f"the month {self.month!r:.40} is not of the form 2026-12")
        if not _SEED.fullmatch(self.seed):
            raise SourceError(
                "the seed of a release has 64 hexadecimal digits; `dnc release --commit` draws one"
            )

    @property
    def commitment(self) -> str:
        """The hash to publish before the rows exist. It does not reveal the seed.

        >>> Release("2026-12", "0" * 64).commitment[:12]
        '39b20af3756c'
        """
        return sha256(f"{_FORM}\n{self.month}\n{self.seed}".encode()).hexdigest()

    def problems(self) -> list[Problem]:
        """Return one new problem of every template. Its id consists of the template's id and the month."""
        from dnc_datasets import corpus

        known = {problem.text for problems in corpus.problems().values() for problem in problems}
        known |= {problem.text for problem in corpus.one_row_per_template()}
        seed, row = int(self.seed, 16), int(self.month.replace("-", ""))
        found = []
        for template in corpus.templates():
            drawn = (corpus.fresh(template, seed + more, row) for more in range(_DRAWS))
            # A template with few words and numbers may have no new text.
            found += list(islice((one for one in drawn if one.text not in known), 1))
        return found

    def text(self) -> str:
        """The content of `release.seed`."""
        return json.dumps({"form": _FORM, **asdict(self), "commitment": self.commitment}, indent=2) + "\n"


def read_release(path: Path) -> Release:
    """Read the release of a file. It is an error if its commitment is not that of its seed."""
    record = untrusted.read_json(path, error=SourceError, remedy="get it from the publisher of the release")
    if not isinstance(record, Mapping) or record.get("form") != _FORM:
        raise SourceError(f"{path} does not describe a release; `dnc release` writes such files")
    release = Release(str(record.get("month")), str(record.get("seed")))
    if record.get("commitment") != release.commitment:
        raise SourceError(f"{path}: the commitment is not that of its seed; get the file from its publisher")
    return release


def _read(files: Files, fold: str) -> Splits:
    return {"test": read_release(files[FILE_NAME]).problems()}


SOURCE = Source(
    name="tiny_release",
    title="Fresh rows of the embedded corpus, drawn from a seed that was committed to before they existed",
    shape="word_problem",
    read=_read,
    files=(PinnedFile("", "", FILE_NAME),),
    licence="Apache-2.0",
    citation="Generated from the templates that come with dnc-bench; cite the package (CITATION.cff).",
    manual=f"Get the {FILE_NAME} of a release from its publisher, or make a release with `dnc release`",
    test_only=True,
)
