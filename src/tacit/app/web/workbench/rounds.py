"""The page of the rounds: how a program grew, fit by fit, and whether it stayed healthy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.workbench.loading import not_ready
from tacit.report.pictures import health_over_time, label_flow, learning_curves
from tacit.report.record import Matrix, RunRecord, Snapshot


def rounds_data(site: Site, _request: Request) -> Data:
    """The snapshots of a run, oldest first, with their pictures; a run that never grew has none."""
    record = site.record()
    if record is None:
        return not_ready(site)
    snapshots = record.snapshots
    return {
        "ready": True,
        "kind": record.kind,
        "reason": record.reason,
        "gold": sorted({name for one in snapshots for name in one.accuracy or ()}),
        "snapshots": [_snapshot(one) for one in snapshots],
        "rounds": list(record.rounds),
        "seconds": record.made.seconds,
        "pictures": _pictures(record, snapshots),
    }


def _snapshot(one: Snapshot) -> Data:
    """One fit: what the program was then, and what it said."""
    return {
        "title": _title(one),
        "stage": one.stage,
        "number": one.number,
        "rules": one.rules,
        "program": one.program,
        "taken_back": one.taken_back,
        "health": dict(one.health),
        "counts": {name: list(own) for name, own in one.counts.items()},
        "moved": None if one.flow is None else _moved(one.flow.values()),
        "accuracy": None if one.accuracy is None else dict(one.accuracy),
    }


def _title(one: Snapshot) -> str:
    if one.stage == "seeds":
        return "seeds"
    if one.stage == "round":
        return f"round {one.number}"
    return f"{one.number} answer{'' if one.number == 1 else 's'}"


def _moved(flows: Iterable[Matrix]) -> float:
    """The share of instances that have another label than a snapshot before."""
    flows = list(flows)
    total = sum(sum(map(sum, flow)) for flow in flows)
    stayed = sum(row[at] for flow in flows for at, row in enumerate(flow))
    return 1.0 - stayed / total if total else 0.0


def _pictures(record: RunRecord, snapshots: Sequence[Snapshot]) -> Data:
    """What there is to see where there are several fits."""
    if len(snapshots) < 2:
        return {}
    return {
        "curves": learning_curves(snapshots),
        "health": health_over_time(snapshots),
        "flows": [
            {"function": own.name, "picture": label_flow(snapshots, own)}
            for own in record.functions
            if any(own.name in one.counts for one in snapshots)
        ],
    }


PAGE = Page("/rounds", "workbench/rounds.html", "Rounds", rounds_data)
