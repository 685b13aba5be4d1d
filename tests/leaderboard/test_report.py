"""A report says the same in the terminal, in Markdown, in JSON and on the page, whatever the names in it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import evaluate
import pytest
from rich.console import Console

import dnc_metrics
from dnc_datasets.cli import main
from dnc_leaderboard import (
    board,
    charts,
    comparison,
    failures,
    markdown,
    page,
    ranking_table,
    report,
    terminal,
)
from dnc_leaderboard.comparison import DROP
from dnc_leaderboard.figures import figures, originals
from dnc_leaderboard.summary import sentences
from dnc_metrics import record, verdict_words
from dnc_metrics.diagnosis import diagnose
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Line, Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]


class Tables(HTMLParser):
    """The texts of the cells of every table with class `drops`, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = self.cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.inside = ("class", "drops") in attrs
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("td", "th"):
            self.cell = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.cell = self.cell and tag not in ("td", "th")
        self.inside = self.inside and tag != "table"

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.rows[-1][-1] += data


def shown_in_terminal(found: Record) -> str:
    out = io.StringIO()
    terminal.show(found, Console(file=out, width=250, color_system=None))
    return out.getvalue()


def test_terminal_markdown_page_and_json_say_the_same(systems: Systems) -> None:
    found = systems[0][0]
    on_page = {row[0]: row[1:] for row in Tables(page.page([systems[0]])).rows}
    in_markdown = markdown.text([found])
    in_terminal = shown_in_terminal(found)
    in_json = json.loads(found.text())["tables"][0]["lines"]
    assert len(in_json) == len(found.tables[0].lines) > 4
    for line, plain in zip(found.tables[0].lines, in_json, strict=True):
        name = line.name.replace("_", " ")
        texts = list(figures(line))
        assert on_page[name] == texts
        assert f" | {' | '.join(texts)} |" in in_markdown
        assert re.search(rf"{name} +" + " +".join(map(re.escape, filter(None, texts))), in_terminal)
        assert plain["n"] == int(texts[0])
        assert f"{100 * plain['drop']:.1f}" == texts[4]


def test_every_face_gives_the_same_verdicts(systems: Systems, folders: list[Path]) -> None:
    """The terminal, the page, Markdown, JSON, the leaderboard, the evaluate module and the plain function."""
    found, outcomes = systems[0]
    (table,) = found.tables
    cells = {cell.key: cell for cell in found.cells}
    rows = [(cells[one.cell], one) for one in outcomes if one.perturbed or not cells[one.cell].perturbation]
    capabilities = {cell.perturbation: cell.capability for cell in found.cells if cell.perturbation}
    clusters = {one.id: one.cluster for _, one in rows}
    module = evaluate.load(dnc_metrics.path("robustness")).compute(
        ids=[one.id for _, one in rows],
        variants=[cell.perturbation or "original" for cell, _ in rows],
        outcomes=[one.right for _, one in rows],
        clusters=clusters,
        capabilities=capabilities,
    )
    original = {one.id: one.right for cell, one in rows if not cell.perturbation}
    changed: dict[str, dict[str, bool]] = {name: {} for name in capabilities}
    for cell, one in rows:
        if cell.perturbation:
            changed[cell.perturbation][one.id] = one.right
    plain = diagnose(original, changed, capabilities, clusters=clusters)
    in_json = json.loads(found.text())["tables"][0]["lines"]
    for line, written in zip(table.lines, in_json, strict=True):
        same = (plain.capabilities if line.is_capability else plain.perturbations)[line.name]
        assert line.verdict == written["verdict"] == module[line.name]["verdict"] == same.verdict
        shown = verdict_words.words(line.verdict, table.margin)
        assert figures(line)[-1] == shown
        for text in (shown_in_terminal(found), markdown.text([found]), page.page([systems[0]])):
            assert shown in text
    entries, _ = board.load(folders[0].parent)
    (row,) = [one for one in board.rows(entries) if one.system == found.system.name[:80]]
    worst = max((line for line in table.lines if line.is_capability), key=lambda line: line.drop or 0.0)
    assert row.verdict == verdict_words.words(worst.verdict, table.margin)
    on_board = ranking_table.html([row])
    for line in (line for line in table.lines if line.is_capability):
        assert row.lines[line.name].verdict == line.verdict
        said = verdict_words.words(line.verdict, table.margin)
        cell = f'role="img" aria-label="{said[2:]}">{said[0]}</span> {100 * line.drop:.1f}'
        assert cell in on_board, "the leaderboard shows mark, words and drop of each capability"


