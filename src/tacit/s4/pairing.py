"""Similar pairs that join a round of self-training: instances that the network has made alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.dpl import DPL
from tacit.learning.views import Views
from tacit.logic.evidence import Evidence, LabelFunction
from tacit.predictors.protocol import Adapting, Predictor
from tacit.predictors.registry import name_of
from tacit.proposals import PairProposal, pairs_said, propose_pairs
from tacit.s4.config import S4Config


def require_pretrained(predictors: Mapping[str, Predictor], config: S4Config) -> None:
    """Refuse to look for pairs where no network can tell what the task has made alike."""
    if config.pairs and not any(isinstance(own, Adapting) for own in predictors.values()):
        given = ", ".join(sorted({name_of(own) for own in predictors.values()}))
        raise BadInput(
            f"pairs={config.pairs} needs a predictor that was pretrained; this is: {given}",
            remedy='predictor="transformer", or an ensemble with one; or pairs=0',
        )


def propose_similar(
    model: DPL,
    views: Views,
    label: LabelFunction,
    task: Task,
    spoken_of: Iterable[Evidence],
    config: S4Config,
) -> tuple[PairProposal, ...]:
    """The best pairs of a label function of which nothing was ever said; see `propose_pairs`.

    None has more weight than a word: nobody has looked at either.
    """
    if not config.pairs or not isinstance(model.predictors_[label.name], Adapting):
        return ()
    return propose_pairs(
        *model.adapted(label.name),
        views.network,
        task.instances(label.domain),
        config.pairs,
        most=config.weight,
        known=pairs_said(spoken_of, label),
    )
