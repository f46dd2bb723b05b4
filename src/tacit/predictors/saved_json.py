"""Small facts of a saved predictor: a JSON file that says which format it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacit.errors import BadFile


def write_json(path: Path, version: int, content: dict[str, Any]) -> None:
    """Write content, with the version of its format; the folder is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": version} | content, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path, version: int) -> dict[str, Any]:
    """Content as it was written, in a format up to this version."""
    try:
        content = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from None
    found = content.pop("format", None)
    if not isinstance(found, int) or not 1 <= found <= version:
        raise BadFile(
            f"{path} has the format {found}; this version of tacit reads up to {version}",
            remedy="pip install --upgrade tacit",
        )
    return content
