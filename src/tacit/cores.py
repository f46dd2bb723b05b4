"""How the threads of OpenMP, numba and torch share the cores of a machine."""

from __future__ import annotations

import os
import sys


def share_cores() -> None:
    """Say so in the environment, before any of them looks; whoever has done that knows better.

    Threads that wait for others sleep instead of spinning: on a busy machine, spinning threads keep
    those that they wait for from working. And numba starts as many threads as OMP_NUM_THREADS
    allows: by itself it would start one for each core, and torch, which shares OpenMP with it, from
    then on as well; of several processes at work that makes all of them many times slower.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    allowed = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if allowed.isdecimal() and int(allowed) and "numba" not in sys.modules:
        os.environ.setdefault("NUMBA_NUM_THREADS", allowed)
