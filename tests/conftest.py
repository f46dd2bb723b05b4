"""Hypothesis for all tests: slow machines get their time, and a failure is told at once.

`pytest --hypothesis-profile=shrink` looks for the smallest example of a failure.
"""

import os
import signal

from hypothesis import Phase, settings

# Threads of torch that wait by spinning slow down numba's eightfold on a machine with few cores.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Tests run beside each other on all cores: torch and BLAS with threads of their own only wait more.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Kernels of numba are tested with threads, which sleep where there is little to do.
os.environ.setdefault("NUMBA_NUM_THREADS", "2")
# The many commands that tests start need not compile the library again, each on its own.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Shells have what they start in the background ignore Ctrl-C, and tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("shrink", deadline=None)
settings.register_profile(
    "tacit", deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
settings.load_profile("tacit")
