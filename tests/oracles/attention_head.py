"""The attention head from its definition: one text and one token at a time, in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def attention_head(states: Any, counts: Any, head: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The shares of the tokens of one text, its pooled state, and its labels' log-probabilities.

    `states` are its tokens' (tokens, width); `counts` says which are looked at; `head` holds the
    numbers of the layer by name.
    """
    width, scores = len(head["centre"]), []
    for state, counted in zip(states, counts, strict=True):
        z = [(state[k] - head["centre"][k]) / head["token_spread"] for k in range(width)]
        score = 0.0
        for row, bias, context in zip(
            head["look.weight"], head["look.bias"], head["context"], strict=True
        ):
            score += math.tanh(sum(row[k] * z[k] for k in range(width)) + bias) * context
        scores.append(score if counted else -math.inf)
    total = sum(math.exp(score) for score in scores)
    shares = [math.exp(score) / total for score in scores]
    pooled = [
        sum(a * state[k] for a, state in zip(shares, states, strict=True)) for k in range(width)
    ]
    logits = []
    for row, bias in zip(head["label.weight"], head["label.bias"], strict=True):
        m = [(pooled[k] - head["centre"][k]) / head["spread"] for k in range(width)]
        logits.append(sum(row[k] * m[k] for k in range(width)) + bias)
    log_total = math.log(sum(math.exp(logit) for logit in logits))
    return np.array(shares), np.array(pooled), np.array(logits) - log_total
