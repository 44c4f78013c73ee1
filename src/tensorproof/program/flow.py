"""What the records of a program form compute from what, by the identities of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensorproof.program.form import Computed, Differentiated, Join, Loop, Record, Same, Slice, Stack
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """`results` are computed from `operands`; `computed` is the applied operator, where one is."""

    operands: tuple[TensorType, ...]
    results: tuple[TensorType, ...]
    computed: Computed | None = None


def steps(records: Sequence[Record]) -> Iterator[Step]:
    """The steps in the order of the records, those of a loop's body once. What a loop carries comes before and after its body."""
    for one in records:
        if isinstance(one, Computed):
            yield Step(tuple(tensors_of(one)), one.applied.results, one)
        elif isinstance(one, Same):
            yield Step((one.source,), (one.result,))
        elif isinstance(one, Join):
            yield Step(_known(one.options), (one.result,))
        elif isinstance(one, Slice):
            yield Step((one.whole,), (one.item,))
        elif isinstance(one, Stack):
            yield Step((one.item,), (one.whole,))
        elif isinstance(one, Differentiated):
            yield Step((*one.targets, *one.sources), one.results)
        elif isinstance(one, Loop):
            yield from _loop(one)


def _loop(one: Loop) -> Iterator[Step]:
    starts = [Step(_known((*c.before, *c.end)), _known((c.start,))) for c in one.carried]
    yield from starts
    yield from steps(one.body)
    yield from starts
    yield from (Step(_known((*c.before, *c.end)), _known((c.after,))) for c in one.carried)


def _known(tensors: Sequence[TensorType | None]) -> tuple[TensorType, ...]:
    return tuple(t for t in tensors if t is not None)


def tensors_of(one: Computed) -> Iterator[TensorType]:
    """The tensors among the arguments of an applied operator."""
    for value in one.applied.arguments.values():
        if isinstance(value, TensorType):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (t for t in value if isinstance(t, TensorType))


def reached(links: dict[int, list[int]], start: set[int]) -> set[int]:
    """All identities that links lead to, those of the start among them."""
    found, waiting = set(start), list(start)
    while waiting:
        for other in links.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found
