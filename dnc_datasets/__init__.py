"""DNC's data: problems, numbers, equations, perturbations, and the datasets built from them."""

from dnc_datasets.plugins import load_plugin
from dnc_datasets.serving import hub
from dnc_datasets.version import __version__

__all__ = ["__version__", "load_plugin"]

# From here on `load_dataset("dnc", config)` works in any directory.
hub.install()
