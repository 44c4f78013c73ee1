"""Draws random values for the kinds of argument that operators declare. Seeded; knows sizes and types, no framework."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from random import Random
from typing import Any

from tensorproof.ops.inputs import (
    REQUIRED,
    Axes,
    Axis,
    Bool,
    Choice,
    ElementType,
    Float,
    Floats,
    Index,
    Int,
    Ints,
    Number,
    Pairs,
    Parameter,
    Sizes,
    Tensor,
    Tensors,
)  # fmt: skip
from tensorproof.ops.layout import Alternative, alternatives, value_of
from tensorproof.terms.dtypes import ALL_INTS, BOOL, COMPLEX64, FLOAT32, FLOAT64, INT64, DType, DTypes
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import MOST_CONTENTS, TensorType

COMMON: tuple[DType, ...] = (FLOAT32, FLOAT64, INT64, BOOL, COMPLEX64)
_NAMES = re.compile(r"[A-Za-z]\w*")
_SIZES = (1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 12)
SKIP: Any = type("Skip", (), {})()
"""Drawn for an argument that is better left out."""


@dataclass(slots=True)
class Draw:
    """The state of one call's drawing: the sizes of named axes agree across its tensors, and so do leading axes and the element type."""

    random: Random
    dims: dict[str, int] = field(default_factory=dict[str, int])
    lead: tuple[int, ...] = ()
    base: DType = FLOAT32
    made: dict[str, Any] = field(default_factory=dict[str, Any])
    zeros: bool = False
    """Whether axes of size 0 may be drawn."""

    def size(self) -> int:
        if self.zeros and self.random.random() < 0.15:
            return 0
        return self.random.choice(_SIZES)

    def value(self, kind: Parameter) -> Any:
        value = self._value(kind)
        if value is not SKIP:
            self.made[kind.name] = value
        return value

    def _value(self, kind: Parameter) -> Any:
        default = getattr(kind, "default", REQUIRED)
        optional = getattr(kind, "optional", False) or default is not REQUIRED
        if optional and self.random.random() < (0.35 if isinstance(kind, (Tensor, Tensors)) else 0.5):
            return SKIP
        draw = next((draw for declared, draw in _BY_KIND if isinstance(kind, declared)), None)
        if draw is not None:
            return draw(self, kind)
        if getattr(kind, "like", ()):
            return self._like(kind)
        return SKIP if default is not REQUIRED else None

    def _like(self, kind: Any) -> Any:
        """One of the values, or of the kinds of value, that the declaration names."""
        r = self.random
        if getattr(kind, "many", False):
            return [self._value(r.choice(kind.like)) for _ in range(r.randint(1, 3))]
        chosen = r.choice(kind.like)
        return self._value(chosen) if isinstance(chosen, Parameter) else chosen

    def _float(self, kind: Float) -> float:
        low = 0.0 if kind.least is None else kind.least
        high = low + 1.0 if kind.most is None else kind.most
        return self.random.choice([low, high, (low + high) / 2, low + 0.25 * (high - low)])

    def _number(self, kind: Number) -> float:
        return self.random.choice([1, 2, 0.5, 3.0])

    def _bool(self, kind: Bool) -> bool:
        return self.random.random() < 0.5

    def _axis(self, kind: Axis) -> int:
        rank = self._rank(kind.of) + kind.extra
        return self.random.randint(-rank, rank - 1) if rank else self.random.choice([0, -1])

    def _axes(self, kind: Axes) -> Any:
        r, rank = self.random, self._rank(kind.of)
        if not rank:
            return SKIP if getattr(kind, "optional", False) or kind.default is not REQUIRED else [0]
        chosen = r.sample(range(rank), r.randint(1, rank))
        chosen = [a - rank if r.random() < 0.3 else a for a in chosen]
        return chosen[0] if len(chosen) == 1 and r.random() < 0.5 else tuple(chosen) if r.random() < 0.5 else chosen

    def _pairs(self, kind: Pairs) -> list[list[int]]:
        return [[self.random.randint(kind.least, kind.least + 2) for _ in range(2)] for _ in range(self._rank(kind.of))]

    def _floats(self, kind: Floats) -> Any:
        if kind.loose:
            return [self.random.choice([0.5, 1.0, 2.0]) for _ in range(self._rank("x"))]
        return self.random.choice([0.5, 1.0, 2.0])

    def _choice(self, kind: Choice) -> Any:
        return self.random.choice(kind.options)

    def _element_type(self, kind: ElementType) -> DType:
        return self.random.choice([d for d in COMMON if d in kind.dtypes] or sorted(kind.dtypes, key=repr))

    def _int(self, kind: Int) -> int:
        low = 0 if kind.least is None else kind.least
        options = [low, low + 1, low + 1, low + 2, low + 3] + [s for s in self._all_sizes() if s >= low]
        if kind.most is not None:
            options = [o for o in options if o <= kind.most] or [kind.most]
        return self.random.choice(options)

    def _all_sizes(self) -> list[int]:
        return [n for v in self.made.values() if isinstance(v, TensorType) for n in v.shape]

    def _rank(self, name: str) -> int:
        owner = self.made.get(name)
        if isinstance(owner, list) and owner:
            owner = owner[0]
        return len(owner.shape) if isinstance(owner, TensorType) else 2

    def _sizes(self, kind: Sizes) -> Any:
        r = self.random
        if kind.words and r.random() < 0.25:
            return r.choice(kind.words)
        low = 1 if kind.least is None else kind.least
        n = kind.n if isinstance(kind.n, int) else self.made.get(kind.n, 2)
        draw = [low, low, low + 1, low + 1, low + 2]
        return r.choice(draw) if (kind.one and r.random() < 0.5) or not isinstance(n, int) else tuple(r.choice(draw) for _ in range(n))

    def _ints(self, kind: Ints) -> Any:
        """A shape or a list of axes that has a chance to fit the tensor drawn first."""
        r = self.random
        first = self._first()
        low = 0 if kind.least is None else kind.least
        if kind.per_axis and first is not None:
            return [r.randint(low, low + 2) for _ in range(kind.per_axis * max(1, len(first.shape) - 2))]
        earlier = next((v for v in self.made.values() if isinstance(v, (list, tuple)) and all(isinstance(n, int) for n in v)), None)
        if first is None and earlier is not None and not kind.shape and r.random() < 0.5:
            return r.sample(range(len(earlier)), len(earlier))
        if first is None:
            return [self.size() for _ in range(r.randint(0 if kind.shape else 1, 3))]
        shape, rank = list(first.shape), len(first.shape)
        numel = prod(shape)
        options: list[list[int]] = [shape, [numel], r.sample(range(rank), rank), [r.randint(low, low + 2) for _ in range(rank)]]
        divisors = [d for d in range(1, numel + 1) if numel % d == 0] or [1]
        first_factor = r.choice(divisors)
        options += [[first_factor, numel // first_factor], [-1, r.choice(divisors)], [self.size(), *shape], [r.randint(low, low + 3)]]
        options.append([low] * (2 * max(1, rank - 2)))
        if shape:
            axis = r.choice(shape)
            cut = r.randint(0, axis)
            options += [[cut, axis - cut], shape[r.randrange(rank) :], [a - rank for a in options[2]]]
        return r.choice(options)

    def _first(self) -> TensorType | None:
        return next((v for v in self.made.values() if isinstance(v, TensorType)), None)

    def _between_brackets(self, kind: Index) -> Any:
        return self._index_tensors() if kind.lists else self._index()

    def _index(self) -> Any:
        """What may stand between the brackets of the tensor drawn first."""
        r = self.random
        first = self._first()
        if first is not None and r.random() < 0.35:
            parts: list[Any] = [slice(None) if p is None else p for p in self._index_tensors()]
            return parts[0] if len(parts) == 1 else tuple(parts)
        parts = []
        for n in first.shape if first is not None else ():
            parts.append(r.choice([slice(None), slice(0, max(1, n // 2)), slice(None, None, 2), 0, None, ..., -1]))
        while parts.count(...) > 1:
            parts.remove(...)
        return tuple(parts) if len(parts) != 1 else parts[0]

    def _index_tensors(self) -> list[Any]:
        """Index tensors of one shape, a mask, or nothing at all, axis by axis."""
        r = self.random
        first = self._first()
        shape = list(first.shape) if first is not None else []
        if shape and r.random() < 0.2:
            over = shape[: r.randint(1, len(shape))]
            return [TensorType(Shape(over), BOOL)]
        common = [r.choice((1, 2, 3)) for _ in range(r.randint(0, 2))]
        count = r.randint(1, len(shape)) if shape else 0
        parts: list[Any] = [None if r.random() < 0.3 else self._whole(common, n) for n in shape[:count]]
        if parts and all(p is None for p in parts):
            parts[-1] = self._whole(common, shape[count - 1])
        return parts

    def _whole(self, shape: list[int], below: int) -> TensorType:
        """Whole numbers from 0 up to `below`."""
        return TensorType(Shape(shape), INT64, contents=tuple(self.random.randrange(max(1, below)) for _ in range(prod(shape))))

    # --- tensors ---

    def element_type(self, allowed: DTypes, mixed: float = 0.12) -> DType:
        if self.base in allowed and self.random.random() > mixed:
            return self.base
        common = [d for d in COMMON if d in allowed]
        return self.random.choice(common or sorted(allowed, key=repr))

    def tensor(self, kind: Tensor | Tensors, layout: str = "") -> TensorType:
        option = self.random.choice(self._fitting(layout or kind.draw or kind.layout))
        shape = [*self._named(option.before), *(self._lead() if option.open else ()), *self._named(option.after)]
        dtype = self.element_type(kind.dtypes)
        made = TensorType(Shape(shape), dtype, contents=self._contents(kind, shape, dtype))
        what, _, word = kind.values.partition(":")
        return made.but(**{what: word}) if what in ("layout", "framework") else made

    def _tensors(self, kind: Tensors) -> list[TensorType]:
        if kind.draw.startswith("@"):
            equation = self.made.get(kind.draw[1:])
            terms = equation.replace(" ", "").partition("->")[0].split(",") if isinstance(equation, str) else [""]
            return [self.tensor(kind, " ".join(re.findall(r"\.\.\.|\w", term))) for term in terms]
        if "," in kind.draw:
            return [self.tensor(kind, layout) for layout in kind.draw.split(",")]
        return [self.tensor(kind) for _ in range(self.random.randint(max(1, kind.least), kind.least + 2))]

    def _fitting(self, layout: str) -> list[Alternative]:
        """Alternatives that keep to the names already drawn are preferred."""
        options = list(alternatives(layout))
        known = [o for o in options if any(n in self.dims for n in (*o.before, *o.after))]
        return known if known and self.random.random() < 0.8 else options

    def _named(self, names: tuple[str, ...]) -> list[int]:
        sizes: list[int] = []
        for name in names:
            if name.isdigit():
                sizes.append(int(name))
            elif name == "_":
                sizes.append(self.size())
            elif not name.isidentifier():
                for part in _NAMES.findall(name):
                    self.dims.setdefault(part, self.size())
                sizes.append(max(0, value_of(name, self.dims)))
            else:
                sizes.append(self.dims.setdefault(name, self.size()))
        return sizes

    def _lead(self) -> list[int]:
        r = self.random
        shape = [1 if r.random() < 0.12 else n for n in self.lead]
        return shape[r.randint(0, len(shape)) :] if r.random() < 0.2 else shape

    def _contents(self, kind: Tensor | Tensors, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
        """Numbers for tensors whose values matter: indices below an axis, sizes."""
        word, _, axis = kind.values.partition(":")
        if prod(shape) > MOST_CONTENTS and word != "spd":
            return None
        if word == "regions":
            fits = dtype.kind == "f" and shape and shape[-1] in (4, 5)
            return self._regions(prod(shape[:-1]), shape[-1], self.dims.get(axis, 1)) if fits else None
        if word.startswith(("index", "place", "length")):
            return self._positions(axis, prod(shape)) if dtype in ALL_INTS else None
        draw = _BY_WORD.get(word)
        return draw(self.random, shape, dtype) if draw is not None else None

    def _positions(self, axis: str, count: int) -> tuple[int, ...]:
        """Whole numbers below the size of an axis."""
        below = self.dims.get(axis, 1) if axis else 1
        below = below if below in self._all_sizes() else min(below, 1)  # an axis of that name may have been left out
        return tuple(self.random.randrange(below) if below > 0 else 0 for _ in range(count))

    def _regions(self, count: int, numbers: int, below: int) -> tuple[float, ...]:
        """Rows of left, top, right and bottom, most in this order, behind the number of an image below `below` where there are five."""
        r, made = self.random, list[float]()
        for _ in range(count):
            made += [float(r.randrange(max(1, below)))] * (numbers == 5)
            corners = [round(r.uniform(-1.5, 7.5), 2) for _ in range(4)]
            low, high = (sorted(corners[i::2]) if r.random() < 0.9 else corners[i::2] for i in (0, 1))
            made += [low[0], high[0], low[1], high[1]]
        return tuple(made)


_BY_KIND: tuple[tuple[type, Callable[[Draw, Any], Any]], ...] = (
    (Tensor, Draw.tensor), (Tensors, Draw._tensors), (Int, Draw._int), (Float, Draw._float), (Number, Draw._number), (Bool, Draw._bool),
    (Axis, Draw._axis), (Axes, Draw._axes), (Sizes, Draw._sizes), (Ints, Draw._ints), (Pairs, Draw._pairs), (Floats, Draw._floats),
    (Choice, Draw._choice), (ElementType, Draw._element_type), (Index, Draw._between_brackets),
)  # fmt: skip


# --- the numbers that a declaration asks for by a word: None where this shape or element type cannot hold them ---


def _positive(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    if dtype is BOOL:
        return (True,) * prod(shape)
    return tuple(r.randint(1, 3) for _ in range(prod(shape))) if dtype in ALL_INTS else None


def _rate(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    return tuple(r.choice((0.01, 0.1, 0.25, 0.5, 0.75, 1.0)) for _ in range(prod(shape))) if dtype.kind == "f" else None


def _decay(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    rates = _rate(r, shape, dtype)
    return None if rates is None else tuple(-rate for rate in rates)


def _ones(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    return (1,) * prod(shape) if dtype in ALL_INTS else None


def _pivots(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    if dtype not in ALL_INTS or not shape:
        return None
    return tuple(i + 1 for _ in range(prod(shape[:-1])) for i in range(shape[-1]))


def _positive_definite(r: Random, shape: list[int], dtype: DType) -> tuple[Any, ...] | None:
    if dtype in ALL_INTS or dtype is BOOL or len(shape) < 2:
        return None
    n = shape[-1]
    return tuple(float(n + 1) if i == j else 0.5 for _ in range(prod(shape[:-2])) for i in range(n) for j in range(n))


_BY_WORD: dict[str, Callable[[Random, list[int], DType], tuple[Any, ...] | None]] = {
    "positive": _positive, "rate": _rate, "decay": _decay, "ones": _ones, "pivots": _pivots, "spd": _positive_definite,
}  # fmt: skip
