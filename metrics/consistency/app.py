"""The Space of the metric consistency."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("consistency").launch()
