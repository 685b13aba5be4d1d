"""Counted nouns of word problems by class and by scene, and qualities that may be stated of some of them."""

from __future__ import annotations

# Things that one can hold, buy or own, each with a size and a weight.
COUNTED_THINGS = frozenset(
    """albums alarms anchors antiques arrows axes backpacks badges bags balloons balls bananas bandages banners barrels
    baskets baseballs basketballs batteries beads beakers beds bells belts benches bicycles bikes binders blankets
    blinds blouses boards boats bolts bones bookcases bookends bookmarks books boots bottles boulders bouquets
    bowls bows boxes bracelets bricks briefcases broaches brooches brooms brushes buckets bulbs bullets buttons cabinets
    cakes calculators calendars cameras candles candlesticks canes cannons canvases caps cards carpets carts carvings
    catalogs caps cds chains chairs charms checkers chests chisels clamps clips clocks cloths coasters coats coins
    collars combs comics computers containers cookbooks coolers costumes cots couches counters crates crayons crowns
    crystals cubes cups curtains cushions daggers desks devices dictionaries diamonds dice discs dishes dolls doors
    dominoes drawings dresses drills drums dumbbells earrings easels emeralds envelopes erasers fans feathers
    figurines files flags flashlights flowerpots folders footballs forks frames fridges frisbees gadgets games gems
    gifts glasses globes gloves goggles guitars hairclips hammers hammocks hampers handbags handkerchiefs hangers
    hats headphones helmets highlighters hinges hooks horseshoes jackets jars jerseys jewels jugs kettles keyboards
    keychains keys kites knives laces ladders lamps lanterns laptops lenses lids lightbulbs locks lockets logs
    magazines magnets maps marbles markers masks mats mattresses medals menus microphones mirrors mittens monitors mops
    mousepads mugs nails napkins necklaces needles nets newspapers notebooks notepads novels nuggets oars ornaments
    outfits paddles padlocks paintbrushes paintings pairs pans parcels pearls pebbles pencils pendants pennants pens
    phones photographs photos pianos pictures pillows pins pipes pitchers planks plates platters postcards posters
    pots pouches presents printers projectors puppets purses puzzles quilts rackets radios rafts rakes razors records
    ribbons rings robots rocks ropes rubies rugs rulers sacks saddles sandals saucers saws scarves scissors scooters
    screens screws sculptures seashells sharpeners shawls shelves shells shields shirts shoes shovels shorts skateboards
    skates skirts skis sleds slippers snowballs soaps sofas souvenirs spears spoons spatulas sponges squirtguns stamps
    staplers statues stickers sticks stones stools straws suitcases sunglasses sweaters sweatshirts swords tablets
    tables tapes teacups teapots telescopes televisions tents thermometers thimbles tickets tiles tires toothbrushes
    toolboxes tools torches towels toys trays trinkets trophies trumpets trunks tshirts tubes umbrellas uniforms
    urns vases vests violins wallets wands watches wheels whistles wigs windows wires wreaths wrenches yoyos
    bracelets crackers dolls doorknobs frames hairbands""".split()
)
COUNTED_FOODS = frozenset(
    """acorns almonds apples apricots avocados bagels bananas beans beets berries biscuits blackberries blueberries
    brownies buns burgers burritos cabbages cakes candies cantaloupes carrots cashews cauliflowers cheesecakes cherries
    chestnuts chilies chips chocolates clams coconuts cookies corncobs crabs cranberries croissants cucumbers cupcakes
    dates donuts doughnuts dumplings eggplants eggs figs grapefruits grapes guavas gumballs hamburgers hotdogs
    jellybeans kiwis lemons lettuces limes lobsters lollipops loaves macarons macaroons mangoes mangos marshmallows
    meatballs melons muffins mushrooms nectarines nuts olives onions oranges oysters pancakes papayas pastries peaches
    peanuts pears peppers pickles pies pineapples pistachios pizzas plums pomegranates popsicles potatoes pretzels
    pumpkins quiches radishes raisins raspberries rolls sandwiches sausages scones squashes strawberries sundaes tacos
    tangerines tarts toffees tomatoes tortillas truffles turnips waffles walnuts watermelons yams zucchinis""".split()
)
COUNTED_ANIMALS = frozenset(
    """alligators alpacas ants bats bears beavers bees beetles birds bulls bunnies butterflies calves camels canaries
    caterpillars cats chickens chicks chipmunks cows coyotes crabs cranes crickets crocodiles crows cubs deer dogs
    dolphins donkeys doves dragonflies ducklings ducks eagles elephants elk ferrets finches fireflies fish flamingos
    foxes frogs geckos geese gerbils giraffes goats goldfish gorillas grasshoppers guppies hamsters hares hawks hens
    hippos horses iguanas jellyfish kangaroos kittens koalas ladybugs lambs lions lizards llamas lobsters mice monkeys
    moose mosquitoes moths octopuses ostriches otters owls oxen pandas parakeets parrots peacocks pelicans penguins
    pigeons piglets pigs ponies puppies rabbits raccoons rams rats reindeer rhinos roosters salamanders seagulls seals
    sharks sheep skunks snails snakes sparrows spiders squirrels starfish storks swallows swans tadpoles tigers toads
    tortoises toucans turkeys turtles whales wolves worms zebras""".split()
)
COUNTED_PEOPLE = frozenset(
    """actors actresses adults artists assistants athletes babies bakers boys builders campers carpenters cashiers
    children choristers classmates clerks clowns coaches colleagues contestants cooks cousins coworkers customers
    cyclists dancers doctors drivers employees engineers farmers fishermen friends gardeners girls graduates
    grandchildren guests guides hikers joggers kids knights librarians lifeguards mechanics members men merchants
    musicians neighbors nurses painters parents participants passengers people performers pilots pirates players
    plumbers policemen pupils ranchers researchers runners sailors scientists scouts servants shoppers singers skaters
    skiers soldiers spectators staff students surfers swimmers teachers teammates teenagers toddlers tourists trainees
    travelers tutors visitors volunteers waiters waitresses winners witnesses women workers writers""".split()
)
COUNTED_PLANTS = frozenset(
    """bushes cactuses carnations daffodils daisies ferns flowers geraniums hydrangeas irises lilies marigolds orchids
    pansies peonies petunias plants poppies roses saplings seedlings seeds shrubs snapdragons sunflowers trees tulips
    vines violets""".split()
)
COUNTED_VEHICLES = frozenset(
    """airplanes ambulances boats buses cabs canoes cars carriages ferries helicopters jeeps kayaks limousines
    motorcycles planes rowboats sailboats scooters ships snowmobiles taxis tractors trailers trains tricycles trucks
    vans wagons yachts""".split()
)
COUNTED_NOUN_CLASS = {
    noun: name
    for name, nouns in (
        ("thing", COUNTED_THINGS),
        ("food", COUNTED_FOODS),
        ("vehicle", COUNTED_VEHICLES),
        ("plant", COUNTED_PLANTS),
        ("animal", COUNTED_ANIMALS),
        ("person", COUNTED_PEOPLE),
    )
    for noun in nouns
}
COUNTED_NOUNS = frozenset(COUNTED_NOUN_CLASS)
# Containers, and things whose size may matter. Remarks about them do not state their size.
NOT_MEASURED = frozenset(
    """albums bags barrels baskets backpacks beakers binders bookcases bottles bowls boxes briefcases buckets
    cabinets chests containers coolers crates cups dishes envelopes folders frames glasses hampers handbags jars jugs
    kettles mugs pans pitchers plates platters pots pouches purses sacks saucers shelves suitcases tables trays
    trunks urns vases wallets flowerpots notepads notebooks magazines novels books desks benches tents puzzles comics
    cookbooks dictionaries vans buses trucks trains planes ferries carriages wagons trailers boats tractors airplanes
    cabs taxis limousines canoes kayaks rowboats stickers stamps cards postcards posters""".split()
)
# Things without remarks: their number, size or looks may matter, or they have none.
NOT_REMARKED_ON = frozenset(
    """bouquets parcels tubes loaves pies pizzas cakes pairs rolls chains ropes games menus newspapers catalogs calendars
    files records tapes cds discs canvases boards seeds staff fish vines bushes trees plants ships babies people persons
    photos photographs pictures drawings paintings tickets""".split()
)
# Comparatives that fit things of a class and change no amount.
QUALITIES_BY_CLASS = {
    "thing": ("smaller", "larger"),
    "food": ("smaller", "larger"),
    "plant": ("smaller", "taller"),
    "vehicle": ("newer", "cleaner"),
    "animal": ("smaller", "larger", "younger"),
}
QUALITIES_OF_HOLDERS = ("newer", "cleaner")
# Words that order two things by size, age or price, in any comparison.
SIZED_NAMES = frozenset(
    """toy miniature mini minis small smaller large larger big bigger giant huge tiny baby babies adult adults junior
    seniors jumbo tall short cheap expensive deluxe premium basic regular standard luxury medium double single wholesale
    retail business economy dwarf professional amateur beginner beginners expert experts first-class second-hand""".split()
)
# Remarks about one place, event or thing of a story: name -> its words in the present and in the past (empty where
# none fit), the smallest and the largest number, and the words of a problem in which that number could matter.
_YEARS = (
    "years? year ago old older age ages aged since anniversary founded built builds? open opens opened opening starts? "
    "started begins? began"
)
_CLOCK = "o'clock clock hours? hour minutes? a.m p.m am pm until open opens opened closes? closed schedule starts? started"
_WAY = (
    "blocks? away distance far near nearby miles? mile meters? kilometers? walks? walked walking drives? drove driving rides? "
    "rode runs? ran bus stop stops travels? travel trip"
)
REMARKS_ON_ONE = {
    "opened": (("opened {} years ago", "opened {} years ago"), 4, 30, _YEARS),
    "founded": (("was founded {} years ago", "was founded {} years ago"), 6, 40, _YEARS),
    "closes": (("closes at {} o'clock", "closes at {} o'clock"), 5, 9, _CLOCK),
    "starts": (("starts at {} o'clock", ""), 2, 8, _CLOCK),
    "blocks": (("is {} blocks away from a park", "is {} blocks away from a park"), 2, 9, f"{_WAY} parks?"),
    "built": (("was built {} years ago", "was built {} years ago"), 8, 60, _YEARS),
    "aged": (("is {} years old", "was {} years old"), 2, 12, f"{_YEARS} new newer used worth value"),
    "pet": (
        ("is {} years old", "was {} years old"),
        2,
        9,
        f"{_YEARS} grows? grew born puppy kitten weighs? weighed weight",
    ),
    "chapters": (
        ("has {} chapters", "has {} chapters"),
        7,
        25,
        "chapters? notes? notebook sketch\\w* writes? wrote writing",
    ),
    "windows": (("has {} windows", "has {} windows"), 3, 9, "windows? window"),
}
_SHOPS = (
    "store shop supermarket bakery restaurant cafe bookstore pharmacy diner market mall bookshop pizzeria"
)
_HALLS = "library museum theater gym zoo hospital hotel cinema"
# Noun -> the remarks that fit it.
REMARKS_FOR_NOUN = {
    noun: tuple(remarks.split())
    for nouns, remarks in (
        (_SHOPS, "opened closes blocks"),
        (_HALLS, "opened closes blocks"),
        ("factory company office bank farm orchard vineyard nursery", "opened"),
        ("school", "opened blocks"),
        ("team club band choir orchestra", "founded"),
        ("classroom", "windows"),
        ("party wedding concert fair carnival picnic festival reception play", "starts"),
        ("house cottage apartment", "built blocks"),
        ("car truck van bus bicycle bike tractor boat", "aged"),
        ("dog cat horse parrot hamster rabbit", "pet"),
        ("book novel", "chapters"),
    )
    for noun in nouns.split()
}
# Verb -> the skill that the person once learned, and the age at that time.
LEARNED_BY_VERB = {
    "swim": ("to swim", 4, 8),
    "bake": ("to bake", 7, 12),
    "knit": ("to knit", 7, 12),
    "sew": ("to sew", 8, 13),
    "cook": ("to cook", 8, 13),
    "paint": ("to paint", 6, 11),
    "ski": ("to ski", 6, 11),
    "skate": ("to skate", 5, 9),
    "dance": ("to dance", 6, 11),
    "fish": ("to fish", 6, 11),
    "read": ("to read", 4, 6),
    "drive": ("to drive", 17, 19),
    "bike": ("to ride a bike", 5, 9),
    "juggle": ("to juggle", 8, 13),
}


