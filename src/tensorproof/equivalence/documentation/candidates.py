"""Forms of calls that fit what the documentation says, at random. Most are refused where the documentation says too little: whoever draws them tries them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tensorproof.equivalence.documentation.constraint import Parameter
from tensorproof.equivalence.documentation.template import Drawn, Template
from tensorproof.equivalence.numbers import DRAWN, NOT_IN_NUMPY
from tensorproof.terms.dtypes import BY_LABEL

_NEVER = frozenset({
    "out", "name", "names", "inplace", "device", "generator", "layout", "pin_memory", "requires_grad", "memory_format",
    "validate", "validate_args", "validate_indices", "validate_shape", "check_invariants",
})  # fmt: skip
"""Optional parameters that change where a result is kept, not what it is; and those that turn off checks."""
_DRAWABLE = frozenset({"tensor", "list", "int", "float", "number", "bool", "str", "dtype"})
_WHOLE = ((0, 0), (0, 1), (1, 1), (1, 2), (0, 3), (2, 3), (1, 4))
_INTS = (0, 1, 1, 2, 2, 3, -1, 4)
_FLOATS = (0.1, 0.5, 1.0, 2.0)
GIVEN = 0.25
"""How often an optional parameter is given."""
ALIKE = 0.6
"""How often a tensor of which no shape is known has the shape of the others."""


class NotDrawable(Exception):
    """A required parameter that no value can be drawn for."""


def drawable(parameters: Sequence[Parameter]) -> bool:
    """Whether every required parameter can be given."""
    return all(not p.required or _structures(p) for p in parameters)


def _structures(p: Parameter) -> list[str]:
    said = p.said
    if not said.structure:
        return ["tensor", "tensor", "int"]
    found = [s for s in said.structure if s in _DRAWABLE and (s != "str" or said.choices)]
    return [s for s in found if s != "tensor" or _labels(p)]


def _labels(p: Parameter) -> list[str]:
    """The element types of a tensor that can be drawn; kinds as their common types."""
    kinds = {"int": ["int64", "int32"], "float": ["float32", "float64"], "number": ["float32", "int32"], "complex": ["complex64"], "bool": ["bool"]}
    if not p.said.type or p.said.type[0].startswith("same:"):
        return ["float32"]
    found = [label for t in p.said.type for label in kinds.get(t, [t])]
    return [label for label in found if label in BY_LABEL and BY_LABEL[label].kind in DRAWN and label not in NOT_IN_NUMPY]


@dataclass(slots=True)
class Candidate:
    """One form in the making."""

    random: Random
    types: dict[str, str] = field(default_factory=dict[str, str])
    letters: tuple[str, ...] = ()
    common: tuple[str | int, ...] = ()
    batch: tuple[str | int, ...] = ()
    floating: str = "float32"

    def __post_init__(self) -> None:
        r = self.random
        self.letters = tuple("abc"[: r.randint(1, 3)])
        self.common = tuple(r.choice(self.letters) for _ in range(r.choice((0, 1, 1, 2, 2, 2, 3, 4, 4))))
        self.batch = tuple(r.choice(self.letters) for _ in range(r.choice((0, 0, 1, 2))))
        self.floating = r.choice(("float32", "float32", "float32", "float64"))

    def arguments(self, parameters: Sequence[Parameter]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Required parameters that have a place by place, the others by name."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        later = [p for p in parameters if p.said.type and p.said.type[0].startswith("same:")]
        made = {p.name: v for p in [*(p for p in parameters if p not in later), *later] for v in self._given(p)}
        for p in parameters:
            if p.kind == "many":
                args += made.get(p.name, [])
            elif p.name in made and p.kind == "plain" and p.required and not kwargs:
                args.append(made[p.name])
            elif p.name in made:
                kwargs[p.name] = made[p.name]
        return tuple(args), kwargs

    def _given(self, p: Parameter) -> list[Any]:
        """The value of a parameter, in a list; nothing where it is left out."""
        structures = _structures(p)
        if p.kind == "many":
            return [[self._tensor(p) for _ in range(self.random.randint(1, 2))]] if "tensor" in structures else []
        if not p.required and (p.name in _NEVER or not p.said.structure or self.random.random() > GIVEN):
            return []
        if not structures:
            if p.required:
                raise NotDrawable
            return []
        return [self._value(p, self.random.choice(structures))]

    def _value(self, p: Parameter, structure: str) -> Any:
        r, said = self.random, p.said
        match structure:
            case "tensor":
                return self._tensor(p)
            case "list":
                return self._list(p)
            case "bool":
                return r.random() < 0.5
            case "str":
                return r.choice(said.choices)
            case "dtype":
                return BY_LABEL[r.choice([c for c in said.choices if c in BY_LABEL and BY_LABEL[c].kind in DRAWN] or ["float32", "float64", "int32"])]
            case _:
                return self._number(p, structure)

    def _number(self, p: Parameter, structure: str) -> int | float:
        whole = structure == "int" or (structure == "number" and self.random.random() < 0.5)
        span = _span(p.said.range, whole)
        if whole:
            return self.random.choice(_INTS) if span is None else self.random.randint(int(span[0]), int(span[1]))
        return self.random.choice(_FLOATS) if span is None else round(self.random.uniform(*span), 2)

    def _list(self, p: Parameter) -> list[Any]:
        fixed = [int(n) for s in p.said.shape for n in re.findall(r"^\[(\d+)\]$", s)]
        length = self.random.choice(fixed) if fixed else self.random.choice((1, 2, 2, 3, 4, 4, len(self.common)))
        match p.said.type:
            case ("tensor",):
                first = self._tensor(p)
                return [first] * length
            case ("float",):
                return [self._number(p, "float") for _ in range(length)]
            case ("string" | "dtype",):
                raise NotDrawable
            case _:
                return [1] * length if self.random.random() < 0.5 else [self._number(p, "int") for _ in range(length)]

    def _tensor(self, p: Parameter) -> Drawn:
        label = self._label(p)
        self.types[p.name] = label
        span = _span(p.said.range, BY_LABEL[label].kind in "iu")
        if span is None and BY_LABEL[label].kind in "iu":
            span = self.random.choice(_WHOLE)
        return Drawn(label, self._sizes(p), span if BY_LABEL[label].kind in "iuf" else None)

    def _label(self, p: Parameter) -> str:
        said = p.said.type
        if said and said[0].startswith("same:"):
            return self.types.get(said[0].removeprefix("same:"), self.floating)
        if not said:
            return self.random.choice((self.floating, self.floating, self.floating, "int64", "int32", "bool"))
        found = _labels(p)
        if not found:
            raise NotDrawable
        return "float32" if "float32" in found and self.random.random() < 0.6 else self.random.choice(found)

    def _sizes(self, p: Parameter) -> tuple[str | int, ...]:
        if p.sizes and self.random.random() < 0.8:
            return tuple(size for name in p.sizes for size in self._named(name))
        if p.said.shape:
            return self._of(self.random.choice(p.said.shape))
        if self.random.random() < ALIKE:
            return self.common
        return self._letters(self.random.choice((0, 1, 1, 2, 3, 4)))

    def _named(self, name: str) -> tuple[str | int, ...]:
        """A size by the name that the documentation gives it."""
        if name == "...":
            return self.batch
        if name.isdigit():
            return (int(name),)
        return (name.lower(),) if name.isidentifier() else (self.random.choice(self.letters),)

    def _of(self, shape: str) -> tuple[str | int, ...]:
        if shape.startswith("["):
            return tuple(int(n) if n.isdigit() else self.random.choice(self.letters) for n in shape[1:-1].split(","))
        if shape.startswith(">="):
            least = int(shape[2:])
            return self.common if len(self.common) >= least and self.random.random() < ALIKE else self._letters(least + self.random.choice((0, 0, 1, 2)))
        return self.common if len(self.common) == int(shape) else self._letters(int(shape))

    def _letters(self, rank: int) -> tuple[str | int, ...]:
        return tuple(self.random.choice(self.letters) for _ in range(rank))


def _span(text: str, whole: bool) -> tuple[float, float] | None:
    """Numbers that a range allows."""
    step = 1.0 if whole else 0.1
    if m := re.fullmatch(r"(>=|>)(-?[\d.]+)", text):
        low = float(m.group(2)) + (step if m.group(1) == ">" else 0.0)
        return low, low + 3
    if m := re.fullmatch(r"([\[(])(-?[\d.]+),(-?[\d.]+)([\])])", text):
        low, high = float(m.group(2)) + (step if m.group(1) == "(" else 0), float(m.group(3)) - (step if m.group(4) == ")" else 0)
        return (low, min(high, low + 300)) if low <= high else None
    return None


def candidate(parameters: Sequence[Parameter], init: Sequence[Parameter] | None, random: Random) -> Template:
    """A form of a call; `init` are the constructor's parameters of a class."""
    made = Candidate(random)
    before = None
    if init is not None:
        places, names = made.arguments(init)
        before = {**dict(zip([p.name for p in init], places)), **names}
    args, kwargs = made.arguments(parameters)
    return Template(args, kwargs, before)
