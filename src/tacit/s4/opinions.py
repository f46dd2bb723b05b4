"""Several opinions: networks that were taught by different parts of the evidence.

A network that is taught by its own votes repeats its errors, and so do all that learn from the same
evidence: more rounds, or more networks of that kind, change little. Networks that were taught by
other words err elsewhere. So when a program has stopped growing, its evidence is dealt out into
parts, each part teaches networks of its own from the start, and the last network learns from what
all of them say together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from scipy.special import log_softmax

from tacit.learning.votes import Floats
from tacit.logic.evidence import Evidence, Fixed, Learned
from tacit.logic.formula import Constant, Implies, LabelIs
from tacit.logic.program import Program
from tacit.logic.traverse import is_hidden

FEWEST = 4  # pieces of evidence for each label that a part must have: fewer teach too little


def parts_of(program: Program, functions: Iterable[str], n_parts: int) -> tuple[Program, ...]:
    """Programs with a part of the evidence each; none where a part would have too little.

    What speaks for a label is dealt out in turn, label by label, in the program's order, so that
    all parts have of what was said first and of what was added last. All else, such as what ties
    labels to each other, is in every part.
    """
    by_label: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in program.evidence:
        spoken_for = label_spoken_for(one)
        if spoken_for is not None:
            by_label[spoken_for].append(one.name)
    wanted = [(name, label) for name in functions for label in program.labels[name].labels]
    if n_parts < 2 or any(len(by_label[key]) < FEWEST * n_parts for key in wanted):
        return ()
    part = {name: at % n_parts for key in wanted for at, name in enumerate(by_label[key])}
    return tuple(
        program.without(*(name for name, own in part.items() if own != at)) for at in range(n_parts)
    )


def label_spoken_for(one: Evidence) -> tuple[str, str] | None:
    """The label function and the label that follow from facts by this evidence, if any do."""
    formula = one.formula
    if not isinstance(one.weight, Learned | Fixed) or not isinstance(formula, Implies):
        return None
    facts, goal = formula.condition, formula.conclusion
    if is_hidden(facts) or not isinstance(goal, LabelIs) or not isinstance(goal.value, Constant):
        return None
    return goal.subject.label, str(goal.value.value)


def together(said: Sequence[Mapping[str, Floats]], functions: Collection[str]) -> dict[str, Floats]:
    """What all say, each as much as any other: the mean of their log-probabilities."""
    return {
        name: np.asarray(log_softmax(np.mean([own[name] for own in said], axis=0), axis=1))
        for name in functions
    }
