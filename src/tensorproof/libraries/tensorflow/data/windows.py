"""Datasets whose elements are collected by a key or by their length: `group_by_window`, `bucket_by_sequence_length`."""

from __future__ import annotations

import ast

from tensorproof.libraries.plain import argument
from tensorproof.libraries.tensorflow.data.elements import as_arguments, traced
from tensorproof.libraries.tensorflow.data.pipeline import dataset, is_dataset, like, number, padded_batch, unknown_count
from tensorproof.terms import Origin, TensorType
from tensorproof.values import Args, Kwargs, List, Machine, Model, Value

_LENGTHS = ("element_length_func", "bucket_boundaries", "bucket_batch_sizes", "padded_shapes", "padding_values", "pad_to_bucket_boundary", "no_padding",
            "drop_remainder")  # fmt: skip


def _key(m: Machine, me: Model, function: Value, what: str, node: ast.AST) -> Value:
    """What a function says of one element: a single number."""
    made = traced(m, function, as_arguments(me.space["element"]), {}, node)
    many = isinstance(made, TensorType) and made.shape.known and len(made.shape) > 0
    if many or made is None or isinstance(made, (List, tuple)):
        raise m.raised("ValueError", f"{what} must give one whole number for each element", node, "data/window")
    return made


def grouped(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`ds.group_by_window(key_func, reduce_func, window_size)`."""
    key = _key(m, me, argument(args, kwargs, 0, "key_func"), "key_func", node)
    most = number(argument(args, kwargs, 2, "window_size"))

    def reduced(count: Value) -> Value:
        return traced(m, argument(args, kwargs, 1, "reduce_func"), (key, dataset(m, me.space["element"], count, counted=False)), {}, node)

    made = reduced(most) if isinstance(most, int) else None
    if not is_dataset(made) or not isinstance(made, Model):
        return m.gap("Dataset.group_by_window", node, "the size of its windows, or what its function gives, is not known")
    rest = reduced(m.symbol(m.name_here("rest", node), 1, most, Origin.UNMODELLED)) if most > 1 else made
    last = (m.open_truth("a window is not full", node), rest.space["element"]) if isinstance(rest, Model) and made.space["last"] is None else made.space["last"]
    return dataset(m, made.space["element"], unknown_count(m, node), last, opened=True, counted=False)


def by_length(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`ds.bucket_by_sequence_length(length, boundaries, batch_sizes)`: padded batches, each of the size of its bucket."""
    given = {**dict(zip(_LENGTHS, args)), **kwargs}
    bounds, sizes = m.iterate(given.get("bucket_boundaries"), node), m.iterate(given.get("bucket_batch_sizes"), node)
    if bounds is None or not sizes or any(type(size) is not int for size in sizes) or given.get("no_padding", False) is not False:
        return m.gap("Dataset.bucket_by_sequence_length", node, "the sizes of its batches are not known")
    if len(sizes) != len(bounds) + 1:
        message = f"there is one batch size more than boundaries: {len(bounds)} boundaries, {len(sizes)} batch sizes"
        raise m.raised("ValueError", message, node, "data/window")
    _key(m, me, given.get("element_length_func"), "element_length_func", node)
    least, most = min(sizes) if given.get("drop_remainder", False) is True else 1, max(sizes)
    size = most if least == most else m.symbol(m.name_here("bucket", node), least, most, Origin.WORLD)
    made = padded_batch(m, me, (size, given.get("padded_shapes"), given.get("padding_values"), True), {}, node)
    return like(m, made, count=unknown_count(m, node), last=None, opened=True, counted=False) if isinstance(made, Model) else made
