"""Ranks, axes and sizes in TensorFlow, which may come as tensors or be unknown."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value
from tensorproof.ops.inputs import as_size
from tensorproof.terms import INT32, INT64, Dim, DType, Origin, Shape, TensorType, Term, broadcast, conj, ge, le, lt, symbols, unknown_shape

PLACES = frozenset({DType.INT16, INT32, INT64})
"""What TensorFlow takes as indices."""


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


def broadcast_of(run: Run, shapes: list[Shape], about: tuple[str, ...], code: str = "broadcast") -> Shape:
    """The shape to which these broadcast, which they must."""

    def stated(holds: Value, a: Dim, b: Dim) -> None:
        run.require(code, holds, f"sizes {a!r} and {b!r} do not broadcast: they must be equal, or one of them 1", about)

    return broadcast(shapes, stated)


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


def inside(run: Run, index: TensorType, n: Dim, lowest: Dim = 0) -> None:
    """Indices that are known must lie inside an axis of size n."""
    held = [at for at in index.contents or () if type(at) is int]
    if held and len(held) == len(index.contents or ()):
        for at in sorted({min(held), max(held)}):
            run.require("range", conj(le(lowest, at), lt(at, n)), f"index {at} is out of range for an axis of size {n!r}", ("index",))


def as_shape(run: Run, value: Value) -> Shape:
    size = vector(run, value, "size")
    if size is None:
        return somewhere(run)
    for n in size:
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return Shape(run.fresh("size") if n is None else n for n in size)
