"""Run as ``python -m tools.make_samples [--out DIR]`` from the root of the repository."""

import argparse
from pathlib import Path

from .oncology import write_oncology
from .reviews import write_reviews

DEFAULT_OUT = Path("src/tacit/data/samples")


def main() -> None:
    """Write the tables of both samples."""
    parser = argparse.ArgumentParser(prog="python -m tools.make_samples", description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder to write into")
    out: Path = parser.parse_args().out
    write_reviews(out / "reviews")
    write_oncology(out / "oncology")


if __name__ == "__main__":
    main()
