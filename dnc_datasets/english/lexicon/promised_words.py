"""Words by which two texts of a problem are compared: ties, opposites, qualifiers and others."""

from __future__ import annotations

# A number near one of these holds for each of several things; near one of the second list it may.
RATE_WORDS = frozenset(
    """each every per apiece daily weekly monthly yearly annually annual hourly nightly individually mph /""".split()
)
POSSIBLE_RATE_WORDS = RATE_WORDS | frozenset(
    """a an individual average rate speed respectively single one any of with in within""".split()
)
PERIODS_AFTER_ARTICLE = frozenset(
    "day week month year hour minute second night mile dozen pound gallon person".split()
)
SHARING_WORDS = frozenset(
    """share shares shared split divide divided altogether together total combined between among all both""".split()
)
# Words that refer to an earlier state.
LOOKING_BACK_WORDS = frozenset("after before once having when following prior".split())
# A number before one of these is a total.
TOTAL_WORDS = frozenset("altogether total combined together overall".split())
# Comparatives by direction. An amount is above or below another one.
UPWARD = frozenset(
    """more older taller longer larger bigger higher greater farther further heavier faster above exceed exceeds exceeded
    exceeding surpass surpassed surpasses surpassing additional extra outnumber ahead beyond over plus older senior
    increase increased increases outpaced another later""".split()
)
DOWNWARD = frozenset(
    """fewer less younger shorter smaller lower lighter slower below under fewer cheaper minus short junior decrease
    decreased decreases reduce reduced discount off earlier behind""".split()
)
# Pairs of words of which one turns the meaning of the other. Forms of verbs are written out.
OPPOSITE_VERBS = tuple(
    tuple(side.split() for side in pair.split(":"))
    for pair in (
        "give gives gave given giving donate donates donated donating:receive receives received receiving",
        "buy buys bought buying purchase purchases purchased purchasing:sell sells sold selling",
        "lose loses lost losing:find finds found finding win wins won winning gain gains gained gaining",
        "lend lends lent lending:borrow borrows borrowed borrowing",
        "rise rises rose rising risen increase increases increased increasing:"
        "fall falls fell falling fallen decrease decreases decreased decreasing drop drops dropped dropping",
        "add adds added adding:remove removes removed removing subtract subtracts subtracted subtracting",
        "deposit deposits deposited depositing:withdraw withdraws withdrew withdrawing",
        "earn earns earned earning:spend spends spent spending",
        "arrive arrives arrived arriving join joins joined joining enter enters entered:"
        "leave leaves departs departed exit exits exited",
        "board boards boarded boarding:alight alights alighted disembark disembarks disembarked",
        "push pushes pushed:pull pulls pulled",
        "fill fills filled filling:empty empties emptied drain drains drained leak leaks leaked",
    )
)
OPPOSITE_WORDS = (
    *OPPOSITE_VERBS,
    *(
        tuple(side.split() for side in pair.split(":"))
        for pair in (
            "cheap cheaper cheapest:expensive",
            "maximum most largest highest greatest biggest longest oldest tallest:"
            "minimum least smallest lowest fewest shortest youngest",
            "before:after", "above:below", "inside:outside", "up:down", "first:last",
            "open opens opened:close closes closed", "start starts started begin begins began:end ends ended finish finished",
            "present attended:absent missed", "awake:asleep", "early:late", "boys boy:girls girl", "men man:women woman",
            "mother mom:father dad", "sister sisters:brother brothers", "weekday weekdays:weekend weekends",
            "morning:evening night", "adult adults:child children", "length:width", "more:fewer less",
            "more:less", "faster:slower", "older:younger", "longer farther:shorter closer", "heavier:lighter",
            "higher taller:lower shorter", "larger bigger greater:smaller", "taken occupied:free vacant",
        )
    ),
)  # fmt: skip
# Words for a remainder.
REMAINDER_WORDS = frozenset(
    "remaining rest remainder leftover left remain remains remained still other others balance".split()
)
# Qualifiers by meaning. Where one text has a phrase of the first part, the other has a phrase of either part.
QUALIFIERS = tuple(
    tuple(part.split(":") for part in group.split("|"))
    for group in (
        "exactly|precisely",
        "at least|minimum:no fewer than:no less than:or more:minimal:or higher",
        "at most:no more than|maximum:up to:or fewer:limit:capacity:most:highest",
        "consecutive:consecutively|in a row:straight:successive:continuous",
        "weekday:weekdays:school day:school days:workday:workdays|monday to friday:working",
        "every other|alternate:alternating:second",
        "square|squared:area", "cubic|cubed:volume", "equally:evenly|equal:same:even:identical:each",
        "remaining:rest:leftover:remainder:left over|left:remain:remains:remained:still:other:others:more:further:rested",
        "all but|except:apart from:aside from:other than",
        "combined|together:total:sum:both:all:altogether:overall:entire:joint:jointly:collective:collectively:whole:added",
        "odd|odd", "even number|even", "inclusive:including|include:includes:inclusive:with:well",
    )
)  # fmt: skip
NEGATIONS = frozenset(
    "not never without none nor neither except cannot n't don't didn't isn't doesn't wasn't".split()
)
POSSIBLE_NEGATIONS = NEGATIONS | frozenset(
    """no unable fail fails failed lack lacks lacked aren't weren't won't couldn't wouldn't hasn't haven't hadn't absent
    excluding excluded apart rather instead stopped ceased missing broken refused nothing nobody no-one free
    besides only until avoid avoided skip skipped miss missed short remaining rest other others""".split()
)
# Kinds of questions by their words. A question of one kind is not reworded as one of another kind.
ASKED_KINDS = {
    "left": "left remain remains remaining remained leftover leftovers remainder surplus still continue unsold",
    "difference": "more fewer less difference additional extra exceed exceeds exceeded short further",
    "each": "each per every apiece average individual individually single",
    "share": "percent percentage fraction proportion portion",
    "profit": "profit profits net",
    "start": "start started begin began beginning initially originally initial original before",
}  # fmt: skip
ASKED_KINDS_OF_WORDS = {word: kind for kind, words in ASKED_KINDS.items() for word in words.split()}
# Measured dimensions, by the words that ask for them.
ASKED_DIMENSIONS = {
    "length": "far distance length long",
    "time": "time duration long",
    "age": "old age",
    "speed": "fast speed",
    "height": "tall height high",
    "weight": "heavy weight weigh weighs",
    "area": "area square",
    "depth": "deep depth",
    "width": "wide width",
}
# Forms of a unit of time with the same meaning: "daily" is "per day".
UNIT_FORMS = {
    "daily": "day", "everyday": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annual": "year",
    "annually": "year", "hourly": "hour", "mph": "mile", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute",
    "feet": "foot", "inches": "inch", "lb": "pound", "lbs": "pound", "oz": "ounce", "kg": "kilogram", "kgs": "kilogram",
    "km": "kilometer", "cm": "centimeter", "m": "meter", "ml": "milliliter", "ft": "foot", "kilograms": "kilogram",
    "kilometre": "kilometer", "metre": "meter", "litre": "liter", "footage": "foot", "mileage": "mile",
    "cents": "dollar", "cent": "dollar", "dollar": "dollar",
}  # fmt: skip
# Words of English mathematics problems that distinguish nothing.
FILLERS = frozenset(
    """total number amount quantity given determine calculate find figure many much how what will would can could did
    does do is are was were be been being have has had get gets got one ones also then now there which who that this
    these those it its he she they his her their him them a an the of to in on at by for from with and or but if so as
    than each every per when while after before during into out up all both more less fewer other some any you your i my
    we our s t not no currently there's let's suppose assuming considering know knowing however addition additionally
    cost costs price priced""".split()
)


