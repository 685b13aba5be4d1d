"""Nouns and adjectives by kind: places, things, labels, liquids, comparatives and superlatives."""

from __future__ import annotations

# Things of everyday life: common places, parts of the day, activities at home.
KNOWN_WITHOUT_INTRODUCTION = frozenset(
    """zoo park school store shop beach library market mall supermarket farm museum movies cinema gym bank
    hospital office station airport city town village country world sun moon sky sea ocean river lake forest
    woods mountains internet morning afternoon evening night day week month year weekend weekends summer
    winter spring fall past future kitchen garden yard backyard house ground floor road street bus train
    pool playground cafeteria circus fair carnival post doctor dentist piano guitar violin news dishes
    laundry lawn trash end start beginning middle average same grocery pet toy candy book hardware
    convenience bakery restaurant hot cold rain dark first second third last following earth holidays""".split()
)
# Nouns that stay in their texts, but replace no other nouns.
OBJECTS_NEVER_INTRODUCED = frozenset("skittles quarters nickels pennies balloons shells seashells".split())
# Things that a person may have hundreds of.
OBJECTS_IN_HUNDREDS = frozenset(
    """marbles stickers buttons beads stamps cards coins shells seashells apples pears plums peaches oranges""".split()
)
STATE_ADJECTIVES = frozenset(
    """absent present clear female male pink red blue green yellow white black purple brown broken left-handed
    full broke alive dead sick married""".split()
)
NOUNS_LIKE_VERBS = frozenset(
    """store shop park train class team boat box bag can record present water paint play fish cook board pet""".split()
)
CASH_NOUNS = frozenset("bill bills coin coins note notes".split())
# A number after one of these names a thing: "Week 3", "pp. 14", "Notes 5 and 6".
NUMBERED_NOUNS = frozenset(
    """week weeks game games page pages p pp chapter chapters section sections note notes item items no nos
    number numbers part parts level levels article articles schedule schedules exhibit exhibits form forms
    rule rules route routes highway interstate phase phases type types tier tiers division divisions group
    category stage stages round rounds lap laps figure figures table tables topic asu asc ifrs ias sfas frs
    step class war bowl act title vol volume grade room unit version season episode quarter q squadron
    regiment battalion flight channel district january jan february feb march mar april apr june jun july
    jul august aug september sept sep october oct november nov december dec""".split()
)
# Last words of the matches of `_LABEL` and `_NAME`. Few numbers follow such a word, and its test is fast.
LABELS_BEFORE_NUMBER = tuple(
    """page pages chapter grade room class route highway level lesson exercise channel flight apartment and to
    or""".split()
)
# "page 7", "the day 3 class": the number after such a word names it.
NAMED_BY_NUMBER = tuple(
    """page pages chapter grade room number no. route highway bus flight level class day week month year question step
    size channel version apartment unit house table row lane gate floor round problem lot part group january february
    march april may june july august september october november december""".split()
)
PROPER_NAMES_BEFORE_NUMBER = tuple(
    "ASC IFRS IAS ASU FY Model Windows Interstate iPhone iPad iPod No. Nos. #".split()
)
# "See Note 9", "“Item 12", "paragraph 121", "year 17", "Office 365".
REFERENCE_NOUNS = frozenset(
    """Note note Notes notes years Item Items Level level Levels levels Paragraph paragraph Paragraphs
    paragraphs Appendix Annex Clause clause Clauses clauses Year year Years Page page Pages pages Section
    section Sections sections Schedule schedule Schedules schedules Exhibit Exhibits Figure Figures Table
    Tables Topic Topics Scope scope Scopes scopes Part Tier Article Articles Phase Tranche tranche Office
    Dynamics Windows Series Model Top top""".split()
)
# Things of which the world has a fixed number.
NATURAL_PARTS = frozenset(
    """leg legs wheel wheels eye eyes ear ears arm arms hand hands finger fingers toe toes wing wings tail
    tails tire tires tyre tyres side sides corner corners edge edges face faces season seasons continents
    planets""".split()
)
# Quantities that never grow tenfold: they vary little, or not at all.
SMALL_COUNT_NOUNS = frozenset(
    """times time brother brothers sister sisters sibling siblings cousin cousins son sons daughter daughters
    child children kid kids baby babies parent parents uncle uncles aunt aunts grandchildren grandkids
    friend friends roommates neighbors teammates wife wives meal meals breakfast lunch dinner dinners
    lunches slice slices cup cups teaspoon teaspoons tablespoon tablespoons floor floors story stories
    storey storeys room rooms bedroom bedrooms bathroom bathrooms door doors degree degrees °c °f mph grade
    grades class classes semester semesters quarter quarters half halves inning innings set sets round
    rounds shift shifts trip trips period periods subject subjects feet inches pound-baby older younger
    taller shorter year-old teachers chaperones drivers layers layer courts pools cars houses apartments
    trucks airplanes planes buses boats stores shops schools pets dogs cats""".split()
)
MEASURED_PROPERTIES = frozenset(
    """weight price cost number amount total average speed length distance time ratio rate area perimeter
    volume size width height depth""".split()
)
LIQUIDS = frozenset("water oil milk juice paint soda lemonade coffee gas fuel".split())
CHANGE_NOUNS = tuple("change changes increase increases decrease decreases growth".split())
GROUPING_NOUNS = frozenset(
    "times laps rounds pieces servings groups sections grades colors rows stacks piles parts sets".split()
)
IRREGULAR_PLURALS = (
    "people",
    "children",
    "men",
    "fish",
    "feet",
    "geese",
    "mice",
    "deer",
    "sheep",
    "teeth",
    "personnel",
)
_SINGULARS = tuple("ss bus gas tennis campus census cactus octopus walrus bonus".split())
KIND_NOUNS = frozenset("type kind sort color size share person".split())


