"""Calls of public names that the catalogue does not have, drawn from the forms that documentation led to."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.documentation.template import Drawn, Template, template
from tensorproof.equivalence.numbers import SPANS, drawn, kind_of
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.equivalence.api import Api

SIZES = (1, 2, 3, 4, 5)


@dataclass(slots=True)
class _Filling:
    """Draws the tensors of one call."""

    random: Random
    span: tuple[float, float]
    special: int | None
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])

    def value(self, value: object) -> Any:
        match value:
            case Drawn():
                name = f"a{len(self.inputs)}" if len(self.inputs) >= 26 else "abcdefghijklmnopqrstuvwxyz"[len(self.inputs)]
                self.inputs[name] = self._array(value)
                return Input(name)
            case [Drawn(), *_]:
                return [self.value(v) for v in value]
            case _:
                return value

    def _array(self, tensor: Drawn) -> Array:
        shape = tuple(s if isinstance(s, int) else self.sizes.setdefault(s, self.random.choice(SIZES)) for s in tensor.sizes)
        dtype, contents = BY_LABEL[tensor.label], None
        if tensor.span is not None and dtype.kind in "iu":
            low, high = (int(end) for end in tensor.span)
            count = 1
            for size in shape:
                count *= size
            contents = tuple(self.random.randint(low, high) for _ in range(count))
        return drawn(TensorType(Shape(shape), dtype, contents=contents), self.random, tensor.span or self.span, None if tensor.span else self.special)


def filled(api: Api, form: Template, random: Random, number: int = 0, special: bool = False) -> Call:
    """A call of that form."""
    filling = _Filling(random, random.choice(SPANS), kind_of(number, random) if special else None)
    init = None if form.init is None else {name: filling.value(v) for name, v in form.init.items()}
    args, kwargs = tuple(map(filling.value, form.args)), {name: filling.value(v) for name, v in form.kwargs.items()}
    written = tuple(list(filling.inputs)[at] for at in (api.documented.written if api.documented else ()) if at < len(filling.inputs))
    return Call(api, args, kwargs, init, filling.inputs, number, special, written)


def documented_call(api: Api, seed: int, number: int, special: bool) -> Call:
    """The call of that number."""
    assert api.documented is not None
    random = Random(f"{seed}:{api.name}:{number}")
    return filled(api, template(random.choice(api.documented.forms)), random, number, special)
