"""The one place that knows what a number looks like: finds, reads and writes numbers in English text.

What `find` reports, and as what (KINDS):

    cardinal  7  1,050  -3  #1  2-year (2)      decimal   7.3  .5  12.46. (12.46)
    money     $5  $ 1,193.50  50¢               percent   5%  5 percent (the value is 5, not 1/20)
    ordinal   16th  third  twenty-first         fraction  3/4  1 1/2  2½  5 and a half
    year      in 1998  1990s  1995-96  1568/9   date      May 5  12/05/2020 (12, 5, 2020)
    time      10:30 (10 and 30)  5 p.m.         range     24-17 (24 and 17)
    word      twenty-one  a dozen  half  two and a half  one-third  minus three

The span is what makes the value, and no more: digits with sign, grouping and decimals, an ordinal's
suffix, a scale word ("3 million" is one number, 3000000; so is "2 dozen", 24), but no currency or percent
sign (only "-$5" keeps both, because the sign is part of the value). So `parse(q.text) == q.value` always.

Not numbers: digits in names (B2B, COVID-19, F-16, 49ers, 3.10.2), citations [1], addresses of web and
mail, `&#233;`, digit runs over 400; words that only hold a number (once, twice, both, pair, dozens); a scale
word without a count (several thousand); and the ambiguous words where the text does not make it sure:
"one" as pronoun (each one, one of, the red one, no one), "second" as time, "half" of a game or a
thing (the second half), "at first", "three quarters" unless "of" follows (coins, games). A comma
lists numbers: "3,4" is two, "1,050" one, and the words "one thousand, five" are two (num2words'
"one thousand, two hundred and five" is one). A text that writes "1.234,56" has decimal commas, and "20 000" is one
number in a text without commas between thousands.

`stated` reads more: words for multiples (twice, thrice, a quarter as many), 40 % as 2/5 and 50 cents as 1/2.

Chinese numerals (`chinese`) are found as words, 十二个 and 三百零五元, where they surely count: not 一共, 第三, 两三个.
"""

from dnc_datasets.numerals import cardinals, chinese
from dnc_datasets.numerals._find import find, forget, parse
from dnc_datasets.numerals._implied import implied
from dnc_datasets.numerals._quantity import KINDS, Quantity, Ratio
from dnc_datasets.numerals._spell import can_spell, spell, spell_ordinal
from dnc_datasets.numerals._stated import Stated, stated
from dnc_datasets.numerals._write import digits, is_local, said

__all__ = [
    "KINDS",
    "Quantity",
    "Ratio",
    "Stated",
    "can_spell",
    "cardinals",
    "chinese",
    "digits",
    "find",
    "forget",
    "implied",
    "is_local",
    "parse",
    "said",
    "spell",
    "spell_ordinal",
    "stated",
]
