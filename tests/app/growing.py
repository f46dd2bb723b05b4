"""A project whose rules can grow: words that go together, and a few seeds among them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from .conftest import SETTINGS

RULES = """\
# What an expert knows.
label    sentiment(review) = neg | pos
observed token(review, word)
praise:  2.2   token(r, "superb") => sentiment(r) = pos   # a seed
blame:   2.2   token(r, "awful") => sentiment(r) = neg
"""
WORDS = {
    "pos": ["superb", "tender", "radiant", "witty", "graceful", "moving"],
    "neg": ["awful", "dull", "clumsy", "stale", "shrill", "hollow"],
}
THINGS = ["film", "plot", "score", "cast", "end", "pace", "scene"]


def write_growing_project(folder: Path) -> None:
    """Texts of two words each of one kind; every third has a seed."""
    rows, gold = [], []
    for label, words in WORDS.items():
        for (first, second), thing in product(product(words, words), THINGS[:3]):
            if first != second:
                number = len(rows)
                rows.append(f"r{number},a {first} {thing} and {second} {THINGS[number % 7]}")
                gold.append(f"r{number},{label}")
    (folder / "data" / "review.csv").write_text("id,text\n" + "\n".join(rows) + "\n")
    (folder / "data" / "gold.csv").write_text("id,label\n" + "\n".join(gold) + "\n")
    (folder / "rules.tacit").write_text(RULES)
    settings = SETTINGS.replace('lexicon = "data/lexicon.csv"\n', "")
    (folder / "tacit.toml").write_text(settings + '[gold]\nsentiment = "data/gold.csv"\n')
