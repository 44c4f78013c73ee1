"""The records of the program form, in the order in which the program computes.

A value is the identity of its tensor: a tensor that no record makes is an input, a constant (`TensorType.contents`), or unknown. Records hold the tensors
that they speak of, so an identity is not used twice. Both sides of a branch stand in the sequence, each step under its conditions, and the `Join` after
them; iterations that were followed one by one stand one after the other, and all other iterations are a `Loop`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.span import Span
from tensorproof.ops.applied import Applied
from tensorproof.terms.predicates import Predicate, Truth
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """An operator was applied, here, where these conditions hold."""

    applied: Applied
    span: Span
    conditions: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """`result` is another description of the elements of `source`."""

    source: TensorType
    result: TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """`result` is one of `options`; with two options, the first where `condition` holds. None is a value that is not known."""

    result: TensorType
    options: tuple[TensorType | None, ...]
    condition: Truth | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """`item` is one of the slices of `whole` along an axis: what one iteration gets of a sequence."""

    whole: TensorType
    item: TensorType
    axis: int


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """`whole` has, along an axis, the `item` of each iteration."""

    item: TensorType
    whole: TensorType
    axis: int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """`tensor` comes from outside of the program: `role` says what it is ("image", "label", …), `low` and `high` between which numbers it lies."""

    tensor: TensorType
    role: str
    low: float
    high: float
    span: Span | None = None
    drawn: bool = False
    """Whether the numbers are drawn at random: that a certain one is met is not sure."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The program branches on a tensor of one element: `truth` stands for it in conditions."""

    tensor: TensorType
    truth: Predicate


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """Something that is not in the form wrote into this tensor, such as an optimizer's step: its elements may be any from here on."""

    tensor: TensorType
    before: TensorType | None = None
    """What described its elements until then, where that is another tensor."""


@dataclass(frozen=True, slots=True, eq=False)
class Differentiated:
    """Derivatives of `targets` are computed, by `sources` and by parameters; `results` are those that the program gets."""

    targets: tuple[TensorType, ...]
    sources: tuple[TensorType, ...] = ()
    results: tuple[TensorType, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """What a loop carries from one iteration to the next, in one place of memory.

    An iteration begins with `start`, which is one of `before` in the first and one of `end` in the others. After the last it is called `after`.
    `start` may be the same tensor as one of `before`: inside of the body it is the carried value. None is a value that is not known.
    """

    before: tuple[TensorType | None, ...]
    start: TensorType | None
    end: tuple[TensorType | None, ...]
    after: TensorType | None


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Any number of iterations, each of which computes `body`. What the body computes may be read after the loop: it is then that of the last iteration."""

    body: tuple[Record, ...]
    carried: tuple[Carried, ...]
    span: Span
    runs: bool = True
    """Whether there is at least one iteration."""
    most: float = math.inf
    """How many iterations there are at most."""


Record = Computed | Same | Join | Slice | Stack | Source | Asked | Changed | Differentiated | Loop | Gap
"""A `Gap` is something that the front end did not follow: it may compute or write anything that it can reach."""


def computed(records: Sequence[Record]) -> Iterator[Computed]:
    """All applied operators, those inside of loops once."""
    for one in records:
        if isinstance(one, Computed):
            yield one
        elif isinstance(one, Loop):
            yield from computed(one.body)


def written(records: Sequence[Record]) -> set[int]:
    """The identities to which records give values."""
    found: set[int] = set()
    for one in records:
        if isinstance(one, Computed):
            found.update(map(id, one.applied.results))
        elif isinstance(one, (Same, Join)):
            found.add(id(one.result))
        elif isinstance(one, Slice):
            found.add(id(one.item))
        elif isinstance(one, Stack):
            found.add(id(one.whole))
        elif isinstance(one, (Changed, Source)):
            found.add(id(one.tensor))
        elif isinstance(one, Loop):
            found |= written(one.body) | {id(c.after) for c in one.carried if c.after is not None}
    return found