def test_an_open_capability_says_what_the_run_could_show(systems: Systems) -> None:
    found = systems[0][0]
    lines = [line for line in found.tables[0].lines if line.is_capability and line.verdict == "open"]
    assert lines
    for line in lines:
        assert "points or more would have shown in 4 of 5 runs" in line.reason
        assert line.reason in page.page([systems[0]])
        assert figures(line)[-1] == "○ open"


def test_a_record_of_an_earlier_version_is_judged_once_more(systems: Systems, tmp_path: Path) -> None:
    found, outcomes = systems[0]
    lines = tuple(replace(line, verdict="undecided", reason="") for line in found.tables[0].lines)
    old = replace(found, tables=(replace(found.tables[0], lines=lines, method=""),))
    record.write(old, outcomes, tmp_path / "old")
    ((again, _),) = report.load([tmp_path / "old"])
    assert again.tables == found.tables
    # Without its rows it is shown as it is.
    record.write(old, [], tmp_path / "bare")
    ((bare, _),) = report.load([tmp_path / "bare"])
    assert bare.tables == old.tables
    assert " on tiny: not decided: number detection, " in sentences(bare)[0]


def test_the_summary_names_what_is_lost(systems: Systems) -> None:
    broken, steady = (sentences(found)[0] for found, _ in systems)
    assert re.search(r": loses \d+\.\d points in (.* and .* in )?operand selection", broken)
    assert "loses" not in steady
    assert "cannot see values" in steady


def test_a_system_that_sees_no_values_gets_no_verdict_on_them(systems: Systems) -> None:
    found = systems[1]
    rows = {row[0]: row for row in Tables(page.page([found])).rows}
    assert rows["noise"][-1] == "– cannot see values"
    assert "cannot see values" in shown_in_terminal(found[0])


def test_hostile_names_and_replies_are_shown_as_text(systems: Systems) -> None:
    made = page.page(systems)
    assert "<script>alert" not in made
    assert "<img src=x" not in made
    assert made.count("<script>") == 1
    assert "<script>" not in markdown.text([found for found, _ in systems])


