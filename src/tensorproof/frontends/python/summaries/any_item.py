"""One item of a sequence of known items at a position that is unknown: what the items share is kept, and their sizes are those of one of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.widening.acceleration import alike
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.facts import of_any
from tensorproof.terms.ints import Dim, Origin, Term, lower, upper
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType
from tensorproof.values.objects import Choice, Dict, List
from tensorproof.values.python_values import TEXT
from tensorproof.values.standing import standing
from tensorproof.values.summaries import is_summarised, is_text, number_of, number_of_kinds, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

MOST_VALUES = BUDGETS.containers.sizes_reported


class Unlike(Exception):
    """The items have no common description."""


def one_of(m: Interpreter, items: list[Value], index: Term, node: ast.AST) -> Value:
    """A value that stands for the item at this index. Raises `Unlike`."""
    return standing(m, _Summary(m, index, node).of(items))


def holds_lists(item: Value) -> bool:
    """Whether an item is a list, or a tuple or a dict that holds one: what two sides of a branch rarely agree on."""
    if isinstance(item, tuple):
        return any(map(holds_lists, item))
    return isinstance(item, List) or (isinstance(item, Dict) and any(map(holds_lists, item.items.values())))


class _Summary:
    def __init__(self, m: Interpreter, index: Term, node: ast.AST) -> None:
        self.m, self.index, self.node = m, index, node

    def of(self, items: list[Any]) -> Value:
        items = [leaf for one in items for leaf in _leaves(one)]
        first = items[0]
        if all(one is first or alike(one, first) for one in items):
            return first
        if all(type(one) in (int, Term) for one in items):
            return self.number(items)
        kinds = [number_of(one) for one in items]
        if all(kinds) and not any(isinstance(one, bool) for one in items):
            return number_of_kinds(kinds) if set(kinds) - {"int"} else self.m.gap("item", self.node, "a whole number that is not known")
        if all(is_text(one) for one in items):
            return TEXT
        if all(isinstance(one, bool) for one in items):
            return self.m.open_truth("item", self.node)
        if any(type(one) is not type(first) for one in items):
            raise Unlike
        if type(first) is tuple:
            return self._columns(items, tuple)
        if isinstance(first, List):
            return self._lists(items)
        if isinstance(first, Dict):
            return self._dicts(items)
        if isinstance(first, TensorType):
            return self._tensors(items)
        raise Unlike

    def _columns(self, items: list[Any], make: Any) -> Value:
        if len({len(one) for one in items}) != 1:
            raise Unlike
        return make(self.of(list(column)) for column in zip(*items))

    def _lists(self, items: list[Any]) -> List:
        rows = [list(one.items) for one in items]
        if any(is_summarised(row) for row in rows) or any(one.deque for one in items):
            raise Unlike
        lengths = {len(row) for row in rows}
        if len(lengths) == 1 and lengths.pop() <= MOST_VALUES:
            return List(self.m.heap.row(self.of(list(column)) for column in zip(*rows)))
        flat = [one for row in rows for one in row]
        return List(self.m.heap.row([summarise(self.number([len(row) for row in rows]), [_each(flat)])]))

    def _dicts(self, items: list[Any]) -> Dict:
        keys = list(items[0].items)
        if any(list(one.items) != keys for one in items):
            raise Unlike
        return Dict(self.m.heap.entries({key: self.of([one.items[key] for one in items]) for key in keys}))

    def _tensors(self, items: list[Any]) -> TensorType:
        first: TensorType = items[0]
        for one in items:
            same = one.shape.known and len(one.shape) == len(first.shape) and one.framework == first.framework
            if not same or one.dtype is not first.dtype or one.device != first.device:
                raise Unlike
        shape = Shape(self.number(list(sizes)) for sizes in zip(*(one.shape for one in items)))
        return first.sized(
            shape,
            facts=of_any(one.known for one in items),
            strides=UNKNOWN_STRIDES if any(one.strides is not None for one in items) else None,
        )

    def number(self, values: list[Dim]) -> Dim:
        """One of these whole numbers. Sizes that differ by a constant, or by a factor, from others of the same index do so here too."""
        if all(value == values[0] for value in values):
            return values[0]
        whole = [value for value in values if isinstance(value, int)]
        if len(whole) < len(values):
            least, most = min(lower(value) for value in values), max(upper(value) for value in values)
            if least < -(2**62) or most > 2**62:
                raise Unlike
            return self.m.symbol(self.m.name_here("item", self.node), int(least), int(most), Origin.UNMODELLED)
        known: dict[Value, list[tuple[list[int], Dim]]] = self.m.model_state.setdefault("any item", {})
        drawn = known.setdefault(self.index, [])
        for others, size in drawn:
            if len(others) == len(whole):
                gap = whole[0] - others[0]
                if all(a - b == gap for a, b in zip(whole, others)):
                    return size + gap
                if others[0] and all(a * others[0] == b * whole[0] for a, b in zip(whole, others)) and whole[0] % others[0] == 0:
                    return size * (whole[0] // others[0])
        different = sorted(set(whole))
        plain = not drawn and len(different) <= MOST_VALUES
        name = self.m.name_here("item", self.node)
        made = self.m.symbol(name, different[0], different[-1], Origin.WORLD if plain else Origin.UNMODELLED)
        if plain:
            self.m.assume(disj(*(eq(made, value) for value in different)))
        drawn.append((whole, made))
        return made


def _leaves(value: Value) -> list[Value]:
    """What a value may be."""
    return [*_leaves(value.then), *_leaves(value.other)] if type(value) is Choice else [value]


def _each(items: list[Value]) -> Value:
    """What stands for any of the items of lists of several lengths."""
    from tensorproof.libraries.python.random import any_of

    return any_of(items)
