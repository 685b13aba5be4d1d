"""DAGsim and GEM under the name of their metric; `dagsim.py` is the evaluate module."""

from dnc_metrics.graphs import gem, paths, score

__all__ = ["gem", "paths", "score"]
