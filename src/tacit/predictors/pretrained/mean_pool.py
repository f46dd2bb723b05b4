"""Where the head starts: the converged logistic regression on the mean state of each text.

A head that starts at random and sees a few hundred texts is near chance when it stops, and the
errors of the first round are locked in by the next. This start is convex, and always converges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import log_softmax

from tacit.predictors.pretrained.attention_head import AttentionHead
from tacit.predictors.protocol import Floats

BIAS_SPREAD = 10.0  # of the prior of a label's bias: almost none, but all-alike targets stay finite
MOST_ITERATIONS = 500


def start_at_mean_pool(
    head: AttentionHead,
    means: Floats,
    token_spread: float,
    target: Floats,
    weight: Floats,
    prior_spread: float,
) -> None:
    """Set a head's scales from mean states (texts, width), and its labels from the regression."""
    share = weight / weight.sum()
    centre = share @ means
    lengths = np.sqrt(np.square(means - centre).sum(axis=1))
    # One text, or texts all alike, have no spread: then take that of tokens.
    spread = float(np.sqrt(share @ np.square(lengths))) or token_spread
    labels, bias = logistic((means - centre) / spread, target, weight, prior_spread, head.n_labels)
    with torch.no_grad():
        head.centre.copy_(torch.as_tensor(centre))
        head.spread.fill_(spread)
        head.token_spread.fill_(token_spread)
        head.label.weight.copy_(torch.as_tensor(labels))
        head.label.bias.copy_(torch.as_tensor(bias))


def logistic(
    features: Floats, target: Floats, weight: Floats, prior_spread: float, n_labels: int
) -> tuple[Floats, Floats]:
    """Weights (labels, features) and biases (labels) that are most probable after the targets.

    The least of sum_i w_i CE_i + |V|^2 / (2 prior_spread^2): the prior does not grow with the
    number of texts, so that a few are believed little and many are believed.
    """
    n_features = features.shape[1]
    pull = np.full((n_labels, n_features + 1), prior_spread**-2)
    pull[:, -1] = BIAS_SPREAD**-2
    with_one = np.hstack([features, np.ones((len(features), 1))])

    # Features are far from alike; in coordinates where the curvature at even odds is a ball, a
    # few steps are enough: weights = ball coordinates @ axes.
    curvature = 0.25 * (with_one * weight[:, None]).T @ with_one + np.diag(pull[0])
    axes = solve_triangular(cholesky(curvature, lower=True), np.eye(n_features + 1), lower=True)

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(pull.shape) @ axes
        log_probs = log_softmax(with_one @ weights.T, axis=1)
        value = -np.sum(weight[:, None] * target * log_probs) + 0.5 * np.sum(pull * weights**2)
        off = weight[:, None] * (np.exp(log_probs) - target)
        return float(value), ((off.T @ with_one + pull * weights) @ axes.T).reshape(-1)

    tight: Any = {"maxiter": MOST_ITERATIONS, "ftol": 1e-13, "gtol": 1e-7}
    found = minimize(loss, np.zeros(pull.size), jac=True, method="L-BFGS-B", options=tight)
    weights = found.x.reshape(pull.shape) @ axes
    return weights[:, :-1], weights[:, -1]