# Words that separate clauses. They come and go when clauses move.
CLAUSE_JOINERS = frozenset(
    """and but or nor so yet if when while whereas because since although though then that which who suppose
    supposing assuming provided imagine however therefore meanwhile also addition additionally finally lastly later earlier afterwards
    afterward next after before until once unless""".split()
)
# Words before which a phrase of a clause starts, so that it can move to the front or to the end.
PHRASE_OPENERS = frozenset(
    """on in at during for from by with to after before over under into onto inside near between among within
    throughout last next yesterday today tomorrow now then each every per there initially originally currently
    altogether together still already later together total left afterwards""".split()
)
# Words that a rewording may add or drop: frames of a question, auxiliaries, articles, words for a total.
FREE_WORDS = frozenset(
    """a an the of to in on at by for from with as is are was were be been being has have had do does did there it
    this that these those what how many much number amount total totaled totals altogether overall all together sum
    money distance time height age price cost now then also too well both per order will would can could should must able
    s out up away off back currently present find calculate work determine question answer following facts fact case
    true consider here suppose assume who which whose one ones end known period combined""".split()
)
# Words that may replace each other.
WORD_GROUPS = tuple(
    group.split()
    for group in (
        "buy purchase", "get receive", "eat consume", "find discover", "finish complete", "start begin beginning first initially originally",
        "throw rid", "more another additional", "big large size", "decide choose", "need require", "collect gather pick",
        "have own contain hold", "put place", "build construct", "equally evenly", "left leave remain remaining leftover still rest remainder", "visit go",
        "want wish like", "plan planning intend", "try attempt", "earn make", "spend pay",
        "cost price priced", "old age", "tall height high", "far distance", "long time length", "wide width", "deep depth", "weigh weight",
        "only just", "twice double", "same equal", "percentage percent", "about approximately", "enough sufficient", "worth value", "many lot", "can able manage",
        "each every apiece",
        "kinds types", "whole entire",
    )
)  # fmt: skip
# Words that `order` adds where the first statement moves to a later place: "If she had 9 pens at first".
STARTING_WORDS = frozenset("first initially originally start begin beginning".split())
# Verbs whose two parties change sides where one replaces the other: Amy gave Ben 3 pens, Ben got 3 pens from Amy.
CONVERSE_VERBS = tuple(
    pair.split(":")
    for pair in "give:get give:receive sell:buy sell:purchase lend:borrow send:receive".split()
)
FEMALE_PRONOUNS = frozenset("she her hers".split())
MALE_PRONOUNS = frozenset("he him his".split())
PRONOUN_FORMS = (
    FEMALE_PRONOUNS
    | MALE_PRONOUNS
    | frozenset("they them their theirs it its i we you our my your me us".split())
)
ARTICLES_AND_POINTERS = frozenset("a an the this that these those some".split())
