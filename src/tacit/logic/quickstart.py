"""The commonest cases in one call: texts with keywords, and a matrix of votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import pyarrow as pa

from tacit.data.task import Task
from tacit.errors import BadInput
from tacit.logic.forms import label as label_function
from tacit.logic.functions import labelling_functions
from tacit.logic.knowledge import Knowledge, assemble
from tacit.logic.matrix import instance_ids, label_matrix
from tacit.logic.program import Program
from tacit.logic.words import keywords as keyword_evidence

LABEL_NAME = "y"  # the chapter's Y; the word "label" itself is reserved in program text
DOCUMENTS, ITEMS = "document", "item"


def text_classification(
    texts: Iterable[str],
    labels: Sequence[str],
    keywords: Mapping[str, Iterable[str]] | None = None,
    *,
    functions: Iterable[Callable[..., Any]] = (),
    name: str = LABEL_NAME,
    ids: Any = None,
) -> tuple[Task, Program]:
    """A task of texts to be classified, and the program of what is known about them.

    The texts are the table `document(id, text)`, the label function is `y(document)`. The ids are
    "0", "1", ... unless given; of a pandas Series, the index is not used. `keywords` lists words
    for some of the labels; `functions` are labelling functions, which read the column `text`.
    """
    column = _texts(texts)
    documents = pa.table({"id": instance_ids(len(column), ids), "text": column})
    task = Task({DOCUMENTS: documents}, text=f"{DOCUMENTS}.text")
    task.instances(DOCUMENTS)  # ids that are missing or occur twice are found here
    label = label_function(name, DOCUMENTS, labels)
    knowledge = [Knowledge((label,))]
    if keywords is not None:
        knowledge.append(keyword_evidence(keywords, label=label))
    knowledge.append(labelling_functions(functions, label=label))
    return assemble(task, *knowledge)


def from_label_matrix(
    matrix: Any,
    labels: Sequence[str],
    *,
    functions: Sequence[str] | None = None,
    per_class: bool = False,
    name: str = LABEL_NAME,
    ids: Any = None,
) -> tuple[Task, Program]:
    """A task of items that functions have voted on, and the program that weighs the votes.

    `matrix` (items, functions) holds indices into `labels`, -1 = abstain. The items are the table
    `item(id)`, the label function is `y(item)`, and each function has one weight.
    """
    label = label_function(name, ITEMS, labels)
    votes = label_matrix(matrix, label=label, functions=functions, ids=ids, per_class=per_class)
    task = Task({ITEMS: pa.table({"id": instance_ids(len(matrix), ids)})})
    task.instances(ITEMS)
    return assemble(task, votes)


def _texts(texts: Any) -> pa.Array:
    """The texts as one column; what is not a text is refused with its row."""
    single = isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable)
    if single or isinstance(texts, (Mapping, Set)) or hasattr(texts, "columns"):
        raise BadInput(
            f"texts is {type(texts).__name__}, not a sequence of texts",
            remedy="give a list of texts, or one column of a table",
        )
    values = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    if not values:
        raise BadInput("there are no texts", remedy="give at least one")
    for row, text in enumerate(values, start=1):
        if not isinstance(text, str):
            raise _not_a_text(row, text)
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError as error:
        row = next(row for row, text in enumerate(values, start=1) if text == error.object)
        raise BadInput(
            f"the text in row {row} holds half a character at position {error.start}",
            remedy="text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace') mends it",
        ) from None


def _not_a_text(row: int, value: object) -> BadInput:
    """The error for something among the texts that is none."""
    # NaN and pandas' NA are what tables hold where a text is missing.
    if value is None or str(value) in ("nan", "<NA>", "NaT"):
        return BadInput(
            f"the text in row {row} is missing", remedy='leave the row out, or put "" for it'
        )
    return BadInput(
        f"the text in row {row} is {value!r:.40} ({type(value).__name__})",
        remedy="turn it into text with str()",
    )
