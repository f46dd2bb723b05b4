"""Predictors: models that learn P(label given input) from probabilities of labels.

Those that need torch are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.predictors.protocol import Attention, Predictor, Prepared
from tacit.predictors.registry import load_predictor, predictor_named, save_predictor

if TYPE_CHECKING:
    from tacit.predictors.bilstm_attention import BiLSTMAttention
    from tacit.predictors.ensemble import Ensemble
    from tacit.predictors.graph_lstm import GraphLSTM
    from tacit.predictors.linear import Linear
    from tacit.predictors.recurrent.mentions import Mention
    from tacit.predictors.recurrent.sentence_graphs import SentenceGraph
    from tacit.predictors.sklearn_classifier import SklearnClassifier
    from tacit.predictors.transformer import Transformer

_HOME = {
    "BiLSTMAttention": "bilstm_attention",
    "Ensemble": "ensemble",
    "GraphLSTM": "graph_lstm",
    "Linear": "linear",
    "Mention": "recurrent.mentions",
    "SentenceGraph": "recurrent.sentence_graphs",
    "SklearnClassifier": "sklearn_classifier",
    "Transformer": "transformer",
}

__all__ = [
    "Attention",
    "BiLSTMAttention",
    "Ensemble",
    "GraphLSTM",
    "Linear",
    "Mention",
    "Predictor",
    "Prepared",
    "SentenceGraph",
    "SklearnClassifier",
    "Transformer",
    "load_predictor",
    "predictor_named",
    "save_predictor",
]


def __getattr__(name: str) -> Any:
    """Load a predictor when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'tacit.predictors' has no attribute {name!r}")
    return getattr(import_module(f"tacit.predictors.{_HOME[name]}"), name)
