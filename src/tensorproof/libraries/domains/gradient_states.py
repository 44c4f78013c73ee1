"""The autograd state of a tensor, read where an operator left it or made where none did, and the tensors that a graph has saved for backward."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any

from tensorproof.bindings.derivatives import derivative
from tensorproof.terms.gradient import NO, WHOLE, Gradient, Node, Saved, Version
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Key, Machine, Value, slot
from tensorproof.values.port import Kwargs

FIRST: Key[Gradient] = slot("first")


def is_float(t: TensorType) -> bool | None:
    return None if t.dtype is None else t.dtype.kind in "fc"


def of(m: Machine, t: TensorType) -> Gradient:
    """The autograd state of a tensor as it is now."""
    t = m.memory.labelled(t)
    found = t.grad if t.grad is not None else _first_seen(m, t)
    if found.base is not None:
        base = of(m, found.base)
        if base is not found.shown and base.node is not (found.shown.node if found.shown is not None else None):  # written through the base: made anew
            node = Node("view", (base,), (), False, m.heap.space({"freed": WHOLE}), 0)
            return found.but(requires=base.requires, leaf=False if base.requires else base.leaf, node=node, shown=base)
    return found


def _first_seen(m: Machine, t: TensorType) -> Gradient:
    """A tensor that no operator made: a parameter is a leaf; of others it is not known."""
    record = m.memory.object_of(t)
    requires = True if t.requires_grad else False if t.parameter else None
    kept: Gradient | None = record.get(FIRST)
    if kept is None:
        record["version"], record["grad"] = Version(), NO
        kept = record[FIRST] = Gradient(requires, True if t.parameter else None, record, record)
    return kept if kept.requires is requires else kept.but(requires=requires)


def fresh(m: Machine, requires: bool | None, leaf: bool | None = True, **changes: Any) -> Gradient:
    """The state of a new tensor in memory of its own."""
    record = m.heap.space({"version": Version(), "grad": NO})
    return Gradient(requires, leaf, record, record, **changes)


def each(value: Value) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value] if value.framework == "torch" and not value.weak else []
    return [t for v in value for t in each(v)] if isinstance(value, (tuple, list)) else []


Kept = tuple[tuple[Saved, ...], bool | None, bool | None]


def saved(m: Machine, facts: Any, bound: Kwargs, inputs: Any, results: list[TensorType], line: int, name: str) -> Kept:
    """What the backward function of an operator needs, whether it needs anything, and whether one of that requires a gradient."""
    word = name.rpartition(".")[2]
    if facts is None:
        kept = [Saved(of(m, t), False, f"an argument of {word}", line) for value in bound.values() for t in each(value)]
        return (*kept, *(Saved(t.grad, False, f"the result of {word}", line) for t in results if t.grad is not None)), None, None
    wanted, sure_of_one, tried = _wanted(name, tuple([(which, g.requires) for which, _, g in inputs]))
    keeps = _index_is_saved(bound.get("index")) if word == "__getitem__" else sure_of_one
    if not wanted:
        return (), keeps, False
    known = {id(t): g for _, t, g in inputs}
    exact = {} if tried else {id(t): g.requires for which, t, g in inputs if which in facts}
    found: list[Saved] = []
    again, settled = False, True
    for what, sure, at, words in wanted:
        states: list[bool | None] = []
        held = results[at : at + 1] if at is not None else each(bound.get(what))
        alone = sure and len(held) == 1
        for t in held:
            own = t.grad if at is not None else None
            state = own if own is not None else known.get(id(t)) or of(m, t)
            found.append(Saved(state, alone, words, line))
            if at is not None:
                states.append(own.requires if own is not None else None)
            else:
                states.append(state.requires if tried else exact[id(t)] if id(t) in exact else of(m, t).requires)
        if at is None and what not in bound:
            states = [g.requires for which, _, g in inputs if which == what] or [None]
        again = again or (sure and True in states)
        settled = settled and True not in states and None not in states
    return tuple(found), keeps, True if again else False if settled else None


_Wanted = tuple[tuple[str, bool, int | None, str], ...]


@lru_cache(maxsize=10_000)
def _wanted(name: str, inputs: tuple[tuple[str, bool | None], ...]) -> tuple[_Wanted, bool | None, bool]:
    """The arguments and results of a spelling that the gradients of its inputs need: whether each surely is needed, which of the results it is, and its name
    in messages; whether any is; and whether of all these inputs it is known what their gradients need. They come with whether they require a gradient."""
    facts, wanted, word = derivative(name) or {}, dict[str, bool](), name.rpartition(".")[2]
    for which, requires in inputs:
        if requires is not False:
            for what, sure in facts.get(which) or ():
                wanted[what] = wanted.get(what, False) or (sure and requires is True)
    listed: list[tuple[str, bool, int | None, str]] = []
    for what, sure in wanted.items():
        made = what.startswith("result")
        listed.append((what, sure, int(what[6:] or 0) if made else None, f"the result of {word}" if made else f"an argument of {word}"))
    return tuple(listed), True if any(wanted.values()) else None if wanted else False, all(which in facts for which, _ in inputs)


def _index_is_saved(index: Value) -> bool | None:
    """`x[index]` saves its index tensors; None where a part of the index may be one."""
    if each(index):
        return True
    parts = index if isinstance(index, tuple) else (index,)
    return None if any(not isinstance(i, (int, slice)) and i is not None and i is not Ellipsis for i in parts) else False


def refuse_inference(m: Machine, used: Node, bound: Kwargs, node: ast.AST) -> None:
    """A tensor made under inference_mode cannot be saved for backward."""
    cells = {id(one.cell) for one in used.saved if one.sure}
    if any(id(g.cell) in cells and g.inference for value in bound.values() for g in (of(m, t) for t in each(value))):
        words = "an inference tensor cannot be saved for backward: make a clone() of it outside of torch.inference_mode(), or use torch.no_grad()"
        raise m.raised("RuntimeError", words, node, "inference/saved")
