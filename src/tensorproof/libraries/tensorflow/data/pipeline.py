"""The methods of tf.data.Dataset: each gives a dataset again. A dataset keeps one regular element, the last one where it may differ, and how many there are."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import argument, batches, tensors_in
from tensorproof.libraries.tensorflow.data.elements import CHOSEN, Opened, as_arguments, returned, rows, scalar, stacked, traced, varies
from tensorproof.libraries.tensorflow.data.kept import COUNTED, LAST, OPENED, REGULAR, last_of, size_of
from tensorproof.libraries.tensorflow.shapes import sizes_of
from tensorproof.ops.inputs import as_size
from tensorproof.terms import Origin, Shape, TensorType, Term, ceildiv, conj, eq, ge, ite, maximum, minimum, mod, ne, symbols, upper
from tensorproof.values import Args, Dict, Kwargs, List, Machine, Model, Unknown, Value

DATASET = "tf.data.Dataset"
ENDLESS = "endless"
"""The length of a dataset that never ends."""
UNASKED: object = object()


def dataset(m: Machine, element: Value, count: Value, last: Value = None, opened: bool = False, counted: bool = True) -> Model:
    """A dataset of `count` elements. `last` is (condition, element) where the last one may differ; `opened` tells that static inference does not know
    the first axis; `counted` whether TensorFlow itself knows the length."""
    return Model(DATASET, m.heap.space({"element": element, "count": count, "last": last, "opened": opened, "counted": counted}))


def like(m: Machine, me: Model, **changes: Value) -> Model:
    """Another dataset that differs from this one in a few points."""
    kept: dict[str, Any] = {k: me.space[k] for k in ("element", "count", "last", "opened", "counted")}
    return dataset(m, **{**kept, **changes})


def unknown_count(m: Machine, node: ast.AST) -> Value:
    return m.symbol(m.name_here("len(dataset)", node), 1, None, Origin.WORLD)


def number(value: Value) -> Any:
    """A count that a program gives: a number, or a tensor that holds one."""
    return as_size(value) if isinstance(value, TensorType) else value


def iterations(m: Machine, me: Model, node: ast.AST) -> Any:
    """What a loop over the dataset sees: a regular element, one more of them, and the last."""
    element, count, last = me.space["element"], me.space["count"], me.space[LAST]
    if isinstance(count, int):
        return batches(max(count - (last is not None), 0), lambda k: element, [last] if last is not None and count else ())
    if count is ENDLESS or not isinstance(count, Term):
        endless = m.symbol(m.name_here("elements", node), 1, None, Origin.WORLD)
        return batches(endless, lambda k: element, () if last is None else [last])
    return batches(count if last is None else count - ite(last[0], 1, 0), lambda k: element, () if last is None else [last])


def items(m: Machine, me: Model, node: ast.AST) -> list[Any] | None:
    """All elements, where they can be counted."""
    count, last = me.space["count"], me.space[LAST]
    if not isinstance(count, int) or count > 4096 or (last is not None and last[0] is not True):
        return None
    found = [me.space["element"]] * (count - (last is not None))
    return found if last is None else [*found, last[1]]


def length(m: Machine, me: Model, node: ast.AST) -> Value:
    """`len(ds)`."""
    count = me.space["count"]
    if count is ENDLESS or not me.space[COUNTED]:
        raise m.raised("TypeError", f"the length of this dataset is {'infinite' if count is ENDLESS else 'not known to TensorFlow'}", node, "data/length")
    return count


def no_item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    raise m.raised("TypeError", "a tf.data.Dataset cannot be indexed: take and skip give parts of it", node)


def cardinality(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = me.space["count"]
    return scalar("int64", (-1 if count is ENDLESS else count if me.space[COUNTED] else -2,))


def variants(m: Machine, me: Model, act: Any) -> tuple[Value, Any]:
    """The regular and the last element, each with something done to it; what the last one demands is demanded only where it comes."""
    element, last = act(me.space["element"]), me.space[LAST]
    if last is None:
        return element, None
    condition, held = last
    made: list[Value] = []
    if condition is True:
        made.append(act(held))
    else:
        m.branching.choose(condition, lambda: made.append(act(held)), lambda: None)
    return element, (condition, made[-1] if made else held)


def call_on(m: Machine, me: Model, function: Value, element: Value, node: ast.AST) -> Value:
    """A function of the program, traced with an element."""
    opened = Opened(m, node)
    given = opened.leading(element) if me.space[OPENED] else element
    return opened.closed(traced(m, function, as_arguments(given), {}, node))


def map_(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function = argument(args, kwargs, 0, "map_func")
    element, last = variants(m, me, lambda e: returned(m, call_on(m, me, function, e, node), node))
    same_lead = me.space[OPENED] and _leads(element) == _leads(me.space["element"])
    return like(m, me, element=element, last=last, opened=same_lead)


def _leads(element: Value) -> Value:
    return {t.shape[0] for t in tensors_in(element) if t.shape.known and len(t.shape)}


def filter_(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function = argument(args, kwargs, 0, "predicate")

    def ask(element: Value) -> Value:
        answer = call_on(m, me, function, element, node)
        if isinstance(answer, TensorType) and answer.shape.known and (len(answer.shape) or (answer.dtype is not None and answer.dtype.label != "bool")):
            raise m.raised("ValueError", f"a filter must give one truth value, this gives {answer!r}", node, "data/filter")
        return element

    element, last = variants(m, me, ask)
    count = me.space["count"]
    return like(m, me, element=element, last=last, count=count if count is ENDLESS else unknown_count(m, node), counted=False)


def batch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    size, dropping = number(argument(args, kwargs, 0, "batch_size")), argument(args, kwargs, 1, "drop_remainder", False)
    if varies(m, me.space["element"]) and size != 1 and me.space["count"] != 1:
        shown = ", ".join(repr(t.shape) for t in tensors_in(me.space["element"]))
        raise m.raised("InvalidArgumentError", f"elements of different shapes cannot stand in one batch: {shown}; use padded_batch", node, "data/batch")
    return batched(m, me, size, dropping, lambda n: stacked(m, me.space["element"], n, node), node)


def batched(m: Machine, me: Model, size: Value, dropping: Value, make: Any, node: ast.AST) -> Value:
    """Batches of `size` elements: the last one holds what is left."""
    if not isinstance(size, (int, Term)) or isinstance(size, bool):
        return m.gap("Dataset.batch", node, "the batch size is not known")
    m.demand("ValueError", ge(size, 1), f"the batch size must be 1 at least, and is {size!r}", node, "data/batch-size")
    count, last = me.space["count"], me.space[LAST]
    if last is not None and not all(a.shape == b.shape for a, b in zip(tensors_in(me.space["element"]), tensors_in(last[1]))):
        if last[0] is True and isinstance(count, int) and isinstance(size, int) and _last_has_company(count, size, dropping):
            raise m.raised("InvalidArgumentError", "the last element has another shape: it cannot stand in a batch with the others", node, "data/batch")
        return m.gap("Dataset.batch", node, "of elements of which the last may differ")
    if count is ENDLESS:
        return dataset(m, make(size), ENDLESS, opened=dropping is not True)
    whole = dropping is True
    if isinstance(count, int) and isinstance(size, int):
        return _batches_counted(m, count, size, whole, make, me.space[COUNTED])
    return _batches_of_unknown_count(m, count, size, whole, make, me.space[COUNTED], node)


def _last_has_company(count: int, size: int, dropping: Value) -> bool:
    """Whether the last element surely stands in a batch with others."""
    at_end = count - (count % size or size)
    return at_end < count - 1 and not (dropping is True and count % size)


def _batches_counted(m: Machine, count: int, size: int, dropping: bool, make: Any, counted: bool) -> Model:
    full, rest = divmod(count, size)
    if dropping or not rest:
        return dataset(m, make(size), full, opened=not dropping, counted=counted)
    if not full:
        return dataset(m, make(rest), 1, opened=True, counted=counted)
    return dataset(m, make(size), full + 1, (True, make(rest)), True, counted)


def _batches_of_unknown_count(m: Machine, count: Any, size: Any, dropping: bool, make: Any, counted: bool, node: ast.AST) -> Model:
    if dropping:
        return dataset(m, make(size), maximum(count // size, 1), counted=counted)
    if isinstance(size, int) and upper(count) < size:
        return dataset(m, make(count), 1, opened=True, counted=counted)
    if size == 1:
        return dataset(m, make(1), count, opened=True, counted=counted)
    left: Any = mod(count, size)
    if isinstance(size, int) and (all(a.origin is Origin.USER for a in symbols(count)) or len(symbols(count)) != 1):
        left = m.symbol(m.name_here(f"len(dataset) % {size}", node), 0, size - 1, Origin.WORLD)
    condition = ne(left, 0)
    residual = (condition, make(left)) if condition is True or not isinstance(condition, bool) else None
    return dataset(m, make(size), ceildiv(count, size), residual, True, counted)


def padded_batch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size, wanted = number(argument(args, kwargs, 0, "batch_size")), argument(args, kwargs, 1, "padded_shapes")
    element = me.space["element"]

    def pad(t: TensorType, shape: Value) -> TensorType:
        given = None if shape is None else sizes_of(m, shape, node)
        if given is not None and t.shape.known and len(given) != len(t.shape):
            raise m.raised("ValueError", f"elements of shape {t.shape!r} cannot be padded to {tuple(given)}: another rank", node, "data/padding")
        sizes: list[Value] = []
        for i, d in enumerate(t.shape):
            want = None if given is None else given[i]
            if want is not None:
                m.demand("InvalidArgumentError", ge(want, d), f"an axis of {d!r} cannot be padded to {want!r}", node, "data/padding")
            open_axis = isinstance(d, Term) and want is None
            sizes.append(want if want is not None else _longest(m, d, node) if open_axis else d)
        return t.sized(Shape(sizes))

    def fill(t: TensorType, value: Value) -> Value:
        kind = value.dtype if isinstance(value, TensorType) else None
        if kind is not t.dtype and None not in (kind, t.dtype):
            raise m.raised("TypeError", f"elements of {t.dtype} cannot be padded with a value of {kind}", node, "data/padding")
        return t

    _with(m, element, argument(args, kwargs, 2, "padding_values"), fill)
    padded = _with(m, element, wanted, pad)
    if padded is None:
        raise m.raised("ValueError", "padded_shapes must have the structure of the elements", node, "data/padding")
    whole = like(m, me, element=padded)
    return batched(m, whole, size, argument(args, kwargs, 3, "drop_remainder", False), lambda n: stacked(m, padded, n, node), node)


def _longest(m: Machine, size: Term, node: ast.AST) -> Value:
    most, chosen = upper(size), bool(symbols(size) & m.model_state.get(CHOSEN, set()))
    return m.symbol(m.name_here("longest", node), 1, int(most) if most < 1 << 60 else None, Origin.UNMODELLED if chosen else Origin.WORLD)


def _with(m: Machine, element: Any, shapes: Value, act: Any) -> Value:
    """Each tensor of a structure with the shape that stands in its place; None when the structures differ."""
    match element:
        case TensorType():
            return act(element, shapes)
        case tuple():
            if shapes is not None and (not isinstance(shapes, tuple) or len(shapes) != len(element)):
                return None
            found = tuple(_with(m, e, None if shapes is None else s, act) for e, s in zip(element, shapes or element))
            return None if any(f is None for f in found) else found
        case Dict():
            if shapes is not None and (not isinstance(shapes, Dict) or set(shapes.items) != set(element.items)):
                return None
            return Dict(m.heap.entries({k: _with(m, e, None if shapes is None else shapes.items[k], act) for k, e in element.items.items()}))
        case _:
            return element


def unbatch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    element, last, count = me.space["element"], me.space[LAST], me.space["count"]
    found = [t for t in tensors_in(element) if t.shape.known]
    if any(not len(t.shape) for t in found):
        raise m.raised("ValueError", "elements without axes cannot be unbatched", node, "data/unbatch")
    total: Value = unknown_count(m, node)
    if isinstance(count, int) and found and isinstance(found[0].shape[0], int) and (last is None or isinstance(tensors_in(last[1])[0].shape[0], int)):
        total = found[0].shape[0] * (count - (last is not None)) + (0 if last is None else tensors_in(last[1])[0].shape[0])
    return dataset(m, rows(m, element), ENDLESS if count is ENDLESS else total, counted=False)


def take(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wanted, count, last = number(argument(args, kwargs, 0, "count")), me.space["count"], me.space[LAST]
    if not isinstance(wanted, (int, Term)):
        return like(m, me, count=unknown_count(m, node)) if not isinstance(wanted, Unknown) or wanted.number else m.gap("Dataset.take", node)
    if wanted == -1:
        return me
    if isinstance(wanted, int) and isinstance(count, int):
        return me if wanted >= count else like(m, me, count=wanted, last=None)
    if wanted == 1 or (isinstance(wanted, int) and 0 < wanted <= me.space.get(REGULAR, 0)):
        return like(m, me, count=wanted, last=None, counted=True)
    return like(m, me, count=wanted if count is ENDLESS and last is None else unknown_count(m, node) if count is ENDLESS else minimum(size_of(count), wanted))


def skip(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wanted, count, last = number(argument(args, kwargs, 0, "count")), me.space["count"], me.space[LAST]
    if not isinstance(wanted, (int, Term)):
        return like(m, me, count=unknown_count(m, node))
    if count is ENDLESS:
        return me
    if isinstance(wanted, int) and isinstance(count, int):
        left = max(count - wanted, 0)
        return like(m, me, count=left, element=last[1], last=None) if last is not None and left == 1 else like(m, me, count=left, last=last if left else None)
    return like(m, me, count=maximum(size_of(count) - wanted, 1))


def repeat(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = _repeated(m, me, args, kwargs, node)
    if me.space[LAST] is not None and isinstance(me.space["count"], int):
        m.heap.set(made.space, REGULAR, me.space["count"] - 1)
    return made


def _repeated(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    times, count, last = number(argument(args, kwargs, 0, "count")), me.space["count"], me.space[LAST]
    if times is None or times == -1:
        return like(m, me, count=ENDLESS)
    if count is ENDLESS or times == 1:
        return me
    if not isinstance(times, (int, Term)):
        return like(m, me, count=unknown_count(m, node))
    if last is not None and isinstance(count, int):
        return like(m, me, count=m.symbol(m.name_here("len(dataset)", node), count, None, Origin.WORLD))
    return like(m, me, count=size_of(count) * times)


def shard(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    parts, at, count = argument(args, kwargs, 0, "num_shards"), argument(args, kwargs, 1, "index"), me.space["count"]
    if count is ENDLESS:
        return me
    if isinstance(parts, int) and isinstance(at, int) and isinstance(count, int) and me.space[LAST] is None:
        return like(m, me, count=max(-((at - count) // parts), 0))
    return like(m, me, count=unknown_count(m, node))


def same(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Shuffling, caching and prefetching change no element."""
    return me


