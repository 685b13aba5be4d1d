"""The Space of the metric dagsim."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("dagsim").launch()
