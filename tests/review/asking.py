"""Questions to try things with, and processes that answer them.

python -m tests.review.asking answer LEDGER WHO   told to go, answers all and prints what it saw
python -m tests.review.asking write LEDGER        writes and prints until it is killed
python -m tests.review.asking kill FOLDER         writes ledgers, killed before each statement
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from tacit.logic.program import Program
from tacit.review import Answer, Example, Ledger, Offer, Question, Stamp

SEED = """\
label    sentiment(review) = neg | pos
observed token(review, word)
praise:  2.2  token(r, "superb") => sentiment(r) = pos
"""
STAMP = Stamp("loop", 100.0, "data", "program")


def feature(word: str, score: float = 0.5) -> Question:
    labels = ("neg", "pos")
    text = f"What a {word} film. Really {word}."
    starts = [at for at in range(len(text)) if text.startswith(word, at)]
    return Question(
        kind="feature",
        function="sentiment",
        offers=tuple(
            Offer(y, f"reviews with {word} are {y}", f'token(r, "{word}") => sentiment(r) = {y}')
            for y in labels
        ),
        feature=word,
        examples=(
            Example(
                "r1",
                text,
                tuple((at, at + len(word)) for at in starts),
                (("neg", 0.1), ("pos", 0.9)),
            ),
        ),
        score=score,
        rule="fal",
        touched=1200,
    )


def evidence(name: str, rest: str = 'token(r, "fine") => sentiment(r) = pos'):
    text = f"{SEED}observed ngram(review, words)\n{name}: 2.2 {rest}"
    return Program.parse(text)[name]


def answer_all(path: str, who: str) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    with Ledger(path) as ledger:
        for tick in count(1):
            question = ledger.next_question(who, now=float(tick), hold_s=1e9)
            if question is None:
                return
            time.sleep(0.01)  # people think; without it, one process may be done before the other
            ledger.answer(Answer(question.id, "pos", who, float(tick)))
            print(question.id, flush=True)


def write(path: Path | str, n_questions: int, tell: Callable[[str], object]) -> None:
    with Ledger(path) as ledger:
        for number in range(n_questions):
            question = feature(f"word{number}")
            ledger.propose(question, STAMP)
            tell(f"proposed {question.id}\n")
            ledger.next_question("ann", now=1.0)
            ledger.answer(Answer(question.id, "pos", "ann", 2.0))
            tell(f"answered {question.id}\n")
            ledger.add(evidence(f"e{number}"), STAMP, question=question.id)
            tell(f"added {question.id}\n")


def write_forever(path: str) -> None:
    write(path, sys.maxsize, lambda line: print(line, end="", flush=True))


def kill_everywhere(folder: str) -> None:
    """For n = 1, 2, ... a process that is killed before its n-th statement, until one ends."""
    evidence("warm")  # the grammar is read once, for all
    for n in count(1):
        child = os.fork()
        if not child:
            _write_and_die(Path(folder), n)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return


def _write_and_die(folder: Path, n: int) -> None:
    numbers, connect = count(1), sqlite3.connect

    def traced(*arguments, **options) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(
            lambda _: next(numbers) == n and os.kill(os.getpid(), signal.SIGKILL)
        )
        return connection

    sqlite3.connect = traced
    with (folder / f"{n}.told").open("w") as told:
        write(folder / f"{n}.sqlite", 2, lambda line: (told.write(line), told.flush()))


if __name__ == "__main__":
    modes = {"answer": answer_all, "write": write_forever, "kill": kill_everywhere}
    modes[sys.argv[1]](*sys.argv[2:])
