"""What a fit has worked with: its data, its networks, and where it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacit.grounding import GroundFactors
from tacit.learning.em import infer_labels, lesson_of
from tacit.learning.em_config import EMConfig
from tacit.learning.predictor_step import Lesson, Network
from tacit.learning.rounds import State
from tacit.learning.supervision import Supervision
from tacit.logic.program import Program


@dataclass(frozen=True, slots=True)
class Trained:
    """What a fit has worked with, for what is asked of it, and for the fit that comes after it."""

    supervision: Supervision
    networks: Mapping[str, Network]
    state: State
    config: EMConfig
    unseen: dict[str, Network] = field(default_factory=dict)  # found when they are asked for

    def factors_for(self, program: Program) -> GroundFactors | None:
        """The factors, if a program begins with the one that they are of."""
        factors = self.supervision.model.factors_
        known = factors.program
        begins = known.evidence == program.evidence[: len(known.evidence)]
        return factors if begins and set(known.declarations) <= set(program.declarations) else None

    def lesson(self, name: str) -> Lesson:
        """What a network would learn next: the labels by evidence and votes as they are now."""
        believed = infer_labels(self.supervision, self.state, self.config)
        return lesson_of(self.supervision, believed, name, self.config)
