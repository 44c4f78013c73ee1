"""The functions that are rows of `results.txt`, and the libraries of which every name is quiet: plots, logs, trackers, terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tensorproof.libraries import Run, quiet
from tensorproof.libraries.results import gives, rows


@cache
def _model(name: str) -> Run:
    home, _, word = name.rpartition(".")
    return gives(rows()[""][home][word], name)


class _Functions(Mapping[str, Run]):
    """The rows by their functions' names; a model is made when one is asked for, as most of them never are."""

    def __getitem__(self, name: str) -> Run:
        return _model(name)

    def __iter__(self) -> Iterator[str]:
        return (f"{home}.{word}" for home, words in rows()[""].items() if home != "*" for word in words)

    def __len__(self) -> int:
        return sum(1 for _ in self)


FUNCTIONS = _Functions()
SPEAKS_FOR = tuple(rows()[""]["*"])


def others(name: str) -> Run | None:
    """Any other name of these libraries is a function without effect."""
    return quiet
