"""A report as one HTML file: nothing outside it is needed, no request is made, no script runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.report import pictures, run_tables, tables
from tacit.report.pictures.lettering import writable
from tacit.report.pictures.numbers import exact_percent
from tacit.report.record import FunctionRecord, InstanceRecord, RunRecord
from tacit.report.wording import MARK, day, duration, in_words, key_figures, points

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_TEXT = 1500  # characters of an instance that are shown


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: its name in links and templates, its title, and when there is one."""

    id: str
    title: str
    has_content: Callable[[RunRecord], object]


SECTIONS = (
    Section("learned", "What was learned", lambda record: True),
    Section("labels", "Labels", lambda record: any(own.n_instances for own in record.functions)),
    Section(
        "growth",
        "How it grew",
        lambda record: record.snapshots or record.additions or record.questions,
    ),
    Section(
        "scores",
        "Scores by gold labels",
        lambda record: any(own.gold is not None and own.gold.n for own in record.functions),
    ),
    Section("evidence", "Evidence", lambda record: record.evidence),
    Section("instances", "Instances", lambda record: record.instances),
    Section("health", "Health", lambda record: any(one.health for one in record.snapshots)),
    Section("training", "Rules and network", lambda record: record.rounds),
    Section("program", "Program", lambda record: record.program),
    Section("again", "How to make it again", lambda record: True),
    Section("notes", "Notes", lambda record: record.notes),
)


def html_report(record: RunRecord) -> str:
    """All that a record holds, as the text of one HTML file.

    The same record gives the same text. Sections without content are left out.
    """
    page = _environment().get_template("report.html")
    return writable(page.render(_context(record)))


def sections_of(record: RunRecord) -> tuple[Section, ...]:
    """The sections that have something to show."""
    return tuple(section for section in SECTIONS if section.has_content(record))


def long_text(text: str) -> str:
    """An instance's text, cut where it is very long."""
    shown = text.strip()
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[:LONGEST_TEXT].rstrip()}…"


def labels_of(record: RunRecord, instance: InstanceRecord) -> tuple[str, ...]:
    """The labels that an instance could have."""
    for function in record.functions:
        if function.name == instance.function:
            return function.labels
    return tuple(map(str, instance.explanation["probabilities"]))


def best_label(record: RunRecord, instance: InstanceRecord) -> str:
    """An instance's most probable label."""
    pairs = zip(instance.posterior, labels_of(record, instance), strict=False)
    return max(pairs, key=lambda pair: pair[0], default=(0.0, ""))[1]


def _context(record: RunRecord) -> dict[str, Any]:
    """All that the templates use."""
    environment = _environment()

    def text_of(file: str) -> str:
        assert environment.loader is not None
        return environment.loader.get_source(environment, file)[0]

    def has_counts(function: FunctionRecord) -> bool:
        return any(sum(one.counts.get(function.name, ())) for one in record.snapshots)

    from markupsafe import Markup

    return {
        "record": record,
        "sections": sections_of(record),
        "figures": key_figures(record),
        "paragraphs": in_words(record),
        "version": __version__,
        "mark": MARK,
        "colours": Markup(text_of("colours.css")),
        "style": Markup(text_of("report.css")),
        "has_counts": has_counts,
        "labels_of": lambda one: labels_of(record, one),
        "best": lambda one: best_label(record, one),
    }


@cache
def _environment() -> Environment:
    """Templates that escape all they are given, and refuse names that they do not know."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tacit.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "pictures": pictures,
        "tables": tables,
        "run_tables": run_tables,
        "cell": tables.cell,
        "percent": exact_percent,
        "day": day,
        "duration": duration,
        "points": points,
        "long_text": long_text,
        "lines": lambda text: text.count("\n") + (not text.endswith("\n")),
    }
    return environment
