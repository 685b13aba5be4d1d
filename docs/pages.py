"""Pages of the site that come from elsewhere in the repository, such as the README, with their links adapted."""

from __future__ import annotations

import argparse
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from dnc_datasets import cli
from dnc_metrics import record_schema

ROOT = Path(__file__).resolve().parents[1]
# Page -> the file that it shows.
SHOWN = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "harness.md": "harness_tasks/README.md",
    "changes.md": "CHANGELOG.md",
}
_LINK = re.compile(r"\[([^\[\]]*)\]\((?!https?:|#)([^)#\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages, and the JSON Schema of a record."""
    for page, source in SHOWN.items():
        files.append(File.generated(config, page, content=_text(source)))
    files.append(File.generated(config, "commands.md", content=_commands()))
    schema = json.dumps(record_schema.schema(), indent=1)
    files.append(File.generated(config, "record.schema.json", content=schema))
    return files


def _commands() -> str:
    """Return the page of all commands with their options, as `--help` prints them."""
    parts = ["# Commands\n\n`dnc COMMAND --help` prints the same text."]
    for group, commands in cli.GROUPS.items():
        parts.append(f"## {group.capitalize()}")
        for name, (module, summary) in commands.items():
            parser = argparse.ArgumentParser(prog=f"dnc {name}", add_help=False)
            import_module(module).add_arguments(parser)
            parts.append(f"### dnc {name}\n\n{summary.capitalize()}.\n\n```text\n{parser.format_help()}```")
    return "\n\n".join(parts) + "\n"


def _text(source: str) -> str:
    return _LINK.sub(lambda link: _adapted(link, source), (ROOT / source).read_text(encoding="utf-8"))


def _adapted(link: re.Match[str], source: str) -> str:
    """Return a link to the page of the site that shows the file, or the link's text alone if there is none."""
    text, path = link.groups()
    target = (ROOT / source).parent.joinpath(path).resolve().relative_to(ROOT).as_posix()
    pages = {shown: page for page, shown in SHOWN.items()}
    if target.startswith("docs/"):
        return f"[{text}]({target.removeprefix('docs/')})"
    return f"[{text}]({pages[target]})" if target in pages else text
