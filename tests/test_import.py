"""Importing tacit is quick and loads nothing heavy."""

import json
import subprocess
import sys

HEAVY = ["torch", "transformers", "starlette", "pyspark", "pandas", "polars", "duckdb", "numba"]
PROBE = """
import json, sys, time
begun = time.perf_counter()
import tacit
seconds = time.perf_counter() - begun
[getattr(tacit, name) for name in tacit.__all__]
print(json.dumps({"seconds": seconds, "modules": sorted(sys.modules)}))
"""


def probe() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_import_is_quick_and_light() -> None:
    results = [probe() for _ in range(3)]
    assert min(float(str(result["seconds"])) for result in results) < 0.6
    modules = results[0]["modules"]
    assert isinstance(modules, list)
    assert not set(HEAVY) & set(modules)


def test_unknown_names_are_attribute_errors() -> None:
    import tacit

    assert not hasattr(tacit, "no_such_name")
    assert set(tacit.__all__) <= set(dir(tacit))
