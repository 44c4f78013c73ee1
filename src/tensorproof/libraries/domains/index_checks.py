"""Where an index or a label must lie inside an axis, as the operator's declaration says (`Tensor.values`), and which range the items of data have."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from tensorproof.bindings.raises import classes
from tensorproof.bindings.raises.circumstances import circumstances
from tensorproof.libraries.domains import bounds
from tensorproof.libraries.domains.label_ranges import note, of
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Index, Tensor
from tensorproof.ops.layout import alternatives
from tensorproof.ops.record import Op
from tensorproof.terms import Dim, Origin, Shape, TensorType, Term, Truth, conj, ge, implies, lt, sole_atom, symbols
from tensorproof.values import MISSING, Dict, Instance, List, Model, Value
from tensorproof.values.port import Machine


def check(m: Machine, applied: list[Applied], node: ast.AST) -> None:
    """What an index or a label holds must lie inside the axis that it speaks of."""
    for one in applied:
        inputs, indexed = _indices(one.op)
        framework = one.results[0].framework if one.results else ""
        if indexed and framework in ("torch", "numpy"):
            _indexed(m, one, indexed, node)
        if one.op.name == "pack_padded_sequence":
            _in_order(m, one, node)
        if framework == "torch" and one.op.name in _UNPOOLS:
            _unpooled(m, one, _UNPOOLS[one.op.name], node)
        if framework in ("torch", "numpy"):
            for name, kind, axis in inputs:
                if kind != "flat" or framework == "numpy":  # torch takes the remainder
                    _looked_up(m, one, name, kind == "place" or (framework == "numpy" and kind != "flat"), axis, node)


@cache
def _indices(op: Op) -> tuple[tuple[tuple[str, str, str], ...], str]:
    """The inputs that hold indices, whether negative ones count from the end ("place"), and the axis; and the attribute that is an index of Python's."""
    found: list[tuple[str, str, str]] = []
    for p in op.inputs:
        kind, _, axis = p.values.partition(":") if isinstance(p, Tensor) else ("", "", "")
        if kind in ("index", "place", "flat") and axis:
            found.append((p.name, kind, axis))
    return tuple(found), next((p.name for p in op.attributes if isinstance(p, Index)), "")


def _looked_up(m: Machine, one: Applied, name: str, wraps: bool, axis: str, node: ast.AST) -> None:
    index = one.arguments.get(name)
    if not isinstance(index, TensorType) or index.contents is not None or index.dtype is None or index.dtype.kind not in "iu":
        return
    if one.arguments.get("lenient"):
        return
    if one.op.name == "take_along_dim" and index.framework == "torch" and one.arguments["dim"] is not None:  # torch takes the remainder by the size of the axis
        return
    known, size = of(m, index), _size(one, axis)
    if known is None and size is not None:
        _uncertain(m, one, index, -size if wraps else 0, None if one.op.parameter(axis) is not None and type(size) is int and size < 0 else size, node)
    if known is None or size is None:
        return
    low, high = known
    ignored = one.arguments.get("ignore_index")
    if type(low) is int and type(high) is int and type(ignored) is int:
        low, high = (low + 1 if low == ignored else low), (high - 1 if high - 1 == ignored else high)
    open_end = one.op.parameter(axis) is not None and type(size) is int and size < 0
    past = None if open_end else size
    word = "target" if name == "target" else "range" if axis in ("dim", "numel", "classes", "size") else "index"
    what = "the targets hold classes" if name == "target" else "the indices are"
    _inside(m, index, (low, high), -size if wraps else 0, past, one, (word, what, name), node)


def _in_order(m: Machine, one: Applied, node: ast.AST) -> None:
    """Lengths that were drawn fall only by chance."""
    lengths = one.arguments["lengths"]
    drawn = isinstance(lengths, TensorType) and lengths.contents is None and lengths.facts is not None and (lengths.facts.chance or lengths.facts.span)
    if drawn and one.arguments["enforce_sorted"] and lengths.shape.numel != 1:
        m.gap(one.spelling, node, "whether the lengths fall is not known: sort them or pass enforce_sorted=False")


