"""The Space of the metric qdmr."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("qdmr").launch()
