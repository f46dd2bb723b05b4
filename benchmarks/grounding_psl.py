"""The same rule and facts in PSL (pslpython), where a Python that has it is given."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

SAYS = (
    "near(r, s) & y(r) -> y(s) over the same facts. PSL: from its log line 'Grounding out model' "
    "to 'Grounding complete', best of 3 runs in one JVM; starting it, loading and indexing the "
    "data, filling the atom store and inference are left out. Ours: ground_factors, best of 3; "
    "finding each text id's row and merging are included, building the Task is not"
)
RUNS = 3  # in one JVM: the later ones find it warm
TIMEOUT = 600  # seconds
_RUN = """
import json, sys
from pathlib import Path
import pslpython.runtime as runtime
config = json.loads(Path(sys.argv[1]).read_text())
for _ in range(int(sys.argv[2])):
    runtime.run(config, str(Path(sys.argv[1]).parent), ["-Xmx4g"])
"""
_LINE = re.compile(r"^(\d+)\s+\[[^]]*\]\s+\w+\s+\S+\s+-\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Grounded:
    """What PSL's log says."""

    seconds: tuple[float, ...]  # of grounding, for each run
    groundings: int


class PeerAbsent(Exception):
    """Why there is no PSL to compare with."""


def peer_python(given: str | None) -> str:
    """The interpreter that has the peers: given itself, or by its virtual environment."""
    if not given:
        raise PeerAbsent("no --peer-python and no TACIT_PEERS")
    path = Path(given).expanduser()
    path = path / "bin" / "python" if path.is_dir() else path
    if not path.exists():
        raise PeerAbsent(f"there is no Python at {given}")
    asked = [str(path), "-c", "import jpype, pslpython.runtime; jpype.getDefaultJVMPath()"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.returncode:
        lines = answer.stderr.strip().splitlines() or ["it fails"]
        raise PeerAbsent(f"no pslpython or no Java there: {lines[-1]}")
    return str(path)


def ground_in_psl(python: str, near: pa.Table, review: pa.Table, folder: Path) -> Grounded:
    """Ground the rule in PSL, with one step of inference, which cannot be left out."""
    _write(near, folder / "near.txt")
    _write(review, folder / "y.txt")
    config = {
        "options": {
            "runtime.log.level": "DEBUG",
            "runtime.learn": False,
            "runtime.inference": True,
            "runtime.inference.output.results": False,
            "admmreasoner.maxiterations": 1,
        },
        "rules": ["1.0: Near(R, S) & Y(R) -> Y(S)"],
        "predicates": {
            "Near/2": {"observations": ["near.txt"]},
            "Y/1": {"targets": ["y.txt"]},
        },
    }
    path = folder / "psl.json"
    path.write_text(json.dumps(config))
    command = [python, "-c", _RUN, str(path), str(RUNS)]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise PeerAbsent(f"PSL took more than {TIMEOUT} s") from None
    if answer.returncode:
        raise PeerAbsent(f"PSL failed: {answer.stderr.strip().splitlines()[-1:]}")
    return read_log(answer.stdout + answer.stderr)


def read_log(log: str) -> Grounded:
    """The seconds between PSL's log lines about grounding; lines begin with milliseconds."""
    seconds: list[float] = []
    begun, groundings = 0, 0
    for line in log.splitlines():
        if not (found := _LINE.match(line)):
            continue
        milliseconds, text = int(found[1]), found[2]
        if text.startswith("Grounding out model"):
            begun = milliseconds
        elif text.startswith("Grounding complete"):
            seconds.append((milliseconds - begun) / 1000)
        elif terms := re.match(r"Generated (\d+) terms", text):
            groundings = int(terms[1])
    if not seconds:
        raise PeerAbsent("PSL's log does not tell when it grounded")
    return Grounded(tuple(seconds), groundings)


def _write(table: pa.Table, path: Path) -> None:
    options = pa_csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    pa_csv.write_csv(table, str(path), options)
