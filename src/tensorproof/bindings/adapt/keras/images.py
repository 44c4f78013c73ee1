"""keras.ops.image, keras.random, and the tensors that models begin with."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.ops import asked
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import as_size, is_number, is_size
from tensorproof.terms import FLOAT32, INT32, DType, Shape, TensorType, eq, ge, le, lt


def _image(run: Run, x: TensorType, a: dict[str, Value]) -> tuple[int, int]:
    """Where the height and the channels stand."""
    if len(x.shape) not in (3, 4):
        raise run.refuse("rank", f"an image or a batch of images is wanted, and this is {x.shape!r}", ("x",))
    word(run, a, "data_format", (None, "channels_last", "channels_first"))
    rank = len(x.shape)
    return (rank - 2, rank - 3) if a.get("data_format") == "channels_first" else (rank - 3, rank - 1)


def resize(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    at, _ = _image(run, x, a)
    word(run, a, "interpolation", ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"))
    if not isinstance(a["size"], (tuple, list)) or len(a["size"]) != 2:
        raise run.refuse("size", f"size is (height, width), and is {a['size']!r}", ("size",))
    if a.get("crop_to_aspect_ratio") or a.get("pad_to_aspect_ratio"):
        return run("resize_image", x=x, size=tuple(a["size"]), axis=at, method=f"{a['interpolation']}, its sides kept in proportion")
    return run("resize_image", x=x, size=tuple(a["size"]), axis=at, method=a["interpolation"], antialias=bool(a.get("antialias")))


def grayscale(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    _, c = _image(run, x, a)
    run.require("channels", le(x.shape[c], 3), f"an image has 3 channels (or 1), and this one has {x.shape[c]!r}", ("x",))
    run.require("channels", eq(x.shape[c] % 2, 1), f"an image has 3 channels (or 1), and this one has {x.shape[c]!r}", ("x",))
    if x.shape[c] == 1:
        return run("mul", x=x, y=1)
    weights = run("constant", data=array_like("keras", [0.2989, 0.587, 0.114]), dtype=x.dtype)
    laid = run("reshape", x=weights, size=tuple(3 if i == c else 1 for i in range(len(x.shape))))
    with Steps(run, x.dtype).settled():
        return run.typed("sum", x.dtype, x=run.typed("mul", x.dtype, x=x, y=laid), dim=c, keepdim=True)


def hsv(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    _, c = _image(run, x, a)
    if x.dtype is not None and not x.dtype.is_float:
        raise run.refuse("dtype", f"colours are floats, and not {x.dtype!r}", ("x",))
    run.require("channels", eq(x.shape[c], 3), f"an image has 3 channels, and this one has {x.shape[c]!r}", ("x",))
    with Steps(run, x.dtype).settled():
        if c == len(x.shape) - 1:
            return run.typed(run.row.op, x.dtype, x=x)
        made = run.typed(run.row.op, x.dtype, x=run("movedim", x=x, source=c, target=-1))
        return run("movedim", x=made, source=-1, target=c)


def _edges(a: dict[str, Any], run: Run, x: TensorType, at: int, sign: int) -> tuple[list[Any], list[Any]]:
    """How much is added or cut before and after each axis."""
    made = list(x.shape)
    begin: list[Any] = [0] * len(made)
    end: list[Any] = [0] * len(made)
    for i, (low, high, target) in enumerate((("top", "bottom", "height"), ("left", "right", "width"))):
        n = x.shape[at + i]
        before, after, wanted = a[low], a[high], a[target]
        given = [v for v in (before, after, wanted) if v is not None]
        if len(given) != 2:
            raise run.refuse("edges", f"exactly two of {low}, {high} and {target} must be given", (low, high, target))
        if wanted is not None:
            edge = before if before is not None else after
            other = sign * (wanted - n) - edge
            run.require("edges", ge(other, 0), f"an axis of {n!r} cannot become {wanted!r} with {edge!r} at one side", (low, high, target))
            made[at + i] = wanted
            before, after = (before, other) if before is not None else (other, after)
        else:
            made[at + i] = n + sign * (before + after)
        run.require("edges", ge(made[at + i], 0), f"an axis of {made[at + i]!r} elements cannot be made", (low, high, target))
        begin[at + i], end[at + i] = before, after
    return begin, end


def crop_images(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    before, after = _edges(a, run, x, _image(run, x, a)[0], -1)
    sizes = tuple(n - b - e for n, b, e in zip(x.shape, before, after))
    with Steps(run, x.dtype).settled():
        return run.typed("block_slice", x.dtype, x=x, begin=tuple(before), size=sizes)


def pad_images(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    before, after = _edges(a, run, x, _image(run, x, a)[0], 1)
    ends = tuple(n for pair in zip(reversed(before), reversed(after)) for n in pair)
    with Steps(run, x.dtype).settled():
        return run.typed("pad", x.dtype, x=x, padding=ends)


def random(a: dict[str, Any], run: Run) -> TensorType:
    dtype = _real(a, run)
    names = {"minval": "low", "maxval": "high", "mean": "mean", "stddev": "std"}
    known = {ours: a[theirs] for theirs, ours in names.items() if isinstance(a.get(theirs), (int, float))}
    drawn_from = a["distribution"] if len(known) == 2 else None
    return run("random", size=tuple(a["size"]), dtype=dtype, distribution=drawn_from, **known)


def distribution(a: dict[str, Any], run: Run) -> TensorType:
    """Draws of a distribution with parameters that broadcast to the shape."""
    dtype = _real(a, run)
    parameters = tuple(tensor(a[name]) for name in ("alpha", "beta") if name in a)
    return run.typed("random_distribution", dtype, parameters=parameters, size=tuple(a["size"]), distribution=a["distribution"])


def _real(a: dict[str, Value], run: Run) -> DType | None:
    dtype = asked(a, FLOAT32)
    if dtype is not None and not dtype.is_float:
        raise run.refuse("dtype", f"floats are drawn, not {dtype!r}", ("dtype",))
    return dtype


def randint(a: dict[str, Any], run: Run) -> TensorType:
    low, high = as_size(a["minval"]), as_size(a["maxval"])
    if is_size(low) and is_size(high):
        run.require("range", lt(low, high), f"no whole number lies from {low!r} up to {high!r}", ("minval", "maxval"))
    dtype = asked(a, INT32)
    if dtype is not None and not dtype.is_integer:
        raise run.refuse("dtype", f"whole numbers are drawn, not {dtype!r}", ("dtype",))
    ends = {"low": low, "high": high} if is_size(low) and is_size(high) else {"low": 0, "high": run.fresh("maxval", 1)}
    return run.typed("randint", dtype, size=tuple(a["size"]), **ends)


def categorical_sample(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) != 2:
        raise run.refuse("rank", f"the logits are a matrix, and they are {x.shape!r}", ("x",))
    run.require("classes", ge(x.shape[1], 1), "there is no class to draw", ("x",))
    if a["n"] == 0:
        raise run.give_up("no samples are drawn")
    return run.typed("multinomial", asked(a, INT32), x=run.typed("softmax", x.dtype, x=x, dim=-1), n=a["n"], replacement=True)


def dropout(a: dict[str, Any], run: Run) -> TensorType:
    rate = a["rate"]
    if is_number(rate):
        run.require("rate", 0 <= rate < 1, f"the rate must lie between 0 and 1, and is {rate!r}", ("rate",))
    share = {"p": float(rate)} if isinstance(rate, (int, float)) and 0 <= rate < 1 else {}
    return run.typed("dropout", tensor_in(a, "x").dtype, x=a["x"], training=True, mask=a.get("noise_shape"), **share)


def _sizes(run: Run, given: Any) -> tuple[Any, ...]:
    """None is a size that only the data tell."""
    return tuple(run.fresh("None", 1) if n is None else n for n in given)


def input_tensor(a: dict[str, Any], run: Run) -> Value:
    if a["tensor"] is not None:
        return a["tensor"]
    if a["batch_shape"] is not None:
        sizes: tuple[Any, ...] = tuple(a["batch_shape"])
    else:
        run.require("shape", a["size"] is not None, "an input needs its shape", ("size",))
        given = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
        sizes = (a["batch_size"], *given)
    return TensorType(Shape(_sizes(run, sizes)), asked(a, FLOAT32))


def keras_tensor(a: dict[str, Value], run: Run) -> TensorType:
    return TensorType(Shape(_sizes(run, a["size"])), asked(a, FLOAT32))
