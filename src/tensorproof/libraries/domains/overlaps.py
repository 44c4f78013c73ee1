"""Writes in place of tensors that share memory: torch refuses one that reads, at another place, what it writes."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.bindings.call import call as call_bound
from tensorproof.libraries.domains.gradient_states import each
from tensorproof.ops.applied import Applied
from tensorproof.ops.storage import steps_of
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import Truth, conj, disj, eq, le
from tensorproof.terms.strides import compact
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType
from tensorproof.values import Kwargs, Machine
from tensorproof.values.heap import WRITTEN_BACK


def refuse_repeated(m: Machine, target: TensorType, word: str, ran: list[Applied], node: ast.AST) -> None:
    """An expanded tensor cannot be written."""
    if not _repeats(target):
        return
    if word == "__setitem__":
        m.gap("item assignment", node, "into an expanded tensor, of which several elements lie in one place")
    elif not any(one.op.overlaps or one.op.aliases for one in ran):
        words = f"{word} writes into an expanded tensor {target.shape!r}, of which several elements lie in one place: make a clone() first"
        raise m.raised("RuntimeError", words, node, "inplace/overlap")


def _repeats(t: TensorType) -> bool:
    """Whether several elements surely lie in one place: an expanded tensor."""
    if t.strides is None or t.strides == UNKNOWN_STRIDES or not t.shape.known:
        return False
    return any(step == 0 and isinstance(n, int) and n > 1 for step, n in zip(t.strides, t.shape)) and 0 not in t.shape


def refuse_shared(m: Machine, target: TensorType, word: str, bound: Kwargs, ran: list[Applied], node: ast.AST) -> None:
    """What is read must be the very elements that are written, or others; where the operator reads at places of its own, others."""
    op = next((one.op for one in reversed(ran) if one.op.name != "copy_into"), ran[-1].op if ran else None)
    assigned = word == "__setitem__"
    if assigned and hasattr(node, WRITTEN_BACK):  # what `x[i] += …` changed in place goes back to where it lies
        return
    scattered = op is not None and op.order == "rows" and not assigned and "index" in bound
    looks = op is not None and (op.order == "like" or op.name == "copy_into" or assigned or scattered)
    if op is None or (op.order == "compact" and not looks):  # products and running sums
        return
    apart = scattered or not looks
    given = [t for which, value in bound.items() if apart or which != "index" for t in each(value) if (apart and which != "x") or t is not target]
    home, own = (m.memory.lies(target)[0], m.memory.object_of(target)) if given else (None, None)
    sources = [t for t in given if m.memory.lies(t)[0] is home and (apart or m.memory.object_of(t) is not own)]
    if not sources:
        return
    written, begins = target, m.memory.lies(target)[1]
    if assigned:
        written, begins = _region(m, target, bound.get("index"))
    for source in sources:
        fits = _apart(m.memory.labelled(source), m.memory.lies(source)[1], written, begins, not scattered) if looks else None
        if fits is None:
            m.gap(word, node, "whether it reads what it writes, elsewhere in the same memory, is not known")
        else:
            words = f"{word} writes into memory from which it reads at other places ({source.shape!r} and {written.shape!r} overlap): read from a clone()"
            m.demand("RuntimeError", fits, words, node, "inplace/overlap")


def _region(m: Machine, target: TensorType, index: Any) -> tuple[TensorType, Dim | None]:
    """The part that an assignment writes, and where it begins; None where an index tensor chooses it."""
    parts = index if type(index) is tuple else (index,)
    if any(not isinstance(i, (slice, int, Term)) and i is not None and i is not Ellipsis for i in parts):
        return target, None
    made = call_bound("torch.Tensor.__getitem__", (m.memory.labelled(target), index), {}).outputs
    return (made, made.start.at if made.start is not None else 0) if isinstance(made, TensorType) else (target, None)


def _apart(a: TensorType, start: Dim | None, b: TensorType, begins: Dim | None, same: bool) -> Truth | None:
    """Whether two tensors of one memory do not overlap, or `same` where they may be the same elements in the same order; None where that is not known."""
    dense = _is_dense(a), _is_dense(b)
    if False in dense or 0 in a.shape or 0 in b.shape:  # torch does not look
        return True
    if a.dtype is not b.dtype or start is None or begins is None:
        return None
    ends, beyond = start + a.shape.numel, begins + b.shape.numel
    alike = conj(eq(start, begins), eq(ends, beyond), len(a.shape) == len(b.shape) and conj(*(eq(p, q) for p, q in zip(steps_of(a) or (), steps_of(b) or ()))))
    if None in dense:
        return True if same and alike is True and steps_of(a) is not None and steps_of(b) is not None else None
    return disj(le(beyond, start), le(ends, begins), alike if same else False)


def _is_dense(t: TensorType) -> bool | None:
    """Whether the elements of a tensor fill a stretch of memory, each once."""
    steps = steps_of(t) if t.shape.known else None
    if t.strides is None or steps is None:
        return True if t.strides is None and t.shape.known else None
    if compact(t.shape, steps):
        return True
    if not all(type(n) is int for n in (*t.shape, *steps)):
        return None
    expected = 1
    for step, size in sorted((step, size) for size, step in zip(t.shape, steps) if size != 1):
        if step != expected:
            return False
        expected = expected * size
    return True
