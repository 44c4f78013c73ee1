"""Queues and readers of TensorFlow 1: what comes out of a queue is a batch of what goes in."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, argument, listed
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.version1.graph import LEAVES, axes, begin, operation
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType, conj, eq, unknown_shape
from tensorproof.values import Args, Dict, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

SHAPES: Key[tuple[tuple[Value, ...] | None, ...]] = slot("shapes")
_KINDS: Key[Args] = slot("kinds")

QUEUE, READER = "tf.QueueBase", "tf.ReaderBase"


def _leaf(m: Machine, shape: Any, dtype: Any, node: ast.AST) -> TensorType:
    """A tensor that every run fills from outside."""
    made = tape.leaf(m, TensorType(shape, dtype, framework="tf"))
    m.model_state.setdefault(LEAVES, {})[id(made)] = (made, "queue", "queue", m.user_span(node))
    return made


def _producer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    begin(m)
    return Model(QUEUE, m.heap.space({"kinds": (BY_LABEL["string"],), "shapes": (Shape(),)}))


def _slices(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.train.slice_input_producer([images, labels]): one row of each."""
    begin(m)
    given = m.iterate(argument(args, kwargs, 0, "tensor_list"), node)
    if given is None:
        return m.gap("tf.train.slice_input_producer", node, "its tensors are not known")
    tensors = [t if isinstance(t, TensorType) and t.framework == "tf" else m.spelling("tf.convert_to_tensor", (t,), {}, node) for t in given]
    known = [t for t in tensors if isinstance(t, TensorType) and t.shape.known and len(t.shape)]
    for other in known[1:]:
        m.require("queue/rows", eq(known[0].shape[0], other.shape[0]), f"the tensors have {known[0].shape[0]!r} and {other.shape[0]!r} rows", node)
    return listed(m, [m.item(t, 0, node) for t in tensors])


