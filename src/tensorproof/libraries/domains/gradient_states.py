"""The autograd state of a tensor, read where an operator left it or made where none did, and the tensors that a graph has saved for backward."""

from __future__ import annotations

import ast
from typing import Any

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
        kept = [Saved(of(m, t).cell, False, f"an argument of {word}", line) for value in bound.values() for t in each(value)]
        return (*kept, *(Saved(t.grad.cell, False, f"the result of {word}", line) for t in results if t.grad is not None)), None, None
    wanted = _wanted(facts, inputs)
    if word == "__getitem__":
        keeps = _index_is_saved(bound.get("index"))
    else:
        keeps = True if any(wanted.values()) else None if wanted else False
    if not wanted:
        return (), keeps, False
    known = {id(t): g for _, t, g in inputs}
    found: list[Saved] = []
    for what, sure in wanted.items():
        made = what.startswith("result")
        held = results[int(what[6:] or 0) :][:1] if made else each(bound.get(what))
        words = f"the result of {word}" if made else f"an argument of {word}"
        for t in held:
            state = t.grad if made and t.grad is not None else known.get(id(t)) or of(m, t)
            found.append(Saved(state.cell, sure and len(held) == 1, words, line))
    exact = {id(t): g.requires for which, t, g in inputs if which in facts}
    return tuple(found), keeps, _again(m, wanted, bound, inputs, results, exact)


def _again(m: Machine, wanted: dict[str, bool], bound: Kwargs, inputs: Any, results: list[TensorType], exact: dict[int, bool | None]) -> bool | None:
    """Whether the gradient depends on a tensor that requires one: its backward function is then a part of a graph."""
    known = True
    for what, sure in wanted.items():
        if what.startswith("result"):
            states = [t.grad.requires if t.grad is not None else None for t in results[int(what[6:] or 0) :][:1]]
        elif what in bound:
            states = [exact[id(t)] if id(t) in exact else of(m, t).requires for t in each(bound[what])]
        else:
            states = [g.requires for which, _, g in inputs if which == what] or [None]
        if sure and True in states:
            return True
        known = known and all(state is False for state in states)
    return False if known else None


def _wanted(facts: Any, inputs: Any) -> dict[str, bool]:
    """The arguments and results that the gradients of the inputs need, and whether each surely is needed."""
    wanted: dict[str, bool] = {}
    for which, _, g in inputs:
        if g.requires is not False:
            for what, sure in facts.get(which) or ():
                wanted[what] = wanted.get(what, False) or (sure and g.requires is True)
    return wanted


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
