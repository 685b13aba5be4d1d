"""Number words, and the words next to a number that decide its kind or tie it to its neighbours."""

from __future__ import annotations

SMALL_NUMBERS = tuple(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()
)
TENS = tuple("zero ten twenty thirty forty fifty sixty seventy eighty ninety".split())
SCALES = tuple(
    """thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion""".split()
)


# Words after a number that introduce its scope or a comparison.
TYING_WORDS = frozenset(
    """each every per apiece times twice with which who that than as percent dozen half third quarter whose
    where""".split()
)
# Words that attach a number to the noun before them: "tables with 4 legs".
TYING_WORDS_BEFORE_NUMBER = frozenset("with for at per every each than by of within times cost costs".split())
NOT_BEFORE_LISTED_NUMBER = frozenset(
    """between from about only exactly over nearly almost other another next first last every than of times by""".split()
)


# After the first a year follows whatever comes next; after the second unless something is counted ("in 2000
# boxes"); after the third if the next word is no noun; after an owner also if it is one ("the 1998 vote").
BEFORE_YEAR = frozenset(
    """since until till year years fiscal fy calendar circa c ca spring summer autumn fall winter dated dating
    census election january february march april may june july august september october november december""".split()
)
BEFORE_LIKELY_YEAR = frozenset("in during early late mid season class founded established born".split())
BEFORE_POSSIBLE_YEAR = frozenset(
    """of from to by for and or after before between around through throughout than versus vs ended ending as
    about""".split()
)
DETERMINERS_BEFORE_YEAR = frozenset("the a an our its their his her my this that entire".split())
COUNTED_AFTER_NUMBER = frozenset(
    """people men women children feet mice fish sheep more other different of meter metre mile foot pound
    dollar square cubic gallon kilometer kilometre acre ton tonne watt calorie page word piece""".split()
)
SINGULARS_IN_S = frozenset(
    """was is has its his this as us yes thus census series always perhaps across elections olympics results
    includes""".split()
)
BEFORE_PRONOUN_ONE = frozenset("each every this that which no any some another either neither".split())
BEFORE_ONE = frozenset(
    """the only last next first second third same other new old big small large little good bad better best
    worst right wrong red blue green yellow black white pink purple brown orange bigger smaller larger
    longer shorter taller cheaper heavier lighter""".split()
)
AFTER_PRONOUN_ONE = frozenset("of another who which whose that".split())
ARTICLES_BEFORE_ONE = frozenset("the a an this that his her their my your our".split())
# Words that follow a pronoun; a noun follows the number ("the one boy").
NOT_NOUNS_AFTER_ONE = frozenset(
    """who that which of is was has had with in on at and or for to from by costs cost contains weighs holds
    can could will would should may might did does do are were he she they it you we i made makes got gets
    went goes than as but if when while where because""".split()
)
POSSESSIVES_BEFORE_SECOND = frozenset("the his her their its my our your".split())
AFTER_ORDINAL_SECOND = frozenset(
    """half quarter grade grader graders floor place round level day week weeks month year years time base team
    row box set game class hand largest highest best biggest most one stop group inning""".split()
)
AFTER_SECOND_OF_TIME = frozenset(
    """and or of later to before after in for per but is was at on when if he she they it""".split()
)
BEFORE_HALF_OR_QUARTER = frozenset(
    """the first second third 1st 2nd other each either this that final latter former opening closing last next
    upper lower top bottom left right better bigger smaller front back whole""".split()
)
HALVED_UNITS = frozenset("hour mile dollar pound dozen million gallon cup inch pint day year".split())
BEFORE_HYPHENED_NUMBER = frozenset(
    "of for and to or by in than mid pre post year month day early late non ex".split()
)
# Words of a report before an integer that counts something: "in 12 countries", "operated 31 plants".
BEFORE_COUNT = frozenset(
    """a about above across acquired acquire added additional after all almost among an and another any approximately
    are around as at average averaged be because been before below between both but by closed comprised consists contains covering
    declined decreased delivered drilled during each employ employed employs every exceed exceeded exceeds exactly
    fell few fewer first following for from granted grew had has have held hold holds if in include included includes
    including increased into is issued its last lease leased least less manage managed manages more most nearly next
    of on only open opened operate operated operates or other our over own owned owns paid past per plus
    previous prior produced purchased reached received remaining represent represented represents repurchased
    retain roughly rose same sell sells serve served serves since sold some than that the their these they those
    through throughout to total totaled totaling totalled totalling under up upon was we were when which while who with
    within""".split()
)
# After a percentage these name a security or a plan: "4.25% convertible preferred stock".
SECURITIES = frozenset(
    """bond bonds convertible cumulative debenture debentures exchangeable first guaranteed junior mortgage note notes
    perpetual preferred redeemable secured senior series subordinated unsecured""".split()
)
# Units of reports, besides plain plurals.
REPORT_UNITS = frozenset(
    """basis bbl bcf bcfe boe boed bps cents employees feet gw gwh kwh mbbl mboe mcf mmbbl mmboe mmbtu mmcf mw mwh
    megawatts nanometer pence people percent percentage personnel sq square staff women men""".split()
)
# Those of them that follow a number in words: "ten employees", but not "ten bps".
SPOKEN_REPORT_UNITS = frozenset("employees feet men pence people percent personnel staff women".split())
# Words that state a factor or a span of years without a number: "twice as many", "a decade".
MULTIPLES = {
    **dict.fromkeys("twice double doubles doubled doubling".split(), (2, 1)),
    **dict.fromkeys("thrice triple triples tripled tripling".split(), (3, 1)),
    **dict.fromkeys("quadruple quadruples quadrupled quadrupling".split(), (4, 1)),
    **dict.fromkeys("halve halves halved halving".split(), (1, 2)),
    **dict.fromkeys("decade decades".split(), (10, 1)),
    **dict.fromkeys("century centuries".split(), (100, 1)),
    "quarter": (1, 4),
    "fortnight": (14, 1),
}
# Coins that show that quarters are coins too.
COINS = frozenset("dime dimes nickel nickels penny pennies coin coins".split())
IRREGULAR_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
# Words for doubling and tripling, each with its counterpart.
DOUBLE_AND_TRIPLE = {
    "double": "triple", "triple": "double",
    "doubled": "tripled", "doubles": "triples", "doubling": "tripling",
    "tripled": "doubled", "triples": "doubles", "tripling": "doubling",
}  # fmt: skip
# Words after an amount of a report that is in thousands or millions.
AFTER_SCALED_AMOUNTS = frozenset(
    ("due", "under", "through", "against", "net", "compared", "higher", "lower", "within", "upon")
)
# Words after an amount of money that is no attribute: "$5 million related to", but not "$5 million notes".
ENDS_AMOUNT = (
    (AFTER_SCALED_AMOUNTS - {"net", "higher", "lower"})
    | {"net of"}
    | frozenset(
        """a about above accrued across also among an and annually any are arising as associated at attributable available
    based because before begin begins being below but by can caused compared comprised comprises comprising
    consisted consisting consists could did due during each excluding expected expire expired expires expiring following
    for from generated had has have if in included includes including incurred into is largely last mainly may might
    must not of offset on or our out outstanding over paid partially partly payable per plus primarily principally
    pursuant received recognised recognized recorded reflected related relates relating remain remained remaining
    remains represent represented represents respectively result resulted resulting shall should since so spent than
    that the their these this those to together until used using versus vs was we were when where which while who whose
    will with without would""".split()
    )
)
# Nouns that an amount of money may describe, with words between: "a $572 million decrease".
CHANGES_OF_AMOUNTS = frozenset(
    """benefit charge contribution cost decline decrease dividend drop expense fall gain impact impairment improvement
    increase investment liability loss payment provision reduction rise""".split()
)
# The sign of dollars with its country: "US$5", "S$344 million".
COUNTRIES_OF_DOLLARS = {
    "US": "US", "U.S.": "US", "A": "Australian", "AU": "Australian", "C": "Canadian", "CA": "Canadian",
    "HK": "Hong Kong", "NZ": "New Zealand", "S": "Singapore",
}  # fmt: skip
# Words after an amount with "the" before it: "the $5 million of", "the $5 million that".
AFTER_DEFINITE_AMOUNT = frozenset("of in that which we was were is are from to for on paid received".split())
# Verbs that ask for a change, with the noun of each.
NOUNS_OF_CHANGES = {
    "change": "change", "increase": "increase", "decrease": "decrease", "decline": "decline", "grow": "growth",
    "rise": "increase", "fall": "decrease", "drop": "decrease",
}  # fmt: skip
# Words of ratios, beside those of MULTIPLES.
RATIO_WORDS = frozenset("percent half third fourth fifth times ratio".split())
# The ratios that a text states in words, by the name of each.
RATIOS_IN_WORDS = {
    "two": (2, 1), "three": (3, 1), "half": (1, 2), "third": (1, 3), "thirds": (2, 3), "quarter": (1, 4),
    "quarters": (3, 4), "fifth": (1, 5),
}  # fmt: skip
# Words for what is part of a whole: "represent", "make up", "is composed of".
PART_VERBS = frozenset("represent account comprise comprised form part made composed up".split())
# Units of amounts, values per share and time: a number of them counts no customers and no places.
NO_COUNTED_THINGS = frozenset(
    "cents pence dollars points shares options units days months years hours".split()
)
# Abbreviations that end in a point inside a sentence.
ABBREVIATIONS_BEFORE_NAMES = frozenset("Mr Mrs Ms Dr St Rs".split())
