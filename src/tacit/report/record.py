"""The record of a run: all that reports and pages show of it, as plain values that JSON can hold.

Whoever fits or grows a program writes one; reports, pictures and pages read nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tacit.errors import BadFile

FORMAT = 1  # raised when what is written changes
RECORD = "record.json"  # in the folder of a saved run

Kind = Literal["fit", "grow"]
Stage = Literal["seeds", "round", "answers"]
Matrix = tuple[tuple[int, ...], ...]
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How a run was made, so that it can be made again."""

    command: str  # as it was typed
    when: float  # seconds since 1970, UTC
    seconds: float
    seed: int
    versions: Mapping[str, str]  # of tacit, Python and what the numbers depend on
    data: str  # fingerprints
    program: str
    settings: Json  # of the model and its network
    seeds: str = ""  # the fingerprint of the seed program, where the program has grown


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Instances whose label is about as probable."""

    n: int
    confidence: float  # the mean probability of their labels
    accuracy: float  # the share that is right


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldScores:
    """How right the labels are, where gold labels are known; for looking only.

    A tie between labels counts as a coin would do on average; the confusion takes the first.
    """

    n: int
    accuracy: float
    confusion: Matrix  # rows: gold labels, columns: labels given
    precision: tuple[float | None, ...]  # by label; None where nothing was given or known
    recall: tuple[float | None, ...]
    f1: tuple[float | None, ...]
    calibration: tuple[CalibrationBin, ...]
    calibration_error: float  # the mean distance of confidence and accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRecord:
    """One label function: what was said of its instances."""

    name: str
    domain: str
    labels: tuple[str, ...]
    n_instances: int
    counts: tuple[int, ...]  # instances by most probable label
    coverage: float  # the share with evidence
    agreement: float | None  # of evidence and network, where there are both
    sureness: tuple[int, ...]  # instances by the probability of their label, in bins of 5%
    gold: GoldScores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The program after one fit on the way: the seeds, a round of self-training, some answers."""

    stage: Stage
    number: int  # of the round, or how many answers have joined the program
    rules: int
    program: str  # its fingerprint
    health: Mapping[str, float | None]  # the numbers of `tacit.s4.health.Health`
    counts: Mapping[str, tuple[int, ...]]  # by label function: instances by label
    flow: Mapping[str, Matrix] | None = None  # labels before (rows) and now; None for the first
    accuracy: Mapping[str, float] | None = None  # where gold is known
    taken_back: bool = False  # a round that the guard did not let stand


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRecord:
    """An instance that was picked to be looked at, with the explanation of its label."""

    function: str
    id: str
    text: str
    posterior: tuple[float, ...]  # in the order of the function's labels
    why: str  # it was picked: "in doubt", "sure of pos", "evidence and network disagree", ...
    explanation: Json  # of `Explanation.as_dict`
    gold: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """All that is shown of a run."""

    kind: Kind
    name: str  # of the project
    predictor: str
    made: Made
    functions: tuple[FunctionRecord, ...]
    program: str  # the text, with learned weights
    evidence: tuple[Json, ...]  # rows of the evidence table, as JSON holds them
    instances: tuple[InstanceRecord, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    rounds: tuple[Json, ...] = ()  # of Algorithm 1: its history
    additions: tuple[Json, ...] = ()  # rules that joined the program, also those taken out
    questions: tuple[Json, ...] = ()  # asked and answered
    reason: str = ""  # why self-training ended
    notes: tuple[str, ...] = ()
    seeds: str = ""  # the seed program's text, where the program has grown
    facts: Json = field(default_factory=dict)  # whatever else is worth a line: {"budget": 20}
    last_labels: Mapping[str, str] = field(default_factory=dict)  # packed, for who goes on: by
    # label function the label of each instance at the last snapshot; see `recording`

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"format": FORMAT, **asdict(self)}

    @staticmethod
    def from_dict(given: Json) -> RunRecord:
        """The inverse of `as_dict`."""
        fields = {key: value for key, value in given.items() if key != "format"}
        fields["made"] = Made(**given["made"])
        fields["functions"] = tuple(map(_function, given["functions"]))
        fields["instances"] = tuple(map(_instance, given["instances"]))
        fields["snapshots"] = tuple(map(_snapshot, given["snapshots"]))
        for name in ("evidence", "rounds", "additions", "questions", "notes"):
            fields[name] = tuple(given[name])
        return RunRecord(**fields)


def read_record(path: Path) -> RunRecord:
    """The record in a file, or in the folder of a run."""
    file = path / RECORD if path.is_dir() else path
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(
            f"{file} is not there: the run has no record",
            remedy="fit or grow it again with this version of tacit, which writes one",
        ) from None
    except (OSError, ValueError) as error:
        raise BadFile(f"{file} cannot be read: {error}", remedy="fit or grow again") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise _unreadable(file)
    try:
        return RunRecord.from_dict(given)
    except (TypeError, KeyError, AttributeError) as error:
        raise _unreadable(file) from error


def _unreadable(file: Path) -> BadFile:
    return BadFile(
        f"{file} is no record that this version of tacit can read",
        remedy="fit or grow again, or use the version of tacit that wrote it",
    )


def record_text(record: RunRecord) -> str:
    """The record as a file holds it."""
    return json.dumps(record.as_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _function(given: Json) -> FunctionRecord:
    fields = dict(given)
    for name in ("labels", "counts", "sureness"):
        fields[name] = tuple(given[name])
    fields["gold"] = None if given["gold"] is None else _gold(given["gold"])
    return FunctionRecord(**fields)


def _gold(given: Json) -> GoldScores:
    fields = dict(given)
    fields["confusion"] = _matrix(given["confusion"])
    for name in ("precision", "recall", "f1"):
        fields[name] = tuple(given[name])
    fields["calibration"] = tuple(CalibrationBin(**own) for own in given["calibration"])
    return GoldScores(**fields)


def _snapshot(given: Json) -> Snapshot:
    fields = dict(given)
    fields["counts"] = {name: tuple(own) for name, own in given["counts"].items()}
    if given["flow"] is not None:
        fields["flow"] = {name: _matrix(own) for name, own in given["flow"].items()}
    return Snapshot(**fields)


def _instance(given: Json) -> InstanceRecord:
    return InstanceRecord(**{**given, "posterior": tuple(given["posterior"])})


def _matrix(given: Any) -> Matrix:
    return tuple(tuple(row) for row in given)
