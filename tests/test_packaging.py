"""The installed package holds every folder of code that the checkout has."""

from __future__ import annotations

import configparser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_package_is_listed() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    listed = set(config["options"]["packages"].split())
    folders = dict(line.split(" = ") for line in config["options"]["package_dir"].strip().splitlines())
    found = {
        ".".join((name, *init.parent.relative_to(ROOT / folder).parts))
        for name, folder in folders.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert listed == found


def test_no_module_imports_against_the_flow() -> None:
    """Data flows one way: dnc_datasets knows nothing of what comes after it, metrics nothing of sources."""
    forbidden = {
        "dnc_datasets": ("dnc_metrics", "dnc_harness", "dnc_trainers", "dnc_leaderboard", "import torch"),
        "metrics": (
            "dnc_datasets.sources",
            "dnc_datasets.serving.catalogue",
            "dnc_harness",
            "dnc_trainers",
            "dnc_leaderboard",
        ),
    }
    for folder, names in forbidden.items():
        for path in (ROOT / folder).rglob("*.py"):
            code = path.read_text(encoding="utf-8")
            for name in names:
                assert f"import {name}" not in code, f"{path} imports {name}"
                assert f"from {name}" not in code, f"{path} imports {name}"
