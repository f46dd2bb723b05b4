"""Scores of candidates: by attention, by entropy, and of pairs by relative similarity.

Posteriors q are (instances, labels). Every score is an average over occurrences, so that a frequent
feature is no better than a rare one for being frequent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.errors import BadInput
from tacit.predictors.protocol import Attention, Floats, Longs
from tacit.proposals.candidates import Candidates

BLOCK = 65_536  # pairs that are compared at one time
PSEUDO = 2.0  # instances of average labels that every feature has beside its own
RAREST = 0.01  # a label that hardly occurs is not blown up beyond this share
Vectors = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Scores:
    """How much speaks for each candidate as evidence for each label; the higher, the better.

    Minus infinity stands where nothing is to be proposed.
    """

    by: str  # "attention", "entropy" or "lift"
    of_label: Floats  # (features, labels)


def by_attention(candidates: Candidates, attention: Attention, posterior: Floats) -> Scores:
    """S_token of the candidates that are single words: those the network looks at for one label.

    Other candidates, and words that no input holds, are not proposed by this score.
    """
    _check_posterior(candidates.matrix.shape[0], posterior)
    mean, count = attention_score(attention, posterior)
    place: dict[str | None, int] = {w: at for at, w in enumerate(attention.words) if count[at]}
    at = np.array([place.get(_word(candidates, f), -1) for f in range(len(candidates))], np.int64)
    of_label = np.full((len(candidates), posterior.shape[1]), -np.inf)
    of_label[at >= 0] = token_score(mean)[at[at >= 0]]
    return Scores("attention", of_label)


def by_entropy(candidates: Candidates, posterior: Floats) -> Scores:
    """-Ent(b) for the most probable label of each candidate: those whose instances agree."""
    _check_posterior(candidates.matrix.shape[0], posterior)
    entropy, label = entropy_score(candidates.matrix, posterior)
    of_label = np.full((len(candidates), posterior.shape[1]), -np.inf)
    (seen,) = np.nonzero(candidates.n_of_feature)
    of_label[seen, label[seen]] = -entropy[seen]
    return Scores("entropy", of_label)


def by_lift(candidates: Candidates, posterior: Floats, expected: Floats | None = None) -> Scores:
    """For the label that each candidate raises most: that label's share; see `lifted_share`.

    The order of the entropy score, but for how common labels are: a network that prefers one label
    would else propose words of that label alone, and prefer it the more for them.
    """
    share = lifted_share(candidates.matrix, posterior, expected)
    of_label = np.full(share.shape, -np.inf)
    (seen,) = np.nonzero(candidates.n_of_feature)
    label = share.argmax(axis=1)[seen]
    of_label[seen, label] = share[seen, label]
    return Scores("lift", of_label)


def lifted_share(
    matrix: sparse.csr_array, posterior: Floats, expected: Floats | None = None
) -> Floats:
    """The share of each label among the instances of a feature, had labels their `expected` shares.

    (features, labels). Without `expected` (labels), as if all were alike common. A feature counts
    as if it had two more instances, of average labels, so that those of a few instances are not the
    surest.
    """
    _check_posterior(matrix.shape[0], posterior)
    common = np.maximum(posterior.mean(axis=0), RAREST)
    count = np.asarray(matrix.sum(axis=0)).ravel()[:, None]
    share = (np.asarray(matrix.T @ posterior) + PSEUDO * common) / (count + PSEUDO)
    raised = share / common * (1.0 if expected is None else expected)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def attention_score(attention: Attention, posterior: Floats) -> tuple[Floats, Longs]:
    """Attn(t, l) = 1/C_t sum_{i,j: X_ij = t} q_i(l) A(X_i, j), and C_t: (words, labels), (words).

    A word without occurrences has a score of 0. Ragged words are a sparse matrix (inputs, words)
    as they are, in which a word that occurs twice is two entries.
    """
    shape = (len(attention.first) - 1, len(attention.words))
    _check_posterior(shape[0], posterior)
    share = attention.share.astype(np.float64)
    looked = sparse.csr_array((share, attention.word, attention.first), shape=shape)
    count = np.bincount(attention.word, minlength=shape[1]).astype(np.int64)
    total = np.asarray(looked.T @ posterior)
    return total / np.maximum(count, 1)[:, None], count


def token_score(attention: Floats) -> Floats:
    """S_token(t, l) = Attn(t, l) - sum_{l' != l} Attn(t, l'): (words, labels)."""
    return np.asarray(2 * attention - attention.sum(axis=1, keepdims=True))


def entropy_score(matrix: sparse.csr_array, posterior: Floats) -> tuple[Floats, Longs]:
    """Ent(b) = H(mean of q_i over instances with b), and the mean's most probable label.

    Both are of shape (features); of equally probable labels it is the first. A feature that no
    instance has has an entropy of 0.
    """
    _check_posterior(matrix.shape[0], posterior)
    count = np.asarray(matrix.sum(axis=0)).ravel()
    mean = np.asarray(matrix.T @ posterior) / np.maximum(count, 1)[:, None]
    some = np.where(mean > 0, mean, 1.0)  # p log p is 0 at 0, as it is at 1
    return np.maximum(-(mean * np.log(some)).sum(axis=1), 0.0), mean.argmax(axis=1)


def relative_similarity(own: Vectors, pretrained: Vectors, pairs: Longs) -> Floats:
    """S_joint(i, j) = cos_Psi(i, j) - cos_pretrained(i, j) for pairs (pairs, 2) of rows.

    High where the task, not the pretraining, has made two instances alike.
    """
    check_both(own, pretrained)
    return cosines(own, pairs) - cosines(pretrained, pairs)


def check_both(own: Vectors, pretrained: Vectors) -> None:
    """Refuse embeddings of different instances."""
    if len(own) != len(pretrained):
        raise BadInput(
            f"there are {len(own)} embeddings of the predictor and {len(pretrained)} pretrained",
            remedy="give one of each for every instance",
        )


def cosines(vectors: Vectors, pairs: Longs) -> Floats:
    """The cosine of each pair of rows; 0 where one of them is all zeros."""
    directions = normalised(vectors)
    found = np.empty(len(pairs))
    for start in range(0, len(pairs), BLOCK):
        a, b = directions[pairs[start : start + BLOCK].T]
        found[start : start + BLOCK] = np.einsum("pd,pd->p", a, b)
    return found


def normalised(vectors: Vectors) -> Vectors:
    """Every row divided by its length; rows of zeros stay as they are."""
    # Scaled first, as squares of very small numbers would be 0.
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    scaled = vectors / np.where(largest > 0, largest, 1)
    length = np.sqrt(np.einsum("nd,nd->n", scaled, scaled))[:, None]
    return np.asarray(scaled / np.where(length > 0, length, 1))


def _word(candidates: Candidates, feature: int) -> str | None:
    """The word of a candidate that says no more than that a text holds one word."""
    own = candidates.features[feature]
    if own.predicate != "token" or own.also is not None or len(own.constants) != 1:
        return None
    return str(own.constants[0])


def _check_posterior(n_instances: int, posterior: Floats) -> None:
    """Refuse beliefs about other instances than those of the features."""
    if posterior.ndim != 2 or len(posterior) != n_instances:
        raise BadInput(
            f"the posterior has the shape {posterior.shape}; there are {n_instances} instances",
            remedy="one row for each instance and one column for each label",
        )
