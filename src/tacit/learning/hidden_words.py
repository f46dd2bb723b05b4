"""The words that evidence looks for in texts, which a network is to learn to do without.

A text is labelled since it contains *superb*; a network that sees this learns to look for *superb*,
and then knows what the evidence knows, and no more. Where it does not see the word, it has to find
out what else such texts have in common.
"""

from __future__ import annotations

from tacit.data import Task
from tacit.logic.formula import Atom, Constant
from tacit.logic.program import Program
from tacit.logic.traverse import label_functions, walk


def words_looked_for(task: Task, program: Program, function: str) -> tuple[str, ...]:
    """The words, and n-grams, from which evidence draws conclusions about a label function."""
    tables = {rule.name for rule in task.word_tables}
    found = (
        term.value
        for evidence in program.evidence
        if function in label_functions(evidence.formula)
        for atom in walk(evidence.formula)
        if isinstance(atom, Atom) and atom.predicate in tables
        for term in atom.terms
        if isinstance(term, Constant) and isinstance(term.value, str)
    )
    return tuple(dict.fromkeys(found))
