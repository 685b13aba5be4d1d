"""Writes what the folders of evaluate modules have in common, so that each stands alone on the Hub.

    python -m dnc_metrics.frame            say what is out of step
    python -m dnc_metrics.frame --write    bring it in step

A module keeps for itself what it is: its texts, its class with `_features` and `_compute`. Between the marks, and in
`app.py` and `requirements.txt`, stands the frame, the same for all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dnc_datasets import atomic
from dnc_metrics import MODULES, path
from dnc_metrics.errors import MetricError

_OPEN = "    # The frame of every metric, written by `python -m dnc_metrics.frame --write`; do not edit.\n"
_CLOSE = "    # End of the frame.\n"
_INFO = """\
    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=self._features(),
        )

"""
_APP = '''\
"""The Space of the metric {name}."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("{name}").launch()
'''
_REQUIREMENTS = "dnc-bench[evaluate]\n"


def files(name: str) -> dict[Path, str]:
    """The files of a metric's folder that have a share in the frame, as they should be."""
    folder = Path(path(name))
    module = folder / f"{name}.py"
    text = module.read_text(encoding="utf-8")
    before, opened, rest = text.partition(_OPEN)
    _, closed, after = rest.partition(_CLOSE)
    if not opened or not closed:
        raise MetricError(
            f"{module} lacks the marks of the frame; put these two lines where `_info` belongs in its class:\n"
            f"{_OPEN}{_CLOSE}"
        )
    return {
        module: f"{before}{_OPEN}{_INFO}{_CLOSE}{after}",
        folder / "app.py": _APP.format(name=name),
        folder / "requirements.txt": _REQUIREMENTS,
    }


def differences() -> dict[Path, str]:
    """What is out of step: file -> text that it should have."""
    wanted = {file: text for name in MODULES for file, text in files(name).items()}
    return {
        file: text
        for file, text in wanted.items()
        if not file.is_file() or file.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """The command above."""
    parser = argparse.ArgumentParser(prog="python -m dnc_metrics.frame", description=__doc__)
    parser.add_argument("--write", action="store_true", help="bring the folders in step")
    write = parser.parse_args().write
    found = differences()
    for file, text in found.items():
        if write:
            atomic.write_text(file, text)
        print(f"{'written' if write else 'out of step'}: {file}")
    return 1 if found and not write else 0


if __name__ == "__main__":
    sys.exit(main())
