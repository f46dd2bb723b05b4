"""`tacit review`: started, visited, stopped, killed and started again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tacit.app.review.run import Plan, ReviewOptions, _learning, _tell
from tacit.app.web.server import address_of, is_loopback, listen
from tacit.errors import BadInput
from tests.app.conftest import Run, command
from tests.app.growing import write_growing_project

Served = Callable[..., "Server"]


class Server:
    """A running `tacit review`, and a browser that has come in."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()
        self.told: dict[str, Any] = json.loads(line)
        self.address: str = self.told["address"]
        self.origin = self.address.partition("/?")[0]
        self.browser = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar()), urllib.request.ProxyHandler({})
        )
        self.browser.open(self.address).close()

    def get(self, path: str) -> str:
        with self.browser.open(self.origin + path) as answer:
            return answer.read().decode()

    def question(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.get("/question.json"))
        return found

    def answer(self, choice: str) -> None:
        page = self.get("/")
        csrf = page.split('name="csrf" value="')[1].split('"')[0]
        form = {"csrf": csrf, "question": self.question()["question"]["id"], "choice": choice}
        self.browser.open(self.origin + "/answer", urlencode(form).encode()).close()

    def until(self, state: str) -> dict[str, Any]:
        begun = time.monotonic()
        while (found := self.question())["state"] != state:
            assert time.monotonic() - begun < 60, found
            assert found["state"] != "failed", found
            time.sleep(0.05)
        return found

    def end(self, by: int = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(by)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


@pytest.fixture
def served() -> Iterator[Served]:
    servers: list[Server] = []

    def start(*arguments: object, cwd: Path) -> Server:
        quiet = ("review", "--no-open", "--json", "--port", 0)
        servers.append(Server(command(*quiet, *arguments, cwd=cwd)))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.communicate()


def extractions(folder: Path, n: int = 4) -> tuple[str, ...]:
    for name in ("a", "b"):
        rows = [f"s{k},drug {k} treats it well in many of the patients,drug {k}" for k in range(n)]
        (folder / f"{name}.csv").write_text("id,text,drug\n" + "\n".join(rows) + "\n")
    return ("--judge", "ours=a.csv", "--judge", "theirs=b.csv", "--sample", str(n))


def test_judging_from_start_to_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: Served, run: Run
) -> None:
    """Answered, refused to a second server, killed, gone on with, stopped, counted."""
    judge = extractions(tmp_path, 6)
    monkeypatch.chdir(tmp_path)
    server = served(*judge, cwd=tmp_path)
    assert server.told["ledger"] == "judgements.sqlite"
    assert server.origin.startswith("http://127.0.0.1:")
    for _ in range(3):
        server.answer("right")
    shown = server.question()["question"]["id"]
    second = run("review", *judge, "--no-open", "--port", 0)
    assert second.code == 2
    assert server.address in second.err
    server.end(signal.SIGKILL)
    again = served("--ledger", "judgements.sqlite", cwd=tmp_path)  # goes on without the files
    assert again.question()["question"]["id"] == shown
    assert again.question()["progress"]["answered"] == 3
    while again.question()["question"] is not None:
        again.answer("wrong")
    code, err = again.end()
    assert code == 0
    assert "Traceback" not in err
    table = run("review", "--table", "--json").json
    assert [(row["right"], row["wrong"]) for row in table["systems"]] == [(3, 3), (3, 3)]
    assert not list(tmp_path.glob(".*.lock"))


def test_read_only_needs_a_ledger(tmp_path: Path, run: Run) -> None:
    (tmp_path / "data").mkdir()
    write_growing_project(tmp_path)
    refused = run("review", tmp_path, "--read-only", "--no-open")
    assert refused.code == 2
    assert "no ledger" in refused.err


