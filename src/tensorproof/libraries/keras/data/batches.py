"""The data that `fit`, `evaluate` and `predict` get, as the batches that the model sees: a regular one and, where samples are left over, the last."""

from __future__ import annotations

import ast
from math import floor
from typing import Any

from tensorproof.libraries import plain, registry
from tensorproof.libraries.data.samples import item_of
from tensorproof.libraries.domains.label_ranges import keep
from tensorproof.libraries.keras.data.arrays import OBJECTS, array_of, unpacked
from tensorproof.libraries.tensorflow.data.elements import row_shape
from tensorproof.terms import FLOAT32, Origin, Segment, Shape, TensorType, Term, ceildiv, dataclass, eq, field, ge, mod, ne, symbols
from tensorproof.values import MISSING, Bound, Choice, Dict, Function, Generator, Instance, Iterator, List, Machine, Model, Named, Unknown, Value

TABLES = ("pandas.DataFrame", "pandas.Series")
SEQUENCE = "keras.utils.PyDataset"


@dataclass(slots=True)
class Batches:
    """(condition, (x, y, sample_weight)) for each kind of batch; how many samples there are in all, and how many batches, where that is known."""

    iterations: list[tuple[Any, tuple[Value, Value, Any]]] = field(default_factory=list[tuple[Any, tuple[Any, Any, Any]]])
    samples: Value = None
    count: Value = None
    unknown: str = ""
    regular: Value = None
    """How many regular batches come before those of `rest`; None where that is not known."""
    rest: list[tuple[Value, Any]] = field(default_factory=list[tuple[Any, Any]])


def leaves(value: Value) -> list[Value]:
    """The arrays in a nesting of lists and dicts."""
    return [one for one in plain.leaves(value) if one is not None]


def mapped(m: Machine, value: Value, act: Any) -> Any:
    """The same nesting with something made of each array; lists become tuples, as tf.data makes them."""
    match value:
        case None:
            return None
        case List():
            return tuple(mapped(m, v, act) for v in value.items)
        case tuple():
            return tuple(mapped(m, v, act) for v in value)
        case Dict():
            return Dict(m.heap.entries({k: mapped(m, v, act) for k, v in value.items.items()}))
        case _:
            return act(value)


def is_array(value: Value) -> bool:
    if isinstance(value, Model):
        return value.kind in TABLES or isinstance(value.space.get("tensor"), TensorType)
    return isinstance(value, TensorType)


def _tensor(m: Machine, value: Value, node: ast.AST) -> Value:
    """An array as the trainer takes it: real numbers become float32."""
    found = array_of(m, value, node) if isinstance(value, Model) else value
    if isinstance(found, TensorType) and found.dtype is not None and found.dtype.is_float and found.dtype is not FLOAT32:
        found = keep(m, found, found.but(dtype=FLOAT32, contents=None))
    return found


def of(m: Machine, x: Value, y: Value, weight: Value, size: Value, steps: Value, class_weight: Value, node: ast.AST) -> Batches:
    """The batches of one pass over the data."""
    if isinstance(class_weight, (List, tuple, str, TensorType)):
        raise m.raised("AttributeError", "class_weight is a dict of class numbers and weights", node, "keras/class-weight")
    if any(isinstance(value, Choice) for value in (x, y, weight)):
        return Batches(unknown="the data is one of two things")
    arrays = leaves((x, y, weight))
    if any(isinstance(a, Unknown) for a in arrays):
        return Batches(unknown=next(a.reason for a in arrays if isinstance(a, Unknown)))
    if arrays and all(map(is_array, arrays)):
        return _of_arrays(m, x, y, weight, size, steps, class_weight, node)
    if isinstance(x, (Model, Instance, Generator, Iterator)) and not is_array(x):
        for name, value in (("targets", y), ("sample weights", weight)):
            if value is not None:
                raise m.raised("ValueError", f"the dataset gives the {name} already: none may be given beside it", node, "keras/data")
        return _of_source(m, x, steps, class_weight, node)
    _refuse(m, arrays, node)
    return Batches(unknown="the data is not understood")


