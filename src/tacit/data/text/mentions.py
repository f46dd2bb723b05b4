"""Mentions: where documents name a thing of some kind, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.data.text.lexicon import Lexicon
from tacit.data.text.marking import Integers
from tacit.data.text.sentences import sentence_spans
from tacit.errors import BadInput

Finder = Lexicon | Callable[[str], Iterable[Any]]
Splitter = Callable[[str], Sequence[tuple[int, int]]]


class Mentions(NamedTuple):
    """Two tables: each mention once, and the entities that a mention may refer to."""

    mention: pa.Table  # mention, document, sentence, start, end, text, kind
    entity: pa.Table  # mention, entity


class _Found(NamedTuple):
    """What one finder found: a row a span, and a row for each entity of a span."""

    document: Integers
    start: Integers
    end: Integers
    span_of_row: Integers
    entity_of_row: pa.Array


def sentence_table(
    documents: Mapping[str, str | None], *, split: Splitter = sentence_spans
) -> pa.Table:
    """The sentences of documents: columns sentence (an id), document, number, start, end, text."""
    names, texts = list(documents), _texts(documents)
    counts, spans = _sentences(texts, split)
    ids = np.repeat(np.arange(len(texts)), counts)
    number = np.arange(len(ids)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = list(zip(ids.tolist(), number.tolist(), *spans.T.tolist(), strict=True))
    return pa.table(
        {
            "sentence": _strings(f"{names[i]}:{n}" for i, n, _, _ in rows),
            "document": _strings(names).take(ids),
            "number": number,
            "start": spans[:, 0],
            "end": spans[:, 1],
            "text": _strings(texts[i][start:end] for i, _, start, end in rows),
        }
    )


def mention_table(
    documents: Mapping[str, str | None],
    finders: Mapping[str, Finder],
    *,
    split: Splitter = sentence_spans,
) -> Mentions:
    """All mentions that finders find in documents, by document, place and kind.

    `documents` maps ids to texts; a null text has no mentions. `finders` maps each kind of thing to
    a `Lexicon`, or to a function of a text that gives spans, such as `mutations`: its spans have a
    `start`, an `end` and the `name` or the `entities` of what is meant. A mention's `sentence` is
    its number in the document; a span that lies in no single sentence is left out. Ids read
    "document:start-end:kind".
    """
    texts, names, kinds = _texts(documents), list(documents), list(finders)
    found = [_find(finder, texts) for finder in finders.values()]
    kind_of_span = np.repeat(np.arange(len(found)), [len(each.start) for each in found])
    document, start, end = (
        _joined([getattr(each, name) for each in found]) for name in ("document", "start", "end")
    )
    sentence, inside = _places(texts, split, document, start, end)
    order = np.lexsort((kind_of_span, end, start, document))
    order = order[inside[order]]
    rows = np.stack([document, start, end, kind_of_span], axis=1)[order]
    is_new = np.any(np.diff(rows, axis=0, prepend=-1) != 0, axis=1)
    first, mention_of_span = order[is_new], np.full(len(start), -1)
    mention_of_span[order] = np.cumsum(is_new) - 1
    spans = rows[is_new].tolist()
    ids = _strings(f"{names[d]}:{a}-{b}:{kinds[k]}" for d, a, b, k in spans)
    mention = pa.table(
        {
            "mention": ids,
            "document": _strings(names).take(document[first]),
            "sentence": sentence[first],
            "start": start[first],
            "end": end[first],
            "text": _strings(texts[d][a:b] for d, a, b, _ in spans),
            "kind": _strings(kinds).take(kind_of_span[first]),
        }
    )
    return Mentions(mention, _entity_table(found, mention_of_span, ids))


def _texts(documents: Mapping[str, str | None]) -> list[str]:
    """The texts of documents; a null text is an empty one."""
    if not isinstance(documents, Mapping):
        raise BadInput(
            f"documents are a {type(documents).__name__}",
            remedy='give a mapping of ids to texts: {"pmid1": "EGFR was lost."}',
        )
    for name, text in documents.items():
        if not isinstance(name, str) or not isinstance(text, str | None):
            kinds = f"{type(name).__name__}, its text of type {type(text).__name__}"
            raise BadInput(
                f"the id of document {name!r} is of type {kinds}",
                remedy="give both as str; a text may also be None",
            )
    return [text or "" for text in documents.values()]


def _find(finder: Finder, texts: Sequence[str]) -> _Found:
    """What a finder finds in all texts."""
    if isinstance(finder, Lexicon):
        matches = finder.find_all(texts)
        span_of_row, entity = matches.entity_rows()
        entities = _strings(finder.entities).take(entity)
        return _Found(matches.text_of_match, matches.start, matches.end, span_of_row, entities)
    if not callable(finder):
        raise BadInput(f"{finder!r} is no finder", remedy="give a Lexicon or a function of a text")
    spans: list[tuple[int, int, int]] = []
    rows: list[tuple[int, str]] = []
    for number, text in enumerate(texts):
        for span in finder(text):
            begin, behind, entities = _checked(span, text)
            rows += [(len(spans), entity) for entity in entities]
            spans.append((number, begin, behind))
    document, start, end = np.array(spans, np.int64).reshape(-1, 3).T
    span_of_row = np.array([span for span, _ in rows], np.int64)
    return _Found(document, start, end, span_of_row, _strings(entity for _, entity in rows))


def _checked(span: Any, text: str) -> tuple[int, int, Iterable[str]]:
    """The start, end and entities of what a function found in a text."""
    try:
        start, end = int(span.start), int(span.end)
        entities = span.entities if hasattr(span, "entities") else (span.name,)
    except AttributeError:
        raise BadInput(
            f"a finder gave {span!r}",
            remedy="give spans with a start, an end and a name (or entities), such as a Mutation",
        ) from None
    if not 0 <= start < end <= len(text):
        raise BadInput(
            f"a finder gave the span {start}-{end} of a text of {len(text)} characters",
            remedy="count from the beginning of the text; the end is one behind the last",
        )
    return start, end, entities


def _entity_table(found: Sequence[_Found], mention_of_span: Integers, ids: pa.Array) -> pa.Table:
    """Each distinct (mention, entity), by mention; spans that are no mentions are left out."""
    shifts = np.cumsum([0, *(len(each.start) for each in found)])
    span_of_row = _joined([each.span_of_row + n for each, n in zip(found, shifts, strict=False)])
    entities = pa.concat_arrays([_strings([]), *(each.entity_of_row for each in found)])
    codes = entities.dictionary_encode()
    pairs = np.stack([mention_of_span[span_of_row], codes.indices.to_numpy()])
    pairs = pairs[:, pairs[0] >= 0]
    n_entities = max(len(codes.dictionary), 1)
    _, first = np.unique(pairs[0] * n_entities + pairs[1], return_index=True)
    first = first[np.lexsort((first, pairs[0][first]))]
    mention, entity = pairs[:, first]
    return pa.table({"mention": ids.take(mention), "entity": codes.dictionary.take(entity)})


def _places(
    texts: Sequence[str],
    split: Splitter,
    document: Integers,
    start: Integers,
    end: Integers,
) -> tuple[Integers, Any]:
    """The number of the sentence that each span begins in, and whether it ends there, too."""
    counts, spans = _sentences(texts, split)
    lengths = [len(text) + 1 for text in texts]
    base = np.cumsum([0, *lengths])[:-1]
    begins = spans[:, 0] + np.repeat(base, counts)
    at = np.searchsorted(begins, start + base[document], side="right") - 1
    first = np.cumsum(counts) - counts
    number = at - first[document]  # negative before the first sentence of the document
    ends = np.append(spans[:, 1], -1)  # for at = -1
    return number, (number >= 0) & (end <= ends[at])


def _sentences(texts: Sequence[str], split: Splitter) -> tuple[Integers, Integers]:
    """How many sentences each text has, and the (start, end) of all of them."""
    found = [split(text) for text in texts]
    spans = np.array([span for each in found for span in each], np.int64).reshape(-1, 2)
    return np.array([len(each) for each in found], np.int64), spans


def _joined(parts: Sequence[Integers]) -> Integers:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _strings(values: Iterable[str]) -> pa.Array:
    return pa.array(list(values), pa.large_string())
