"""Lets the tests of this folder import the oracles, and gives slow shared machines their time."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[1]))
settings.register_profile("data", deadline=None)  # the first call of a kernel loads it
settings.load_profile("data")
