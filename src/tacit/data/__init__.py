"""Data: named tables, what the predictor reads, words, Python predicates, labels and samples."""

from __future__ import annotations

from tacit.data.canonical import ColumnKind
from tacit.data.coerce import as_table
from tacit.data.evaluate import evaluate
from tacit.data.instances import Instances
from tacit.data.labels import MISSING, LabelSpace
from tacit.data.predicate_files import load_predicates
from tacit.data.predicates import Predicate, predicate
from tacit.data.references import TextReference
from tacit.data.sample import SAMPLES, Sample, sample
from tacit.data.table import Table
from tacit.data.task import Task
from tacit.data.tokens import TokenRule, token_table, tokenise

__all__ = [
    "MISSING",
    "SAMPLES",
    "ColumnKind",
    "Instances",
    "LabelSpace",
    "Predicate",
    "Sample",
    "Table",
    "Task",
    "TextReference",
    "TokenRule",
    "as_table",
    "evaluate",
    "load_predicates",
    "predicate",
    "sample",
    "token_table",
    "tokenise",
]
