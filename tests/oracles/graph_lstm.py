"""The graph LSTM, one token and one edge at a time, written from its equations.

For node t with input x_t and, along each edge e of kind m from an earlier node j, the state h_j:

    i_t = sigmoid(W_i x_t + sum_e U_i^m h_j + b_i)
    o_t = sigmoid(W_o x_t + sum_e U_o^m h_j + b_o)
    g_t = tanh(W_g x_t + sum_e U_g^m h_j + b_g)
    f_e = sigmoid(W_f x_t + U_f^m h_j + b_f)
    c_t = i_t * g_t + sum_e f_e * c_j
    h_t = o_t * tanh(c_t)

A document graph has two: one along edges to later tokens, one along edges to earlier tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any  # of numpy, double precision
Edge = tuple[int, int, int]  # from, to, kind


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def dag_states(z: Array, edges: Sequence[Edge], matrix_of: Array, *, backward: bool) -> Array:
    """(tokens, size): states, from z = W x + b (tokens, 4 size) and a matrix for each kind.

    The four parts of z and of the matrices (kinds, size, 4 size) are those of i, o, g and f.
    """
    n_tokens, size = len(z), z.shape[1] // 4
    h, c = np.zeros((n_tokens, size)), np.zeros((n_tokens, size))
    for t in reversed(range(n_tokens)) if backward else range(n_tokens):
        before = z[t].copy()
        kept = np.zeros(size)
        for source, target, kind in edges:
            if target != t:
                continue
            assert source > t if backward else source < t
            said = h[source] @ matrix_of[kind]
            forget = sigmoid(z[t, 3 * size :] + said[3 * size :])
            kept += forget * c[source]
            before += said
        i, o = sigmoid(before[:size]), sigmoid(before[size : 2 * size])
        g = np.tanh(before[2 * size : 3 * size])
        c[t] = np.clip(i * g + kept, -50, 50)
        h[t] = o * np.tanh(c[t])
    return h


def pooled(
    words: Array,
    edges: Sequence[Edge],
    entities: Sequence[Sequence[int]],
    onward: tuple[Array, Array, Array],
    back: tuple[Array, Array, Array],
) -> Array:
    """(entities * 2 size): the mean state of each entity, both ways.

    `onward` and `back` are W (4 size, dim), b (4 size) and the matrix of each kind.
    """
    states = []
    for (weight, bias, matrix_of), backward in ((onward, False), (back, True)):
        own = [edge for edge in edges if (edge[0] > edge[1]) == backward]
        states.append(dag_states(words @ weight.T + bias, own, matrix_of, backward=backward))
    both = np.concatenate(states, axis=1)
    return np.concatenate([both[list(entity)].mean(axis=0) for entity in entities])
