"""keras.utils and keras.saving: what programs call around their models. Data readers are in keras_datasets and keras_training."""

from __future__ import annotations

import ast

from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.tensorflow import tape
from tensorproof.terms import FLOAT32, Dim, Origin, Shape, TensorType, Term
from tensorproof.values import Args, Key, Kwargs, List, Machine, Model, Named, Unknown, Value, slot

SIZE: Key[tuple[Dim, ...]] = slot("size")
CHANNELS: Key[int] = slot("channels")


def _img_to_array(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A picture as an array with channels at the end."""
    image = args[0] if args else kwargs.get("img")
    if isinstance(image, TensorType):
        shape = image.shape
        return TensorType(Shape((*shape, 1)) if shape.known and len(shape) == 2 else shape, FLOAT32, framework="numpy")
    if isinstance(image, Model) and image.kind == "keras.image":
        return TensorType(Shape((*image.space[SIZE], image.space[CHANNELS])), FLOAT32, framework="numpy")
    made = m.call(Named("numpy.array"), (image,), {}, node)
    if not isinstance(made, TensorType):
        return made
    return made.but(dtype=FLOAT32, shape=Shape((*made.shape, 1)) if made.shape.known and len(made.shape) == 2 else made.shape, contents=None)


def _load_img(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = dict(zip(("path", "color_mode", "target_size", "interpolation", "keep_aspect_ratio"), args)) | kwargs
    mode = "grayscale" if given.get("grayscale") is True else given.get("color_mode", "rgb")
    channels = {"rgb": 3, "rgba": 4, "grayscale": 1}.get(mode) if isinstance(mode, str) else None
    if channels is None:
        raise m.raised("ValueError", f"color_mode is 'rgb', 'rgba' or 'grayscale', and not {mode!r}", node, "keras/word")
    size = given.get("target_size")
    sizes = m.iterate(size, node) if isinstance(size, (List, tuple)) else None
    if sizes is None:
        word = m.name_here("picture", node)
        sizes = [m.symbol(f"{word}.{axis}", 1, None, Origin.USER) for axis in ("height", "width")]
    if not all(isinstance(s, (int, Term)) for s in sizes):
        return m.gap("keras.utils.load_img", node, "its size is not known")
    return Model("keras.image", m.heap.space({"size": tuple(sizes[:2]), "channels": channels}))


def _image_tensor(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    match name:
        case "size":
            return me.space[SIZE][::-1]
        case "mode":
            return {1: "L", 3: "RGB", 4: "RGBA"}[me.space[CHANNELS]]
        case "width" | "height":
            return me.space[SIZE][1 if name == "width" else 0]
        case _:
            return Unknown(name)


def _to_img(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An array with channels as a picture."""
    x = args[0] if args else kwargs.get("x")
    if not isinstance(x, TensorType) or not x.shape.known:
        return m.gap("keras.utils.array_to_img", node, "the array is not known")
    if len(x.shape) != 3:
        raise m.raised("ValueError", f"a picture has three axes, height, width and channels, and this is {x.shape!r}", node, "picture/rank")
    channels = x.shape[-1]
    if isinstance(channels, int) and channels not in (1, 3, 4):
        raise m.raised("ValueError", f"a picture has 1, 3 or 4 channels, and not {channels}", node, "picture/channels")
    return Model("keras.image", m.heap.space({"size": tuple(x.shape[:2]), "channels": channels}))


KINDS = {
    "keras.image": KindModel(attribute=_image_tensor, open=True), "keras.scope": KindModel(enter=lambda m, me, n: me),
    "keras.policy": KindModel(passed=True),
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    "keras.utils.get_source_inputs": lambda m, a, k, n: List(m.heap.row(tape.needed(m, a[0] if a else k.get("tensor")))), "keras.utils.array_to_img": _to_img,
    "keras.utils.is_keras_tensor": lambda m, a, k, n: keras_graph.is_symbolic(a[0]), "keras.utils.img_to_array": _img_to_array,
    "keras.utils.load_img": _load_img,
}  # fmt: skip
