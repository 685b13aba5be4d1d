"""The charts of a report as SVG, each with an alternative text; PNG pictures are drawn from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec

from dnc_datasets import extras
from dnc_datasets.errors import DncError
from dnc_datasets.escaping import xml as escape
from dnc_leaderboard.figures import interval, percent, points, words
from dnc_leaderboard.ranking import Ranked
from dnc_leaderboard.recovery import Recovery
from dnc_metrics import verdict_words, verdicts
from dnc_metrics.record import CauseLine, Line, Strength

_FONT = "'Source Sans Pro','Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_ROW, _LEFT, _WIDTH = 24, 250, 800
# One colour per verdict, visible on light and dark paper; the mark beside it has the same meaning.
COLOURS = {
    verdicts.DROP: "#c8503a",
    verdicts.SMALL_DROP: "#b5772a",
    verdicts.GAIN: "#3d7fbd",
    verdicts.NO_DROP: "#3a8c60",
    verdicts.POINTS_TO_DROP: "#b0756a",
    verdicts.POINTS_TO_GAIN: "#6f8aa6",
    verdicts.OPEN: "#84848a",
}
# The ink is that of the page around the chart, and black in a separate file.
_INK, _PAPER = "currentColor", "#ffffff"
_FAINT = 0.2
_LONGEST_NAME = 32  # maximum number of letters of a system's name beside its accuracy
_SERIES = ("#3d7fbd", "#c8503a", "#3a8c60", "#9a6ab8", "#a87b1f", "#4f8a8b")


def colour(line: Line) -> str:
    """Return the colour of a line's verdict; a probe with a finding has that of a drop."""
    finding = verdict_words.mark(line.verdict) == verdict_words.PROBE_FINDING
    return COLOURS.get(verdicts.DROP if finding else line.verdict, COLOURS[verdicts.OPEN])


def drops(title: str, lines: Sequence[Line]) -> str:
    """Draw every drop of a table with its interval and the mark of its verdict."""
    return forest(title, [(words(line.name), line) for line in lines], width=_WIDTH, left=_LEFT)


def span(lines: Iterable[Line]) -> tuple[float, float]:
    """Return the range of an axis for these drops, their intervals and zero."""
    ends = [end for line in lines for end in (*(line.interval or ()), line.drop or 0.0)]
    return float(min([0.0, *ends])), float(max([0.05, *ends]))


