"""What TensorFlow's spellings share: kinds of argument, what is known of axes and sizes that come as tensors, the names of version 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Call, Run, Value, operator, python_number
from tensorproof.ops.element_types import CONVERTED, promoted
from tensorproof.ops.inputs import Choice, ElementType, Int, Ints, as_size
from tensorproof.terms import (
    COMPLEX64,
    COMPLEX128,
    FLOAT32,
    FLOAT64,
    FLOATS,
    INT32,
    INT64,
    Dim,
    DType,
    Origin,
    Shape,
    TensorType,
    Term,
    broadcast,
    conj,
    dataclass,
    eq,
    ge,
    le,
    lt,
    symbols,
    unknown_shape,
)

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Window(Choice):
    """A number for every axis of an image batch. The generator tries the options; any other list is looked at as well."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, (tuple, list, TensorType)) or (value is None and self.optional)


def somewhere(run: Run, name: str = "out") -> Shape:
    """A shape of unknown rank."""
    run.session.made += 1
    return unknown_shape(f"{name}{run.session.site}#{run.session.made}")


def tensor(shape: Any, dtype: DType | None, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(shape if isinstance(shape, Shape) else Shape(shape), dtype, contents=contents, framework="tf")


def anew(x: TensorType, shape: Value) -> TensorType:
    """A tensor of x's element type and another shape."""
    return tensor(shape, x.dtype)


def with_shape(run: Run, op: str, x: TensorType, shape: Any, **attributes: Any) -> TensorType:
    """An operator of x that keeps its element type, with the shape that static inference tells."""
    return run.shaped(op, shape if isinstance(shape, Shape) else Shape(shape), x.dtype, x=x, **attributes)


def promoted_type(run: Run, **operands: Value) -> DType | None:
    """The common element type of operands, some of which may be Python numbers."""
    given = {name: v if isinstance(v, TensorType) else python_number(v) for name, v in operands.items()}
    return promoted(Call(operator(run.row.op), given, run.session, run.name), tuple(operands))


def broadcast_of(run: Run, shapes: list[Shape], about: tuple[str, ...], code: str = "broadcast") -> Shape:
    """The shape to which these broadcast, which they must."""

    def stated(holds: Value, a: Dim, b: Dim) -> None:
        run.require(code, holds, f"sizes {a!r} and {b!r} do not broadcast: they must be equal, or one of them 1", about)

    return broadcast(shapes, stated)


def of_type(run: Run, x: Value, dtype: DType | None) -> Any:
    """x as elements of this type: cast, where it has another."""
    if not isinstance(x, TensorType) or x.weak or x.dtype is dtype or dtype is None:
        return x
    return run("cast", x=x, dtype=dtype)


def ranked(run: Run, x: TensorType, rank: int, name: str = "x") -> TensorType:
    """x, whose rank must be this; unknown axes become symbols."""
    if x.shape.known:
        run.require("rank", len(x.shape) == rank, f"{name} must have rank {rank}, and has shape {x.shape!r}", (name,))
        return x
    return x.but(shape=Shape(run.fresh(f"{name}.{i}") for i in range(rank)), contents=None)


def at_least(run: Run, x: TensorType, rank: int, name: str = "x") -> None:
    if x.shape.known:
        run.require("rank", len(x.shape) >= rank, f"{name} must have rank {rank} or more, and has shape {x.shape!r}", (name,))


def whole(value: Value) -> Any:
    """A whole number (or None for "not given"), or the tensor whose contents are not known."""
    return as_size(value) if isinstance(value, TensorType) else value


def vector(run: Run, value: Value, name: str, scalar: bool = False) -> tuple[Any, ...] | None:
    """The numbers of a vector, None for each that is not known; None in place of all when their count is not known."""
    if value is None:
        return None
    if isinstance(value, Shape):
        return tuple(value) if value.known else None
    if isinstance(value, TensorType):
        if value.shape.known:
            run.require("rank", len(value.shape) == 1 or (scalar and len(value.shape) == 0), f"{name} must be a vector, and has shape {value.shape!r}", (name,))
        if value.contents is not None:
            return value.contents
        if not value.shape.known:
            return None
        if len(value.shape) == 0:
            return (None,)
        return (None,) * value.shape[0] if type(value.shape[0]) is int else None
    if isinstance(value, (tuple, list)):
        return tuple(None if isinstance(v := whole(item), TensorType) else v for item in value)
    return (value,)


def axis(run: Run, value: Value, rank: int, extra: int = 0, name: str = "dim") -> int | None:
    """A non-negative axis, or None when it is not known."""
    value = whole(value)
    if type(value) is Term and all(atom.origin is Origin.USER for atom in symbols(value)):
        raise run.give_up(f"{name} is not a known number, and the user chooses it")
    if type(value) is not int:
        return None
    reach = rank + extra
    run.require("axis", -reach <= value < reach, f"axis {value} is out of range: the tensor has {rank} dimensions", (name, "x"))
    return value + reach if value < 0 else value


def known_axis(run: Run, value: Value, rank: int) -> int:
    """A non-negative axis; without it nothing is said."""
    found = axis(run, value, rank)
    if found is None:
        raise run.give_up("the axis is not known")
    return found


def same_types(run: Run, a: Arguments, *names: str) -> DType | None:
    """The one element type of the named tensors."""
    given = [one for name in names for one in (a[name] if isinstance(a[name], (tuple, list)) else (a[name],)) if isinstance(one, TensorType)]
    typed = [one for one in given if one.dtype is not None and not one.weak]
    native = [one for one in given if one.framework not in CONVERTED and not one.weak]
    if native:  # arrays and lists take the tensors' element type, but a list of reals is never one of whole numbers
        whole = any(one.dtype is not None and one.dtype.is_integer for one in native)
        typed = [one for one in typed if one.framework not in CONVERTED or (whole and one.framework == "python" and one.dtype in FLOATS)]
    found = dict.fromkeys(one.dtype for one in typed)
    run.require("dtype", len(found) <= 1, f"{' and '.join(names)} must have the same dtype, and have {', '.join(map(repr, found))}", names)
    return next(iter(found), None)


def inside(run: Run, index: TensorType, n: Dim, lowest: Dim = 0) -> None:
    """Indices that are known must lie inside an axis of size n."""
    held = [at for at in index.contents or () if type(at) is int]
    if held and len(held) == len(index.contents or ()):
        for at in sorted({min(held), max(held)}):
            run.require("range", conj(le(lowest, at), lt(at, n)), f"index {at} is out of range for an axis of size {n!r}", ("index",))


PLACES = frozenset({DType.INT16, INT32, INT64})
"""What TensorFlow takes as indices."""
_OLD = {
    "dim_old": "dim", "keepdim_old": "keepdim", "filters_old": "weight", "filter_old": "weight", "input_old": "x", "dilation_old": "dilation",
    "dilations_old": "dilation", "targets_old": "target", "target_old": "target", "labels_old": "target", "size_old": "size",
}  # fmt: skip


def modern(a: Arguments) -> Arguments:
    """The arguments with those that version 1 called otherwise under their present names."""
    made = dict(a)
    for old, new in _OLD.items():
        if made.get(old) is not None:
            made[new] = made.pop(old)
    return made


def labels_agree(run: Run, equation: str, xs: tuple[TensorType, ...]) -> None:
    """In TensorFlow's einsum the axes of one label are equal: none of size 1 is spread."""
    seen: dict[str, Dim] = {}
    for term, x in zip(equation.replace(" ", "").partition("->")[0].split(","), xs):
        if "..." in term or not x.shape.known or len(term) != len(x.shape):
            continue
        for label, n in zip(term, x.shape):
            first = seen.setdefault(label, n)
            run.require("label", eq(first, n), f"the label {label} stands for axes of {first!r} and {n!r}", ("xs",))


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
