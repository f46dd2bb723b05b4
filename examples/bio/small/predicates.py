"""What an expert sees in a passage or in a name. relations.tacit and joint.tacit say what follows.

A passage has its own three names as DRUG, GENE and VARIANT; others read otherdrug, othergene and
othervariant.
"""

import re

import tacit

WORKS = re.compile(r"\b(respon\w+|sensitive|inhibited|active against|benefit)\b")
FAILS = re.compile(r"\b(resistance|no (effect|response)|failed|progressed|relapse)\b", re.I)
LEFT_OPEN = re.compile(r"\b(unknown|under way|tested for|review|discussed|dissolved|stored)\b")
OTHERS_VARIANT = re.compile(r"othergene (mutation )?VARIANT|VARIANT (mutation of|in) othergene")


@tacit.predicate(table="candidate")
def says_it_works(text):
    """A word of success, and none of failure."""
    return bool(WORKS.search(text)) and not FAILS.search(text)


@tacit.predicate(table="candidate")
def says_it_fails(text):
    """A word of failure."""
    return bool(FAILS.search(text))


@tacit.predicate(table="candidate")
def says_nothing(text):
    """The drug is given, stored or discussed, and nothing is said of what it does."""
    return bool(LEFT_OPEN.search(text))


@tacit.predicate(table="candidate")
def reads_like_a_list(text):
    """References, key words, rows of tables."""
    return text.count(";") >= 2 or "et al" in text


@tacit.predicate(table="candidate")
def variant_of_another_gene(text):
    """The variant stands beside another gene than the candidate's."""
    return bool(OTHERS_VARIANT.search(text))


@tacit.predicate(table="mention")
def plain_word(name):
    """Small letters only: was, met, kit."""
    return name.islower()


@tacit.predicate(table="mention")
def symbol(name):
    """Mostly capitals, or with a digit: EGFR, K-Ras, HER2."""
    return sum(letter.isupper() for letter in name) >= 2 or any(map(str.isdigit, name))


@tacit.predicate(table="mention")
def beside_variant(text):
    """A variant follows at once: GENE L858R."""
    return bool(
        re.search(r"GENE (mutation )?othervariant|othervariant (in|mutation of) GENE", text)
    )


@tacit.predicate(table="mention")
def means_a_scan(text):
    """CAT in "CAT scan" is no gene."""
    return "GENE scan" in text
