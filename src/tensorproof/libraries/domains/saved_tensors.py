"""What the backward function of an operator saves, by the facts of its spelling (`bindings/derivatives.py`)."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.domains.gradient_states import each, of
from tensorproof.terms.gradient import Node, Saved
from tensorproof.terms.tensor import TensorType
from tensorproof.values.port import Kwargs, Machine, Value

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
