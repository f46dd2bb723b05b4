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
from tacit.logic.facts import at_least_one, at_most_one, how_many, knowledge_base
from tacit.logic.forms import agreement, class_prior, expectation, label
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
from tacit.logic.functions import LabellingFunction, labelling_function, labelling_functions
from tacit.logic.knowledge import Knowledge, assemble
from tacit.logic.matrix import label_matrix
from tacit.logic.mln import read_db, read_mln
from tacit.logic.parser import Reading, parse, read
from tacit.logic.program import Program
from tacit.logic.quickstart import from_label_matrix, text_classification
from tacit.logic.show import show_evidence, show_formula
from tacit.logic.words import gazetteer, keywords, regexes

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
    "Knowledge",
    "LabelFunction",
    "LabelIs",
    "LabelOf",
    "LabellingFunction",
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
    "agreement",
    "assemble",
    "at_least_one",
    "at_most_one",
    "check",
    "class_prior",
    "examine",
    "expectation",
    "from_label_matrix",
    "gazetteer",
    "how_many",
    "keywords",
    "knowledge_base",
    "label",
    "label_matrix",
    "labelling_function",
    "labelling_functions",
    "parse",
    "read",
    "read_db",
    "read_mln",
    "regexes",
    "show_evidence",
    "show_formula",
    "text_classification",
]
