"""The MNIST reader that came with TensorFlow 1 (`input_data.read_data_sets`), with its true shapes."""

from __future__ import annotations

import ast

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.terms import BY_LABEL, Dim, DType, Shape, TensorType, Term, ge
from tensorproof.values import COUNTED, MISSING, Args, Key, Kwargs, Machine, Model, Value, slot

IMAGES: Key[TensorType] = slot("images")
LABELS: Key[TensorType] = slot("labels")
EXAMPLES: Key[Dim] = slot("num_examples")
SET = "tf mnist"
_TRAIN, _TEST = 60_000, 10_000


def _read(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    one_hot, dtype = argument(args, kwargs, 2, "one_hot", False), argument(args, kwargs, 3, "dtype", BY_LABEL["float32"])
    reshape, kept = argument(args, kwargs, 4, "reshape", True), argument(args, kwargs, 5, "validation_size", 5000)
    if not isinstance(one_hot, bool) or not isinstance(reshape, bool) or not isinstance(kept, (int, Term)):
        return m.gap("read_data_sets", node, "an option is not known")
    parts = {"train": _TRAIN - kept, "validation": kept, "test": _TEST}
    return Model("tf mnist sets", m.heap.space({name: _set(m, count, one_hot, reshape, dtype) for name, count in parts.items()}))


def _set(m: Machine, count: Value, one_hot: bool, flat: bool, dtype: Value) -> Model:
    inner = (784,) if flat else (28, 28, 1)
    label = (
        TensorType(Shape((count, 10)), BY_LABEL["float64"], framework="numpy") if one_hot else TensorType(Shape((count,)), BY_LABEL["uint8"], framework="numpy")
    )
    images = TensorType(Shape((count, *inner)), dtype if isinstance(dtype, DType) else BY_LABEL["float32"], framework="numpy")
    return Model(SET, m.heap.space({"images": images, "labels": label, "num_examples": count}))


def _next_batch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size = argument(args, kwargs, 0, "batch_size")
    images, labels, count = me.space[IMAGES], me.space[LABELS], me.space[EXAMPLES]
    if not isinstance(size, (int, Term)):
        return m.gap("next_batch", node, "the size of the batch is not known")
    m.demand("AssertionError", ge(count, size), f"a batch of {size!r} is more than the {count!r} examples", node, "data/batch")
    return tuple(t.but(shape=Shape((size, *t.shape[1:]))) for t in (images, labels))


_SPELLINGS = (
    "tf.examples.tutorials.mnist.input_data.read_data_sets", "tf.contrib.learn.python.learn.datasets.mnist.read_data_sets",
    "tf.contrib.learn.datasets.mnist.read_data_sets",
)  # fmt: skip
FUNCTIONS: dict[str, Run] = dict.fromkeys(_SPELLINGS, _read)
VALUES: dict[str, object] = {"tf.examples.tutorials.mnist.mnist.IMAGE_PIXELS": 784, "tf.examples.tutorials.mnist.mnist.NUM_CLASSES": 10}
KINDS: dict[str, KindModel] = {
    "tf mnist sets": KindModel(),
    SET: KindModel(methods={"next_batch": _next_batch}, attribute=lambda m, me, name, n: COUNTED if name == "epochs_completed" else MISSING),
}
