"""Names of genes and drugs, from HGNC and DrugBank, also as lexicons."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pyarrow.parquet as pq

from tacit.data.text.lexicon import Lexicon


def gene_names(bio: Path, *, full_names: bool = False) -> dict[str, list[str]]:
    """By approved symbol: the symbol, aliases and previous symbols; then, if asked, the full name.

    Entries that HGNC has withdrawn are left out.
    """
    columns = ["symbol", "alias_symbols", "prev_symbols", "name", "status"]
    names = {}
    for gene in pq.read_table(bio / "hgnc" / "hgnc_entries.parquet", columns=columns).to_pylist():
        if gene["status"] == "Approved":
            own = [gene["symbol"], *gene["alias_symbols"], *gene["prev_symbols"]]
            names[gene["symbol"]] = [*own, gene["name"]] if full_names else own
    return names


def entrez_ids(bio: Path) -> dict[str, str]:
    """By approved symbol: the gene's number in Entrez, of those that have one."""
    table = pq.read_table(
        bio / "hgnc" / "hgnc_entries.parquet", columns=["symbol", "entrez_id", "status"]
    )
    return {
        gene["symbol"]: gene["entrez_id"]
        for gene in table.to_pylist()
        if gene["status"] == "Approved" and gene["entrez_id"]
    }


def gene_lexicon(bio: Path, *, full_names: bool = False, variants: bool = False) -> Lexicon:
    """All human genes by their names, whatever the case: `cell` is an alias, and so is `of`.

    To tell genes from words is what linking is for.
    """
    names = gene_names(bio, full_names=full_names)
    return Lexicon(names, ignore_case=True, variants=variants)


def drug_names(bio: Path, *, cancer_only: bool = True) -> dict[str, list[str]]:
    """By DrugBank's name: the name and its synonyms."""
    file = "cancer_drugs.parquet" if cancer_only else "drugbank_vocabulary.parquet"
    table = pq.read_table(bio / "drugbank" / file, columns=["name", "synonyms"])
    return {drug["name"]: [drug["name"], *drug["synonyms"]] for drug in table.to_pylist()}


def drug_lexicon(bio: Path, *, skip: Collection[str] = ()) -> Lexicon:
    """Cancer drugs by their names, whatever the case; `as` is one of arsenic's, unless skipped."""
    return Lexicon(drug_names(bio), ignore_case=True, skip=skip)