def is_plural(noun: str) -> bool:
    """Return whether the last word of a noun phrase is a plural.

    >>> is_plural("red pens"), is_plural("women"), is_plural("glass")
    (True, True, False)
    """
    return (noun.endswith("s") and not noun.endswith(_SINGULARS)) or noun.endswith(IRREGULAR_PLURALS)


COMPARATIVES = frozenset(
    """longer shorter larger smaller higher lower greater bigger taller older younger farther further deeper
    wider heavier faster cheaper closer slower lighter warmer colder""".split()
)
QUANTITY_COMPARATIVES = frozenset(
    """longer shorter larger smaller higher lower greater bigger taller older younger further farther more less
    fewer""".split()
)
MAXIMUM_WORDS = tuple("highest largest most longest biggest more last longer higher larger".split())
MINIMUM_WORDS = tuple(
    """lowest smallest least shortest fewest less first shorter lower smaller fewer""".split()
)
QUANTIFIERS = frozenset("more most fewer fewest less least".split())
_PAIRS = tuple(
    pair.split(":")
    for pair in """earlier:later earliest:latest larger:smaller largest:smallest bigger:smaller biggest:smallest
    higher:lower highest:lowest longer:shorter older:younger oldest:youngest farther:closer taller:shorter
    tallest:shortest""".split()
)
# Word -> the comparative or superlative of the other direction.
OPPOSITES = {
    **dict(_PAIRS),
    **{two: one for one, two in reversed(_PAIRS)},
    "first": "second",
    "second": "first",
    "last": "first",
    "greater": "smaller",
    "greatest": "smallest",
    "fewer": "more",
    "fewest": "most",
    "less": "more",
    "least": "most",
}
# Words that relate two amounts by a factor, and all words of such relations.
FACTOR_WORDS = frozenset(
    "twice half three double doubled doubles doubling triple tripled triples tripling times".split()
)
RELATION_WORDS = FACTOR_WORDS | frozenset(
    """more fewer less than as many older younger taller shorter heavier lighter faster slower longer higher lower
    cheaper expensive earlier later increase increased increases decrease decreased decreases""".split()
)
# Comparatives of the questions over passages, each with its opposite.
OPPOSITE_COMPARATIVES = {
    "more": "fewer", "fewer": "more", "less": "more", "longer": "shorter", "shorter": "longer", "higher": "lower",
    "lower": "higher", "larger": "smaller", "smaller": "larger",
}  # fmt: skip
# Adjectives after "how", each as it follows a measure in the answer: "3 feet tall", but "3 miles".
MEASURE_ADJECTIVES = {
    "long": "", "far": "", "tall": "tall", "old": "old", "deep": "deep", "high": "high", "wide": "wide", "heavy": "",
}  # fmt: skip
# Nouns of accounts that are amounts of money themselves: "the net income", "the operating expenses".
FINANCIAL_MEASURES = frozenset(
    """income revenue revenues sales turnover expense expenses cost costs expenditure expenditures profit profits loss
    losses earnings ebitda ebit cash equivalents debt borrowings equity assets liabilities receivables payables goodwill
    tax taxes fees compensation depreciation amortization amortisation interest dividends proceeds payments contributions
    provision provisions reserve reserves allowance charges benefits credits carryforward carryforwards carry-forwards
    royalties commissions salaries wages rent purchases deposits obligations commitments capital surplus deficit
    premiums investment investments accruals remuneration deferrals adjustments impairment flow flows asset liability
    funding bookings receivable payable write-offs recoveries creditors backlog""".split()
)
# Nouns of accounts that are things with a value: "the value of finished goods".
VALUED_THINGS = frozenset(
    """goods materials work-in-process work-in-progress inventory inventories equipment furniture machinery buildings
    improvements land supplies merchandise securities bonds property properties plant software""".split()
)
# Nouns that name a figure: "the fair value of", "the number of", "the discount rate".
MEASURE_NOUNS = frozenset(
    """amount amounts value number price prices rate margin ratio percentage yield volatility balance balances
    headcount fee dividend gain gains deduction deductions spend spending bonus salary charge contribution credit
    benefit payment acres shares orders dues return returns proportion shipments""".split()
)
# Words that do not identify a figure alone: "the total", "other".
UNNAMED_FIGURES = frozenset(
    """the and for net total totals other others amount amounts value values number balance balances figure issued
    granted vested exercised forfeited basic diluted current non-current federal state foreign domestic additions
    disposals transfers beginning ending opening closing end start period year years within one two five than later more less""".split()
)
# Nouns that have no singular.
NOUNS_WITHOUT_SINGULAR = frozenset(
    "scissors pants jeans shorts glasses sunglasses clothes goods fries sandals socks".split()
)
# Plurals whose singular ends in "ie".
NOUNS_IN_IE = ("cookies", "brownies", "movies", "pies", "ties", "hoodies", "smoothies", "selfies")
# Counted nouns that do not state the kind of a thing.
NOUNS_OF_NO_KIND = frozenset(
    "times others ways pieces bills coins friends siblings inches feet sets rows".split()
)
# Nouns after "per" or "each" that are no owners or containers.
NOT_ONE_THING = frozenset(
    """cent capita day week month year hour minute second night weekend semester quarter game inning gallon mile foot
    square cubic serving dozen round shift session trip visit""".split()
)
# Kinds of places and events that a remark repeats: "the pet store".
PLAIN_KINDS = frozenset(
    """grocery pet toy shoe flower clothing hardware candy music book electronics department convenience furniture video
    donut ice sports coffee pizza art craft school birthday football soccer basketball baseball dinner dance
    chess""".split()
)
# Adjectives that a remark leaves out: "the local store" becomes "the store".
DROPPED_KINDS = frozenset("local nearby small big little favorite own nice busy new certain".split())
# Nouns that identify no step.
NOUNS_OF_ANY_STEP = frozenset("dollars dollar money cent cents number amount total cost costs".split())
# Nouns that "have" things, where a box or a bag "holds" them.
HAVING_HOLDERS = frozenset("class room classroom team group page".split())
# Words that many lines of a table share, so that they name none: "total net amount at December 31".
NAMES_OF_NO_LINE = frozenset(
    """the and for from with was were are has had its our their total net other year years ended fiscal million
    millions thousand thousands billion sum amount amounts value average change changes in all january february march
    april may june july august september october november december""".split()
)
