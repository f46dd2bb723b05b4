"""What is asked of a ledger's file, as SQL conditions on an event `e`.

An answer that is taken back opens its question again, for its next turn. So the number of a
question's turn is how often an answer to it was taken back.
"""

from __future__ import annotations

from tacit.review.questions import SKIP

_TURN = "(SELECT COUNT(*) FROM events u WHERE u.question = e.question AND u.kind = 'undone')"
_CHOICE = "json_extract(e.payload, '$.choice')"
_ANSWERED = f"""EXISTS (
    SELECT 1 FROM events a
    WHERE a.question = e.question AND a.kind = 'answered' AND a.turn = {_TURN})"""

PROPOSED = "e.kind = 'proposed'"
OPEN = f"{PROPOSED} AND NOT {_ANSWERED}"
ANSWER = f"e.kind = 'answered' AND e.turn = {_TURN}"  # in force
JUDGEMENT = f"{ANSWER} AND {_CHOICE} != '{SKIP}'"  # an answer that says something
OPINION = "e.kind = 'opinion'"
ABOUT = "e.question = ?"
BY = "e.who = ?"
LEASE = "e.kind = 'asked'"

# An open question `e` with its last lease `l`, which may hold it for someone until some time.
WITH_LEASE = """events AS e LEFT JOIN events AS l
    ON l.question = e.question AND l.kind = 'asked' AND l.turn = (
        SELECT MAX(m.turn) FROM events m WHERE m.question = e.question AND m.kind = 'asked')"""
_UNTIL = "json_extract(l.payload, '$.until')"
FREE_FOR = f"{OPEN} AND (l.who IS NULL OR l.who = :who OR {_UNTIL} <= :now)"
HELD_BY = f"{OPEN} AND l.who = :who AND {_UNTIL} > :now"
HELD_BY_OTHERS = f"{OPEN} AND l.who != :who AND {_UNTIL} > :now"
HELD_BY_FIRST = f"COALESCE(l.who = :who AND {_UNTIL} > :now, 0) DESC, e.sequence"

# Answers on which someone has no opinion yet, and which are not their own.
WITHOUT_OPINION = f"""{JUDGEMENT} AND e.who != :who AND NOT EXISTS (
    SELECT 1 FROM events o
    WHERE o.question = e.question AND o.kind = 'opinion' AND o.who = :who)"""


def among(n: int) -> str:
    """That an event is about one of n questions."""
    return f"e.question IN ({', '.join('?' * n)})"
