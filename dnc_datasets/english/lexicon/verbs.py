"""Verbs: their forms ("gave" -> "give"), and lists of verbs by kind."""

from __future__ import annotations

from functools import lru_cache


def _pairs(text: str) -> dict[str, str]:
    return {past: plain for past, _, plain in (pair.partition(":") for pair in text.split())}


# past -> plain, for verbs that do not take -ed
IRREGULAR_VERBS = _pairs(
    """was:be were:be is:be are:be had:have has:have did:do does:do ate:eat became:become began:begin
    bet:bet bit:bite blew:blow bought:buy broke:break brought:bring built:build came:come
    caught:catch chose:choose cost:cost cut:cut drank:drink drew:draw drove:drive dug:dig fed:feed
    fell:fall felt:feel flew:fly forgot:forget fought:fight found:find froze:freeze gave:give
    got:get grew:grow hid:hide hit:hit held:hold hung:hang kept:keep knew:know laid:lay led:lead
    left:leave lent:lend let:let lost:lose made:make meant:mean met:meet paid:pay put:put ran:run
    read:read rode:ride rose:rise said:say sang:sing sat:sit saw:see sent:send set:set shot:shoot
    shut:shut slept:sleep sold:sell spent:spend split:split spread:spread stole:steal stood:stand
    stuck:stick swam:swim taught:teach thought:think threw:throw told:tell took:take tore:tear
    went:go woke:wake won:win wore:wear wrote:write"""
)
# plain -> past, of the same verbs
PAST_FORMS = {
    plain: past for past, plain in IRREGULAR_VERBS.items() if past not in ("is", "are", "were", "has", "does")
}
# past participles that differ from the past
PARTICIPLES = _pairs(
    """eat:eaten begin:begun bite:bitten blow:blown break:broken choose:chosen drink:drunk draw:drawn
    drive:driven fall:fallen fly:flown forget:forgotten freeze:frozen give:given get:gotten
    grow:grown hide:hidden know:known ride:ridden see:seen sing:sung steal:stolen swim:swum
    throw:thrown take:taken tear:torn go:gone wake:woken wear:worn write:written run:run
    become:become come:come do:done be:been"""
)
_AUXILIARIES = frozenset(
    "is are was were am be been has have had do does did can could will would shall should may might "
    "must isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't "
    "won't wouldn't".split()
)
# Plain verbs of word problems: for "they sell", "you buy", and to undo -s and -ed.
PLAIN_VERBS = frozenset(
    """accept accommodate add answer arrange arrive ask attend bake become begin bet bite blow borrow
    bounce bowl break bring brush build burn buy call can carry catch charge check chew choose chop
    clean climb clip collect color come complete contain cook cost count cover crack crush cut deal
    deliver deposit dig divide do donate download draw drink drive drop earn eat employ empty enjoy
    enroll enter erase exercise explore fall feed feel fetch fill find finish fit fix float fly fold
    forget freeze gain gather get give go graze grow hand hang harvest have help hide hike hire hit
    hold hop host hunt include invite iron jog join jump keep kick knit know lack last lay lead
    learn leave lend let lift like list live load lose love make measure meet melt miss mix move mow
    need notice offer open order organize own pack paint park pass paste pay peel pet pick pile
    pitch place plan plant play post pour practice prepare print produce pull purchase push put
    raise rake read receive record recycle remain remove rent repair return ride rip roll run sail
    save saw say score see sell send serve set sew share ship shoot shop shovel show sing sit skate
    sleep slice snap solve sort spend spill split spread squeeze stack stand start stay steal step
    stick stop store study swim take talk teach tear tell think throw toss travel trade trim try
    turn type upload use visit volunteer wait walk want wash watch water wear weigh win wish work
    write yell yield delete owe vote attach decorate design develop discover distribute exchange
    explain practise assemble award bag bathe bike bind blend borrow bottle box bump cheer chase
    chip circle clap classify combine compare compose concern create cross cycle dance decide die
    dip display dive dress equal expect fish flip float fly follow frame gobble grab greet grill
    guess heat hatch hug improve install invest juggle label land laugh light line look mail march
    mark match migrate nail name note observe own participate peel perform photograph poke present
    press protect provide reach repay report request rescue reserve retire ring rise row rub rush
    sand scoop scratch search seat shake shave shine shout sign sink skip slide sneeze spin splash
    spray squash stamp staple stir stitch stretch string sweep swing tape taste test thread tie tour
    train transfer transport trap trick unload wag wake warm waste weave wipe wrap""".split()
)

