"""A place in a source file."""

from __future__ import annotations

from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Lines and columns count from 1; the end column is one past the last character."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    node: str = ""
    """The node of a saved graph that this is, with the calls that lead to it (`call/node`)."""
