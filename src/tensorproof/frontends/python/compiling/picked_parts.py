"""Comprehensions that only pick parts of their items, such as `{v: k for k, v in pairs}`: nothing of the program runs for an item."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


class Picks(NamedTuple):
    """Which parts of an item an element is made of."""

    parts: int
    """How many parts the target takes an item apart into; 0 for a single name."""
    chosen: tuple[int, ...]
    paired: bool

    def of(self, items: list[Value]) -> list[Value] | None:
        """The elements; None where an item cannot be taken apart so."""
        if not self.parts:
            return [(item, item) for item in items] if self.paired else list(items)
        rows = [item for item in items if type(item) is tuple and len(item) == self.parts]
        if len(rows) < len(items):
            return None
        first, last = self.chosen[0], self.chosen[-1]
        return [(row[first], row[last]) for row in rows] if self.paired else [row[first] for row in rows]


def picked_parts(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Picks | None:
    """The parts that a comprehension picks; None where it computes something."""
    one = node.generators[0]
    if len(node.generators) > 1 or one.ifs or one.is_async:
        return None
    targets = one.target.elts if isinstance(one.target, ast.Tuple) else [one.target]
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    wanted = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    chosen = [w.id for w in wanted if isinstance(w, ast.Name)]
    if len(names) < len(targets) or len(set(names)) < len(names) or len(chosen) < len(wanted) or not set(chosen) <= set(names):
        return None
    return Picks(len(names) if isinstance(one.target, ast.Tuple) else 0, tuple(map(names.index, chosen)), isinstance(node, ast.DictComp))