def shuffle(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    size = number(argument(args, kwargs, 0, "buffer_size", UNASKED))
    if size is UNASKED:
        raise m.raised("TypeError", "shuffle needs a buffer_size", node, "call/arguments")
    if isinstance(size, (int, Term)) and upper(size) <= 0:
        m.demand("ValueError", ge(size, 1), f"the buffer of shuffle must hold 1 element at least, not {size!r}", node, "data/shuffle")
    return like(m, me) if REGULAR in me.space else me


def concatenate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    other = argument(args, kwargs, 0, "dataset")
    if not isinstance(other, Model) or not is_dataset(other):
        return m.gap("Dataset.concatenate", node, "with something that is not known")
    mine, theirs = tensors_in(me.space["element"]), tensors_in(other.space["element"])
    fits = len(mine) == len(theirs) and all(a.dtype is b.dtype or None in (a.dtype, b.dtype) for a, b in zip(mine, theirs))
    if not fits:
        raise m.raised("TypeError", "datasets of different elements cannot be concatenated", node, "data/concatenate")
    counts = me.space["count"], other.space["count"]
    if ENDLESS in counts:
        return me if counts[0] is ENDLESS else like(m, other)
    counted = bool(me.space[COUNTED] and other.space[COUNTED])
    if me.space[LAST] is None and all(a.shape == b.shape for a, b in zip(mine, theirs)):
        return like(m, me, count=size_of(counts[0]) + size_of(counts[1]), last=other.space[LAST], counted=counted)
    return m.gap("Dataset.concatenate", node, "of elements with different shapes")


def is_dataset(value: Value) -> bool:
    return isinstance(value, Model) and value.kind == DATASET


def zipped(m: Machine, sources: Value, node: ast.AST) -> Value:
    """`Dataset.zip`: an element holds one of each; it ends with the shortest."""

    def parts(value: Value, pick: Any) -> Value:
        if is_dataset(value):
            return pick(value)
        if isinstance(value, (tuple, List)):
            return tuple(parts(v, pick) for v in (value.items if isinstance(value, List) else value))
        if isinstance(value, Dict):
            return Dict(m.heap.entries({k: parts(v, pick) for k, v in value.items.items()}))
        return m.gap("Dataset.zip", node, "of something that is not known")

    found: list[Model] = []

    def regular(one: Model) -> Value:
        found.append(one)
        return one.space["element"]

    element = parts(sources, regular)
    if not found:
        return Unknown("Dataset.zip")
    finite = [d for d in found if d.space["count"] is not ENDLESS]
    counted = all(d.space[COUNTED] for d in found)
    if not finite:
        return dataset(m, element, ENDLESS, opened=any(d.space[OPENED] for d in found))
    counts = [size_of(d.space["count"]) for d in finite]
    shortest = counts[0]
    for c in counts[1:]:
        shortest = minimum(shortest, c)
    last = None
    ending = [d for d in finite if d.space[LAST] is not None and d.space["count"] == shortest]
    if ending:
        last = (last_of(ending[0])[0], parts(sources, lambda d: last_of(d)[1] if d in ending else d.space["element"]))
    elif any(d.space[LAST] is not None for d in found) and not isinstance(shortest, int):
        held = next(d for d in found if d.space[LAST] is not None)
        last = (last_of(held)[0], parts(sources, lambda d: d.space["element"] if d.space[LAST] is None else last_of(d)[1]))
    return dataset(m, element, shortest, last, any(d.space[OPENED] for d in found), counted)


def agree(m: Machine, tensors: list[TensorType], node: ast.AST, code: str, what: str) -> None:
    """The first axes of tensors that are sliced together must be one size."""
    for t in tensors:
        if t.shape.known and not len(t.shape):
            raise m.raised("ValueError", f"{what} slices along the first axis, and this has none: {t!r}", node, code)
    first = next((t for t in tensors if t.shape.known), None)
    for t in tensors:
        if first is not None and t is not first and t.shape.known:
            m.demand("ValueError", conj(eq(first.shape[0], t.shape[0])), f"{what}: the first axes differ: {first.shape!r} and {t.shape!r}", node, code)
