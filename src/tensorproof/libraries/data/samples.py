"""What datasets, samplers and loaders share: a dataset's length, one of its samples, and how samples become a batch."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import always, registry
from tensorproof.libraries.domains import autograd
from tensorproof.terms import BY_LABEL, Origin, Outputs, Predicate, Shape, TensorType, Term, conj, eq, ge, lt, open_shape
from tensorproof.terms.facts import of_any
from tensorproof.values import MISSING, REAL, Bound, Choice, Dict, Instance, List, Machine, Model, Unknown, Value

LENGTH = ("length",)
"""Where a dataset keeps the symbol that stands for its length; no attribute of the program has this name."""
MOST_LISTED = 4096


def length_of(m: Machine, data: Value, node: ast.AST) -> Any:
    """How many samples there are: a number, or a symbol that stays the same for this dataset."""
    kept = data.space.get(LENGTH) if isinstance(data, (Instance, Model)) else None
    if kept is not None:
        return kept
    if isinstance(data, Instance) and m.in_class(data.cls, "__len__") is MISSING and not has_length(data):
        found: Value = Unknown("len")
    else:
        found = m.call(len, (data,), {}, node)
    if isinstance(found, (int, Term)):
        return found
    made = unknown_length(m, node)
    if isinstance(data, (Instance, Model)):
        m.heap.set(data.space, LENGTH, made)
    return made


def has_length(data: Instance) -> bool:
    return any(getattr(registry.class_model(n), "length", None) is not None for c in data.cls.mro if hasattr(c, "name") for n in registry.lineage(c.name))


def unknown_length(m: Machine, node: ast.AST, least: int = 1) -> Value:
    return m.symbol(m.name_here("len(dataset)", node), least, None, Origin.WORLD)


def sample_of(m: Machine, data: Value, node: ast.AST) -> Value:
    """Any one sample: `data[i]` with a number that is not known but in range."""
    count = length_of(m, data, node)
    if isinstance(count, int):
        if count <= 0:
            return item_of(m, data, 0, node)
        index = 0 if count == 1 else m.symbol(m.name_here("i", node), 0, count - 1, Origin.WORLD)
        return item_of(m, data, index, node)
    index = m.symbol(m.name_here("i", node), 0, None, Origin.WORLD)
    before = len(m.facts)
    m.assume(lt(index, count))
    try:
        return item_of(m, data, index, node)
    finally:
        del m.facts[before:]


def item_of(m: Machine, data: Value, index: Value, node: ast.AST) -> Value:
    """`data[index]`."""
    match data:
        case Instance():
            found = m.in_class(data.cls, "__getitem__")
            if found is not MISSING:
                return m.call(Bound(found, data), (index,), {}, node)
            return registry.item(m, data, index, node)
        case Model():
            return registry.item(m, data, index, node)
        case TensorType():
            home = "numpy.ndarray" if data.framework == "numpy" else "torch.Tensor"
            return m.spelling(f"{home}.__getitem__", (data, index), {}, node)
        case List() | tuple():
            return _listed_item(m, list(data.items if isinstance(data, List) else data), index, node)
        case Unknown():
            return data
        case _:
            return m.gap("dataset[…]", node, "the dataset is not understood")


def _listed_item(m: Machine, items: list[Any], index: Any, node: ast.AST) -> Value:
    if isinstance(index, int):
        if not -len(items) <= index < len(items):
            raise m.raised("IndexError", f"index {index} is out of range for {len(items)} samples", node)
        return items[index]
    if isinstance(index, Term):
        inside = conj(ge(index, -len(items)), lt(index, len(items)))
        m.demand("IndexError", inside, f"index {index!r} is out of range for {len(items)} samples", node, "python/index")
    if not items:
        return Unknown("a sample")
    if type(index) is Term:
        inside = conj(ge(index, -len(items)), lt(index, len(items)))
        m.demand("IndexError", inside, f"index {index!r} is out of range for {len(items)} samples", node)
    first = items[0]
    if isinstance(first, TensorType) and all(isinstance(i, TensorType) and i.shape == first.shape and i.dtype is first.dtype for i in items):
        return one_of(first, items)
    if isinstance(first, tuple) and all(isinstance(i, tuple) and len(i) == len(first) for i in items):
        return tuple(_listed_item(m, [i[k] for i in items], index, node) for k in range(len(first)))
    if all(type(i) is int for i in items):
        return m.symbol(m.name_here("label", node), min(items), max(items), Origin.WORLD)
    if all(type(i) is float for i in items):
        return first
    result = items[-1]
    if len(items) > 64:
        return m.gap("dataset[…]", node, "its samples are not alike")
    for i in reversed(range(len(items) - 1)):
        result = m.branching.choose(eq(index, i), always(items[i]), always(result))
    return result


def one_of(shown: TensorType, every: list[Any]) -> TensorType:
    """A tensor like this one, with the elements of any of several."""
    return shown.but(contents=None, facts=of_any(one.known for one in every))


def any_like(m: Machine, shown: Value, every: list[Any], node: ast.AST) -> Value:
    """A sample of this shape with the numbers of any of the samples: what a collate function makes of it holds of all batches."""
    kind = type(shown)
    if not all(type(one) is kind for one in every):
        return shown
    if isinstance(shown, TensorType):
        return shown if all(one.contents == shown.contents for one in every) else one_of(shown, every)
    if kind is int:
        return shown if all(one == shown for one in every) else m.symbol(m.name_here("item", node), min(every), max(every), Origin.UNMODELLED)
    if kind is float:
        return shown if all(one == shown for one in every) else REAL
    if isinstance(shown, tuple) and kind is tuple and all(len(one) == len(shown) for one in every):
        made = tuple(any_like(m, part, [one[i] for one in every], node) for i, part in enumerate(shown))
        return shown if all(a is b for a, b in zip(shown, made)) else made
    if isinstance(shown, Dict) and all(list(one.items) == list(shown.items) for one in every):
        return Dict(m.heap.entries({key: any_like(m, part, [one.items[key] for one in every], node) for key, part in shown.items.items()}))
    return shown


def is_concrete(value: Value) -> bool:
    """Whether two samples that look like this one look alike in all that the analysis sees."""
    match value:
        case TensorType():
            return bool(value.shape.concrete)
        case tuple():
            return all(map(is_concrete, value))
        case List():
            return all(map(is_concrete, value.items))
        case Dict():
            return all(map(is_concrete, value.items.values()))
        case Choice():
            return False
        case Model():
            return all(not isinstance(v, (Term, Choice)) for v in value.space.values())
        case _:
            return True


def stacked(m: Machine, first: Value, second: Any, count: Value, node: ast.AST) -> Value:
    """The default collation of `count` samples of which two are shown."""
    for one, again in ((first, lambda v: stacked(m, v, second, count, node)), (second, lambda v: stacked(m, first, v, count, node))):
        if isinstance(one, Choice):
            return m.branching.choose(one.condition, partial(again, one.then), partial(again, one.other))
    match first:
        case TensorType():
            return _stacked_tensors(m, first, second, count, node)
        case bool() | Predicate():
            return TensorType(Shape((count,)), BY_LABEL["bool"])
        case int() | Term():
            return TensorType(Shape((count,)), BY_LABEL["int64"])
        case float():
            return TensorType(Shape((count,)), BY_LABEL["float64"])
        case str() | bytes():
            return repeated(m, Unknown("a word of a sample", text=isinstance(first, str), octets=isinstance(first, bytes)), count)
        case Dict():
            _alike(m, isinstance(second, Dict) and list(second.items) == list(first.items), "dicts with different keys", node)
            return Dict(m.heap.entries({k: stacked(m, v, second.items[k], count, node) for k, v in first.items.items()}))
        case Outputs() if first.names:
            return first.like(stacked(m, a, b, count, node) for a, b in zip(first, second))
        case tuple() | List():
            mine, theirs = (list(v.items if isinstance(v, List) else v) if isinstance(v, (tuple, List)) else [] for v in (first, second))
            _alike(m, len(mine) == len(theirs), "sequences of different lengths", node)
            return List(m.heap.row(stacked(m, a, b, count, node) for a, b in zip(mine, theirs)))
        case Unknown() if first.number:
            return TensorType(Shape((count,)), BY_LABEL[{"float": "float64", "bool": "bool"}.get(first.number, "int64")])
        case Unknown():
            return m.gap("collate", node, f"a part of a sample is not known: {first.reason}")
        case Instance() if any(isinstance(c, Unknown) for c in first.cls.mro):
            return m.gap("collate", node, "a sample's class is not modelled")
        case Instance() if "_fields" in first.cls.space or isinstance(first.native, tuple):
            return m.gap("collate", node, "of named tuples")
        case None | Instance() | Model():
            what = "None" if first is None else first.cls.name if isinstance(first, Instance) else first.kind
            what, mend = ("PIL image", "; add ToTensor() to its transform") if what == "PIL.Image.Image" else (what, "")
            message = f"the loader cannot make a batch of {what}: a sample holds tensors, arrays, numbers, strings, lists and dicts{mend}"
            raise m.raised("TypeError", message, node, "data/collate")
        case _:
            return m.gap("collate", node, "a part of a sample is not understood")


def _alike(m: Machine, same: bool, what: str, node: ast.AST) -> None:
    if not same:
        raise m.raised("RuntimeError", f"the samples of a batch are {what}", node, "data/collate")


def _stacked_tensors(m: Machine, first: TensorType, second: Value, count: Value, node: ast.AST) -> Value:
    if not isinstance(second, TensorType):
        return m.gap("collate", node, "a part of a sample is a tensor only at times")
    if count != 1 and first is not second:
        if not first.shape.known or not second.shape.known:
            return _of_unknown_rank(m, first, second, count, node)
        message = f"the samples of a batch must have the same shape: one is {first.shape!r}, another {second.shape!r}"
        if len(first.shape) != len(second.shape):
            raise m.raised("RuntimeError", message, node, "data/collate")
        m.require("data/collate", conj(*(eq(a, b) for a, b in zip(first.shape, second.shape))), message, node)
    if not first.shape.known:
        return _of_unknown_rank(m, first, first, count, node)
    state = autograd.fresh(m, autograd.of(m, first).requires if first.framework == "torch" else False)
    return m.path.taken(first, TensorType(Shape((count, *first.shape)), first.dtype, device=first.device, grad=state))


def _of_unknown_rank(m: Machine, sample: TensorType, other: TensorType, count: Value, node: ast.AST) -> Value:
    """A batch of samples that have one shape, whatever that is: whether they do is not known."""
    m.gap("collate", node, "the rank of a sample is not known")
    shape = sample.shape if sample.shape == other.shape else open_shape(m.name_here("sample", node))
    return TensorType(Shape((count, *shape)), sample.dtype if sample.dtype is other.dtype else None, device=sample.device)


def repeated(m: Machine, value: Value, count: Value) -> Value:
    """A list of `count` like values."""
    return List(m.heap.row([value] * count)) if isinstance(count, int) and 0 <= count <= MOST_LISTED else Unknown("a list of unknown length")


def outline(value: Value) -> Value:
    """What tells two samples apart in a batch."""
    match value:
        case TensorType():
            return tuple(value.shape), value.dtype
        case tuple() | List():
            return tuple(outline(v) for v in (value.items if isinstance(value, List) else value))
        case Dict():
            return tuple((k, outline(v)) for k, v in value.items.items())
        case _:
            return type(value)


def in_own_memory(m: Machine, batch: Value) -> Value:
    """A batch that was copied together: no other tensor shares its memory."""
    match batch:
        case TensorType():
            return m.path.same(batch, m.memory.made(batch)) if batch.framework == "torch" else batch
        case List():
            batch.items[:] = [in_own_memory(m, one) for one in batch.items]
        case Dict():
            batch.items.update({key: in_own_memory(m, one) for key, one in batch.items.items()})
        case tuple():
            return type(batch)(in_own_memory(m, one) for one in batch) if type(batch) is tuple else batch
    return batch
