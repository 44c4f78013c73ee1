"""Iteration: the items of a value, and iterators with their state in memory."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from collections.abc import Iterator as Iterator_
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching.deciding import decided
from tensorproof.frontends.python.errors import Fork, Raised
from tensorproof.frontends.python.iteration.changes import Watched, fresh, watched
from tensorproof.frontends.python.iteration.generators import END, advance, drained, returned
from tensorproof.frontends.python.kinds import Kinds
from tensorproof.frontends.python.standard import MOST_ITEMS
from tensorproof.frontends.python.tensors.tensors import tensor_class
from tensorproof.libraries import library_objects, registry
from tensorproof.libraries.domains import autograd
from tensorproof.libraries.whole_numbers import between
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Bound, Choice, Class, Dict, Generator, Instance, Iterator, List, Model, Set, as_value
from tensorproof.values.python_values import Layer, Summary, Unknown
from tensorproof.values.standing import standing
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

MOST_YIELDS = BUDGETS.loops.yields
MOST_DRAWN = BUDGETS.loops.drawn


def too_long(value: range) -> bool:
    """Whether a range has more numbers than are spelled out; `len` cannot count the longest."""
    return bool(value) and abs(value[-1] - value[0]) // abs(value.step) >= MOST_ITEMS


def iterator(m: Interpreter, items: Any) -> Iterator:
    return Iterator(items, m.heap.cursor())


class Pairs(Sequence[Any]):
    """What `enumerate` gives of a sequence, which may still change."""

    def __init__(self, source: Sequence[Value], start: Value) -> None:
        self.source, self.start = source, start

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, at: Any) -> Any:
        return [self[i] for i in range(len(self))[at]] if isinstance(at, slice) else (self.start + at, self.source[at])


class Columns(Sequence[Any]):
    """What `zip` gives of sequences, which may still change."""

    def __init__(self, sources: Sequence[Sequence[Value]]) -> None:
        self.sources = sources

    def __len__(self) -> int:
        return min((len(s) for s in self.sources), default=0)

    def __getitem__(self, at: Any) -> Any:
        return [self[i] for i in range(len(self))[at]] if isinstance(at, slice) else tuple(s[at] for s in self.sources)


def sequence_of(value: Value) -> Any:
    """The items of a sequence as they are whenever they are asked for; None for what is no sequence."""
    if type(value) is List and value.of is None:
        return None if is_summarised(value.items) else value.items
    if isinstance(value, tuple):
        return None if is_summarised(value) else value
    return value if isinstance(value, (str, range)) and not (isinstance(value, range) and too_long(value)) else None


def walk(m: Interpreter, value: Value, node: ast.AST) -> Iterator_[Value] | None:
    """The items of a value, one after the other and each when it is needed; None when they are not known."""
    if type(value) is Instance:
        value = iter_of(m, value, node)
    if isinstance(value, (Generator, Iterator)) or (isinstance(value, Instance) and m.in_class(value.cls, "__next__") is not MISSING):
        return iter(lambda: next_of(m, value, node, END), END)
    if type(value) is List and not is_summarised(value.items):
        return iter(value.items)
    found = items(m, value, node)
    return None if found is None else iter(found)


def items(m: Interpreter, value: Value, node: ast.AST, wanted: int | None = None) -> list[Any] | None:
    """All items of a value; None when they are not known. `wanted` is how many names they are unpacked into."""
    return _ITEMS[type(value)](m, value, node, wanted)


def _of_list(m: Interpreter, value: List | Set, node: ast.AST, wanted: int | None) -> list[Value] | None:
    value = fresh(m, value)
    return _unpacked(m, value.items, wanted) if is_summarised(value.items) else list(value.items)


def _of_tuple(m: Interpreter, value: tuple[Value, ...], node: ast.AST, wanted: int | None) -> list[Value] | None:
    return _unpacked(m, value, wanted) if is_summarised(value) else list(value)


def _of_iterator(m: Interpreter, value: Any, node: ast.AST, wanted: int | None) -> list[Value]:
    at = value.state["at"]
    m.heap.set(value.state, "at", len(value.items))
    made: list[Any] = value.items[at:]
    return made


def _of_model(m: Interpreter, value: Model, node: ast.AST, wanted: int | None) -> list[Value] | None:
    if value.kind == "quiet" and wanted is not None:
        return [value] * wanted
    return _of_range(m, value, node) if value.kind == "range" else registry.items(m, value, node)


def _of_class(m: Interpreter, value: Class, node: ast.AST, wanted: int | None) -> list[Value] | None:
    found = registry.class_items(m, value)
    return None if found is MISSING else found


def _of_unknown(m: Interpreter, value: Unknown, node: ast.AST, wanted: int | None) -> None:
    if type(value) is Unknown and value.number:
        raise m.raised("TypeError", f"a {value.number} cannot be iterated", node)


def _of_number(m: Interpreter, value: Value, node: ast.AST, wanted: int | None) -> None:
    what = "None" if value is None else "an int" if type(value) is Term else f"a {type(value).__name__}"
    raise m.raised("TypeError", f"{what} cannot be iterated", node)


def _of_host(m: Interpreter, value: Value, node: ast.AST, wanted: int | None) -> list[Value] | None:
    """The items of a value of Python's own."""
    if not hasattr(value, "__iter__") or callable(value):
        return None
    try:
        return list(value)
    except Exception:
        return None


