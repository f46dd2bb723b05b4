"""The predictors that a fit keeps; one that learns last does so when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tacit.learning.predictor_step import Lesson, Network
from tacit.predictors.protocol import Predictor, Report


class KeptPredictors(Mapping[str, Predictor]):
    """The predictors of networks by label function, each taught before it is handed out.

    Where folds vote, the predictor that is kept decides nothing, and a program that grows is done
    with most of them before anybody asks. `lesson` has what one that learns last is to learn, and
    `report` whom to tell of it.
    """

    def __init__(
        self,
        networks: Mapping[str, Network],
        lesson: Callable[[str], Lesson],
        report: Callable[[str], Report | None] = lambda _: None,
    ) -> None:
        self._networks, self._lesson, self._report = networks, lesson, report

    def __getitem__(self, name: str) -> Predictor:
        network = self._networks[name]
        if network.learns_last:
            network.fit_kept(self._lesson(name), report=self._report(name))
        return network.predictor

    def __contains__(self, name: object) -> bool:
        return name in self._networks

    def __iter__(self) -> Iterator[str]:
        return iter(self._networks)

    def __len__(self) -> int:
        return len(self._networks)

    @property
    def are_waiting(self) -> bool:
        """Whether any is still to learn."""
        return any(network.learns_last for network in self._networks.values())

    @property
    def as_they_are(self) -> dict[str, Predictor]:
        """The same with nothing taught: they have their settings, and some no more than that."""
        return {name: network.predictor for name, network in self._networks.items()}


def only_settings(predictors: Mapping[str, Predictor]) -> Mapping[str, Predictor]:
    """Predictors of which nothing but the settings is wanted: none need learn for it."""
    return predictors.as_they_are if isinstance(predictors, KeptPredictors) else predictors
