"""The samples that come with the library load, and are whole."""

from importlib.resources import files

import pytest

from tacit.data import Sample, sample
from tacit.errors import BadInput


def loaded(name: str) -> Sample:
    if not (files("tacit.data") / "samples" / name / "rules.tacit").is_file():
        pytest.skip(f"the files of sample '{name}' are not generated yet")
    return sample(name)


def test_reviews() -> None:
    reviews = loaded("reviews")
    assert list(reviews.task.tables) == ["review", "about", "near", "lexicon", "verdict"]
    ids = reviews.task.instances("review").ids.to_pylist()
    assert list(reviews.gold["sentiment"]) == ids
    assert set(reviews.gold["sentiment"].values()) == {"neg", "pos"}
    assert reviews.task.inputs("review").null_count == 0
    assert set(reviews.task.table("about").column("review").to_pylist()) <= set(ids)
    assert set(reviews.task.table("near").column("review").to_pylist()) <= set(ids)
    assert reviews.task.table("token").n_rows > len(ids)
    assert "sentiment" in reviews.rules
    assert reviews.rules_place == "reviews/rules.tacit"


def test_the_test_reviews_are_other_reviews() -> None:
    reviews = loaded("reviews")
    assert reviews.test is not None
    assert reviews.test_gold is not None
    ids = reviews.test.instances("review").ids.to_pylist()
    assert list(reviews.test_gold["sentiment"]) == ids
    assert not set(ids) & set(reviews.gold["sentiment"])
    assert set(reviews.test.table("about").column("review").to_pylist()) <= set(ids)
    assert not reviews.test.has("near")


def test_oncology() -> None:
    oncology = loaded("oncology")
    task = oncology.task
    assert list(oncology.gold) == ["treats", "link"]
    assert list(oncology.gold["treats"]) == task.instances("candidate").ids.to_pylist()
    assert list(oncology.gold["link"]) == task.instances("mention").ids.to_pylist()
    assert [str(reference) for reference in task.text] == ["candidate.text", "mention.text"]
    cited = task.table("looks_like_citation")
    assert 0 < cited.n_rows < len(task.instances("candidate"))
    assert (oncology.test, oncology.test_gold) == (None, None)


def test_a_sample_is_loaded_once_and_cannot_be_changed() -> None:
    reviews = loaded("reviews")
    assert sample("reviews") is reviews
    with pytest.raises(AttributeError):
        reviews.rules = ""  # type: ignore[misc]
    with pytest.raises(TypeError):
        reviews.gold["sentiment"]["new"] = "pos"  # type: ignore[index]


def test_an_unknown_sample_names_the_known_ones() -> None:
    with pytest.raises(
        BadInput, match=r"no sample 'review'; there are: reviews, oncology"
    ) as caught:
        sample("review")
    assert "did you mean 'reviews'" in str(caught.value)
