"""Dawid and Skene's EM by definition: loops over rows, functions and labels."""

from __future__ import annotations

from math import prod

Matrix = list[list[int]]
Shares = list[list[float]]


def dawid_skene(matrix: Matrix, n_labels: int, *, smoothing: float, n_rounds: int) -> Shares:
    """The probability of each label of each row; -1 is silence, which is ignored.

    Rows without votes are even.
    """
    columns = range(len(matrix[0]))
    votes = [{j: row[j] for j in columns if row[j] >= 0} for row in matrix]
    spoken = [i for i, row in enumerate(votes) if row]
    labels = range(n_labels)
    posterior = [[1 / n_labels for _ in labels] for _ in matrix]
    for i in spoken:
        cast = list(votes[i].values())
        posterior[i] = [cast.count(y) / len(cast) for y in labels]
    for _ in range(n_rounds):
        prior = [sum(posterior[i][y] for i in spoken) + smoothing / n_labels for y in labels]
        confusion = {
            (j, y, said): _share(votes, posterior, j, y, said, n_labels, smoothing)
            for j in columns
            for y in labels
            for said in labels
        }
        for i in spoken:
            score = [
                prior[y] * prod(confusion[j, y, said] for j, said in votes[i].items())
                for y in labels
            ]
            posterior[i] = [s / sum(score) for s in score]
    return posterior


def _share(
    votes: list[dict[int, int]],
    posterior: Shares,
    function: int,
    label: int,
    said: int,
    n_labels: int,
    smoothing: float,
) -> float:
    """How often a function says something of the rows with a label, when it speaks."""
    total = dict.fromkeys(range(n_labels), smoothing / n_labels)
    for row, own in zip(votes, posterior, strict=True):
        if function in row:
            total[row[function]] += own[label]
    return total[said] / sum(total.values())
