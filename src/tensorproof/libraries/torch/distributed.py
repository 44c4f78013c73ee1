"""torch.distributed as one process of one sees it: what is reduced stays as it is, what is gathered is one's own."""

from __future__ import annotations

import ast

from tensorproof.libraries.model import KindModel, Run
from tensorproof.terms import TensorType, eq
from tensorproof.values import Args, Kwargs, List, Machine, Model, Value


def _in_place(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """all_reduce, broadcast, reduce: other processes change the numbers, never the shape."""
    tensor = args[0] if args else kwargs.get("tensor")
    if isinstance(tensor, TensorType):
        m.memory.write(tensor)
    return _work(m)


def _work(m: Machine) -> Model:
    return Model("torch.distributed.Work", m.heap.space())


def _gather(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """all_gather(list, tensor): each place of the list holds a tensor of the same shape."""
    places = args[0] if args else kwargs.get("tensor_list")
    tensor = args[1] if len(args) > 1 else kwargs.get("tensor")
    if not isinstance(places, List) or not isinstance(tensor, TensorType):
        return m.gap("torch.distributed.all_gather", node, "an argument is not known")
    for one in places.items:
        if isinstance(one, TensorType) and one.shape.known and tensor.shape.known:
            m.demand("RuntimeError", eq(one.shape.numel, tensor.shape.numel), f"a place for {one.shape!r} cannot take {tensor.shape!r}", node)
            m.memory.write(one)
    return _work(m)


def _gather_objects(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    places = args[0] if args else kwargs.get("object_list")
    value = args[1] if len(args) > 1 else kwargs.get("obj")
    if isinstance(places, List):
        m.heap.touch(places.items)
        places.items[:] = [value] * len(places.items)
    return None


FUNCTIONS: dict[str, Run] = {
    **{f"torch.distributed.{w}": _in_place for w in ("all_reduce", "broadcast", "reduce", "send", "recv", "isend", "irecv")},
    "torch.distributed.all_gather": _gather, "torch.distributed.all_gather_object": _gather_objects,
}  # fmt: skip
KINDS = {"torch.distributed.Work": KindModel()}
