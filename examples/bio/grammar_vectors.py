"""Word vectors that tell what kind of word a word is: by what stands before it and behind it.

As `examples.bio.vectors`, but with left and right neighbours counted apart and few words away, so
that "of" is near "for" and "phosphorylates" near "inhibits", whatever the text is about: it is the
grammar of a place that says whether a gene may stand there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from examples.bio.vectors import Floats, directions, flattened, information, neighbours
from tacit.data.tokens import tokenise


def grammar_vectors(
    texts: Iterable[str], *, dim: int = 100, reach: int = 4, min_count: int = 5
) -> dict[str, Floats]:
    """A vector of length 1 for each word of the texts that occurs often enough."""
    lines = [tokenise(text) for text in texts]
    count = Counter(word for line in lines for word in line)
    words = sorted(word for word, n in count.items() if n >= min_count)
    shares = [1 / away for away in range(1, reach + 1)]
    near = neighbours(flattened(lines, words, reach), len(words), shares, apart=True)
    found = directions(information(near), dim)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return dict(zip(words, found.astype(np.float32), strict=True))
