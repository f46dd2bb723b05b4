"""Sample 1: short reviews of invented films and products."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from .bank import OPPOSITE, Polarity
from .copies import Seen, near_copy, turned_copy
from .dice import Dice
from .drafts import MAX_SENTENCES, Draft, make_draft
from .items import Item, make_items
from .lexicon import LEXICON
from .noise import roughen
from .tables import write_table

SEED = 20_210_202
FILM_SHARE = 0.5
LIKED_RATE = 0.78  # share of a good item's reviews that are praise, of a bad one's that are blame
FLIP_RATE = 0.02  # share of gold labels that are wrong
VERDICT_SHARE = 1 / 3  # share of the items that the press panel has judged
PANEL_ERRORS = 3  # verdicts that go against what most people think


@dataclass(frozen=True, slots=True)
class Size:
    """How many reviews of each make a split has."""

    originals: int
    near: int  # near copies of originals
    turned: int  # near copies that come to the opposite conclusion
    exact: int  # exact copies


TRAIN = Size(originals=1640, near=305, turned=15, exact=40)
TEST = Size(originals=960, near=25, turned=0, exact=15)


@dataclass(frozen=True, slots=True)
class Review:
    """A typed review; reviews with the same `family` are near duplicates of one another."""

    id: str
    text: str
    item: str
    family: int
    label: Polarity  # as the text means it
    gold: Polarity  # as the annotator noted it


def write_reviews(folder: Path) -> None:
    """Write all tables of the sample into `folder`."""
    dice = Dice(SEED)
    items = make_items(dice)
    seen = Seen()
    train = _split(dice, items, seen, TRAIN, "r")
    test = _split(dice, items, seen, TEST, "t")
    for name, split in (("review", train), ("test", test)):
        write_table(folder / f"{name}.csv", "id,text,item", [(r.id, r.text, r.item) for r in split])
    for name, split in (("gold", train), ("test_gold", test)):
        write_table(folder / f"{name}.csv", "review,label", [(r.id, r.gold) for r in split])
    write_table(folder / "about.csv", "review,item", [(r.id, r.item) for r in train + test])
    write_table(folder / "verdict.csv", "item,class", _verdicts(dice, items))
    write_table(folder / "near.csv", "review,other", _near_pairs(train))
    write_table(folder / "lexicon.csv", "word,class", LEXICON)


def _split(dice: Dice, items: list[Item], seen: Seen, size: Size, prefix: str) -> list[Review]:
    """The reviews of one split, originals and copies shuffled together."""
    originals = _originals(dice, items, seen, size.originals)
    typed = [_typed(dice, draft, family) for family, draft in enumerate(originals)]
    torn = [family for family, draft in enumerate(originals) if draft.kind == "torn"]
    families = dice.shuffled(range(len(originals)))
    # Two copies for some originals, so that the pairs form small groups and not pairs alone.
    copied = (families[: size.near * 3 // 4] * 2)[: size.near]
    typed += [_typed(dice, near_copy(dice, originals[f]), f) for f in copied]
    typed += [_typed(dice, turned_copy(dice, originals[f]), f) for f in torn[: size.turned]]
    typed += [typed[f] for f in families[-size.exact :]]
    return [
        _annotated(dice, f"{prefix}{number:04d}", review)
        for number, review in enumerate(dice.shuffled(typed), start=1)
    ]


def _originals(dice: Dice, items: list[Item], seen: Seen, count: int) -> list[Draft]:
    """`count` drafts, half of them praise, no two of them close to each other."""
    drafts: list[Draft] = []
    while len(drafts) < count:
        label: Polarity = "pos" if len(drafts) % 2 else "neg"
        draft = make_draft(dice, _pick_item(dice, items, label), label)
        if draft.length <= MAX_SENTENCES and seen.accept(draft.text):
            drafts.append(draft)
    return drafts


def _pick_item(dice: Dice, items: list[Item], label: Polarity) -> Item:
    """An item to praise or blame: mostly, but not always, one that deserves it."""
    domain = "film" if dice.chance(FILM_SHARE) else "product"
    quality = label if dice.chance(LIKED_RATE) else OPPOSITE[label]
    fits = [each for each in items if each.quality == quality and each.category.domain == domain]
    return dice.pick(fits)


def _typed(dice: Dice, draft: Draft, family: int) -> Review:
    """The draft as its author typed it; the id comes later."""
    text = roughen(dice, draft.text, draft.label)
    return Review("", text, draft.item.name, family, draft.label, draft.label)


def _annotated(dice: Dice, id: str, review: Review) -> Review:
    """The review with an id and a gold label, which is wrong now and then."""
    gold = OPPOSITE[review.label] if dice.chance(FLIP_RATE) else review.label
    return Review(id, review.text, review.item, review.family, review.label, gold)


def _verdicts(dice: Dice, items: list[Item]) -> list[tuple[str, str]]:
    """What the press panel said of a third of the items, by name."""
    judged = dice.some(items, round(len(items) * VERDICT_SHARE))
    wrong = [(each.name, OPPOSITE[each.quality]) for each in judged[:PANEL_ERRORS]]
    return sorted(wrong + [(each.name, each.quality) for each in judged[PANEL_ERRORS:]])


def _near_pairs(reviews: list[Review]) -> list[tuple[str, str]]:
    """Every unordered pair of reviews of the same family, once."""
    families: dict[int, list[str]] = {}
    for review in reviews:
        families.setdefault(review.family, []).append(review.id)
    return sorted(pair for ids in families.values() for pair in combinations(ids, 2))
