"""Relations without a filter of genes: every match of a gene's name may be the gene of a relation.

Learned from Peng's text, without labels; tested on CIViCmine's sentences, where genes are all
matches in HGNC. Drugs and variants are those that people marked; and once more, by the same models,
those that a machine finds. The chapter's Table 4, and one program for linking and relations beyond
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

import numpy as np

from benchmarks.bio_errors import TYPES
from benchmarks.bio_jobs import Figures, Job, Setting, Table
from benchmarks.bio_joint_data import JointSource, by_machine, joint_data
from benchmarks.bio_joint_rows import (
    DS_ONLY,
    ONE,
    ONE_NETWORK,
    RE,
    TRN,
    TST,
    filter_rows,
    joint_rows,
    plain_row,
)
from benchmarks.bio_joint_scores import mention_figures, tested
from benchmarks.bio_linking_data import Data
from benchmarks.bio_relations import Workshop
from benchmarks.bio_relations_data import corpora

ALL_YES = "all yes"
QUICK = {"n_candidates": 60, "n_pool": 800, "n_sentences": 12}
# What is trained for each row; two rows of one training differ in what they ask of it at test.
TRAININGS: dict[str, Callable[[JointSource, int], dict[str, dict[str, float]]]] = {
    DS_ONLY: partial(plain_row, only_ds=True),
    RE: partial(plain_row, only_ds=False),
    TRN: filter_rows,
    ONE: joint_rows,
}
TRAINING_OF = {DS_ONLY: DS_ONLY, RE: RE, TRN: TRN, TST: TRN, ONE: ONE, ONE_NETWORK: ONE}


def jobs(setting: Setting) -> list[Job]:
    """Every row and seed."""
    shop = Shop(setting)
    found = [Job(ALL_YES, 0, shop.all_yes)]
    for row in TRAINING_OF:
        found += [
            Job(row, seed, partial(shop.figures, row, seed), partial(shop.begin, row, seed))
            for seed in range(setting.seeds)
        ]
    return found


@dataclass
class Shop:
    """What rows share: the data, and trainings, which on a GPU run beside each other."""

    setting: Setting
    _begun: dict[tuple[str, int], Callable[[], dict[str, dict[str, float]]]] = field(
        default_factory=dict
    )  # by training and seed

    @cached_property
    def relations(self) -> Workshop:
        """The relation table's: a device, processes, a parser."""
        return Workshop(self.setting)

    @cached_property
    def source(self) -> JointSource:
        """Where processes find the data; word vectors are made here, once."""
        if self.setting.quick:
            return JointSource(self.relations.source, None, **QUICK)
        self._vectors = Data(self.setting.bio, reads="window")  # its file goes when this does
        return JointSource(self.relations.source, self._vectors.vectors_file)

    def all_yes(self) -> Figures:
        """Every candidate is extracted: what string matching alone can reach."""
        data, relations = joint_data(self.source), self.source.relations
        every = tested(data, *(np.ones(len(side.some)) for side in (data.gold, data.found)))
        return every | mention_figures(corpora(relations).sentences, by_machine(relations.bio))

    def begin(self, row: str, seed: int) -> None:
        """Begin a row's training, unless another row has done so."""
        key = TRAINING_OF[row], seed
        if key not in self._begun:
            run = self.relations.begun(TRAININGS[key[0]], self.source, seed)
            self._begun[key] = cache(run)  # two rows may ask for it

    def figures(self, row: str, seed: int) -> Figures:
        """The figures of a row."""
        self.begin(row, seed)
        return self._begun[TRAINING_OF[row], seed]()[row]


JOINT = Table(
    title="Relations and gene linking: every match of a gene's name (the chapter's Table 4)",
    columns=(
        *("precision", "recall", "f1", "ap", "gold_extracted", "gold_unique"),
        *("extracted", "unique", "error_gene", "error_gene-mutation", "error_relation"),
        *("found_precision", "found_recall", "found_f1", "found_ap", "found_extracted"),
        *(f"found_error_{kind}" for kind in TYPES),
        *("drug_precision", "drug_recall", "variant_precision", "variant_recall"),
        *("link_f1", "el_accuracy", "el_f1"),
    ),
    jobs=jobs,
    chapter={  # precision of a sample; what was extracted from about a million articles
        DS_ONLY: {"precision": 0.31, "extracted": 11481 / 0.31, "unique": 5447},
        RE: {
            "precision": 0.52,
            "extracted": 17891 / 0.52,
            "unique": 8534,
            "found_error_gene": 0.27,
            "found_error_drug": 0.04,
            "found_error_mutation": 0.20,
            "found_error_gene-mutation": 0.45,
            "found_error_relation": 0.24,
        },
        TRN: {"precision": 0.55, "extracted": 21881 / 0.55, "unique": 11047},
        TST: {"precision": 0.61, "extracted": 20378 / 0.61, "unique": 10291},
    },
    meanings={
        "precision, recall, f1, ap": "on CIViCmine's sentences: precision of candidates; recall of "
        "the 170 true triples, of which string matches reach those that `all yes` has; ap is "
        "average precision, which triples that are not reached lower",
        "gold_extracted, gold_unique": "candidates of these sentences that are extracted, and "
        "their distinct triples",
        "extracted, unique": "the same of the part of Peng's text that was learned from; the "
        "chapter's are of all its articles",
        "error_...": "of wrong extractions, the share with this error; drugs and variants are as "
        "people marked them, so that there are no errors of theirs",
        "found_...": "the same models on all of CIViCmine's sentences with nothing given: cancer "
        "drugs by DrugBank's names, variants by the grammar of mutations, genes as before. An "
        "extraction is right if its mentions overlap those of one of the 170 true triples; many of "
        "these have a variant that is no point mutation (expression, mutations), so that `all yes` "
        "shows how few can be reached. In the chapter, too, everything was found by machine",
        "drug_..., variant_...": "of the mentions that are found, those that overlap marked ones; "
        "of marked ones, those that are found",
        "link_f1": "of telling genes from other matches in these sentences, at 0.5",
        "el_accuracy, el_f1": "of evidence and network on the sample of the linking table",
    },
)
