"""Graphs that a program builds before it runs them: what is computed for symbolic inputs while a graph is built says nothing once the graph has run."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.diagnostics.span import Span
from tensorproof.program.form import Computed, Record, Same, computed


def run_later(records: Sequence[Record]) -> frozenset[int]:
    """The identities of records that build a part of a graph which runs with given inputs as well."""
    built = {id(one.source) for one in records if isinstance(one, Same) and one.result.taped}
    symbolic: list[Computed] = []
    ran: set[tuple[Span, str]] = set()
    for one in computed(records):
        if any(result.taped or id(result) in built for result in one.applied.results):
            symbolic.append(one)
        else:
            ran.add((one.span, one.applied.op.name))
    return frozenset(id(one) for one in symbolic if (one.span, one.applied.op.name) in ran)