def _refuse(m: Machine, arrays: list[Value], node: ast.AST) -> None:
    """What Keras does not take as data."""
    for one in arrays:
        if isinstance(one, (bool, int, float, str, Term)):
            raise m.raised("ValueError", "lists of Python numbers cannot be used as data: make an array of them", node, "keras/data")
        if isinstance(one, (Function, Named)):
            raise m.raised("ValueError", "a function cannot be used as data: call the generator function first", node, "keras/data")
        if isinstance(one, Model) and one.kind in (OBJECTS, "texts"):
            raise m.raised("ValueError", "lists of different lengths cannot be used as data: pad them to one length first", node, "keras/data")


def agree(m: Machine, arrays: list[Value], node: ast.AST, cut: bool = False) -> Any:
    """All arrays hold as many samples; the number of them. `cut`: all are cut to the length of the first, and may be longer."""
    counts = []
    for one in arrays:
        shape = one.shape if isinstance(one, TensorType) else None
        if shape is None or not shape.known:
            return None
        if not shape:
            raise m.raised("ValueError", "data has at least one axis, and this is a single number", node, "keras/data")
        counts.append(shape[0])
    for other in counts[1:]:
        listed = " and ".join(map(repr, dict.fromkeys(counts)))
        enough = ge(other, counts[0]) if cut else eq(counts[0], other)
        m.require("keras/samples", enough, f"all arrays must hold the same number of samples: these hold {listed}", node)
    if cut and all(isinstance(c, int) for c in counts):
        if max(counts, default=0) > counts[0]:
            m.warn("keras/samples", f"validation_split cuts all arrays to the {counts[0]} samples of the first: the longest has {max(counts)}", node)
        return counts[0] if counts else None
    return next((c for c in counts if isinstance(c, int)), counts[0] if counts else None)


def _weights(m: Machine, y: Value, class_weight: Value, count: Value, node: ast.AST) -> Value:
    if y is None or isinstance(y, (List, tuple, Dict)):
        raise m.raised("ValueError", "class_weight takes a model with one output", node, "keras/class-weight")
    target = _tensor(m, y, node)
    if isinstance(target, TensorType) and target.shape.known and len(target.shape) > 2:
        raise m.raised("TypeError", f"class_weight takes targets with one class for each sample, not {target.shape!r}", node, "keras/class-weight")
    return TensorType(Shape((count,)), FLOAT32, framework="numpy")


def class_weights(m: Machine, y: Value, weight: Value, class_weight: Value, node: ast.AST) -> Value:
    """The weights of one batch that `class_weight` stands for."""
    if weight is not None:
        raise m.raised("ValueError", "class_weight and sample_weight exclude each other", node, "keras/class-weight")
    if isinstance(class_weight, (List, tuple, str, TensorType)):
        raise m.raised("AttributeError", "class_weight is a dict of class numbers and weights", node, "keras/class-weight")
    target = mapped(m, y, lambda a: _tensor(m, a, node))
    rows = target.shape[0] if isinstance(target, TensorType) and target.shape.known and target.shape else None
    return None if rows is None and not isinstance(y, (List, tuple, Dict)) else _weights(m, y, class_weight, rows, node)


