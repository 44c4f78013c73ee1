"""What is known of one tensor: shape, element type, device, and the exact contents where they are small and known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import FLOAT32, DType
from tensorproof.terms.facts import Facts, of_each, of_numbers
from tensorproof.terms.gradient import Gradient
from tensorproof.terms.records import changed, dataclass
from tensorproof.terms.shapes import Dim, Shape

MOST_CONTENTS = BUDGETS.containers.contents


_BESIDE = frozenset(["base", "device", "framework", "grad", "graph", "history", "parameter", "requires_grad", "start", "strides", "weak"])
"""What a description says of a tensor beside its elements."""


class Storage:
    """The memory that a tensor shares with its views. Where two tensors lie makes them no different: every storage equals every other, and None."""

    __slots__ = ("space",)

    def __init__(self, space: Any = None) -> None:
        self.space = space

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Storage)

    def __hash__(self) -> int:
        return hash(None)


SOMEWHERE = Storage()
"""The memory of a view of a tensor whose own memory nothing follows."""


class Start:
    """Where a view begins in the memory that it shows, in elements; None where that is not known. It makes two tensors no different."""

    __slots__ = ("at",)

    def __init__(self, at: Dim | None) -> None:
        self.at = at

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Start)

    def __hash__(self) -> int:
        return hash(None)


class Graph:
    """A function that TensorFlow traces. Which graph a tensor belongs to makes it no different: every graph equals every other, and None."""

    __slots__ = ("open", "word")

    def __init__(self, word: str) -> None:
        self.word = word
        self.open = True
        """Whether the function is still being traced: later its tensors are of no use."""

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Graph)

    def __hash__(self) -> int:
        return hash(None)


class History:
    """How a tensor of TensorFlow came about, for its tapes. It makes two tensors no different: every history equals every other, and None."""

    __slots__ = ("own", "parents", "part", "tapes", "unsure")

    def __init__(self, parents: tuple[History, ...] = (), tapes: frozenset[int] = frozenset(), unsure: bool = False, part: bool = False) -> None:
        self.parents = parents
        """The histories of what it was computed from, as far as a derivative goes through."""
        self.tapes = tapes
        """The tapes that recorded this, or that watch it."""
        self.unsure = unsure
        """Whether it was also computed from something whose history is not known."""
        self.part = part
        """Whether it was cut out of a variable, as `v[0]` is: TensorFlow gives such a tensor the method `assign`."""
        self.own: object = None
        """The program's own function that gives its gradient, where it has one."""

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, History)

    def __hash__(self) -> int:
        return hash(None)


class OfVariable(History):
    """That of a `tf.Variable`, which is no weight of a Keras layer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TensorType:
    """One abstract tensor.

    `weak` marks a Python number that became a tensor operand: it yields to the other operands in promotion.
    `contents` holds the elements, flat and in row-major order, when all are known and few (ints may be symbolic terms).
    `strides` is None for "row-major contiguous"; else a tuple of terms, or `UNKNOWN_STRIDES` when it is unknown.
    `layout` is "strided", "sparse_coo", "sparse_csr" ... as torch names them.
    """

    shape: Shape
    dtype: DType | None = FLOAT32
    weak: bool = False
    device: str | None = None
    contents: tuple[Any, ...] | None = None
    strides: tuple[Dim, ...] | None = None
    layout: str = "strided"
    requires_grad: bool = False
    parameter: bool = False
    """Whether it is an `nn.Parameter`: a module that gets it as an attribute registers it."""
    framework: str = "torch"
    """Whose tensor it is: its methods and operators follow that framework's rules."""
    base: Storage | None = None
    """The memory that it may share with others. An operator gives a view the base of what it shows, and a new tensor none: the front end gives it one."""
    taped: int = 0
    """Its number in a graph whose steps are recorded (libraries/tape.py), 0 when it belongs to none: two such tensors are never equal, nor joined."""

    grad: Gradient | None = None
    """What autograd knows of it; None where no operator made it."""

    facts: Facts | None = None
    """What is known of its elements, of no account in comparisons."""

    graph: Graph | None = None
    """The function of TensorFlow in whose graph it stands for values; None for a tensor that has them."""

    history: History | None = None
    """What the tapes of TensorFlow know of it; None where that is not followed."""

    start: Start | None = None
    """Where it begins in the memory of the tensor that it is a view of; None at its first element."""

    def but(self, **changes: Any) -> TensorType:
        """The same tensor, described otherwise. Where its elements may be others, what was known of them is not."""
        if self.facts is not None and "facts" not in changes and (not changes.keys() <= _BESIDE or changes.get("parameter")):
            changes["facts"] = None
        return changed(self, changes)

    @property
    def known(self) -> Facts | None:
        """What is known of its elements, of exact contents too."""
        if self.facts is not None or not self.contents or not all(type(v) is int for v in self.contents):
            return self.facts
        return of_numbers((v, v + 1) for v in self.contents)

    def sized(self, shape: Shape, **changes: Any) -> TensorType:
        """A tensor of another shape with elements like these: what is known of each of them stays known."""
        return self.but(**{"shape": shape, "contents": None, "facts": of_each(self.known), **changes})

    @property
    def rank(self) -> Dim:
        return self.shape.rank

    def __repr__(self) -> str:
        return f"{self.dtype}{self.shape}"


class Outputs(tuple[Any, ...]):
    """Several results of one call, with the names by which they may be asked for (`.values`, `.indices`)."""

    names: tuple[str, ...] = ()

    @classmethod
    def named(cls, items: Iterable[Any], names: Iterable[str]) -> Outputs:
        made = cls(items)
        made.names = tuple(names)
        return made

    def like(self, items: Iterable[Any]) -> Outputs:
        """Other results in the same dress."""
        made = type(self)(items)
        made.__dict__.update(self.__dict__)
        return made


UNKNOWN_STRIDES: tuple[Dim, ...] = (-(1 << 62),)
