"""The builder of `load_dataset("dnc", config)` without a folder: it makes rows as they are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import datasets
import pyarrow
from datasets.utils import tqdm
from huggingface_hub import constants

from dnc_datasets import files
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.plain_output import tell_failed
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.serving.settings import failures
from dnc_datasets.sources import PinnedFile, Source
from dnc_datasets.version import __version__

# Not "dnc": the cache must not be mistaken for the folder `dnc` when the folder and our import are missing.
_CACHE_NAME = "dnc_datasets"
# Rows of the first piece of a split, so that a stream shows its first row at once, and of the pieces after it.
_FIRST_PIECE, _PIECE = 50, 1000


@dataclass
class DncConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """A config of the catalogue. `data_dir` is the user's own copy of the source's files."""

    seed: int = 0


class Dnc(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Serves the rows of a config.

    A stream makes them one piece at a time, a download all of them before it writes.
    """

    BUILDER_CONFIG_CLASS = DncConfig

    def __init__(self, *, splits: Mapping[str, Sequence[Problem]], **options: Any) -> None:
        self._splits = splits
        self._tables: dict[str, pyarrow.Table] = {}  # of the splits that were read to their end
        super().__init__(**options)
        self._place = self.cache_dir

    def download_and_prepare(self, output_dir: str | None = None, *arguments: Any, **options: Any) -> None:
        """Write the rows to the cache, to a folder whose name contains their checksum.

        The rows are therefore made on every load, even if the cache has them. They are always those of the
        installed code, never those of an earlier version or of another source file.
        """
        if output_dir is None:
            for split in self._splits:
                for _ in self._generate_tables(split):
                    pass
            self.hash = content.digest(self._tables)  # part of the fingerprints of results from the rows
            output_dir = posixpath.join(self._place, self.hash)
        super().download_and_prepare(output_dir, *arguments, **options)

    def _info(self) -> datasets.DatasetInfo:
        source = catalogue.find(self.config.name).source
        return datasets.DatasetInfo(
            features=datasets.Features.from_arrow_schema(rows.schema()),
            license=source.licence,
            citation=source.citation,
            homepage=source.homepage,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [datasets.SplitGenerator(name=split, gen_kwargs={"split": split}) for split in self._splits]

    def _generate_tables(self, split: str) -> Iterator[tuple[int, pyarrow.Table]]:
        if split in self._tables:
            yield 0, self._tables[split]
            return
        pieces: list[pyarrow.Table] = []
        for piece in self._pieces(split):
            yield len(pieces), piece
            pieces.append(piece)
        self._tables[split] = pyarrow.concat_tables(pieces).combine_chunks()

    def _pieces(self, split: str) -> Iterator[pyarrow.Table]:
        """Yield the rows of a split in tables. A split without rows gives one empty table."""
        variant = catalogue.find(self.config.name)
        coming = variant.stream(split, self._splits[split], seed=self.config.seed)
        piece = list(islice(coming, _FIRST_PIECE))
        while True:
            tell_failed(failures({split: piece}, variant.name))
            yield rows.to_table([rows.to_record(row, variant) for row in piece])
            if not (piece := list(islice(coming, _PIECE))):
                return


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
    """Return the builder of a config. It reads the files of the source, and makes no row."""
    if unknown:
        raise DncError(f'load_dataset("dnc", ...) takes seed, not {", ".join(unknown)}')
    variant = catalogue.find(config)
    given = Path(data_dir) if data_dir else None
    if given is None:
        _download(variant.source, variant.fold)
    return Dnc(
        splits=catalogue.read(variant.dataset, variant.fold, given),
        dataset_name=_CACHE_NAME,
        config_name=variant.name,
        version=".".join(__version__.split(".")[:3]),  # `datasets` takes three numbers, without .dev0
        cache_dir=cache_dir,
        features=features,
        seed=seed,
    )
