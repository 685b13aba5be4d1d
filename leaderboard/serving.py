"""The leaderboard with checked submissions: over a folder of records, or as a Space over a repository."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dnc_datasets import escaping
from dnc_datasets.errors import DncError
from dnc_harness import data, submission
from dnc_leaderboard import checking
from dnc_leaderboard.admission import Rate
from dnc_leaderboard.app import Board, app, launch

# Submissions per hour.
SUBMISSIONS_PER_CLIENT, SUBMISSIONS_IN_ALL = 20, 200


def local(folder: Path, built: Path | None = None) -> Any:
    """Return the app over a folder; accepted submissions are stored in it."""
    board = Board(folder)
    for reason in board.bad:
        print(f"dnc: not shown: {reason}", file=sys.stderr)

    def keep(inner: Path, name: str) -> None:
        target = folder / name
        if target.exists():
            raise submission.SubmissionError("this result exists already")
        inner.rename(target)

    return app(board, _submit(board, folder, built, keep))


class space:
    """The Space over a dataset repository of records: `space("OWNER/records").launch()`."""

    def __init__(self, repository: str) -> None:
        from huggingface_hub import snapshot_download

        folder = Path(snapshot_download(repository, repo_type="dataset", local_dir=tempfile.mkdtemp()))
        board = Board(folder)

        def keep(inner: Path, name: str) -> None:
            from dnc_leaderboard.hub import trees
            from dnc_leaderboard.hub.trees import Repository

            if not os.environ.get("HF_TOKEN"):
                raise submission.SubmissionError("this Space has no token to store a result")
            if (folder / name).exists():
                raise submission.SubmissionError("this result exists already")
            # The pushed folder holds one folder: the record's.
            inner.rename(inner.parent / name)
            trees.push(Repository(repository, "dataset", inner.parent), pull_request=True)

        self.app = app(board, _submit(board, folder, None, keep))

    def launch(self, **options: Any) -> Any:
        """Serve the Space."""
        return launch(self.app, **options)


def _submit(shown: Board, folder: Path, built: Path | None, keep: Any) -> Any:
    rate = Rate(SUBMISSIONS_PER_CLIENT, SUBMISSIONS_IN_ALL, 3600.0)
    one_at_a_time = threading.Lock()

    def submit(
        files: Sequence[Path], name: str, openness: str, billions: float | None, client: str = ""
    ) -> str:
        try:
            if not rate.allows(client):
                raise submission.SubmissionError("too many submissions; try again in an hour")
            with tempfile.TemporaryDirectory(dir=folder, prefix=".") as scratch:
                inner = Path(scratch) / "new"
                where = data.folder(built)
                with one_at_a_time:
                    found = checking.check(
                        files, where, inner, name=name, openness=openness, billions=billions
                    )
                keep(inner, found["place"])
        except DncError as error:
            return f"Refused: {escaping.line(str(error))}"
        shown.read()
        return f"Accepted: {found['name']}, {found['configs']} configs. Reload the page to see it."

    return submit