_UNPOOLS = {f"max_unpool{n}d{more}": n for n in (1, 2, 3) for more in ("", "_to_size")}


def _unpooled(m: Machine, one: Applied, n: int, node: ast.AST) -> None:
    """What is put back goes to places of the plane that comes out."""
    index, made = one.arguments.get("indices"), one.results[0].shape
    if not isinstance(index, TensorType) or not made.known:
        return
    known, size = of(m, index), Shape(made[-n:]).numel
    if known is not None:
        _inside(m, index, known, 0, size, one, ("range", "the indices are", "indices"), node)
    else:
        _uncertain(m, one, index, 0, size, node)


def _size(one: Applied, axis: str) -> Dim | None:
    """The size of the axis that an input's indices lie in."""
    x, given = one.arguments.get("x"), one.arguments.get(axis)
    if axis == "numel" or (axis == "dim" and given is None and one.op.name == "take_along_dim"):
        return x.shape.numel if isinstance(x, TensorType) and x.shape.known else None
    if axis == "dim":
        if not isinstance(x, TensorType) or not x.shape.known or type(given) is not int or not -len(x.shape) <= given < len(x.shape):
            return None
        at: Dim = x.shape[given]
        return at
    if one.op.parameter(axis) is not None:
        return Shape(given).numel if isinstance(given, tuple) else given if isinstance(given, (int, Term)) else None
    for p in one.op.inputs:
        value = one.arguments.get(p.name)
        if isinstance(value, TensorType) and value.shape.known:
            option = next((o for o in alternatives(p.layout) if o.fits(len(value.shape))), None)
            if option is not None and axis in option.before:
                found: Dim = value.shape[option.before.index(axis)]
                return found
    return None


def _indexed(m: Machine, one: Applied, name: str, node: ast.AST) -> None:
    """`x[i, j]`: each index lies in an axis of its own, as long as none takes another number of axes."""
    x, index = one.arguments["x"], one.arguments[name]
    if not isinstance(x, TensorType) or not x.shape.known:
        return
    for axis, part in enumerate(index if type(index) is tuple else (index,)):
        if not isinstance(part, (int, slice, Term, TensorType)) or isinstance(part, bool) or axis >= len(x.shape):
            return
        if isinstance(part, TensorType):
            if part.dtype is None or part.dtype.kind not in "iu" or (part.dtype.label == "uint8" and x.framework == "torch"):
                return
            known = of(m, part) if part.contents is None else None
            if known is not None:
                _inside(m, part, known, -x.shape[axis], x.shape[axis], one, ("range", "the indices are", "index"), node)
            elif part.contents is None:
                _uncertain(m, one, part, -x.shape[axis], x.shape[axis], node)


def _inside(m: Machine, index: TensorType, known: Any, least: Dim, past: Dim | None, one: Applied, said: tuple[str, str, str], node: ast.AST) -> None:
    """`said`: the last word of the code, what holds the numbers, and the argument that the message is about."""
    low, high = known
    code = f"{one.op.name}/{said[0]}"
    message = f"{said[1]} {low!r} to {high - 1!r}, and must lie between {least!r} and {past - 1 if past is not None else 'any'!r}"
    some: Truth = ge(index.shape.numel, 1) if index.shape.known else True
    inside = implies(conj(some, lt(low, high)), conj(ge(low, least), True if past is None else ge(past, high)))
    if inside is False:
        raise m.raised("IndexError" if index.framework == "numpy" and least != 0 else _refusal(one, code), message, node, code)
    m.require(code, inside, message, node, (said[2],))


_INDEX_ERRORS = frozenset(["embedding/index", "cross_entropy/target", "nll_loss/target"])
"""What torch refuses with an IndexError, under codes that also stand for other refusals; scatter, gather and their like raise a RuntimeError."""


