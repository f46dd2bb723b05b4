"""The record of a fitted model, made from all that is known of it."""

from __future__ import annotations

import math
import warnings
from dataclasses import asdict, dataclass, field, replace

from tacit.errors import TacitWarning
from tacit.learning.described import plain
from tacit.learning.dpl import DPL
from tacit.learning.evidence_table import EvidenceRow
from tacit.learning.identity import program_fingerprint
from tacit.learning.saved_evidence import evidence_of, learned_program
from tacit.report.gold_scores import Gold
from tacit.report.record import Json, RunRecord
from tacit.report.record_functions import function_record, said_by
from tacit.report.record_instances import MOST, TRACED, instance_records
from tacit.report.record_made import made
from tacit.report.recording import Recorder, packed

MOST_EVIDENCE = 2000  # rows of the evidence table: more than anyone looks through
LEFT_OUT = "evidence_left_out"  # among the facts: how many rows were more


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What whoever started a run knows of it, and the model does not."""

    name: str  # of the project
    predictor: str
    command: str  # as it was typed
    when: float  # seconds since 1970, UTC
    seconds: float
    gold: Gold = field(default_factory=dict)  # for looking only
    notes: tuple[str, ...] = ()
    facts: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How a program has grown."""

    recorder: Recorder
    seeds: str  # the seed program's text, as it was written
    additions: tuple[Json, ...]  # also those taken out, with their "round" and "state"
    questions: tuple[Json, ...]
    reason: str


def record_of(
    model: DPL,
    about: About,
    *,
    growth: Growth | None = None,
    instances: int = MOST,
    traced: int = TRACED,
) -> RunRecord:
    """All that is shown of a fitted model.

    `instances` are picked for each label function; `traced` parts of their explanations, over all,
    show the rows behind them, which takes most of the time that a record does.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # whoever fitted it was warned already
        said = said_by(model)
        table = model.analysis(about.gold).rows
        picked = instance_records(model, said, about.gold, most=instances, traced=traced)
        program = learned_program(evidence_of(model.label_model_))
    shown = widest(table)
    more = {LEFT_OUT: len(table) - len(shown)} if len(shown) < len(table) else {}
    record = RunRecord(
        kind="fit",
        name=about.name,
        predictor=about.predictor,
        made=made(model, command=about.command, when=about.when, seconds=about.seconds),
        functions=tuple(
            function_record(model.program_.labels[name], own, about.gold.get(name))
            for name, own in said.items()
        ),
        program=program.show(),
        evidence=tuple(row.as_dict() for row in shown),
        instances=picked,
        rounds=tuple(plain(asdict(each)) for each in model.history_),
        notes=about.notes,
        facts=plain({**about.facts, **more}),
    )
    return record if growth is None else _grown(record, growth)


def _grown(record: RunRecord, growth: Growth) -> RunRecord:
    """The record of a program that has grown."""
    recorder = growth.recorder
    gone = {one["round"] for one in growth.additions if one["state"] == "rolled back"}
    return replace(
        record,
        kind="grow",
        made=replace(record.made, seeds=program_fingerprint(recorder.seed)),
        snapshots=tuple(
            replace(one, taken_back=one.stage == "round" and one.number in gone)
            for one in recorder.snapshots
        ),
        additions=tuple(map(plain, growth.additions)),
        questions=tuple(map(plain, growth.questions)),
        reason=growth.reason,
        seeds=growth.seeds,
        last_labels=packed(recorder.labels or {}),
    )


def widest(rows: tuple[EvidenceRow, ...]) -> tuple[EvidenceRow, ...]:
    """As many rows as a record holds, in their order: those that speak of most instances."""

    def reach(row: EvidenceRow) -> float:
        alone = 0.0 if math.isnan(row.coverage) else row.coverage
        return row.n_groundings + alone

    if len(rows) <= MOST_EVIDENCE:
        return rows
    kept = sorted(range(len(rows)), key=lambda at: -reach(rows[at]))[:MOST_EVIDENCE]
    return tuple(rows[at] for at in sorted(kept))
