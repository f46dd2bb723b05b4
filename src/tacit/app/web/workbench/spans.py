"""Where words stand in a text: what was searched for, and what evidence speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.report.record import Json

MOST = 200  # places in one text: more marks than words would help nobody
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"')


def spans_of(text: str, parts: Iterable[str], *, whole: bool = False) -> list[list[int]]:
    """The places of these parts in a text, in whatever case; `whole`: as whole words only."""
    patterns = [r"\W+".join(map(re.escape, part.split())) for part in parts if part.strip()]
    if not patterns:
        return []
    either = "|".join(sorted(patterns, key=len, reverse=True))
    pattern = rf"(?<!\w)(?:{either})(?!\w)" if whole else either
    found = [list(match.span()) for match in re.finditer(pattern, text, re.IGNORECASE)]
    return sorted(found)[:MOST]


def words_of(explanation: Json) -> list[str]:
    """The words by which evidence speaks of an instance: constants, and values of variables."""
    found: dict[str, None] = {}
    for part in explanation.get("parts") or ():
        if part.get("kind") == "evidence":
            values = (value for row in part.get("rows") or () for value in row.values())
            found |= dict.fromkeys(own for own in values if isinstance(own, str))
            found |= dict.fromkeys(_QUOTED.findall(str(part.get("formula") or "")))
    found.pop(str(explanation.get("instance")), None)
    return list(found)
