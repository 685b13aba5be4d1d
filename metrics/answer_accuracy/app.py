"""The Space of the metric answer_accuracy."""

from dnc_metrics.widget import interface

if __name__ == "__main__":
    interface("answer_accuracy").launch()
