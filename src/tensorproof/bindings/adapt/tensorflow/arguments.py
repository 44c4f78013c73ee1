"""What the functions of `tf` share: kinds of arguments, a shape as it is given, the real type of a complex one."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow.shared import somewhere, vector
from tensorproof.bindings.adapters import Run, Value
from tensorproof.ops.inputs import Choice, ElementType, Int, Ints
from tensorproof.terms import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, DType, Shape, TensorType, dataclass, ge

SIZE = Ints("size", shape=True, loose=True, least=0)
DTYPE = ElementType("dtype")
COMPLEX_OF = {FLOAT32: COMPLEX64, FLOAT64: COMPLEX128}


@dataclass(frozen=True, slots=True)
class Loosely(Int):
    """A whole number as a rule, though anything is looked at."""

    def takes(self, value: Value) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Holes(Ints):
    """Sizes, some of which may be None."""

    def takes(self, value: Value) -> bool:
        return value is None or isinstance(value, (tuple, list, TensorType))


@dataclass(frozen=True, slots=True)
class Nothing(Choice):
    """None; a call with anything else is that of another row."""

    def takes(self, value: Value) -> bool:
        return value is None


@dataclass(frozen=True, slots=True)
class Among(ElementType):
    """One of these element types; a call with another one is that of another row."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, DType) and value in self.dtypes


def as_shape(run: Run, value: Value) -> Shape:
    size = vector(run, value, "size")
    if size is None:
        return somewhere(run)
    for n in size:
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return Shape(run.fresh("size") if n is None else n for n in size)
