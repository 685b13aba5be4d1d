"""The builder behind `load_dataset("dnc", config)` without a folder: rows made on the fly, as Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow

from dnc_datasets.errors import DncError
from dnc_datasets.failed_rows import tell_failed
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.serving.settings import failures
from dnc_datasets.version import __version__

# Not "dnc": what we cache must never be taken for the folder `dnc` when that is gone and we are not imported.
_CACHE_NAME = "dnc_datasets"


@dataclass
class DncConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """A config of the catalogue; `data_dir` is the user's own copy of the source's files."""

    seed: int = 0


class Dnc(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Serves the Arrow tables that `make_builder` hands it."""

    BUILDER_CONFIG_CLASS = DncConfig

    def __init__(self, *, tables: dict[str, pyarrow.Table], **options: Any) -> None:
        self.tables = tables
        super().__init__(**options)

    def _info(self) -> datasets.DatasetInfo:
        source = catalogue.find(self.config.name).source
        return datasets.DatasetInfo(
            features=datasets.Features.from_arrow_schema(rows.schema()),
            license=source.licence,
            citation=source.citation,
            homepage=source.homepage,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [datasets.SplitGenerator(name=split, gen_kwargs={"split": split}) for split in self.tables]

    def _generate_tables(self, split: str) -> Iterator[tuple[int, pyarrow.Table]]:
        yield 0, self.tables[split]


def make_builder(
    config: str,
    data_dir: str | None = None,
    cache_dir: str | None = None,
    features: datasets.Features | None = None,
    *,
    seed: int = 0,
    **unknown: Any,
) -> Dnc:
    """The builder of a config. Its place in the cache carries our version and the checksum of the rows.

    The rows are therefore made on every load, also when the cache has them: what is served is what the
    code gives now, never what an earlier version or another source file gave.
    """
    if unknown:
        raise DncError(f'load_dataset("dnc", ...) takes seed, not {", ".join(unknown)}')
    variant = catalogue.find(config)
    given = Path(data_dir) if data_dir else None
    made = variant.rows(catalogue.read(variant.dataset, variant.fold, given), seed=seed)
    tell_failed(failures(made, variant.name))
    tables = {
        split: rows.to_table([rows.to_record(row, variant) for row in some]) for split, some in made.items()
    }
    return Dnc(
        tables=tables,
        dataset_name=_CACHE_NAME,
        config_name=variant.name,
        version=__version__,
        hash=content.digest(tables),
        cache_dir=cache_dir,
        features=features,
        seed=seed,
    )
