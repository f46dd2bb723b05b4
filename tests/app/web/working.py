"""A process that says what it is told to say, as the worker does.

python -m tests.app.web.working SCRIPT   each line of the script is a status, or what to do
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path


def main(script: str) -> int:
    finish = threading.Event()

    def listen() -> None:
        while line := sys.stdin.readline():
            if line.strip() == "finish":
                finish.set()
        os._exit(130)

    threading.Thread(target=listen, daemon=True).start()
    for line in Path(script).read_text().splitlines():
        if line == "wait":
            finish.wait()
        elif line.startswith("error "):
            print(line[6:], file=sys.stderr, flush=True)
        elif line.startswith("exit "):
            return int(line[5:])
        else:
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.stdout.flush()
    os._exit(code)
