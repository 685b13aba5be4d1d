"""The installation command of an optional part of the package, by the origin of the package."""

from __future__ import annotations

import json
import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

_NAME = "dnc-bench"


def command(extra: str) -> str:
    """Return the command that adds an extra: pip where it is installed, else uv.

    A checkout, a wheel, a Git repository and an index each need another form.
    """
    installer = "pip install" if find_spec("pip") else "uv pip install"
    return f"{installer} {_requirement(extra)}"


def requirements(extra: str) -> list[str]:
    """List the third-party packages that the package and an extra need."""
    from importlib import metadata

    base = [line for line in metadata.requires(_NAME) or () if ";" not in line]
    return [*base, *_packages(extra)]


def _requirement(extra: str) -> str:
    origin = _origin()
    url = urlparse(origin.get("url", ""))
    if vcs := origin.get("vcs_info"):
        address = f"{vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
        return shlex.quote(f"{_NAME}[{extra}] @ {address}")
    if url.scheme != "file":
        return shlex.quote(f"{_NAME}[{extra}]")
    place = Path(unquote(url.path))
    if not place.exists():  # a wheel that was deleted after the installation
        return " ".join(shlex.quote(package) for package in _packages(extra))
    name = "." if place == Path.cwd() else str(place)
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return editable + shlex.quote(f"{name}[{extra}]")


def _origin() -> dict[str, Any]:
    """Read `direct_url.json` of the installation. A package from an index has no such file."""
    from importlib import metadata

    try:
        text = metadata.distribution(_NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # the folders of a checkout are on the path
        checkout = Path(__file__).resolve().parents[1]
        return {"url": checkout.as_uri()} if (checkout / "pyproject.toml").exists() else {}
    origin: dict[str, Any] = json.loads(text) if text else {}
    return origin


def _packages(extra: str) -> list[str]:
    """List the packages of an extra, and of the extras that it includes, from the installed metadata."""
    from importlib import metadata

    packages: list[str] = []
    for line in metadata.requires(_NAME) or ():
        requirement, _, condition = line.partition(";")
        if f'extra == "{extra}"' not in condition.replace("'", '"'):
            continue
        included = re.fullmatch(rf"{_NAME}\[(.*)\]", requirement.strip())
        for other in included[1].split(",") if included else ():
            packages += _packages(other)
        packages += [] if included else [requirement.strip()]
    return list(dict.fromkeys(packages))
