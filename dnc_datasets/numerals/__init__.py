"""Numbers in English text: find, read and write them.

`find` reports these kinds of numbers (KINDS):

    cardinal  7  1,050  -3  #1  2-year (2)      decimal   7.3  .5  12.46. (12.46)
    money     $5  $ 1,193.50  50¢               percent   5%  5 percent (the value is 5, not 1/20)
    ordinal   16th  third  twenty-first         fraction  3/4  1 1/2  2½  5 and a half
    year      in 1998  1990s  1995-96  1568/9   date      May 5  12/05/2020 (12, 5, 2020)
    time      10:30 (10 and 30)  5 p.m.         range     24-17 (24 and 17)
    word      twenty-one  a dozen  half  two and a half  one-third  minus three

The span of a number holds exactly the characters that determine its value: digits with sign, grouping and
decimals, the suffix of an ordinal, and a scale word. "3 million" is one number, 3000000, and "2 dozen" is 24.
Currency and percent signs are outside the span. Only "-$5" includes the currency, because the sign is part of
the value. Therefore `parse(q.text) == q.value` always holds.

These are not numbers:

- digits in names (B2B, COVID-19, F-16, 49ers, 3.10.2), citations [1], addresses of web and mail, `&#233;`,
  and digit runs over 400;
- words that imply a number (once, twice, both, pair, dozens), and a scale word without a count (several
  thousand);
- ambiguous words where the context does not decide: "one" as a pronoun (each one, one of, the red one, no
  one), "second" as a time, "half" of a game or an object (the second half), "at first", and "three quarters"
  without "of" (coins, games).

A comma separates the numbers of a list: "3,4" is two numbers and "1,050" is one. The words "one thousand,
five" are two numbers, but num2words' "one thousand, two hundred and five" is one. A text that contains
"1.234,56" has decimal commas. "20 000" is one number in a text without commas between thousands.

`stated` also reads words for multiples (twice, thrice, a quarter as many), 40 % as 2/5 and 50 cents as 1/2.

`chinese` finds Chinese numerals that are certainly counts, as kind "word": 十二个 and 三百零五元, but not 一共, 第三,
两三个.
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
