"""PIL: an image has a mode, which is unknown of a file that is opened, and a size, which the user knows."""

from __future__ import annotations

import ast
import re
from typing import Any, TypeGuard

from tensorproof.libraries import ClassModel, KindModel, Run
from tensorproof.terms import BY_LABEL, Dim, DType, Origin, Shape, TensorType, Term, eq, ite
from tensorproof.values import MISSING, Args, Choice, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

DEPTH: Key[Dim] = slot("channels")
IMAGE = "PIL.Image.Image"
CHANNELS = {
    "1": 1, "L": 1, "P": 1, "I": 1, "F": 1, "I;16": 1, "LA": 2, "PA": 2, "RGB": 3, "YCbCr": 3, "LAB": 3, "HSV": 3, "RGBA": 4, "CMYK": 4, "RGBX": 4, "RGBa": 4,
}  # fmt: skip
_ELEMENTS = {"1": "bool", "I": "int32", "F": "float32", "I;16": "uint16"}


def is_image(value: Value) -> TypeGuard[Model]:
    return isinstance(value, Model) and value.kind == IMAGE


def image(m: Machine, channels: Value, height: Value, width: Value, mode: Value = None) -> Model:
    """An image. Without a mode the number of channels tells it."""
    if mode is None:
        mode = {1: "L", 3: "RGB", 4: "RGBA", 2: "LA"}.get(channels) if isinstance(channels, int) else _mode_of(channels)
    return Model(IMAGE, m.heap.space({"channels": channels, "height": height, "width": width, "mode": mode}))


def _mode_of(channels: Any) -> Value:
    return Choice(eq(channels, 1), "L", Choice(eq(channels, 4), "RGBA", "RGB"), 2)


def changed(m: Machine, me: Model, **changes: Value) -> Model:
    return Model(IMAGE, m.heap.space({**me.space, **changes}))


def size_symbol(m: Machine, word: str, node: ast.AST) -> Value:
    """A size that the user knows and the program does not tell."""
    return m.symbol(m.name_here(word, node), 1, None, Origin.USER)


def any_channels(m: Machine, node: ast.AST) -> Value:
    """Gray, RGB or with transparency: 1, 3 or 4 channels."""
    drawn = m.symbol(m.name_here("channels of the image", node), 1, 4, Origin.WORLD)
    return ite(eq(drawn, 2), 3, drawn)


def element_type(me: Model) -> DType:
    mode = me.space["mode"]
    return BY_LABEL[_ELEMENTS.get(mode, "uint8") if isinstance(mode, str) else "uint8"]


def array_of(m: Machine, me: Model, node: ast.AST) -> Value:
    """np.array(image): two axes for one channel, three for more."""
    channels, height, width = me.space[DEPTH], me.space["height"], me.space["width"]
    dtype = element_type(me)

    def flat() -> Value:
        return TensorType(Shape((height, width)), dtype, framework="numpy")

    return m.branching.choose(eq(channels, 1), flat, lambda: TensorType(Shape((height, width, channels)), dtype, framework="numpy"))


_LABEL_MAP = r"mask|label|lbl|annot|segm|ground_?truth|\bgt|_gt\b|trimap|palette"


def _is_label_map(node: ast.AST) -> bool:
    """Whether the file is named as one whose pixels are class numbers (`masks/7.png`): such images have one channel, and are not converted."""
    return isinstance(node, ast.Call) and any(re.search(_LABEL_MAP, ast.unparse(given), re.IGNORECASE) for given in node.args[:1])


