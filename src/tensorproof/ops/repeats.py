"""Results of calls that were made before with equal arguments: loops and repeated blocks apply the same operators to the same sizes.

A result is kept where it follows from the arguments alone: sizes are numbers, no contents, no new symbol, no open requirement.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from tensorproof.ops.record import Op
from tensorproof.ops.session import Session
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import Outputs, TensorType

_MOST = 4096
_PLAIN = frozenset([int, bool, float, str, type(None), DType])
_ONLY_INTS = frozenset([int])
_ONLY_TENSORS = frozenset([TensorType])
_facts = attrgetter("shape", "dtype", "weak", "device", "strides", "layout", "requires_grad", "parameter", "framework", "taped", "contents")


@dataclass(slots=True, eq=False)
class Kept:
    """The result of a call, its arguments as the operator took them, and whether a view was copied."""

    made: Any
    arguments: dict[str, Any]
    copied: bool
    passes: bool = False
    """Whether the result has the autograd state of what it shows."""
    op: Op | None = None


_kept: dict[Any, Kept] = {}


def key_of(op: Op, arguments: dict[str, Any], session: Session, name: str) -> Any:
    """What the result of a call follows from; None where that is not only its arguments."""
    if session.lenient or op.data_dependent:
        return None
    parts: list[Any] = [id(op), name, session.framework, session.typed, session.default_float]
    for word, value in arguments.items():
        kind = type(value)
        if kind is TensorType:
            if value.contents is not None or id(value) in session.counts:
                return None
            parts += (word, value.grad is None, _facts(value))
        elif kind in _PLAIN:
            parts += (word, kind, value)
        elif kind is tuple:
            kinds = frozenset(map(type, value))
            if kinds == _ONLY_TENSORS:
                if any(t.contents is not None or id(t) in session.counts for t in value):
                    return None
                value = tuple([(t.grad is None, _facts(t)) for t in value])
            elif kinds != _ONLY_INTS:
                return None
            parts += (word, kind, value)
        else:
            return None
    return tuple(parts)


def found(op: Op, key: Any, arguments: dict[str, Any]) -> Kept | None:
    """The result of an earlier call as new tensors, with the arguments of this one."""
    kept = _kept.get(key)
    if kept is None or kept.op is not op:
        return None
    full = {**kept.arguments, **{word: value for word, value in arguments.items() if _is_given(value)}}
    grad, made = full[op.aliases].grad if kept.passes else None, kept.made
    if type(made) is TensorType:
        return Kept(made.but(grad=grad), full, kept.copied)
    results = [t.but(grad=grad) for t in made]
    return Kept(made.like(results) if isinstance(made, Outputs) else tuple(results), full, kept.copied)


def _is_given(value: Any) -> bool:
    """Whether an argument is a tensor, or holds some."""
    return type(value) is TensorType or (type(value) is tuple and len(value) > 0 and type(value[0]) is TensorType)


def keep(op: Op, key: Any, arguments: dict[str, Any], found: Kept) -> None:
    """Keep the result of a call that stated nothing and made no symbol, unless it is one of the arguments."""
    results = found.made if isinstance(found.made, tuple) else (found.made,)
    given = {word: value for word, value in arguments.items() if _is_given(value)}
    if any(found.arguments.get(word) is not value for word, value in given.items()) or not _numbers(key):
        return
    shown = given.get(op.aliases)
    grad = shown.grad if isinstance(shown, TensorType) else None
    passes = grad is not None and any(type(t) is TensorType and t.grad is grad for t in results)
    known = set(map(id, arguments.values()))
    if all(type(t) is TensorType and _follows(t, grad if passes else None) and id(t) not in known for t in results):
        if len(_kept) >= _MOST:
            _kept.clear()
        plain = {word: None if word in given else value for word, value in found.arguments.items()}
        _kept[key] = Kept(found.made, plain, found.copied, passes, op)


def _follows(made: TensorType, grad: Any) -> bool:
    return made.contents is None and made.grad is grad and made.shape.concrete


_SIMPLE = (int, float, str, type, type(None), DType, frozenset)


def _numbers(key: Any) -> bool:
    """Whether all sizes in a key are numbers."""
    return all(_numbers(part) if isinstance(part, tuple) else isinstance(part, _SIMPLE) for part in key)
