"""Two scripted systems on a part of the embedded corpus: one that denied numbers confuse, one that none do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.draws import Draw
from dnc_datasets.serving import catalogue, rows
from dnc_metrics import record, record_builder
from dnc_metrics.record import Outcome, Provenance, Record, System
from dnc_metrics.record_builder import Asked, Scored

CONFIGS = ("tiny", "tiny-language-attack", "tiny-noise-attack", "tiny-verbosity-attack", "tiny-logic-attack")
ROWS = 120
HOSTILE = 'gts"><script>alert(1)</script>'


def scripted(name: str, confused: float, sees_values: bool = True) -> tuple[Record, list[Outcome]]:
    """A system that is right in nine of ten cases, and takes a denied number in a given number of the others."""
    problems = catalogue.read("tiny")["test"][:ROWS]
    asked = []
    for config in CONFIGS:
        variant = catalogue.find(config)
        replies = []
        for row in variant.rows({"test": problems})["test"]:
            one = rows.to_record(row, variant)
            gold = Fraction(one["answer"])
            draw = Draw(0, name, one["id"], config)
            wrong = confused if variant.recipe == "verbosity" and one["perturbed"] else 0.1
            right = draw.word() / 2**64 >= wrong
            answer = gold if right else gold + 1
            replies.append(
                Scored(
                    row=one,
                    right=right,
                    status="right" if right else "wrong",
                    answer=answer,
                    reply=f"<img src=x onerror=alert(2)> So it is {answer}.",
                    cluster=str(json.loads(one["meta"])["template"]),
                    scores={"answer_lenient": right},
                )
            )
        place = (config, variant.dataset, variant.fold, variant.recipe, variant.setting, variant.capability)
        asked.append(Asked(*place, "direct", "answer_lenient", replies, {"0": 0.0}, {"seed": 0}))
    system = System(name, "solver", sees_values=sees_values)
    return record_builder.make(system, Provenance("dnc score", "0.2.0"), asked)


@pytest.fixture(scope="session")
def systems() -> list[tuple[Record, list[Outcome]]]:
    """A system that verbosity breaks, with a hostile name, and one that nothing breaks and that sees no values."""
    return [scripted(HOSTILE, 0.8), scripted("steady", 0.1, sees_values=False)]


@pytest.fixture
def folders(systems: list[tuple[Record, list[Outcome]]], tmp_path: Path) -> list[Path]:
    """The records of the two systems, written."""
    made = []
    for at, (found, outcomes) in enumerate(systems):
        record.write(found, outcomes, tmp_path / f"system{at}")
        made.append(tmp_path / f"system{at}")
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, as a person's: only the window is missing."""
    import shutil
    import tempfile

    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = chromium
    with tempfile.TemporaryDirectory() as profile:
        for word in (
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
        ):  # fmt: skip
            options.add_argument(word)
        driven = webdriver.Chrome(options=options, service=Service(driver))
        yield driven
        driven.quit()


def _contrast(browser: Any, selector: str) -> float:
    """The contrast (1 to 21, as in WCAG) of an element's text with its background."""
    script = """
    let one = document.querySelector(arguments[0]);
    const ink = getComputedStyle(one).color;
    while (one && getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)") one = one.parentElement;
    return [ink, one ? getComputedStyle(one).backgroundColor : "rgb(255, 255, 255)"];
    """
    lights = []
    for colour in browser.execute_script(script, selector):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.fixture
def contrast(browser: Any) -> Callable[[str], float]:
    """The contrast of the text of what a selector finds first."""
    return lambda selector: _contrast(browser, selector)


@pytest.fixture
def dark(browser: Any) -> Iterator[Any]:
    """The browser of somebody who prefers dark pages."""
    wanted = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
    yield browser
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
