"""Python predicates of the oncology sample."""

import re

import tacit

_CITATION = re.compile(r"\bet al\b|\b(?:19|20)\d\d ;|\bvol\. ?\d|\bpp\. ?\d")
_CELL = re.compile(r" [;|] ")
_TABLE_CELLS = 3  # separators from which on a span reads like a row and not like a sentence


@tacit.predicate(table="candidate")
def looks_like_citation(text: str) -> bool:
    """The span reads like a reference list or a flattened table."""
    return bool(_CITATION.search(text)) or len(_CELL.findall(text)) >= _TABLE_CELLS
