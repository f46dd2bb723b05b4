"""What was learned in a run, in words that need no training in statistics."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tacit.errors import listed
from tacit.report.pictures.lettering import readable
from tacit.report.pictures.numbers import count_shown, percent_shown
from tacit.report.record import FunctionRecord, Json, RunRecord

MARK = "tacit report"  # at the head of each, so that one is told from what may not be replaced
SURE = 0.9  # the probability from which on a label is called sure
FEW_LABELS = 4  # whose shares are all told


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that is worth a large font, and what it counts."""

    value: str
    meaning: str


def in_words(record: RunRecord) -> tuple[str, ...]:
    """What was learned, a paragraph for the rules and one for each label function."""
    return (_rules_in_words(record), *(_labels_in_words(own) for own in record.functions))


def key_figures(record: RunRecord) -> tuple[Figure, ...]:
    """The numbers that one looks for first; those of the first label function, if it has any."""
    found = []
    if record.functions:
        first = record.functions[0]
        found.append(Figure(count_shown(first.n_instances), several(first.domain)))
    written, learned = n_written(record), n_learned(record)
    found.append(Figure(count_shown(written), f"{_rules(written)} written"))
    if learned or record.kind == "grow":
        found.append(Figure(count_shown(learned), f"{_rules(learned)} learned"))
    for own in record.functions[:1]:
        found.append(Figure(percent_shown(own.coverage), "have evidence"))
        if (sure := sure_share(own)) is not None:
            found.append(Figure(percent_shown(sure), "sure labels"))
        if own.gold is not None and own.gold.n:
            found.append(Figure(percent_shown(own.gold.accuracy), "right, by gold"))
    return tuple(found)


def n_written(record: RunRecord) -> int:
    """How many rules an expert wrote; one rule may have many weights."""
    if record.snapshots and record.snapshots[0].stage == "seeds":
        return record.snapshots[0].rules
    return len({_rule(row) for row in record.evidence if _is_written(row)})


def n_learned(record: RunRecord) -> int:
    """How many rules were learned and are still in force."""
    if record.additions:
        return sum(map(is_in_force, record.additions))
    return len({_rule(row) for row in record.evidence if not _is_written(row)})


def is_in_force(addition: Json) -> bool:
    """Whether a rule that was added is still there."""
    return bool(addition.get("state", "in force") == "in force")


def _is_written(row: Json) -> bool:
    return bool(row.get("origin", "expert") == "expert")


def _rule(row: Json) -> str:
    """The rule that a weight belongs to: words[superb, pos] is one of words."""
    return str(row["name"]).partition("[")[0]


def sure_share(function: FunctionRecord) -> float | None:
    """The share of labels that are at least 90 % probable."""
    n, whole = len(function.sureness), sum(function.sureness)
    return sum(function.sureness[round(SURE * n) :]) / whole if whole else None


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 rule", "2,000 rules"."""
    return f"{number:,} {noun if number == 1 else several(noun)}"


def several(noun: str) -> str:
    """The plural of a table's name: reviews, entities."""
    noun = readable(noun).replace("_", " ")
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return f"{noun[:-1]}ies"
    if noun.endswith(("x", "ch", "sh", "z")):
        return f"{noun}es"
    return noun if noun.endswith("s") else f"{noun}s"


def points(difference: float) -> str:
    """A difference of two shares."""
    return f"{100 * difference:.1f} percentage points"


def day(when: float) -> str:
    """A time as people read it, the same everywhere."""
    try:
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(when))
    except (OverflowError, ValueError, OSError):
        return "at an unknown time"


def duration(seconds: float) -> str:
    """How long something took."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{seconds / 3600:.1f} h"


def _rules(number: int) -> str:
    return "rule" if number == 1 else "rules"


def _rules_in_words(record: RunRecord) -> str:
    """Where the rules come from."""
    written, learned = n_written(record), n_learned(record)
    said = f"An expert wrote {counted(written, 'rule')}."
    if record.kind == "fit":
        return (
            f"{said} From what the rules say of the data, and where they contradict each other, it "
            f"was learned how far each of them can be trusted. A network ({record.predictor}) then "
            "learned from the labels that follow, and has a say in them."
        )
    kept = list(filter(is_in_force, record.additions))
    answers = sum(one.get("round") is None for one in kept)
    itself = len(kept) - answers
    said += f" The program has learned {counted(learned, 'more rule')}"
    noticed = f"by itself, from what its network ({record.predictor}) noticed"
    if itself and answers:
        said += f": {itself:,} {noticed}, and {answers:,} from a person's answers"
    elif kept:
        said += f" {noticed}" if itself else " from a person's answers"
    said += "."
    if record.questions:
        said += f" {counted(len(record.questions), 'question')} "
        said += "were answered." if len(record.questions) > 1 else "was answered."
    out = len(record.additions) - len(kept)
    if out:
        said += f" {counted(out, 'rule')} {'was' if out == 1 else 'were'} taken back."
    return said


def _labels_in_words(function: FunctionRecord) -> str:
    """What was said of the instances of one label function."""
    things = several(function.domain)
    if not function.n_instances:
        return f"There are no {things} to label."
    pairs = zip(function.labels, function.counts, strict=True)
    shares = sorted(((count / function.n_instances, name) for name, count in pairs), reverse=True)
    told = listed(
        [f"{readable(name)} {percent_shown(share)}" for share, name in shares], FEW_LABELS
    )
    said = f"{count_shown(function.n_instances)} {things} got a label of {function.name}: {told}."
    said += f" At least one rule says something of {_all_or(function.coverage)} of them"
    if function.agreement is not None:
        said += f", and there the network agrees with the rules on {_all_or(function.agreement)}"
        if function.coverage < 1:
            said += "; the others are labelled by what they have in common with these"
    said += "."
    sure = sure_share(function)
    if sure is not None:
        said += (
            f" {percent_shown(sure)} of the labels are sure (at least {100 * SURE:.0f} % probable)."
        )
    return said + _gold_in_words(function)


def _all_or(share: float) -> str:
    return "all" if share >= 1 else percent_shown(share)


def _gold_in_words(function: FunctionRecord) -> str:
    """How right the labels are, where that is known."""
    gold = function.gold
    if gold is None or not gold.n:
        return ""
    told = f" Gold labels, which were used for this check only, are known for {gold.n:,}: "
    told += f"{percent_shown(gold.accuracy)} of those labels are right, and probabilities are "
    return told + f"{points(gold.calibration_error)} off on average."
