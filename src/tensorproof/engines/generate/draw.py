"""Draws random values for the kinds of argument that operators declare. Seeded; knows sizes and types, no framework."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tensorproof.ops.inputs import (
    REQUIRED,
    Anything,
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
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

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
        r = self.random
        default = getattr(kind, "default", REQUIRED)
        optional = getattr(kind, "optional", False) or default is not REQUIRED
        if optional and r.random() < (0.35 if isinstance(kind, (Tensor, Tensors)) else 0.5):
            return SKIP
        match kind:
            case Tensor():
                return self.tensor(kind)
            case Tensors():
                return [self.tensor(kind) for _ in range(r.randint(max(1, kind.least), kind.least + 2))]
            case Int():
                return self._int(kind)
            case Float():
                low = 0.0 if kind.least is None else kind.least
                high = low + 1.0 if kind.most is None else kind.most
                return r.choice([low, high, (low + high) / 2, low + 0.25 * (high - low)])
            case Number():
                return r.choice([1, 2, 0.5, 3.0])
            case Bool():
                return r.random() < 0.5
            case Axis():
                rank = self._rank(kind.of) + kind.extra
                return r.randint(-rank, rank - 1) if rank else r.choice([0, -1])
            case Axes():
                rank = self._rank(kind.of)
                if not rank:
                    return SKIP if optional else [0]
                chosen = r.sample(range(rank), r.randint(1, rank))
                chosen = [a - rank if r.random() < 0.3 else a for a in chosen]
                return chosen[0] if len(chosen) == 1 and r.random() < 0.5 else tuple(chosen) if r.random() < 0.5 else chosen
            case Sizes():
                return self._sizes(kind)
            case Ints():
                return self._ints(kind)
            case Pairs():
                return [[r.randint(kind.least, kind.least + 2) for _ in range(2)] for _ in range(self._rank(kind.of))]
            case Floats(loose=True):
                return [r.choice([0.5, 1.0, 2.0]) for _ in range(self._rank("x"))]
            case Floats():
                return r.choice([0.5, 1.0, 2.0])
            case Choice():
                return r.choice(kind.options)
            case ElementType():
                return r.choice([d for d in COMMON if d in kind.dtypes] or sorted(kind.dtypes, key=repr))
            case Index():
                return self._index()
            case Anything():
                return SKIP if default is not REQUIRED else None

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
        first = next((v for v in self.made.values() if isinstance(v, TensorType)), None)
        low = 0 if kind.least is None else kind.least
        if first is None:
            return [self.size() for _ in range(r.randint(0 if kind.shape else 1, 3))]
        shape, rank = list(first.shape), len(first.shape)
        numel = 1
        for n in shape:
            numel *= n
        options: list[list[int]] = [shape, [numel], r.sample(range(rank), rank), [r.randint(low, low + 2) for _ in range(rank)]]
        divisors = [d for d in range(1, numel + 1) if numel % d == 0] or [1]
        first_factor = r.choice(divisors)
        options += [[first_factor, numel // first_factor], [-1, r.choice(divisors)], [self.size(), *shape], [r.randint(low, low + 3)]]
        options.append([low] * (2 * max(1, rank - 2)))
        return r.choice(options)

    def _index(self) -> Any:
        r = self.random
        first = next((v for v in self.made.values() if isinstance(v, TensorType)), None)
        parts: list[Any] = []
        for n in first.shape if first is not None else ():
            parts.append(r.choice([slice(None), slice(0, max(1, n // 2)), slice(None, None, 2), 0, None, ..., -1]))
        while parts.count(...) > 1:
            parts.remove(...)
        return tuple(parts) if len(parts) != 1 else parts[0]

    # --- tensors ---

    def element_type(self, allowed: DTypes, mixed: float = 0.12) -> DType:
        if self.base in allowed and self.random.random() > mixed:
            return self.base
        common = [d for d in COMMON if d in allowed]
        return self.random.choice(common or sorted(allowed, key=repr))

    def tensor(self, kind: Tensor | Tensors) -> TensorType:
        option = self.random.choice(self._fitting(getattr(kind, "draw", "") or kind.layout))
        shape = [*self._named(option.before), *(self._lead() if option.open else ()), *self._named(option.after)]
        dtype = self.element_type(kind.dtypes)
        return TensorType(Shape(shape), dtype, contents=self._contents(kind, shape, dtype))

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
        wanted = kind.values
        count = 1
        for n in shape:
            count *= n
        if wanted == "positive" and (dtype in ALL_INTS or dtype is BOOL) and count <= 4096:
            return tuple(True if dtype is BOOL else self.random.randint(1, 3) for _ in range(count))
        if not wanted.startswith("index") or dtype not in ALL_INTS or count > 4096:
            return None
        axis = wanted.partition(":")[2]
        below = self.dims.get(axis, 1) if axis else 1
        return tuple(self.random.randrange(below) if below > 0 else 0 for _ in range(count))
