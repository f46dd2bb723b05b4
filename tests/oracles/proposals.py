"""Slow twins of the scores of proposals, written from their definitions, one number at a time."""

from __future__ import annotations

import math
from typing import Any


def attention(texts: Any, shares: Any, q: Any, word: str, label: int) -> float:
    """Attn(t, l) = 1/C_t sum over occurrences of t of q_i(l) A(X_i, j); 0 without occurrences."""
    total, count = 0.0, 0
    for i, text in enumerate(texts):
        for j, found in enumerate(text):
            if found == word:
                total += float(q[i][label]) * float(shares[i][j])
                count += 1
    return total / count if count else 0.0


def token(texts: Any, shares: Any, q: Any, word: str, label: int, n_labels: int) -> float:
    """S_token(t, l) = Attn(t, l) - sum of Attn(t, l') over the other labels."""
    others = (other for other in range(n_labels) if other != label)
    return attention(texts, shares, q, word, label) - sum(
        attention(texts, shares, q, word, other) for other in others
    )


def mean(has: Any, q: Any, n_labels: int) -> list[float]:
    """The mean of q_i over the instances that have a feature; zeros without any."""
    rows = [i for i, one in enumerate(has) if one]
    return [sum(float(q[i][y]) for i in rows) / max(len(rows), 1) for y in range(n_labels)]


def entropy(has: Any, q: Any, n_labels: int) -> float:
    """Ent(b) = H(mean of q_i over instances with b)."""
    return -sum(p * math.log(p) for p in mean(has, q, n_labels) if p > 0)


def cosine(a: Any, b: Any) -> float:
    """The cosine of two vectors; 0 where one has no length."""
    dot = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    lengths = math.hypot(*map(float, a)) * math.hypot(*map(float, b))
    return dot / lengths if lengths else 0.0


def joint(own: Any, pretrained: Any, i: int, j: int) -> float:
    """S_joint(i, j) = cos_Psi(i, j) - cos_pretrained(i, j)."""
    return cosine(own[i], own[j]) - cosine(pretrained[i], pretrained[j])


def nearest(vectors: Any, i: int, k: int) -> list[float]:
    """The cosines of a row with its k nearest others, the highest first."""
    others = (j for j in range(len(vectors)) if j != i)
    return sorted((cosine(vectors[i], vectors[j]) for j in others), reverse=True)[:k]


def chosen_pairs(
    own: Any, pretrained: Any, network: Any, n: int, k: int, known: Any, most: float, slight: float
) -> list[tuple[int, int]]:
    """The pairs to propose: the best partners of each instance, then the best, each once."""
    found: dict[tuple[int, int], float] = {}
    said = {frozenset(pair) for pair in known}
    for i in range(len(own)):
        partners = []
        for j in range(len(own)):
            same = label_of(network[i]) == label_of(network[j])
            if i != j and same and frozenset((i, j)) not in said:
                partners.append((joint(own, pretrained, i, j), j))
        for score, j in sorted(partners, reverse=True)[:k]:
            if score > slight and pair_weight(network[i], network[j], most) > 0:
                found[min(i, j), max(i, j)] = score
    chosen: list[tuple[int, int]] = []
    for pair in sorted(found, key=lambda pair: -found[pair]):
        if len(chosen) < n and all(not set(pair) & set(other) for other in chosen):
            chosen.append(pair)
    return chosen


def label_of(shares: Any) -> int:
    """The most probable label, of equal ones the first."""
    return max(range(len(shares)), key=lambda label: (float(shares[label]), -label))


def pair_weight(one: Any, other: Any, most: float) -> float:
    """The weight at which equality is as probable as two networks' draws being equal."""
    agree = sum(float(a) * float(b) for a, b in zip(one, other, strict=True))
    # P(equal) of two labels under exp(w [equal]) alone is e^w / (e^w + k - 1).
    weight = math.log(agree * (len(one) - 1) / (1 - agree))
    return round(min(weight, most), 2)
