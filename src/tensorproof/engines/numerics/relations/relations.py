"""Relations between tensors, beside their bounds: affine equalities, what is below a maximum, what some element attains, and guards.

Values have numbers: results of the same operator on the same values have the same number. All relations rest on declared facts and on the reference functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES
from tensorproof.engines.numerics.grids.grid import Box, Grid, aligned, gridded
from tensorproof.engines.numerics.guards import Guards, quiet, ramp
from tensorproof.engines.numerics.relations import largest_share
from tensorproof.engines.numerics.relations.affine import MOST_TERMS, Form, Joined, Key, NotAffine, Pieced, block_bounds, in_blocks, plain_bounds, replayed
from tensorproof.engines.numerics.relations.ends import End, fits
from tensorproof.engines.numerics.relations.exact import rounded_once, to_nearest
from tensorproof.engines.numerics.relations.maxima import Maxima
from tensorproof.engines.numerics.relations.shown import shown as shown_results
from tensorproof.engines.numerics.value import ENDLESS, Value
from tensorproof.engines.values.bounds import fact_of
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.rounding import computed_in
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.walk import Walk

_LINEAR = frozenset(("sums", "multiplies", "divides", "moves", "cuts", "joins", "totals", "convex", "decreasing", "mixes"))
"""Facts of operators that may keep affine forms."""
_ONE_FACTOR = frozenset(("multiplies", "divides", "mixes", "decreasing"))
"""Those of which one operand alone may vary; mixes have two."""
_ROUNDS = frozenset(("sums", "multiplies", "divides", "totals", "convex"))
_ULPS = 16.0


class Relations:
    """The numbers of values, and what is known between them."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.guards = Guards(walk)
        self.maxima = Maxima(self)
        self._last = 0
        self._interned: dict[tuple[int, ...], int] = {}
        self.grids: dict[int, Grid] = {}
        self._forms: dict[int, Form] = {}
        self._pending: dict[int, tuple[Applied, int, Sequence[Value], Value]] = {}
        self._roots: dict[int, frozenset[int]] = {}
        self._ends: dict[int, End] = {}
        self._ramps: dict[int, Value] = {}
        self._views: dict[Key, tuple[Grid, Any]] = {}

    # --- numbers and forms ---

    def number(self, value: Value) -> int:
        if not value.number:
            value.number = self._fresh()
            self.grids[value.number] = value.grid
        return value.number

    def _fresh(self) -> int:
        self._last += 1
        return self._last

    def _own(self, number: int, shape: tuple[int, ...]) -> Form:
        return Form(shape, {(number, ()): 1.0})

    def form(self, value: Value) -> Form:
        number = self.number(value)
        if number in self._pending:
            self._resolve(number)
        known = self._forms.get(number)
        return self._own(number, value.grid.shape) if known is None else known

    def roots(self, value: Value) -> frozenset[int]:
        """The numbers of which the form of a value can have terms."""
        found = self._roots.get(value.number)
        if found is None:
            found = self._roots[value.number] = frozenset((value.number,))
        return found

    def _resolve(self, number: int) -> None:
        """Work out the form of a value, which may narrow its bounds."""
        one, i, values, value = self._pending.pop(number)
        trivial = shown_results(one, values)
        shown = trivial[i] if trivial is not None and i < len(trivial) else None
        if isinstance(shown, Joined):
            self._joined(value, shown, values)
        elif shown is not None and shown.shape == value.grid.shape:
            self._linear(one, value, shown, values)

    def _joined(self, value: Value, shown: Joined, values: Sequence[Value]) -> None:
        """Keep the parts of a tensor that was joined."""
        by_number = {v.number: v for v in values}
        try:
            parts = [self._put_in(part, by_number) for part in shown.parts]
        except (NotAffine, *FAILURES):
            return
        if shown.shape == value.grid.shape and all(isinstance(part, Form) for part in parts):
            self._forms[value.number] = Pieced(self._own(value.number, value.grid.shape), Joined(shown.axis, parts))

    def _put_in(self, shown: Form, by_number: dict[int, Value]) -> Any:
        """A form of operands with the forms of these put in."""
        total: Any = shown.constant
        for (number, view), c in shown.terms.items():
            seen = replayed(view, self.form(by_number[number]))
            total = seen * c if total == 0.0 and c != 1.0 else seen if isinstance(total, float) and total == 0.0 else total + seen * c
        return total

    # --- one application ---

    def related(self, one: Applied, made: list[Value | None], values: list[Value]) -> None:
        """Give numbers and relations to the results of an application on these values, and narrow their bounds."""
        for value in values:
            if not value.number:
                self.number(value)
        key, kind = self._key(one, values), one.op.values.kind
        roots = self._possible(kind, values) if kind in _LINEAR else None
        for i, result in enumerate(made):
            if result is None:
                continue
            number = result.number = self._fresh() if key is None else self._named((*key, i))
            self.grids[number] = grid = result.grid
            form = self._forms.get(number)
            if roots is not None and form is None and grid.box.dtype.kind == "f":
                self._roots[number] = roots
                self._pending[number] = one, i, values, result
                if kind == "sums" and self._meets(values):
                    self._resolve(number)
            elif form is not None and form.related:
                self.meet(result, self._bounds(form))
            self._facts(one, i, result, values)
            if result.grid is not grid:
                self.grids[number] = result.grid

    def _named(self, key: tuple[int, ...]) -> int:
        """The number of what this key decides."""
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = self._fresh()
        return found

    def _possible(self, kind: str, values: Sequence[Value]) -> frozenset[int] | None:
        """The roots of a result; None where it is not linear or has too many."""
        varying: list[Value] = []
        for value in values:
            grid = value.grid
            if grid.box.dtype.kind == "f" and (grid.shape or grid.least != grid.most):
                if value.marks & ENDLESS:
                    return None
                varying.append(value)
        if not varying or (len(varying) > 1 and kind in _ONE_FACTOR and len(varying) > 1 + (kind == "mixes")):
            return None
        made = self.roots(varying[0]) if len(varying) == 1 else frozenset[int]().union(*map(self.roots, varying))
        return made if len(made) <= MOST_TERMS else None

    def _meets(self, values: Sequence[Value]) -> bool:
        """Whether terms of two operands can come from one value."""
        if len(values) == 2:
            return not self.roots(values[0]).isdisjoint(self.roots(values[1]))
        seen: set[int] = set()
        for value in values:
            found = self.roots(value)
            if not seen.isdisjoint(found):
                return True
            seen |= found
        return False

    def _key(self, one: Applied, values: Sequence[Value]) -> tuple[int, ...] | None:
        """What decides the results; None where that is not known."""
        op = one.op
        if op.random or op.writes or op.evaluate is None:
            return None
        form = parts(one).form
        return (form, *[value.number for value in values]) if form else None

    def _linear(self, one: Applied, value: Value, shown: Form, values: Sequence[Value]) -> None:
        """Put in the forms of the operands; where terms have met, the form bounds the result."""
        by_number = {v.number: v for v in values}
        try:
            total = self._put_in(shown, by_number)
        except (NotAffine, *FAILURES):
            return
        if not isinstance(total, Form):
            total = Form(value.grid.shape, {}, float(total), 0.0, True)
        total = self._without_ramps(total)
        if total.shape != value.grid.shape:
            return
        if len(total.terms) < len(shown.terms):
            total.related = True
        if total.related:
            exact = self._bounds(total)
            self.meet(value, to_nearest(exact, self.walk.setting.type_of(one.results[0])) if one.op.values.kind in _ROUNDS else exact)
        if one.op.values.kind in _ROUNDS:
            rounded_once(self, one, value, shown, total, values)
            total.error += self._rounding(one, value, values)
        self._forms[value.number] = total

    def _rounding(self, one: Applied, value: Value, values: Sequence[Value]) -> float:
        """By how much the result may differ from the exact one."""
        dtype = self.walk.setting.type_of(one.results[0])
        step = dtype.step if dtype is not None else 0.0
        size = max(-value.grid.least, value.grid.most)
        if one.op.values.kind in ("totals", "convex"):
            count = max(1.0, values[0].grid.size / max(1, value.grid.size))
            size = max(-values[0].grid.least, values[0].grid.most) * count * (count if one.op.values.kind == "totals" else 1.0)
        return _ULPS * step * size + (dtype.smallest_normal if dtype is not None else 0.0)

    def _bounds(self, form: Form) -> Grid:
        """Bounds of a form from those of its values."""
        plain = plain_bounds(form, self.grids)
        if plain is not None:
            return plain
        with computed_in([]):
            seen = [self._seen(key) for key in form.terms]
            blocks = block_bounds(form, seen)
            if blocks is not None:
                return blocks
            made: Any = gridded(np.float64(form.constant))
            for grid, c in zip(seen, form.terms.values()):
                made = made + grid * c
            made = np.broadcast_to(made, form.shape)
        box = made.box
        return Grid(made.shape, made.cuts, Box(box.lo - form.error, box.hi + form.error, False, box.dtype))

    def _seen(self, key: Key) -> Any:
        """A value seen through moves; several forms have the same."""
        grid = self.grids[key[0]]
        if not key[1]:
            return grid
        known = self._views.get(key)
        if known is None or known[0] is not grid:
            known = self._views[key] = grid, replayed(key[1], grid)
        return known[1]

    def meet(self, value: Value, other: Grid) -> None:
        mine, box = value.grid.box, other.box
        if mine.lo.size == box.lo.size == 1 and (mine.lo.item() >= box.lo.item() and mine.hi.item() <= box.hi.item()):
            return
        shape, cuts, (a, b) = aligned([value.grid, other])
        lo, hi = np.maximum(a.lo, b.lo), np.minimum(a.hi, b.hi)
        if shape != value.grid.shape or bool((lo > hi).any()):
            return
        value.grid = in_blocks(shape, cuts, lo, hi, a.dtype)

    # --- facts beside forms ---

    def _facts(self, one: Applied, i: int, value: Value, values: Sequence[Value]) -> None:
        if not quiet(one, i):
            self._own_facts(one, i, value, values)
        for operand in values:
            if operand.attained is not None:
                self._attain(one, value, self.shown(one, values), values)
                break

    def _own_facts(self, one: Applied, i: int, value: Value, values: Sequence[Value]) -> None:
        fact = fact_of(one, i)
        if fact.kind == "multiplies" and len(values) == 2 and values[0].number == values[1].number:
            with computed_in([self.walk.setting.type_of(one.results[0])]):
                self.meet(value, cast("Grid", np.square(values[0].grid)))  # a grid goes through NumPy
        if fact.kind == "selects" and fact.end in ("greatest", "least") and values and "dim" in one.arguments:
            sign = 1.0 if fact.end == "greatest" else -1.0
            self._ends[value.number] = values[0].number, _axes(one.arguments["dim"], values[0].grid.ndim), values[0].grid.shape, sign
        if len(values) == 1 and ramp(one.op):
            self._ramps[value.number] = values[0]
            self._roots[value.number] = frozenset((value.number, *self.roots(values[0])))
        if fact.kind == "sums" and self._ends and not all(self._ends.keys().isdisjoint(self.roots(v)) for v in values):
            self._beside_ends(value, self.shown(one, values), values)
        if fact.probabilities:
            largest_share.note(fact, one.arguments, value, self.walk.setting.type_of(one.results[i]))
        elif fact.kind == "divides" and len(values) == 2 and values[0].grid.dtype.kind == "f":
            largest_share.divided(self, one, value, *values)
        self.guards.see(one, value, values, self.number)
        self.maxima.see(one, value, values, value.number in self._ramps)

    def shown(self, one: Applied, values: Sequence[Value]) -> Form | None:
        """The first result as a form of operands with these values."""
        made = shown_results(one, values) if one.op.values.kind in _LINEAR else None
        return made[0] if made and isinstance(made[0], Form) else None

    def _end(self, value: Value) -> tuple[int, Any, End] | None:
        """The greatest or least element that a value is: its number, how it is seen, and what it is of."""
        whole = self.form(value)
        if len(whole.terms) != 1 or whole.constant or whole.error:
            return None
        (((number, view), factor),) = whole.terms.items()
        known = self._ends.get(number)
        return (number, view, known) if known is not None and factor == 1.0 else None

    def _beside_ends(self, value: Value, shown: Form | None, values: Sequence[Value]) -> None:
        """x - max(x) is not above 0, and is 0 for some element along the axes of the maximum; so is min(x) - x; min(x) - max(x) is not above 0."""
        if shown is None or len(values) != 2 or len(shown.terms) != 2 or shown.constant:
            return
        factors = [sum(c for (n, _), c in shown.terms.items() if n == v.number) for v in values]
        if not factors[0] or factors[0] != -factors[1]:
            return
        first, second = map(self._end, values)
        if first is not None and second is not None and first[1] == second[1] and first[2][:3] == second[2][:3] and first[2][3] != second[2][3]:
            self._sign(value, factors[0] * first[2][3])
        for x, end, factor in ((values[0], second, factors[0]), (values[1], first, factors[1])):
            if end is None or end[2][0] != x.number or value.grid.shape != x.grid.shape or (x.number, ()) not in shown.terms:
                continue
            number, view, known = end
            if fits(view, known, self.grids[number].shape):
                self._sign(value, -factor * known[3])
                value.attained = known[1], 0.0, 0.0

    def end_of(self, y: Value, x: Value) -> tuple[int, ...] | None:
        """The axes along which `y`, laid beside the elements of `x`, is the greatest or the least of them; None where it is neither."""
        end = self._end(y) if any(root in self._ends for root in self.roots(y)) else None
        beside = end is not None and end[2][0] == x.number and fits(end[1], end[2], self.grids[end[0]].shape)
        return end[2][1] if end is not None and beside else None

    def _sign(self, value: Value, sign: float) -> None:
        self.meet(value, gridded(Box(*((0.0, np.inf) if sign > 0 else (-np.inf, 0.0)))))

    def _attain(self, one: Applied, value: Value, shown: Form | None, values: Sequence[Value]) -> None:
        """What some element along axes attains, through functions of elements and into sums."""
        if len(values) != 1 and not (shown is not None and len(shown.terms) == 1):
            return
        source = next((v for v in values if v.attained is not None), None)
        if source is None or source.attained is None:
            return
        axes, lo, hi = source.attained
        kind = one.op.values.kind
        if shown is not None and shown.terms.keys() == {(source.number, ())}:
            (c,) = shown.terms.values()
            ends = sorted((c * lo + shown.constant, c * hi + shown.constant))
            slack = 0.0 if c * lo == c * hi == shown.constant == 0 else 1e-5 * max(abs(e) for e in ends)
            value.attained = axes, ends[0] - slack, ends[1] + slack
        elif kind == "moves" and value.grid.shape == source.grid.shape and len(values) == 1 and value.grid.dtype.kind != source.grid.dtype.kind:
            value.attained = source.attained  # another element type for the same numbers
        elif kind in ("increasing", "decreasing") and value.grid.shape == source.grid.shape:
            made = self.at(one, lo, hi)
            value.attained = None if made is None else (axes, *made)
        elif _adds_up(one) and source.grid.least >= 0 and set(axes) <= set(_axes(one.arguments.get("dim", 0), source.grid.ndim)):
            share = value.grid.size / source.grid.size if kind == "convex" else 1.0
            self.meet(value, gridded(Box(lo * share * (1 - 1e-5 * (share < 1)), np.inf)))

    def at(self, one: Applied, lo: float, hi: float) -> tuple[float, float] | None:
        """A function of elements on one interval."""
        arguments: dict[str, Any] = {name: Box(lo, hi) if isinstance(v, TensorType) else v for name, v in one.arguments.items()}
        arguments["tensors"], arguments["results"] = one.arguments, tuple(self.walk.setting.type_of(r) for r in one.results)
        try:
            with computed_in(arguments["results"]):
                assert one.op.evaluate is not None
                made = gridded(one.op.evaluate(NUMPY, arguments))
        except (AssertionError, *FAILURES):
            return None
        return (made.least, made.most) if not made.box.nan.any() else None

    def _without_ramps(self, form: Form) -> Form:
        """relu(a) - relu(-a) is a."""
        ramps = [(key, c) for key, c in form.terms.items() if key[0] in self._ramps]
        for i, (one, c) in enumerate(ramps):
            for other, d in ramps[i + 1 :]:
                a, b = self.form(self._ramps[one[0]]), self.form(self._ramps[other[0]])
                opposite = a.terms == {key: -v for key, v in b.terms.items()} and a.constant == -b.constant and a.shape == b.shape
                if c == -d and one[1] == other[1] and opposite:
                    rest = {key: v for key, v in form.terms.items() if key not in (one, other)}
                    made: Form = Form(form.shape, rest, form.constant, form.error, True) + replayed(one[1], a) * c
                    made.related = True
                    return made
        return form


def _axes(dim: object, rank: int) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(rank))
    given = dim if isinstance(dim, (tuple, list)) else (dim,)
    return tuple(sorted(a % rank for a in given if isinstance(a, int))) if rank else ()


def _adds_up(one: Applied) -> bool:
    """Whether an operator gives sums or means along axes."""
    return one.op.values.kind == "totals" or (one.op.values.kind == "convex" and "dim" in one.arguments)
