"""The records by which a library is modelled: what its functions return, what its classes do for the program's subclasses, what its objects can."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.terms import BUDGETS, Origin, dataclass, field, gt
from tensorproof.values.port import Machine, Value

AT_EXIT = "at exit"
"""Where the machine keeps what runs when the program ends."""
Run = Callable[..., Any]
"""A function's model: `run(machine, args, kwargs, node)`; a method's: `run(machine, self, args, kwargs, node)`."""


@dataclass(frozen=True, slots=True)
class ClassModel:
    """A library class that the program may derive from. A hook that is None is inherited from `bases`."""

    name: str
    bases: tuple[str, ...] = ()
    methods: dict[str, Run] = field(default_factory=dict[str, Run])
    attribute: Run | None = None
    """`attribute(machine, self, name, node)`: what is no method; MISSING when there is none."""
    init: Run | None = None
    call: Run | None = None
    items: Run | None = None
    length: Run | None = None
    item: Run | None = None
    set_item: Run | None = None
    stored: Run | None = None
    """Called after the program has set an attribute: `stored(machine, self, name, value, node)`."""
    made: Run | None = None
    """Called when the program derives a class: `made(machine, cls, keywords, node)` returns the class."""
    construct: Run | None = None
    """Makes an instance in its own way: `construct(machine, cls, args, kwargs, node)`, or MISSING."""
    class_items: Run | None = None
    class_item: Run | None = None
    member: Run | None = None
    """An attribute of the class itself: `member(machine, cls, name)`."""
    closed: bool = True
    """Whether an attribute that is not modelled is an error of the program."""


@dataclass(frozen=True, slots=True)
class KindModel:
    """An object that a library makes; it is a `Model` of this kind."""

    methods: dict[str, Run] = field(default_factory=dict[str, Run])
    attribute: Run | None = None
    set_attribute: Run | None = None
    call: Run | None = None
    items: Run | None = None
    length: Run | None = None
    contains: Run | None = None
    """`contains(machine, self, item, node)`: what `in` says."""
    item: Run | None = None
    set_item: Run | None = None
    iterations: Run | None = None
    """For loops over data: a list of (condition, item); see `frontends/python/loops.py`."""
    next: Run | None = None
    enter: Run | None = None
    leave: Run | None = None
    restores: bool = False
    """Whether leaving it only restores a mode: it catches nothing."""
    truth: Run | None = None
    binary: Run | None = None
    """`binary(machine, word, a, b, node)`: an operator with such an object on either side."""
    text: Run | None = None
    """`text(machine, self)`: what `str` gives."""
    bases: tuple[str, ...] = ()
    """Classes that its objects are instances of."""
    passed: bool = False
    """Whether operators take its objects as they are, since they say nothing of shapes (`generator=g`)."""
    binds: bool = False
    """Whether it is bound like a function when it stands in a class."""
    open: bool = False
    """Whether an attribute that is not modelled is merely unknown."""


class Iterations(list[Any]):
    """The iterations of a loop over data, where it is known how often each comes: `counts[i]` times the i-th.

    Where `times` is given, there are so many regular iterations, of which the k-th takes `item(k)`, and then those of `rest`, each (condition, item).
    """

    times: Any = None
    item: Callable[[Value], Value]
    rest: tuple[Any, ...] = ()
    counted: bool = False
    """Whether all of them may be run one by one, where one does not stand for the others."""

    def __init__(self, items: Any, counts: tuple[int, ...] | None) -> None:
        super().__init__(items)
        self.counts = counts


def all_items(found: list[Any]) -> list[Value] | None:
    """What all iterations take; None where their number is open."""
    times = getattr(found, "times", None)
    if times is None or not isinstance(found, Iterations):
        return None if times is not None else [item for condition, item in found if condition is True]
    counted = isinstance(times, int) and times <= BUDGETS.loops.yields and all(condition is True for condition, _ in found.rest)
    return [*(found.item(k) for k in range(times)), *(item for _, item in found.rest)] if counted else None


def batches(times: Value, item: Callable[[Any], Value], rest: Any = ()) -> Iterations:
    """`times` regular iterations, of which there is at least one, and then the `rest`."""
    ending = list(rest)
    if isinstance(times, int):
        regular = [(True, item(k)) for k in range(min(times, 2))]
        counts = (*((1, times - 1) if times > 1 else (1,) * times), *(1 for _ in ending))
        made = Iterations([*regular, *ending], counts)
    else:
        made = Iterations([(True, item(0)), *ending], None)
    made.times, made.item, made.rest = times, item, tuple(ending)
    return made


class Open(Iterations):
    """The iterations of a loop of unknown number: `times` of them, of which iteration k takes `item(k)`. As a list, the first iteration and any other."""

    def __init__(self, count: Any, item: Callable[[Any], Value], other: Any, each: list[Value] | None = None) -> None:
        super().__init__([(gt(count, 0), item(0)), (gt(count, other), item(other))], None)
        self.times: Any = count
        self.item = item
        self.each = each
        """What each iteration takes, where that is known after all."""


def some_iterations(m: Machine, word: str, item: Value, node: ast.AST, origin: Origin = Origin.USER) -> Open:
    """Iterations over data of unknown length, which hold at least one item."""
    return Open(m.symbol(m.name_here(word, node), 1, None, origin), lambda k: item, 1)


def counts_of(iterations: Value) -> tuple[int, ...] | None:
    """How often each iteration comes; None when that is unknown."""
    return getattr(iterations, "counts", None)
