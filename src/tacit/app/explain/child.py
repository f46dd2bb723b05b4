"""The process that explains for pages: it loads a project and a run once, and then answers.

Questions come as lines of JSON on its input, answers go as lines of JSON to its output:

    {"number": 1, "instance": "r17", "function": "sentiment"}
    {"number": 2, "search": "awful", "function": "sentiment", "order": "doubt", "label": "neg",
     "offset": 0, "most": 50}

The first line that it writes says that it is ready, or why it cannot be. It ends when its input
ends, and so never outlives whoever started it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from tacit.errors import BadInput, TacitError, listed

if TYPE_CHECKING:
    from tacit.app.explain.explained_run import ExplainedRun

Json = Mapping[str, Any]
_SEARCHED = ("label", "order", "offset", "most")
_EXPLAINED = ("label", "against")


def serve(path: str, run: str) -> int:
    """Load, then answer until nobody asks any more."""
    answers = _own_output()
    lines = _lines()
    try:
        loaded = _load(path, run)
    except Exception as error:
        _write(answers, _refusal(error))
        return 1
    _write(answers, {"ready": True, "functions": loaded.functions})
    for line in lines:
        _write(answers, _answered(loaded, line))
    return 0


def answer(run: ExplainedRun, asked: Json) -> dict[str, Any]:
    """The answer to a question; mistakes are raised."""
    if "search" in asked:
        return _found(run, asked)
    if "instance" in asked:
        more = {name: asked[name] for name in _EXPLAINED if asked.get(name) is not None}
        return run.explain(asked["instance"], asked.get("function"), **more).as_dict()
    raise BadInput(
        f"a question that names neither an instance nor a search, but {listed(asked)}",
        remedy='such as {"instance": "r17"} or {"search": "awful"}',
    )


def _found(run: ExplainedRun, asked: Json) -> dict[str, Any]:
    """A page of instances."""
    from tacit.app.explain.instances import Search

    function = run.function(asked.get("function"))
    more = {name: asked[name] for name in _SEARCHED if asked.get(name) is not None}
    rows, total = run.instances(function).search(Search(find=str(asked["search"]), **more))
    labels = list(run.model.labels_[function])
    return {"function": function, "labels": labels, "rows": rows, "total": total}


def _answered(run: ExplainedRun, line: str) -> dict[str, Any]:
    """The answer to a line, whatever it holds."""
    number = None
    try:
        asked = json.loads(line)
        if not isinstance(asked, dict):
            raise BadInput("a question is a JSON object")
        number = asked.get("number")
        return {"number": number} | answer(run, asked)
    except Exception as error:
        return {"number": number} | _refusal(error)


def _load(path: str, run: str) -> ExplainedRun:
    """The run on its data, with all that a first question would have to wait for."""
    import warnings

    from tacit.app.explain.explained_run import explained_run
    from tacit.errors import TacitWarning

    warnings.simplefilter("ignore", TacitWarning)  # who fitted it has heard them
    loaded = explained_run(Path(path), run)
    for function in loaded.functions:
        own = loaded.instances(function)
        loaded.explain(own.ids[0].as_py(), function)
    return loaded


def _refusal(error: Exception) -> dict[str, Any]:
    """Why there is no answer."""
    from tacit.app.console import flat

    if isinstance(error, TacitError):
        each = flat(error)
        remedy = next((one.remedy for one in each if one.remedy), None)
        return {"error": "; ".join(one.message for one in each[:3]), "remedy": remedy}
    return {
        "error": f"{type(error).__name__}: {error}",
        "remedy": "this is a mistake in tacit, not in your files; please report it",
    }


def _own_output() -> IO[str]:
    """The output for answers alone; what the project's Python code prints goes elsewhere."""
    own = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own


def _lines() -> Iterator[str]:
    """The lines of the input; at its end the process ends, whatever it is doing then."""
    waiting: SimpleQueue[str] = SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            waiting.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield waiting.get()


def _write(file: IO[str], value: Json) -> None:
    file.write(json.dumps(value, allow_nan=False) + "\n")
    file.flush()
