"""Label spaces: codes and back, and errors that name the row."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import LabelSpace
from tacit.errors import BadInput, DuplicateName, UnknownLabel


@given(st.data())
def test_decode_undoes_encode(data: st.DataObject) -> None:
    labels = data.draw(
        st.lists(st.from_regex(r"[a-zé0-9]+", fullmatch=True), min_size=1, unique=True)
    )
    values = data.draw(st.lists(st.sampled_from(labels)))
    space = LabelSpace(labels)
    codes = space.encode(values)
    assert codes.dtype == np.int32
    assert space.decode(codes) == values
    assert [space.index(value) for value in values] == codes.tolist()


def test_missing_labels_are_coded_only_when_allowed() -> None:
    space = LabelSpace(["neg", "pos"])
    assert space.encode(["pos", None, "", "neg"], missing=True).tolist() == [1, -1, -1, 0]
    with pytest.raises(UnknownLabel, match=r"row 2 has no label") as caught:
        space.encode(["pos", None])
    assert "missing=True" in str(caught.value)


def test_an_unknown_label_names_row_value_and_nearest() -> None:
    with pytest.raises(UnknownLabel, match=r"row 2 has the label 'postive'.*neg, pos") as caught:
        LabelSpace(["neg", "pos"]).encode(["neg", "postive"], missing=True)
    assert "did you mean 'pos'" in str(caught.value)
    with pytest.raises(UnknownLabel, match="'maybe'"):
        LabelSpace(["neg", "pos"]).index("maybe")


def test_labels_come_from_any_library() -> None:
    space = LabelSpace(["0", "1"])
    assert space.encode(pa.chunked_array([[1], [0]])).tolist() == [1, 0]
    assert space.encode(np.array(["1", "0"])).tolist() == [1, 0]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert space.encode(pandas.Series(["1", None]), missing=True).tolist() == [1, -1]
    with pytest.raises(BadInput, match="labels are texts"):
        space.encode([0.5])


@pytest.mark.parametrize("labels", [[], [""], [" "], [1, 2], [None], "pos"])
def test_labels_are_texts(labels: list[str]) -> None:
    with pytest.raises(BadInput):
        LabelSpace(labels)


def test_a_label_is_listed_once() -> None:
    with pytest.raises(DuplicateName, match="'a' is listed twice"):
        LabelSpace(["a", "b", "a"])


def test_codes_outside_the_space_are_refused() -> None:
    with pytest.raises(BadInput, match="row 2 has the code -1"):
        LabelSpace(["a"]).decode([0, -1])
    with pytest.raises(BadInput, match="whole numbers"):
        LabelSpace(["a"]).decode([0.5])


def test_a_label_space_is_a_value() -> None:
    space = LabelSpace(["a", "b"])
    assert space == LabelSpace(("a", "b"))
    assert space != LabelSpace(["b", "a"])
    assert hash(space) == hash(LabelSpace(("a", "b")))
    assert (len(space), list(space), "a" in space, "c" in space) == (2, ["a", "b"], True, False)
    with pytest.raises(AttributeError):
        space.labels = ("c",)  # type: ignore[misc]
