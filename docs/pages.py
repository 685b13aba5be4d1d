"""Pages of the site that stand elsewhere in the repository: the README and its like, with their links mended."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Page -> the file that it shows.
SHOWN = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "harness.md": "harness_tasks/README.md",
    "changes.md": "CHANGELOG.md",
}
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for page, source in SHOWN.items():
        files.append(File.generated(config, page, content=_text(source)))
    return files


def _text(source: str) -> str:
    return _LINK.sub(lambda link: _mended(link, source), (ROOT / source).read_text(encoding="utf-8"))


def _mended(link: re.Match[str], source: str) -> str:
    """A link to a page of the site where the file is one; otherwise the file's name, for it is not in the site."""
    target = (ROOT / source).parent.joinpath(link[1]).resolve().relative_to(ROOT).as_posix()
    pages = {shown: page for page, shown in SHOWN.items()}
    if target.startswith("docs/"):
        return f"]({target.removeprefix('docs/')})"
    return f"]({pages[target]})" if target in pages else f"](#){{title='{target} in the repository'}}"