def _refusal(one: Applied, code: str) -> str:
    """The class with which torch refuses an index outside: for some operators the axis tells."""
    if not code.endswith("/range"):
        return "IndexError" if code in _INDEX_ERRORS else "RuntimeError"
    x, dim = one.arguments.get("x"), one.arguments.get("dim")
    axis = {"dim": dim % len(x.shape)} if isinstance(x, TensorType) and x.shape.known and type(dim) is int and len(x.shape) else {}
    return classes(one.spelling, code, about=circumstances({**one.arguments, **axis}))[0]


def _uncertain(m: Machine, one: Applied, index: TensorType, least: Dim, past: Dim | None, node: ast.AST) -> None:
    """Indices that are made of random numbers must be known to lie inside; those that were given to the program, or chosen by value, are taken to do so.
    Places are chosen out of an axis, and all of it must fit."""
    facts, found, first, last = index.facts, bounds.of(index), bounds.of(least), bounds.of(past)
    if facts is None or index.shape.numel == 0:
        return
    if facts.limit is not None:
        low, high = facts.limit
        if conj(ge(low, least), True if past is None else ge(past, high)) is False:
            m.gap(one.spelling, node, f"the indices lie between {low!r} and {high - 1!r}, and whether those that do not fit occur is not known")
        return
    if not facts.chance or found is None or first is None:
        return
    below, above = last is None or found[1] <= last[0] - 1, found[0] >= first[1]
    if not below or not (above or found[0] == one.arguments.get("ignore_index")):
        m.gap(one.spelling, node, "whether the indices lie inside the axis is not known")


Range = tuple[Any, Any]


_PLAIN_SAMPLERS = ("RandomSampler", "SequentialSampler", "DistributedSampler")


def all_of_it(loader: Any) -> bool:
    """Whether a loader shows every sample of a library's dataset: no choice of samples that may leave labels out."""
    sampler = loader.space.get("sampler")
    if isinstance(sampler, (Model, Instance)):
        name = sampler.kind if isinstance(sampler, Model) else sampler.cls.name
        if not name.endswith(_PLAIN_SAMPLERS):
            return False
    elif sampler is not None:
        return False
    data = loader.space.get("dataset")
    if isinstance(data, Model) and data.kind.endswith(".Subset") and data.space.get("drawn"):
        data = data.space["dataset"]
    return isinstance(data, Model) and data.kind.startswith("torchvision.datasets.") and data.kind != "torchvision.datasets.Omniglot"


def labelled(m: Machine, first: Value, second: Value, batch: Value, sure: bool) -> Value:
    """A batch with the ranges of the numbers that its samples hold."""
    if isinstance(batch, TensorType):
        known = [_of_sample(m, v, sure) for v in (first, second)]
        if known[0] is not None and known[1] is not None and all(type(v) is int for k in known if k for v in k):
            note(m, batch, min(k[0] for k in known if k), max(k[1] for k in known if k))
        elif known[0] is not None and known[0] == known[1]:
            note(m, batch, *known[0])
    elif isinstance(batch, (List, tuple)):
        parts, ones, twos = (list(v.items if isinstance(v, List) else v) if isinstance(v, (List, tuple)) else [] for v in (batch, first, second))
        for one, a, b in zip(parts, ones, twos):
            labelled(m, a, b, one, sure)
    elif isinstance(batch, Dict) and isinstance(first, Dict) and isinstance(second, Dict):
        for key, one in batch.items.items():
            labelled(m, first.items.get(key, MISSING), second.items.get(key, MISSING), one, sure)
    return batch


def _of_sample(m: Machine, value: Value, sure: bool) -> Range | None:
    if isinstance(value, TensorType):
        return of(m, value) if m.ranged and value.contents is None else None
    if not isinstance(value, Term):
        return None
    shift = _rest(value)
    atom = sole_atom(value - shift)
    if atom is None or atom not in symbols(value) or atom.origin is not Origin.WORLD or (atom.name.startswith("label") and not sure):
        return None
    return (atom.lo + shift, atom.hi + shift + 1) if type(atom.lo) is int and type(atom.hi) is int else None


def _rest(value: Term) -> int:
    """The constant that is added to a symbol."""
    return next((coefficient for monomial, coefficient in value.parts if not monomial), 0)
