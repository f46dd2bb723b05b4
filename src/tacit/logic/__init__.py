"""Logic: formulas, programs and their text, checking, and ready forms of evidence."""

from __future__ import annotations

from tacit.logic.check import Findings, check, examine
from tacit.logic.evidence import (
    Declaration,
    Evidence,
    Expect,
    Fixed,
    Hard,
    LabelFunction,
    Learned,
    Normal,
    Observed,
    Origin,
)
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Truth,
    Variable,
)
from tacit.logic.parser import Reading, parse, read
from tacit.logic.program import Program
from tacit.logic.show import show_evidence, show_formula

__all__ = [
    "And",
    "Atom",
    "Comparison",
    "Constant",
    "Count",
    "Declaration",
    "Evidence",
    "Expect",
    "Findings",
    "Fixed",
    "Formula",
    "Hard",
    "Iff",
    "Implies",
    "LabelFunction",
    "LabelIs",
    "LabelOf",
    "Learned",
    "Normal",
    "Not",
    "Observed",
    "Or",
    "Origin",
    "Program",
    "Reading",
    "SameLabel",
    "Truth",
    "Variable",
    "check",
    "examine",
    "parse",
    "read",
    "show_evidence",
    "show_formula",
]
