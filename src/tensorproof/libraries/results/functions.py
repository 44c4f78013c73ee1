"""The functions that are rows of `results.txt`, and the libraries of which every name is quiet: plots, logs, trackers, terminals."""

from __future__ import annotations

from tensorproof.libraries import Run, quiet
from tensorproof.libraries.results import of_owner, rows

FUNCTIONS: dict[str, Run] = {f"{home}.{name}": run for home in rows()[""] if home != "*" for name, run in of_owner("", home).items()}
SPEAKS_FOR = tuple(rows()[""]["*"])


def others(name: str) -> Run | None:
    """Any other name of these libraries is a function without effect."""
    return quiet
