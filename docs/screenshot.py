"""Takes the picture of a report's page that the README shows.

    dnc diagnose                                         # or any other command that leaves a report
    python docs/screenshot.py report/report.html docs/images/report.png

Needs Chromium and its driver (`apt-get install chromium chromium-driver`), selenium, and Pillow.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from pathlib import Path

_WIDTH, _HEIGHT = 1100, 900
_COLOURS = 128  # a page of text and plain areas needs no more, and the file is a third as large


def picture(page: Path, width: int = _WIDTH, height: int = _HEIGHT, dark: bool = False) -> bytes:
    """The top of a page as a browser draws it, as PNG."""
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        raise SystemExit("no browser: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        browser.get(page.resolve().as_uri())
        shown = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    finally:
        browser.quit()
    made = io.BytesIO()
    shown.convert("RGB").quantize(_COLOURS).save(made, "PNG", optimize=True)
    return made.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=_WIDTH)
    parser.add_argument("--height", type=int, default=_HEIGHT)
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_bytes(picture(arguments.page, arguments.width, arguments.height, arguments.dark))
    return 0


if __name__ == "__main__":
    sys.exit(main())
