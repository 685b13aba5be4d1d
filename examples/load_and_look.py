"""Load a perturbed dataset and look at a pair: the problem as it was, and what became of it."""

from datasets import load_dataset

import dnc_datasets  # noqa: F401  (makes "dnc" known to load_dataset)

rows = load_dataset("dnc", "tiny_passages-verbosity-attack", split="test")
changed = rows.filter(lambda row: row["perturbed"])
print(f"{len(changed)} of {len(rows)} rows are changed")

row = changed[0]
print("before:", row["source"]["body"])
print("after: ", row["body"])
print("answer:", row["answer"], "- which still holds, because", ", ".join(row["certificate"]))