def _of_arrays(m: Machine, x: Value, y: Value, weight: Value, size: Value, steps: Value, class_weight: Value, node: ast.AST) -> Batches:
    if weight is not None and class_weight is not None:
        raise m.raised("ValueError", "class_weight and sample_weight exclude each other", node, "keras/class-weight")
    x, y, weight = (mapped(m, v, lambda a: _tensor(m, a, node)) for v in (x, y, weight))
    arrays = leaves((x, y, weight))
    if any(not isinstance(a, TensorType) for a in arrays):
        return Batches(unknown="an array is not known")
    count = agree(m, arrays, node)
    if count is None:
        m.gap("an array", node, "its rank is not known")
        leads = [a.shape[0] for a in arrays if isinstance(a, TensorType) and a.shape]
        count = next((size for size in leads if type(size) is not Segment), None)
        count = m.symbol(m.name_here("samples", node), 1, None, Origin.UNMODELLED) if count is None else count
    if class_weight is not None:
        weight = _weights(m, y, class_weight, count, node)
    if size is None or size == 0:
        size = 32 if not isinstance(steps, (int, Term)) else ceildiv(count, steps)
    if isinstance(size, int) and size < 0:
        raise m.raised("ValueError", f"batch_size must be positive, and is {size}", node, "data/batch-size")
    if not isinstance(size, (int, Term)):
        return Batches(unknown="batch_size is not known")
    made = Batches(samples=count, count=ceildiv(count, size))

    def cut(rows: Value) -> tuple[Value, Value, Value]:
        def one(a: TensorType) -> Value:
            rest = a.shape[1:] if a.shape.known else row_shape(m, a.shape, node)
            return keep(m, a, a.but(shape=Shape((rows, *rest)), contents=None, strides=None, framework="tf"))

        return mapped(m, x, one), mapped(m, y, one), mapped(m, weight, one)

    for condition, rows in sizes(m, count, size, node):
        made.iterations.append((condition, cut(rows)))
    made.regular, made.rest = count // size, made.iterations[1:] if isinstance(count, Term) or count >= size else made.iterations
    return made


def sizes(m: Machine, count: Any, size: Any, node: ast.AST) -> list[tuple[Any, Value]]:
    """(condition, number of samples) of the regular batch and of the last one."""
    if isinstance(count, int) and isinstance(size, int):
        found: list[tuple[Value, Value]] = [(True, size)] if count >= size else []
        return [*found, (True, count % size)] if count % size else found
    found = [(True, size)]
    rest = mod(count, size)
    if isinstance(size, int) and all(a.origin is Origin.USER for a in symbols(count)):
        rest = m.symbol(m.name_here(f"samples % {size}", node), 0, size - 1, Origin.WORLD)
    condition = ne(rest, 0)
    return found if condition is False else [*found, (condition, rest)]


def split(m: Machine, x: Value, y: Value, weight: Value, share: Value, node: ast.AST) -> Any:
    """`validation_split`: the data to train with, and the rest; None when it is unknown."""
    arrays = leaves((x, y, weight))
    if any(not is_array(a) and not isinstance(a, Unknown) for a in arrays):
        _refuse(m, arrays, node)
        raise m.raised("ValueError", "validation_split takes arrays only", node, "keras/validation-split")
    x, y, weight = (mapped(m, v, lambda a: _tensor(m, a, node)) for v in (x, y, weight))
    if any(not isinstance(a, TensorType) for a in leaves((x, y, weight))):
        return None
    count = agree(m, leaves((x, y, weight)), node, cut=True)
    if isinstance(count, int) and isinstance(share, (int, float)):
        at: Any = floor(count * (1.0 - share))
        if at in (0, count):
            message = f"{count} samples cannot be split with validation_split={share}"
            raise m.raised("ValueError", message, node, "keras/validation-split")
        parts: list[Value] = [at, count - at]
    elif count is None:
        return None
    else:
        parts = [m.symbol(m.name_here(w, node), 1, None, Origin.WORLD) for w in ("training samples", "validation samples")]

    def cut(value: Value, rows: Value) -> Value:
        return mapped(m, value, lambda a: keep(m, a, a.but(shape=Shape((rows, *a.shape[1:])), contents=None, strides=None)))

    return tuple((cut(x, n), cut(y, n), cut(weight, n)) for n in parts)


