"""Kernels: arrays in, arrays out; one file for each kind of factor, two functions in each.

`sweep` updates the messages of some factors, `measure` reads off what they say in the end.
"""

import os

# Threads that wait for others sleep instead of spinning: on a busy machine, spinning threads keep
# those that they wait for from working. Whoever has set the variable knows better.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
