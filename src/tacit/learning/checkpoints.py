"""Checkpoints: all that a round of learning hands to the next, on disk.

    round_0003/state.json      which run this is, and its history
    round_0003/arrays.parquet  weights, and what the networks said of each instance
    round_0003/predictors/     the networks: one folder for each label function, and for each fold;
                               where folds vote, the former is there when all rounds are done

A round is written aside and then renamed, so that it is there as a whole or not at all; only then
is the one before it removed. All that is not here is computed again, and is the same again.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tacit.errors import BadFile, listed
from tacit.learning.fitting import Point
from tacit.learning.identity import Facts, differences, require_savable
from tacit.learning.predictor_step import Network
from tacit.learning.rounds import Round, State
from tacit.learning.supervision import Supervision
from tacit.learning.whole_folders import whole_folder
from tacit.predictors.protocol import Predictor
from tacit.predictors.registry import is_predictor, load_predictor, save_predictor
from tacit.predictors.saved_json import read_json, write_json

FORMAT = 1  # raised when what is written changes
STATE, ARRAYS, PREDICTORS = "state.json", "arrays.parquet", "predictors"
_OURS = re.compile(r"(round_\d+|\.round_\d+\.(partial|former|gone))$")
_BY_FUNCTION = [field.name for field in fields(State) if field.name != "history"]  # arrays
_MAY_CHANGE = "rounds"  # a run may go on for more rounds than it was begun with

Arrays = dict[str, NDArray[Any]]


class AnotherRun(BadFile):
    """A checkpoint of other data, another program or other settings."""


class Checkpoint:
    """The folder that a run keeps its last finished round in."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        identity: Facts,
        predictors: Mapping[str, Predictor],
        rounds: int,
    ) -> None:
        self.folder, self.identity = Path(folder), identity
        for predictor in predictors.values():
            require_savable(predictor)
        if self.folder.exists():
            _require_ours(self.folder)
        last = last_round(self.folder)
        if last is not None:
            self._require_same(read_json(last / STATE, FORMAT), rounds)

    def _require_same(self, kept: Facts, rounds: int) -> None:
        """Refuse to go on with another run than this one."""
        found = list(differences(_fixed(kept["identity"]), _fixed(self.identity)))
        done = len(kept["history"])
        if done > rounds:
            found.append(f"{done} rounds done, not {rounds}")
        if found:
            raise AnotherRun(
                f"{self.folder} holds the checkpoint of another run: with {listed(found, 4)}",
                remedy="give another folder, or remove this one to begin anew",
            )

    def restore(self, supervision: Supervision, networks: Mapping[str, Network]) -> State | None:
        """Bring supervision and networks where the last finished round left them."""
        last = last_round(self.folder)
        if last is None:
            return None
        self._tidy()
        history = tuple(Round(**each) for each in read_json(last / STATE, FORMAT)["history"])
        arrays = read_arrays(last / ARRAYS)
        supervision.point = Point(
            arrays["weights"],
            tuple(arrays_under(arrays, "log_rates").values()),
            tuple(arrays_under(arrays, "biases").values()),
        )
        for name, network in networks.items():
            folder = last / PREDICTORS / name
            network.begin(len(history))
            if is_predictor(folder):
                network.predictor, network.learns_last = load_predictor(folder), False
            network.of_fold = [load_predictor(folder / f"fold_{k}") for k in range(network.n_folds)]
            network.prepared = network.predictor.prepare(network.prepared)
        return State(history=history, **{name: arrays_under(arrays, name) for name in _BY_FUNCTION})

    def write(
        self, state: State, supervision: Supervision, networks: Mapping[str, Network]
    ) -> None:
        """Keep a finished round, and forget those before it."""
        number = len(state.history)
        with whole_folder(self.folder / f"round_{number:04}") as folder:
            write_arrays(folder / ARRAYS, _arrays(state, supervision.point))
            for name, network in networks.items():
                if not network.learns_last:  # else it has learned nothing yet
                    save_predictor(network.predictor, folder / PREDICTORS / name)
                for k, predictor in enumerate(network.of_fold):
                    save_predictor(predictor, folder / PREDICTORS / name / f"fold_{k}")
            history = [asdict(each) for each in state.history]
            write_json(folder / STATE, FORMAT, {"identity": self.identity, "history": history})
        self._tidy()

    def _tidy(self) -> None:
        """Remove all but the last finished round: older ones, and what a kill left half done."""
        last = last_round(self.folder)
        for path in self.folder.iterdir():
            if path != last:
                _forget(path)


def last_round(folder: Path) -> Path | None:
    """The last finished round in a folder of checkpoints."""
    return max(folder.glob("round_*"), key=lambda path: int(path.name[6:]), default=None)


def rounds_done(folder: Path) -> int:
    """How many rounds of a run are finished."""
    last = last_round(folder)
    return 0 if last is None else int(last.name[6:])


def remove_checkpoint(folder: Path) -> None:
    """Remove a folder of checkpoints, and nothing else that lies there."""
    if folder.is_dir():
        _require_ours(folder)
        for path in folder.iterdir():
            _forget(path)
        with suppress(OSError):
            folder.rmdir()


def _forget(path: Path) -> None:
    """Remove a round, by its name first: half a round must not look like one."""
    gone = path
    if not path.name.startswith("."):
        gone = path.with_name(f".{path.name}.gone")
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _require_ours(folder: Path) -> None:
    """Refuse a folder with anything but checkpoints in it."""
    entries = folder.iterdir() if folder.is_dir() else [folder]
    others = sorted(path.name for path in entries if not _OURS.match(path.name))
    if others:
        raise BadFile(
            f"{folder} is not a folder of checkpoints: it holds {listed(others, 4)}",
            remedy="give a folder of its own, which need not be there yet",
        )


def _fixed(identity: Facts) -> Facts:
    settings = {key: own for key, own in identity["settings"].items() if key != _MAY_CHANGE}
    return identity | {"settings": settings}


def _arrays(state: State, point: Point) -> Arrays:
    """All numbers of a round, by name."""
    found: Arrays = {"weights": point.weights}
    found |= {f"log_rates/{k}": own for k, own in enumerate(point.log_rates)}
    found |= {f"biases/{k}": own for k, own in enumerate(point.biases)}
    for field in _BY_FUNCTION:
        found |= {f"{field}/{name}": own for name, own in getattr(state, field).items()}
    return found


def arrays_under(arrays: Arrays, name: str) -> Arrays:
    """The arrays under one name, by the rest of theirs, in the order in which they were written."""
    return {key.partition("/")[2]: own for key, own in arrays.items() if key.startswith(f"{name}/")}


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays, bit by bit as they are: one row for each."""
    values = [pa.array(own.ravel(), pa.float64()) for own in arrays.values()]
    sizes = np.cumsum([0, *map(len, values)])
    flat = pa.concat_arrays(values) if values else pa.array([], pa.float64())
    table = {
        "name": list(arrays),
        "shape": pa.array([own.shape for own in arrays.values()], pa.list_(pa.int64())),
        "values": pa.LargeListArray.from_arrays(pa.array(sizes, pa.int64()), flat),
    }
    pq.write_table(pa.table(table), path)


def read_arrays(path: Path) -> Arrays:
    """The arrays that were written, in their order."""
    table = pq.read_table(path).combine_chunks()
    names, shapes = table["name"].to_pylist(), table["shape"].to_pylist()
    rows = [table["values"][row].values.to_numpy() for row in range(len(names))]
    return {
        name: np.array(values).reshape(shape)
        for name, shape, values in zip(names, shapes, rows, strict=True)
    }
