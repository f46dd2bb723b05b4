"""How a run was made: command, time, seed, versions, fingerprints, settings."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from tacit import __version__
from tacit.learning.described import plain
from tacit.learning.dpl import DPL
from tacit.learning.identity import model_settings, program_fingerprint
from tacit.learning.identity import plain as described
from tacit.learning.kept_predictors import only_settings
from tacit.report.record import Made
from tacit.report.record_functions import fitted_evidence

ALWAYS = ("numpy", "scipy", "duckdb", "numba")  # the numbers of every run depend on them
WHERE_USED = {"torch": "torch", "transformers": "transformers", "sklearn": "scikit-learn"}


def made(model: DPL, *, command: str, when: float, seconds: float) -> Made:
    """How a fitted model was made."""
    predictors = only_settings(model.predictors_)
    settings = model_settings(model) | {"predictor": described(predictors)}
    return Made(
        command=command,
        when=when,
        seconds=seconds,
        seed=int(model.random_state),
        versions=versions(),
        data=fitted_evidence(model).task_.fingerprint(),
        program=program_fingerprint(model.program_),
        settings=plain(settings),
    )


def versions() -> dict[str, str]:
    """The versions of tacit, Python and what was computed with; nothing is loaded to know them."""
    used = [package for module, package in WHERE_USED.items() if module in sys.modules]
    found = {"tacit": __version__, "python": platform.python_version()}
    for package in (*ALWAYS, *used):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue  # put on the path by hand: its version is not known
    return found
