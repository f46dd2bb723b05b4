"""What has come of the answers: rules learned, numbers before and after, where the files are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tacit.app.web.site import Site
from tacit.report.record import RunRecord, Snapshot

# The numbers of a fit that people ask for first, in words.
MEASURES = {
    "coverage": "instances with evidence",
    "agreement": "evidence and network agree",
    "remembered": "said by your rules, and by the network still",
}

# Up to the first @ that stands in no quotation.
_ORIGIN = re.compile(r'((?:[^"@]|"(?:[^"\\]|\\.)*")*?) @ ')


def summary(site: Site) -> dict[str, Any]:
    """All that the end of a review shows."""
    record = site.record()
    return {
        "rules": rules(site),
        "numbers": numbers(record) if record else [],
        "reason": record.reason if record else "",
        "files": [
            {"what": what, "where": where, "is_there": Path(where).exists()}
            for what, where in site.files
        ],
    }


def rules(site: Site) -> list[dict[str, Any]]:
    """The rules in force that were not there at the start, the latest first."""
    answers = site.ledger.answers()
    found = []
    for name, event in reversed(site.ledger.in_force().items()):
        answer = answers.get(event.question or "")
        found.append(
            {
                "name": name,
                "text": without_origin(str(event.payload["text"])),
                "by": answer.who if answer else "",  # nobody: self-training
                "when": event.stamp.when,
            }
        )
    return found


def without_origin(text: str) -> str:
    """A line of program text without what stands behind its formula: who proposed it, and when."""
    found = _ORIGIN.match(text)
    return found[1].rstrip() if found else text


def numbers(record: RunRecord) -> list[dict[str, Any]]:
    """What the program was worth with its seeds alone, and what it is worth now."""
    if not record.snapshots:
        return []
    first, last = record.snapshots[0], record.snapshots[-1]
    found = [_row("rules", first.rules, last.rules, share=False)]
    for key, words in MEASURES.items():
        before, after = first.health.get(key), last.health.get(key)
        if before is not None and after is not None:
            found.append(_row(words, before, after, share=True))
    return [*found, *_accuracies(first, last)]


def _accuracies(first: Snapshot, last: Snapshot) -> list[dict[str, Any]]:
    before, after = first.accuracy or {}, last.accuracy or {}
    return [
        _row(f"accuracy of {name}", before[name], after[name], share=True)
        for name in before
        if name in after
    ]


def _row(what: str, before: float, after: float, *, share: bool) -> dict[str, Any]:
    return {"what": what, "before": before, "after": after, "share": share}
