"""Functions of `tf.image`: an image is (height, width, channels), alone or in a batch."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import graphdef_images, graphdef_pools
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, modern, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Bool, Choice, ElementType, Float, Int, Ints, Tensor
from tensorproof.terms.dtypes import FLOAT32, FLOATS, INT32, UINT8, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

STRING = DType.STRING
_IMAGE = Tensor("x", "H W C | N H W C")
_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def _image(run: Run, x: TensorType, filled: bool = True) -> TensorType:
    if x.shape.known:
        run.require("rank", len(x.shape) in (3, 4), f"an image has rank 3, a batch of them 4, and this is {x.shape!r}", ("x",))
        for n in x.shape[-3:] if filled else ():
            run.require("empty", ge(n, 1), f"an image must not be empty, and this is {x.shape!r}", ("x",))
    return x


def _framed(run: Run, x: TensorType, height: Any, width: Any) -> Shape:
    """The image's shape with another height and width."""
    return Shape((*x.shape[:-3], height, width, x.shape[-1])) if x.shape.known else somewhere(run)


def _pair(run: Run, value: Any) -> tuple[Any, Any]:
    size = vector(run, value, "size")
    if size is None:
        return run.fresh("height"), run.fresh("width")
    run.require("size", len(size) == 2, f"a size is a height and a width, and this has {len(size)} numbers", ("size",))
    for n in size:
        run.require("size", n is None or ge(n, 1), f"height and width must be at least 1, and are {size!r}", ("size",))
    height, width = (run.fresh("size") if n is None else n for n in size)
    return height, width


_SIZE = Ints("size", loose=True, one=False, least=1)


def _float_unless(x: TensorType, nearest: bool) -> DType | None:
    return x.dtype if nearest else FLOAT32


