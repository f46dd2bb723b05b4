"""Samples of what systems extracted, to be judged blind: for corpora without true labels.

As in the chapter, so many extractions of each system are drawn and a person says which are right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest

from tacit.data.fingerprint import digest_of
from tacit.errors import BadInput, listed
from tacit.review.questions import Example, Offer, Question

RIGHT, WRONG = "right", "wrong"
N_SAMPLE = 50  # of each system: some twenty minutes, for precision to within about 13 points
FUNCTION = "extraction"  # stands where other questions name a label function

Spans = tuple[tuple[int, int], ...]
_Units = dict[tuple[str, str], "Extraction"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """One thing that a system found: a tuple, such as (drug, gene, variant), in a text.

    The same tuple in another text is another extraction.
    """

    key: tuple[str, ...]  # the tuple
    instance: str  # the id of where it was found; "" where there are no ids
    text: str
    spans: Spans = ()  # where the tuple stands in the text; searched for where none are given
    probability: float | None = None  # the system's own


@dataclass(frozen=True, slots=True)
class Draw:
    """An extraction that was drawn for a system."""

    question: str  # the id of the question that judges it
    instance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSample:
    """What a system extracted, in numbers, and what was drawn of it."""

    name: str
    extractions: int  # different ones
    repeated: int  # that were given more than once; each counts once
    unique_tuples: int
    mean_probability: float | None  # what the system itself expects of its precision
    fingerprint: str  # of all its extractions, in whatever order they were given
    drawn: tuple[Draw, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What was drawn for each system, and the questions in the order in which they are asked."""

    n: int  # that were asked for, of each system
    seed: int
    parts: tuple[str, ...]  # what the values of a tuple are: ("drug", "gene", "variant")
    claim: str  # what is said of each tuple, such as "treats = yes"; may be empty
    systems: tuple[SystemSample, ...]  # by name
    questions: tuple[Question, ...]


def draw_sample(
    systems: Mapping[str, Sequence[Extraction]],
    n: int = N_SAMPLE,
    seed: int = 0,
    *,
    parts: Sequence[str] = (),
    claim: str = "",
) -> Sample:
    """Draw n extractions of each system, uniformly and without replacement; fewer if it has fewer.

    The same extractions, n and seed give the same sample, in whatever order they are given.
    """
    _check(systems, n, parts)
    questions: dict[str, Question] = {}
    drawn: list[SystemSample] = []
    for name in sorted(systems):
        units = _distinct(systems[name])
        draws = []
        for unit in _lowest(units, n, seed):
            question = _question(units[unit], parts, claim)
            questions[question.id] = question
            draws.append(Draw(question.id, units[unit].instance))
        drawn.append(_system(name, systems[name], units, tuple(draws)))
    return Sample(
        n=n,
        seed=seed,
        parts=tuple(parts),
        claim=claim,
        systems=tuple(drawn),
        questions=tuple(questions[id] for id in _shuffled(questions, seed)),
    )


# How the draw works: every extraction gets a number at random (a hash of the seed and of what the
# judge is shown), and a system's sample is its n lowest. So each sample is uniform, whoever else
# is judged and in whatever order; and what two systems both made has the same number in both, so
# that it is mostly drawn for both or for neither. That saves questions, and makes the difference
# between two systems surer than two independent samples would.
#
# An extraction that was drawn for A counts for B only if it was drawn for B too, even if B made it.
# Otherwise B's sample would have more of what A also made than B's extractions have, and where
# systems agree they are mostly right: B would look better than it is.


def _lowest(units: _Units, n: int, seed: int) -> list[tuple[str, str]]:
    """The n units with the lowest numbers."""
    twins: Counter[str] = Counter()
    numbers = []
    for shown, instance in sorted(units):  # sorted: which twin is first must not depend on order
        numbers.append((_number(seed, "draw", f"{shown} {twins[shown]}"), (shown, instance)))
        twins[shown] += 1
    return [unit for _, unit in nsmallest(n, numbers)]


