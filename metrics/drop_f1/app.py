"""The Space of the metric drop_f1."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("drop_f1").launch()
