"""A person who answers a queue, and takes back what anyone has answered, as fast as they can.

python -m tests.s4.hammering LEDGER WHO    until a line comes; prints how many were recorded
"""

from __future__ import annotations

import random
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tacit.errors import BadInput
from tacit.review import Answer, Ledger, QuestionTaken, Stamp


def hammer(path: Path, who: str, enough: threading.Event) -> int:
    """How many answers were recorded, each of another time."""
    rng, n_answers = random.Random(who), 0
    with Ledger(path, create=False) as page:
        while not enough.is_set():
            question = page.next_question(who, now=time.time(), hold_s=0.01)
            if question is not None:
                choice = rng.choice([*question.labels, "reject"])
                with suppress(QuestionTaken):
                    page.answer(Answer(question.id, choice, who, time.time()))
                    n_answers += 1
            time.sleep(rng.random() / 200)
            if rng.random() < 0.7 and (known := list(page.answers())):
                with suppress(BadInput):  # another one was quicker
                    page.take_back(rng.choice(known), Stamp(who, time.time()))
    return n_answers


if __name__ == "__main__":
    enough = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), enough.set()), daemon=True).start()
    print(hammer(Path(sys.argv[1]), sys.argv[2], enough))
