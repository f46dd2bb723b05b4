"""Hypothesis for all tests: slow machines get their time, and a failure is told at once.

`pytest --hypothesis-profile=shrink` looks for the smallest example of a failure.
"""

from hypothesis import Phase, settings

settings.register_profile("shrink", deadline=None)
settings.register_profile(
    "tacit", deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
settings.load_profile("tacit")
