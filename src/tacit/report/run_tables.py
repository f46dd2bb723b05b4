"""The tables that tell how a run was made: rounds, growth, questions, settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tacit.report.pictures.evidence import NAMES
from tacit.report.pictures.numbers import MINUS, finite
from tacit.report.pictures.stages import name_of
from tacit.report.record import Json, RunRecord, Snapshot
from tacit.report.tables import Column, Table, number, share
from tacit.report.wording import day, duration, is_in_force

TIMES = ("began",)  # facts that are seconds since 1970


def rounds_table(record: RunRecord) -> Table:
    """What each round of Algorithm 1 did."""
    columns = [
        Column("round", "number"),
        Column("labels changed", "number", "share of labels that are others than a round before"),
        Column("agreement", "number", "of rules and network, where rules say something"),
        Column("loss", "number", "how surprised the network is by the labels"),
        Column("log-likelihood", "number", "of the evidence, given the network"),
        Column("time", "number"),
    ]
    rows = [
        (
            str(one.get("number", "")),
            "" if one.get("number") == 1 else share(one.get("changed")),
            share(one.get("agreement")),
            _decimals(one.get("loss"), 3),
            _decimals(one.get("log_likelihood"), 2),
            "" if finite(one.get("seconds")) is None else duration(float(one["seconds"])),
        )
        for one in record.rounds
    ]
    return Table.of("Rounds of rules and network", columns, rows)


def _decimals(value: Any, n: int) -> str:
    """A number of which small changes matter."""
    known = finite(value)
    return "" if known is None else f"{known:,.{n}f}".replace("-", MINUS)


def snapshots_table(record: RunRecord) -> Table:
    """The numbers after each fit on the way."""
    functions = list(dict.fromkeys(f for one in record.snapshots for f in one.accuracy or {}))
    health = list(dict.fromkeys(name for one in record.snapshots for name in one.health))
    columns = [Column("after"), Column("rules", "number")]
    columns += [Column(name.replace("_", " "), "number") for name in health]
    columns += [Column(f"accuracy of {name}", "number") for name in functions]
    rows = [
        (
            name_of(one),
            f"{one.rules:,}",
            *(_health(name, one) for name in health),
            *(share((one.accuracy or {}).get(name)) for name in functions),
        )
        for one in record.snapshots
    ]
    return Table.of("After each fit", columns, rows)


def _health(name: str, snapshot: Snapshot) -> str:
    if name == "changed" and snapshot.stage != "round":
        return ""  # there was nothing before
    value = snapshot.health.get(name)
    return number(value) if name == "seed_log_likelihood" else share(value)


def growth_table(record: RunRecord) -> Table:
    """The rules that were learned and are in force, together by round and label."""
    columns = [
        Column("when"),
        Column("by"),
        Column("label function", "code"),
        Column("for", "code"),
        Column("rules", "number"),
        Column("that speak of", "code"),
    ]
    several = len({str(one.get("function")) for one in record.additions}) > 1
    together: dict[tuple[str, ...], list[str]] = {}
    for one in filter(is_in_force, record.additions):
        function = str(one.get("function") or "") if several else ""
        key = (_when(one), _by(one), function, str(one.get("label") or ""))
        words = str(one.get("words") or one.get("formula") or one["name"])
        together.setdefault(key, []).append(words)
    order = list(dict.fromkeys(key[0] for key in together))  # of rounds; then by label
    keys = sorted(together, key=lambda key: (order.index(key[0]), key))
    rows = [(*key, f"{len(together[key]):,}", ", ".join(together[key])) for key in keys]
    return Table.of("Rules learned", columns, rows)


def additions_table(record: RunRecord, *, in_force: bool) -> Table:
    """Rules that were learned, or those that were taken back."""
    columns = [
        Column("rule", "code"),
        Column("says", "code"),
        Column("for", "code"),
        Column("when"),
        Column("by"),
        Column("why it was taken back"),
    ]
    rows = [
        (
            str(one["name"]),
            str(one.get("words") or one.get("formula") or ""),
            str(one.get("label") or ""),
            _when(one),
            _by(one),
            "" if in_force else f"{one.get('state', '')}: {one.get('why') or ''}".strip(": "),
        )
        for one in record.additions
        if is_in_force(one) == in_force
    ]
    return Table.of("Rules by name" if in_force else "Rules taken back", columns, rows)


def _when(addition: Json) -> str:
    return "answer" if addition.get("round") is None else f"round {addition['round']}"


def _by(addition: Json) -> str:
    """Who is behind a learned rule: a person who answered, or what proposed it."""
    if addition.get("round") is None:
        return str(addition.get("who") or "")
    origin = str(addition.get("origin") or "")
    return NAMES.get(origin, origin)


def questions_table(record: RunRecord) -> Table:
    """What was asked, and what was answered."""
    columns = [
        Column("asked about", "code"),
        Column("label function", "code"),
        Column("answer", "code"),
        Column("by"),
        Column("when"),
    ]
    several = len({str(one.get("function")) for one in record.questions}) > 1
    rows = [
        (
            str(one.get("feature") or one.get("words") or one.get("question") or ""),
            str(one.get("function") or "") if several else "",
            str(one.get("answer") or ""),
            str(one.get("who") or ""),
            "" if finite(one.get("when")) is None else day(float(one["when"])),
        )
        for one in record.questions
    ]
    return Table.of("Questions and answers", columns, rows)


def made_table(record: RunRecord) -> Table:
    """Seeds, fingerprints and versions: what must be the same for the run to be the same."""
    made = record.made
    rows = [
        ("random seed", str(made.seed)),
        ("fingerprint of the data", made.data),
        ("fingerprint of the program", made.program),
        *([("fingerprint of the seeds", made.seeds)] if made.seeds else []),
        *((f"version of {name}", version) for name, version in made.versions.items()),
        *(_fact(str(key), value) for key, value in record.facts.items()),
    ]
    return Table.of("Seeds, fingerprints and versions", _VALUES, rows)


def settings_table(record: RunRecord) -> Table:
    """The settings of the model and its network."""
    return Table.of("Settings", _VALUES, list(_flat("", record.made.settings)))


_VALUES = (Column("what"), Column("value", "code"))


def _fact(key: str, value: Any) -> tuple[str, str]:
    """A fact of the run; times are told as times."""
    when = finite(value) if key in TIMES else None
    return key.replace("_", " "), _plain(value) if when is None else day(when)


def _flat(before: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Settings inside settings, with their full names."""
    for key, value in given.items():
        name = f"{before}.{key}" if before else str(key)
        if isinstance(value, Mapping) and value:
            yield from _flat(name, value)
        else:
            yield name, _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
