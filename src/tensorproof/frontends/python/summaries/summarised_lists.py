"""Lists, sets and dicts of which the items are summarised: what loops, subscripts and functions of Python make of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorproof.frontends.python.iteration.iteration import MOST_DRAWN, drawn_row
from tensorproof.frontends.python.summaries import items_at_places
from tensorproof.frontends.python.widening.acceleration import alike
from tensorproof.libraries import registry
from tensorproof.libraries.model import Open
from tensorproof.libraries.whole_numbers import size_in, whole_tensor
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.facts import of_any
from tensorproof.terms.ints import Origin, Term, ite, lower, maximum, minimum, sole_atom, upper
from tensorproof.terms.predicates import Predicate, ge, gt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Choice, Dict, Instance, List, Model, Set, as_value
from tensorproof.values.python_values import COUNTED, TEXT, Summary, Unknown
from tensorproof.values.standing import standing
from tensorproof.values.summaries import Reindexed, is_summarised, is_text, length, more, number_of, number_of_kinds, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.terms.ints import Dim
    from tensorproof.values.machine import Value


def parts(m: Interpreter, value: Value, node: ast.AST) -> list[Value] | None:
    """The items of a value of which some are summarised; None for any other value."""
    if isinstance(value, (List, Set)):
        return list(value.items) if is_summarised(value.items) else None
    if isinstance(value, tuple):
        return list(value) if is_summarised(value) else None
    if type(value) is Dict:
        return keys(value) if OPEN in value.items else None
    if isinstance(value, TensorType):
        return _rows(value)
    if isinstance(value, Unknown) and (value.text or value.octets):
        count = m.symbol(m.name_here("letters", node), 1, None, Origin.UNMODELLED)
        return [Summary("letters of a summarised list", count=count, first=letter(m, value, node), second=letter(m, value, node))]
    iterations = open_iterations(m, value, node)
    return None if iterations is None else [Summary("items of a summarised list", count=iterations.times, first=iterations[0][1], second=iterations[1][1])]


def letter(m: Interpreter, owner: Unknown, node: ast.AST) -> Value:
    """One item of a text or of bytes."""
    return TEXT if owner.text else m.symbol(m.name_here("octet", node), 0, 255, Origin.UNMODELLED)


def _rows(value: TensorType) -> list[Value] | None:
    """The rows of a tensor of which there is an unknown number."""
    if value.framework not in ("torch", "numpy") or not value.shape.known or not value.shape or not isinstance(value.shape[0], Term):
        return None
    row = value.sized(Shape(value.shape[1:]), strides=None if value.strides is None else UNKNOWN_STRIDES)
    return [Summary("rows of a summarised list", count=value.shape[0], first=row, second=row)]


def open_iterations(m: Interpreter, value: Value, node: ast.AST) -> Open | None:
    """The iterations of a loop over a value, where they are summarised."""
    if isinstance(value, Model):
        found = registry.iterations(m, value, node)
        return found if isinstance(found, Open) else None
    if type(value) in (List, Set, Dict) or isinstance(value, (tuple, TensorType)) or (isinstance(value, Unknown) and (value.text or value.octets)):
        items = parts(m, value, node)
        if items is None:
            return (_drawn_rows(m, value, node) or _open_rows(m, value)) if isinstance(value, TensorType) else _read(m, value, node)
        return of_items(m, items, node)
    return None


def _drawn_rows(m: Interpreter, value: TensorType, node: ast.AST) -> Open | None:
    """Iterations over many numbers that were drawn between two bounds."""
    value = m.memory.current(value)
    found = value.facts.span if value.facts is not None else None
    if found is None or value.contents is not None or not value.shape.known or len(value.shape) != 1:
        return None
    count = value.shape[0]
    if not isinstance(count, int) or not _MOST_READ < count <= MOST_DRAWN:
        return None
    return Open(count, lambda k: drawn_row(m, value, *found, node), 1)


def _open_rows(m: Interpreter, value: TensorType) -> Open | None:
    """The rows of a tensor with an open number of them."""
    if value.framework not in ("tf", "numpy") or not value.shape.known or not value.shape or not isinstance(value.shape[0], Term):
        return None

    def row(at: Value) -> Value:
        made = value.sized(Shape(value.shape[1:]), base=None, parameter=False)
        if m.path.program is not None:
            m.path.program.slices([value], [made])
        return made

    return Open(value.shape[0], row, 1)


_MOST_READ = BUDGETS.containers.numbers_read


def _read(m: Interpreter, value: Value, node: ast.AST) -> Open | None:
    """Iterations over a list of numbers that are unknown, each as good as any other."""
    items = list(value.items) if type(value) is List and not value.deque else []
    if len(items) <= _MOST_READ or not all(map(_drawn, items)) or (type(items[0]) is List and len({len(one.items) for one in items if type(one) is List}) > 1):
        return None
    return Open(len(items), lambda k: items[0] if k == 0 else _another(m, items[-1], node), 1, items)


def _drawn(item: Value) -> bool:
    """Whether an item is a number that was read from a tensor, or a list of such."""
    if type(item) is List:
        return bool(item.items) and all(map(_drawn, item.items))
    atom = sole_atom(item) if type(item) is Term else None
    return (atom is not None and atom.kind == "symbol" and atom.origin is Origin.UNMODELLED) or (type(item) is Unknown and bool(item.number))


def _another(m: Interpreter, item: Value, node: ast.AST) -> Value:
    """A number like this one, with a name of its own."""
    if type(item) is List:
        return List(m.heap.row([_another(m, one, node) for one in item.items]))
    atom = sole_atom(item) if isinstance(item, (int, Term)) else None
    return item if atom is None else m.session.fresh("item", int(atom.lo), int(atom.hi))


def of_items(m: Interpreter, items: list[Value], node: ast.AST) -> Open | None:
    """Iterations over items of which some are summarised."""
    count = length(items)
    samples = shown(items)
    if isinstance(count, Unknown):
        return None
    any_item = samples[-1]
    for one in samples[:-1]:
        any_item = any_of(m, one, any_item, node)
    first, any_item = standing(m, samples[0]), standing(m, any_item)
    return Open(count, lambda k: first if k == 0 else any_item, 1)


def any_of(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Value:
    """Any item of a list in which these two are shown."""
    if a is b or alike(a, b):
        return b
    if type(a) in (int, Term) and type(b) in (int, Term):
        if not isinstance(a, int) or not isinstance(b, int):
            return b if isinstance(b, Term) else a
        return m.symbol(m.name_here("item", node), min(a, b), max(a, b), Origin.UNMODELLED)
    if isinstance(a, TensorType) and isinstance(b, TensorType) and a.shape.known and b.shape.known and len(a.shape) == len(b.shape) and a.dtype is b.dtype:
        sizes = Shape(_any_size(m, x, y, node) for x, y in zip(a.shape, b.shape))
        return b.sized(sizes, contents=b.contents if a.contents == b.contents else None, facts=of_any([a.known, b.known]))
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return tuple(any_of(m, x, y, node) for x, y in zip(a, b))
    if type(a) is type(b) and isinstance(a, (List, Dict, Instance, Model)):
        return b
    return either(m, a, b, node)


def _any_size(m: Interpreter, a: Dim, b: Dim, node: ast.AST) -> Dim:
    found = any_of(m, a, b, node)
    return found if isinstance(found, (int, Term)) else b


def keys(value: Dict) -> list[Value]:
    return [_side(value.items[OPEN], 0) if k is OPEN else as_value(k) for k in value.items]


def values(value: Dict) -> list[Value]:
    return [_side(value.items[OPEN], 1) if k is OPEN else v for k, v in value.items.items()]


def pairs(value: Dict) -> list[Value]:
    return [v if k is OPEN else (as_value(k), v) for k, v in value.items.items()]


def _side(summary: Summary, at: int) -> Summary:
    return Summary(summary.reason, count=summary.count, first=part(summary.first, at), second=part(summary.second, at))


def part(item: Value, at: int) -> Value:
    """The key or the value of an entry, or one place of a row."""
    assert isinstance(item, tuple)
    return item[at]


# --- subscripts ---


def item(m: Interpreter, items: Sequence[Value], index: Value, node: ast.AST) -> Value:
    """`items[index]` where some are summarised: one that was, else one of those that were not."""
    if isinstance(index, slice):
        return List(m.heap.row(cut(m, list(items), index, node)))
    found = list(items)
    _in_range(m, found, index, node)
    if isinstance(index, int) and not isinstance(index, bool):
        ahead, at = (found, index) if index >= 0 else (found[::-1], -index - 1)
        place = items_at_places.item(m, ahead, at, lambda one: standing(m, Reindexed(m.heap, index, found)(any_of(m, one.first, one.second, node))))
        if place is not MISSING:
            return place
    samples = shown(found)
    if not all(type(v) is type(samples[0]) for v in samples) and not all(map(number_of, samples)) and not all(map(is_text, samples)):
        return Unknown("one of many items")
    any_item = samples[0]
    for one in samples[1:]:
        any_item = any_of(m, one, any_item, node)
    return standing(m, Reindexed(m.heap, index, found)(any_item))


def _in_range(m: Interpreter, items: list[Value], index: Value, node: ast.AST) -> None:
    """An index that is beyond the end for sure."""
    total = length(items)
    if isinstance(total, Unknown):
        m.may_raise("IndexError", "the index may be out of range", node)
    if isinstance(index, bool) or not isinstance(index, (int, Term)) or not isinstance(total, Term):
        return
    beyond = ge(index, total) if lower(index) >= 0 else gt(-index, total) if isinstance(index, int) else False
    if beyond is True or (isinstance(beyond, Predicate) and m.implied(beyond)):
        raise m.raised("IndexError", f"index {index!r} is out of range for {total!r} items", node)
    if beyond is not False:
        m.may_raise("IndexError", f"index {index!r} is out of range for {total!r} items", node)


def may_not_fit(m: Interpreter, value: Value, names: int, node: ast.AST) -> None:
    """Items of which the number is not known, unpacked into so many names."""
    items = value.items if isinstance(value, List) else value if isinstance(value, tuple) else ()
    if is_summarised(items):
        m.may_raise("ValueError", f"the values are unpacked into {names} names", node)


def part_of(m: Interpreter, owner: Value, ends: list[Value]) -> List | None:
    """`items[start:stop]` of a list that is listed, up to or from a number that is unknown, where all items are alike."""
    items = list(owner.items) if isinstance(owner, List) else []
    start, stop, step = (size_in(m, p) if whole_tensor(p) or (isinstance(p, Unknown) and p.number == "int") else p for p in ends)
    if isinstance(owner, List) and not items:
        return List(m.heap.row())
    low, high = (p if isinstance(p, (int, Term)) and lower(p) >= 0 else None for p in (start, stop))
    if not items or step is not None or (start is not None and low is None) or (stop is not None and high is None):
        return None
    if not all(alike(v, items[0]) for v in items[1:]) and not all(map(_drawn, items)):
        return None
    first, last = (0 if low is None else minimum(low, len(items))), (len(items) if high is None else minimum(high, len(items)))
    return List(m.heap.row([summarise(maximum(last - first, 0), items)]))


def set_item(m: Interpreter, owner: List, index: Value, value: Value, node: ast.AST) -> None:
    """`owner[index] = value`: where it is unknown which item it is, each may be the new one."""
    items = list(owner.items)
    plain = next(i for i, v in enumerate(items) if type(v) is Summary)
    m.heap.touch(owner.items)
    if isinstance(index, int) and 0 <= index < plain:
        owner.items[index] = value
    elif isinstance(index, slice):
        m.gap("list[…:…] = …", node, "its length is not known")
    else:
        owner.items[:] = [_replaced(m, v, value, node) if type(v) is Summary else either(m, v, value, node) for v in items]


def _replaced(m: Interpreter, held: Summary, value: Value, node: ast.AST) -> Summary:
    """Items of which any may be the new one. Those of `[None] * n` are there to be replaced: whether all are is not known."""
    if all(one is None or (number_of(one) and not number_of(value)) for one in (held.first, held.second)):
        m.gap("list[…] = …", node, "which items are replaced is not known")
        return Summary(held.reason, count=held.count, first=value, second=value)
    return Summary(held.reason, count=held.count, first=held.first, second=either(m, held.second, value, node))


def cut(m: Interpreter, items: list[Value], index: slice, node: ast.AST) -> list[Value]:
    total = length(items)
    start, stop, step = index.start, index.stop, index.step
    if step == -1 and start is None and stop is None:
        return items[::-1]
    plain = next(i for i, v in enumerate(items) if type(v) is Summary)
    if step in (None, 1) and start not in (None, 0):
        items = [Reindexed(m.heap, f"{start!r}:", items)(v) if type(v) is Summary else v for v in items]
    if step in (None, 1) and stop is None and isinstance(start, int) and 0 <= start <= plain:
        return items[start:]
    if step in (None, 1) and start in (None, 0) and isinstance(stop, int) and 0 <= stop <= plain:
        return items[:stop]
    samples = shown(items)
    start, stop = 0 if start is None else start, total if stop is None else stop
    if not isinstance(start, (int, Term)) or not isinstance(stop, (int, Term)) or isinstance(total, Unknown) or step not in (None, 1):
        return [summarise(m.symbol(m.name_here("slice", node), 0, None, Origin.UNMODELLED), samples)]
    if any(isinstance(p, Term) and lower(p) < 0 for p in (start, stop)):
        return [summarise(m.symbol(m.name_here("slice", node), 0, None, Origin.UNMODELLED), samples)]
    first = maximum(total + start, 0) if isinstance(start, int) and start < 0 else minimum(start, total)
    last = maximum(total + stop, 0) if isinstance(stop, int) and stop < 0 else minimum(stop, total)
    return [summarise(maximum(last - first, 0), samples)]


# --- dicts with keys that are unknown ---


_MOST_NEW_KEYS = BUDGETS.containers.new_keys


def _some(m: Interpreter, least: float, most: float, node: ast.AST) -> Dim:
    return m.symbol(m.name_here("keys", node), max(int(least), 1), int(most) if most < 2**62 else None, Origin.UNMODELLED)


def put(m: Interpreter, owner: Dict, key: Value, value: Value, node: ast.AST) -> None:
    """`owner[key] = value` for a key that is unknown: it may be a new one."""
    old = owner.items.get(OPEN)
    if old is None:
        new = summarise(1, [(key, value)])
    else:
        count = more(old.count, ite(m.open_truth("a new key", node), 1, 0))
        if isinstance(count, Term) and upper(count) - lower(count) > _MOST_NEW_KEYS:  # a sum of many truth values says no more than how many there may be
            count = _some(m, lower(count), upper(count), node)
        new = Summary(old.reason, count=count, first=old.first, second=(key, either(m, part(old.second, 1), value, node)))
    for name, kept in owner.items.items():  # it may also be one of those that are known
        if name is not OPEN:
            m.heap.set(owner.items, name, either(m, kept, value, node))
    m.heap.set(owner.items, OPEN, new)


def put_all(m: Interpreter, owner: Dict, items: list[Value], count: Dim | Unknown, node: ast.AST) -> None:
    """So many keys that are unknown, each counted: some of them may be the same."""
    before = owner.items[OPEN].count if OPEN in owner.items else 0
    for one in (items[0], items[-1]):
        put(m, owner, one, COUNTED, node)
    if isinstance(before, Unknown) or isinstance(count, Unknown):
        made = _some(m, 1, 2**62, node)
    else:
        made = _some(m, lower(before), upper(before + count), node)
    summary = owner.items[OPEN]
    m.heap.set(owner.items, OPEN, Summary(summary.reason, count=made, first=summary.first, second=summary.second))


def found(m: Interpreter, owner: Dict, otherwise: Value, node: ast.AST) -> Value:
    """What a key that may be one of many leads to; `otherwise` is MISSING where a missing key would be an error."""
    summary = owner.items.get(OPEN)
    samples = [v for k, v in owner.items.items() if k is not OPEN] if summary is None else [part(summary.first, 1), part(summary.second, 1)]
    if otherwise is not MISSING:
        samples.append(otherwise)
    result = samples[0]
    for one in samples[1:]:
        result = either(m, result, one, node)
    return result


def shared_list(m: Interpreter, owner: Dict, node: ast.AST) -> List | None:
    """The list that represents all those under keys that are unknown; the key that is asked for may be a new one."""
    summary = owner.items.get(OPEN)
    held = None if summary is None else part(summary.second, 1)
    if summary is None or not isinstance(held, List) or not held.several or len(owner.items) > 1:
        return None
    count = more(summary.count, ite(m.open_truth("a new key", node), 1, 0))
    m.heap.set(owner.items, OPEN, Summary(summary.reason, count=count, first=summary.first, second=summary.second))
    return held


def columns(m: Interpreter, value: Value, node: ast.AST) -> List | None:
    """`zip(*rows)` of rows that were summarised: one tuple for each place in a row."""
    items = parts(m, value, node)
    rows = [] if items is None else shown(items)
    widths = {len(one) if isinstance(one, tuple) else -1 for one in rows}
    if items is None or len(widths) != 1 or -1 in widths:
        return None

    def column(at: int) -> tuple[Value, ...]:
        return tuple(_side(v, at) if type(v) is Summary else part(v, at) for v in items)

    return List(m.heap.row(column(at) for at in range(widths.pop())))


def starred(m: Interpreter, items: list[Value], before: int, after: int) -> list[Value] | None:
    """`a, *rest, b = items` where some are summarised: data are taken to have that form."""
    at = [i for i, v in enumerate(items) if type(v) is Summary]
    if len(at) != 1:
        return None
    summary, head, tail = items[at[0]], items[: at[0]], items[at[0] + 1 :]
    assert isinstance(summary, Summary)
    taken = max(0, before - len(head)) + max(0, after - len(tail))
    count = more(summary.count, -taken)
    rest = [*head[before:], Summary(summary.reason, count=count, first=summary.first, second=summary.second), *tail[: max(0, len(tail) - after)]]
    first = [*head[:before], *[standing(m, summary.first) for _ in range(before - len(head))]]
    last = [*[summary.second] * (after - len(tail)), *tail[max(0, len(tail) - after) :]] if after else []
    return [*first, List(m.heap.row(rest)), *last]


def either(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Value:
    """One of two values, it is unknown which."""
    if a is b or alike(a, b):
        return a
    if isinstance(a, List) and isinstance(b, List) and not a.deque and not b.deque:
        samples = shown([*a.items, *b.items])
        count = m.symbol(m.name_here("items", node), 0, None, Origin.UNMODELLED)
        return List(m.heap.row([summarise(count, samples)] if samples else []), several=True)
    numbers = number_of(a), number_of(b)
    if all(numbers):
        return number_of_kinds(numbers)
    if is_text(a) and is_text(b):
        return TEXT
    if isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)):
        return m.open_truth("one of two", node)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and not is_summarised((*a, *b)):
        return tuple(either(m, x, y, node) for x, y in zip(a, b))
    depth = 1 + max(v.depth if type(v) is Choice else 0 for v in (a, b))
    return Unknown("one of many values") if depth > 4 else Choice(m.open_truth("one of two", node), a, b, depth)
