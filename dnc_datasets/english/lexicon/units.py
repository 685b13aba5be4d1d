"""Units of measure and money, months, days and nouns of time, with alternations for regular expressions."""

from __future__ import annotations

from collections.abc import Iterable

from dnc_datasets.english.lexicon.numbers import SMALL_NUMBERS

LENGTH_UNITS = frozenset(
    """inch inches foot feet yard yards mile miles millimeter millimeters centimeter centimeters meter meters metre metres
    kilometer kilometers kilometre kilometres mm cm m km ft""".split()
)
WEIGHT_UNITS = frozenset(
    "ounce ounces oz pound pounds lb lbs ton tons gram grams kilo kilos kilogram kilograms kg".split()
)
VOLUME_UNITS = frozenset(
    "gallon gallons liter liters litre litres quart quarts pint pints cup cups milliliter milliliters ml".split()
)
AREA_UNITS = frozenset("acre acres".split())
TIME_UNITS = frozenset(
    "second seconds minute minutes hour hours day days week weeks month months year years".split()
)
MONEY_UNITS = frozenset("dollar dollars cent cents".split())
SCORE_UNITS = frozenset("point points percent degree degrees calorie calories".split())
# The plural units of each kind, the most usual first.
UNITS_BY_KIND = {
    "time": tuple("hours minutes seconds days weeks months years".split()),
    "weight": tuple("pounds ounces grams kilograms tons kg lbs".split()),
    "volume": tuple("liters gallons quarts pints milliliters cups ounces".split()),
    "length": tuple("miles kilometers meters feet inches yards centimeters km".split()),
}
PHYSICAL_UNITS = LENGTH_UNITS | WEIGHT_UNITS | VOLUME_UNITS | AREA_UNITS
UNITS_OF_MEASURE = PHYSICAL_UNITS | TIME_UNITS | MONEY_UNITS | SCORE_UNITS
ABBREVIATED_UNITS = frozenset("mm cm m km ft oz lb kg ml".split())
# The units that follow "how many".
PLURAL_UNITS = ABBREVIATED_UNITS | frozenset(
    unit for unit in UNITS_OF_MEASURE if unit.endswith("s") or unit in ("feet", "percent")
)
FOREIGN_MONEY = frozenset("euro euros rupee rupees yen".split())
LONG_PERIODS = frozenset("decade decades night nights weekend weekends".split())
MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
HOLIDAYS = frozenset("Christmas Halloween Easter Thanksgiving".split())
MONTHS_DAYS_HOLIDAYS = frozenset((*MONTHS, *WEEKDAYS)) | HOLIDAYS
OCCASIONS = frozenset("session day week month hour minute game round trip lesson year time".split())
PERIODS = frozenset(
    """day week month year night morning afternoon evening weekend summer winter time""".split()
)
VAGUE_COUNTS = frozenset("pair couple lot few total more".split())
RATE_NOUNS = frozenset("minute hour day night week month year piece person pound mile gallon dozen".split())
MONTH_ABBREVIATIONS = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
LONG_DISTANCES = frozenset("mile miles km kilometer kilometers kilometre kilometres".split())
BODY_WEIGHT_UNITS = WEIGHT_UNITS - frozenset("ounce ounces oz ton tons gram grams".split())


def is_unit(word: str) -> bool:
    """Return whether the word names a unit of measure, money or time, in the singular or the plural."""
    return word in UNITS_OF_MEASURE


def any_of(words: Iterable[str]) -> str:
    """Return an alternation of the words, longer ones first so that no word hides one that it begins.

    >>> any_of(("day", "days"))
    'days|day'
    """
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


MONTH = any_of(MONTHS)
TIME_UNIT = any_of(unit for unit in TIME_UNITS if not unit.endswith("s"))
PLURAL_UNIT = any_of(PLURAL_UNITS)
NUMBER_TO_TWELVE = any_of(SMALL_NUMBERS[1:13])
# Units of dates that a question may count, each with its singular.
CALENDAR_UNITS = {
    "years": "year",
    "days": "day",
    "months": "month",
    "weeks": "week",
    "year": "year",
    "day": "day",
}
# Counts fixed by convention: noun -> number -> a word that the text must also have, or nothing.
CONVENTIONAL_COUNTS = {
    "hour": {24: ""}, "week": {52: ""}, "day": {365: "", 366: "", 7: "week"}, "month": {12: ""}, "card": {52: ""},
    "letter": {26: "alphabet"}, "state": {50: ""}, "key": {88: ""}, "hole": {18: ""}, "inning": {9: ""},
    "cent": {100: "dollar"}, "player": {11: "team"}, "egg": {12: "dozen"}, "ounce": {16: "pound"},
    "inche": {12: "f[oe]+t"}, "degree": {90: "", 180: "", 360: ""}, "minute": {60: "hours?"}, "second": {60: "minutes?"},
    "item": {12: "dozen"}, "roll": {12: "dozen"}, "donut": {12: "dozen"}, "cookie": {12: "dozen"},
}  # fmt: skip


