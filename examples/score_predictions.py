"""Score what a model answered, and say whether a drop is more than chance."""

from dnc_metrics import answers, robustness

gold = {f"q{n}": str(n * 7) for n in range(40)}
# A model that is right about the originals and, in one of two perturbed rows, adds up wrongly.
on_originals = {row: f"The answer is {answer}." for row, answer in gold.items()}
on_perturbed = {row: f"So we get **{int(answer) + n % 2}**." for n, (row, answer) in enumerate(gold.items())}


def right(replies: dict[str, str]) -> dict[str, bool]:
    """Which rows are answered rightly; the text around a number does not matter."""
    return {row: answers.score(reply, gold[row]).correct for row, reply in replies.items()}


found = robustness.compare(right(on_originals), right(on_perturbed))
print(f"{found.pairs} pairs, {found.original:.0%} before and {found.perturbed:.0%} after")
print(f"p = {found.p_value:.2g}: {found.verdict}")
