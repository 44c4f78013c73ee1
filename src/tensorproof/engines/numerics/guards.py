"""Guards: what a comparison says of a value where it holds, used where a choice takes that value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.grid import Box, Grid
from tensorproof.engines.numerics.value import Value
from tensorproof.engines.values.bounds import fact_of
from tensorproof.engines.values.conversion import nearest
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOAT32, DType
from tensorproof.terms.predicates import Predicate, negate
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.walk import Walk

Side = tuple[bool, bool, bool]
"""Whether a comparison with a number holds below it, at it, and above it."""


class Guards:
    """Comparisons with numbers, by the number of their truth: the number of the compared value, where it holds, and the number."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self._compared: dict[int, tuple[int, Side, float]] = {}
        self._negatives: dict[int, int] = {}
        self._asked: dict[Predicate, tuple[int, bool]] = {}

    def see(self, one: Applied, value: Value, values: Sequence[Value], number: Callable[[Value], int]) -> None:
        """Remember a comparison, or a negative."""
        if len(values) == 1 and negates(one.op):
            self._negatives[value.number] = number(values[0])
        if not one.op.opposite or len(values) != 2:
            return
        for i, (x, y) in enumerate(((values[0], values[1]), (values[1], values[0]))):
            box = y.grid.box
            if y.grid.size and box.lo.min() == box.hi.max():
                side = _side(one.op, i == 1)
                if side is not None:
                    self._compared[value.number] = number(x), side, float(box.lo.min())
                return

    def asked(self, truth: Predicate, value: Value | None) -> None:
        """Remember what stands for the truth of a value in conditions."""
        if value is not None and value.number in self._compared:
            self._asked[truth] = value.number, True
            opposite = negate(truth)
            if isinstance(opposite, Predicate):
                self._asked[opposite] = value.number, False

    def inside(self, conditions: Sequence[Predicate], tensors: Sequence[TensorType], values: dict[int, Value]) -> dict[int, Value]:
        """Other values for operands, by the identity of tensors: each as it is where conditions hold that the program branches on."""
        made: dict[int, Value] = {}
        if self._asked.keys().isdisjoint(conditions):
            return made
        for condition in conditions:
            known = self._asked.get(condition)
            if known is None:
                continue
            number, side, limit = self._compared[known[0]]
            taken = side if known[1] else tuple(not s for s in side)
            for t in tensors:
                value = made.get(id(t)) or values.get(id(t))
                if value is not None and (value.number == number or id(t) in made):
                    made[id(t)] = Value(_cut(value.grid, taken, limit, self.walk.setting.type_of(t)), value.marks)
        return made

    def narrowed(self, one: Applied, values: dict[int, Value]) -> dict[int, Value]:
        """Other values for the operands of a choice, by the identity of tensors: each as it is where the choice takes it."""
        if one.op.values.kind != "mixes" or not self._compared:
            return {}
        condition, *branches = (_named(one, one.op.inputs[i].name) for i in range(min(3, len(one.op.inputs))))
        known = values.get(id(condition)) if condition is not None else None
        if known is None or known.number not in self._compared or len(branches) != 2 or branches[0] is branches[1] or not _chooses(one.op):
            return {}
        number, side, limit = self._compared[known.number]
        made: dict[int, Value] = {}
        for branch, taken in zip(branches, (side, tuple(not s for s in side))):
            value = values.get(id(branch)) if branch is not None else None
            sign = 0 if value is None or branch is None else 1 if value.number == number else -int(self._negatives.get(value.number) == number)
            if value is not None and branch is not None and sign:
                grid = _cut(value.grid, taken if sign > 0 else taken[::-1], sign * limit, self.walk.setting.type_of(branch))
                made[id(branch)] = Value(grid, value.marks)
        return made


def _named(one: Applied, name: str) -> TensorType | None:
    value = one.arguments.get(name)
    return value if isinstance(value, TensorType) else None