def _batched(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """(tensor, size, many) → a batch of it."""
    one, size, many = args
    if not one.shape.known:
        return TensorType(unknown_shape(m.name_here("batch", node)), one.dtype, framework="tf")
    return TensorType(Shape((size, *(one.shape[1:] if many else one.shape))), one.dtype, framework="tf")


def _batch(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    begin(m)
    given, size = argument(args, kwargs, 0, "tensors"), argument(args, kwargs, 1, "batch_size")
    many, smaller = kwargs.get("enqueue_many") is True, kwargs.get("allow_smaller_final_batch") is True
    if isinstance(size, TensorType) or (not isinstance(size, (int,)) and not hasattr(size, "parts")):
        return m.gap(f"tf.train.{word}", node, "the size of the batch is not known")
    if smaller:
        size = tape.open_axis(m, m.name_here("batch", node))

    def of(value: Value) -> Any:
        tensor = value if isinstance(value, TensorType) and value.framework == "tf" else m.spelling("tf.convert_to_tensor", (value,), {}, node)
        if not isinstance(tensor, TensorType):
            return tensor
        if tensor.shape.known and any(tape.shown(m, d) is None for d in tensor.shape[1 if many else 0 :]) and kwargs.get("dynamic_pad") is not True:
            raise m.raised("ValueError", f"all shapes must be fully defined, and this one is {tensor.shape!r}", node, "queue/shape")
        return tape.step(m, f"tf.train.{word}", _batched, (tensor, size, many), {}, node)

    rows = [v for v in (given.items.values() if isinstance(given, Dict) else given.items if isinstance(given, List) else ()) if isinstance(v, TensorType)]
    for other in rows[1:] if many else ():
        if rows[0].shape.known and other.shape.known and rows[0].shape and other.shape:
            both = rows[0].shape[0], other.shape[0]
            m.demand("ValueError", eq(*both), f"the tensors have {both[0]!r} and {both[1]!r} rows", node, "queue/rows")
    if isinstance(given, Dict):
        return Dict(m.heap.entries({k: of(v) for k, v in given.items.items()}))
    if isinstance(given, (List, tuple)):
        return listed(m, [of(v) for v in (given.items if isinstance(given, List) else given)])
    return of(given)


def _queue(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """FIFOQueue(capacity, dtypes, shapes); RandomShuffleQueue has one argument more in front of them."""
    begin(m)
    at = 1 if not (len(args) > 1 and isinstance(args[1], int)) else 2
    kinds, shapes = argument(args, kwargs, at, "dtypes"), argument(args, kwargs, at + 1, "shapes")
    listed_ = (kinds,) if isinstance(kinds, DType) else tuple(m.iterate(kinds, node) or ())
    if shapes is None:
        sizes: Value = tuple(None for _ in listed_)
    else:
        given = list(shapes.items) if isinstance(shapes, List) else list(shapes) if isinstance(shapes, tuple) else []
        nested = bool(given) and all(isinstance(g, (List, tuple)) for g in given)
        sizes = tuple(axes(m, g, "queue", node) for g in (given if nested else [shapes]))
    return Model(QUEUE, m.heap.space({"kinds": listed_, "shapes": sizes}))


def _enqueue(many: bool, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "vals")
    values = list(given.items) if isinstance(given, List) else list(given) if isinstance(given, tuple) else [given]
    made: list[Value] = []
    for value, shape in zip(values, me.space[SHAPES]):
        tensor = value if isinstance(value, TensorType) and value.framework == "tf" else m.spelling("tf.convert_to_tensor", (value,), {}, node)
        made.append(tape.step(m, "enqueue", partial(_fits, shape, many), (tensor,), {}, node))
    return operation(m, tuple(made), node)


def _fits(shape: Any, many: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tensor = args[0]
    if shape is not None and isinstance(tensor, TensorType) and tensor.shape.known:
        rest = tensor.shape[1:] if many else tensor.shape
        agree = len(rest) == len(shape) and conj(*(eq(a, b) for a, b in zip(rest, shape)))
        m.require("queue/shape", agree, f"a value of shape {tensor.shape!r} does not go into a queue of {shape!r}", node)
    return tensor


def _dequeue(many: bool, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = argument(args, kwargs, 0, "n") if many else None
    lead = (count,) if many else ()
    kinds, shapes = me.space[_KINDS], me.space[SHAPES]
    made = [_leaf(m, unknown_shape(m.name_here("dequeued", node)) if s is None else Shape((*lead, *s)), k, node) for k, s in zip(kinds, shapes)]
    return made[0] if len(made) == 1 else listed(m, made)


def _reader(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    begin(m)
    return Model(READER, m.heap.space())


_READERS = ("TFRecordReader", "TextLineReader", "WholeFileReader", "FixedLengthRecordReader", "IdentityReader")
_QUEUES = ("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "queue.FIFOQueue", "queue.RandomShuffleQueue", "queue.PaddingFIFOQueue")
FUNCTIONS: dict[str, Any] = {
    **{f"tf.train.{w}": _producer for w in ("string_input_producer", "input_producer", "range_input_producer")}, "tf.train.slice_input_producer": _slices,
    **{f"tf.train.{w}": partial(_batch, w) for w in ("batch", "shuffle_batch", "maybe_batch", "maybe_shuffle_batch")}, **{f"tf.{w}": _reader for w in _READERS},
    **{f"tf.{w}": _queue for w in _QUEUES},
}  # fmt: skip
KINDS: dict[str, KindModel] = {
    QUEUE: KindModel(
        methods={
            "enqueue": partial(_enqueue, False), "enqueue_many": partial(_enqueue, True), "dequeue": partial(_dequeue, False),
            "dequeue_many": partial(_dequeue, True),
            "dequeue_up_to": partial(_dequeue, True), "close": lambda m, me, a, k, n: operation(m, (), n),
            "size": lambda m, me, a, k, n: TensorType(Shape(), BY_LABEL["int32"], framework="tf"),
        },
        open=True, passed=True,
    ),
    READER: KindModel(methods={
        "read": lambda m, me, a, k, n: (_leaf(m, Shape(), BY_LABEL["string"], n), _leaf(m, Shape(), BY_LABEL["string"], n)),
        "read_up_to": lambda m, me, a, k, n: (Unknown("keys"), Unknown("values"))}, open=True),
}  # fmt: skip
