"""The leaderboard in a real browser: filters, sort, comparison, report and submission, with hostile records."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gradio")

from dnc_leaderboard import board, ranking
from dnc_leaderboard.app import Board, app, launch
from dnc_metrics import record
from dnc_metrics.record import Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]
SCRIPT = "<img src=x onerror=document.title=1><script>document.title=2</script>"


@pytest.fixture(scope="session")
def hostile(systems: Systems, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two good systems (one of hostile name and 10,000 rows), one without cells, one with NaN, one that is no JSON."""
    folder = tmp_path_factory.mktemp("board")
    (broken, broken_rows), (steady, steady_rows) = systems
    named = replace(broken.system, name=f"{SCRIPT}broken", model={"openness": "open", "billions": 7})
    copies = -(-10_000 // len(broken_rows))
    many = [
        replace(one, id=f"{one.id}-{at}" if at else one.id, reply=SCRIPT)
        for at in range(copies)
        for one in broken_rows
    ]
    assert len(many) >= 10_000
    record.write(replace(broken, system=named), many, folder / "broken")
    record.write(steady, steady_rows, folder / "steady")
    empty = replace(steady, system=replace(steady.system, name="empty"), cells=(), tables=(), causes=())
    record.write(empty, [], folder / "empty")
    (folder / "nan").mkdir()
    text = (folder / "steady" / "record.json").read_text(encoding="utf-8")
    (folder / "nan" / "record.json").write_text(
        text.replace('"margin": 0.05', '"margin": NaN'), encoding="utf-8"
    )
    (folder / "torn").mkdir()
    (folder / "torn" / "record.json").write_text("{", encoding="utf-8")
    return folder


def test_what_cannot_be_read_is_counted_and_stops_nothing(hostile: Path) -> None:
    entries, bad = board.load(hostile)
    assert {entry.folder.name for entry in entries} == {"broken", "steady", "empty"}
    assert len(bad) == 2
    assert any("NaN" in reason for reason in bad)
    rows = board.rows(entries)
    assert len(rows) == 2  # a record without tables has no line


def test_filters_and_sort(hostile: Path) -> None:
    rows = board.rows(board.load(hostile)[0])
    for sort in ranking.SORTS[:4]:
        first, second = (row.system for row in ranking.ranked(rows, sort=sort))
        assert first == "steady"
        assert second.endswith("broken")
    assert [row.system for row in ranking.ranked(rows, openness="closed")] == []
    assert len(ranking.ranked(rows, openness="open", size="1 to 10")) == 1
    assert ranking.ranked(rows, size="below 1") == []
    assert ranking.ranked(rows, dataset="svamp") == []
    steady, broken = ranking.ranked(rows, sort="consistency")
    assert steady.consistency is not None
    assert broken.consistency is not None
    assert steady.consistency > broken.consistency
    assert broken.worst_where == "operand selection"
    one = board.rows(board.load(hostile)[0], "number_detection")
    assert all(row.worst_where == "number detection" for row in one)


def test_consistency_is_counted_by_hand(hostile: Path) -> None:
    (entry,) = (one for one in board.load(hostile)[0] if one.folder.name == "steady")
    (row,) = board.rows([entry])
    right = {one.id for one in entry.outcomes if one.cell == "tiny|direct" and one.right}
    changed = [one for one in entry.outcomes if one.perturbed and one.id in right]
    wrong = {one.id for one in changed if not one.right}
    assert row.consistency == pytest.approx(1 - len(wrong) / len({one.id for one in changed}))


@pytest.fixture(scope="session")
def served(hostile: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    from dnc_leaderboard import serving

    made = serving.local(hostile, hostile / "no-data")
    launch(made, server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True)
    yield f"http://127.0.0.1:{port}"
    made.close()


def wait(condition: Any, seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except Exception as error:  # the element is being redrawn
            last = error
            assert last is not None
        time.sleep(0.2)
    raise AssertionError("nothing happened")


def choose(browser: Any, name: str, words: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    field = wait(lambda: browser.find_element(By.CSS_SELECTOR, f"#{name} input"))
    field.click()
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(words)
    wait(lambda: all(words in one.text for one in browser.find_elements(By.CSS_SELECTOR, "[role=option]")))
    field.send_keys(Keys.ENTER)
    wait(lambda: words in field.get_property("value"))


def texts(browser: Any, place: str) -> list[str]:
    """The rows of a table without its heading."""
    selector = f"#{place} [role=row], #{place} table.ranking tr"
    script = "return [...document.querySelectorAll(arguments[0])].map(row => row.innerText)"
    return [text for text in browser.execute_script(script, selector)[1:] if text.strip()]


def test_the_app_in_a_browser(served: str, hostile: Path, browser: Any) -> None:
    from selenium.webdriver.common.by import By

    browser.set_window_size(1280, 900)
    browser.get(served)
    lines = wait(lambda: len(texts(browser, "board")) == 2 and texts(browser, "board"))
    assert "steady" in lines[0]
    assert "<script>" in lines[1]  # shown as text
    wait(lambda: browser.find_element(By.CSS_SELECTOR, "#filters button")).click()
    choose(browser, "openness", "open")
    wait(lambda: len(texts(browser, "board")) == 1)
    choose(browser, "openness", "all")
    wait(lambda: len(texts(browser, "board")) == 2)
    choose(browser, "sort", "consistency")
    choose(browser, "capability", "number detection")
    wait(lambda: "by consistency" in browser.find_element(By.CSS_SELECTOR, "#board figure").text)
    # The heading of a column sorts by it, and once more turns the order round.
    for first in ("steady", "broken"):
        browser.find_element(
            By.XPATH, "//table[@class='ranking']//button[text()='operand selection']"
        ).click()
        wait(lambda first=first: first in texts(browser, "board")[0])

    browser.find_element(By.XPATH, "//button[@role='tab'][text()='Compare']").click()
    choose(browser, "first", "steady")
    choose(browser, "second", "broken)")
    wait(lambda: len(texts(browser, "compared")) > 5)
    said = browser.find_element(By.CSS_SELECTOR, "#conclusion textarea").get_property("value")
    assert "steady loses less accuracy than" in said

    browser.find_element(By.XPATH, "//button[@role='tab'][text()='Report']").click()
    choose(browser, "system", "broken)")
    frame = wait(lambda: browser.find_element(By.CSS_SELECTOR, "iframe.report"))
    assert frame.get_attribute("sandbox") == "allow-scripts"
    browser.switch_to.frame(frame)
    wait(lambda: "operand selection" in browser.find_element(By.TAG_NAME, "body").text)
    assert browser.find_elements(By.CSS_SELECTOR, "img[onerror]") == []
    browser.switch_to.default_content()
    assert browser.title == "DNC leaderboard"

    browser.set_window_size(500, 900)
    widths = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1] + 1


def test_a_link_of_the_ranking_leads_to_the_report(served: str, browser: Any) -> None:
    from selenium.webdriver.common.by import By

    browser.set_window_size(500, 844)
    browser.get(served)
    link = wait(lambda: browser.find_element(By.CSS_SELECTOR, "#board .ranking a"))
    figure = browser.find_element(By.CSS_SELECTOR, "#board figure svg")
    assert figure.rect["y"] + figure.rect["height"] < 844, "the first screen of a phone has a figure"
    row = link.find_element(By.XPATH, "ancestor::tr").text
    assert re.search(r"[○●▼] -?\d+\.\d\[-?\d", row), "mark, drop and interval"
    browser.get(link.get_attribute("href"))
    frame = wait(lambda: browser.find_element(By.CSS_SELECTOR, "iframe.report"))
    browser.switch_to.frame(frame)
    wait(lambda: "steady on tiny" in browser.find_element(By.TAG_NAME, "body").text)
    browser.switch_to.default_content()


def test_the_app_is_dark_for_who_prefers_it(served: str, dark: Any, contrast: Callable[[str], float]) -> None:
    dark.set_window_size(1280, 900)
    dark.get(served)
    wait(lambda: len(texts(dark, "board")) == 2)
    wait(lambda: dark.find_element("css selector", "#filters button")).click()
    for place in (
        "h1",
        "button[role=tab]",
        "#board td",
        "#board th",
        "#board caption",
        "#board a",
        "#dataset input",
    ):
        assert wait(lambda place=place: contrast(place)) >= 4.5, place
    assert contrast("body") > 10
    shade = dark.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", shade)[:3])) < 64


def test_the_app_by_keyboard(served: str, browser: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys: str) -> Any:
        ActionChains(browser).send_keys(*keys).perform()
        return browser.switch_to.active_element

    browser.set_window_size(1280, 900)
    browser.get(served)
    wait(lambda: len(texts(browser, "board")) == 2)
    for _ in range(30):
        one = press(Keys.TAB)
        if one.get_attribute("role") == "tab" and one.text == "Compare":
            press(Keys.ENTER)
            break
    wait(lambda: browser.find_element("id", "first").is_displayed())
    inside = "return document.activeElement.closest('#first') !== null"
    wait(lambda: press(Keys.TAB) and browser.execute_script(inside))


def test_a_submission_in_a_browser(served: str, hostile: Path, browser: Any) -> None:
    from selenium.webdriver.common.by import By

    browser.set_window_size(1280, 900)
    browser.get(served)
    wait(lambda: browser.find_element(By.XPATH, "//button[@role='tab'][text()='Submit']")).click()
    field = wait(lambda: browser.find_element(By.CSS_SELECTOR, "#files input[type=file]"))
    # Only a part of the corpus was asked there.
    field.send_keys(f"{hostile / 'steady' / 'record.json'}\n{hostile / 'steady' / 'record.rows.jsonl'}")
    wait(lambda: "record.rows" in browser.find_element(By.ID, "files").text)
    browser.find_element(By.ID, "submit").click()
    stated = wait(
        lambda: browser.find_element(By.CSS_SELECTOR, "#answer textarea, #answer input").get_property("value")
    )
    assert stated.startswith("Refused: tiny: rows ")
    assert "missing, of 240" in stated


def test_without_a_form_there_is_none(hostile: Path) -> None:
    names = {str(one.get("props", {}).get("elem_id")) for one in app(Board(hostile)).config["components"]}
    assert "board" in names
    assert "files" not in names


def test_probes_are_no_drops_of_a_leaderboard(systems: Systems, tmp_path: Path) -> None:
    found, rows = systems[0]
    (table,) = found.tables
    probe = replace(table.lines[0], name="probe", capability="probe", drop=0.99)
    with_probe = replace(found, tables=(replace(table, lines=(*table.lines, probe)),))
    record.write(with_probe, rows, tmp_path / "one")
    (entry,) = board.load(tmp_path)[0]
    (row,) = board.rows([entry])
    assert row.worst_where == "operand selection"
    (probed,) = board.rows([entry], "probe")
    assert probed.worst == 0.99


def test_a_port_in_use_is_named(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dnc_datasets.cli import main

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["leaderboard", "serve", str(hostile), "--port", str(port)]) == 1
    assert f"port {port} of 127.0.0.1 cannot be used; give a free one with --port" in capsys.readouterr().err
