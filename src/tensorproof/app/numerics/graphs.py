"""Graphs that a program builds before it runs them: what is computed for symbolic inputs while a graph is built says nothing once the graph has run."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.diagnostics.span import Span
from tensorproof.program.flow import Step, steps
from tensorproof.program.form import Computed, Loop, Record, Same


def run_later(records: Sequence[Record]) -> frozenset[int]:
    """The identities of records that build a part of a graph which runs with given inputs as well."""
    if not _has_graph(records):
        return frozenset()
    every = list(steps(records))
    into, out_of = _into_graph(every), _out_of_graph(every)
    symbolic: list[Computed] = []
    ran: set[tuple[Span, str]] = set()
    for step in every:
        if step.computed is None:
            continue
        if any(result.taped or (id(result) in into and id(result) in out_of) for result in step.results):
            symbolic.append(step.computed)
        else:
            ran.add((step.computed.span, step.computed.applied.op.name))
    return frozenset(id(one) for one in symbolic if (one.span, one.applied.op.name) in ran)


def _has_graph(records: Sequence[Record]) -> bool:
    return any(
        one.result.taped if isinstance(one, Same) else isinstance(one, Loop) and _has_graph(one.body) if not isinstance(one, Computed)
        else any(result.taped for result in one.applied.results)
        for one in records
    )  # fmt: skip


def _into_graph(every: Sequence[Step]) -> set[int]:
    """The identities of tensors from which a tensor of a graph is computed."""
    found: set[int] = set()
    for step in reversed(every):
        if any(result.taped or id(result) in found for result in step.results):
            found.update(map(id, (*step.operands, *step.results)))
    return found


def _out_of_graph(every: Sequence[Step]) -> set[int]:
    """The identities of tensors that are computed from a tensor of a graph."""
    found: set[int] = set()
    for step in every:
        if any(operand.taped or id(operand) in found for operand in step.operands):
            found.update(map(id, step.results))
    return found
