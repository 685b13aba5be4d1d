"""Texts of the readers' part of docs/reproduction.md beside its tables."""

from __future__ import annotations

ORDER = """Right but for the order of the operands, of the replies whose order matters: {0} with the concatenating order
head, {1} with the published one (both with our additions). That the published head cannot tell its operands apart is
shown by a test; most programs of TATQA-a take their operands as they stand in the text, so a head that always says so
errs little.

Answers of yes or no (*append_bool*) are none that TagOp or the rules can give. *verbosity_table* denies a number in
every cell of amounts: both read no value in a cell that holds two numbers. Perturbed rows are those of the rules when
a cell was run; some have been fixed since.
"""

DRAWN = {
    "title": "RGNet on conversations drawn from templates",
    "make": "python -m dnc_datasets.corpus.drawn_conversations DIR --count 200",
    "command": "dnc research protocol rgnet --data noahqa_en --from noahqa_en=DIR --set decoder=grammar",
    "vary": "--set probes=yes --vary direction=symmetric --vary graph_layers=0 --vary edge_loss=no",
    "text": "{train} training turns of 24 templates, tested on {test} turns of 8 other templates ({graphs} graphs); "
    "one seed, the epoch chosen by validation answers; intervals over conversations.\n",
    "note": "Eight test templates are few, and conversations of one template are alike: the intervals are too narrow "
    "for what another eight templates would give. No test template asks for an extraction. The published code feeds "
    "the gold equation to the decoder at test time (last column); ours decodes freely.\n",
}
SOCRATIC = {
    "title": "RGNet on GSM8K's Socratic problems",
    "make": "python -m dnc_datasets.corpus.socratic problems.jsonl DIR",
    "command": "dnc research protocol rgnet --data noahqa_en --from noahqa_en=DIR --set decoder=grammar",
    "vary": "--vary direction=symmetric     # and the same with --refit",
    "text": "{train} training turns, {test} test turns of other problems, all arithmetic; {graphs} test turns have a "
    "graph that is certain, the others are left out of graph scores. Graphs are silver: found by matching operands to "
    "sentences and earlier answers. These are problems of GSM8K's test set: the cells say so "
    "(`trained_on_gsm8k_test`), and no such model is scored on gsm8k.\n",
    "note": "Of 900 problems 710 are read (190 have a step without a calculation that can be parsed); of their 2,462 "
    "steps 784 have operands that could rest on several places. The epoch is chosen by validation answers, "
    "not by graphs, so that the two networks may have been trained for different times; to the last epoch "
    "(run after the others were seen) they have "
    "seen the same. The intervals of directed and symmetric overlap.\n",
}

BASELINES = """*sequence* is a pointer-generator, *sequence, no copying* Seq2Seq, both over a BiLSTM from scratch; GTS
learns from turns with an equation, and can answer no others. Its run is longer than a first one, which had 0.0 on
arithmetic turns, and was made after that was seen.
"""

ATTACKED = """RGNet (directed) under attack and defended, on the drawn conversations (`--settings attack,defense`):
"""

LANGUAGES = """### RGNet in English, Chinese and both

From scratch, one seed:

    python -m dnc_datasets.corpus.drawn_conversations DIR --count 80
    dnc research protocol rgnet --data noahqa_en --test noahqa_zh --from noahqa_en=DIR --from noahqa_zh=DIR \\
        --set decoder=grammar {} --set least_word_count=1
    dnc research protocol rgnet --data noahqa_en+noahqa_zh # the rest as above

A model of English words finds Chinese graphs by where nodes stand and which numbers they share; words it cannot
compare, since Chinese is not cut into words here, which also holds lexical overlap down.
"""

PASSAGES = {
    "tiny_passages": "27 passages are too few to learn from; the figures say that and no more.\n",
    "drop_num": "DIR holds a stand-in made of DROP's own questions, cut to its first 1,000 training and 150 "
    "validation questions. Numbers have no gold derivation there: every number, sum or difference of two that gives "
    "the answer counts as one, which is noise. Passages are cut. What was learnt is little: most replies are a count "
    "of two or three, which no attack on the passage touches; the figures say nothing of the number graph.\n",
}

DIFFERENCES = """What differs from the published settings:

- TagOp: published with RoBERTa-large on a GPU, 50 epochs in batches of 48 on 1,971 contexts; TATQA-a's training file
  is not in the mirror, so a stand-in of 226 contexts is used, and TAT-QA's test gold beside it (276 of 277 tables:
  one is also a table of TATQA-a's test part). A program is one of ten operators over linked numbers; 548 of the 625
  test questions have one that gives the exact answer (548 of 621 in validation, 456 of the stand-in's 580); the
  others count as wrong. The published form is the default. `headings`, `match`, `number_pieces` and
  `order=concatenate` are our additions. The input keeps the rows and sentences that match the question where it is
  longer than `length`; the released code cuts at the end.
- The paper's last column of tables 3 and 9 has 42.4 on the clean test part, apparently over the 580 questions that
  TagOp can express. Ours is over all 625, exact. Its perturbations reach paragraphs and questions and leave the tables
  as they are; ours that end in `_table` reach the cells, and have no published figure.
- RGNet: published with RoBERTa-large and XLM-R on NOAHQA, which cannot be had here. Ours is on conversations drawn
  from templates, tested on templates that it has not seen, and on GSM8K's Socratic problems. Nodes are means of their
  words instead of marker pieces, layer norm replaces batch norm, and edges point only to earlier turns
  (`direction=symmetric` is the published network). RGNet's `match` is ours; `match=no balance=yes
  direction=symmetric` is nearest to the published form. The figures are of `decoder=grammar`, which decodes equations
  with a grammar and answers yes, no or unknown with a classifier. The default, a pointer-generator as published, has a
  section of its own.
- The discrete reader is a model of this project and reproduces no published one. It shares the heads for spans, signed
  sums and counts with NAQANet, and has no QANet encoder, no attention between question and passage and no spans of the
  question.
"""
