"""Cores are shared: threads that wait sleep, and there are no more of them than allowed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COUNT = """
import os, tacit, torch, numba, numpy as np
before = torch.get_num_threads()
votes = np.random.default_rng(0).integers(-1, 2, (200_000, 6))
tacit.LabelModel(dependencies="ignored").fit_matrix(votes)
print(numba.get_num_threads(), before, torch.get_num_threads(), os.environ["OMP_WAIT_POLICY"])
"""
CORES = "import os, tacit; print(os.environ.get('NUMBA_NUM_THREADS'))"
NAMES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_WAIT_POLICY")


def printed(code: str, **environment: str) -> str:
    """What a Python of its own prints, in which nobody has said how cores are shared."""
    free = {name: own for name, own in os.environ.items() if name not in NAMES}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=free | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_one_thread_is_one_thread_of_numba_and_of_torch() -> None:
    pytest.importorskip("torch")
    assert printed(COUNT, OMP_NUM_THREADS="1") == "1 1 1 PASSIVE"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, "None"),
        ({"OMP_NUM_THREADS": "3"}, "3"),
        ({"OMP_NUM_THREADS": "2,1"}, "2"),
        ({"OMP_NUM_THREADS": "all"}, "None"),
        ({"OMP_NUM_THREADS": "0"}, "None"),
        ({"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "2"}, "2"),
    ],
)
def test_numba_takes_what_openmp_is_allowed(given: dict[str, str], found: str) -> None:
    assert printed(CORES, **given) == found


def test_a_numba_that_is_at_work_is_left_alone() -> None:
    assert printed("import numba\n" + CORES, OMP_NUM_THREADS="1") == "None"


def test_whoever_chose_how_threads_wait_is_heard() -> None:
    code = "import os, tacit; print(os.environ['OMP_WAIT_POLICY'])"
    assert printed(code, OMP_WAIT_POLICY="ACTIVE") == "ACTIVE"
