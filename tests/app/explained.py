"""A small project with a fitted run, to be explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.app.cli import main

RULES = """\
label    sentiment(review) = neg | pos
label    good(item) = no | yes
observed token(review, word)
observed lexicon(word, class)
observed about(review, item)
observed short(review)
superb:  2.2   token(r, "superb") => sentiment(r) = pos
awful:   2.2   token(r, "awful") => sentiment(r) = neg
words:   1.5   token(r, w) & lexicon(w, l) => sentiment(r) = l
curt:    0.5   short(r) => sentiment(r) = neg
tie:     1.0!  about(r, i) & good(i) = yes => sentiment(r) = pos
"""
PYTHON = """\
import tacit

print("what Python code prints is no answer")


@tacit.predicate(table="review")
def short(text):
    print("reading", text)
    return len(text) < 8
"""
SETTINGS = """\
name = "small"
python = "rules.py"
text = "review.text"
[tables]
review = "data/review.csv"
item = "data/item.csv"
about = "data/about.csv"
lexicon = "data/lexicon.csv"
[gold]
sentiment = "data/gold.csv"
[fit]
rounds = 2
"""
TEXTS = ["superb, I <b>loved</b> it", "an awful film", "so so", "superb but dull", "loved it"]
N = 30  # reviews


def make_project(folder: Path) -> Path:
    """Thirty reviews of three items."""
    (folder / "data").mkdir(parents=True)
    reviews = [f'r{i},"{TEXTS[i % 5]} {i}"' for i in range(N)]
    tables = {
        "review": ["id,text", *reviews],
        "item": ["id,maker", *(f"{i},Maker {i}" for i in range(3))],
        "about": ["review,item", *(f"r{i},{i % 3}" for i in range(N))],
        "lexicon": ["word,class", "loved,pos", "awful,neg", "dull,neg"],
        "gold": ["id,class", *(f"r{i},{'neg' if i % 5 == 1 else 'pos'}" for i in range(0, N, 2))],
    }
    for name, lines in tables.items():
        (folder / "data" / f"{name}.csv").write_text("\n".join([*lines, ""]))
    (folder / "rules.tacit").write_text(RULES)
    (folder / "rules.py").write_text(PYTHON)
    (folder / "tacit.toml").write_text(SETTINGS)
    return folder


def kept_project(factory: pytest.TempPathFactory) -> Path:
    """The same with a run, made once: to be looked at, or copied."""
    folder = factory.getbasetemp() / "explained" / "small"
    if not folder.exists():
        assert main(["fit", str(make_project(folder)), "--json"]) == 0
    return folder