def _unpacked(m: Interpreter, items: Any, wanted: int | None) -> list[Value] | None:
    """As many items as there are names for them, of a list that was summarised: data are taken to have the form that the program gives them."""
    plain = sum(type(v) is not Summary for v in items)
    summaries = [v for v in items if type(v) is Summary]
    if wanted is None or len(summaries) != 1 or wanted < plain:
        return None
    return [one for v in items for one in ([standing(m, v.first)] * (wanted - plain) if type(v) is Summary else [v])]


def _of_range(m: Interpreter, value: Model, node: ast.AST) -> list[Value] | None:
    """A range of unknown length whose iterations can be counted: the run forks on how many there are."""
    iterations = registry.iterations(m, value, node)
    if iterations is None or value.space.get("open", True):
        return None
    found: list[Value] = []
    for condition, item in iterations:
        if not decided(m, condition):
            break
        found.append(item)
    return found


def _rows(m: Interpreter, value: TensorType, node: ast.AST, wanted: int | None) -> list[Value] | None:
    value = m.memory.current(value)
    if value.framework == "keras":
        raise m.raised("NotImplementedError", "a symbolic KerasTensor cannot be iterated", node)
    if value.graph is not None:
        from tensorproof.libraries.tensorflow import traced

        traced.refuse(m, "iteration", value, node)
    if not value.shape.known:
        return None
    if len(value.shape) == 0:
        raise m.raised("TypeError", "a tensor without axes cannot be iterated", node)
    count = value.shape[0]
    if not isinstance(count, int):
        if wanted is None:
            return None
        from tensorproof.terms.predicates import eq

        m.require("python/unpack", eq(count, wanted), f"{count!r} rows are unpacked into {wanted} names", node)
        count = wanted
    if count > 4096:
        return None
    if count == 0:
        return []
    row = m.spelling(f"{'torch.Tensor' if value.framework == 'torch' else _home(value)}.__getitem__", (value, 0), {}, node)
    autograd.unbound(row)
    if value.contents is None:
        return _drawn_rows(m, value, row, count, node)
    return [row, *(m.spelling(f"{_home(value)}.__getitem__", (value, i), {}, node) for i in range(1, count))]


def _drawn_rows(m: Interpreter, value: TensorType, row: Value, count: int, node: ast.AST) -> list[Value]:
    """The rows of a tensor whose contents are not known. Of few numbers that were drawn between two bounds each is a number of its own."""
    found = value.facts.span if value.facts is not None else None
    if found is None or not isinstance(row, TensorType) or len(row.shape) or count > MOST_DRAWN:
        return [row] * count
    return [m.memory.made(row.but(contents=(between(m, "number", found[0], found[1] - 1, node),))) for _ in range(count)]


def drawn_row(m: Interpreter, value: TensorType, low: Value, high: Any, node: ast.AST) -> TensorType:
    """One of the numbers of a tensor that were drawn between two bounds."""
    row = m.spelling(f"{_home(value)}.__getitem__", (value, 0), {}, node)
    made: TensorType = m.memory.made(row.but(contents=(between(m, "number", low, high - 1, node),)))
    return made


def _home(value: TensorType) -> str:
    return tensor_class(value)


def _of_instance(m: Interpreter, value: Instance, node: ast.AST, wanted: int | None) -> list[Value] | None:
    found = m.in_class(value.cls, "__iter__")
    if found is not MISSING:
        source = m.call(Bound(found, value), (), {}, node)
        if isinstance(source, Instance):
            step = m.in_class(source.cls, "__next__")
            if step is MISSING:
                raise m.raised("TypeError", f"{source.cls.name} has no __next__", node)
            return _stepped(m, Bound(step, source), node)
        return items(m, source, node, wanted)
    known = registry.items(m, value, node)
    if known is not None:
        return known
    getter = m.in_class(value.cls, "__getitem__")
    if getter is not MISSING:
        return _indexed(m, value, getter, node)
    if library_objects.inherits_unseen(value.cls):
        return None
    raise m.raised("TypeError", f"{value.cls.name} cannot be iterated", node)


