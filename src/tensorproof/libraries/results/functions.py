"""What is a row of `results.txt`: functions, values, objects of which an attribute may be unknown, and libraries of which every name is quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from tensorproof.libraries import KindModel, Run, quiet
from tensorproof.libraries.results import gives, rows, said, stands_for


class _Rows(Mapping[str, Any]):
    """The rows of one sort by their full names; a model is made when one is asked for, as most of them never are."""

    def __init__(self, sort: str, made: Callable[[str, str], Any]) -> None:
        self.sort = sort
        self.made = cache(made)

    def __getitem__(self, name: str) -> Any:
        home, _, word = name.rpartition(".")
        return self.made(said(self.sort, home)[word], name)

    def __iter__(self) -> Iterator[str]:
        return (f"{home}.{word}" for home, words in rows()[self.sort].items() if home != "*" for word in words)

    def __len__(self) -> int:
        return sum(1 for _ in self)


FUNCTIONS = _Rows("", gives)
VALUES = _Rows("value", stands_for)
KINDS = _Rows("open", lambda kind, name: KindModel(open=True))
SPEAKS_FOR = tuple(said("", "*"))


def others(name: str) -> Run | None:
    """Any other name of these libraries is a function without effect."""
    return quiet
