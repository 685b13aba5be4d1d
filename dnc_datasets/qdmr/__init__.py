"""QDMR: a question as steps that refer to each other; read, changed by rule, and run over exact values.

`steps` says what a step is and which operator it applies, `parse` reads decompositions and makes them of questions,
`equations` makes them of arithmetic, `transform` holds the six perturbations of reasoning, `evaluate` runs steps.
"""