def _stepped(m: Interpreter, step: Value, node: ast.AST) -> list[Value] | None:
    result: list[Any] = []
    while len(result) < MOST_YIELDS:
        m.handlers += 1
        try:
            result.append(m.call(step, (), {}, node))
        except Raised as raised:
            if raised.kind == "StopIteration":
                return result
            raise
        finally:
            m.handlers -= 1
        m.step()
    return None


def _indexed(m: Interpreter, value: Instance, getter: Value, node: ast.AST) -> list[Value] | None:
    result: list[Value] = []
    while len(result) < MOST_YIELDS:
        m.handlers += 1
        try:
            result.append(m.call(Bound(getter, value), (len(result),), {}, node))
        except Raised as raised:
            if raised.kind in ("IndexError", "StopIteration"):
                return result
            raise
        finally:
            m.handlers -= 1
        m.step()
    return None


# --- iterators ---


def next_of(m: Interpreter, value: Value, node: ast.AST, default: Value = MISSING) -> Value:
    """`next(value)`."""

    def ended() -> Value:
        if default is not MISSING:
            return default
        raise m.raised("StopIteration", "there is no next value", node)

    match value:
        case Iterator():
            at = value.state["at"]
            if type(at) is not int:  # a loop that is being proved
                raise Fork(m.heap.branch_since(-1))
            if isinstance(value.items, Watched) and value.items.watch is not None:
                value.items.watch.check(at >= len(value.items), node)
            if at >= len(value.items):
                return ended()
            m.heap.set(value.state, "at", at + 1)
            return value.items[at]
        case Generator():
            found = advance(m, value, node)
            if found is END and default is MISSING:
                raise returned(m, value, node)
            return ended() if found is END else found
        case Instance():
            step = m.in_class(value.cls, "__next__")
            if step is MISSING:
                raise m.raised("TypeError", f"a {value.cls.name} is not an iterator", node)
            if default is MISSING:
                return m.call(Bound(step, value), (), {}, node)
            m.handlers += 1
            try:
                return m.call(Bound(step, value), (), {}, node)
            except Raised as raised:
                if raised.kind == "StopIteration":
                    return default
                raise
            finally:
                m.handlers -= 1
        case Unknown():
            return value
        case Model():
            return registry.next_item(m, value, node) if default is MISSING else m.next_or(value, default, node)
        case List() if is_summarised(value.items):  # it may stand for what a generator gives
            return m.gap("next", node, "of the items of a summarised list")
        case List() | Dict() | Set() | tuple() | str():
            raise m.raised("TypeError", f"a {type(value).__name__.lower()} is not an iterator", node)
        case _:
            return m.gap("next", node)


def iter_of(m: Interpreter, value: Value, node: ast.AST) -> Value:
    """`iter(value)`."""
    match value:
        case Iterator() | Generator() | Unknown():
            return value
        case Instance():
            found = m.in_class(value.cls, "__iter__")
            if found is not MISSING:
                return m.call(Bound(found, value), (), {}, node)
        case List() if not is_summarised(value.items) and not value.view:
            return iterator(m, value.items)
        case Model():
            found_model = registry.iterator_of(m, value, node)
            if found_model is not MISSING:
                return found_model
        case _:
            pass
    found_items = items(m, value, node)
    return Unknown("iterator") if found_items is None else iterator(m, watched(m, value, found_items, node))


_ITEMS: Kinds[Callable[[Interpreter, Any, ast.AST, int | None], list[Value] | None]] = Kinds(
    {
        List: _of_list,
        Set: _of_list,
        tuple: _of_tuple,
        Dict: lambda m, value, node, wanted: None if OPEN in value.items else [as_value(k) for k in value.items],
        str: lambda m, value, node, wanted: list(value),
        bytes: lambda m, value, node, wanted: list(value),
        range: lambda m, value, node, wanted: None if too_long(value) else list(value),
        Iterator: _of_iterator,
        Generator: lambda m, value, node, wanted: drained(m, value, node),
        TensorType: _rows,
        Choice: lambda m, value, node, wanted: items(m, value.then if decided(m, value.condition) else value.other, node, wanted),
        Instance: _of_instance,
        Model: _of_model,
        Layer: lambda m, value, node, wanted: registry.items(m, value, node),
        Class: _of_class,
        Unknown: _of_unknown,
        int: _of_number,
        Term: _of_number,
        float: _of_number,
        type(None): _of_number,
    },
    _of_host,
)
"""How the items of a value of each kind are found."""
