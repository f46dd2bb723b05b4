"""The process that explains for pages: started when needed, current, and never left behind."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tacit
from tacit.app.explain import explainer as module
from tacit.app.explain.explained_run import explained_run
from tacit.app.explain.explainer import Explainer

from .explained import N, kept_project

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept_project(tmp_path_factory)


@pytest.fixture(scope="module")
def ready(small: Path) -> Iterator[Explainer]:
    """One child for all tests that only ask."""
    explainer = Explainer(small, small / "runs" / "linear")
    yield explainer
    explainer.close()


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def child_of(explainer: Explainer) -> int:
    assert explainer._child is not None
    return explainer._child._process.pid


def test_nothing_is_started_before_it_is_needed(small: Path) -> None:
    explainer = Explainer(small, small / "runs" / "linear")
    assert explainer.status() == {"state": "idle"}
    assert not explainer.is_ready
    explainer.close()  # nothing to end


def test_an_instance_is_explained(ready: Explainer, small: Path) -> None:
    answer = ready.explain("r0", "sentiment")
    run = explained_run(small)
    assert answer == json.loads(json.dumps(run.explain("r0", "sentiment").as_dict()))
    assert answer["text"] == "superb, I <b>loved</b> it 0"
    assert answer["gold"] == "pos"
    assert ready.status() == {"state": "ready"}
    assert ready.is_ready
    turned = ready.explain("r0", "sentiment", label="neg")["explanation"]
    assert turned["log_odds"] == -answer["explanation"]["log_odds"]
    assert ready.explain(2)["function"] == "good"


def test_instances_are_searched(ready: Explainer) -> None:
    answer = ready.search("AWFUL", "sentiment", order="row", most=2, offset=1)
    assert [row["id"] for row in answer["rows"]] == ["r6", "r11"]
    assert (answer["total"], answer["labels"]) == (N // 5, ["neg", "pos"])
    assert ready.search(function="good")["total"] == 3
    by_label = ready.search("", "sentiment", label="neg", order="sure")
    assert {row["label"] for row in by_label["rows"]} == {"neg"}


def test_mistakes_are_answers(ready: Explainer) -> None:
    for asked, error, remedy in [
        ({"instance": "r99"}, "no instance 'r99'", "did you mean"),
        ({"instance": "r1", "label": "pso"}, "pso", "did you mean 'pos'"),
        ({"search": ""}, "which are meant", "--function"),
        ({"search": "", "function": "sentiment", "order": "x"}, "no order 'x'", ""),
        ({"instance": {"a": 1}}, "no instance", ""),
        ({"find": "x"}, "neither an instance nor a search", '{"instance": "r17"}'),
    ]:
        answer = ready.ask(asked)
        assert error in answer["error"]
        assert remedy in (answer["remedy"] or "")
    assert ready.explain("r1")["instance"] == "r1"  # it goes on


def test_threads_get_their_own_answers(ready: Explainer) -> None:
    ids = [f"r{i}" for i in range(N)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: ready.explain(one, "sentiment"), ids))
    assert [answer["instance"] for answer in answers] == ids

    async def together() -> list[dict[str, object]]:
        return await asyncio.gather(*(ready.answer({"instance": one}) for one in ids[:10]))

    assert [answer["instance"] for answer in asyncio.run(together())] == ids[:10]


def test_the_parent_loads_nothing_heavy(small: Path) -> None:
    heavy = "numpy", "pyarrow", "duckdb", "numba", "tacit.learning", "tacit.app.project"
    code = (
        "import sys; from tacit.app.explain.explainer import Explainer; "
        f"e = Explainer({str(small)!r}, 'run'); e.status(); "
        f"print(sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_it_follows_the_project(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure is told and tried again; another fit replaces the run, which is loaded again."""
    project = shutil.copytree(small, tmp_path / "small")
    rules, folder = project / "rules.tacit", project / "runs" / "linear"
    text = rules.read_text()
    rules.write_text(text.replace("2.2", "2.0"))
    explainer = Explainer(project, folder)
    answer = explainer.explain("r3")
    assert "rules.tacit has changed since" in answer["error"]
    assert answer["remedy"].startswith("learn it again: tacit fit ")
    assert explainer.status() == {"state": "failed"} | answer
    rules.write_text(text)
    assert explainer.explain("r3") == answer  # not at once
    monkeypatch.setattr(module, "RETRY_S", 0.0)
    before = explainer.explain("r3", "sentiment")["posterior"]
    assert before == posterior_of(folder, 3)
    first = child_of(explainer)

    loaded = explained_run(project)
    again = tacit.DPL({"sentiment": "linear"}, rounds=1, sharpness=None)
    again.fit(loaded.project.task, loaded.project.program).save(folder)
    assert not explainer.is_ready
    after = explainer.explain("r3", "sentiment")["posterior"]
    assert after == posterior_of(folder, 3)
    assert after != before
    assert child_of(explainer) != first
    wait_until(lambda: not is_running(first))
    explainer.close()
    assert explainer.status() == {"state": "idle"}


def posterior_of(folder: Path, row: int) -> dict[str, float]:
    posterior = tacit.load(folder).posterior_
    assert isinstance(posterior, dict)
    return dict(zip(("neg", "pos"), posterior["sentiment"][row].tolist(), strict=True))


def test_a_child_that_is_killed_is_told(small: Path) -> None:
    explainer = Explainer(small, small / "runs" / "linear")
    explainer.start()
    assert explainer.status() == {"state": "loading"}
    assert not explainer.is_ready
    os.kill(child_of(explainer), signal.SIGKILL)
    answer = explainer.explain("r3")
    assert answer["error"].startswith("the process that explains has ended")
    assert answer["remedy"]
    explainer.close()


def test_patience_has_an_end(small: Path) -> None:
    explainer = Explainer(small, small / "runs" / "linear")
    answer = explainer.ask({"instance": "r3"}, patience=0.01)
    assert "still loading" in answer["error"]
    pid = child_of(explainer)
    explainer.close()  # while it loads
    assert not is_running(pid)


def test_it_dies_with_its_parent(small: Path) -> None:
    """A parent that is killed cannot end its child; the end of the child's input does."""
    code = (
        "import time; from tacit.app.explain.explainer import Explainer\n"
        f"e = Explainer({str(small)!r}, {str(small / 'runs' / 'linear')!r}); e.start()\n"
        "print(e._child._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not is_running(child))
