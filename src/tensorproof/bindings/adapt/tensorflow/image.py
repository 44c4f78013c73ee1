"""Functions of `tf.image`: an image is (height, width, channels), alone or in a batch."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import pools as graphdef_pools
from tensorproof.bindings.adapt.tensorflow.shared import Arguments
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, ranked, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import BOOL, FLOAT32, INT32, UINT8, UINT16, Dim, DType, Shape, TensorType, conj, eq, ge, le, maximum, minimum

STRING = DType.STRING
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def _image(run: Run, x: TensorType, filled: bool = True) -> TensorType:
    if x.shape.known:
        run.require("rank", len(x.shape) in (3, 4), f"an image has rank 3, a batch of them 4, and this is {x.shape!r}", ("x",))
        for n in x.shape[-3:] if filled else ():
            run.require("empty", ge(n, 1), f"an image must not be empty, and this is {x.shape!r}", ("x",))
    return x


def _framed(run: Run, x: TensorType, height: Value, width: Value) -> Shape:
    """The image's shape with another height and width."""
    return Shape((*x.shape[:-3], height, width, x.shape[-1])) if x.shape.known else somewhere(run)


def _pair(run: Run, value: Value) -> tuple[Any, Any]:
    size = vector(run, value, "size")
    if size is None:
        return run.fresh("height"), run.fresh("width")
    run.require("size", len(size) == 2, f"a size is a height and a width, and this has {len(size)} numbers", ("size",))
    for n in size:
        run.require("size", n is None or ge(n, 1), f"height and width must be at least 1, and are {size!r}", ("size",))
    height, width = (run.fresh("size") if n is None else n for n in size)
    return height, width


def _method(a: Arguments) -> str:
    """How values between pixels are found; version 1 has numbers for it."""
    word = a.get("method")
    word = getattr(word, "value", word)
    return _METHODS[word] if type(word) is int and 0 <= word < 4 else word if isinstance(word, str) else "bilinear"


def _smoothed_type(run: Run, x: TensorType, height: Any, width: Any) -> DType | None:
    """Floats. Version 1 gives back an image that has the size already, with its element type: unknown where the sizes are."""
    if not run.row.fixed.get("keeps_same_size") or x.dtype is FLOAT32:
        return FLOAT32
    same = conj(eq(x.shape[-3], height), eq(x.shape[-2], width)) if x.shape.known else None
    return x.dtype if same is True else FLOAT32 if same is False else None


def _resized(run: Run, a: Arguments, x: TensorType, height: Value, width: Value, method: str) -> TensorType:
    """Images of another height and width: floats, unless their pixels are only chosen."""
    flags = {name: bool(a[name]) for name in ("align_corners", "half_pixel_centers", "antialias") if isinstance(a.get(name), bool)}
    axis = len(x.shape) - 3 if x.shape.known else 1
    dtype = x.dtype if method == "nearest" else _smoothed_type(run, x, height, width)
    shape = _framed(run, x, height, width)
    return run.shaped("resize_image", shape, dtype, x=x, size=(height, width), axis=axis, method=method, **flags)


