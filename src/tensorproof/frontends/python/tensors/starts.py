"""Where tensors lie in the memory that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.applied import Applied
from tensorproof.terms.ints import Dim
from tensorproof.terms.tensor import SOMEWHERE, UNKNOWN_STRIDES, TensorType
from tensorproof.values.heap import Space

if TYPE_CHECKING:
    from tensorproof.frontends.python.tensors.memory import Held, Memory


def lies(held: Held) -> tuple[Space, Dim | None]:
    """The memory that a tensor lies in, and where in it the tensor begins."""
    home: Any = held.storage if held.owned else held.own.get("source", held.own)
    start = held.shown.start
    return home, 0 if start is None or home is held.own else start.at


def shown(memory: Memory, made: Any, applied: list[Applied], args: tuple[Any, ...]) -> None:
    """Views of what lies at an unknown place know at least whose memory they show."""
    if applied and applied[-1].op.aliases and args and isinstance(args[0], TensorType):
        for one in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(one, TensorType) and one.base is SOMEWHERE and one is not args[0]:
                memory.object_of(one)["source"] = memory.lies(args[0])[0]


def given_back(applied: list[Applied], args: tuple[Any, ...], made: Any) -> bool:
    """Whether an operator of torch that had nothing to change gave back the very tensor: `x.to(its own device)`, `x.contiguous()`."""
    if len(applied) != 1 or applied[0].op.view != "itself" or applied[0].op.random or not isinstance(made, TensorType) or made.base is None:
        return False
    source = args[0] if args else None
    if not isinstance(source, TensorType) or source.framework != "torch" or source.strides == UNKNOWN_STRIDES or source.layout != made.layout:
        return False
    same = source.dtype is not None and source.dtype is made.dtype and source.shape == made.shape and source.strides == made.strides
    return same and source.base is made.base and (source.device or "cpu") == (made.device or "cpu")
