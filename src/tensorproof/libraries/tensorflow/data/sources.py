"""tf.data: where datasets come from, datasets of datasets, and what a program asks of one. The other methods are in `pipeline`."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, mapped, tensors_in
from tensorproof.libraries.tensorflow.data import pipeline, windows
from tensorproof.libraries.tensorflow.data.elements import CHOSEN, SPEC, as_arguments, element_of, rows, scalar, spec_of, tensor_of_spec, traced, varying
from tensorproof.libraries.tensorflow.data.iterators import check_fits, spec_attribute, spec_binary, spec_from_tensor, spec_of_types, tensor_spec
from tensorproof.libraries.tensorflow.data.kept import LAST, OPENED, last_of, size_of
from tensorproof.libraries.tensorflow.data.pipeline import DATASET, ENDLESS, agree, dataset, is_dataset, like, number, unknown_count, zipped
from tensorproof.terms import BY_LABEL, Origin, Shape, TensorType, Term, ceildiv, lower, maximum, symbols, upper
from tensorproof.values import MISSING, Args, Choice, Dict, Generator, Iterator, Kwargs, List, Machine, Model, Named, Native, Unknown, Value


def _from_tensor_slices(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name = argument(args, kwargs, 1, "name")
    if isinstance(name, (int, float, tuple, List, TensorType)):
        message = "the second argument of from_tensor_slices is a name, and so a text: give several tensors as one tuple"
        raise m.raised("AttributeError", message, node, "call/arguments")
    whole = element_of(m, argument(args, kwargs, 0, "tensors"), node)
    if isinstance(whole, Unknown):
        return whole if whole.reason else m.gap("Dataset.from_tensor_slices", node, "of something that is not known")
    if isinstance(whole, Model) and whole.kind == "tf.RaggedTensor":
        return dataset(m, whole.space["row"], whole.space["count"])
    found = tensors_in(whole)
    if not found:
        return m.gap("Dataset.from_tensor_slices", node, "of something that is not known")
    agree(m, found, node, "data/slices", "from_tensor_slices")
    known = next((t for t in found if t.shape.known), None)
    return dataset(m, rows(m, whole, node), unknown_count(m, node) if known is None else known.shape[0])


def _range(m: Machine, args: Args, kwargs: Any, node: ast.AST) -> Value:
    given = [number(a) for a in args]
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (given[0], given[1], given[2] if len(given) > 2 else 1)
    element = TensorType(Shape(), kwargs.get("output_type", BY_LABEL["int64"]), framework="tf")
    if not isinstance(step, int) or step == 0 or not all(isinstance(v, (int, Term)) for v in (start, stop)):
        return dataset(m, element, unknown_count(m, node))
    count = ceildiv(stop - start, step) if step > 0 else ceildiv(start - stop, -step)
    if isinstance(start, int) and isinstance(stop, int) and stop - start > 1 and step == 1 and element.dtype is BY_LABEL["int64"]:
        element = element.but(contents=(varying(m, start, stop - 1, node),))
    return dataset(m, element, max(count, 0) if isinstance(count, int) else maximum(count, 0))


def _from_generator(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    make, given = argument(args, kwargs, 0, "generator"), argument(args, kwargs, 3, "args", ())
    spec = kwargs.get("output_signature", args[4] if len(args) > 4 else None)
    if spec is None:
        types, shapes = argument(args, kwargs, 1, "output_types"), argument(args, kwargs, 2, "output_shapes")
        if types is None:
            raise m.raised("TypeError", "from_generator needs output_signature or output_types", node, "call/arguments")
        spec = spec_of_types(m, types, shapes, node)
    sample, count = _first_of(m, make, given, node)
    if sample is not MISSING and not isinstance(sample, Unknown):
        sample = element_of(m, sample if not isinstance(sample, List) or not isinstance(spec, tuple) else tuple(sample.items), node)
        check_fits(m, sample, spec, node)
    known = sample if sample is not MISSING else None
    return dataset(m, tensor_of_spec(m, spec, node, known), unknown_count(m, node) if count is None else count, counted=False)


_ENDED: object = object()
MOST_COUNTED, MOST_STEPS = 2048, 20_000
"""A generator is counted up to here, and while it takes no more steps than this."""


def _first_of(m: Machine, make: Value, given: Value, node: ast.AST) -> tuple[Value, Value]:
    """What a generator gives first, and how often it gives something; MISSING and None when that is unknown."""
    source = m.call(make, tuple(m.iterate(given, node) or ()), {}, node)
    if not isinstance(source, (Generator, Iterator)):
        listed = None if isinstance(source, Unknown) else m.iterate(source, node)
        if not listed:
            return MISSING, None
        return _standing(m, {_kind(one): one for one in reversed(listed)}, listed[0], node), len(listed)
    began, forks = m.steps, m.branching.count
    first = m.call(next, (source, _ENDED), {}, node)
    count, kinds = 0 if first is _ENDED else 1, {_kind(first): first}
    while count and m.steps - began < MOST_STEPS and m.branching.count == forks:
        one = m.call(next, (source, _ENDED), {}, node)
        if one is _ENDED:
            return _standing(m, kinds, first, node), count
        kinds.setdefault(_kind(one), one)
        count += 1
        if count >= MOST_COUNTED:
            break
    return (MISSING, None) if first is _ENDED else (_standing(m, kinds, first, node), None)


def _kind(element: Value) -> object:
    """The shapes of an element, by which the elements of a generator differ."""
    match element:
        case TensorType():
            return tuple(element.shape) if element.shape.known else None
        case List():
            return ("list", len(element.items), _kind(element.items[0]) if element.items else None)
        case Dict():
            return tuple((k, _kind(v)) for k, v in element.items.items())
        case tuple():
            return tuple(map(_kind, element))
        case _:
            return None


def _standing(m: Machine, kinds: dict[object, Value], first: Value, node: ast.AST) -> Value:
    """What stands for all elements of a generator."""
    if len(kinds) == 1:
        return first
    found = element_of(m, first, node)
    for one in kinds.values():
        if one is not first and found is not MISSING:
            found = _differing(m, found, element_of(m, one, node), node)
    return found


def _differing(m: Machine, first: Value, other: Value, node: ast.AST) -> Value:
    """What stands for elements of which the sizes differ, where the world or the program chooses them; MISSING for any other."""
    theirs = iter(tensors_in(other))
    pairs = [(t, next(theirs, None)) for t in tensors_in(first)]
    for a, b in pairs:
        if b is None or not a.shape.known or not b.shape.known or len(a.shape) != len(b.shape):
            return MISSING
        sizes = [d for x, y in zip(a.shape, b.shape) if x != y for d in (x, y) if isinstance(d, Term)]
        if any(atom.origin is not Origin.WORLD for d in sizes for atom in symbols(d)):
            return MISSING
    others = iter([b for _, b in pairs])

    def act(t: TensorType) -> TensorType:
        both = zip(t.shape, next(others).shape)  # type: ignore[union-attr]
        return t.sized(Shape(x if x == y else _between(m, x, y, node) for x, y in both))

    return mapped(m, first, act)


def _between(m: Machine, a: Any, b: Any, node: ast.AST) -> Value:
    most = max(upper(a), upper(b))
    made = varying(m, max(int(min(lower(a), lower(b))), 0), int(most) if most < 1 << 60 else None, node)
    if most < 1 << 60:
        m.model_state.setdefault(CHOSEN, set()).update(symbols(made))
    return made


def _strings(counted: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Files, lines and records: texts of which there is an unknown number."""
    return dataset(m, scalar("string"), unknown_count(m, node), counted=counted)