def forest(
    title: str,
    labelled: Sequence[tuple[str, Line]],
    *,
    ends: tuple[float, float] | None = None,
    width: int = 480,
    left: int = 168,
) -> str:
    """Draw a forest plot: drops with their intervals, a mark for each verdict, and a line at zero."""
    known = [(name, line) for name, line in labelled if line.drop is not None and line.interval is not None]
    low, high = ends or span(line for _, line in known)
    height = _ROW * len(known) + 78

    def x(share: float) -> float:
        return left + (share - low) / (high - low) * (width - left - 80)

    parts = [_text(8, 20, title, bold=True)]
    for tick in _ticks(low, high):
        parts.append(_rule(x(tick), 30, height - 40, strong=not tick))
        parts.append(_text(x(tick), height - 26, f"{100 * tick:.0f}", anchor="middle", small=True))
    descriptions = []
    for at, (name, line) in enumerate(known):
        y = 44 + _ROW * at
        (start, end), drop = line.interval or (0.0, 0.0), line.drop or 0.0
        ink = colour(line)
        parts.append(
            _text(left - 10, y + 4, _truncate(name, left // 7), anchor="end", bold=line.is_capability)
        )
        parts.append(_line(x(start), y, x(end), y, ink, 3))
        parts.append(f'<circle cx="{x(drop):.1f}" cy="{y}" r="5" fill="{ink}"/>')
        mark = verdict_words.mark(line.verdict)
        parts.append(_text(width - 62, y + 4, mark, ink=ink))
        parts.append(_text(width - 8, y + 4, points(drop), anchor="end"))
        descriptions.append(f"{name}: {points(drop)} {interval(line.interval)}, {line.verdict}")
    parts.append(_text(8, height - 6, "points of accuracy lost, with 95 % intervals", small=True))
    return _svg(width, height, f"{title}. Drops in points: {'; '.join(descriptions)}.", parts)


def standings(title: str, rows: Sequence[Ranked]) -> str:
    """Draw the original (ring) and robust (dot) accuracy of each system, the most robust first."""
    known = [row for row in rows if row.accuracy is not None and row.robust is not None]
    longest = min(_LONGEST_NAME, max((len(row.system) for row in known), default=0))
    left = max(90, 8 * longest + 20)
    width = left + 330
    height = _ROW * len(known) + 78

    def x(share: float) -> float:
        return left + share * (width - left - 130)

    parts = [_text(8, 20, title, bold=True)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_rule(x(share), 30, height - 40))
        parts.append(_text(x(share), height - 26, f"{100 * share:.0f}", anchor="middle", small=True))
    descriptions = []
    for at, row in enumerate(known):
        y = 44 + _ROW * at
        before, after = row.accuracy or 0.0, row.robust or 0.0
        lines = [line for line in row.lines.values() if words(line.name) == row.robust_where]
        ink = colour(lines[0]) if lines else COLOURS[verdicts.OPEN]
        parts.append(_text(left - 10, y + 4, _truncate(row.system, _LONGEST_NAME), anchor="end"))
        parts.append(_line(x(before), y, x(after), y, ink, 3))
        parts.append(
            f'<circle cx="{x(before):.1f}" cy="{y}" r="5" fill="none" stroke="{_INK}" stroke-width="2"/>'
        )
        parts.append(f'<circle cx="{x(after):.1f}" cy="{y}" r="5" fill="{ink}"/>')
        parts.append(
            _text(width - 8, y + 4, f"{percent(row.accuracy)} → {percent(row.robust)}", anchor="end")
        )
        descriptions.append(
            f"{row.system}: {percent(row.accuracy)} to {percent(row.robust)} ({row.robust_where})"
        )
    legend = "accuracy in %: ring original problems, dot weakest capability after changes"
    parts.append(_text(8, height - 6, legend, small=True))
    return _svg(width, height, f"{title}. {'; '.join(descriptions)}.", parts)


def causes(title: str, lines: Sequence[CauseLine]) -> str:
    """Draw the share of each cause, and the share expected by chance as a tick."""
    height = _ROW * len(lines) + 78
    top = max([0.05, *(line.interval[1] for line in lines)])

    def x(share: float) -> float:
        return _LEFT + share / top * (_WIDTH - _LEFT - 60)

    parts = [_text(8, 20, title, bold=True)]
    for tick in _ticks(0.0, top):
        parts.append(_rule(x(tick), 30, height - 40))
        parts.append(_text(x(tick), height - 26, f"{100 * tick:.0f}", anchor="middle", small=True))
    descriptions = []
    for at, line in enumerate(lines):
        y = 44 + _ROW * at
        colour = COLOURS[verdicts.DROP] if line.above_chance else COLOURS[verdicts.OPEN]
        parts.append(_text(_LEFT - 10, y + 5, line.cause, anchor="end"))
        parts.append(
            f'<rect x="{_LEFT}" y="{y - 8}" width="{max(1.0, x(line.share) - _LEFT):.1f}" height="16" fill="{colour}"/>'
        )
        parts.append(_line(x(line.interval[0]), y, x(line.interval[1]), y, _INK, 1))
        if line.null is not None:
            parts.append(_line(x(line.null), y - 11, x(line.null), y + 11, _INK, 2))
        parts.append(_text(x(line.interval[1]) + 6, y + 5, f"{100 * line.share:.1f}"))
        chance = "" if line.null is None else f", by chance {100 * line.null:.1f}"
        descriptions.append(f"{line.cause}: {100 * line.share:.1f}{chance}")
    parts.append(
        _text(_LEFT, height - 6, "% of wrong answers; the upright tick is what chance would give", small=True)
    )
    return _svg(_WIDTH, height, f"{title}. Shares in per cent: {'; '.join(descriptions)}.", parts)


def heat(
    title: str, systems: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Line]
) -> str:
    """Draw systems by perturbations: the drop in points, darker for a larger loss."""
    side, rows = 58, 30
    width, height = 200 + side * len(columns) + 10, 150 + rows * len(systems)
    parts = [_text(8, 20, title, bold=True)]
    for at, column in enumerate(columns):
        left = 200 + side * at + side / 2
        parts.append(
            f'<text x="{left}" y="132" transform="rotate(-40 {left} 132)" fill="{_INK}">{escape(words(column))}</text>'
        )
    descriptions = []
    for row, system in enumerate(systems):
        y = 140 + rows * row
        parts.append(_text(192, y + 19, _truncate(system, 28), anchor="end"))
        for at, column in enumerate(columns):
            line = cells.get((system, column))
            left = 200 + side * at
            drop = line.drop if line else None
            parts.append(
                f'<rect x="{left}" y="{y}" width="{side - 2}" height="{rows - 2}" fill="{shade(drop)}"/>'
            )
            if line is None or drop is None:
                continue
            ink = _PAPER if is_dark(drop) else "#000000"
            mark = verdict_words.mark(line.verdict)
            parts.append(
                _text(left + side / 2 - 1, y + 19, f"{mark} {points(drop)}", anchor="middle", ink=ink)
            )
            descriptions.append(f"{system} {words(column)} {points(drop)} {line.verdict}")
    return _svg(width, height, f"{title}. {'; '.join(descriptions[:60])}", parts)


def curves(title: str, series: Mapping[str, Sequence[Strength]]) -> str:
    """Draw accuracy against strength with a band: one curve per system, from the mildest to the strongest."""
    left, top, bottom = 60, 40, 250
    right = _WIDTH - (160 if len(series) > 1 else 60)
    names = list(dict.fromkeys(one.name for strengths in series.values() for one in strengths))
    step = (right - left) / max(1, len(names) - 1)

    def x(level: str) -> float:
        return left + names.index(level) * step

    def y(share: float) -> float:
        return bottom - share * (bottom - top)

    parts = [_text(8, 20, title, bold=True)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_line(left, y(share), right, y(share), _INK, 1, opacity=_FAINT))
        parts.append(_text(left - 8, y(share) + 4, f"{100 * share:.0f}", anchor="end", small=True))
    parts += [
        f'<text x="{x(name):.1f}" y="{bottom + 18}" text-anchor="{"start" if at < len(names) - 1 else "end"}" '
        f'transform="rotate(12 {x(name):.1f} {bottom + 18})" fill="{_INK}" font-size="12">{escape(words(name))}</text>'
        for at, name in enumerate(names)
    ]
    descriptions = []
    for at, (system, strengths) in enumerate(series.items()):
        colour = _SERIES[at % len(_SERIES)]
        band = [(x(one.name), y(one.band[1])) for one in strengths]
        band += [(x(one.name), y(one.band[0])) for one in reversed(strengths)]
        parts.append(f'<polygon points="{_svg_points(band)}" fill="{colour}" opacity="0.15"/>')
        curve = _svg_points([(x(one.name), y(one.accuracy)) for one in strengths])
        parts.append(f'<polyline points="{curve}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(one.name):.1f}" cy="{y(one.accuracy):.1f}" r="4" fill="{colour}"/>'
            for one in strengths
        ]
        if len(series) > 1:
            parts.append(_text(right + 12, 50 + 20 * at, _truncate(system, 20), ink=colour))
        shown = (f"{words(one.name)} {100 * one.accuracy:.1f} {interval(one.band)}" for one in strengths)
        descriptions.append(f"{system}: {', '.join(shown)}")
    height = max(320, 60 + 20 * len(series))
    return _svg(_WIDTH, height, f"{title}. Accuracy in per cent: {'; '.join(descriptions)}.", parts)


def recovery(title: str, lines: Sequence[Recovery]) -> str:
    """Draw the accuracy on the same rows: unchanged, attacked, and attacked with the defended model."""
    height = _ROW * len(lines) + 78

    def x(share: float) -> float:
        return _LEFT + share * (_WIDTH - _LEFT - 90)

    parts = [_text(8, 20, title, bold=True)]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_rule(x(share), 30, height - 44))
        parts.append(_text(x(share), height - 28, f"{100 * share:.0f}", anchor="middle", small=True))
    descriptions = []
    for at, one in enumerate(lines):
        y = 44 + _ROW * at
        grew = one.defended >= one.attacked
        colour = COLOURS[verdicts.GAIN] if grew else COLOURS[verdicts.DROP]
        parts.append(_text(_LEFT - 10, y + 4, words(one.perturbation), anchor="end"))
        parts.append(_line(x(one.attacked), y, x(one.defended), y, colour, 3))
        parts.append(f'<circle cx="{x(one.attacked):.1f}" cy="{y}" r="5" fill="{COLOURS[verdicts.DROP]}"/>')
        parts.append(
            f'<rect x="{x(one.defended) - 5:.1f}" y="{y - 5}" width="10" height="10" fill="{colour}"/>'
        )
        if one.clean is not None:
            parts.append(
                f'<circle cx="{x(one.clean):.1f}" cy="{y}" r="5" fill="none" stroke="{_INK}" stroke-width="2"/>'
            )
        parts.append(_text(_WIDTH - 76, y + 4, f"{'+' if one.gain > 0 else ''}{points(one.gain)}"))
        descriptions.append(
            f"{words(one.perturbation)}: attacked {100 * one.attacked:.1f}, defended {100 * one.defended:.1f}, "
            f"{one.verdict}"
        )
    parts.append(
        _text(_LEFT, height - 6, "accuracy in %: ring clean, dot attacked, square defended", small=True)
    )
    return _svg(_WIDTH, height, f"{title}. Accuracy in per cent: {'; '.join(descriptions)}.", parts)


