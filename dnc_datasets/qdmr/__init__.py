"""QDMR: a question as steps that refer to each other, with reading, changes by rule, and evaluation.

`steps` defines a step and its operator. `parse` reads decompositions and makes them of questions. `equations`
makes them of arithmetic. `transform` holds the six perturbations of reasoning. `evaluate` computes exact
values of steps.
"""