def _zip(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if len(args) == 1 else args if args else kwargs.get("datasets")
    return zipped(m, given, node)


def _one_of(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """sample_from_datasets: elements of any of them."""
    found = m.iterate(argument(args, kwargs, 0, "datasets"), node)
    if not found or not all(map(is_dataset, found)):
        return m.gap("Dataset.sample_from_datasets", node, "of datasets that are not known")
    shapes = [[t.shape for t in tensors_in(d.space["element"])] for d in found]
    if any(s != shapes[0] for s in shapes) or any(d.space[LAST] is not None for d in found):
        return m.gap("Dataset.sample_from_datasets", node, "of elements with different shapes")
    endless = all(d.space["count"] is ENDLESS for d in found)
    return like(m, found[0], count=ENDLESS if endless else unknown_count(m, node), counted=False)


def _counter(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return dataset(m, scalar("int64"), ENDLESS)


def _window(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size, shift = number(argument(args, kwargs, 0, "size")), number(argument(args, kwargs, 1, "shift"))
    stride, dropping = number(argument(args, kwargs, 2, "stride", 1)), argument(args, kwargs, 3, "drop_remainder", False)
    shift = size if shift is None else shift
    count, element = me.space["count"], me.space["element"]
    if not isinstance(size, (int, Term)) or me.space[LAST] is not None:
        return m.gap("Dataset.window", node, "its size is not known")
    inner = mapped(m, element, lambda t: dataset(m, t, size))
    windows: Value = ENDLESS if count is ENDLESS else unknown_count(m, node)
    if all(isinstance(v, int) for v in (count, size, shift, stride)):
        windows = max((count - (size - 1) * stride - 1) // shift + 1, 0) if dropping is True else ceildiv(size_of(count), shift)
    if dropping is True or count is ENDLESS:
        return dataset(m, inner, windows)
    rest = m.symbol(m.name_here("the last windows", node), 1, size - 1 if isinstance(size, int) and size > 1 else None, Origin.WORLD)
    whole = isinstance(count, int) and isinstance(size, int) and stride == 1 and shift == size and count % size == 0
    last = None if whole or size == 1 else (True, mapped(m, element, lambda t: dataset(m, t, rest)))
    return dataset(m, inner, windows, last)


def _flat_map(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function = argument(args, kwargs, 0, "map_func")
    made = _flattened(m, traced(m, function, as_arguments(me.space["element"]), {}, node), node)
    if not is_dataset(made):
        return made
    count, each, last = me.space["count"], made.space["count"], made.space[LAST]
    if me.space[LAST] is not None:
        ending = _flattened(m, traced(m, function, as_arguments(last_of(me)[1]), {}, node), node)
        if not is_dataset(ending):
            return ending
        made = like(m, made, element=_both(m, made.space["element"], ending.space["element"], node))
    total: Value = ENDLESS if ENDLESS in (count, each) else unknown_count(m, node)
    if all(isinstance(v, (int, Term)) for v in (count, each)) and last is None and me.space[LAST] is None:
        total = count * each
    return like(m, made, count=total, last=last, counted=False)


def _both(m: Machine, regular: Value, ending: Value, node: ast.AST) -> Value:
    """An element that is a whole window or one of the shorter ones at the end."""
    theirs = iter(tensors_in(ending))

    def act(t: TensorType) -> TensorType:
        other = next(theirs, t)
        if not t.shape.known or not other.shape.known or len(t.shape) != len(other.shape) or t.shape == other.shape:
            return t
        sizes = [a if a == b else varying(m, max(int(lower(b)), 0), int(upper(a)) if upper(a) < 1 << 60 else None, node) for a, b in zip(t.shape, other.shape)]
        return t.sized(Shape(sizes))

    return mapped(m, regular, act)


def _apply(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = m.call(argument(args, kwargs, 0, "transformation_func"), (me,), {}, node)
    if not is_dataset(made) and not isinstance(made, (Unknown, Choice)):
        raise m.raised("TypeError", "the function of apply must give a dataset", node, "data/flat-map")
    return made


def _flattened(m: Machine, value: Value, node: ast.AST) -> Any:
    if is_dataset(value):
        return value
    if isinstance(value, Unknown):
        return m.gap("Dataset.flat_map", node, "what its function gives is not known")
    raise m.raised("TypeError", "the function of flat_map and interleave must give a dataset", node, "data/flat-map")


def _enumerate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    last = me.space[LAST]
    return like(m, me, element=(scalar("int64"), me.space["element"]), last=None if last is None else (last[0], (scalar("int64"), last[1])), opened=False)


def _reduce(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    state, function = element_of(m, argument(args, kwargs, 0, "initial_state"), node), argument(args, kwargs, 1, "reduce_func")
    element = me.space["element"]
    given = element if type(element) is tuple else (element,)
    new = element_of(m, traced(m, function, (state, element if type(element) is tuple else given[0]), {}, node), node)
    if not _keeps_state(m, state, new, node):
        return m.gap("Dataset.reduce", node, "its state changes its shape")
    return mapped(m, new, lambda t: t.but(contents=None))


def _keeps_state(m: Machine, state: Value, new: Value, node: ast.AST) -> bool:
    """What an iteration leaves has the structure and the element types of what it began with; whether also the shapes."""
    before, after = tensors_in(state), tensors_in(new)
    if len(before) != len(after) and not isinstance(new, (Unknown, Model)):
        raise m.raised("TypeError" if new is None else "InvalidArgumentError", "the new state must have the structure of the initial state", node, "loop/shape")
    for a, b in zip(before, after):
        if None is not a.dtype is not b.dtype is not None:
            message = f"the new state must have the element type of the initial state, {a.dtype!r}, and has {b.dtype!r}"
            raise m.raised("TypeError", message, node, "loop/shape")
    return all(a.shape == b.shape for a, b in zip(before, after) if a.shape.known and b.shape.known)


def _scan(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    state, function = element_of(m, argument(args, kwargs, 0, "initial_state"), node), argument(args, kwargs, 1, "scan_func")
    found = traced(m, function, (state, me.space["element"]), {}, node)
    parts = None if isinstance(found, Unknown) else m.iterate(found, node)
    if parts is None or len(parts) != 2:
        return m.gap("Dataset.scan", node, "what its function gives is not known")
    if not _keeps_state(m, state, element_of(m, parts[0], node), node):
        return m.gap("Dataset.scan", node, "its state changes its shape")
    return like(m, me, element=element_of(m, parts[1], node), last=None)


def _numpy(m: Machine, value: Value) -> Value:
    return mapped(m, value, lambda t: t.but(framework="numpy"))


def _as_numpy(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    last = me.space[LAST]
    source = like(m, me, element=_numpy(m, me.space["element"]), last=None if last is None else (last[0], _numpy(m, last[1])))
    return Model("data iterator", m.heap.space({"source": source}))


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    if name == "element_spec":
        return spec_of(m, me.space["element"], me.space[OPENED])
    if name in ("class_names", "file_paths"):
        return me.space.get(name, MISSING)
    if name in _STATIC:
        return Named(f"{DATASET}.{name}")
    raise m.raised("AttributeError", f"a Dataset has no attribute {name}", node)


def _later(method: Any) -> Run:
    """An old function that gives a transformation for `apply`."""
    return lambda m, args, kwargs, node: Native("transformation", lambda machine, inner, named, at: method(machine, inner[0], args, kwargs, at))


def _assert_cardinality(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.values.objects import Native

    count = number(argument(args, kwargs, 0, "expected_cardinality"))
    known = isinstance(count, (int, Term)) and count not in (-1, -2)

    def act(machine: Machine, inner: Any, named: Value, at: Value) -> Value:
        return like(machine, inner[0], count=count, counted=True) if known and is_dataset(inner[0]) else inner[0]

    return Native("assert_cardinality", act)


def _graph_iterator(m: Machine, me: Model, node: ast.AST) -> Value:
    """An iterator of TensorFlow 1."""
    from tensorproof.libraries.tensorflow.data.iterators import make

    return make(m, me, node)


_METHODS: dict[str, Any] = {
    **dict.fromkeys(("make_one_shot_iterator", "make_initializable_iterator"), lambda m, me, a, k, n: _graph_iterator(m, me, n)),
    "map": pipeline.map_, "batch": pipeline.batch, "padded_batch": pipeline.padded_batch, "unbatch": pipeline.unbatch, "filter": pipeline.filter_,
    "take": pipeline.take, "skip": pipeline.skip, "repeat": pipeline.repeat, "shard": pipeline.shard, "shuffle": pipeline.shuffle,
    **dict.fromkeys(("prefetch", "cache", "with_options", "ignore_errors", "snapshot"), pipeline.same), "concatenate": pipeline.concatenate,
    "cardinality": pipeline.cardinality, "window": _window, "flat_map": _flat_map,
    "interleave": _flat_map, "enumerate": _enumerate, "apply": _apply, "reduce": _reduce, "scan": _scan, "as_numpy_iterator": _as_numpy,
    "get_single_element": lambda m, me, a, k, n: me.space["element"], "take_while": pipeline.filter_,
    "__iter__": lambda m, me, a, k, n: Model("data iterator", m.heap.space({"source": me})), "__len__": lambda m, me, a, k, n: pipeline.length(m, me, n),
    "unique": lambda m, me, a, k, n: like(m, me, count=unknown_count(m, n), counted=False), "bucket_by_sequence_length": windows.by_length,
    "group_by_window": windows.grouped, "fingerprint": lambda m, me, a, k, n: scalar("uint64"),
}  # fmt: skip


def _counting(run: Any) -> Any:
    """A method of datasets that takes counts: one that is no whole number is refused."""

    def called(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        for value in (*(a for a in args[:1]), *(kwargs.get(word) for word in _COUNTS)):
            if isinstance(value, (str, float)):
                raise m.raised("TypeError", f"a whole number is expected, and this is {value!r}", node, "call/arguments")
        return run(m, me, args, kwargs, node)

    return called


_COUNTS = ("count", "buffer_size", "batch_size", "num_shards", "index", "size", "shift", "stride", "num_parallel_calls", "cycle_length", "block_length")
_METHODS |= {k: _counting(v) for k, v in _METHODS.items() if k in
             ("batch", "padded_batch", "take", "skip", "repeat", "shard", "shuffle", "prefetch", "window", "map", "interleave")}  # fmt: skip
_STATIC: dict[str, Run] = {
    "from_tensors": lambda m, a, k, n: dataset(m, element_of(m, argument(a, k, 0, "tensors"), n), 1),
    "from_tensor_slices": _from_tensor_slices, "range": _range, "from_generator": _from_generator,
    "list_files": partial(_strings, True), "zip": _zip, "sample_from_datasets": _one_of, "choose_from_datasets": _one_of, "counter": _counter,
    "random": _counter, "load": lambda m, a, k, n: m.gap("Dataset.load", n, "what was saved is not known"),
}  # fmt: skip
_FILES = ("TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset")
FUNCTIONS: dict[str, Any] = {
    **{f"{DATASET}.{k}": v for k, v in _STATIC.items()}, **{f"tf.data.{k}": partial(_strings, False) for k in _FILES},
    "tf.data.experimental.cardinality": lambda m, a, k, n: pipeline.cardinality(m, a[0], (), {}, n) if a and is_dataset(a[0]) else Unknown("cardinality"),
    "tf.data.experimental.assert_cardinality": _assert_cardinality,
    "tf.data.experimental.sample_from_datasets": _one_of, "tf.data.experimental.choose_from_datasets": _one_of, "tf.data.experimental.Counter": _counter,
    "tf.data.experimental.bucket_by_sequence_length": _later(windows.by_length), "tf.data.experimental.group_by_window": _later(windows.grouped),
    "tf.data.experimental.get_single_element": lambda m, a, k, n: a[0].space["element"],
    "tf.data.experimental.ignore_errors": lambda m, a, k, n: Named("builtins.same"), "tf.TensorSpec": tensor_spec,
    "tf.TensorSpec.from_tensor": spec_from_tensor,
}  # fmt: skip
CLASSES: dict[str, ClassModel] = {DATASET: ClassModel(DATASET, closed=False)}
KINDS: dict[str, KindModel] = {
    DATASET: KindModel(
        _METHODS, _attribute, items=pipeline.items, length=pipeline.length, iterations=pipeline.iterations,
        bases=("tf.data.Dataset", "tf.compat.v1.data.Dataset"), truth=lambda m, me: True, item=pipeline.no_item,
    ),
    SPEC: KindModel(attribute=spec_attribute, binary=spec_binary),
}  # fmt: skip
