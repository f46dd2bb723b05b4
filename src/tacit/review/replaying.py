"""The learned program, rebuilt from its ledger alone."""

from __future__ import annotations

from tacit.errors import BadInput
from tacit.logic.program import Program
from tacit.review.ledger import Ledger


def replay(ledger: Ledger, seed: Program | None = None) -> Program:
    """The seed program with all evidence in force, in the order in which it was added.

    Without a seed, the one with which the first run on this ledger started.
    """
    program = _seed_of(ledger) if seed is None else seed
    declared = program.declarations
    added = list(ledger.in_force().values())
    known = Program(declared).show().splitlines()
    new = [line for event in added for line in event.payload["declarations"] if line not in known]
    lines = [*known, *dict.fromkeys(new), *(event.payload["text"] for event in added)]
    learned = Program.parse("\n".join(lines), source=str(ledger.path))
    more = tuple(d for d in learned.declarations if d not in declared)
    return Program((*declared, *more), (*program.evidence, *learned.evidence))


def _seed_of(ledger: Ledger) -> Program:
    for event in ledger.history():
        if event.kind == "started" and "seed" in event.payload:
            return Program.parse(event.payload["seed"], source=str(ledger.path))
    raise BadInput(
        f"the ledger {ledger.path} does not tell its seed program",
        remedy="give the program with which the run started",
    )
