"""The record of one applied operator: what was computed, from what, giving what, under which spelling. Every engine reads it."""

from __future__ import annotations

from math import isinf
from typing import Any

from tensorproof.ops.record import Op, Values
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """One application of `op`. `arguments` go by the operator's own names, defaults filled in; `results` are what came out."""

    op: Op
    arguments: dict[str, Any]
    results: tuple[TensorType, ...]
    spelling: str
    _read: Parts = field(init=False)
    """What `parts` found, once it was asked."""

    def __repr__(self) -> str:
        return f"{self.spelling} -> {self.op.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())}) -> {self.results!r}"


def given_values(one: Applied, at: int) -> Values:
    """What is known of the values of one result, some outputs being left out."""
    outputs = one.op.outputs
    if len(outputs) > len(one.results):
        outputs = tuple(out for out in outputs if not out.when or one.arguments.get(out.when))
    own = outputs[at].values if at < len(outputs) else None
    return one.op.values if own is None else own


class Parts:
    """What engines ask of the arguments of an application again and again.

    `named` are the tensors with the names of their arguments, those in lists one by one; `types` the element types of operands and results, less those of
    Python numbers; `symbolic` says whether a number among the arguments is a term. Applications of one operator with equal arguments beside their tensors
    have the same `form`; it is 0 where that cannot be said. `endless`: the program names infinity among the arguments.
    """

    __slots__ = ("endless", "form", "named", "symbolic", "tensors", "types")

    def __init__(self, one: Applied) -> None:
        named: list[tuple[str, TensorType]] = []
        beside: list[Any] = [one.op]
        symbolic = endless = False
        for name, value in one.arguments.items():
            kind = value.__class__
            if kind is TensorType:
                named.append((name, value))
                beside.append((name, TensorType))
            elif kind is tuple or kind is list:
                for item in value:
                    if item.__class__ is TensorType:
                        named.append((name, item))
                        beside.append((name, TensorType))
                    else:
                        symbolic = symbolic or _symbolic(item)
                        beside.append((name, item))
            else:
                symbolic = symbolic or kind is Term
                endless = endless or (kind is float and isinf(value))
                beside.append((name, value))
        self.named = tuple(named)
        self.tensors = tuple([tensor for _, tensor in named])
        self.symbolic = symbolic
        self.endless = endless
        self.types: tuple[DType | None, ...] = tuple([t.dtype for t in (*self.tensors, *one.results) if not t.weak])
        self.form = _numbered(tuple(beside))


def parts(one: Applied) -> Parts:
    """The parts of an application, which are found once."""
    try:
        return one._read
    except AttributeError:
        made = Parts(one)
        object.__setattr__(one, "_read", made)
        return made


def _symbolic(value: object) -> bool:
    return value.__class__ is Term or (isinstance(value, (tuple, list)) and any(map(_symbolic, value)))


MOST_FORMS = 50_000
"""How many forms are distinguished before all are forgotten."""
_FORMS: dict[tuple[Any, ...], int] = {}
_LAST = [0]


def _numbered(beside: tuple[Any, ...]) -> int:
    """The number of a form: equal ones have the same."""
    try:
        known = _FORMS.get(beside)
    except TypeError:
        return 0
    if known is None:
        if len(_FORMS) >= MOST_FORMS:
            _FORMS.clear()
        _LAST[0] += 1
        known = _FORMS[beside] = _LAST[0]
    return known
