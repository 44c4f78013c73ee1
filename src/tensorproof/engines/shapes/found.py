"""What propagation finds out about a graph, and how two findings about one value are joined."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tensorproof.graph import Constant, DeclaredShape
from tensorproof.ops.record import Requirement
from tensorproof.program.recorder import Recorder
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Dim, Origin, symbol
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Place:
    """One node as it was met: the line of its file (0 when it has none), its operation, and its inputs with the nodes that they come from."""

    line: int
    spelling: str
    scope: str
    """The calls that lead to the graph that it stands in, `call/`, empty for the outermost."""
    inputs: tuple[tuple[str, TensorType | None], ...] = ()
    branches: tuple[str, ...] = ()
    """The branches that must be taken to come here, where the graph does not say which are."""
    traced: str = ""
    """The line of a program that it was made from, `FILE:LINE`."""

    def __repr__(self) -> str:
        given = ", ".join("none" if value is None else f"{name} {value.shape!r}" for name, value in self.inputs)
        return f"{self.spelling}({given})"


@dataclass(slots=True)
class Found:
    """`outputs` holds the results of every node; the rest says what was not understood or must hold, by node name.

    `gaps` counts operations without a spelling; `unknown` tells why a known operator could not say its result. `program` is the program form:
    what the nodes compute, with joins and loops. `places` holds the nodes that one of the others names.
    """

    outputs: dict[str, tuple[TensorType, ...]] = field(default_factory=dict[str, tuple[TensorType, ...]])
    gaps: Counter[str] = field(default_factory=Counter[str])
    unknown: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    refused: list[tuple[str, Requirement]] = field(default_factory=list[tuple[str, Requirement]])
    requirements: list[tuple[str, Requirement]] = field(default_factory=list[tuple[str, Requirement]])
    missing: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The nodes without a spelling."""
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    program: Recorder = field(default_factory=Recorder)
    calls: int = 0
    entered: set[str] = field(default_factory=set[str])
    """The functions that were entered."""
    sources: list[tuple[str, TensorType]] = field(default_factory=list[tuple[str, TensorType]])
    """The inputs and weights of an exported program as they were before anything wrote into them."""
    circular: list[str] = field(default_factory=list[str])
    """The nodes that wait for their own results."""
    constants: list[tuple[str, TensorType, Constant]] = field(default_factory=list[tuple[str, TensorType, Constant]])
    """The constants of the file whose elements are not known here, with the nodes that hold them."""

    def include(self, inner: Found) -> None:
        """Add what was found inside a function or a branch; its values stay its own."""
        self.gaps.update(inner.gaps)
        self.unknown.extend(inner.unknown)
        self.refused.extend(inner.refused)
        self.requirements.extend(inner.requirements)
        self.missing.extend(inner.missing)
        self.places.update(inner.places)
        self.program.records += inner.program.records
        self.calls += inner.calls
        self.entered |= inner.entered
        self.constants += inner.constants
        self.circular += inner.circular


def declared(shape: DeclaredShape, name: str, origin: Origin = Origin.USER) -> Shape:
    """A shape as a file declares it. Axes of one name are one symbol; an axis that is not said is a symbol of this place. What is fed is not empty."""
    if shape.axes is None:
        return unknown_shape(name)
    least = int(origin is Origin.USER)
    named = [axis if axis is not None else f"{name}[{i}]" for i, axis in enumerate(shape.axes)]
    return Shape(symbol(axis, least, origin=origin) if isinstance(axis, str) else axis for axis in named)


def not_known(name: str, dtype: DType | None, framework: str) -> TensorType:
    return TensorType(unknown_shape(name), dtype, framework=framework)


def join(a: TensorType, b: TensorType, name: str) -> TensorType:
    """What holds for both: axes that differ become symbols of this place, so that joining again changes nothing."""
    if a == b:
        return a
    dtype = a.dtype if a.dtype is b.dtype else None
    contents = a.contents if a.contents == b.contents else None
    return TensorType(join_shapes(a.shape, b.shape, name), dtype, contents=contents, framework=a.framework)


def join_shapes(a: Shape, b: Shape, name: str) -> Shape:
    if a == b:
        return a
    if not a.known or not b.known or len(a) != len(b):
        return unknown_shape(name)
    return Shape(_join_axis(x, y, f"{name}[{i}]") for i, (x, y) in enumerate(zip(a, b)))


def _join_axis(a: Dim, b: Dim, name: str) -> Dim:
    return a if a == b else symbol(name, origin=Origin.UNMODELLED)
