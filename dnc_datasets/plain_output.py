"""Standard output without terminal control sequences from data. Only `console` adds styles."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import TextIOBase
from typing import TYPE_CHECKING, Any, TextIO, cast

from dnc_datasets import escaping
from dnc_datasets.plugins import PLUGIN

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment

# Characters; enough that no name in a table is cut.
_WIDTH_OF_FILES = 140


@contextmanager
def plain() -> Iterator[None]:
    """Escape control characters in all output to standard output while the block runs.

    JSON keeps its value, because the characters are written as JSON escapes.
    """
    if sys.stdout is None:
        yield
        return
    with redirect_stdout(cast(TextIO, _Plain(sys.stdout))):
        yield


def console() -> Console:
    """Return a rich console on standard output for people. It takes text literally, without markup.

    Style text with `rich.text.Text` or the `style` of a row. Where output goes to a file or a pipe it is wide.
    """
    from rich.console import Console

    class PlainConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                text = segment.text if segment.control else escaping.without_controls(segment.text)
                yield segment._replace(text=text)

    stream = sys.stdout
    return PlainConsole(
        file=stream.styled if isinstance(stream, _Plain) else None,
        highlight=False,
        markup=False,
        emoji=False,
        width=None if stream.isatty() else _WIDTH_OF_FILES,
    )


class _Plain(TextIOBase):
    """A stream whose text is escaped for a terminal. `styled` is the stream given."""

    def __init__(self, stream: TextIO) -> None:
        self.styled = stream

    def write(self, text: str) -> int:
        self.styled.write(escaping.terminal(text))
        return len(text)

    def flush(self) -> None:
        self.styled.flush()

    def isatty(self) -> bool:
        return self.styled.isatty()

    def fileno(self) -> int:
        return self.styled.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.styled.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self.styled.errors

    @property
    def buffer(self) -> Any:
        return self.styled.buffer

    def close(self) -> None:
        """Leave the stream open. Its owner closes it."""


_SHOWN_FAILURES = 20


def tell_failed(failed: Sequence[tuple[str, str]], strict: bool = False, total: int = 0) -> int:
    """Print the rows that failed, each with its reason, to standard error, and return the exit code.

    `total` is the number of failed rows where `failed` does not hold all.
    """
    total = max(total, len(failed))
    for where, reason in failed[:_SHOWN_FAILURES]:
        print(escaping.terminal(f"dnc: {where}: {reason}"), file=sys.stderr)
    if failed:
        more = f" (the first {_SHOWN_FAILURES} above)" if total > _SHOWN_FAILURES else ""
        rows = "1 row failed and remains" if total == 1 else f"{total} rows failed{more} and remain"
        is_plugin = all(reason.startswith(PLUGIN) for _, reason in failed)
        advice = "fix the plug-in" if is_plugin else "please report them with the dataset and the seed"
        print(
            f"dnc: warning: {rows} unchanged; {advice}"
            + ("" if strict else "; --strict makes this an error"),
            file=sys.stderr,
        )
    return 1 if failed and strict else 0
