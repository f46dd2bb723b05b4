"""Similar pairs in self-training: proposed once, kept in the ledger, taken back with a round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import BadInput
from tacit.logic.evidence import Fixed
from tacit.logic.formula import SameLabel
from tacit.predictors.linear import Linear
from tacit.review import Ledger, Stamp, replay
from tests.oracles import proposals as slow
from tests.s4.corpora import (
    NOON,
    OFTEN,
    Asked,
    Knows,
    Problem,
    drifting,
    grown,
    kinds,
    quick,
    reviews,
    same_model,
    sides,
    told,
)
from tests.s4.killed_growth import Crashed, after_commit, crash

GOLD = [["neg", "pos"].index(side) for side in sides()]
pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")


class Placing(Linear):
    """A stand-in for a pretrained network: words as such before, and as they count after."""

    def adapted(self, inputs: Any) -> tuple[Any, Any]:
        before = self.prepare(inputs).matrix.toarray()
        assert self.coef_ is not None
        own = before * np.abs(self.coef_).max(axis=1)
        return own.astype(np.float32), before.astype(np.float32)


def paired(ledger: Path | Ledger | None = None, problem: Problem | None = None, **more: Any) -> Any:
    settings = {"predictor": Placing(), "pairs": 4} | more
    return grown(problem or reviews(), ledger, **settings)


def pairs_of(model: tacit.S4) -> dict[str, tuple[str, str]]:
    """The ids of each pair that was added, by name."""
    found = {}
    for one in model.added_:
        if isinstance(one.formula, SameLabel):
            ends = one.formula.left.item, one.formula.right.item
            found[one.name] = tuple(end.value for end in ends)
    return found


def test_a_round_adds_the_best_pairs_beside_its_words() -> None:
    model = paired(rounds=1)
    found = pairs_of(model)
    assert len(found) == 4
    assert len(model.added_) == 6  # a word for each label too
    assert model.rounds_[0].names[2:] == tuple(found)
    start = model.start_
    own, before = start.adapted()
    network = start.views().network
    expected = slow.chosen_pairs(own, before, network, 4, 10, (), 1.7, 1e-4)
    assert [tuple(map(int, ends)) for ends in found.values()] == expected
    for name, (i, j) in zip(found, expected, strict=True):
        one = model.program_[name]
        assert name == f"alike_{i}_{j}"
        assert one.weight == Fixed(slow.pair_weight(network[i], network[j], 1.7))
        assert one.origin.kind == "sst"
        facts = dict(one.origin.facts)
        assert facts["round"] == 1
        assert facts["score"] == pytest.approx(slow.joint(own, before, i, j), abs=1e-4)
        assert model.weights_[name] == one.weight.value  # no weight of its own is learned
    right = [sides()[i] == sides()[j] for i, j in expected]
    assert np.mean(right) > 0.5


def test_pairs_bear_on_labels_and_are_explained() -> None:
    model, without = paired(rounds=1), grown(reviews(), rounds=1, predictor=Placing())
    assert not np.array_equal(model.posterior_, without.posterior_)
    name, (one, _) = next(iter(pairs_of(model).items()))
    assert name in {part.name for part in model.explain(one).parts}
    (row,) = [row for row in model.analysis(GOLD).rows if row.name == name]
    assert row.n_gold == 1


def test_no_pairs_unless_asked_for() -> None:
    assert tacit.s4.config.S4Config().pairs == 0
    model = grown(reviews(), predictor=Placing())
    assert pairs_of(model) == {}
    assert same_model(model, grown(reviews()))  # as it ever was


def test_nothing_is_paired_twice_whatever_became_of_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    first = paired(path, rounds=1)
    gone = next(iter(pairs_of(first)))
    with Ledger(path) as ledger:
        ledger.undo(gone, Stamp("ann", NOON))
        assert gone not in {one.name for one in replay(ledger).evidence}
    more = paired(path, rounds=3, settled=0.0)
    before, after = pairs_of(first), pairs_of(more)
    assert set(before) - {gone} < set(after)
    every = [frozenset(ends) for ends in [*after.values(), before[gone]]]
    assert len(set(every)) == len(every)
    assert gone not in after


def test_a_round_that_leads_astray_goes_with_its_pairs(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    settings = {"batch": 5, "frequency": OFTEN}
    model = paired(path, drifting(), **settings)
    (only,) = model.rounds_
    assert only.rolled_back
    assert sum(name.startswith("alike_") for name in only.names) == 4
    assert model.program_ == drifting()[1]
    start = quick(predictor=Placing()).fit(*drifting())
    assert np.array_equal(model.posterior_, start.posterior_)
    with Ledger(path) as ledger:
        gone = [str(event.name) for event in ledger.history() if event.kind == "rolled_back"]
    assert gone == list(only.names)


def test_a_run_that_is_killed_proposes_the_same_pairs(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.sqlite", tmp_path / "ledger.sqlite"
    expected = paired(whole, rounds=2, settled=0.0)
    assert len(expected.rounds_) == 2
    for _ in range(len(kinds(whole))):
        try:
            with after_commit(crash):
                found = paired(path, rounds=2, settled=0.0)
            break
        except Crashed:
            assert told(path) == told(whole)[: len(told(path))]
    assert told(path) == told(whole)
    assert same_model(found, expected)


def test_questions_are_about_words_still(tmp_path: Path) -> None:
    asked = Asked(Knows())
    model = paired(tmp_path / "ledger.sqlite", rounds=1, budget=3, reviewer=asked)
    assert len(asked.questions) == 3
    assert {one.kind for one in asked.questions} == {"feature"}
    assert len(pairs_of(model)) == 4


def test_only_what_is_new_is_grounded() -> None:
    model = paired(rounds=1)
    seed = model.start_._trained.factors_for(model.program_)
    assert seed is model.start_.label_model_.factors_
    again = tacit.ground(model.program_, reviews()[0])
    grounded = model.model_.label_model_.graph_
    assert np.array_equal(grounded.tables[0].variables, again.tables[0].variables)


def test_a_predictor_that_was_not_pretrained_is_refused() -> None:
    with pytest.raises(BadInput, match=r"pairs=4 needs a predictor .* this is: linear") as error:
        grown(reviews(), pairs=4)
    assert "transformer" in str(error.value)
    with pytest.raises(BadInput, match="cannot tell what the task has made"):
        quick().fit(*reviews()).adapted()
    with pytest.raises(BadInput, match="pairs=-1 must be at least 0"):
        grown(reviews(), pairs=-1)


def test_a_loaded_model_says_what_adapted_needs(tmp_path: Path) -> None:
    model = quick().fit(*reviews())
    model.save(tmp_path / "there")
    with pytest.raises(BadInput, match=r"adapted\(\) needs the data"):
        tacit.load(tmp_path / "there").adapted()


def test_a_transformer_tells_pairs() -> None:
    pytest.importorskip("transformers")
    from tacit.predictors.transformer import Transformer
    from tests.predictors.tiny_encoder import tiny_encoder

    network = Transformer(tiny_encoder(), mode="frozen", max_tokens=32, head_steps=5, device="cpu")
    runs = [paired(rounds=1, borne_out=0.0, guard=False, predictor=network) for _ in range(2)]
    assert len(pairs_of(runs[0])) == 4
    assert same_model(*runs)
