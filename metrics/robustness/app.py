"""The Space of the metric robustness."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("robustness").launch()