def test_what_is_planned(project: Path) -> None:
    plan = _learning(project, ReviewOptions())
    assert plan.learning is not None
    assert plan.learning[-4:] == ("--budget", "20", "--predictor", "linear")
    assert (plan.name, plan.budget) == ("small", 20)
    settings = (project / "tacit.toml").read_text()
    (project / "tacit.toml").write_text(settings + "[grow]\nbudget = 7\n")
    assert _learning(project, ReviewOptions()).budget == 7
    assert _learning(project, ReviewOptions(budget=3)).budget == 3
    assert _learning(project, ReviewOptions(read_only=True)).learning is None


@pytest.mark.parametrize("arguments", [["--predictor", "magic"], ["--port", "99999"], ["nowhere"]])
def test_mistakes_are_told_at_once(project: Path, run: Run, arguments: list[str]) -> None:
    assert run("review", "--no-open", *arguments).code == 2


@pytest.mark.slow
def test_growing_with_answers(tmp_path: Path, served: Served) -> None:
    """The whole: the worker asks, answers are taken up, a killed server's run goes on."""
    (tmp_path / "data").mkdir()
    write_growing_project(tmp_path)
    server = served("--budget", 3, cwd=tmp_path)
    asked = server.until("question")["question"]["feature"]
    server.answer("reject")
    after = server.until("question")["question"]["feature"]
    assert after != asked
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.communicate()
    again = served("--budget", 3, cwd=tmp_path)
    assert again.until("question")["question"]["feature"] == after
    again.answer("pos")
    again.until("question")
    again.answer("pos")
    done = again.until("done")
    assert done["progress"]["answered"] == 3
    assert {rule["by"] for rule in done["summary"]["rules"]} >= {again.question()["who"]}
    assert (tmp_path / "grown.tacit").exists()
    code, err = again.end()
    assert code == 0
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_project_with_a_mistake_is_told_on_the_page(tmp_path: Path, served: Served) -> None:
    (tmp_path / "data").mkdir()
    write_growing_project(tmp_path)
    rules = (tmp_path / "rules.tacit").read_text()
    (tmp_path / "rules.tacit").write_text(rules + "bad: 1.0 tokn(r, 1) => sentiment(r) = pos\n")
    server = served(cwd=tmp_path)
    begun = time.monotonic()
    while (found := server.question())["state"] != "failed":
        assert time.monotonic() - begun < 30, found
        time.sleep(0.05)
    assert "tokn" in found["worker"]["line"]
    assert "tokn" in server.get("/")
    _, err = server.end()
    assert "learning has stopped" in err


@pytest.mark.parametrize(("host", "is_warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_other_addresses_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], host: str, is_warned: bool
) -> None:
    plan = Plan(name="films", ledger=tmp_path / "ledger.sqlite", again="tacit review films")
    options = ReviewOptions(host=host, opens_browser=False)
    _tell(plan, options, "http://somewhere/?token=t", as_json=False)
    told = capsys.readouterr()
    assert "http://somewhere/?token=t" in told.out
    assert "Ctrl-C" in told.out
    assert ("can be reached from other machines" in told.err) is is_warned


def test_ports() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"port {port}"):
            listen("127.0.0.1", port)
    with listen("127.0.0.1", None) as usual, listen("127.0.0.1", None) as other:
        assert usual.getsockname()[1] < other.getsockname()[1] < 8700
    for host in ("no.such.host.example", "", "203.0.113.7"):
        with pytest.raises(BadInput, match="no address of this machine"):
            listen(host, 0)


def test_addresses() -> None:
    assert address_of("http://127.0.0.1:1", "t") == "http://127.0.0.1:1/?token=t"
    name = socket.gethostname().lower()
    assert address_of("http://0.0.0.0:1", "t") == f"http://{name}:1/?token=t"
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [
        True
    ] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.1", "lab")] == [False] * 4


def test_without_the_packages_for_pages(
    project: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    told = run("review")
    assert told.code == 2
    assert "pip install 'tacit[web]'" in told.err
