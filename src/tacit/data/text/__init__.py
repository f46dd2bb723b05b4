"""Text to tables: sentences, words, names, mentions and candidate tuples.

The tagger is loaded when it is first used, as it needs numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.data.text.lemmas import lemma
from tacit.data.text.lexicon import Lexicon, Match, Matches
from tacit.data.text.mentions import Mentions, mention_table, sentence_table
from tacit.data.text.mutations import Mutation, mutations
from tacit.data.text.name_variants import name_variants
from tacit.data.text.noun_phrases import noun_phrases
from tacit.data.text.sentences import sentence_spans
from tacit.data.text.tuples import Candidates, candidate_tuples
from tacit.data.text.words import word_spans

if TYPE_CHECKING:
    from tacit.data.text.tagger import Tagger

__all__ = [
    "Candidates",
    "Lexicon",
    "Match",
    "Matches",
    "Mentions",
    "Mutation",
    "Tagger",
    "candidate_tuples",
    "lemma",
    "mention_table",
    "mutations",
    "name_variants",
    "noun_phrases",
    "sentence_spans",
    "sentence_table",
    "word_spans",
]


def __getattr__(name: str) -> Any:
    if name == "Tagger":
        from tacit.data.text.tagger import Tagger

        return Tagger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
