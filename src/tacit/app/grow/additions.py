"""What a ledger says was added to a program, asked and answered: as tables show it."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tacit.app.console import NAME, NUMBER, Column, counted, print_table
from tacit.logic.evidence import Evidence
from tacit.logic.formula import (
    And,
    Atom,
    Constant,
    Formula,
    Implies,
    LabelIs,
    SameLabel,
    Term,
)
from tacit.logic.program import Program
from tacit.logic.show import show_formula
from tacit.proposals.features import Feature

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.review.events import Event
    from tacit.review.ledger import Ledger

State = Literal["in force", "rolled back", "undone"]
ORIGINS = {"sst": "self-training", "fal": "question"}  # others are told by their own name


@dataclass(frozen=True, slots=True)
class Addition:
    """A rule that was added to a program, and whether it is still there."""

    name: str
    function: str  # the label function that it speaks of
    label: str  # "" of two instances that are said to have the same one, whichever that is
    words: str  # what it says of the label: "superb"; or of whom: "r17 = r42"
    formula: str
    origin: str  # the rule that proposed it
    round: int | None  # of self-training; None for an answer to a question
    who: str
    when: float  # seconds since 1970, UTC
    state: State = "in force"
    why: str = ""  # it was taken out


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was answered."""

    feature: str
    function: str
    answer: str
    who: str
    when: float


def additions(ledger: Ledger) -> tuple[Addition, ...]:
    """All that was ever added, in its order."""
    history = ledger.history()
    evidence = _evidence(ledger, [event for event in history if event.kind == "added"])
    found: dict[str, Addition] = {}
    for event in history:
        if event.kind == "added":
            found[str(event.name)] = _addition(event, evidence[str(event.name)])
        elif event.kind in ("rolled_back", "undone"):
            for name in _taken_out(event, history):
                found[name] = _without(found[name], event)
    return tuple(found.values())


def in_force(every: tuple[Addition, ...]) -> tuple[Addition, ...]:
    """Those that are still there."""
    return tuple(one for one in every if one.state == "in force")


def questions(ledger: Ledger) -> tuple[Asked, ...]:
    """The questions with an answer that stands, in the order of the answers."""
    found = []
    for key, answer in ledger.answers().items():
        question = ledger.question(key)
        told = (question.feature, question.function, answer.choice, answer.who, answer.when)
        found.append(Asked(*told))
    return tuple(found)


def _evidence(ledger: Ledger, added: list[Event]) -> dict[str, Evidence]:
    """The evidence of additions by name, read in one go."""
    from tacit.review.replaying import replay

    if not added:
        return {}
    known = Program(replay(ledger).declarations).show().splitlines()
    declared = dict.fromkeys([*known, *(d for e in added for d in e.payload["declarations"])])
    texts = {str(event.name): str(event.payload["text"]) for event in added}
    program = Program.parse("\n".join([*declared, *texts.values()]), source=str(ledger.path))
    return {one.name: one for one in program.evidence}


def _addition(event: Event, evidence: Evidence) -> Addition:
    function, label, words = _told(evidence.formula)
    facts = dict(evidence.origin.facts)
    return Addition(
        name=evidence.name,
        function=function,
        label=label,
        words=words,
        formula=show_formula(evidence.formula),
        origin=evidence.origin.kind,
        round=int(facts["round"]) if "round" in facts else None,
        who=str(facts.get("by", event.stamp.who)),
        when=event.stamp.when,
    )


def _told(formula: Formula) -> tuple[str, str, str]:
    """The label function, the label and the words of a rule."""
    if isinstance(formula, Implies) and isinstance(goal := formula.conclusion, LabelIs):
        condition = formula.condition
        parts = condition.parts if isinstance(condition, And) else (condition,)
        words = " & ".join(map(_words, parts))
        label = str(goal.value.value) if isinstance(goal.value, Constant) else ""
        return goal.subject.label, label, words
    if isinstance(formula, SameLabel):
        ends = (formula.left.item, formula.right.item)
        if all(isinstance(end, Constant) for end in ends):
            return formula.left.label, "", " = ".join(map(_id, ends))
    return "", "", show_formula(formula)


def _id(end: Term) -> str:
    """An instance as people read it."""
    return str(end.value) if isinstance(end, Constant) else end.name


def _words(part: Formula) -> str:
    """A condition as people read it."""
    if not isinstance(part, Atom):
        return show_formula(part)
    constants = tuple(term.value for term in part.terms if isinstance(term, Constant))
    return Feature(part.predicate, constants).words


def _taken_out(event: Event, history: tuple[Event, ...]) -> list[str]:
    """The names that an event takes out; an answer that is taken back names its question."""
    if event.name is not None:
        return [event.name]
    before = [one for one in history if one.kind == "added" and one.sequence < event.sequence]
    return [str(one.name) for one in before if one.question == event.question]


def _without(addition: Addition, event: Event) -> Addition:
    """The addition, taken out."""
    if event.kind == "rolled_back":
        return replace(addition, state="rolled back", why=str(event.payload.get("why", "")))
    return replace(addition, state="undone", why=f"by {event.stamp.who}")


def as_dicts(every: tuple[Addition, ...]) -> list[dict[str, Any]]:
    """Additions as JSON holds them."""
    return [asdict(one) for one in every]


def again(settings_file: str) -> str:
    """The command that goes on with a project."""
    folder = str(Path(settings_file).parent)
    return "tacit grow" if folder == "." else f"tacit grow {shlex.quote(folder)}"


def print_additions(
    console: Console, settings_file: str, ledger: str, found: tuple[Addition, ...]
) -> None:
    """The rules in force as a table."""
    from rich.text import Text

    if not found:
        console.print(Text(f"Nothing was added yet, says {ledger}."), soft_wrap=True)
        return
    columns = [Column("name", style=NAME), Column("origin")]
    columns += [Column("round", right=True, style=NUMBER), Column("who"), Column("when")]
    rows = [
        (
            one.name,
            ORIGINS.get(one.origin, one.origin),
            "-" if one.round is None else str(one.round),
            one.who,
            time_shown(one.when),
            one.formula,
        )
        for one in found
    ]
    title = f"{counted(len(found), 'rule')} in force, by {ledger}"
    print_table(console, title, [*columns, Column("formula")], rows)
    console.print(
        Text(f"Take one out: {again(settings_file)} --undo NAME", style="dim"), soft_wrap=True
    )


def time_shown(when: float) -> str:
    """A time as people read it, where they are."""
    return datetime.fromtimestamp(when).strftime("%Y-%m-%d %H:%M")
