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
_facts = attrgetter("shape", "dtype", "weak", "device", "strides", "layout", "requires_grad", "parameter", "framework", "taped")

Given = dict[str, Any]
"""The arguments of a call that are tensors, or tuples of them."""


@dataclass(slots=True, eq=False)
class _Kept:
    """The result of a call, its other arguments as the operator took them, and whether a view was copied."""

    op: Op
    made: Any
    arguments: dict[str, Any]
    copied: bool
    passes: bool
    """Whether the result has the autograd state of what it shows."""


_kept: dict[Any, _Kept] = {}


def key_of(op: Op, arguments: dict[str, Any], session: Session, name: str) -> tuple[Any, Given] | None:
    """What the result of a call follows from, and the tensors among the arguments; None where it is not only the arguments."""
    if session.lenient or op.data_dependent:
        return None
    given: Given = {}
    parts: list[Any] = [id(op), name, session.framework, session.typed, session.default_float, session.recording]
    for word, value in arguments.items():
        kind = type(value)
        if kind is TensorType:
            if value.contents is not None or _counted(value):
                return None
            given[word] = value
            parts += (word, value.grad is None, _facts(value), value.start is not None and value.start.at)
        elif kind in _PLAIN:
            parts += (word, kind, value)
        elif kind is tuple:
            kinds = frozenset(map(type, value))
            if kinds == _ONLY_TENSORS:
                if any(t.contents is not None or _counted(t) for t in value):
                    return None
                given[word] = value
                value = tuple([(t.grad is None, _facts(t), t.start is not None and t.start.at) for t in value])
            elif kinds != _ONLY_INTS:
                return None
            parts += (word, kind, value)
        else:
            return None
    return tuple(parts), given


def _counted(tensor: TensorType) -> bool:
    """Whether its true elements are counted: a mask decides a shape."""
    return tensor.facts is not None and tensor.facts.ones is not None


def found(op: Op, key: object, given: Given) -> tuple[Any, dict[str, Any], bool] | None:
    """The result of an earlier call as new tensors, all arguments of this one, and whether a view was copied."""
    kept = _kept.get(key)
    if kept is None or kept.op is not op:
        return None
    grad, made = given[op.aliases].grad if kept.passes else None, kept.made
    if type(made) is TensorType:
        return made.but(grad=grad, facts=None, graph=None, history=None), {**kept.arguments, **given}, kept.copied
    results = [t.but(grad=grad, facts=None, graph=None, history=None) for t in made]
    return made.like(results) if isinstance(made, Outputs) else tuple(results), {**kept.arguments, **given}, kept.copied


def keep(op: Op, key: object, given: Given, made: object, arguments: dict[str, Any], copied: bool) -> None:
    """Keep the result of a call that stated nothing and made no symbol, unless it is one of the arguments."""
    results = made if isinstance(made, tuple) else (made,)
    tensors = [t for value in given.values() for t in (value if type(value) is tuple else (value,))]
    if any(arguments.get(word) is not value for word, value in given.items()) or not all(map(_is_numbers, tensors)):
        return
    shown = given.get(op.aliases)
    grad = shown.grad if isinstance(shown, TensorType) else None
    passes = grad is not None and any(type(t) is TensorType and t.grad is grad for t in results)
    known = set(map(id, tensors))
    if all(type(t) is TensorType and _follows(t, grad if passes else None) and id(t) not in known for t in results):
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[key] = _Kept(op, made, {word: None if word in given else value for word, value in arguments.items()}, copied, passes)


def _follows(made: TensorType, grad: object) -> bool:
    return made.contents is None and made.grad is grad and made.shape.concrete


def _is_numbers(tensor: TensorType) -> bool:
    """Whether all sizes and strides are numbers."""
    return tensor.shape.concrete and (tensor.strides is None or all(type(step) is int for step in tensor.strides))