@takes(_IMAGE, _SIZE, Choice("method", _METHODS[:4], "bilinear"), Bool("preserve_aspect_ratio", False))
def resize(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"], filled=False)
    height, width = _pair(run, a["size"])
    if a.get("preserve_aspect_ratio"):
        height, width = run.fresh("height"), run.fresh("width")
    nearest = a.get("method") in ("nearest", 1)
    return tensor(_framed(run, x, height, width), _float_unless(x, nearest))


@takes(Tensor("x", "N H W C"), _SIZE)
def resize_old(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    return tensor(_framed(run, x, *_pair(run, a["size"])), FLOAT32)


@takes(Tensor("x", "N H W C"), _SIZE)
def resize_old_same(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    return anew(x, _framed(run, x, *_pair(run, a["size"])))


_HEIGHT, _WIDTH = Int("height", least=1, loose=True), Int("width", least=1, loose=True)


def _target(run: Run, a: Arguments) -> tuple[Any, Any]:
    made: list[Any] = []
    for name in ("height", "width"):
        n = whole(a[name])
        n = run.fresh(name) if isinstance(n, TensorType) else n
        run.require(name, ge(n, 1), f"{name} must be at least 1, and is {n!r}", (name,))
        made.append(n)
    return made[0], made[1]


@takes(_IMAGE, _HEIGHT, _WIDTH)
def crop_or_pad(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    return anew(x, _framed(run, x, *_target(run, a)))


@takes(_IMAGE, _HEIGHT, _WIDTH, Choice("method", _METHODS[:4], "bilinear"))
def resize_with_pad(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    height, width = _target(run, a)
    if x.shape.known and all(type(n) is int for n in (*x.shape[-3:-1], height, width)):
        ratio = max(x.shape[-3] / height, x.shape[-2] / width)
        left = min(int(x.shape[-3] / ratio), int(x.shape[-2] / ratio))
        run.require(
            "size", left >= 1, f"an image {x.shape!r} made to fit into ({height}, {width}) has nothing left", ("x", "height", "width")
        )
    return tensor(_framed(run, x, *_target(run, a)), _float_unless(x, a.get("method") in ("nearest", 1)))


@takes(_IMAGE, Float("fraction", least=0.05, most=1.0))
def central_crop(a: Arguments, run: Run) -> TensorType:
    x, fraction = a["x"], a["fraction"]
    if fraction == 1:
        made: TensorType = x
        return made
    _image(run, x)
    if not isinstance(fraction, (int, float)):
        return anew(x, _framed(run, x, run.fresh("height"), run.fresh("width")))
    run.require("fraction", 0 < fraction <= 1, f"the fraction must lie above 0 and not above 1, and is {fraction!r}", ("fraction",))
    if not x.shape.known:
        return anew(x, x.shape)
    sizes = [n - 2 * int((n - n * fraction) / 2) if type(n) is int else run.fresh("size") for n in x.shape[-3:-1]]
    return anew(x, _framed(run, x, *sizes))


_BOX = (Int("top", least=0), Int("left", least=0), Int("height", least=1), Int("width", least=1))


@takes(_IMAGE, *_BOX)
def crop_box(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    for start, size, at in (("top", "height", -3), ("left", "width", -2)):
        run.require(
            start,
            conj(ge(a[start], 0), ge(a[size], 1)),
            f"a box begins at 0 or later and has a size: {a[start]!r}, {a[size]!r}",
            (start, size),
        )
        if x.shape.known:
            n = x.shape[at]
            run.require(
                "box",
                le(a[start] + a[size], n),
                f"{a[size]!r} elements from {a[start]!r} on go beyond the image's {n!r}",
                (start, size, "x"),
            )
    return anew(x, _framed(run, x, a["height"], a["width"]))


@takes(_IMAGE, *_BOX)
def pad_box(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    for start, size, at in (("top", "height", -3), ("left", "width", -2)):
        run.require(start, ge(a[start], 0), f"an image is not placed at {a[start]!r}", (start,))
        if x.shape.known:
            n = x.shape[at]
            run.require(
                "box",
                le(a[start] + n, a[size]),
                f"an image of {n!r} placed at {a[start]!r} does not fit into {a[size]!r}",
                (start, size, "x"),
            )
    return anew(x, _framed(run, x, a["height"], a["width"]))


@takes(Tensor("x", "N H W C"), Tensor("boxes", "B 4"), Tensor("index", "B", frozenset({INT32}), values="index:N"), _SIZE)
def crop_and_resize(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    return graphdef_images.crop_and_resize(a, run)


@takes(_IMAGE)
def same_image(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    return anew(x, x.shape)


@takes(_IMAGE)
def random_flip(a: Arguments, run: Run) -> TensorType:
    x = same_image(a, run)
    batch = x.shape.known and len(x.shape) == 4
    run.require("dtype", not batch or x.dtype is None or x.dtype.kind in "iufc", f"a batch of {x.dtype!r} is not flipped at random", ("x",))
    return x


@takes(_IMAGE, Int("k", 1))
def rot90(a: Arguments, run: Run) -> TensorType:
    x, k = _image(run, a["x"]), a.get("k", 1)
    if not x.shape.known or not isinstance(k, int):
        return anew(x, [*x.shape[:-3], run.fresh("height"), run.fresh("width"), x.shape[-1]] if x.shape.known else somewhere(run))
    height, width = x.shape[-3:-1]
    return anew(x, _framed(run, x, *((width, height) if k % 2 else (height, width))))


@takes(_IMAGE)
def transpose(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"])
    return anew(x, _framed(run, x, x.shape[-2], x.shape[-3]) if x.shape.known else somewhere(run))


@takes(
    Tensor("x", "...", FLOATS),
    Float("delta", least=0.0, most=0.9),
    Float("max_delta", least=0.1, most=0.9),
    Float("gamma", 1.0, least=0.0),
    Float("gain", 1.0),
)
def adjusted(a: Arguments, run: Run) -> TensorType:
    for name in ("max_delta", "gamma"):
        if isinstance(a.get(name), (int, float)):
            run.require(name, a[name] >= 0, f"{name} must not be negative, and is {a[name]!r}", (name,))
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... H W C", FLOATS), Float("contrast_factor"), Float("lower", least=0.0, most=0.4), Float("upper", least=0.5, most=1.0))
def adjusted_image(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    _ordered(a, run)
    return anew(a["x"], a["x"].shape)


def _ordered(a: Arguments, run: Run) -> None:
    low, high = a.get("lower"), a.get("upper")
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        run.require("bounds", 0 <= low < high, f"the bounds must rise from 0 or more, and are {low!r} and {high!r}", ("lower", "upper"))


@takes(
    Tensor("x", "... H W 3", FLOATS),
    Float("delta", least=-1.0, most=1.0),
    Float("saturation_factor"),
    Float("max_delta", least=0.0, most=0.5),
    Float("lower", least=0.0, most=0.4),
    Float("upper", least=0.5, most=1.0),
)
def colour(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 3)
    if x.shape.known:
        run.require("channels", eq(x.shape[-1], 3), f"the last axis must hold 3 colours, and has {x.shape[-1]!r}", ("x",))
    if isinstance(a.get("delta"), (int, float)):
        run.require("delta", -1 <= a["delta"] <= 1, f"the hue turns by -1 to 1, not by {a['delta']!r}", ("delta",))
    if isinstance(a.get("max_delta"), (int, float)):
        run.require("max_delta", 0 <= a["max_delta"] <= 0.5, f"the hue turns by at most a half, not by {a['max_delta']!r}", ("max_delta",))
    _ordered(a, run)
    return anew(x, x.shape)


@takes(Tensor("x"), Ints("size", loose=True, one=False, least=1))
def random_crop(a: Arguments, run: Run) -> TensorType:
    """A block of the given size somewhere in x."""
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return anew(x, [run.fresh("size") for _ in x.shape] if x.shape.known else somewhere(run))
    x = ranked(run, x, len(size))
    for m, n in zip(size, x.shape):
        run.require("size", m is None or conj(ge(m, -1), le(m, n)), f"a block of {m!r} cannot be cut out of {n!r}", ("size", "x"))
    return anew(x, [run.fresh("size") if m is None or m == -1 else m for m in size])


@takes(ElementType("dtype", optional=False))
def convert(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a["dtype"]
    usable = dtype.is_float or dtype.is_integer
    run.require("dtype", usable, f"an image is of floats or whole numbers, not of {dtype!r}", ("dtype",))
    return tensor(x.shape, dtype)


@takes(Tensor("x", "... H W C"))
def standardised(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 3)
    for n in x.shape[-3:] if x.shape.known else ():
        run.require("empty", ge(n, 1), f"an image must not be empty, and this is {x.shape!r}", ("x",))
    return tensor(x.shape, x.dtype if x.dtype in (None, DType.FLOAT16) else FLOAT32)


@takes(Tensor("x", "... 3"))
def to_grey(a: Arguments, run: Run) -> TensorType:
    x = _coloured(run, a["x"], 3)
    return anew(x, (*x.shape[:-1], 1) if x.shape.known else somewhere(run))


@takes(Tensor("x", "... 1"))
def to_rgb(a: Arguments, run: Run) -> TensorType:
    x = _coloured(run, a["x"], 1)
    at_least(run, x, 2)
    return anew(x, (*x.shape[:-1], 3) if x.shape.known else somewhere(run))


@takes(Tensor("x", "... 3"))
def three_colours(a: Arguments, run: Run) -> TensorType:
    x = _coloured(run, a["x"], 3)
    return anew(x, x.shape)


def _coloured(run: Run, x: TensorType, depth: int) -> TensorType:
    at_least(run, x, 1)
    if x.shape.known:
        run.require("channels", eq(x.shape[-1], depth), f"the last axis must hold {depth} colour(s), and has {x.shape[-1]!r}", ("x",))
    return x


@takes(Tensor("x", "N H W C"))
def gradients(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 4)
    if x.shape.numel == 0:
        raise run.give_up("images without elements, which are taken where a row of zeros has none either")
    return anew(x, x.shape), anew(x, x.shape)


@takes(Tensor("x", "N H W C"))
def sobel(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    for n in x.shape[1:3]:
        run.require("size", ge(n, 2), f"an edge needs two elements to lie between, and an axis has {n!r}", ("x",))
    return anew(x, (*x.shape, 2))


@takes(_IMAGE)
def total_variation(a: Arguments, run: Run) -> TensorType:
    x = _image(run, a["x"], filled=False)
    return tensor(x.shape[:-3] if x.shape.known else somewhere(run), None if x.dtype is None else x.dtype.real)


@takes(Tensor("x", "... H W C"), Tensor("y", "... H W C"), Float("max_val", least=1.0, most=255.0))
def similarity(a: Arguments, run: Run) -> TensorType:
    """One number for each pair of images."""
    x, y = a["x"], a["y"]
    at_least(run, x, 3)
    at_least(run, y, 3, "y")
    if "ssim" in run.name:
        same_types(run, a, "x", "y")
    if not x.shape.known or not y.shape.known:
        return tensor(somewhere(run), FLOAT32)
    for m, n in zip(x.shape[-3:], y.shape[-3:]):
        run.require("size", eq(m, n), f"the images {x.shape!r} and {y.shape!r} must have one size", ("x", "y"))
    side: Dim = 11
    if "ssim" in run.name:
        for n in x.shape[-3:-1]:
            run.require("filter", ge(n, side), f"an axis of {n!r} is smaller than the filter of {side!r}", ("x",))
    lead = run("add", x=anew(x, x.shape[:-3]).but(dtype=None), y=anew(y, y.shape[:-3]).but(dtype=None)).shape
    return tensor(lead, FLOAT32)


@takes(Tensor("boxes", "N 4"), Tensor("scores", "N"), Int("most", loose=True, least=0), Float("iou_threshold", 0.5, least=0.0, most=1.0))
def non_max_suppression(a: Arguments, run: Run) -> TensorType:
    return graphdef_images.non_max_suppression(a, run)


@takes(Tensor("x", "N H W C"), Tensor("boxes", "N B 4"), Tensor("colors", "K 4", frozenset({FLOAT32})))
def draw_boxes(a: Arguments, run: Run) -> TensorType:
    return graphdef_images.draw_boxes(a, run)


@takes(Tensor("x", "", frozenset({STRING})), Int("channels", 0))
def decode(a: Arguments, run: Run) -> TensorType:
    if isinstance(a["x"], TensorType):
        ranked(run, a["x"], 0)
    depth = a.get("channels") or run.fresh("channels")
    return tensor((run.fresh("height"), run.fresh("width"), depth), a.get("dtype") or UINT8)


@takes(Tensor("x", "", frozenset({STRING})), ElementType("dtype", UINT8, dtypes=frozenset({UINT8, FLOAT32})))
def decode_any(a: Arguments, run: Run) -> TensorType:
    return tensor(somewhere(run), a.get("dtype") or UINT8)


def patches(a: Arguments, run: Run) -> TensorType:
    """TensorFlow takes no notice of numbers behind the fourth when it runs at once."""
    first = {n: a[n][:4] if isinstance(a[n], (tuple, list)) else a[n] for n in ("kernel", "stride", "dilation")}
    return graphdef_pools.patches({**a, **first}, run)


takes(*vars(graphdef_pools.patches)["parameters"].values())(patches)


@takes(Tensor("x", "H W C", frozenset({UINT8})))
def encode(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    if run.name.endswith("png"):
        at_least(run, x, 3)
        return tensor(x.shape[:-3] if x.shape.known else somewhere(run), STRING)
    ranked(run, x, 3)
    return tensor((), STRING)