def resize(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"], filled=False)
    height, width = _pair(run, a["size"])
    if a.get("preserve_aspect_ratio"):
        empty = x.shape.known and conj(eq(x.shape[-3], 0), eq(x.shape[-2], 0)) is True
        run.require("empty", not empty, f"an image without height and width has no aspect ratio: x is {x.shape!r}", ("x",))
        height, width = run.fresh("height"), run.fresh("width")
    return _resized(run, a, x, height, width, _method(a))


def resize_old(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    return _resized(run, a, x, *_pair(run, a["size"]), run.row.fixed["method"])


def _target(run: Run, a: Arguments) -> tuple[Any, Any]:
    made: list[Any] = []
    for name in ("height", "width"):
        n = whole(a[name])
        n = run.fresh(name) if isinstance(n, TensorType) else n
        run.require(name, ge(n, 1), f"{name} must be at least 1, and is {n!r}", (name,))
        made.append(n)
    return made[0], made[1]


def crop_or_pad(a: Arguments, run: Run) -> TensorType:
    """Cut or padded with zeros on both sides, the more of it after."""
    x = _image(run, a["x"])
    height, width = _target(run, a)
    if not x.shape.known:
        return with_shape(run, "pad", with_shape(run, "crop", x, somewhere(run), before=(), after=()), somewhere(run), padding=())
    sides = [_cut_and_pad(n, m) for n, m in zip(x.shape[-3:-1], (height, width))]
    cut = _cropped(run, x, [c for c, _ in sides], [minimum(n, m) for n, m in zip(x.shape[-3:-1], (height, width))])
    return _padded(run, cut, [p for _, p in sides], height, width)


def _cut_and_pad(n: Dim, m: Dim) -> tuple[tuple[Dim, Dim], tuple[Dim, Dim]]:
    """What is cut off before and after an axis of n that is to have m, and what is added."""
    off, on = maximum(n - m, 0), maximum(m - n, 0)
    return (off // 2, off - off // 2), (on // 2, on - on // 2)


def _cropped(run: Run, x: TensorType, cut: list[tuple[Dim, Dim]], sizes: list[Any]) -> TensorType:
    """The image without what is cut off before and after its height and width."""
    lead = (0,) * (len(x.shape) - 3)
    before, after = ((*lead, *(c[i] for c in cut), 0) for i in (0, 1))
    return with_shape(run, "crop", x, _framed(run, x, *sizes), before=before, after=after)


def _padded(run: Run, x: TensorType, more: list[tuple[Dim, Dim]], height: Value, width: Value) -> TensorType:
    """The image with zeros before and after its height and width."""
    flat = (0, 0, *more[1], *more[0])
    return with_shape(run, "pad", x, _framed(run, x, height, width), padding=flat, mode="constant", value=0)


def resize_with_pad(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    height, width = _target(run, a)
    target = (height, width)
    if x.shape.known and all(type(n) is int for n in (*x.shape[-3:-1], height, width)):
        ratio = max(x.shape[-3] / height, x.shape[-2] / width)
        whole = [int(n / ratio) for n in x.shape[-3:-1]]
        run.require("size", min(whole) >= 1, f"an image {x.shape!r} made to fit into ({height}, {width}) has nothing left", ("x", "height", "width"))
        sizes: list[Dim] = [*whole]
        before: list[Dim] = [max(0, int((m - n / ratio) / 2)) for n, m in zip(x.shape[-3:-1], target)]
    else:
        sizes, before = [run.fresh("size", 1) for _ in target], [run.fresh("margin") for _ in target]
    small = _resized(run, a, x, sizes[0], sizes[1], _method(a))
    if not small.shape.known:
        return with_shape(run, "pad", small, somewhere(run), padding=())
    return _padded(run, small, [(b, m - b - n) for b, n, m in zip(before, sizes, target)], *target)


def central_crop(a: Arguments, run: Run) -> TensorType:
    x, fraction = a["x"], a["fraction"]
    if fraction != 1:
        _image(run, x)
    by_fraction = isinstance(fraction, (int, float))
    sentence = f"the fraction must lie above 0 and not above 1, and is {fraction!r}"
    run.require("fraction", not by_fraction or 0 < fraction <= 1, sentence, ("fraction",))
    if not x.shape.known or len(x.shape) < 3:
        return with_shape(run, "crop", x, x.shape, before=(), after=())
    cut = [int((n - n * fraction) / 2) if by_fraction and type(n) is int else 0 if fraction == 1 else None for n in x.shape[-3:-1]]
    sizes = [run.fresh("size") if c is None else n - 2 * c for n, c in zip(x.shape[-3:-1], cut)]
    return _cropped(run, x, [((n - m) // 2 if c is None else c,) * 2 for n, m, c in zip(x.shape[-3:-1], sizes, cut)], sizes)


def crop_box(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    for start, size, at in (("top", "height", -3), ("left", "width", -2)):
        run.require(start, conj(ge(a[start], 0), ge(a[size], 1)), f"a box begins at 0 or later and has a size: {a[start]!r}, {a[size]!r}", (start, size))
        if x.shape.known:
            n = x.shape[at]
            run.require("box", le(a[start] + a[size], n), f"{a[size]!r} elements from {a[start]!r} on go beyond the image's {n!r}", (start, size, "x"))
    if not x.shape.known:
        return with_shape(run, "crop", x, somewhere(run), before=(), after=())
    cut = [(a[start], n - a[start] - a[size]) for start, size, n in (("top", "height", x.shape[-3]), ("left", "width", x.shape[-2]))]
    return _cropped(run, x, cut, [a["height"], a["width"]])


def pad_box(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    for start, size, at in (("top", "height", -3), ("left", "width", -2)):
        run.require(start, ge(a[start], 0), f"an image is not placed at {a[start]!r}", (start,))
        if x.shape.known:
            n = x.shape[at]
            run.require("box", le(a[start] + n, a[size]), f"an image of {n!r} placed at {a[start]!r} does not fit into {a[size]!r}", (start, size, "x"))
    if not x.shape.known:
        return with_shape(run, "pad", x, somewhere(run), padding=())
    more = [(a[start], a[size] - n - a[start]) for start, size, n in (("top", "height", x.shape[-3]), ("left", "width", x.shape[-2]))]
    return _padded(run, x, more, a["height"], a["width"])


def flipped(a: Arguments, run: Run) -> TensorType:
    """Mirrored along the axis that the row names, counted from the end."""
    x = _image(run, a["x"])
    return with_shape(run, "flip", x, x.shape, dim=tuple(d + len(x.shape) for d in run.row.fixed["dim"]) if x.shape.known else run.row.fixed["dim"])


def random_flip(a: Arguments, run: Run) -> TensorType:
    """Each image mirrored or not, by the toss of a coin."""
    x, other = a["x"], flipped(a, run)
    batch = x.shape.known and len(x.shape) == 4
    run.require("dtype", not batch or x.dtype is None or x.dtype.kind in "iufc", f"a batch of {x.dtype!r} is not flipped at random", ("x",))
    size = (x.shape[0], 1, 1, 1) if batch else ()
    coin = run.typed("lt", BOOL, x=run.typed("random", FLOAT32, size=size, dtype=FLOAT32, distribution="uniform"), y=0.5)
    return run.shaped("where", x.shape, x.dtype, condition=coin, x=other, y=x)


def rot90(a: Arguments, run: Run) -> TensorType:
    x, k = _image(run, a["x"]), a.get("k", 1)
    axes = (len(x.shape) - 3, len(x.shape) - 2) if x.shape.known else (-3, -2)
    if not x.shape.known or not isinstance(k, int):
        sizes = [*x.shape[:-3], run.fresh("height"), run.fresh("width"), x.shape[-1]] if x.shape.known else somewhere(run)
        return with_shape(run, "rot90", x, sizes, k=k, dim=axes)
    return run("rot90", x=x, k=k, dim=axes)


def transpose(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    if not x.shape.known:
        return with_shape(run, "permute", x, somewhere(run), dim=(0, 2, 1, 3))
    n = len(x.shape)
    return run("permute", x=x, dim=(*range(n - 3), n - 2, n - 3, n - 1))


def random_crop(a: Arguments, run: Run) -> TensorType:
    """A block of the given size somewhere in x."""
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        shape = Shape(run.fresh("size") for _ in x.shape) if x.shape.known else somewhere(run)
        return with_shape(run, "block_slice", x, shape, begin=_somewhere_in(run, x, len(shape) if shape.known else 0, None), size=a["size"])
    x = ranked(run, x, len(size))
    for m, n in zip(size, x.shape):
        run.require("crop/size", m is None or conj(ge(m, -1), le(m, n)), f"a block of {m!r} cannot be cut out of {n!r}", ("size", "x"))
    room = Shape(n if m is None or m == -1 else m for m, n in zip(size, x.shape))
    return run.typed("block_slice", x.dtype, x=x, begin=_somewhere_in(run, x, len(size), room), size=size if None not in size else a["size"])


def _somewhere_in(run: Run, x: TensorType, rank: int, shape: Shape | None) -> TensorType:
    """Where a block of this shape begins: drawn among the places at which it fits."""
    unit = run.typed("random", FLOAT32, size=(rank,), dtype=FLOAT32, distribution="uniform")
    room = None if shape is None else tuple(n - m + 1 for n, m in zip(x.shape, shape))
    places = run.typed("constant", INT32, data=TensorType(Shape((rank,)), INT32, contents=room, framework="tf"))
    return run("cast", x=run.typed("mul", FLOAT32, x=unit, y=places), dtype=INT32)


_PIXELS = frozenset({UINT8, UINT16})


def decode(a: Arguments, run: Run) -> TensorType:
    run.require("dtype", a.get("dtype") in _PIXELS | {None}, f"the pixels of a file are of 8 or 16 bits, and no {a.get('dtype')!r}", ("dtype",))
    if isinstance(a["x"], TensorType):
        ranked(run, a["x"], 0)
    return run.typed("decode_image", a.get("dtype") or UINT8, x=a["x"], channels=a.get("channels") or 0, dtype=a.get("dtype"))


def decode_any(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or UINT8
    return run.shaped("decode_image", somewhere(run), dtype, x=a["x"], channels=a.get("channels") or 0, dtype=dtype)


def patches(a: Arguments, run: Run) -> TensorType:
    if any(isinstance(a[n], (tuple, list)) and len(a[n]) > 4 for n in ("kernel", "stride", "dilation")):
        raise run.give_up("more than four numbers, of which TensorFlow takes no notice when it runs at once, and which it refuses in a graph")
    return graphdef_pools.patches(a, run)


def encode(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if run.name.endswith("png"):
        at_least(run, x, 3)
    else:
        ranked(run, x, 3)
    return run.shaped("encode_image", Shape(x.shape[:-3]) if x.shape.known else somewhere(run), STRING, x=x)