_DOUBLED = frozenset(
    """stop drop plan shop chop clip flip grab hop hug hum jog mop nap pat pet pin plug pop rip rub scan
    ship skip slip snap step tap tip trap trim trip wag wrap zip bat bag chip clap dip drag fan""".split()
)

VERBS_BEFORE_TO = frozenset("have need want decide plan agree try".split())
# Actions that are possible with anything. "prints", "likes" and "matches" may be nouns.
VERBS_FOR_ANY_OBJECT = frozenset(
    """be have do give get buy sell lose find collect share divide own receive take keep leave need want donate
    put trade return bring hold contain box start store bag organize split row place park hand bottle pack
    go add discover clean come help equal decide throw mark crack order last earn create can pay purchase
    ask offer remain win drop send carry pick count save borrow distribute remove steal pass begin""".split()
)
TRADE_FORMS = frozenset("sell sold selling sells buy bought buying buys".split())
GAIN_VERBS = frozenset(
    """buy get find receive win earn collect pick make bake save add borrow gather catch score""".split()
)
# Actions that repeat, so that their amounts add up.
SUMMED_VERBS = frozenset(
    "earn pick collect read bake catch plant write save make gather find grow sew paint".split()
)
GIVING_VERBS = frozenset("give send hand bring buy lend".split())
LOSS_VERBS = frozenset(
    """steal forget cut take give lose use eat sell spend donate drop break throw return drink burn share send
    hand pay lend trade delete remove crush bury post mail read finish""".split()
)
ARRIVAL_VERBS = frozenset("come land join arrive start get fly swim walk enter sit".split())
# Actions that decrease or increase the number of things at a place.
CHANGE_VERBS = frozenset("take lose give eat sell fly leave remove add put come buy go".split())
INTENTION_VERBS = frozenset("try want need plan hope agree seek attempt".split())
VERBS_WITH_INFINITIVE = INTENTION_VERBS | frozenset("have get able going expect manage".split())
# "gave his brother ...": an indirect object is before the gap.
DITRANSITIVE_VERBS = frozenset(
    "give take cost pay send lend show owe hand charge bring buy offer teach".split()
)
STATE_VERBS = frozenset(
    """stay live act serve work rule reign remain own hold govern play coach occupy lead exist control maintain
    participate""".split()
)
# Actions with an amount of money. "buy on gold" is not English.
MONEY_VERBS = frozenset(
    """spend pay earn make save owe raise receive donate collect charge cost lose give invest deposit withdraw
    lend borrow bring get gain contribute win""".split()
)
PARTICIPLE_ADJECTIVES = frozenset("left set put cut baked painted colored stuffed used frozen broken".split())
ACQUIRING_FORMS = frozenset(
    """buys bought gets got takes took makes made builds built opens opened holds held starts started plans is
    was are were be has have had owns owned wants needs with having planned invents gives gave""".split()
)
EVENT_WORDS = frozenset("happened occurred happens occurs came event events took place".split())
STARTING_VERBS = GAIN_VERBS | frozenset("store put grow prepare memorize order own stock stack plant".split())
STATIVE_VERBS = frozenset("be have own need want cost weigh".split())
# Verbs of questions beside the plain ones, in word problems and in passages.
QUESTION_VERBS = (
    frozenset("end examine average apply weigh consume calculate require save print launch".split())
    | PLAIN_VERBS
    | frozenset(IRREGULAR_VERBS.values()) - {"be"}
)
PASSAGE_VERBS = (
    PLAIN_VERBS
    | frozenset(IRREGULAR_VERBS.values())
    | frozenset(
        """nail complete estimate connect convert attempt capture conquer destroy occupy control recover sack intercept
        face command kill establish found declare invade raid attack besiege defeat execute recruit commit average boot
        allow force post suffer rack""".split()
    )
    - {"be"}
)
# Endings of a stem that takes an e before -d, and of one that takes none.
STEMS_WITH_E = tuple("tl dl bl pl at iz is uc as os us ir ag ov iv ev im id ud in".split())
STEMS_WITHOUT_E = tuple("er ow ck st nt ld ss sh ch ct pt ey ay rn en or al".split())
PASSIVE_PARTICIPLES = frozenset(PARTICIPLES.values()) | frozenset(
    "bought sold caught made left lost paid spent taught won".split()
)
ELAPSING_WORDS = frozenset("passed elapsed was were are is difference there apart did went".split())


