"""A small opinion lexicon as one finds it on the web: useful, and here and there wrong."""

from .bank import words

_POS = words("""
    excellent, wonderful, great, terrific, fantastic, charming, moving, gripping, funny, clever,
    reliable, sturdy, gorgeous, good, love, loved, perfect, enjoyable, solid,
    worth, treat, gem, recommend, happy, handy, fresh, comfortable""")
_NEG = words("""
    terrible, horrible, useless, tedious, dull, flimsy, shoddy, painful,
    faulty, unreliable, weak, flat, slow, disappointing, mediocre, mess, dud, joke, hate, hated,
    refund, avoid, waste, broken, poor""")

# Wrong or ambiguous here: "cheap" can be praise, "old" is mostly what came before, and so on.
_DOUBTFUL = (
    ("cheap", "neg"),
    ("heavy", "neg"),
    ("old", "neg"),
    ("predictable", "neg"),
    ("quiet", "neg"),
    ("loud", "neg"),
    ("unreal", "pos"),
    ("original", "pos"),
    ("huge", "pos"),
    ("bright", "pos"),
    ("thin", "pos"),
    ("smart", "pos"),
)

LEXICON: list[tuple[str, str]] = sorted(
    [(word, "pos") for word in _POS] + [(word, "neg") for word in _NEG] + list(_DOUBTFUL)
)
