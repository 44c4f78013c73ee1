"""Keras' layers that crop, pad, resize, reshape or colour what goes through."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.layers import FORMAT, word
from tensorproof.bindings.adapt.keras.weights import at_least, of_rank, sizes
from tensorproof.bindings.adapt.numpy.arrays import Real
from tensorproof.bindings.adapters import Run, Value, computed_in, module_in, takes, tensor_in
from tensorproof.ops.inputs import Choice
from tensorproof.terms import Dim, Shape, TensorType, disj, eq, ge, product


@takes(Real("factor", least=0.0, most=1.0), Real("height_factor", least=0.0, most=1.0), Real("width_factor", least=0.0, most=1.0))
def augmented(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    of_rank(module_in(a), x, 3, 4)
    if run.row.name.endswith("Brightness") and x.dtype is not None and not x.dtype.is_float:
        return run.typed(run.row.op, None, x=a["x"])  # eager keeps whole numbers, symbolic says float32
    return run.typed(run.row.op, computed_in(module_in(a)), x=a["x"])


def _pairs(value: Any, n: int) -> list[tuple[Dim, Dim]]:
    """3, (1, 2) or ((1, 1), (2, 2)): what is added or cut before and after each of `n` axes."""
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * n
    if n == 1:
        return [(value[0], value[1])]
    return [(v[0], v[1]) if isinstance(v, (tuple, list)) else (v, v) for v in value]


def _framed(a: dict[str, Value], run: Run, n: int, value: Value) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
    pairs = _pairs(value, n)
    if len(pairs) != n:
        raise run.refuse("padding", f"{n} axes need {n} numbers or pairs, and {value!r} is given", ("padding",))
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    lead, after = ((0, 0),) * begin, ((0, 0),) * (2 - begin)
    whole = [*lead, *pairs, *after]
    for low, high in whole:
        run.require("padding", ge(low, 0), f"a number of elements cannot be negative, and is {low!r}", ("padding",))
        run.require("padding", ge(high, 0), f"a number of elements cannot be negative, and is {high!r}", ("padding",))
    return tuple(p[0] for p in whole), tuple(p[1] for p in whole)


def cropped(a: dict[str, Any], run: Run) -> TensorType:
    n = int(run.row.name[-2])
    of_rank(module_in(a), tensor_in(a, "x"), n + 2)
    before, after = _framed(a, run, n, a["cropping"])
    begin = 2 if a.get("data_format") == "channels_first" else 1
    for size in tensor_in(a, "x").shape[begin : begin + n]:
        run.require("size", ge(size, 1), "nothing can be cropped from an empty axis", ("x",))
    return run("crop", x=a["x"], before=before, after=after)


def padded(a: dict[str, Any], run: Run) -> TensorType:
    n = int(run.row.name[-2])
    x = tensor_in(a, "x")
    of_rank(module_in(a), x, n + 2)
    before, after = _framed(a, run, n, a["padding"])
    return run("pad", x=x, padding=tuple(n for pair in zip(reversed(before), reversed(after)) for n in pair))


def upsampled(a: dict[str, Any], run: Run) -> Value:
    n = int(run.row.name[-2])
    of_rank(module_in(a), tensor_in(a, "x"), n + 2)
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    given = sizes(a["factors"], n)
    if len(given) != n:
        raise run.refuse("factors", f"size must be one whole number or {n}, and is {a['factors']!r}", ("factors",))
    interpolation = word(run, a, Choice("interpolation", ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")))
    if n == 2 and interpolation not in (None, "nearest"):
        size = tuple(m * f for m, f in zip(tensor_in(a, "x").shape[begin : begin + 2], given))
        return run.typed("resize_image", tensor_in(a, "x").dtype, x=a["x"], size=size, axis=begin, method=interpolation)
    return run("repeat_axes", x=a["x"], factors=(*(1,) * begin, *given, *(1,) * (2 - begin)))


def flattened(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    word(run, a, FORMAT)
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    at_least(module_in(a), x, 1)
    if len(x.shape) < 2:
        return run("reshape", x=x, size=(*x.shape, 1))
    return run("reshape", x=x, size=(x.shape[0], product(x.shape[1:])))


def reshaped(a: dict[str, Any], run: Run) -> TensorType:
    """The batch stays; -1 is what is left of the others."""
    x: TensorType = a["x"]
    at_least(module_in(a), x, 1)
    return run("reshape", x=x, size=(x.shape[0], *_resolved(run, x, sizes(a["size"], 1))))


def _resolved(run: Run, x: TensorType, target: tuple[Any, ...]) -> tuple[Any, ...]:
    """The sizes behind the batch, as one sample takes them."""
    before = len(run.session.applied)
    made = run("reshape", x=x.but(shape=Shape(x.shape[1:]), contents=None), size=target)
    del run.session.applied[before:]  # only its rule was asked for
    return tuple(made.shape)


def permuted(a: dict[str, Any], run: Run) -> TensorType:
    dims = tuple(a["dims"])
    if sorted(dims) != list(range(1, len(dims) + 1)):
        raise run.refuse("dims", f"dims must be a permutation of 1 to {len(dims)}, and is {dims!r}", ("dims",))
    of_rank(module_in(a), tensor_in(a, "x"), len(dims) + 1)
    return run("permute", x=a["x"], dim=(0, *dims))


def repeated(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    of_rank(module_in(a), x, 2)
    return run("repeat_axes", x=run("unsqueeze", x=x, dim=1), factors=(1, a["n"], 1))


def resized(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    of_rank(module_in(a), x, 3, 4)
    end = word(run, a, FORMAT) == "channels_first"
    erratic = run.row.name.endswith("Resizing") and x.dtype is not None and not x.dtype.is_float  # eager keeps it, symbolic says float32
    dtype = None if erratic else computed_in(module_in(a))
    return run.typed("resize_image", dtype, x=x, size=(a["height"], a["width"]), axis=len(x.shape) - 2 if end else len(x.shape) - 3)


def coloured(a: dict[str, Any], run: Run) -> TensorType:
    """Works on red, green and blue (or on gray)."""
    x: TensorType = a["x"]
    of_rank(module_in(a), x, 3, 4)
    c = x.shape[-3] if word(run, a, FORMAT) == "channels_first" else x.shape[-1]
    run.require("channels", disj(eq(c, 3), eq(c, 1)), f"an image has 3 channels, or 1, and this one has {c!r}", ("x",))
    return run.typed(run.row.op, x.dtype if run.row.name.endswith("Grayscale") else computed_in(module_in(a)), x=x)