def _shuffled(ids: Iterable[str], seed: int) -> list[str]:
    """Ids in an order of its own.

    The numbers of the draw would not do: those drawn of a large system are lower than those of a
    small one, so that its questions would come first.
    """
    return sorted(ids, key=lambda id: _number(seed, "order", id))


def _number(seed: int, purpose: str, what: str) -> bytes:
    return blake2b(f"{seed} {purpose} {what}".encode(), digest_size=16).digest()


def _distinct(extractions: Iterable[Extraction]) -> _Units:
    """Different extractions by what a judge is shown of them and where they were found."""
    found: _Units = {}
    for one in extractions:
        unit = (_shown(one), one.instance)
        if unit not in found or _sureness(one) > _sureness(found[unit]):
            found[unit] = one  # the surer of two, whichever comes first
    return found


def _sureness(one: Extraction) -> float:
    return -1.0 if one.probability is None else one.probability


def _shown(one: Extraction) -> str:
    """A digest of all that a judge is shown of an extraction."""
    return digest_of([str(len(one.key)), *one.key, one.text, str(sorted(one.spans))])


def _system(
    name: str, given: Sequence[Extraction], units: _Units, drawn: tuple[Draw, ...]
) -> SystemSample:
    probabilities = [one.probability for one in units.values() if one.probability is not None]
    known = len(probabilities) == len(units)
    return SystemSample(
        name=name,
        extractions=len(units),
        repeated=len(given) - len(units),
        unique_tuples=len({one.key for one in units.values()}),
        # sorted, as sums of floats depend on their order
        mean_probability=sum(sorted(probabilities)) / len(units) if known else None,
        fingerprint=digest_of(part for unit in sorted(units) for part in unit),
        drawn=drawn,
    )


def _question(one: Extraction, parts: Sequence[str], claim: str) -> Question:
    """What is asked about an extraction: nothing in it tells which system made it.

    Neither the id nor the probability is shown, as both may be in a system's own fashion; the
    example goes by a digest of what is shown.
    """
    spans = one.spans or find_spans(one.key, one.text)
    return Question(
        kind="extraction",
        function=FUNCTION,
        feature=in_words(one.key, parts, claim),
        offers=(
            Offer(RIGHT, "right: the text says so", ""),
            Offer(WRONG, "wrong: the text does not say so", ""),
        ),
        examples=(Example(_shown(one)[:16], one.text, tuple(sorted(spans))),),
        touched=1,
    )


def in_words(key: Sequence[str], parts: Sequence[str] = (), claim: str = "") -> str:
    """An extraction as people read it: "treats = yes; drug: imatinib, gene: KIT"."""
    named = [f"{part}: {value}" for part, value in zip(parts, key, strict=True)] if parts else key
    return "; ".join(filter(None, [claim, ", ".join(named)]))


def find_spans(words: Iterable[str], text: str) -> Spans:
    """Where any of some words or phrases stand in a text: whole words, in upper or lower case."""
    phrases = [r"\s+".join(map(re.escape, word.split())) for word in words if word.strip()]
    if not phrases:
        return ()
    # The longest first, so that "EGFR T790M" is found whole where "EGFR" is a word too.
    pattern = "|".join(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
    found = re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    return tuple(match.span() for match in found)


def _check(systems: Mapping[str, Sequence[Extraction]], n: int, parts: Sequence[str]) -> None:
    """Refuse what no sample can be drawn from."""
    if n < 1:
        raise BadInput(f"a sample of {n} extractions cannot be judged", remedy="draw 1 or more")
    if not systems:
        raise BadInput("no system is given to draw extractions from", remedy="give one or more")
    if empty := [name for name in sorted(systems) if not systems[name]]:
        raise BadInput(
            f"there are no extractions of {listed(empty)}",
            remedy="a precision needs one at least: leave that system out",
        )
    sizes = sorted({len(one.key) for own in systems.values() for one in own})
    if len(sizes) > 1 or (parts and sizes != [len(parts)]):
        raise BadInput(
            f"the tuples have {listed(sizes)} values, and the names of {len(parts)} are given"
            if parts
            else f"the tuples have {listed(sizes)} values",
            remedy="all systems must extract the same kind of tuple",
        )