def test_every_file_of_a_report(systems: Systems, folders: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert main(["report", *map(str, folders), "--out", str(out)]) == 0
    made = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert made[:4] == [
        ".dnc-mark",
        "failures.jsonl",
        "figures/causes-0-number_detection.png",
        "figures/causes-0-number_detection.svg",
    ]
    assert {"report.html", "report.md", "figures/heat-0.png", "figures/drops-1-0.svg"} <= set(made)
    lines = (out / "failures.jsonl").read_text().splitlines()
    assert len(lines) == sum(not one.right for _, rows in systems for one in rows)
    for svg in out.rglob("*.svg"):
        root = ElementTree.fromstring(svg.read_text())
        assert root.get("aria-label")
        assert svg.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_a_record_of_a_folder_that_cannot_be_read_is_named_and_left_out(
    systems: Systems, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("good", "bad"):
        record.write(*systems[0], tmp_path / name)
    (tmp_path / "bad" / "record.json").write_text('{"schema": "dnc-record/2", "system": [')
    ((found, _),) = report.load([tmp_path])
    assert found.system == systems[0][0].system
    assert "left out" in caplog.text
    assert str(tmp_path / "bad" / "record.json") in caplog.text
    with pytest.raises(RecordError, match="not JSON"):
        report.load([tmp_path / "bad"])


def test_a_damaged_record_is_a_message(folders: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    (folders[0] / "record.rows.jsonl").write_text("")
    assert main(["report", str(folders[0]), "--out", str(folders[0] / "out")]) == 1
    assert "checksum" in capsys.readouterr().err


def test_twenty_systems_stay_below_two_megabytes(systems: Systems) -> None:
    many = [(found, rows) for _ in range(10) for found, rows in systems]
    assert len(page.page(many).encode()) < 2_000_000


def test_missing_cells_and_empty_records() -> None:
    empty = Record(record.System("empty", "predictions"), record.Provenance("dnc score", "0.2.0"), ())
    assert "DNC report" in page.page([(empty, [])])
    assert "nothing to compare" in shown_in_terminal(empty)


def test_compare_finds_the_more_robust_system(systems: Systems) -> None:
    found = {(one.config, one.measure): one for one in comparison.compare(systems)}
    drop = found["tiny-verbosity-attack", DROP]
    assert drop.verdict == "steady is better"
    assert drop.difference > 0.4
    assert drop.interval[0] <= drop.difference <= drop.interval[1]
    assert found["tiny", "accuracy on originals"].verdict == "no difference shown"
    assert "tiny-operand_selection-attack" in {config for config, _ in found}


def test_compare_refuses_other_rows_under_the_same_name(systems: Systems) -> None:
    def of(sha256: str, at: int) -> tuple[Record, list[Outcome]]:
        found, outcomes = systems[at]
        cells = tuple(replace(cell, data={"sha256": sha256}) for cell in found.cells)
        return replace(found, cells=cells), list(outcomes)

    assert comparison.compare([of("a" * 64, 0), of("a" * 64, 1)])
    with pytest.raises(RecordError, match="different rows of tiny"):
        comparison.compare([of("a" * 64, 0), of("b" * 64, 1)])


def test_compare_says_what_it_needs(
    systems: Systems, folders: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(folders[0])]) == 1
    assert "at least two" in capsys.readouterr().err
    assert main(["compare", str(folders[0]), str(folders[0])]) == 1
    assert "same name" in capsys.readouterr().err
    assert main(["compare", *map(str, folders), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) > 5


def test_the_page_in_a_browser(systems: Systems, tmp_path: Path, browser: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    path = report.write(systems, tmp_path, pictures=False)
    browser.set_window_size(1200, 900)
    browser.get(path.as_uri())
    # Nothing of a record ran, and nothing was fetched.
    assert browser.get_log("browser") == []

    def shown() -> int:
        return len(browser.find_elements(By.CSS_SELECTOR, "#cards article"))

    def count() -> str:
        return str(browser.find_element(By.ID, "count").text)

    def press(name: str) -> None:
        browser.execute_script("arguments[0].click()", browser.find_element(By.ID, name))

    assert shown() == 20
    total = int(count().rpartition(" ")[2])
    assert count() == f"1 to 20 of {total}"
    assert total > 60
    press("next")
    assert count() == f"21 to 40 of {total}"
    # The link to a row leads to it on another page too.
    link = browser.find_elements(By.CSS_SELECTOR, "#cards article a")[3].get_attribute("href")
    press("previous")
    browser.get(link)
    browser.refresh()
    assert count() == f"21 to 40 of {total}"
    assert browser.find_element(By.CSS_SELECTOR, "article.target").is_displayed()
    browser.get(path.as_uri())
    Select(browser.find_element(By.CSS_SELECTOR, '[data-filter="config"]')).select_by_value(
        "tiny-verbosity-attack"
    )
    verbose = count()
    assert verbose.startswith("1 to 20 of 3")
    search = browser.find_element(By.CSS_SELECTOR, '[data-filter="search"]')
    search.send_keys("no such words")
    assert shown() == 0
    assert count() == "0 shown"
    search.send_keys(Keys.CONTROL, "a")
    search.send_keys(Keys.DELETE)
    assert count() == verbose
    cell = browser.find_element(By.CSS_SELECTOR, ".heat td.cell b")
    drop = cell.text
    after = browser.find_element(By.CSS_SELECTOR, 'input[value="after"]')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", after)
    after.click()
    assert (
        cell.text
        == browser.find_element(By.CSS_SELECTOR, ".heat td.cell").get_attribute("data-after")
        != drop
    )
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    browser.find_element(By.ID, "theme").click()
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != paper


def test_three_systems_are_a_short_page_that_opens_at_once(
    systems: Systems, tmp_path: Path, browser: Any
) -> None:
    (found, rows), _ = systems
    three = [(replace(found, system=replace(found.system, name=f"system {at}")), rows) for at in range(3)]
    path = report.write(three, tmp_path, pictures=False)
    assert path.stat().st_size < 2_000_000
    browser.set_window_size(1280, 900)
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.scrollHeight") < 8000
    loaded = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
    assert browser.execute_script(loaded) < 3000, "0.2 seconds where nothing else runs"
    browser.set_window_size(500, 844)
    browser.refresh()
    cut = """return [...document.querySelectorAll('.wide')].filter(
        one => one.offsetParent && one.scrollWidth > one.clientWidth + 1).length"""
    for details in browser.find_elements("css selector", ".system details"):
        browser.execute_script("arguments[0].open = true", details)
    assert browser.execute_script(cut) == 0, "no table is cut on a phone"


def test_the_page_begins_with_the_conclusion_and_the_accuracy_on_the_originals(systems: Systems) -> None:
    made = page.page(systems)
    assert re.search(
        r'<h2>Conclusion</h2><p class="lead">steady is the most robust of 2 systems on tiny', made
    )
    summary, _, rest = made.partition('id="capabilities"')
    assert "original accuracy %" in summary
    assert len(re.findall(r"It answers \d+\.\d % of the 120 original problems\.", summary)) == 2
    assert rest.count("<figcaption>") == 4, "a forest plot for each capability"


def test_memorised_answers_and_probes_are_findings_of_the_summary(systems: Systems) -> None:
    found, rows = systems[0]
    (table,) = found.tables
    probe = replace(
        table.lines[1],
        name="no_question",
        capability="probe",
        verdict="does not need the question",
        reason="it",
    )
    memorised = record.Behaviour(
        "answers_the_original", "answers the original problem instead of the changed one",
        40, 40, 0.9, (0.8, 0.95), 0.01, 0.0, 40, 40, 44, capabilities={"value_understanding": 0.9},
    )  # fmt: skip
    known = replace(found, tables=(replace(table, lines=(*table.lines, probe)),), behaviours=(memorised,))
    summary = page.page([(known, rows), systems[1]]).partition('id="capabilities"')[0]
    assert '<span class="finding">◆ knows the originals by heart</span>' in summary
    assert '<span class="finding">◆ does not need the question</span>' in summary
    assert summary.count('<li class="warn">') == 2


def test_the_page_on_a_phone_and_by_keyboard(systems: Systems, tmp_path: Path, browser: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    path = report.write(systems, tmp_path, pictures=False)
    browser.set_window_size(500, 900)
    browser.get(path.as_uri())
    widths = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"
    reached = []
    for _ in range(30):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(browser.switch_to.active_element.tag_name)
    assert {"a", "button", "input", "div", "summary"} <= set(reached)
    assert browser.execute_script("return document.querySelectorAll('svg:not([aria-label])').length") == 0


def test_the_page_is_dark_for_who_prefers_it(
    systems: Systems, tmp_path: Path, dark: Any, contrast: Callable[[str], float]
) -> None:
    dark.get(report.write(systems, tmp_path, pictures=False).as_uri())
    paper = dark.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", paper))) < 64
    for place in (
        "h1",
        "nav a",
        ".ranking td",
        ".ranking a",
        "caption",
        ".heat td.cell b",
        ".drops td",
        "article p",
        "figcaption",
    ):
        assert contrast(place) >= 4.5, place


def test_names_in_markdown_stay_names(systems: Systems) -> None:
    found = systems[0][0]
    nasty = "a|b\n# <img src=x onerror=alert(1)> `code` [x](javascript:alert(1)) **bold** </script><!--"
    lines = tuple(replace(line, name=nasty) for line in found.tables[0].lines)
    tables = (replace(found.tables[0], lines=lines),)
    shown = markdown.text([replace(found, system=replace(found.system, name=nasty), tables=tables)], False)
    outside_code = "".join(shown.split("`")[::2])
    assert "<img" not in outside_code.replace("\\<img", "")
    assert "\n# <" not in shown


@pytest.mark.parametrize("width", [80, 100, 140])
def test_figures_and_verdicts_are_whole_in_a_narrow_terminal(systems: Systems, width: int) -> None:
    found = systems[0][0]
    out = io.StringIO()
    terminal.show(found, Console(file=out, width=width, color_system=None))
    scores, drops = out.getvalue().split("on the rows that were changed")[:2]
    assert "…" not in scores + drops
    for line in found.tables[0].lines:
        if line.drop is not None:
            shown = figures(line)
            assert re.search(rf"{re.escape(shown[4])} +{re.escape(shown[5])}", drops)
    assert "verdict" in drops


def test_the_originals_answers_mean_another_thing_where_numbers_changed() -> None:
    many = record.Causes("value_understanding", True, 60, (), 40, 1e-9)
    assert "knows the published answers" in originals(many, "value_understanding")
    assert "ignores the change" in originals(many, "operation_reasoning")
    assert originals(replace(many, p_memorised=0.2), "value_understanding") == ""


def test_every_capability_has_its_meaning_and_probes_are_no_fault(systems: Systems) -> None:
    from dnc_datasets.perturbations import Capability
    from dnc_metrics.capabilities import CAPABILITIES

    assert list(CAPABILITIES) == [one.value for one in Capability]
    found = systems[0][0]
    line = replace(
        found.tables[0].lines[1],
        name="no_question",
        capability="probe",
        verdict="does not need the question",
        reason="89.2 % of its 65 right answers stay right without it (80.1 to 95.0; 60 templates)",
    )
    (sentence,) = sentences(_with_lines(found, (line,)))
    assert "loses" not in sentence
    assert sentence.endswith(
        "It does not need the question: 89.2 % of its 65 right answers stay right without it."
    )
    assert figures(line)[-1] == "◆ does not need the question"
    assert charts.colour(line) == charts.COLOURS["drop"]
    needed = replace(line, verdict="needs the question")
    assert "question" not in sentences(_with_lines(found, (needed,)))[0]


def test_few_systems_are_the_columns_of_the_heat_map_and_many_its_rows(systems: Systems) -> None:
    found = systems[0][0]
    many = [replace(found, system=replace(found.system, name=f"system {at}")) for at in range(7)]
    few, tall = (page.page([(one, []) for one in some]) for some in (many[:2], many))
    assert 'scope="colgroup">' not in few
    assert 'scope="rowgroup">' in few
    assert 'scope="colgroup">' in tall
    assert tall.count('<td class="cell') == 7 * sum(not line.is_capability for line in found.tables[0].lines)
    assert 'id="heat"' not in page.page([(found, [])]), "one system has forest plots and a table"


def _with_lines(found: Record, lines: tuple[Line, ...]) -> Record:
    return replace(found, tables=(replace(found.tables[0], lines=lines),))


@pytest.mark.parametrize("points", range(-100, 101, 5))
def test_figures_stand_out_from_every_shade(points: int) -> None:
    def luminance(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    paper = luminance(charts.shade(points / 100))
    ink = luminance("#ffffff" if charts.is_dark(points / 100) else "#000000")
    assert (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05) >= 4.5


def test_intervals_of_a_comparison_say_what_p_says(systems: Systems) -> None:
    found = comparison.compare(systems)
    assert {one.verdict == "no difference shown" for one in found} == {True, False}
    for one in found:
        low, high = one.interval
        assert (low <= 0 <= high) == (one.verdict == "no difference shown") or 0 in (low, high)
        assert low < high, "twelve rows that agree are no proof"


def test_what_the_perturbation_broke_comes_first(systems: Systems) -> None:
    every = list(failures.failures([systems[0]]))
    broken = [one for one in every if one["right_before"]]
    assert 0 < len(broken) < len(every)
    originals_right = {one.id for one in systems[0][1] if one.cell == "tiny|direct" and one.right}
    assert {one["id"] for one in broken} <= originals_right
    cards = re.findall(r"<h4>(before[^<]*|asked)</h4>", failures.section(every))
    assert cards[0] == "before, answered right"


def test_a_name_in_a_record_leads_to_no_file_outside_the_report(systems: Systems, tmp_path: Path) -> None:
    found, outcomes = systems[0]
    causes = next(one for one in found.causes if one.is_capability)
    hostile = replace(found, causes=(replace(causes, name="x/../../../../ESCAPED"),))
    folder = tmp_path / "a" / "b" / "out"
    report.write([(hostile, outcomes)], folder)
    assert not list(tmp_path.rglob("ESCAPED*"))
    assert [path for path in tmp_path.rglob("*") if path.is_file() and folder not in path.parents] == []
    assert len(list((folder / report.FIGURES).glob("causes-0-*.svg"))) == 1


@pytest.mark.parametrize("name", ["report.md", "report.html"])
def test_a_page_that_somebody_else_wrote_is_not_replaced(
    folders: list[Path], tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / name).write_text("<!doctype html>my own", encoding="utf-8")
    assert main(["report", str(folders[0]), "--out", str(out), "--no-pictures"]) == 1
    assert name in capsys.readouterr().err
    assert (out / name).read_text(encoding="utf-8") == "<!doctype html>my own"
    assert main(["report", str(folders[0]), "--out", str(out), "--no-pictures", "--force"]) == 0
    assert (out / name).read_text(encoding="utf-8") != "<!doctype html>my own"
