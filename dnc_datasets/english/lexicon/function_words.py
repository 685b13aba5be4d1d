"""Function words: pronouns, determiners, auxiliaries, prepositions, and the sets of them that one rule needs."""

from __future__ import annotations

# Words that carry no entity, so that two statements may share them.
EMPTY_WORDS = frozenset(
    """a an the of to in on at by for from with and or but is are was were be been has have had do does did
    there that this these those each every per all some many much more than as if so not no will would can
    could out up into over under about after before during when while which who how what""".split()
)
SUBJECT_OPENERS = frozenset("he she they we there you his her the a an my our their".split())
CAPITALISED_OPENERS = frozenset(
    """The A An There He She They It We You If Each Every How What Given Assuming Now Then Later On In At
    During After Last However Exactly This That His Her Their My Our Some All One Two Three Four Five Six
    Seven Eight Nine Ten When While For By Also Eleven Twelve Twenty Thirty Forty Fifty Sixty Seventy Eighty
    Ninety Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen Before Once Suppose Today Yesterday
    Calculate Find Determine Initially Additionally Afterwards Finally Lastly First To""".split()
)
# Words that are no head of "the ...". Another phrase follows them.
NO_HEAD_NOUNS = frozenset(
    """of in on at for from with by to and or if when while than as is are was were be has have had will would
    can could did does do first second third last next other same rest total number amount beginning end
    morning afternoon evening day week month year time days weeks hours minutes price cost way remaining he
    she they it you we i his her their its most least more""".split()
)
AFTER_OBJECT_HER = frozenset(
    """to for in on at with from by after before if when and or so now left then back as need until have total""".split()
)
# Words that end a noun phrase after a number.
NOUN_PHRASE_STOPS = frozenset(
    """in on at from to with by for into onto over under during after before about around near inside outside
    between among than as per and or but if when while because so that which who is are was were be been has
    have had do does did can could will would should may might must each every apiece left now then today
    yesterday last this next later away out off up down back total altogether together all both too also
    still already long wide tall high deep old short equally the a an his her their its he she they it there""".split()
)
COUNT_ADJECTIVES = frozenset("more fewer less other additional extra remaining new".split())
ASKED_NOUN_STOPS = frozenset(
    """do does did is are was were will would can could should has have ? if more fewer than still""".split()
)
SUBJECT_PRONOUNS = frozenset("he she they it we you i".split())
DETERMINERS = frozenset(
    """one two three four five six seven eight nine ten twelve the a an his her their each every my your our
    its this that these those both all""".split()
)
QUESTION_ADVERBS = frozenset(
    """initially still actually now currently originally also each all both already only""".split()
)
# Words that may follow the verb of a question for its object. Any other word may begin a second object.
PHRASE_STARTERS = frozenset(
    """in on at for from by each every per during after before altogether together total left now then if when
    while until since over today tomorrow yesterday last this next initially originally more daily weekly
    monthly with without using so because overall combined as than inside into onto across between through
    within throughout there here a""".split()
)
STRANDED_PREPOSITIONS = frozenset("in on at to with from for by into of against over".split())
PARTICLES = frozenset("up out away off back down".split())
# "each of them", "each for $3", "Amy and Ben each have": no "every" there.
NOT_BEFORE_EACH = frozenset(
    """of for to other one and in on at from with into way is day having have take get has need eat his her
    their""".split()
)
PASSAGE_PHRASE_STARTERS = frozenset(
    "in on at during by against per total altogether all until before throughout".split()
)
PREPOSITIONS_BEFORE_PERIOD = frozenset("for over by in with at from on against during within".split())
THIRD_PERSON_PRONOUNS = frozenset("he she it they his her its their".split())
SUBORDINATORS = frozenset("after before until when if where that which".split())
SUBJECT_STARTERS = frozenset(
    "the a an he she they it his her their this that these those its both each".split()
)
DO_FORMS = frozenset("did do does".split())
BE_FORMS = frozenset("was were is are".split())
ADJUNCT_STARTERS = frozenset(
    """in on at for from by each every per during after before to with a altogether""".split()
)
VERBS_OF_NO_STEP = frozenset(
    """have had has is are was were be need needs needed been do does did can would""".split()
)
SENTENCE_SUBJECTS = frozenset("He She They It The His Her Their Each Every You We".split())
MODALS = frozenset("will would can could should must".split())
NOT_IN_ASKED_NOUN = frozenset("that who which does if and to as per".split())
PLACE_PREPOSITIONS = frozenset("in on at inside between under behind".split())
# Words that may follow an amount of money; before any other word it describes a thing ("a $5 ticket").
AFTER_MONEY_AMOUNT = frozenset(
    """a an and are as at be because but by do did does during each every extra for from had has have he how i
    if in into is it last left less long more next of off on or out over per she so spent than that the
    their then there they this to today total towards until was we were when which while will with worth
    would yesterday you after before between altogether now only instead saved""".split()
)
# Words with a capital only because they open a sentence.
NOT_NAMES_BEFORE_NUMBER = frozenset(
    """a about after all almost an and another approximately around at but by down during exactly for from her
    his its just nearly of on only or over roughly since some that the their then these they this those to
    under up until when while with within""".split()
)
# After a number, these words name no counted thing.
NOT_COUNTED = frozenset(
    """of more less fewer left in on at for to from with and or but is are was were has have had than as each
    per if after before then different other new old remaining extra additional times""".split()
)
REORDERING_STOPS = frozenset(
    """in on at to for from with by if when while than and or of has have is are was were now then still also
    originally actually need harvest""".split()
)
QUESTION_WORDS = frozenset(
    """how many much what is was are were do does did the a an of there in to for at on his her their""".split()
)
# Words that a question may have beside those of the text.
STEP_QUESTION_WORDS = frozenset(
    """how many much what is was are were will would be do does did the a an of there in to for at on from by
    with his her their its he she they it and or all both each every per one total number cost amount money
    sum s spend pay make earn have get use sell buy eat need minutes hours days weeks months years dollars
    cents minute hour day week month year first second third altogether combined together that only""".split()
)
FINITE_AUXILIARIES = frozenset("did do does was were is are had has have".split())
PREPOSITIONS = frozenset(
    """in on at from of for during after before by with according between to as within over under among""".split()
)
COMPARISON_QUESTION_WORDS = frozenset(
    "how many much are is was were there did do does the a an in on at of".split()
)
# Words that a question gains or loses when it becomes a yes-or-no question.
GRAMMAR_WORDS = frozenset(
    """how many much what is was s are were do does did the a than more fewer less greater above below at least most
    exactly of there be thousand million billion calculate find determine compute years old in dollars total
    all then it for""".split()
)
# Words that open a sentence and lose their capital inside one.
SENTENCE_OPENERS = frozenset(
    """a an the this that these those there here he she it they we you his her its their our your my some
    any all both each every another other one two three four five six seven eight nine ten eleven
    twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
    sixty seventy eighty ninety hundred several many most half about above across after along
    although among around as aside at because before behind below beside besides between beyond by
    despite down during except for from given if in including inside into like near of off on once
    onto out outside over past per since through throughout till to toward under unless until up
    upon when whenever where whereas while with within without and but or so yet then now today
    yesterday tomorrow tonight later next last first second third finally lastly initially recently
    originally together altogether additionally however also only just still already even again
    meanwhile afterwards afterward usually often sometimes always everyone everybody everything
    someone nobody people students children kids boys girls workers members teachers men women birds
    animals red white black blue green yellow orange purple brown pink gray grey big small large
    little new old young hot cold winter summer spring autumn fall morning afternoon evening night
    what how which who whose being having feeling wanting working using determined tickets apples cookies pencils books
    balloons admission lunch dinner breakfast school class movie mother mom dad father grandma
    grandpa unfortunately eventually luckily""".split()
)
AUXILIARIES = frozenset("is are was were has have had can could will would do does did".split())
# Nouns without a plural: there is more or less of them, and not fewer.
MASS_NOUNS = frozenset(
    "rain rainfall snow snowfall precipitation water oil gas fuel electricity energy power money cash income revenue "
    "profit debt land food grain rice wheat corn coal steel iron gold silver copper milk beer wine traffic crime "
    "pollution trade growth unemployment inflation time weight waste damage tourism funding sunshine".split()
)
# A noun phrase of a choice ends before these.
CHOICE_STOPS = frozenset("in of as on at during or than".split())
# "two days after", "three straight years": a noun phrase with one of these states a time or an order.
ORDER_WORDS = frozenset("after before since past straight lead".split())
PERIOD_LIMITS = frozenset("since between from before after until".split())
CLAUSE_LINKS = frozenset("if when after before that than and or".split())
FINITE_PRESENT = frozenset("is are has have can will does".split())
APPROXIMATORS = frozenset("for about approximately around exactly roughly by".split())
DETERMINERS_OF_NOUN = frozenset("the a an his her their".split())
# Words that may follow the verb of a question about a number of things at a place: "How many seats are left?"
PREDICATES = frozenset(
    "left needed remaining available required not still sold empty missing present".split()
)
# Auxiliaries that replace the verb after a name: "more than Amy does".
SINGULAR_AUXILIARIES = frozenset("does did has had is was".split())
PRESENT_AUXILIARIES = frozenset("is are has have does do".split())

