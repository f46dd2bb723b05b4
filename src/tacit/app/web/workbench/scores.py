"""The page of the scores: how right and how sure the labels are, label function by function."""

from __future__ import annotations

from starlette.requests import Request

from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.workbench.loading import not_ready
from tacit.report.pictures import calibration, confusion, label_shares, sureness
from tacit.report.record import FunctionRecord, GoldScores


def scores_data(site: Site, _request: Request) -> Data:
    """What the record knows of each label function; scores only where gold labels are known."""
    record = site.record()
    if record is None:
        return not_ready(site)
    return {
        "ready": True,
        "predictor": record.predictor,
        "functions": [_function(own) for own in record.functions],
    }


def _function(function: FunctionRecord) -> Data:
    gold = function.gold
    pictures = {"shares": label_shares(function), "sureness": sureness(function)}
    if gold is not None:
        pictures["confusion"] = confusion(gold, function.labels)
        pictures["calibration"] = calibration(gold)
    return {
        "name": function.name,
        "domain": function.domain,
        "n_instances": function.n_instances,
        "coverage": function.coverage,
        "agreement": function.agreement,
        "gold": None if gold is None else _gold(gold),
        "labels": _labels(function),
        "pictures": pictures,
    }


def _gold(gold: GoldScores) -> Data:
    return {
        "n": gold.n,
        "accuracy": gold.accuracy,
        "calibration_error": gold.calibration_error,
        "confusion": [list(row) for row in gold.confusion],
    }


def _labels(function: FunctionRecord) -> list[Data]:
    """A row for each label: how often it is given, and how right it is."""
    gold, total = function.gold, max(1, sum(function.counts))
    rows: list[Data] = []
    for at, (label, count) in enumerate(zip(function.labels, function.counts, strict=True)):
        row: Data = {"label": label, "count": count, "share": count / total}
        if gold is not None:
            row |= {
                "n_gold": sum(gold.confusion[at]),
                "precision": gold.precision[at],
                "recall": gold.recall[at],
                "f1": gold.f1[at],
            }
        rows.append(row)
    return rows


PAGE = Page("/scores", "workbench/scores.html", "Scores", scores_data)
