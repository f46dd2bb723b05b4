"""The invented films and products that the reviews are about."""

from dataclasses import dataclass

from .bank import Category, Polarity, lines, words
from .dice import Dice
from .film_bank import FILMS
from .product_bank import PRODUCTS

TITLES = lines("""
    The Salt Ferry
    Lanterns for Odile
    Harrow Minor
    Nine Quiet Dentists
    The Beekeeper's Alibi
    Dust on the Viaduct
    A Spoon for the Admiral
    Marrowfield
    The Last Ferrywoman
    Tomorrow in Ostrava
    Gravel Saints
    The Understudy's Umbrella
    Copper Weather
    Seven Miles to Brindle
    The Glass Accordion
    Mother of Sparrows
    Low Tide at Kessel
    The Clockmender's Widow
    Red Barn Confidential
    Pilgrims of the Ring Road
    The Orchard Ledger
    Nobody's Semaphore
    Blue Tarpaulin
    The Magpie Inquest
    Waltz for a Tractor
    The Tin Choir
    Winter at the Lido
    A Map of Small Fires
    The Wrong Bassoon
    Thistle and Rope
    Half Past Lisbon
    The Baker of Zelm
    Saddle the Moon
    The Ninth Postcard
    Goodnight Signalman
    Paper Anchors
    The Heron File
    Uncle Basil's Wake
    Three Doors in Malmo
    The Vinegar Club
    Kite Season
    The Long Receipt
    Buttons and Gunpowder
    The Lighthouse Auditor
    Ashes of the Fairground
    Signor Pepper
    Under the Weighbridge
    The Patience of Ivy
    Cold Porridge
    Raindogs of Ulm
    The Tailor's Horse
    A Choir of Foxes
    Mistletoe Junction
    The Ferret Papers
    Sundays in Concrete
    Hector's Bicycle
    The Borrowed Widow
    Sleepers on Platform Nine
    Tumbleweed Deacon
    The Night Cartographer
    Fever at the Regatta
    Granite Lullaby
    The Turnip Winter
    Last Bus to Avalanche
    The Seamstress Gambit
    Ploughshare
    Velvet Handcart
    The Quarry Waltz
    Murder by Marmalade
    The Understairs
    Ember Parish
    Five Kinds of Fog""")

BRANDS = words("""
    Orrin, Velk, Tamsel, Brockway & Roe, Nuvio Hart, Pellam, Quorra, Sandlake, Ottery, Brisk & Vale,
    Fennimore, Halden Works, Ixby, Juniper Lane, Kestle, Lomond Forge, Marrable, Norrsund, Plinth,
    Rundell, Stavely, Trillick, Umberly, Wrenfield""")


@dataclass(frozen=True, slots=True)
class Item:
    """A film or product, and whether most people like it."""

    name: str
    category: Category
    kind: str
    quality: Polarity


def make_items(dice: Dice) -> list[Item]:
    """All films, and a few products for every kind of product; half of each are good."""
    films = [_item(dice, title, FILMS, rank) for rank, title in enumerate(TITLES)]
    products: list[Item] = []
    for category in PRODUCTS:
        for kind in category.does:
            for brand in dice.some(BRANDS, 7):
                letter, digit = dice.pick("CDEGKLMRTVX"), dice.between(1, 9)
                name = f"{brand} {letter}{digit}{dice.pick(['', '', '0', '00'])} {kind}"
                products.append(_item(dice, name, category, len(products)))
    return films + products


def _item(dice: Dice, name: str, category: Category, rank: int) -> Item:
    """One item; good and bad ones alternate."""
    kinds = tuple(category.does)
    kind = next((kind for kind in kinds if name.endswith(kind)), "") or dice.pick(kinds)
    return Item(name, category, kind, "pos" if rank % 2 else "neg")
