"""The Space of the metric equation_accuracy."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("equation_accuracy").launch()
