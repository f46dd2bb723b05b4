"""A small problem to learn, and a process that learns it and is killed on the way.

python -m tests.learning.killed_run FOLDER KIND WHERE
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.errors import TacitWarning
from tacit.learning import checkpoints

FREE = """\
label    sentiment(review) = neg | pos
observed token(review, word)
praise:  2.2  token(r, "superb") => sentiment(r) = pos
fine:    1.5  token(r, "fine") => sentiment(r) = pos
blame:   2.2  token(r, "awful") => sentiment(r) = neg
dull:    1.5  token(r, "dull") => sentiment(r) = neg
"""
TIED = f"""\
{FREE}observed near(review, review)
agree:   1.0  near(r, s) => sentiment(r) = sentiment(s)
"""
WORDS = {
    "pos": "superb fine lovely warm bright clever film plot it was and",
    "neg": "awful dull cold slow weak stupid film plot it was and",
}


def problem(kind: str) -> tuple[tacit.Task, tacit.Program]:
    """Eighty reviews and the rules about them; "tied" rules make neighbours agree."""
    random = np.random.default_rng(0)
    sides = random.choice(["neg", "pos"], 80)
    texts = [" ".join(random.choice(WORDS[side].split(), 7)) for side in sides]
    review = {"id": [f"r{i}" for i in range(80)], "text": texts}
    pairs = [(i, j) for i in range(80) for j in (i + 1, i + 3) if j < 80 and sides[i] == sides[j]]
    near = {"a": [f"r{i}" for i, _ in pairs], "b": [f"r{j}" for _, j in pairs]}
    task = tacit.Task({"review": review, "near": near}, text="review.text")
    return task, tacit.Program.parse(TIED if kind == "tied" else FREE)


def model(**settings: Any) -> tacit.DPL:
    """Three rounds, none of them spared; messages are passed where labels are tied.

    A few steps on the way to the best weights are enough here.
    """
    label_model = tacit.LabelModel(method="bp", max_steps=8)
    return tacit.DPL(**({"rounds": 3, "settled": 0.0, "label_model": label_model} | settings))


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def nth_time(n: int, function: Callable[..., Any], instead: Callable[..., Any]) -> Any:
    """A function that does something else when it is called the n-th time."""
    calls: list[None] = []

    def counted(*given: Any, **settings: Any) -> Any:
        calls.append(None)
        return (instead if len(calls) == n else function)(*given, **settings)

    return counted


def write_half(path: Path, arrays: dict[str, Any]) -> None:
    """Die when a file is half written."""
    path.write_bytes(b"PAR1")
    die()


def set_trap(where: str) -> None:
    """Make this process kill itself at a given place in the third round."""
    from tacit.predictors.linear import Linear

    if where == "training":  # behind the first round, two more tell how common labels are
        Linear.fit_soft = nth_time(5, Linear.fit_soft, die)  # type: ignore[method-assign]
    elif where == "writing":
        checkpoints.write_arrays = nth_time(3, checkpoints.write_arrays, write_half)
    elif where == "tidying":  # round 3 is there, round 2 is about to go
        checkpoints._forget = nth_time(2, checkpoints._forget, die)


if __name__ == "__main__":
    folder, kind, where = sys.argv[1:]
    warnings.simplefilter("ignore", TacitWarning)
    set_trap(where)
    model().fit(*problem(kind), checkpoint=folder)
    sys.exit("nobody was killed")
