"""Takes the pictures of the report page and of the leaderboard that the documentation shows.

    dnc diagnose --report board/gts
    dnc diagnose --solver seq2seq --set numbers=tokenization --report board/seq2seq
    dnc report board --out report --no-pictures
    dnc leaderboard serve board &
    python docs/screenshot.py report/report.html docs/images/report.png
    python docs/screenshot.py http://127.0.0.1:7860 docs/images/leaderboard.png
    python docs/screenshot.py http://127.0.0.1:7860 docs/images/leaderboard-phone.png --width 390 --height 844 --dark

Needs Chromium and its driver (`apt-get install chromium chromium-driver`), selenium, and Pillow.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import time
from pathlib import Path

_WIDTH, _HEIGHT = 1280, 900
_SECONDS = 4  # in which a server draws its page
_COLOURS = 256  # a page of text and plain areas needs no more, and the file is a third as large


def picture(address: str, width: int = _WIDTH, height: int = _HEIGHT, dark: bool = False) -> bytes:
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
        browser.get(address)
        time.sleep(_SECONDS)
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
    parser.add_argument("page", help="a file, or the address of a server")
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=_WIDTH)
    parser.add_argument("--height", type=int, default=_HEIGHT)
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    page = arguments.page
    address = page if page.startswith("http") else Path(page).resolve().as_uri()
    arguments.out.write_bytes(picture(address, arguments.width, arguments.height, arguments.dark))
    return 0


if __name__ == "__main__":
    sys.exit(main())
