"""The file of a sample, beside the ledger of its judgements.

The questions and their answers are in the ledger, which does not know of systems; which question
was drawn for which system stands here alone, so that who judges need not see it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tacit.data.fingerprint import digest_of
from tacit.errors import BadFile, BadInput, listed
from tacit.review.events import Stamp
from tacit.review.ledger import Ledger
from tacit.review.questions import Question
from tacit.review.sampling import Draw, Sample, SystemSample

FORMAT = 1  # raised when what is written changes
ENDING = ".sample.json"
WHO = "sample"  # who puts the questions into the queue


def sample_path(ledger: Path) -> Path:
    """The file of the sample that a ledger judges: judgements.sqlite -> judgements.sample.json."""
    return ledger.with_suffix(ENDING)


def judging_questions(sample: Sample, ledger: Ledger, *, now: float) -> int:
    """Put a sample's questions into its ledger, or go on with those that are there.

    Gives the number of questions that are new. A ledger of another sample, or of a program that
    grows, is refused.
    """
    path = sample_path(ledger.path)
    stamp = Stamp(WHO, now, data=digest_of(own.fingerprint for own in sample.systems))
    with ledger.together():  # so that two processes cannot begin with two samples
        asked = ledger.asked_ids()
        # A file without questions is what is left of a start that was cut short.
        if asked and path.exists():
            require_same(read_sample(path), sample, ledger.path)
        _require_own(ledger, asked, sample)
        write_sample(path, sample)
        return sum(ledger.propose(question, stamp) for question in sample.questions)


def write_sample(path: Path, sample: Sample) -> None:
    """Write a sample; the file gets its name when all of it is on the disk."""
    text = json.dumps({"format": FORMAT} | asdict(sample), indent=1) + "\n"
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with aside.open("wb") as file:
            file.write(text.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        aside.unlink(missing_ok=True)


def read_sample(path: Path) -> Sample:
    """The sample in a file."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(
            f"{path} is not there: nothing was drawn to be judged",
            remedy="draw a sample first: tacit review --judge NAME=FILE",
        ) from None
    except (OSError, ValueError) as error:
        raise BadFile(f"{path} cannot be read: {error}", remedy=_from_a_copy(path)) from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise BadFile(
            f"{path} is no sample that this version of tacit can read",
            remedy="pip install --upgrade tacit",
        )
    try:
        return _sample(given)
    except (KeyError, TypeError, ValueError, BadInput) as error:
        raise BadFile(f"{path} is not whole: {error}", remedy=_from_a_copy(path)) from error


def _from_a_copy(path: Path) -> str:
    return f"remove {path.name} and draw again with the same files, --sample and --seed"


def _sample(given: Mapping[str, Any]) -> Sample:
    return Sample(
        n=int(given["n"]),
        seed=int(given["seed"]),
        parts=tuple(given["parts"]),
        claim=str(given["claim"]),
        systems=tuple(map(_system, given["systems"])),
        questions=tuple(map(Question.from_dict, given["questions"])),
    )


def _system(given: Mapping[str, Any]) -> SystemSample:
    return SystemSample(**{**given, "drawn": tuple(Draw(**draw) for draw in given["drawn"])})


def require_same(before: Sample, now: Sample, ledger: Path) -> None:
    """Refuse to judge another sample into a ledger that has begun with one."""
    if differences := list(_differences(before, now)):
        raise BadInput(
            f"the judgements in {ledger} are of another sample: {listed(differences)}",
            remedy="go on with what it began with, or judge into another ledger: --ledger FILE",
        )


def _require_own(ledger: Ledger, asked: frozenset[str], sample: Sample) -> None:
    """Refuse a ledger that holds anything but this sample."""
    grown = any(event.kind in ("started", "added") for event in ledger.history())
    if grown or asked - {question.id for question in sample.questions}:
        whose = "a program that grows" if grown else "something else"
        raise BadInput(
            f"the ledger {ledger.path} is that of {whose}",
            remedy="judgements need a ledger of their own: --ledger FILE",
        )


def _differences(before: Sample, now: Sample) -> Iterator[str]:
    """What is not the same in two samples, in words."""
    if before.n != now.n:
        yield f"of {before.n} extractions a system and not {now.n}"
    if before.seed != now.seed:
        yield f"with seed {before.seed} and not {now.seed}"
    if (before.parts, before.claim) != (now.parts, now.claim):
        yield f"about {_about(before)} and not {_about(now)}"
    then, given = ({own.name: own for own in each.systems} for each in (before, now))
    if then.keys() != given.keys():
        yield f"of the systems {listed(then)} and not {listed(given)}"
    for name in sorted(then.keys() & given.keys()):
        if then[name].fingerprint != given[name].fingerprint:
            sizes = f"{then[name].extractions:,} then, {given[name].extractions:,} now"
            yield f"'{name}' had other extractions ({sizes})"


def _about(sample: Sample) -> str:
    return "; ".join(filter(None, [sample.claim, ", ".join(sample.parts)])) or "unnamed tuples"