def _of_source(m: Machine, x: Any, steps: Value, class_weight: Value, node: ast.AST) -> Batches:
    if isinstance(x, Instance):
        if registry.is_instance(m, x, SEQUENCE) is True or m.in_class(x.cls, "__getitem__") is not MISSING:
            return _of_sequence(m, x, class_weight, node)
        return Batches(unknown="the data is not understood")
    if isinstance(x, (Generator, Iterator)):
        if class_weight is not None:
            raise m.raised("ValueError", "class_weight does not go with a generator", node, "keras/class-weight")
        return _of_generator(m, x, steps, node)
    found = registry.iterations(m, x, node)
    if found is None:
        return Batches(unknown=f"the batches of {x.kind} are not known")
    made = Batches(count=_length(m, x))
    seen: list[Value] = []
    for condition, data in found:
        if not any(data is s for s in seen):
            seen.append(data)
            made.iterations.append((condition, _parts(m, data, class_weight, node)))
    if getattr(found, "times", None) is not None and not isinstance(steps, (int, Term)):
        made.regular = found.times
        made.rest = [(condition, next((p for (_, p), d in zip(made.iterations, seen) if d is data), None)) for condition, data in found.rest]
    elif isinstance(steps, (int, Term)):
        made.regular = steps
    return made


def _length(m: Machine, x: Any) -> Value:
    count = x.space.get("count")
    return count if isinstance(count, (int, Term)) else None


def _parts(m: Machine, data: Value, class_weight: Value, node: ast.AST) -> tuple[Value, Value, Value]:
    x, y, weight = unpacked(m, data, node)
    x, y, weight = (mapped(m, v, lambda a: _as_tf(m, a)) for v in (x, y, weight))
    if class_weight is not None and isinstance(y, TensorType) and y.shape.known and y.shape:
        weight = TensorType(Shape((y.shape[0],)), FLOAT32, framework="tf")
    return x, y, weight


def _as_tf(m: Machine, value: Value) -> Value:
    return keep(m, value, value.but(framework="tf")) if isinstance(value, TensorType) and value.framework != "tf" else value


def _of_sequence(m: Machine, x: Instance, class_weight: Value, node: ast.AST) -> Batches:
    """keras.utils.PyDataset: the first batch and the last, where their number is known; else any."""
    if m.in_class(x.cls, "__getitem__") is MISSING:
        raise m.raised("NotImplementedError", f"{x.cls.name} has no __getitem__", node, "keras/data")
    length = m.in_class(x.cls, "__len__")
    if length is MISSING and m.in_class(x.cls, "num_batches") is MISSING:
        raise m.raised("NotImplementedError", f"{x.cls.name} has neither __len__ nor num_batches", node, "keras/data")
    count = m.call(Bound(length, x), (), {}, node) if length is not MISSING else m.attribute(x, "num_batches", node)
    if count is None or isinstance(count, (float, str)):
        raise m.raised("TypeError", f"the number of batches is a whole number, not {count!r}", node, "keras/data")
    if isinstance(count, int):
        places: list[Value] = [0] if count == 1 else [0, count - 1]
    else:
        most = count - 1 if isinstance(count, Term) else None
        places = [0, most] if most is not None else [0]
    made = Batches(count=count if isinstance(count, (int, Term)) else None)
    for place in places:
        data = item_of(m, x, place, node)
        if isinstance(data, Unknown):
            return Batches(unknown=data.reason)
        made.iterations.append((True, _parts(m, data, class_weight, node)))
    end = m.in_class(x.cls, "on_epoch_end")
    if isinstance(end, (Function, Bound)):
        m.call(Bound(end, x), (), {}, node)
    return made


def _of_generator(m: Machine, x: Value, steps: Value, node: ast.AST) -> Batches:
    made = Batches(count=steps if isinstance(steps, (int, Term)) else None)
    for _ in range(min(steps, 3) if isinstance(steps, int) else 2):
        data = m.call(next, (x, MISSING), {}, node)
        if data is MISSING:
            break
        if isinstance(data, Unknown):
            return Batches(unknown=data.reason)
        if isinstance(data, List):
            raise m.raised("ValueError", "a generator yields tuples (inputs, targets), and this one yields a list", node, "keras/data")
        made.iterations.append((True, _parts(m, data, None, node)))
    if not made.iterations:
        raise m.raised("ValueError", "the generator yields nothing", node, "keras/data")
    return made
