"""Words of the same meaning: each pair is a rule of its own of the paraphrases.

A word of the first column is a pattern, so that it can say what may not stand beside it.
"""

from __future__ import annotations

# "has bought", "has therefore decided": no other past tense can stand there.
_FINITE = (
    r"(?<!has )(?<!have )(?<!had )(?<!are )(?<!is )(?<!was )(?<!were )(?<!be )"
    r"(?<!already )(?<!therefore )(?<!just )(?<!recently )(?<!finally )(?<!never )(?<!only )(?<!been )(?<!'s )(?<!'ve )"
)
WORDS = (
    (_FINITE + r"bought(?! (?:her|him|them|his|me|us|it|their)\b)", "purchased"),
    (_FINITE + "purchased", "bought"),
    (_FINITE + "received", "got"),
    (_FINITE + r"ate(?= \w+ (?:pieces|cookies|apples|slices|candies|plums))", "consumed"),
    (_FINITE + r"found\b(?! out)", "discovered"),
    (r"wants\b(?= to)", "would like"),
    (_FINITE + r"finished\b(?= (?:\w+ ){0,3}(?:homework|assignments?|projects?|tasks?|race|marathon|puzzles?|course|tests?|"
     r"exams?|training|chores)\b)", "completed"),
    (_FINITE + "completed", "finished"),
    (_FINITE + r"started\b(?= (?:to|[a-z]+ing)\b)", "began"),
    (_FINITE + r"began\b(?! with)", "started"),
    (r"(?<=how )big\b", "large"),
    (_FINITE + r"decided\b(?= to)", "chose"),
    ("needs(?= (?!to )[0-9a-z]+ [a-z]+s)", "requires"),
    (_FINITE + "collected", "gathered"),
    (_FINITE + "gathered", "collected"),
    (r"went to (?=the (?:zoo|park|store|museum|beach|farm|circus|library|fair|mall|market|aquarium|shop)\b)", "visited "),
    (_FINITE + "owned", "had"),
    ("threw away", "got rid of"),
    (_FINITE + r"placed\b(?= (?!an? (?:bet|order)|first|second|third)(?:[\w$]+ ){1,4}(?:in|on|into|onto)\b)", "put"),
    ("picked up", "collected"),
    ("built", "constructed"),
    (r"a lot of(?= [a-z]+[^as]s\b)", "many"),
    ("equally", "evenly"),
    ("evenly", "equally"),
    ("in order to", "to"),
    (r"had to\b(?! (?:begin|start) with)", "needed to"),
    ("about to", "going to"),
    (r"needs to\b(?= [a-z]+ (?!know))", "has to"),
    (_FINITE + r"buys\b(?! (?:her|him|them|his|me|us|it|their)\b)", "purchases"),
    (r"(?<=to )buy\b(?! (?:her|him|them|his|me|us|it|their|back|out)\b)", "purchase"),
    (r"decides\b(?= to)", "chooses"),
    (r"(?<!had )(?<!has )wanted\b(?= to)", "wished"),
    (r"goes to (?=the (?:zoo|park|store|museum|beach|farm|circus|library|fair|mall|market|aquarium|shop)\b)", "visits "),
    (r"because\b(?! of)", "since"),
    ("and then", "and after that"),
    (r"currently\b(?= (?:has|have|had|\d))", "at present"),
    (r"calculate (?=the )", "work out "),
    (r"starts (?=with \$?\d)", "begins "),
    (r"trying to", "attempting to"),
    (r"total (?=(?:cost|price|amount|weight|distance|number)\b)", "overall "),
    (r"the rest\b(?! of the (?:day|time|week|year|month))", "the remainder"),
    (r"(?<!made )(?<!make )(?<!has )(?<!have )(?<!had )(?<!the )(?<!their )(?<!his )(?<!her )plans\b(?= to)", "intends"),
    (r"(?<!had )(?<!has )planned\b(?= to)", "intended"),
    (r"receives (?=\$?\d)", "gets "),
    (r"gets (?=\$\d)", "receives "),
    ("was able to", "managed to"),
    ("were able to", "managed to"),
    # when and how long
    (r"(?<=[Tt]he )next (?=(?:day|week|month|year|morning)\b)", "following "),
    (r"(?<=[Tt]he )following (?=(?:day|week|month|year|morning)\b)", "next "),
    (r"in the beginning", "at the start"),
    (r"at the beginning of", "at the start of"),
    # joints of sentences
    ("^However, ", "But "),
    (r"^But (?=(?:he|she|they|the|then|if)\b)", "However, "),
    (r"^Then,? (?=(?:he|she|they)\b)", "After that, "),
    (r"^First, (?=(?:he|she|they|[A-Z][a-z]+) )", "To begin with, "),
    (r"^If (?=(?:he|she|they|it|the|[A-Z][a-z]+) [^,]{3,200},$)", "Supposing that "),
    (r"(?<=[a-z0-9]), too(?=\.$)", " as well"),
    (r"(?<=[a-z]) as well(?=\.$)", " too"),
    (r"(?<=[a-z0-9]) even though ", " although "),
    (r"(?<=[a-z0-9]), so (?=(?:he|she|they|[A-Z][a-z]+) (?!that\b))", ", and therefore "),
    (r", but (?=(?:he|she|they|[A-Z][a-z]+|the) )", ", yet "),
    # wishes, plans and needs
    (r"(?<=^He )would like to|(?<=^She )would like to", "wants to"),
    (r"(?<=[a-z] )needs (?=(?:\$\d|\d+ (?:more )?[a-z]+s\b))", "requires "),
    (r"enough (?=(?:money|food|space|time|water|paint|wood|fabric|fuel) )", "sufficient "),
    # getting, giving, keeping
    (_FINITE + r"got (?=(?:\$\d|\d+ [a-z]+s\b))", "received "),
    (r"is paid (?=\$\d)", "earns "),
    (r"eats (?=\d+ [a-z]+s\b)", "consumes "),
    (r"contains (?=\d)", "has "),
    (r"is worth (?=\$\d)", "has a value of "),
    # amounts
    (r"(?<![a-z]-)only (?=(?:\$?\d|half\b))", "just "),
    (r"(?<=[a-z] )just (?=\$?\d)", "only "),
    (r"about (?=\$?\d[\d.,]{0,9} (?:[a-z]+s|per|an?)\b)", "approximately "),
    (r"(?<!exactly )the same number of (?![^.]{0,80}\b(?:as|that)\b)", "an equal number of "),
    (r"the same amount of (?![^.]{0,80}\b(?:as|that)\b)", "an equal amount of "),
    (r"half of (?=(?:his|her|their) )", "half "),
    (r"(?<=the )total number of", "overall number of"),
    (r"combined(?=\?)", "together"),
    (r"^How much change (?=(?:does|did|will|should|would)\b)", "What amount of change "),
    (r"^How much profit (?=(?:does|did|will|would)\b)", "What amount of profit "),
    (r"^How much time (?=(?:does|did|will|would)\b)", "What amount of time "),
    (r"^How much weight (?=(?:does|did|will|would)\b)", "What amount of weight "),
    (r"for every (?=[a-z]{3,20}\b)", "for each "),
    (r"twice the (?=(?:number|amount) of\b)", "double the "),
    (r"^What percentage of", "What percent of"),
    (r"^How much (?=(?:does|did|will|would) (?:it|(?:the|an?|one|each|his|her) [a-z ]{2,40}) cost\b)", "What "),
)  # fmt: skip
SHORT = {
    "did not": "didn't", "do not": "don't", "does not": "doesn't", "is not": "isn't", "was not": "wasn't",
    "were not": "weren't", "cannot": "can't", "could not": "couldn't", "What is": "What's", "It is": "It's",
    "will not": "won't",
}  # fmt: skip
