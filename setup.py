"""Compiles the modules that every row passes through, where DNC_COMPILE=1 asks for it.

The same sources then run about a third faster (`make compiled`). All else about the package is in setup.cfg.
"""

import os

from setuptools import Extension, setup

COMPILED = [
    "dnc_datasets/certificate/numbers.py",
    "dnc_datasets/draws.py",
    "dnc_datasets/expression/_parse.py",
    "dnc_datasets/expression/_rational.py",
    "dnc_datasets/expression/_tree.py",
    "dnc_datasets/numerals/_context.py",
    "dnc_datasets/numerals/_digits.py",
    "dnc_datasets/numerals/_find.py",
    "dnc_datasets/numerals/_quantity.py",
    "dnc_datasets/perturbations/numbers/amounts.py",
    "dnc_datasets/perturbations/numbers/denials.py",
    "dnc_datasets/perturbations/numbers/operands.py",
]


def extensions() -> list[Extension]:
    """The compiled modules; none unless asked for, so that nobody needs a C compiler."""
    if os.environ.get("DNC_COMPILE") != "1":
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        raise SystemExit(
            "DNC_COMPILE=1 needs mypy, which pip's own build environment lacks: run `pip install mypy setuptools`, "
            "then `DNC_COMPILE=1 pip install --no-build-isolation .`"
        ) from None
    return list(mypycify(COMPILED))


setup(ext_modules=extensions())
