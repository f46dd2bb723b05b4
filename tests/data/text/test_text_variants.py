"""Spelling variants: what varies and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.text import name_variants


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("IL2", ["IL2", "IL-2", "IL 2"]),
        ("caspase 3", ["caspase 3", "caspase3", "caspase-3"]),
        ("EGFR", ["EGFR"]),
        ("Wnt-beta", ["Wnt-beta", "Wntbeta", "Wnt beta", "Wntβ", "Wnt-β", "Wnt β"]),
        ("TNFα", ["TNFα", "TNF-α", "TNF α", "TNFalpha", "TNF-alpha", "TNF alpha"]),
        ("E2F1", ["E2F1", "E-2-F-1", "E 2 F 1", "E2F-1", "E2F 1"]),
        ("Alpha, 2", ["Alpha, 2", "α, 2"]),
        ("nuclear factor", ["nuclear factor"]),
        ("beta-4,5", ["beta-4,5", "beta4,5", "beta 4,5", "β4,5", "β-4,5", "β 4,5"]),
    ],
)
def test_spellings(name: str, spellings: list[str]) -> None:
    assert sorted(name_variants(name)) == sorted(spellings)
    assert name_variants(name)[0] == name


@pytest.mark.parametrize("name", ["PI3K", "beta2", "NF-kappa B", "HIF1alpha"])
def test_joints_are_filled_in_all_ways(name: str) -> None:
    variants = name_variants(name)
    assert len(variants) == len(set(variants)) in (6, 9, 18)


@pytest.mark.parametrize("name", ["PI3K", "betaine", "pirin", "Phipps", "metal", "munc"])
def test_syllables_are_no_greek_letters(name: str) -> None:
    assert not any("α" <= character <= "ω" for v in name_variants(name) for character in v)


def test_a_private_character_stands_for_itself() -> None:
    assert "\ue000 α2" in name_variants("\ue000 alpha2")
    assert all("\ue000" in variant for variant in name_variants("\ue000 alpha2"))


@given(st.text("abB12αβ- ,", max_size=10), st.sampled_from(["", "beta", "-alpha "]))
def test_variants_differ_only_in_joints_and_letters(name: str, greek: str) -> None:
    def bare(text: str) -> str:
        for word, letter in (("alpha", "α"), ("beta", "β")):
            text = text.replace(word, letter)
        return text.replace("-", "").replace(" ", "")

    name += greek
    variants = name_variants(name)
    assert variants[0] == name
    assert len(set(variants)) == len(variants) <= 27
    assert len({bare(variant) for variant in variants}) == 1
