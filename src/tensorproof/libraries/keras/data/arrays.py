"""keras.utils for arrays: class numbers made one-hot, lists of numbers padded to one length, batches taken apart."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import Iterations, KindModel, Open, Run, argument, bind
from tensorproof.libraries.domains.label_ranges import note, of
from tensorproof.libraries.sequences import tensor_of
from tensorproof.terms import BY_LABEL, DType, Origin, Shape, TensorType, Term, upper
from tensorproof.values import MISSING, Args, Key, Kwargs, List, Machine, Model, Named, Unknown, Value, slot
from tensorproof.values.summaries import is_summarised, number_of, shown
from tensorproof.values.summaries import length as length_of

TENSOR: Key[TensorType] = slot("tensor")
LIST: Key[List] = slot("list")
OBJECTS = "keras.objects"
"""An array of lists of numbers, each of a length of its own."""


def array_of(m: Machine, value: Value, node: ast.AST) -> Any:
    """A list, a column of a table or a tensor as an array; None when it is none."""
    if isinstance(value, TensorType):
        return value
    if isinstance(value, Model) and isinstance(value.space.get(TENSOR), TensorType):
        return value.space[TENSOR].but(framework="numpy")
    if isinstance(value, List) and is_summarised(value.items):
        return tensor_of(value.items, "numpy")
    if isinstance(value, Model) and value.kind in ("pandas.Series", "pandas.DataFrame"):
        return m.call(m.attribute(value, "to_numpy", node), (), {}, node)
    if isinstance(value, (List, tuple)) and not isinstance(value, Unknown):
        return m.call(Named("numpy.array"), (value,), {}, node)
    return None


def enough(count: Value, classes: Value) -> bool:
    """Whether so many samples hold every class with near certainty."""
    return isinstance(count, int) and isinstance(classes, int) and count >= 20 * classes


def _categorical(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, classes = argument(args, kwargs, 0, "x", kwargs.get("y")), argument(args, kwargs, 1, "num_classes")
    x = array_of(m, given, node)
    if not isinstance(x, TensorType) or not x.shape.known:
        return Unknown("one-hot labels") if isinstance(given, Unknown) else m.gap("to_categorical", node, "its labels are not understood")
    shape = Shape(x.shape[:-1]) if len(x.shape) > 1 and x.shape[-1] == 1 else x.shape
    known = of(m, x)
    if classes is None or classes == 0:
        if (x.contents is not None and known is not None) or (known is not None and enough(x.shape.numel, known[1])):
            classes = known[1]
        else:
            classes = m.symbol(m.name_here("classes", node), 1, None, Origin.USER)
    elif isinstance(classes, int) and x.framework == "numpy" and known is not None and isinstance(known[1], int) and known[1] > classes and (
        x.contents is not None or enough(x.shape.numel, known[1])
    ):  # fmt: skip
        message = f"to_categorical has num_classes={classes}, and the labels go up to {known[1] - 1}: index {known[1] - 1} is out of bounds"
        raise m.raised("IndexError", message, node, "keras/classes")
    if not isinstance(classes, (int, Term)):
        return m.gap("to_categorical", node, "the number of classes is not known")
    made = TensorType(Shape((*shape, classes)), BY_LABEL["float32" if x.framework == "tf" else "float64"], framework=x.framework)
    return m.path.source(made, "one-hot labels", 0.0, 1.0)


def _normalize(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = array_of(m, argument(args, kwargs, 0, "x"), node)
    if not isinstance(x, TensorType):
        return Unknown("normalised data")
    keeps = x.dtype is not None and x.dtype.is_float
    made = x.but(dtype=x.dtype if keeps else BY_LABEL["float64" if x.framework == "numpy" else "float32"], contents=None)
    return m.path.source(made, "normalised data", -1.0, 1.0)


def lists(m: Machine, value: Value, node: ast.AST) -> tuple[Value, list[Any] | None, Any]:
    """How many lists of numbers there are, the lengths of each where they are known, and what their numbers stay below (None: unknown)."""
    if isinstance(value, Model) and value.kind == OBJECTS:
        value = value.space[LIST]
    if isinstance(value, (List, tuple)):
        items = list(value.items if isinstance(value, List) else value)
        samples = shown(items)
        sizes = [m.call(len, (i,), {}, node) if isinstance(i, (List, tuple, TensorType, Model)) else None for i in samples]
        count = length_of(items)
        known = all(isinstance(s, int) for s in sizes) and isinstance(count, int) and (count == len(items) or len(set(sizes)) == 1)
        return count if isinstance(count, (int, Term)) else None, sizes if known else None, _below(samples)
    if isinstance(value, TensorType) and value.shape.known and value.shape:
        same = value.shape[1] if len(value.shape) > 1 else None
        held = of(m, value)
        return value.shape[0], None if same is None else [same], None if held is None else held[1]
    if isinstance(value, Model) and value.kind == "pandas.Series":
        return value.space["rows"], None, None
    return None, None, None


def _below(samples: list[Value]) -> Value:
    """What all numbers in some lists stay below."""
    found = 0
    for one in samples:
        for number in shown(one.items) if isinstance(one, List) else (None,):
            most = upper(number) if isinstance(number, (int, Term)) else float("inf")
            if most == float("inf"):
                return None
            found = max(found, int(most) + 1)
    return found or None


def _padded(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = bind(m, "keras.utils.pad_sequences", args, kwargs, node).all()
    for name in ("padding", "truncating"):
        word = given.get(name, "pre")
        if isinstance(word, str) and word not in ("pre", "post"):
            raise m.raised("ValueError", f"{name} of pad_sequences is 'pre' or 'post', not {word!r}", node, "call/arguments")
    value = given.get("sequences")
    count, sizes, most = lists(m, value, node)
    if isinstance(value, List) and value.items and all(number_of(v) for v in shown(value.items)):
        raise m.raised("ValueError", "pad_sequences takes a list of lists, and gets a list of numbers", node, "keras/sequences")
    if count is None:
        if not isinstance(value, Unknown):
            return m.gap("pad_sequences", node, "the lists are not understood")
        count = m.symbol(m.name_here("samples", node), 1, None, Origin.USER)
    length = given.get("maxlen")
    if length is None:
        length = max(sizes) if sizes and all(type(s) is int for s in sizes) else sizes[0] if sizes else m.symbol(
            m.name_here("longest", node), 1, None, Origin.USER)  # fmt: skip
    if not isinstance(length, (int, Term)):
        return m.gap("pad_sequences", node, "maxlen is not known")
    inner = tuple(value.shape[2:]) if isinstance(value, TensorType) and value.shape.known else ()
    dtype = given.get("dtype", "int32")
    label = dtype if isinstance(dtype, DType) else BY_LABEL.get({"float": "float64", "int": "int64"}.get(dtype, dtype)) if isinstance(dtype, str) else None
    made = TensorType(Shape((count, length, *inner)), label, framework="numpy")
    return note(m, made, 0, most) if most is not None else made


def _objects_attribute(m: Machine, me: Model, name: str) -> Value:
    count = length_of(me.space[LIST].items)
    return {"shape": (count,), "ndim": 1, "size": count, "dtype": "object"}.get(name, MISSING)


def _objects_iterations(me: Model) -> Value:
    items = me.space[LIST].items
    samples, count = shown(items), length_of(items)
    if not is_summarised(items) or len(items) != 1:
        return None if is_summarised(items) else Iterations([(True, v) for v in items], (1,) * len(items))
    return Open(count, lambda k: samples[0] if k == 0 else samples[-1], 1)


def _objects_item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    found = m.item(me.space[LIST], index, node)
    return Model(OBJECTS, m.heap.space({"list": found})) if isinstance(index, slice) and isinstance(found, List) else found


def _packed(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, y, weight = (argument(args, kwargs, i, n) for i, n in enumerate(("x", "y", "sample_weight")))
    if y is None:
        return (x,) if isinstance(x, (tuple, List)) else x
    return (x, y) if weight is None else (x, y, weight)


def unpacked(m: Machine, data: Value, node: ast.AST) -> tuple[Value, Value, Value]:
    """`x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`."""
    parts = tuple(data.items) if isinstance(data, List) else data
    if type(parts) is not tuple:
        return parts, None, None
    if not 1 <= len(parts) <= 3:
        raise m.raised("ValueError", f"a batch is x, (x, y) or (x, y, sample_weight), and this has {len(parts)} parts", node, "keras/batch")
    return (*parts, *(None,) * (3 - len(parts)))


_UTILS: dict[str, Run] = {
    "to_categorical": _categorical, "normalize": _normalize, "pad_sequences": _padded, "pack_x_y_sample_weight": _packed,
    "unpack_x_y_sample_weight": lambda m, a, k, n: unpacked(m, argument(a, k, 0, "data"), n),
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    **{f"keras.utils.{n}": f for n, f in _UTILS.items()},
}  # fmt: skip
KINDS = {
    OBJECTS: KindModel(
        {"tolist": lambda m, me, a, k, n: me.space[LIST]},
        attribute=lambda m, me, name, node: _objects_attribute(m, me, name),
        length=lambda m, me, node: length_of(me.space[LIST].items), item=lambda m, me, index, node: _objects_item(m, me, index, node),
        iterations=lambda m, me, node: _objects_iterations(me), items=lambda m, me, node: m.iterate(me.space[LIST], node),
    ),
}  # fmt: skip