def _cut(grid: Grid, side: Sequence[bool], limit: float, dtype: DType | None) -> Grid:
    """The elements on one side of a number, which may be rounded to their type before they are compared; as they are where none lies there."""
    tiny = float(np.finfo("float16" if dtype is not None and dtype.label == "float16" else "float32").smallest_subnormal)
    if np.isinf(limit):
        limit, side = (dtype or FLOAT32).greatest * np.sign(limit), (side[0] or limit > 0, True, side[2] or limit < 0)
    step = 1.0 if grid.dtype.kind in "iu" and float(limit).is_integer() else max(abs(limit) * (dtype or FLOAT32).step / 2, tiny)
    rounded = nearest(limit, dtype) if dtype is not None and dtype.kind == "f" and dtype.step and np.isfinite(limit) else limit
    least, most = min(limit, rounded), max(limit, rounded)
    box = grid.box
    lo, hi = box.lo, box.hi
    if not side[0]:
        lo = np.maximum(lo, least if side[1] else least + step)
    if not side[2]:
        hi = np.minimum(hi, most if side[1] else most - step)
    if side == (True, False, True) and least == most:
        lo, hi = np.where(lo == limit, limit + step, lo), np.where(hi == limit, limit - step, hi)
    bare = lo > hi
    return Grid(grid.shape, grid.cuts, Box(np.where(bare, box.lo, lo), np.where(bare, box.hi, hi), False, box.dtype))


def _chooses(op: Op) -> bool:
    """Whether an operator takes its second input where the first holds, and the third elsewhere, by its reference function."""
    known = _CHOICES.get(id(op))
    if known is None:
        arrays = (np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        try:
            assert op.evaluate is not None
            made = op.evaluate(NUMPY, {**dict(zip((p.name for p in op.inputs), arrays)), "results": (), "tensors": {}})
            known = op, np.asarray(made).tolist() == [1.0, 4.0]
        except (AssertionError, KeyError, TypeError, ValueError):
            known = op, False
        _CHOICES[id(op)] = known
    return known[1]


_CHOICES: dict[int, tuple[Op, bool]] = {}
_NEGATES: dict[int, tuple[Op, bool]] = {}


def negates(op: Op) -> bool:
    """Whether an operator is declared as -x."""
    known = _NEGATES.get(id(op))
    if known is None:
        function = op.values.function if op.values.kind == "decreasing" else None
        try:
            known = op, function is not None and all(function(x) == -x for x in (-3.5, -1.0, 0.25, 1.0, 7.5, 1e6))
        except (ArithmeticError, ValueError):
            known = op, False
        _NEGATES[id(op)] = known
    return known[1]


_SIDES: dict[tuple[int, bool], tuple[Op, Side | None]] = {}


def _side(op: Op, reversed_: bool) -> Side | None:
    """Where a comparison holds, by its reference function."""
    known = _SIDES.get((id(op), reversed_))
    if known is None:
        left, right = np.array([-1.0, 0.0, 1.0]), np.zeros(3)
        arguments: dict[str, Any] = dict(zip((p.name for p in op.inputs), (right, left) if reversed_ else (left, right)))
        try:
            assert op.evaluate is not None
            truth = np.asarray(op.evaluate(NUMPY, {**arguments, "results": (), "tensors": {}})).astype(bool).tolist()
            side: Side | None = (truth[0], truth[1], truth[2])
        except (AssertionError, KeyError, TypeError, ValueError):
            side = None
        known = _SIDES[id(op), reversed_] = op, side
    return known[1]


def equates(op: Op) -> bool:
    """Whether a comparison holds for equal numbers alone."""
    return _side(op, False) == (False, True, False)


def is_ramp(function: Callable[[float], float]) -> bool:
    """Whether a function is max(x, 0)."""
    try:
        return all(function(x) == max(x, 0.0) for x in (-3.5, -1.0, 0.0, 0.25, 1.0, 7.5, 1e6))
    except (ArithmeticError, ValueError):
        return False


_SAYING = frozenset(("multiplies", "selects", "sums", "divides", "mixes", "increasing", "decreasing"))
"""Facts of operators that guards, maxima, shares and squares are about."""
_QUIET: dict[tuple[int, int, int], tuple[Op, bool]] = {}


def quiet(one: Applied, i: int) -> bool:
    """Whether an operator is none of those whose results say more of their operands than affine forms do."""
    op = one.op
    known = _QUIET.get((id(op), i, len(one.results)))
    if known is None:
        fact, own = fact_of(one, i), op.values.kind
        says = fact.probabilities or op.opposite or not {fact.kind, own}.isdisjoint(_SAYING) or ramp(op) or negates(op)
        known = _QUIET[id(op), i, len(one.results)] = op, not says
    return known[1]


_RAMPS: dict[int, tuple[Op, bool]] = {}


def ramp(op: Op) -> bool:
    """Whether an operator is declared as max(x, 0)."""
    known = _RAMPS.get(id(op))
    if known is None:
        function = op.values.function if op.values.kind == "increasing" else None
        known = _RAMPS[id(op)] = op, function is not None and is_ramp(function)
    return known[1]
