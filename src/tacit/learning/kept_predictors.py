"""The predictors that a fit keeps; one that learns last does so when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tacit.learning.given_predictors import begun_anew
from tacit.learning.predictor_step import Lesson, Network
from tacit.predictors.protocol import Predictor


class KeptPredictors(Mapping[str, Predictor]):
    """The predictors of networks by label function, each taught before it is handed out.

    Where folds vote, the predictor that is kept decides nothing, and a program that grows is done
    with most of them before anybody asks. `lesson` has what one that learns last is to learn.
    """

    def __init__(
        self, networks: Mapping[str, Network], lesson: Callable[[str], Lesson], *, warm_start: bool
    ) -> None:
        self._networks, self._lesson, self._warm_start = networks, lesson, warm_start
        self._waiting = {name for name, own in networks.items() if own.learns_last}

    def __getitem__(self, name: str) -> Predictor:
        network = self._networks[name]
        if name in self._waiting:
            # Anew each time: what was interrupted must not go on from half of its training.
            network.predictor = begun_anew({name: network.predictor})[name]
            network.fit_kept(self._lesson(name), warm_start=self._warm_start)
            self._waiting.remove(name)
        return network.predictor

    def __contains__(self, name: object) -> bool:
        return name in self._networks

    def __iter__(self) -> Iterator[str]:
        return iter(self._networks)

    def __len__(self) -> int:
        return len(self._networks)

    @property
    def as_they_are(self) -> dict[str, Predictor]:
        """The same with nothing taught: they have their settings, and some no more than that."""
        return {name: network.predictor for name, network in self._networks.items()}


def only_settings(predictors: Mapping[str, Predictor]) -> Mapping[str, Predictor]:
    """Predictors of which nothing but the settings is wanted: none need learn for it."""
    return predictors.as_they_are if isinstance(predictors, KeptPredictors) else predictors