def _ranges(text: str) -> dict[str, int]:
    return {noun: int(most) for most, *nouns in map(str.split, text.splitlines()) for noun in nouns}


# Noun in the singular -> the most dollars that one of them usually costs.
USUAL_PRICES = _ranges(
    """2 diaper egg stamp sticker button bead straw napkin peanut grape
    6 pencil eraser pen crayon lollipop candy cookie apple banana orange pear lemon lime peach plum carrot potato onion tomato cucumber donut doughnut balloon marble gumball
    9 cone popsicle cupcake muffin bagel pretzel soda juice lemonade popcorn chip coffee brownie bun roll croissant avocado mango hotdog bracelet card envelope ruler marker folder notebook
    15 burger hamburger sandwich taco burrito salad milkshake smoothie fries loaf bread milk cereal magazine comic candle soap toothbrush sponge mug plate cup
    40 pizza pie cake melon watermelon pumpkin doll ball puzzle shirt tie sock hat cap scarf glove belt novel book
    120 ticket meal dress jean pant skirt sweater blouse jersey pillow blanket towel toy game lamp backpack
    400 shoe boot jacket coat chair helmet scooter skateboard tent watch"""
)
# Words of a sentence, the nouns that a number counts there, and the largest usual number.
USUAL_COUNTS = (
    ("litter litters gave birth pregnant", "puppies kittens cubs piglets babies", 9),
    ("day daily night", "hours", 14),
    ("sleep sleeps slept", "hours", 11),
    ("pizza pizzas", "slices", 16),
    ("family families mother father parents", "children kids sons daughters siblings brothers sisters", 8),
    ("attended attends attend takes took taking enrolled", "courses classes subjects", 12),
    ("typed type types typing", "words", 120),
    ("walked walk walks walking hiked hikes hike", "miles kilometers", 25),
    ("ran run runs jogged jogs jog running", "miles kilometers", 30),
    ("ate eats eat", "cookies slices sandwiches apples bananas eggs hotdogs burgers donuts pancakes", 20),
    ("book books novel", "chapters", 60),
    ("month monthly", "days", 31),
    ("gallon gallons", "miles kilometers", 60),
    ("write writes wrote written writing author", "pages", 60),
    ("lioness lionesses tigress cat dog hamster rabbit", "cubs kittens puppies pups", 9),
    ("pie pies cake cakes", "apples peaches lemons eggs bananas pears", 16),
    ("table tables", "people women men guests customers children", 14),
    ("team teams", "players", 30),
    ("vacation vacations", "vacations", 8),
)

# Quantities with natural bounds: a tenfold height, age, speed or score is not plausible.
NATURALLY_BOUNDED = frozenset(
    "hair tall taller shorter height heights high deep deeper thick thicker old older younger age aged ages "
    "temperature temperatures speed mph weigh weighs weighed weight score scored scores test tests exam exams quiz "
    "marathon elevator pregnant born pushups situps lap laps rain rains rained rainfall rainwater snow snows snowed "
    "snowfall eat eats ate drink drinks drank pill pills medicine stair stairs calories".split()
)
# Amounts that one person or family does in a day, or that fit into a room or a bag.
OF_A_DAY_OR_ROOM = frozenset(
    "eating eaten drinking sandwich sandwiches pizza pizzas sleep sleeps slept chew chews family bedtime recipe "
    "walk walks walked walking run runs ran running jog jogs jogged swim swims swam bike bikes biked hike hikes "
    "hiked climb climbs climbed drive drives drove breakfast lunch dinner classroom birthday kitchen team van vans "
    "bus buses read reads reading cook cooks cooked fries fried sleepover party backpack pocket pockets purse "
    "suitcase fridge babysit babysits".split()
)
# The same, stated anywhere in the story.
OF_A_SMALL_STORY = frozenset(
    "party recipe class classroom birthday homework sleepover picnic dessert batch flour bedroom".split()
)
