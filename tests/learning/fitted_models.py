"""Fitted label models for tests, and random programs of every kind of evidence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitWarning

DECLARATIONS = """
label    y(item) = no | yes
label    z(item) = a | b | c
observed p(item)
observed q(item, class)
observed said(item, word)
observed likes(item, class, number)
observed near(item, item)
observed topic(group)
observed about(item, group)
observed gold(item, class)
"""
FORMULAS = {
    "f": "1.0 p(i) => y(i) = yes",
    "g": "0.7! q(i, l) => y(i) = l",
    "words": "1.0 said(i, +w) => y(i) = yes",
    "against": "-0.8! p(i) => z(i) = a",
    "z_votes": "1.2 q(i, +l) => z(i) != a",
    "soft": "1.0! * s likes(i, l, s) => z(i) = l",
    "prior": "0.4! y(i) = yes",
    "agree": "0.9 near(i, j) => y(i) = y(j)",
    "z_agree": "0.6! near(i, j) => z(i) = z(j)",
    "link": "0.8! y(i) = yes => z(i) = b",
    "once": "1.5! topic(t) => exists i: about(i, t) & y(i) = yes",
    "few": "1.0! topic(t) => atmost 1 i: about(i, t) & z(i) = c",
    "share": "expect 0.4 +- 0.05: y(i) = yes",
    "truth": "hard gold(i, l) => y(i) = l",
    "alike": "hard near(i, j) => z(i) = z(j)",
}
ITEMS = ("i1", "i2", "i3", "i4", "i5")


def fitted(task: tacit.Task, program: tacit.Program, **settings: Any) -> tacit.LabelModel:
    """A label model that keeps its cautions to itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return tacit.LabelModel(**settings).fit(task, program)


def fitted_matrix(matrix: Any, labels: list[str], **settings: Any) -> tacit.LabelModel:
    """The same for a label matrix."""
    per_class = settings.pop("per_class", False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        model = tacit.LabelModel(**settings)
        return model.fit_matrix(matrix, labels, per_class=per_class)


def task_of(seed: int) -> tacit.Task:
    """A small task whose facts are drawn at random; near items make loops."""
    rng = np.random.default_rng(seed)

    def some(values: list[Any], least: int = 1) -> list[Any]:
        n = int(rng.integers(least, len(values) + 1))
        return [values[at] for at in sorted(rng.permutation(len(values))[:n])]

    pairs = [(i, j) for i in ITEMS for j in ITEMS if i < j]
    tables = {
        "item": list(ITEMS),
        "p": some(list(ITEMS)),
        "q": [(i, str(rng.choice(["no", "yes"]))) for i in some(list(ITEMS))],
        "said": some([(i, w) for i in ITEMS for w in ("good", "fine", "odd")]),
        "likes": [(i, k, float(rng.normal())) for i in some(list(ITEMS)) for k in "abc"],
        "near": some(pairs)[: int(rng.integers(1, 7))],
        "topic": ["t", "u"],
        "about": some([(i, t) for i in ITEMS for t in ("t", "u")]),
        "gold": [(i, str(rng.choice(["no", "yes"]))) for i in some(list(ITEMS))[:2]],
    }
    return tacit.Task(tables)


@st.composite
def programs(draw: st.DrawFn) -> tacit.Program:
    """Some of the formulas, always with votes on both label functions."""
    chosen = draw(st.sets(st.sampled_from(sorted(FORMULAS)), min_size=1, max_size=8))
    lines = [f"{name}: {FORMULAS[name]}" for name in FORMULAS if name in chosen | {"f", "z_votes"}]
    return tacit.Program.parse(DECLARATIONS + "\n".join(lines))
