"""A perturbation of one's own as a plug-in; `dnc show tiny-polite-attack --plugin examples/add_a_perturbation.py`."""

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation, recipe
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import perturb

WORDS = ("Please tell me:", "I should like to know:", "Now:")


@perturbation("polite", capability=Capability.PROBE, promises=("target_kept", "values_kept"))
def ask_politely(problem: Problem, draw: Draw) -> Problem | None:
    """How many? -> Please tell me: How many?"""
    if not problem.question:
        return None
    return problem.replace(question=f"{draw.choice(WORDS)} {problem.question}")


if __name__ == "__main__":
    problem = Problem(
        "1", "Ana has 12 pens and Bo 30.", "How many are there?", answer="42", equation="12 + 30"
    )
    row = perturb(problem, recipe("polite+language"), dataset="mine")
    print(row.problem.text, row.certificate)
