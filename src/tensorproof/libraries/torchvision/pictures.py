"""What a transform does to one picture: an image of PIL, an array (height, width, channels) or a tensor (…, channels, height, width)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from tensorproof.libraries.torchvision.pillow import CHANNELS, changed, element_type, image, is_image, size_symbol
from tensorproof.terms import BY_LABEL, DType, Origin, Shape, TensorType, Term, disj, eq, ge, ite, le
from tensorproof.values import Kwargs, List, Machine, Unknown, Value

FLOAT32 = BY_LABEL["float32"]
UINT8 = BY_LABEL["uint8"]


def _what(x: Value) -> str:
    if isinstance(x, TensorType):
        return "a tensor" if x.framework == "torch" else "an array"
    return "a PIL image" if is_image(x) else "this"


def sides(m: Machine, x: Value, node: ast.AST) -> tuple[Any, Any] | None:
    """(height, width)."""
    if is_image(x):
        return x.space["height"], x.space["width"]
    if isinstance(x, TensorType):
        if x.framework == "numpy":
            raise m.raised("TypeError", "this transform takes a PIL image or a tensor, not a NumPy array: convert it first", node, "transform/type")
        if not x.shape.known:
            return None
        if len(x.shape) < 2:
            raise m.raised("TypeError", f"a picture has at least two axes, this tensor has shape {x.shape!r}", node, "transform/type")
        return x.shape[-2], x.shape[-1]
    return None


def with_sides(m: Machine, x: Any, height: Value, width: Value) -> Value:
    if is_image(x):
        return changed(m, x, height=height, width=width)
    return m.path.taken(x, TensorType(Shape((*x.shape[:-2], height, width)), x.dtype))


def channels_of(x: Any) -> Value:
    return x.space["channels"] if is_image(x) else x.shape[-3] if len(x.shape) >= 3 else 1


def _pair(m: Machine, given: Value, node: ast.AST) -> list[Value]:
    found = m.iterate(given, node) if isinstance(given, (tuple, List)) else None
    return [given] if found is None else found


def each_side(m: Machine, given: Value, node: ast.AST) -> tuple[Value, Any]:
    """A size that is one number for both sides, or (height, width)."""
    found = _pair(m, given, node)
    values = [v if isinstance(v, (int, Term)) else size_symbol(m, "picture side", node) for v in found] or [size_symbol(m, "picture side", node)]
    return values[0], values[-1]


def _lost(m: Machine, name: str, x: Value, node: ast.AST) -> Value:
    if x is None or isinstance(x, (int, float, str)):
        raise m.raised("TypeError", f"{name} takes a picture, not {x!r}", node, "transform/type")
    return m.gap(name, node, "the picture is not understood")


def same(m: Machine, given: Kwargs, x: Any, node: ast.AST) -> Value:
    if sides(m, x, node) is None and not isinstance(x, TensorType):
        return _lost(m, "the transform", x, node)
    return changed(m, x) if is_image(x) else m.path.taken(x, x.but(contents=None))


def tensor_only(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x):
        raise m.raised("TypeError", "this transform takes a tensor, not a PIL image: put it after ToTensor()", node, "transform/type")
    return same(m, given, x, node)


def to_tensor(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x):
        own = element_type(x)
        dtype = own if own.label in ("int32", "float32") else BY_LABEL["int16"] if own.label == "uint16" else FLOAT32
        made = TensorType(Shape((x.space["channels"], x.space["height"], x.space["width"])), dtype)
        return m.path.source(made, "image", 0.0, 1.0) if own.label == "uint8" else made
    if isinstance(x, TensorType) and x.framework == "numpy":
        if not x.shape.known:
            return m.gap("ToTensor", node, "the rank of the array is not known")
        if len(x.shape) not in (2, 3):
            raise m.raised("ValueError", f"ToTensor takes an array with 2 or 3 axes, this one has shape {x.shape!r}", node, "transform/rank")
        shape = (1, *x.shape) if len(x.shape) == 2 else (x.shape[2], x.shape[0], x.shape[1])
        made = TensorType(Shape(shape), FLOAT32 if x.dtype is UINT8 else x.dtype)
        return m.path.source(made, "image", 0.0, 1.0) if x.dtype is UINT8 else made
    if isinstance(x, TensorType):
        raise m.raised("TypeError", "ToTensor takes a PIL image or an array, this is a tensor already", node, "transform/type")
    return _lost(m, "ToTensor", x, node)


def pil_to_tensor(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if not is_image(x):
        if isinstance(x, TensorType):
            raise m.raised("TypeError", f"PILToTensor takes a PIL image, not {_what(x)}", node, "transform/type")
        return _lost(m, "PILToTensor", x, node)
    return TensorType(Shape((x.space["channels"], x.space["height"], x.space["width"])), element_type(x))


def to_image(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x):
        return pil_to_tensor(m, given, x, node)
    if isinstance(x, TensorType) and x.framework == "numpy" and x.shape.known and len(x.shape) in (2, 3):
        return TensorType(Shape((1, *x.shape) if len(x.shape) == 2 else (x.shape[2], x.shape[0], x.shape[1])), x.dtype)
    return x if isinstance(x, TensorType) else _lost(m, "ToImage", x, node)


def to_pil_image(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x):
        raise m.raised("TypeError", "ToPILImage takes a tensor or an array, this is a PIL image already", node, "transform/type")
    if not isinstance(x, TensorType):
        return _lost(m, "ToPILImage", x, node)
    if not x.shape.known:
        return m.gap("ToPILImage", node, "the rank is not known")
    if len(x.shape) not in (2, 3):
        raise m.raised("ValueError", f"ToPILImage takes 2 or 3 axes, this has shape {x.shape!r}", node, "transform/rank")
    if len(x.shape) == 2:
        return image(m, 1, x.shape[0], x.shape[1])
    channels, height, width = (x.shape[2], x.shape[0], x.shape[1]) if x.framework == "numpy" else tuple(x.shape)
    m.require("transform/channels", le(channels, 4), f"an image has at most 4 channels, this has shape {x.shape!r}", node)
    mode = given.get("mode")
    return image(m, channels, height, width, mode if isinstance(mode, str) and mode in CHANNELS else None)


def convert_dtype(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    dtype = given.get("dtype", FLOAT32)
    if is_image(x):
        raise m.raised("TypeError", "ConvertImageDtype takes a tensor, not a PIL image", node, "transform/type")
    if not isinstance(x, TensorType):
        return _lost(m, "ConvertImageDtype", x, node)
    return _retyped(m, x, dtype if isinstance(dtype, DType) else None, scale=True)


def _retyped(m: Machine, x: TensorType, dtype: DType | None, scale: bool) -> Value:
    """Pictures of another element type: whole numbers that become floats are brought into [0, 1] with `scale`."""
    made = x.but(dtype=dtype, contents=None)
    if scale and dtype is not None and dtype.is_float and x.dtype is not None and x.dtype.kind in "iu":
        return m.path.source(made, "image", 0.0, 1.0)
    return m.path.taken(x, made) if not scale or dtype is None or (dtype.is_float and x.dtype is not None and x.dtype.is_float) else made


def to_dtype(m: Machine, given: Kwargs, x: Any, node: ast.AST) -> Value:
    dtype = given.get("dtype", FLOAT32)
    if is_image(x):
        return changed(m, x)
    if not isinstance(x, TensorType):
        return _lost(m, "ToDtype", x, node)
    return _retyped(m, x, dtype, given.get("scale") is True) if isinstance(dtype, DType) else x


def to_rgb(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x):
        return changed(m, x, channels=3, mode="RGB")
    return grayscale(m, {"num_output_channels": 3}, x, node)


def grayscale(m: Machine, given: Kwargs, x: Any, node: ast.AST) -> Value:
    count = given.get("num_output_channels", 1)
    if is_image(x):
        return changed(m, x, channels=count, mode="RGB" if count == 3 else "L")
    if sides(m, x, node) is None or len(x.shape) < 3:
        return _lost(m, "Grayscale", x, node)
    m.require("transform/channels", disj(eq(x.shape[-3], 1), eq(x.shape[-3], 3)), f"Grayscale takes 1 or 3 channels, this tensor has shape {x.shape!r}", node)
    return m.path.taken(x, TensorType(Shape((*x.shape[:-3], count, *x.shape[-2:])), x.dtype))


def check_normalize(m: Machine, given: Mapping[str, Value], node: ast.AST) -> None:
    std = _numbers(m, given.get("std"), node)
    if std is not None and any(v == 0 for v in std if isinstance(v, (int, float))):
        raise m.raised("ValueError", "Normalize divides by a std of 0", node, "transform/normalize")


def _numbers(m: Machine, given: Value, node: ast.AST) -> list[Value] | None:
    if isinstance(given, (int, float)):
        return [given]
    if isinstance(given, TensorType) and given.shape.known and len(given.shape) == 1 and isinstance(given.shape[0], int):
        return [Unknown("a number")] * given.shape[0]
    return m.iterate(given, node) if isinstance(given, (tuple, List)) else None


def normalize(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if is_image(x) or (isinstance(x, TensorType) and x.framework == "numpy"):
        raise m.raised("TypeError", f"Normalize takes a tensor, not {_what(x)}: put it after ToTensor()", node, "transform/type")
    if not isinstance(x, TensorType):
        return _lost(m, "Normalize", x, node)
    if x.dtype is not None and not x.dtype.is_float:
        raise m.raised("TypeError", f"Normalize takes a tensor of floating-point numbers, this one is {x.dtype.label}", node, "transform/type")
    if not x.shape.known:
        return x
    if len(x.shape) < 3:
        raise m.raised("ValueError", f"Normalize takes a tensor (…, C, H, W), this one has shape {x.shape!r}", node, "transform/rank")
    for word in ("mean", "std"):
        found = _numbers(m, given.get(word), node)
        if found is not None and len(found) != 1:
            message = f"Normalize has {len(found)} numbers in its {word} for pictures of shape {x.shape!r}: one for each channel is needed"
            m.require("transform/normalize", eq(x.shape[-3], len(found)), message, node)
    return _normalised(m, x.but(contents=None), _numbers(m, given.get("mean"), node), _numbers(m, given.get("std"), node))


def _normalised(m: Machine, made: TensorType, mean: list[Any] | None, std: list[Value] | None) -> TensorType:
    """The picture with the numbers between which it lies, where it was in [0, 1] and the mean and the deviation are known."""
    numbers = [v for v in (*(mean or ()), *(std or ())) if isinstance(v, (int, float))]
    if not mean or not std or len(numbers) != len(mean) + len(std):
        return made
    pairs = [(a, b) for a, b in zip(mean * (len(std) if len(mean) == 1 else 1), std * (len(mean) if len(std) == 1 else 1)) if b]
    ends = [(x - a) / b for a, b in pairs for x in (0.0, 1.0)]
    return m.path.source(made, "normalised image", min(ends), max(ends)) if ends else made


def resize(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    found = sides(m, x, node)
    if found is None:
        return _lost(m, "Resize", x, node)
    size = _pair(m, given.get("size"), node)
    if len(size) == 2:
        return with_sides(m, x, *each_side(m, given.get("size"), node))
    height, width = found
    most = given.get("max_size")
    if most is not None or not isinstance(size[0], (int, Term)):
        return with_sides(m, x, size_symbol(m, "picture height", node), size_symbol(m, "picture width", node))
    short = size[0]
    if all(isinstance(v, int) for v in (short, height, width)):
        if height <= width:
            return with_sides(m, x, short, int(short * width / height))
        return with_sides(m, x, int(short * height / width), short)
    # the shorter side becomes `short`, the longer one keeps the proportion: all that matters of it is that it is not shorter
    if height == width:
        return with_sides(m, x, short, short)
    longer = m.symbol(m.name_here("longer side", node), short if isinstance(short, int) else 1, None, Origin.USER)
    upright = le(width, height)
    return with_sides(m, x, ite(upright, longer, short), ite(upright, short, longer))


def center_crop(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if sides(m, x, node) is None:
        return _lost(m, "CenterCrop", x, node)
    return with_sides(m, x, *each_side(m, given.get("size"), node))


def resized(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if sides(m, x, node) is None:
        return _lost(m, "RandomResizedCrop", x, node)
    size = _pair(m, given.get("size"), node)
    if len(size) == 1 and "top" in given:
        return resize(m, {"size": given["size"]}, with_sides(m, x, *_known(m, given, node)), node)
    return with_sides(m, x, *each_side(m, given.get("size"), node))


def _known(m: Machine, given: Kwargs, node: ast.AST) -> tuple[Value, Value]:
    height, width = (given[k] if isinstance(given.get(k), (int, Term)) else size_symbol(m, f"picture {k}", node) for k in ("height", "width"))
    return height, width


def cropped(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    return _lost(m, "crop", x, node) if sides(m, x, node) is None else with_sides(m, x, *_known(m, given, node))


def _margins(m: Machine, given: Value, node: ast.AST) -> tuple[Value, Value, Value, Value]:
    """left, top, right, bottom."""
    found = _pair(m, given, node)
    values = [v if isinstance(v, (int, Term)) else size_symbol(m, "padding", node) for v in found]
    if len(values) == 1:
        return values[0], values[0], values[0], values[0]
    if len(values) == 2:
        return values[0], values[1], values[0], values[1]
    if len(values) != 4:
        raise m.raised("ValueError", f"padding is 1, 2 or 4 numbers, not {len(values)}", node, "transform/padding")
    return values[0], values[1], values[2], values[3]


def pad(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    found = sides(m, x, node)
    if found is None:
        return _lost(m, "Pad", x, node)
    left, top, right, bottom = _margins(m, given.get("padding"), node)
    return with_sides(m, x, found[0] + top + bottom, found[1] + left + right)


def random_crop(m: Machine, given: Kwargs, x: Any, node: ast.AST) -> Value:
    if given.get("padding") is not None:
        x = pad(m, {"padding": given["padding"]}, x, node)
    found = sides(m, x, node)
    if found is None:
        return _lost(m, "RandomCrop", x, node)
    wanted = each_side(m, given.get("size"), node)
    if given.get("pad_if_needed", False) is False:
        for word, have, want in zip(("high", "wide"), found, wanted):
            truth = ge(have, want)
            message = f"a crop of {wanted[0]!r}×{wanted[1]!r} does not fit into a picture that is {have!r} {word}"
            if truth is False:
                raise m.raised("ValueError", message, node, "transform/crop")
            m.require("transform/crop", truth, message, node)
    return with_sides(m, x, *wanted)


def rotated(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    if sides(m, x, node) is None:
        return _lost(m, "RandomRotation", x, node)
    if given.get("expand", False) is False:
        return same(m, given, x, node)
    return with_sides(m, x, size_symbol(m, "picture height", node), size_symbol(m, "picture width", node))


def five_crop(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Any:
    found = sides(m, x, node)
    if found is None:
        return _lost(m, "FiveCrop", x, node)
    wanted = each_side(m, given.get("size"), node)
    for have, want in zip(found, wanted):
        m.require("transform/crop", ge(have, want), f"a crop of {wanted[0]!r}×{wanted[1]!r} does not fit into a picture of {found[0]!r}×{found[1]!r}", node)
    return tuple(with_sides(m, x, *wanted) for _ in range(5))


def ten_crop(m: Machine, given: Kwargs, x: Value, node: ast.AST) -> Value:
    return tuple(v for _ in range(2) for v in five_crop(m, given, x, node))
