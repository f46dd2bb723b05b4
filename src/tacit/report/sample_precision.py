"""Sample precision, as in the chapter: of what a system extracted, how much is right.

There is no gold: of each system some extractions were drawn and judged (`tacit.review.sampling`).
Precision is the share of the judged that is right; precision times the number of extractions
estimates how many are right, which the chapter calls absolute recall, as it is recall up to a
factor that all systems share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from tacit.errors import BadInput
from tacit.review.agreement import Agreement, agreements, judgements
from tacit.review.questions import REJECT, SKIP, Answer
from tacit.review.sampling import RIGHT, WRONG, Sample, SystemSample

if TYPE_CHECKING:
    from tacit.review.ledger import Ledger

CONFIDENCE = 0.95
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionRow:
    """One system; what cannot be said before anything is judged is None."""

    system: str
    drawn: int
    right: int
    wrong: int
    skipped: int  # the judge could not tell
    left: int  # not judged yet
    precision: float | None
    precision_interval: Interval | None
    extractions: int
    absolute_recall: float | None  # how many extractions are right
    absolute_recall_interval: Interval | None
    unique_tuples: int  # that were extracted
    unique_recall: float | None  # how many of them are right, if tuples are as extractions are
    mean_probability: float | None  # what the system itself says of its precision

    @property
    def judged(self) -> int:
        """How many are known to be right or wrong."""
        return self.right + self.wrong

    @property
    def whole(self) -> bool:
        """Whether every extraction was judged, so that nothing is an estimate."""
        return self.judged == self.extractions

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it, with the row in words."""
        return asdict(self) | {"judged": self.judged, "whole": self.whole, "words": in_words(self)}


def wilson_interval(right: int, judged: int, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson score interval of a share: where it may lie, given a sample.

    Those shares p with |right / judged - p| <= z sqrt(p (1 - p) / judged). Unlike the textbook's
    interval it stays within 0 and 1, and has a width where all or none are right.
    """
    if not 0 <= right <= judged or judged == 0 or not 0 < confidence < 1:
        raise BadInput(
            f"{right} right of {judged} judged, at confidence {confidence}, has no interval",
            remedy="judge one or more; a confidence lies between 0 and 1",
        )
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = right / judged
    scale = 1 + z * z / judged
    middle = (share + z * z / (2 * judged)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / judged + (z / (2 * judged)) ** 2)
    # At the ends the bounds are exactly 0 and 1, which rounding would miss.
    low = 0.0 if right == 0 else middle - half
    high = 1.0 if right == judged else middle + half
    return low, high


def sample_precision(sample: Sample, answers: Mapping[str, Answer]) -> tuple[PrecisionRow, ...]:
    """The precision of each system by the judgements in force, in the order of their names.

    Judging may stop at any time: questions come in an order that has nothing to do with systems, so
    that those judged first are a sample of each system too. What was skipped is left out.
    """
    return tuple(_row(system, answers) for system in sample.systems)


def _row(system: SystemSample, answers: Mapping[str, Answer]) -> PrecisionRow:
    said = Counter(_judgement(answers.get(draw.question)) for draw in system.drawn)
    right, judged = said[RIGHT], said[RIGHT] + said[WRONG]
    precision = right / judged if judged else None
    interval = wilson_interval(right, judged) if judged else None
    n = system.extractions
    return PrecisionRow(
        system=system.name,
        drawn=len(system.drawn),
        right=right,
        wrong=said[WRONG],
        skipped=said[SKIP],
        left=said[None],
        precision=precision,
        precision_interval=interval,
        extractions=n,
        absolute_recall=None if precision is None else precision * n,
        absolute_recall_interval=None if interval is None else (interval[0] * n, interval[1] * n),
        unique_tuples=system.unique_tuples,
        unique_recall=None if precision is None else precision * system.unique_tuples,
        mean_probability=system.mean_probability,
    )


def _judgement(answer: Answer | None) -> str | None:
    """Right, wrong or skipped; None while there is no answer."""
    return None if answer is None else _meant(answer.choice)


def _meant(choice: str) -> str:
    """A choice as a judgement: who rejects an extraction finds it wrong."""
    return WRONG if choice == REJECT else choice


def _agreements(ledger: Ledger, asked: Container[str]) -> tuple[Agreement, ...]:
    """How far judges agree on the questions of a sample, where several judged the same."""
    said = judgements(ledger)
    return agreements(
        {
            id: {who: _meant(choice) for who, choice in choices.items()}
            for id, choices in said.items()
            if id in asked
        }
    )


def precision_table(sample: Sample, ledger: Ledger) -> dict[str, Any]:
    """All that a page or a command shows of a sample's precision, as JSON holds it."""
    answers = ledger.answers()
    asked = frozenset(question.id for question in sample.questions)
    done = [answers[id] for id in asked if id in answers]
    return {
        "n": sample.n,
        "seed": sample.seed,
        "parts": list(sample.parts),
        "claim": sample.claim,
        "confidence": CONFIDENCE,
        "questions": len(asked),
        "answered": len(done),
        "left": len(asked) - len(done),
        "judges": dict(sorted(Counter(answer.who for answer in done).items())),
        "agreement": [own.as_dict() for own in _agreements(ledger, asked)],
        "systems": [row.as_dict() for row in sample_precision(sample, answers)],
    }


def in_words(row: PrecisionRow) -> str:
    """What is known of a system, as one would say it."""
    open_ends = [f"{row.left:,} still to judge"] if row.left else []
    open_ends += [f"{row.skipped:,} could not be told"] if row.skipped else []
    rest = f" ({', '.join(open_ends)})" if open_ends else ""
    if row.precision is None or row.precision_interval is None:
        return f"nothing judged yet{rest}"
    judged = f"{row.right:,} of {row.judged:,} right{rest}: precision {row.precision:.0%}"
    if row.whole:
        return f"{judged}; these are all of its extractions, so this is no estimate"
    low, high = row.precision_interval
    about, least, most = (f"{share * row.extractions:,.0f}" for share in (row.precision, low, high))
    return (
        f"{judged} ({low:.0%} to {high:.0%}); "
        f"of {row.extractions:,} extractions about {about} are right ({least} to {most})"
    )
