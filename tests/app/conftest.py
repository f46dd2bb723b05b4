"""Projects to try the command line on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tacit.app.cli import main

COMMAND = [sys.executable, "-c", "import sys; from tacit.app.cli import main; sys.exit(main())"]

RULES = """\
label    sentiment(review) = neg | pos
observed token(review, word)
observed lexicon(word, class)
praise:  2.2   token(r, "superb") => sentiment(r) = pos
words:   1.5   token(r, w) & lexicon(w, l) => sentiment(r) = l
"""

SETTINGS = """\
name = "small"
text = "review.text"
[tables]
review = "data/review.csv"
lexicon = "data/lexicon.csv"
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        return answer


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def run_main(*arguments: object) -> Answer:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run_main


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project without mistakes, in the working folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "review.csv").write_text(
        'id,text\nr1,"superb, I loved it"\nr2,an awful film\nr3,so so\n'
    )
    (tmp_path / "data" / "lexicon.csv").write_text("word,class\nloved,pos\nawful,neg\n")
    (tmp_path / "rules.tacit").write_text(RULES)
    (tmp_path / "tacit.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start the installed command in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *(str(argument) for argument in arguments)],
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_command(*arguments: object, cwd: Path, **environment: str) -> Answer:
    """Run the installed command to its end."""
    process = command(*arguments, cwd=cwd, **environment)
    out, err = process.communicate(timeout=60)
    return Answer(process.returncode, out, err)
