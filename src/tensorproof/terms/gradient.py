"""What autograd knows of one tensor: whether it requires a gradient, whether it is a leaf, which graph made it, and the version of its memory.

These are facts beside the shape: two tensors that differ in them alone are equal. A fact says itself what it has in common with another (`joined`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

_NUMBERS = count(1)


class Fact:
    """Something known beside the values: every fact of a kind equals every other, and None."""

    __slots__ = ()
    lasting = False
    """Whether an iteration that changed it leaves something to the next one that may make it fail."""

    def __eq__(self, other: object) -> bool:
        return other is None or type(other) is type(self)

    def __hash__(self) -> int:
        return hash(None)

    def joined(self, other: Any) -> Any:
        """What holds of a value that is one of two."""
        raise NotImplementedError


class Version(Fact):
    """One state of a tensor's memory, or one of several."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: frozenset[int] | None = None) -> None:
        self._numbers = numbers

    @property
    def numbers(self) -> frozenset[int]:
        """Of the states that it may be. One that is never compared needs none."""
        if self._numbers is None:
            self._numbers = frozenset((next(_NUMBERS),))
        return self._numbers

    def joined(self, other: Any) -> Version:
        return self if other is self else Version(self.numbers | other.numbers)

    def is_later(self, saved: Version) -> bool | None:
        """Whether something was written since `saved`; None when that is not known."""
        if self is saved:
            return False
        return None if self.numbers & saved.numbers else True


class State(Fact):
    """True, False, or None for unknown, which a join keeps where both agree."""

    __slots__ = ("value",)

    def __init__(self, value: bool | None) -> None:
        self.value = value

    def joined(self, other: Any) -> State:
        return self if self.value is other.value else UNDECIDED


YES, NO, UNDECIDED = State(True), State(False), State(None)


class Use(State):
    """Whether the saved tensors of a graph were freed."""

    __slots__ = ()
    lasting = True

    def joined(self, other: Any) -> State:
        return self if self.value is other.value else PERHAPS_FREED


FREED, WHOLE, PERHAPS_FREED = Use(True), Use(False), Use(None)


class Saved:
    """A tensor that a backward function needs: its memory and the version at which it was saved."""

    __slots__ = ("cell", "line", "state", "sure", "version", "what")

    def __init__(self, state: Gradient, sure: bool, what: str, line: int) -> None:
        self.state, self.cell, self.sure, self.what, self.line = state, state.cell, sure, what, line
        self.version: Version = state.cell["version"]


class Node:
    """An applied operator in the graph. `keeps` says whether its backward function needs something that is freed after use; `cell["freed"]` whether it was.
    `again` says whether the gradient that it gives requires one in turn. An `either` node is one of its parents."""

    __slots__ = ("again", "cell", "either", "keeps", "line", "name", "parents", "saved")

    def __init__(self, name: str, parents: tuple[Gradient, ...], saved: tuple[Saved, ...], keeps: bool | None, cell: Any, line: int) -> None:
        self.name, self.parents, self.saved, self.keeps, self.cell, self.line = name, parents, saved, keeps, cell, line
        self.either = False
        self.again: bool | None = False if keeps is False else None


class Gradient(Fact):
    """The autograd state of a tensor.

    `requires` and `leaf` are True, False or None (unknown). `cell` is the record that it shares with its views: the version of the memory.
    `own` is the record of the tensor itself: whether `.grad` is there, and its hooks. `base` is the tensor that it is a view of, `shown` the state of
    the base at that time. `each`: it is one of several views that one call made, or a view of one, which cannot be written while gradients are recorded.
    """

    __slots__ = ("base", "cell", "each", "inference", "leaf", "node", "own", "requires", "shown")

    def __init__(
        self, requires: bool | None, leaf: bool | None, cell: Any, own: Any, node: Node | None = None, base: Any = None, shown: Gradient | None = None,
        inference: bool = False, each: bool = False,
    ) -> None:  # fmt: skip
        self.requires, self.leaf, self.cell, self.own, self.node = requires, leaf, cell, own, node
        self.base, self.shown, self.inference, self.each = base, shown, inference, each

    def but(self, **changes: Any) -> Gradient:
        held = {name: getattr(self, name) for name in self.__slots__}
        return Gradient(**{**held, **changes})

    def joined(self, other: Any) -> Gradient | None:
        if other is None or other is self:
            return self if other is self else None
        node = self.node
        if self.node is not other.node:
            node = Node("branch", (self, other), (), False, None, 0)
            node.either = True
        return Gradient(
            self.requires if self.requires is other.requires else None, self.leaf if self.leaf is other.leaf else None,
            self.cell, self.own, node, self.base if self.base is other.base else None, self.shown if self.base is other.base else None,
            self.inference and other.inference, self.each and other.each,
        )  # fmt: skip


def joined(a: Gradient | None, b: Gradient | None) -> Gradient | None:
    """The autograd state of a tensor that is one of two."""
    return a if a is b else None if a is None or b is None else a.joined(b)


def reached(state: Gradient) -> Iterator[Node]:
    """The graph behind a tensor, as far as it is one on every path."""
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        node = waiting.pop().node
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting += () if node.either else node.parents
