"""A person who answers a queue, and takes back what anyone has answered, as fast as they can.

python -m tests.s4.hammering LEDGER WHO SECONDS    prints how many answers were recorded
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress
from pathlib import Path

from tacit.errors import BadInput
from tacit.review import Answer, Ledger, QuestionTaken, Stamp


def hammer(path: Path, who: str, seconds: float) -> int:
    """How many answers were recorded, each of another time."""
    rng, until, n_answers = random.Random(who), time.time() + seconds, 0
    with Ledger(path, create=False) as page:
        while time.time() < until:
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
    print("ready", flush=True)
    sys.stdin.readline()
    print(hammer(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