def _ticks(low: float, high: float) -> list[float]:
    """Return at most eight round shares between the ends, including zero."""
    step = next((step for step in (1, 2, 5, 10, 20, 25) if 100 * (high - low) / step <= 7), 50)
    return [at * step / 100 for at in range(-100 // step, 100 // step + 1) if low <= at * step / 100 <= high]


def can_draw() -> bool:
    """Return whether the packages that `png` needs are installed."""
    return find_spec("resvg_py") is not None and find_spec("font_source_sans_pro") is not None


def png(svg: str, zoom: float = 2) -> bytes:
    """Return the chart as a PNG picture."""
    try:
        import resvg_py
        from font_source_sans_pro import font_files_ttf
    except ImportError as error:
        raise DncError(f"pictures need resvg-py and a font: {extras.command('report')}") from error
    # The same font on every machine gives the same picture; missing marks come from the system's fonts.
    chosen = [str(font_files_ttf[name]) for name in ("SourceSansPro", "SourceSansProSemibold")]
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, background=_PAPER, zoom=zoom, font_files=chosen, font_family="Source Sans Pro"
    )
    return bytes(drawn)


def shade(drop: float | None) -> str:
    """Return the colour of a drop: red for a loss, blue for a gain, grey if it is unknown."""
    if drop is None:
        return "#eeeeee"
    strength = min(1.0, abs(drop) / 0.6)
    target = (179, 64, 46) if drop > 0 else (46, 109, 164)
    mixed = [round(247 + (one - 247) * strength) for one in target]
    return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}"


def is_dark(drop: float | None) -> bool:
    """Return whether white has more contrast than black with a drop's colour (WCAG's relative luminance)."""
    parts = (int(shade(drop)[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179


def _svg(width: float, height: float, description: str, parts: Sequence[str]) -> str:
    label = escape(description)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{label}" font-family="{_FONT}" font-size="14">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    bold: bool = False,
    small: bool = False,
    ink: str = _INK,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    size = ' font-size="12"' if small else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{ink}"{weight}{size}>{escape(text)}</text>'


def _line(
    x: float, y: float, to_x: float, to_y: float, colour: str, width: float, opacity: float = 1.0
) -> str:
    faint = "" if opacity == 1 else f' opacity="{opacity}"'
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{faint}/>'
    )


def _rule(x: float, top: float, bottom: float, strong: bool = False) -> str:
    """Return a vertical line of the grid."""
    return _line(x, top, x, bottom, _INK, 1, opacity=0.7 if strong else _FAINT)


def _svg_points(points_: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points_)


def _truncate(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
