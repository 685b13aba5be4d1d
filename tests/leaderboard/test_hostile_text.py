"""A record full of hostile text: nothing of it runs, moves a cursor, reorders a line or becomes a formula."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import cli, escaping
from dnc_leaderboard import charts, report
from dnc_metrics import record
from dnc_metrics.record import Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]
HOSTILE = (
    "=1+1 <script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> \x1b[2J\x1b]0;owned\x07"
    "\x9b31m \x00\x7f \u202egnp.exe\u202c [red]markup[/] [x](javascript:alert(1)) | `code` ](y)"
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.fixture
def hostile(systems: Systems) -> tuple[Record, list[Outcome]]:
    """A record whose every free text is hostile."""
    found, rows = systems[0]
    tables = tuple(
        replace(table, setting=HOSTILE, lines=tuple(replace(line, reason=HOSTILE) for line in table.lines))
        for table in found.tables
    )
    causes = tuple(
        replace(one, name=HOSTILE, lines=tuple(replace(line, cause=HOSTILE) for line in one.lines))
        for one in found.causes
    )
    named = replace(found, system=replace(found.system, name=HOSTILE), tables=tables, causes=causes)
    return named, [replace(one, reply=HOSTILE, answer=HOSTILE, sentence=HOSTILE) for one in rows]


def test_the_report_holds_it_as_text(hostile: tuple[Record, list[Outcome]], tmp_path: Path) -> None:
    report.write([hostile], tmp_path / "out", pictures=False)
    page = (tmp_path / "out" / report.PAGE).read_text(encoding="utf-8")
    text = (tmp_path / "out" / report.MARKDOWN).read_text(encoding="utf-8")
    for written in (page, text):
        assert not CONTROLS.search(written)
    assert "<img" not in page
    assert "<script>document" not in page
    assert re.findall(r"(?<!\\)<(?! )", text) == []
    assert "](javascript" not in text
    for _, svg in report.figures([hostile]):
        ElementTree.fromstring(svg)
        assert not CONTROLS.search(svg)


def test_a_figure_is_drawn_of_it(hostile: tuple[Record, list[Outcome]]) -> None:
    pytest.importorskip("resvg_py")
    _, svg = next(iter(report.figures([hostile])))
    assert charts.png(svg).startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["compare", "explain"])
def test_commands_print_it_as_text(
    hostile: tuple[Record, list[Outcome]],
    systems: Systems,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    record.write(*hostile, tmp_path / "hostile")
    record.write(*systems[1], tmp_path / "steady")
    folders = [str(tmp_path / "hostile"), str(tmp_path / "steady")]
    for more in ([], ["--json"]):
        assert cli.main([command, *(folders if command == "compare" else folders[:1]), *more]) == 0
        printed = capsys.readouterr()
        assert not CONTROLS.search(printed.out + printed.err)
        assert "markup" in printed.out


def test_an_error_prints_it_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", HOSTILE.replace("\x00", "")]) == 1
    assert not CONTROLS.search(capsys.readouterr().err)


def test_the_page_runs_nothing_in_a_browser(
    hostile: tuple[Record, list[Outcome]], tmp_path: Path, browser: Any
) -> None:
    page = report.write([hostile], tmp_path / "out", pictures=False)
    browser.get(page.as_uri())
    assert browser.title != "run"
    assert (
        browser.execute_script("return document.querySelectorAll('[onerror], a[href^=javascript]').length")
        == 0
    )


@given(st.text(st.characters() | st.sampled_from("<>&\"'|`*=+-@\x1b\x9b\u202e\ud83d")))
def test_every_medium_shows_any_text_safely(text: str) -> None:
    for escape in (escaping.terminal, escaping.html, escaping.xml, escaping.markdown, escaping.code):
        shown = escape(text)
        assert not CONTROLS.search(shown.replace("\r\n", ""))
        shown.encode()
    ElementTree.fromstring(f'<a b="{escaping.xml(text)}">{escaping.xml(text)}</a>')
    assert not re.search(r"(?<!\\)(?:\\\\)*[|]", escaping.markdown(text))


@given(st.text())
def test_a_cell_of_csv_is_never_a_formula(text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([escaping.csv(text)])
    cell = out.getvalue().lstrip('"')
    assert not cell.startswith(("=", "@", "\t"))
    if cell[:1] in ("+", "-"):
        float(escaping.csv(text).rstrip("%").replace(",", "").replace(".", ""))
