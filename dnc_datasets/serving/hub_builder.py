"""The builder that serves `load_dataset("dnc", config)` without a folder: rows made on the fly, as Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow
from datasets.utils import tqdm
from huggingface_hub import constants

from dnc_datasets import files
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.plain_output import tell_failed
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.serving.settings import failures
from dnc_datasets.sources import PinnedFile, Source
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


def _download(source: Source, fold: str) -> None:
    """Download the pinned files of a source that are not on this machine, with a progress bar."""
    try:
        files.resolve(source, fold=fold)
        return
    except SourceError as error:
        if source.manual:
            raise
        if datasets.config.HF_DATASETS_OFFLINE or constants.HF_HUB_OFFLINE:
            raise SourceError(
                f"the files of {source.name} are not on this machine, and HF_DATASETS_OFFLINE or HF_HUB_OFFLINE "
                f"forbids the download. Unset it; or run `dnc fetch {source.name}` before you go offline; or give "
                "your own copy with data_dir=DIR; or set DNC_MIRROR to a folder laid out as OWNER/REPO/COMMIT/PATH"
            ) from error
    done: dict[str, int] = {}
    total = sum(file.size for file in source.files)
    with tqdm(desc=f"Downloading {source.name}", total=total, unit="B", unit_scale=True) as bar:

        def show(file: PinnedFile, bytes_done: int, bytes_total: int) -> None:
            bar.update(bytes_done - done.get(file.path, 0))
            done[file.path] = bytes_done

        files.fetch(source, progress=show)


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
    if given is None:
        _download(variant.source, variant.fold)
    made = variant.rows(catalogue.read(variant.dataset, variant.fold, given), seed=seed)
    tell_failed(failures(made, variant.name))
    tables = {
        split: rows.to_table([rows.to_record(row, variant) for row in some]) for split, some in made.items()
    }
    return Dnc(
        tables=tables,
        dataset_name=_CACHE_NAME,
        config_name=variant.name,
        version=".".join(__version__.split(".")[:3]),  # `datasets` takes three numbers, without .dev0
        hash=content.digest(tables),
        cache_dir=cache_dir,
        features=features,
        seed=seed,
    )
