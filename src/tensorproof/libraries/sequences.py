"""Lists whose length or whose items only the data knows: the rows of a tensor as lists, the numbers of a text.

Two items represent all of them; what differs between the two may differ between any.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

from tensorproof.libraries.domains import index_limits, label_ranges
from tensorproof.libraries.domains.devices import refuse_values
from tensorproof.libraries.whole_numbers import between
from tensorproof.libraries.whole_numbers import number_of as read_number
from tensorproof.terms import FLOAT32, INT64, Predicate, Shape, TensorType, Term, Truth, conj, eq, ge, le, maximum, minimum
from tensorproof.terms.facts import of_any, of_numbers
from tensorproof.values import COUNTED, Args, Kwargs, List, Machine, Unknown, Value
from tensorproof.values.summaries import ends_of, number_of, shown, summarise
from tensorproof.values.summaries import length as length_of


def sequence(m: Machine, length: Value, first: Value, second: Value) -> List:
    """A list of so many items like these two."""
    return List(m.heap.row([summarise(length if isinstance(length, (int, Term, Unknown)) else COUNTED, [first, second])]))


def tensor_of(items: Any, framework: str = "torch", demand: Callable[[Truth], None] | None = None) -> TensorType | None:
    """What becomes of a list of numbers, or of lists of numbers of one length, of which some are summarised, where a tensor is made of it. Lengths that
    are written otherwise must be equal: that is demanded."""
    samples = shown(items)
    count = length_of(items)
    if isinstance(count, Unknown):
        return None
    kinds = {number_of(v) for v in samples}
    if kinds <= {"int", "float"}:
        facts = None if "float" in kinds else of_numbers(map(ends_of, samples))
        return TensorType(Shape((count,)), FLOAT32 if "float" in kinds else INT64, framework=framework, facts=facts)
    if any(kinds) and all(number_of(v) or (isinstance(v, Unknown) and not v.text) for v in samples):  # beside a number stand numbers
        return TensorType(Shape((count,)), None, framework=framework)
    inner = [made for v in samples if (made := _inner(v, demand)) is not None]
    if len(inner) < len(samples) or any(v.dtype is not inner[0].dtype or len(v.shape) != len(inner[0].shape) for v in inner):
        return None
    if any(v.shape != inner[0].shape for v in inner):
        if demand is None:
            return None
        demand(conj(*(eq(a, b) for v in inner[1:] for a, b in zip(v.shape, inner[0].shape))))
    facts = of_any(v.known for v in inner)
    return TensorType(Shape((count, *inner[0].shape)), inner[0].dtype, framework=framework, facts=facts)


def _inner(value: Value, demand: Callable[[Truth], None] | None) -> TensorType | None:
    if isinstance(value, TensorType):
        return value if value.shape.known else None
    items = value.items if type(value) is List else value if type(value) is tuple else None
    if items is None or not items:
        return None
    return tensor_of(items, demand=demand)


def to_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.Tensor.tolist: exact where the elements are few and known, else lists of numbers that are unknown."""
    t = args[0]
    if not isinstance(t, TensorType) or not t.shape.known:
        return m.gap("tolist", node, "the rank is not known")
    if t.framework == "torch":
        refuse_values(m, t, "tolist", node, "NotImplementedError")
    small = t.shape.concrete and isinstance(t.shape.numel, int) and t.shape.numel <= 256
    drawn = t.facts.span if t.facts is not None else None
    if small and drawn is not None and len(t.shape) == 1:
        return List(m.heap.row([between(m, "item", drawn[0], drawn[1] - 1, node) for _ in range(t.shape[0])]))
    limit = index_limits.of(m, t) if small and t.contents is None and len(t.shape) == 1 else None
    if limit is not None and type(limit[0]) is int and type(limit[1]) is int:
        return List(m.heap.row([m.session.fresh("item", limit[0], limit[1] - 1) for _ in range(t.shape[0])]))
    if not t.shape and t.contents is None:
        return read_number(m, t, node)
    if t.contents is not None or (small and t.dtype is not None and t.dtype.is_integer):
        return m.spelling("numpy.ndarray.tolist" if t.framework == "numpy" else "torch.Tensor.tolist", args, kwargs, node)
    kind = "" if t.dtype is None else "float" if t.dtype.is_float else "int" if t.dtype.is_integer else ""
    value: Value = Unknown("a number in a tensor", number=kind)
    for size in reversed(t.shape):
        value = List(m.heap.row([value] * size)) if isinstance(size, int) and size <= 64 else sequence(m, size, value, value)
    return value


def draw(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.randint: its elements lie between the bounds that it is given."""
    made = m.spelling("torch.randint", args, kwargs, node)
    ends = [a for a in args if isinstance(a, (int, Term)) and not isinstance(a, bool)]
    low, high = (ends[0], ends[1]) if len(ends) > 1 else (kwargs.get("low", 0), ends[0] if ends else kwargs.get("high"))
    if isinstance(made, TensorType) and isinstance(low, (int, Term)) and isinstance(high, (int, Term)):
        label_ranges.note(m, made, low, high)
    return made


_MOST_ORDERED = 32


def order(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.sort: of numbers that are symbols the first and the last are known, and that the others lie between."""
    made = m.spelling("torch.sort", args, kwargs, node)
    given = args[0].contents if args and isinstance(args[0], TensorType) and len(args[0].shape) == 1 else None
    descending = kwargs.get("descending", args[2] if len(args) > 2 else False)
    if not given or len(given) > _MOST_ORDERED or not any(type(v) is Term for v in given) or not isinstance(descending, bool) or not isinstance(made, tuple):
        return made
    if any(type(v) not in (int, Term) for v in given):
        return made
    values = [reduce(maximum, given), *(m.session.fresh("item", -(1 << 62)) for _ in given[2:]), *([reduce(minimum, given)] if len(given) > 1 else [])]
    for a, b in pairwise(values):
        if len(values) > 2 and isinstance(fact := ge(a, b), Predicate):
            m.assume(fact)
    ordered = m.memory.made(made[0].but(contents=tuple(values if descending else values[::-1]), base=None))
    return type(made)((ordered, *made[1:]))


def count(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """torch.bincount: numbers that are read from data are taken to be below `minlength`, as indices are taken to be in range."""
    made = m.spelling("torch.bincount", args, kwargs, node)
    limit = index_limits.of(m, args[0]) if args else None
    least = kwargs.get("minlength", args[2] if len(args) > 2 else 0)
    if not isinstance(made, TensorType) or not isinstance(made.shape[0], Term) or not isinstance(least, (int, Term)) or least == 0:
        return made
    if limit is not None and le(limit[1], least) is not True:
        return made
    return made.but(shape=Shape((least,)))


def count_array(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """numpy.bincount: as many as `minlength` where all numbers lie below it."""
    made = m.spelling("numpy.bincount", args, kwargs, node)
    limit = index_limits.of(m, args[0]) if args else None
    least = kwargs.get("minlength", args[2] if len(args) > 2 else 0)
    if limit is None or not isinstance(made, TensorType) or not isinstance(least, (int, Term)) or le(limit[1], least) is not True or least == 0:
        return made
    return made.but(shape=Shape((least,)))


FUNCTIONS: dict[str, object] = {
    "torch.Tensor.tolist": to_list, "numpy.ndarray.tolist": to_list, "torch.randint": draw, "torch.bincount": count, "torch.Tensor.bincount": count,
    "torch.sort": order, "torch.Tensor.sort": order, "numpy.bincount": count_array,
}  # fmt: skip
