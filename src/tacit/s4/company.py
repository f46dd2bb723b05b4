"""Whether the company that a feature keeps speaks for its label, too.

A network that was pretrained likes a word for what it means elsewhere: of films it takes *humor*
and *laughs* for praise, as they are like *funny*, and in reviews they stand in "few laughs". And
any network repeats what it was taught of a word. So the texts that have the word are read without
it, and without the words of all evidence, by networks that have not seen these texts. They should
lean to the label as those of the seeds do, read likewise: not as much, for seeds were chosen by an
expert, but in good part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tacit.data import Task
from tacit.learning.dpl import DPL
from tacit.learning.hidden_words import words_looked_for
from tacit.learning.reading import Reader, evenly_spread, plain_texts
from tacit.learning.votes import Floats, Longs, Truths
from tacit.proposals import Candidates, Feature, Scores
from tacit.s4.config import S4Config
from tacit.s4.health import SeedSays

LOOKED_AT = 4  # times as many features of each label as a round adds, the best by their score
OF_FEATURE = 40  # texts of it that are read: they tell its lean within 0.05 or so
OF_LABEL = 200  # texts of the seeds of one label
OF_ALL = 400


def in_good_company(
    scores: Scores, left: Candidates, model: DPL, says: SeedSays, task: Task, config: S4Config
) -> Scores:
    """The scores of the best candidates whose company speaks for their label, and of no others.

    Where instances are no plain texts, or the seeds speak of none, all scores stay. Where a single
    label is left, none does: signs of one label alone would teach a network to see nothing else.
    """
    name = left.label.name
    texts = plain_texts(task, left.label.domain)
    best = best_of_labels(scores.of_label, LOOKED_AT * config.batch)
    rows, told = says.rows[name], says.label[name]
    if texts is None or not len(best) or not len(rows):
        return scores
    hidden = words_looked_for(task, model.program_, name)
    reader = Reader(partial(model.log_probs_unseen, function=name), texts, hidden)
    seeds = [evenly_spread(rows[told == at], OF_LABEL) for at in range(scores.of_label.shape[1])]
    label = scores.of_label[best].argmax(axis=1)
    words = tuple(rule.name for rule in task.word_tables)
    own = [(left.instances(at, OF_FEATURE), words_of(left.features[at], words)) for at in best]
    kept = keeps(
        reader.means([(rows, ()) for rows in seeds]),
        reader.means([(evenly_spread(np.arange(len(texts)), OF_ALL), ())])[0],
        reader.means(own),
        label,
        config.company,
    )
    of_label = np.full_like(scores.of_label, -np.inf)
    if len(np.unique(label[kept])) > 1:
        of_label[best[kept]] = scores.of_label[best[kept]]
    return replace(scores, of_label=of_label)


def keeps(seeds: Floats, every: Floats, features: Floats, label: Longs, share: float) -> Truths:
    """Whether features lean to their labels as much as a share of what the seeds of these do.

    A lean is how much more probable the label is, on average over the texts, than over all texts:
    `seeds` is (labels, labels), row l of the seeds of label l; `every` (labels), `features`
    (features, labels) and `label` (features). A label whose seeds do not lean to it, or that has
    none, asks for nothing.
    """
    wanted = share * np.nan_to_num(np.diag(seeds) - every)
    lean = features[np.arange(len(label)), label] - every[label]
    return np.asarray((wanted[label] <= 0) | (lean >= wanted[label]))


def words_of(feature: Feature, tables: Sequence[str]) -> tuple[str, ...]:
    """The words, or n-grams, of a text that make up a feature: none if it is of another kind."""
    return tuple(str(part.constants[0]) for part in feature.parts if part.predicate in tables)


def best_of_labels(of_label: Floats, n: int) -> Longs:
    """The `n` best features of each label, of those that may be proposed; in their own order."""
    label = of_label.argmax(axis=1)
    best = of_label.max(axis=1, initial=-np.inf)
    order = np.argsort(-best, kind="stable")
    order = order[np.isfinite(best[order])]
    found = [order[label[order] == at][:n] for at in range(of_label.shape[1])]
    return np.sort(np.concatenate(found))
