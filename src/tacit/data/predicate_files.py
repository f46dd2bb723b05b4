"""Predicates from a Python file that stands beside the rules."""

from __future__ import annotations

import sys
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from os import PathLike
from pathlib import Path
from traceback import extract_tb

from tacit.data.predicates import Predicate
from tacit.errors import BadFile, Place, TacitError


def load_predicates(path: str | PathLike[str]) -> tuple[Predicate, ...]:
    """Run a Python file and answer the predicates that it declares, in the order of declaration."""
    file = Path(path).resolve()
    if not file.is_file():
        raise BadFile(f"{path} is not there", remedy="give the path of a Python file")
    # A name of its own for each file, so that two files called rules.py do not meet.
    module_name = f"tacit_rules_{blake2b(str(file).encode(), digest_size=8).hexdigest()}"
    spec = spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise BadFile(f"{path} is not a Python file", remedy="its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and pickling look their module up there
    try:
        spec.loader.exec_module(module)
    except TacitError:
        raise
    except Exception as error:
        lines = [
            frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(file)
        ]
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
        raise BadFile(
            f"{path} cannot be run: {type(error).__name__}: {error}",
            place=Place(str(path), line or (lines[-1] if lines else None) or 1),
            remedy="run it with Python by itself to see the whole error",
        ) from error
    found = {id(v): v for v in vars(module).values() if isinstance(v, Predicate)}
    return tuple(found.values())
