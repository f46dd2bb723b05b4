"""The benchmarks run, and say what they promise to say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.grounding import growth
from benchmarks.grounding_psl import PeerAbsent, peer_python, read_log

ROOT = Path(__file__).parent.parent
LOG = """\
2852 [main] INFO  org.linqs.psl.application.inference.InferenceApplication  - Grounding out model.
3558 [main] INFO  org.linqs.psl.application.inference.InferenceApplication  - Grounding complete.
3558 [main] DEBUG org.linqs.psl.application.inference.InferenceApplication  - Generated 100 terms.
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_grounding_ends_with_one_json_object() -> None:
    command = [sys.executable, "-m", "benchmarks.grounding", "--quick", "--json", "--sizes", "300"]
    command += ["--peer-python", "nowhere"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
    assert report["left_out"] == []
    assert [record["case"] for record in report["cases"]] == ["unary", "pair", "group", "three_way"]
    for record in report["cases"]:
        assert record["groundings"] >= record["factors"] > 0
        assert record["ratio_vs_raw_join"] > 0
        assert record["ratio_vs_unmerged_join"] > 0
        assert record["memory_ratio"] > 0
    assert report["cases"][0]["queries"] == 1
    assert report["ratio_vs_raw_join"] == report["cases"][1]["ratio_vs_raw_join"]
    assert set(report) >= {"growth", "memory_ratio", "incremental_ratio", "speedup_vs_psl"}
    assert report["psl"] == {"skipped": "there is no Python at nowhere"}
    assert set(report["meanings"]) >= {"ratio_vs_raw_join", "speedup_vs_psl", "incremental_ratio"}


def test_growth_is_the_exponent() -> None:
    records = [{"groundings": n, "seconds": 3e-7 * n**1.25} for n in (10**5, 10**6, 10**7)]
    assert growth(records) == pytest.approx(1.25)
    assert growth(records[:1]) is None


def test_the_log_of_psl_tells_when_it_grounded() -> None:
    grounded = read_log(LOG)
    assert grounded.seconds == (0.706,)
    assert grounded.groundings == 100
    with pytest.raises(PeerAbsent, match="does not tell"):
        read_log("nothing")


def test_a_python_without_psl_is_a_reason() -> None:
    with pytest.raises(PeerAbsent, match="TACIT_PEERS"):
        peer_python(None)
    with pytest.raises(PeerAbsent, match="no pslpython or no Java"):
        peer_python(sys.executable)