def _open(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return image(m, 1 if _is_label_map(node) else any_channels(m, node), size_symbol(m, "image height", node), size_symbol(m, "image width", node))


def _size(m: Machine, given: Value, node: ast.AST) -> tuple[Value, Value]:
    """(width, height) of a size that the program gives."""
    found = m.iterate(given, node) if isinstance(given, (tuple, List)) else None
    if found is None or len(found) != 2:
        return size_symbol(m, "image width", node), size_symbol(m, "image height", node)
    width, height = (v if isinstance(v, (int, Term)) else int(v) if isinstance(v, float) else size_symbol(m, "image side", node) for v in found)
    return width, height


def _new(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    mode, given = args[0] if args else kwargs.get("mode"), args[1] if len(args) > 1 else kwargs.get("size")
    width, height = _size(m, given, node)
    return image(m, CHANNELS.get(mode, 3) if isinstance(mode, str) else any_channels(m, node), height, width, mode if isinstance(mode, str) else None)


def _from_array(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("obj")
    mode = args[1] if len(args) > 1 else kwargs.get("mode")
    if isinstance(given, Choice):
        return m.branching.choose(
            given.condition, lambda: _from_array(m, (given.then, *args[1:]), kwargs, node), lambda: _from_array(m, (given.other, *args[1:]), kwargs, node)
        )
    if not isinstance(given, TensorType):
        return m.gap("PIL.Image.fromarray", node, "the array is not known")
    if given.framework == "torch":
        raise m.raised("AttributeError", "Image.fromarray takes a NumPy array, this is a torch tensor", node)
    if not given.shape.known:
        return m.gap("PIL.Image.fromarray", node, "the rank of the array is not known")
    shape, dtype = given.shape, given.dtype
    if len(shape) not in (2, 3):
        raise m.raised("TypeError", f"an image is made of an array with 2 or 3 axes, this one has shape {shape!r}", node, "image/array")
    if len(shape) == 2:
        own = {"bool": "1", "int32": "I", "float32": "F", "uint16": "I;16", "float64": "F"}.get(dtype.label if dtype else "", "L")
        if dtype is not None and mode is None and dtype.label in ("int64", "float16"):
            raise m.raised("TypeError", f"an image cannot be made of an array of {dtype.label}", node, "image/array")
        return image(m, 1, shape[0], shape[1], mode if isinstance(mode, str) else own)
    if dtype is not None and dtype.label not in ("uint8", "bool", "int8") and mode is None:
        raise m.raised("TypeError", f"a colour image is made of an array of uint8, this one is {dtype.label}", node, "image/array")
    channels = shape[2]
    if isinstance(channels, int) and channels not in (2, 3, 4):
        raise m.raised("TypeError", f"the last axis of an image's array is its 2, 3 or 4 channels, this one has shape {shape!r}", node, "image/array")
    return image(m, channels, shape[0], shape[1], mode if isinstance(mode, str) else None)


def _merge(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    bands = m.iterate(args[1], node) if len(args) > 1 else None
    if isinstance(args[0], str) and bands and is_image(bands[0]):
        return image(m, CHANNELS.get(args[0], 3), bands[0].space["height"], bands[0].space["width"], args[0])
    return _open(m, args, kwargs, node)


def _convert(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    mode = args[0] if args else kwargs.get("mode")
    if isinstance(mode, Choice):
        return m.branching.choose(mode.condition, lambda: _convert(m, me, (mode.then,), {}, node), lambda: _convert(m, me, (mode.other,), {}, node))
    if mode is None:
        return changed(m, me)
    if not isinstance(mode, str):
        return changed(m, me, channels=any_channels(m, node), mode=Unknown("mode"))
    if mode not in CHANNELS:
        raise m.raised("ValueError", f"there is no image mode {mode!r}", node, "image/mode")
    return changed(m, me, channels=CHANNELS[mode], mode=mode)


def _resize(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    width, height = _size(m, args[0] if args else kwargs.get("size"), node)
    return changed(m, me, width=width, height=height)


def _crop(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    box = args[0] if args else kwargs.get("box")
    found = m.iterate(box, node) if isinstance(box, (tuple, List)) else None
    if box is None:
        return changed(m, me)
    if found is None or len(found) != 4 or any(not isinstance(v, (int, Term)) for v in found):
        return changed(m, me, width=size_symbol(m, "image width", node), height=size_symbol(m, "image height", node))
    return changed(m, me, width=found[2] - found[0], height=found[3] - found[1])


def _rotate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    expand = kwargs.get("expand", args[2] if len(args) > 2 else False)
    if expand in (False, 0):
        return changed(m, me)
    return changed(m, me, width=size_symbol(m, "image width", node), height=size_symbol(m, "image height", node))


def _transpose(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    how = args[0] if args else kwargs.get("method")
    word = how.rpartition(".")[2] if isinstance(how, str) else None
    if word in ("FLIP_LEFT_RIGHT", "FLIP_TOP_BOTTOM", "ROTATE_180") or how in (0, 1, 3):
        return changed(m, me)
    if word is None and not isinstance(how, int):
        return changed(m, me, width=size_symbol(m, "image width", node), height=size_symbol(m, "image height", node))
    return changed(m, me, width=me.space["height"], height=me.space["width"])


def _thumbnail(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "width", size_symbol(m, "image width", node))
    m.heap.set(me.space, "height", size_symbol(m, "image height", node))


def _split(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    channels = me.space["channels"]
    if not isinstance(channels, int):
        return m.gap("Image.split", node, "the mode of the image is not known")
    return tuple(changed(m, me, channels=1, mode="L") for _ in range(channels))


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "size":
        return me.space["width"], me.space["height"]
    if name in ("width", "height", "mode"):
        return me.space[name]
    if name in ("format", "info", "filename", "palette", "is_animated", "n_frames"):
        return Unknown(name)
    if name == "shape":
        raise m.raised("AttributeError", "a PIL image has no shape: use size, or np.array(image).shape", node)
    return MISSING


def _same_image(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return changed(m, args[0]) if args and is_image(args[0]) else m.gap("PIL.ImageOps", node, "the image is not known")


def _fitted(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not args or not is_image(args[0]):
        return m.gap("PIL.ImageOps", node, "the image is not known")
    width, height = _size(m, args[1] if len(args) > 1 else kwargs.get("size"), node)
    return changed(m, args[0], width=width, height=height)


def _grayscale(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return changed(m, args[0], channels=1, mode="L") if args and is_image(args[0]) else m.gap("PIL.ImageOps.grayscale", node, "the image is not known")


METHODS: dict[str, Any] = {
    "convert": _convert, "resize": _resize, "crop": _crop, "rotate": _rotate, "transpose": _transpose, "thumbnail": _thumbnail, "split": _split,
    **dict.fromkeys(("copy", "filter", "quantize", "effect_spread", "point", "reduce_gap", "transform"), lambda m, me, a, k, n: changed(m, me)),
}  # fmt: skip
KINDS = {
    IMAGE: KindModel(METHODS, _attribute, enter=lambda m, me, node: me),
    "PIL.ImageEnhance.Enhance": KindModel({"enhance": lambda m, me, a, k, n: me.space["image"]}),
}
FUNCTIONS: dict[str, Run] = {
    "PIL.Image.open": _open, "PIL.Image.new": _new, "PIL.Image.fromarray": _from_array, "PIL.Image.merge": _merge, "PIL.Image.blend": _same_image,
    "PIL.Image.composite": _same_image, "PIL.Image.alpha_composite": _same_image,
    **{f"PIL.ImageEnhance.{n}": lambda m, a, k, n: Model("PIL.ImageEnhance.Enhance", m.heap.space({"image": a[0] if a else k.get("image")}))
        for n in ("Color", "Contrast", "Brightness", "Sharpness")},
    **{f"PIL.ImageOps.{n}": _same_image for n in ("autocontrast", "equalize", "flip", "mirror", "invert", "posterize", "solarize", "exif_transpose")},
    "PIL.ImageOps.fit": _fitted, "PIL.ImageOps.pad": _fitted, "PIL.ImageOps.grayscale": _grayscale,
}  # fmt: skip
CLASSES = {IMAGE: ClassModel(IMAGE, closed=False)}