# Common words of other languages that are no English words, to recognise a text that is not English.
FOREIGN_WORDS = frozenset(
    # German
    "der das dem den ein eine einen einem und ist sind hat haben wie viele viel wird nach von mit für auf nicht noch "
    "sich auch aus bei zu zum zur kostet insgesamt jetzt er sie wenn pro "
    # French
    "le la les un une des du est sont elle combien avec pour dans sur et il ont plus chaque reste au aux qui que coûte "
    # Spanish and Portuguese
    "el los las uno unos unas es cuántos cuántas cuánto cuantos cuantas tiene tienen quedan con por para más cada y "
    "em na um uma quantos quantas quanto tem são não os do da das dos mais "
    # Italian and Dutch
    "gli di che quanti quante ha hanno sono nel della het een van hoeveel heeft zijn met voor er ze per "
    # Polish, Turkish, Indonesian, Vietnamese
    "jest ile ma kaç bir ve tane var berapa dan yang bao nhiêu có của".split()
) - frozenset("do per no plus met van ma ha er dan".split())

# Words of comparative questions that name nothing: "How many more ... are there than ...?"
COMPARING_QUESTION_WORDS = frozenset(
    "how many much more fewer less longer shorter higher lower there".split()
)
# Words that occur only in the frame of a choice or of its comparison.
CHOICE_FORMS = frozenset("was were is are did does do there than in had has saw which what year who".split())
# Words after a number or an article that name no thing.
NOT_A_THING = frozenset(
    "it he she they this that total rest cost price bill rate fee difference other one budget savings amount sum".split()
)
# Words that end the subject of a question and are not its verb.
NOT_A_VERB = frozenset("more fewer less that who if".split())
# Words before a number that refers to an earlier statement: "the last 2", "these 5".
STATED_BEFORE = tuple("last first other remaining these those all both next the her his same final".split())
