"""Every key of the sections [fit] and [predictor], with its default and its meaning.

Here and not beside the predictors, most of which need torch to be loaded: a `tacit.toml` is
written, and checked, without it. A test compares these defaults with those of the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a section."""

    value: Any  # the default; where there is none, an example
    meaning: str
    unset: bool = False  # whether the default is that nothing is set


def _unset(example: Any, meaning: str) -> Key:
    return Key(example, f"{meaning} unless set", unset=True)


# Each key of [fit], as a new project's tacit.toml explains it.
FIT = {
    "rounds": "of evidence teaching network and back, at most",
    "settled": "it ends when a smaller share of labels changes",
    "learn_weights": "whether weights are learned again in each round",
    "labels": '"soft": probabilities for the network to learn; or "hard": labels',
    "hard_above": 'with labels = "hard": only those that are at least so probable',
    "sharpness": 'how far the network\'s log-odds are spread in its vote; "none": as they are',
    "doubtful": 'labels in doubt count "less" or "alike"; "leave_out": never without rules',
    "balance": 'whether all labels weigh the same in training: "auto", "always" or "never"',
    "folds": 'several: no network votes on what it learned; "auto": 2 for encoders',
    "hide_words": "whether encoders are trained without the words that rules look for",
    "hold_shares": "whether networks keep to how common labels are by texts that rules match",
    "warm_start": "whether the network goes on from the round before",
    "random_state": "the seed of whatever is random",
}

_SEED = Key(0, "the seed of this network; else that of [fit]")
_DEVICE = Key("auto", '"cpu" or "cuda"; "auto": the GPU where there is one')
_TRAINING = {
    "epochs": Key(5, "passes over the inputs ..."),
    "min_steps": Key(300, "... but never fewer steps ..."),
    "max_epochs": Key(100, "... unless that took more passes than this"),
}
_WORD_VECTORS = {
    "dim": _unset(100, "numbers of a word vector; the file's, or 100,"),
    "vectors": _unset("words.txt", "a file of word vectors to begin with; none"),
    "min_count": Key(2, "a word counts if it occurs so often"),
    "dropout": Key(0.3, "the share of numbers that are hidden in training"),
    "held_out": Key(0.0, "the share of inputs that tell when to stop; 0: all are learned from"),
}

LINEAR = {
    "ngrams": Key([1, 2], "from single words to so many in a row"),
    "min_count": Key(2, "an n-gram counts if so many texts have it"),
    "max_features": Key(1_000_000, "n-grams, at most: the most frequent"),
    "l2": Key(0.5, "how much n-grams are held back; higher: more cautious"),
    "max_steps": Key(50, "of training; half a dozen are usual"),
    "random_state": Key(0, "changes nothing: training has a single optimum"),
}
TRANSFORMER = {
    "encoder": Key("minilm", "a name on the Hugging Face hub, or a folder"),
    "mode": Key("auto", '"frozen", "fine_tuned" or "staged": what is trained'),
    "max_tokens": Key(256, "of a text that are read"),
    "batch_size": Key(64, "texts in one step"),
    "context_dim": Key(5, "of what attention goes by"),
    "prior_spread": Key(1.0, "of a label's score before any text is seen; lower: more cautious"),
    "head_steps": Key(300, "frozen: steps of training"),
    "head_lr": _unset(0.003, "the rate of the head; 0.003 where frozen, else 0.001,"),
    "epochs": Key(3.0, "fine-tuned: passes over the texts ..."),
    "min_steps": Key(500, "... but never fewer steps"),
    "encoder_lr": Key(5e-5, "fine-tuned: the rate of the encoder"),
    "warm_up": Key(0.1, "the share of steps in which rates rise; then they fall"),
    "clip_norm": Key(1.0, "a longer gradient is cut to this length"),
    "weight_decay": Key(0.01, "fine-tuned: of the encoder"),
    "token_dropout": Key(0.4, "fine-tuned: share of a short text left out, each time others"),
    "random_state": _SEED,
    "device": _DEVICE,
    "precision": Key("auto", '"float32" or "bfloat16"; "auto": the latter where it is quick'),
    "compile": Key("auto", 'on a GPU: "graph" records steps, "fused" compiles them, "none"'),
    "cache_folder": _unset("states", "for states that memory cannot hold; a temporary one"),
    "cache_limit": Key(2e9, "bytes of states that are kept in memory"),
}
BILSTM_ATTENTION = {
    "window": Key(10, "words on either side of a mention"),
    "max_words": Key(256, "of a text without a mention"),
    "hidden": Key(100, "the state, in each direction"),
    **_WORD_VECTORS,
    **_TRAINING,
    "batch_size": Key(64, "inputs in one step"),
    "lr": Key(0.001, "the rate of learning"),
    "random_state": _SEED,
    "device": _DEVICE,
}
GRAPH_LSTM = {
    "hidden": Key(100, "the state, in each direction"),
    "edges": Key("embedding", 'or "full": a matrix for each kind of edge'),
    "edge_dim": Key(3, "the numbers that tell one kind of edge from another"),
    "min_edges": Key(10, "kinds of fewer edges count as one"),
    **_WORD_VECTORS,
    **_TRAINING,
    "batch_size": Key(32, "inputs in one step"),
    "lr": Key(0.001, "the rate of learning"),
    "random_state": _SEED,
    "device": _DEVICE,
}
ENSEMBLE = {
    "members": Key(["linear", "transformer"], "the kinds that vote"),
    "held_out": Key(0.1, "the share of inputs that tells how sure the vote may be"),
    "random_state": _SEED,
}

# The keys of [predictor] beside `kind`, by kind.
PREDICTORS: Mapping[str, Mapping[str, Key]] = {
    "linear": LINEAR,
    "transformer": TRANSFORMER,
    "bilstm_attention": BILSTM_ATTENTION,
    "graph_lstm": GRAPH_LSTM,
    "ensemble": ENSEMBLE,
}
