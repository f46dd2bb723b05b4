"""What `tacit fit` prints: rounds, labels, and where all was saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.app.console import (
    NAME,
    NUMBER,
    Column,
    counted,
    percent,
    print_notes,
    print_table,
    print_title,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.app.project import Project
    from tacit.learning.dpl import DPL
    from tacit.learning.rounds import Round

N_NGRAMS = 8  # strongest n-grams of a label that are shown
RESTLESS = 3  # times the share of changes at which labels count as settled: worth a note


@dataclass(frozen=True, slots=True)
class LabelReport:
    """One label of a label function, after learning."""

    function: str
    label: str
    instances: int  # of which this is the most probable label
    share: float
    has_network: bool  # of the label function
    strongest: tuple[str, ...]  # the n-grams that speak most for it; none unless linear


@dataclass(frozen=True, slots=True)
class FitReport:
    """All that `tacit fit` tells."""

    name: str
    file: str
    program: str
    predictor: str
    run: str
    resumed: int  # rounds that were there already
    rounds: tuple[Round, ...]
    labels: tuple[LabelReport, ...]
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def with_notes(self, heard: Sequence[str], others: Sequence[str]) -> FitReport:
        """The report with what else deserves a look."""
        return replace(self, notes=(*heard, *others, *self.notes))

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return asdict(self)


def fit_report(project: Project, model: DPL, kind: str, run: str, resumed: int) -> FitReport:
    """What there is to tell of a fitted model."""
    return FitReport(
        project.name,
        project.file,
        project.program_file,
        kind,
        run,
        resumed,
        model.history_,
        tuple(label for name in model.labels_ for label in _labels(model, name)),
        tuple(_notes(model, resumed)),
    )


def _labels(model: DPL, name: str) -> list[LabelReport]:
    """The labels of one label function."""
    posterior = model.posterior_
    own = posterior[name] if isinstance(posterior, dict) else posterior
    labels = model.labels_[name]
    counts = np.bincount(own.argmax(axis=1), minlength=len(labels))
    has_network, strongest = name in model.predictors_, _strongest(model, name)
    return [
        LabelReport(name, label, n, n / len(own), has_network, strongest.get(at, ()))
        for at, (label, n) in enumerate(zip(labels, counts.tolist(), strict=True))
    ]


def _strongest(model: DPL, name: str) -> dict[int, tuple[str, ...]]:
    """The n-grams that speak most for each label, where a network can tell."""
    top_features = getattr(model.predictors_.get(name), "top_features", None)
    if top_features is None:
        return {}
    found = top_features(N_NGRAMS).items()
    return {label: tuple(ngram for ngram, weight in top if weight > 0) for label, top in found}


def _notes(model: DPL, resumed: int) -> list[str]:
    """What still deserves a look."""
    notes = []
    if resumed:
        notes.append(f"went on behind round {resumed} of a run that was interrupted")
    without = [name for name in model.labels_ if name not in model.predictors_]
    for name in without:
        table = model.program_.labels[name].domain
        notes.append(
            f"{name} has no network, only evidence: tacit.toml names no text of table '{table}'"
        )
    last = model.history_[-1]
    if last.number == model.rounds > 1 and last.changed > RESTLESS * model.settled:
        notes.append(
            f"{percent(last.changed)} of the labels still changed in the last round; "
            f"try --rounds {2 * model.rounds}"
        )
    return notes


def print_fit(console: Console, report: FitReport) -> None:
    """The tables and the notes, then where all was saved."""
    from rich.text import Text

    print_title(console, report.name, report.file)
    headers = ("round", "changed", "agreement", "loss", "log-likelihood", "seconds")
    columns = [Column(header, right=True, style=NUMBER) for header in headers]
    print_table(console, f"Rounds, predictor {report.predictor}", columns, _rounds(report))
    for name in dict.fromkeys(label.function for label in report.labels):
        own = [label for label in report.labels if label.function == name]
        n_instances = sum(label.instances for label in own)
        source = "evidence and network" if own[0].has_network else "evidence alone"
        title = f"{name}: {counted(n_instances, 'label')} by {source}"
        rows = [(la.label, percent(la.share), ", ".join(la.strongest)) for la in own]
        columns = [Column("label", style=NAME), Column("share", right=True, style=NUMBER)]
        if any(label.strongest for label in own):
            columns.append(Column("what speaks for it in the network"))
        print_table(console, title, columns, [row[: len(columns)] for row in rows])
    print_notes(console, report.notes)
    done = f"Saved in {report.run}: {report.seconds:.1f} s."
    console.print(Text(done, style="bold green"), soft_wrap=True)
    for line in (f"Next: tacit report {report.run}", f"      tacit predict {report.run} FILE"):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _rounds(report: FitReport) -> list[tuple[str, ...]]:
    """A line for each round; in the first, there are no labels before that could change."""
    return [
        (
            str(each.number),
            percent(each.changed) if each.number > 1 else "-",
            percent(each.agreement),
            f"{each.loss:.3f}",
            f"{each.log_likelihood:,.1f}",
            f"{each.seconds:.2f}",
        )
        for each in report.rounds
    ]
