"""What the label model's benchmark makes of labels: accuracies, means and gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.label_model_sets import Floats, LabelledSet, Longs

Record = dict[str, Any]

OURS = "tacit"
RIVALS = ("majority", "snorkel", "dawid_skene")
MODELS = (OURS, *RIVALS, "glad")
TIE = 1e-9  # probabilities that differ by less are tied
FIGURES = ("accuracy", "accuracy_covered")


def credit(posterior: Floats, gold: Longs) -> Floats:
    """For each row 1 where the likeliest label is right, and 1/n where it is among n that tie."""
    known = np.where(np.isnan(posterior).any(axis=1, keepdims=True), 0.0, posterior)
    tied = known >= known.max(axis=1, keepdims=True) - TIE
    return np.asarray(tied[np.arange(len(gold)), gold] / tied.sum(axis=1))


def scores(posterior: Floats, labelled: LabelledSet) -> Record:
    """Every accuracy of a posterior."""
    earned = credit(posterior, labelled.gold)
    covered = is_covered(labelled)
    by_label = [earned[labelled.gold == label].mean() for label in np.unique(labelled.gold)]
    return {
        "accuracy": float(earned.mean()),
        "accuracy_covered": float(earned[covered].mean()) if covered.any() else None,
        "accuracy_balanced": float(np.mean(by_label)),
    }


def is_covered(labelled: LabelledSet) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Of which rows that are asked about any function speaks."""
    return np.asarray((labelled.asked_votes >= 0).any(axis=1))


def mean_scores(found: Sequence[Record]) -> Record:
    """The mean of scores by several seeds, and the widest difference between them."""
    accuracies = [one["accuracy"] for one in found]
    means = {
        key: None if value is None else float(np.mean([one[key] for one in found]))
        for key, value in found[0].items()
    }
    return {**means, "accuracy_spread": max(accuracies) - min(accuracies), "n_seeds": len(found)}


def speedup(models: Record) -> float | None:
    """Snorkel's seconds to learn and label, over ours."""
    ours, snorkel = models[OURS], models["snorkel"]
    if "skipped" in ours or "skipped" in snorkel:
        return None
    return float((snorkel["fit_s"] + snorkel["predict_s"]) / (ours["fit_s"] + ours["predict_s"]))


def summary(records: Sequence[Record]) -> Record:
    """One number for each question."""
    real = [record for record in records if record["kind"] == "real"]
    return {
        **{key: {record["set"]: by_model(record, key) for record in records} for key in FIGURES},
        "fit_speedup_vs_snorkel": {
            record["set"]: record["fit_speedup_vs_snorkel"] for record in records
        },
        "mean_accuracy": {
            "real_sets_of_all_four": means(with_all_four(real)),
            "all_sets_of_all_four": means(with_all_four(records)),
            "real_sets": means(real),
            "all_sets": means(records),
        },
        "worst_gap": {key: worst_gap(real, key) for key in FIGURES},
    }


def with_all_four(records: Iterable[Record]) -> list[Record]:
    """The sets on which majority vote, Snorkel, Dawid-Skene and ours all give a figure."""
    return [
        record
        for record in records
        if all(has_figure(record, model, "accuracy") for model in (OURS, *RIVALS))
    ]


def has_figure(record: Record, model: str, key: str) -> bool:
    """Whether a model came to a figure on a set."""
    return record["models"].get(model, {}).get(key) is not None


def by_model(record: Record, key: str) -> Record:
    """A figure of every model on a set."""
    return {model: record["models"][model].get(key) for model in MODELS}


def means(records: Sequence[Record]) -> Record:
    """The mean of each model over sets; none for a model that lacks a figure on any of them."""
    found: Record = {"n_sets": len(records)}
    for key in FIGURES:
        found[key] = {
            model: float(np.mean([record["models"][model][key] for record in records]))
            if records and all(has_figure(record, model, key) for record in records)
            else None
            for model in MODELS
        }
    return found


def gap(record: Record, key: str) -> tuple[float, str] | None:
    """Ours less the best of the rivals that give a figure on a set, and who that is."""
    rivals = [model for model in RIVALS if has_figure(record, model, key)]
    if not rivals or not has_figure(record, OURS, key):
        return None
    best = max(rivals, key=lambda model: float(record["models"][model][key]))
    return float(record["models"][OURS][key] - record["models"][best][key]), best


def worst_gap(records: Iterable[Record], key: str) -> Record | None:
    """The lowest gap over sets, and where it is."""
    found = [(*known, record["set"]) for record in records if (known := gap(record, key))]
    if not found:
        return None
    lowest, best, name = min(found)
    return {"gap": lowest, "set": name, "best": best}