# Topic -> words of a problem that show it, and places with their contents.
SCENES = {
    "shop": (
        "shop store market buy buys bought sell sells sold cost costs price customer customers dollars pay paid sale",
        (
            ("bakery", "ovens mixers trays aprons baskets"),
            ("shoe shop", "mirrors stools posters shelves lamps"),
            ("flower shop", "ferns orchids buckets vases ribbons"),
            ("toy shop", "kites puppets yoyos drums robots"),
            ("pharmacy", "thermometers bandages drawers scales"),
            ("bookshop", "atlases globes calendars postcards"),
        ),
    ),
    "school": (
        "school class classroom student students teacher teachers pupils homework test exam grade lesson books",
        (
            ("music school", "violins trumpets guitars pianos drums"),
            ("art school", "easels canvases brushes aprons"),
            ("chess club", "clocks boards trophies medals"),
            ("gym", "ropes mats hoops whistles"),
            ("science museum", "telescopes fossils rockets magnets"),
            ("computer room", "keyboards monitors cables headphones"),
        ),
    ),
    "farm": (
        "farm farmer garden plant plants planted grow grows tree trees cows hens eggs harvest field flowers vegetables",
        (
            ("barn", "rakes buckets saddles shovels"),
            ("greenhouse", "ferns cactuses orchids seedlings"),
            ("orchard", "beehives ladders baskets benches"),
            ("stable", "ponies saddles horseshoes brushes"),
            ("vineyard", "barrels crates ladders lanterns"),
        ),
    ),
    "travel": (
        "drive drives drove miles car cars bus train trip travel travels ride hours mph speed road run runs walk walks",
        (
            ("bus station", "lockers benches timetables clocks"),
            ("harbor", "sailboats anchors canoes ferries"),
            ("parking lot", "vans motorcycles lampposts trucks"),
            ("bicycle shop", "helmets pumps bells saddles"),
            ("airport hall", "suitcases screens counters lounges"),
        ),
    ),
    "home": (
        "family mother mom father dad sister brother friends birthday party house room kitchen cake pizza dinner cookies",
        (
            ("community hall", "chairs candles banners lanterns"),
            ("park", "oaks swings statues fountains"),
            ("library", "globes newspapers maps lamps"),
            ("theater", "costumes masks curtains spotlights"),
            ("campsite", "tents hammocks lanterns kayaks"),
        ),
    ),
}
# Nouns that would count the things of any scene.
COLLECTIVE_NOUNS = frozenset(
    """animals things items objects people vehicles flowers fruits plants trees pieces toys tools everything instruments
    furniture""".split()
)