@lru_cache(maxsize=8192)
def plain(verb: str) -> str | None:
    """Return the plain form of a past or -s form, or None where the word is no known verb.

    >>> plain("gave"), plain("carries"), plain("stopped"), plain("table")
    ('give', 'carry', 'stop', None)
    """
    if verb in IRREGULAR_VERBS:
        return IRREGULAR_VERBS[verb]
    if verb in PLAIN_VERBS:
        return verb
    for ending, replacements in (
        ("ied", ("y",)),
        ("ies", ("y",)),
        ("ed", ("", "e")),
        ("es", ("", "e")),
        ("s", ("",)),
    ):
        if verb.endswith(ending):
            stem = verb[: -len(ending)]
            for replacement in replacements:
                if stem + replacement in PLAIN_VERBS:
                    return stem + replacement
            if ending == "ed" and len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in PLAIN_VERBS:
                return stem[:-1]
    return None


def is_past(verb: str) -> bool:
    """Return whether this is the past form of a known verb ("gave", "picked")."""
    return (verb in IRREGULAR_VERBS and verb not in ("is", "are", "has", "does")) or (
        verb.endswith("ed") and plain(verb) not in (None, verb)
    )


def is_verb(word: str) -> bool:
    """Return whether this word is a form of a verb that can follow its subject."""
    return word in _AUXILIARIES or plain(word) is not None or (word.endswith("ed") and len(word) > 4)


def past(verb: str) -> str | None:
    """Return the past of a plain form ("stop" -> "stopped"), or None for an unknown verb."""
    if verb in PAST_FORMS:
        return PAST_FORMS[verb]
    return _regular_past(verb) if verb in PLAIN_VERBS else None


def participle(verb: str) -> str | None:
    """Return the past participle of a plain form ("give" -> "given"), or None for an unknown verb."""
    return PARTICIPLES.get(verb) or past(verb)


def third_person(verb: str) -> str:
    """Return the -s form of a plain form: "carry" -> "carries"."""
    if verb in ("have", "do", "be", "go"):
        return {"have": "has", "do": "does", "be": "is", "go": "goes"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    if verb in _DOUBLED:
        return verb + verb[-1] + "ed"
    return verb + "ed"


# Verbs that are not compared between people.
VERBS_NOT_COMPARED = frozenset(
    """want plan decide try like start begin work live go cost weigh wait take spend last travel walk run drive say
    think divide split share put add can will earn pay charge save owe leave set offer lose""".split()
)
# States, and actions that are simultaneous with another one.
VERBS_OF_NO_NEXT_STEP = frozenset(
    "had was were did lost won wanted needed liked felt knew kept saved weighed cost could would".split()
)
# Auxiliaries that a plain verb follows.
MODAL_VERBS = ("will", "would", "can", "could", "should", "must")
# Verbs of getting and having.
GETTING_VERBS = frozenset("save make get have need receive collect".split())
# Forms of buying and selling.
TRADING_VERBS = frozenset("buys buy bought buying sells sell sold selling".split())
# Buying implies paying, and selling implies earning.
PAID_BY_VERB = {
    "spend": frozenset("buy purchase order cost pay".split()),
    "pay": frozenset("buy purchase order cost".split()),
    "cost": frozenset("buy purchase order pay".split()),
    "earn": frozenset("sell charge".split()),
    "make": frozenset("sell charge".split()),
    "buy": frozenset("purchase order".split()),
}
