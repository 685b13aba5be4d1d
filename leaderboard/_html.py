"""HTML fragments; all inserted text is escaped here."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.escaping import html as escape


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    kind: str = "",
    marked: Sequence[int] = (),
) -> str:
    """Return a table whose first column names the rows; `marked` rows summarise those below them."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = []
    for at, (name, *values) in enumerate(rows):
        cells = "".join(
            f'<td data-label="{escape(label)}">{escape(value)}</td>'
            for label, value in zip(head[1:], values, strict=True)
        )
        attribute = ' class="capability"' if at in marked else ""
        lines.append(f'<tr{attribute}><th scope="row">{escape(name)}</th>{cells}</tr>')
    heading = f"<caption>{escape(caption)}</caption>" if caption else ""
    attribute = f' class="{kind}"' if kind else ""
    return f"<table{attribute}>{heading}<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def wide(label: str, content: str, *, stacked: bool = False) -> str:
    """Wrap content that may be wider than the window, so that it scrolls on its own, with the keyboard too.

    On a phone, the rows of `stacked` tables become blocks of lines instead.
    """
    kind = "wide stacked" if stacked else "wide"
    return f'<div class="{kind}" tabindex="0" role="region" aria-label="{escape(label)}">{content}</div>'


def folded(summary: str, content: str) -> str:
    """Wrap content that is shown on request."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"
