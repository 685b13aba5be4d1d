"""The readers' part of docs/reproduction.md: what was measured (results/readers.json), and what differs."""

from __future__ import annotations

import json
from pathlib import Path

from dnc_trainers import tables

DIFFERENCES = """What differs from the published settings:

- TagOp: published with RoBERTa-large on a GPU, 50 epochs in batches of 48 on 1,971 contexts; TATQA-a's training file
  is not in the mirror, so a stand-in of 226 contexts is used, and TAT-QA's test gold beside it (276 of 277 tables:
  one is also a table of TATQA-a's test part). A program is one of nine operators over linked numbers; 548 of the 625
  test questions have one that gives the exact answer (548 of 621 in validation, 456 of the stand-in's 580); the
  others count as wrong. Cells also show their headings and whether these stand in the question
  (`headings`, `match`), numbers only their first two pieces (`number_pieces`); the published form has none of it, and
  its order head cannot tell the operands apart (`order=mean`).
- The paper's last column of tables 3 and 9 has 42.4 on the clean test part, apparently over the 580 questions that
  TagOp can express. Ours is over all 625, exact.
- RGNet: published with RoBERTa-large and XLM-R on NOAHQA, which cannot be had here. Ours is on conversations drawn
  from templates, tested on templates that it has not seen. Nodes are means of their words instead of marker pieces,
  layer norm stands for batch norm, and edges point only to earlier turns (`direction=symmetric` is the published
  network). The published test run feeds the gold equation to the decoder; ours decodes freely.
- The discrete reader has no constants but the text's numbers and no character features, and reads words once.
"""


def section(path: Path) -> str:
    """The readers' section; nothing where nothing was measured."""
    if not path.exists():
        return ""
    runs = json.loads(path.read_text(encoding="utf-8"))
    parts = ["## Readers\n"]
    for group in runs["groups"]:
        lines = [[str(cell) for cell in line] for line in group["lines"]]
        parts.append(f"{group['title']}\n\n{tables.markdown(group['header'], lines)}")
        parts.append(f"    {group['command']}\n" + (f"\n{group['note']}\n" if group.get("note") else ""))
    return "\n".join([*parts, DIFFERENCES])
