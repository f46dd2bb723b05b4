"""tacit: from what an expert knows to a trained model, without labelled examples.

Names are loaded when they are first used, so that `import tacit` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.cores import share_cores

if TYPE_CHECKING:
    from tacit import (
        data,
        graph,
        grounding,
        inference,
        learning,
        logic,
        predictors,
        proposals,
        report,
        review,
        s4,
    )
    from tacit.data import Predicate, Table, Task, predicate
    from tacit.errors import TacitError, TacitWarning
    from tacit.graph import FactorGraph, ground
    from tacit.inference import Beliefs, infer
    from tacit.learning import DPL, LabelModel, load
    from tacit.logic import (
        Evidence,
        Knowledge,
        LabelFunction,
        LabellingFunction,
        Observed,
        Program,
        agreement,
        assemble,
        at_least_one,
        at_most_one,
        check,
        class_prior,
        expectation,
        from_label_matrix,
        gazetteer,
        how_many,
        keywords,
        knowledge_base,
        label,
        label_matrix,
        labelling_function,
        labelling_functions,
        read_db,
        read_mln,
        regexes,
        text_classification,
    )
    from tacit.review import Ledger, OracleReviewer, ScriptedReviewer, TerminalReviewer
    from tacit.s4 import S4

share_cores()  # before anything here starts threads

__version__ = "0.1.0"

# Where each public name lives: (package, names).
_HOMES = (
    ("data", "Predicate Table Task predicate"),
    ("errors", "TacitError TacitWarning"),
    ("graph", "FactorGraph ground"),
    ("inference", "Beliefs infer"),
    ("learning", "DPL LabelModel load"),
    ("logic", "Evidence Knowledge LabelFunction LabellingFunction Observed Program agreement"),
    ("logic", "assemble at_least_one at_most_one check class_prior expectation"),
    ("logic", "from_label_matrix gazetteer how_many keywords knowledge_base label label_matrix"),
    ("logic", "labelling_function labelling_functions read_db read_mln regexes"),
    ("logic", "text_classification"),
    ("review", "Ledger OracleReviewer ScriptedReviewer TerminalReviewer"),
    ("s4", "S4"),
)
_HOME = {name: package for package, names in _HOMES for name in names.split()}
_PACKAGES = (
    *("data", "graph", "grounding", "inference", "learning", "logic"),
    *("predictors", "proposals", "report", "review", "s4"),
)

__all__ = [
    "DPL",
    "S4",
    "Beliefs",
    "Evidence",
    "FactorGraph",
    "Knowledge",
    "LabelFunction",
    "LabelModel",
    "LabellingFunction",
    "Ledger",
    "Observed",
    "OracleReviewer",
    "Predicate",
    "Program",
    "ScriptedReviewer",
    "Table",
    "TacitError",
    "TacitWarning",
    "Task",
    "TerminalReviewer",
    "agreement",
    "assemble",
    "at_least_one",
    "at_most_one",
    "check",
    "class_prior",
    "data",
    "expectation",
    "from_label_matrix",
    "gazetteer",
    "graph",
    "ground",
    "grounding",
    "how_many",
    "infer",
    "inference",
    "keywords",
    "knowledge_base",
    "label",
    "label_matrix",
    "labelling_function",
    "labelling_functions",
    "learning",
    "load",
    "logic",
    "predicate",
    "predictors",
    "proposals",
    "read_db",
    "read_mln",
    "regexes",
    "report",
    "review",
    "s4",
    "text_classification",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name in _HOME:
        value = getattr(import_module(f"tacit.{_HOME[name]}"), name)
    elif name in _PACKAGES:
        value = import_module(f"tacit.{name}")
    else:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    globals()[name] = value  # the next use finds it at once
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*__all__, "__version__"})
