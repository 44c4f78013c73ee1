"""Views by strides: all places that they show must lie within the memory of the tensor."""

from __future__ import annotations

import ast

from tensorproof.ops.applied import Applied
from tensorproof.terms import TensorType, disj, eq, le
from tensorproof.values.port import Machine


def check(m: Machine, applied: list[Applied], node: ast.AST) -> None:
    for one in applied:
        if one.op.name != "as_strided":
            continue
        x, sizes, strides, offset = (one.arguments[name] for name in ("x", "size", "stride", "offset"))
        if not isinstance(x, TensorType) or not x.shape.known:
            continue
        last = sum(((n - 1) * k for n, k in zip(sizes, strides)), 0)
        empty = disj(*(eq(n, 0) for n in sizes))
        whole = _whole(m, x)
        if whole is None or (whole is not x and offset is None):
            within = x.strides is None and offset is None and disj(empty, le(last + 1, x.shape.numel)) is True
            if not within:
                m.gap("as_strided", node, "how much memory the tensor has from its first element on is not known")
            continue
        words = f"as_strided shows place {last + (offset or 0)!r} of a memory with {whole.shape.numel!r} elements"
        m.demand("RuntimeError", disj(empty, le(last + (offset or 0) + 1, whole.shape.numel)), words, node, "as_strided/range")


def _whole(m: Machine, x: TensorType) -> TensorType | None:
    """The tensor whose memory it shows, where each place of that is an element; itself where it shows all of it from the first on."""
    space = x.base.space if x.base is not None else None
    if space is None:
        return None
    owner = space.get("is")
    if not isinstance(owner, TensorType) or owner.strides is not None or not owner.shape.known:
        return None
    return x if x.shape.numel == owner.shape.numel and x.strides is None else owner
