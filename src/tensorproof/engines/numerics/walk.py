"""Bounds of all values of a program form, in one pass that goes on past every finding. Loops are iterated to a fixpoint with widening, and narrowed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from time import perf_counter, process_time
from typing import Any

import numpy as np

from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.engines.numerics.applying import Application, Setting, tensors_in
from tensorproof.engines.numerics.grids.grid import Grid, coarse, gridded, uniform
from tensorproof.engines.numerics.grids.moves import broadcast, expanded_blocks
from tensorproof.engines.numerics.infinities import has_infinite, puts_infinity
from tensorproof.engines.numerics.inputs.parameters import Parameters
from tensorproof.engines.numerics.inputs.sizes import Sizes
from tensorproof.engines.numerics.memo import Memo
from tensorproof.engines.numerics.points import reached, within
from tensorproof.engines.numerics.records import Analysis, Settings
from tensorproof.engines.numerics.relations.relations import Relations
from tensorproof.engines.numerics.value import AFTER, ENDLESS, EXACT_BLOCKS, OPEN, Value, anything, arranged, covers, either, finite, kind, limits
from tensorproof.engines.values.evaluate import contents_of, numbers_in, typed
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.program.form import Asked, Changed, Computed, Join, Loop, Record, Same, Slice, Source, Stack
from tensorproof.terms.tensor import TensorType

_PASS = frozenset(("moves", "cuts"))
"""Facts by which elements of an operand come through as they are."""

CLOCK = 0.02
"""After how many seconds the clock of the processor is read again."""

Judge = Callable[[Computed, Application | None, bool], bool]
"""Judges the hazards of an application, None where an operand is not known, given whether its results overflow; whether it reported one."""


class Walk:
    """`values` holds what is known of each tensor, by its identity; `makers` what computed it."""

    def __init__(self, given: Mapping[int, Any], settings: Settings, analysis: Analysis) -> None:
        self.settings = settings
        self.analysis = analysis
        self.sizes = Sizes(settings.sizes)
        self.values: dict[int, Value] = {}
        self.makers: dict[int, tuple[TensorType, ...]] = {}
        self.reasons: dict[int, str] = {}
        self.drawn: set[int] = set()
        self.judge: Judge | None = None
        self.growing: list[object] = []
        """The values that the loop at work makes ever larger."""
        self.again = False
        """Whether records may be met again: what they made is kept then."""
        self.setting = Setting(self.values, self.sizes, settings.dtype)
        self._given = given
        self._constants: dict[Hashable, Value] = {}
        self.parameters = Parameters(self)
        self.relations = Relations(self) if settings.values == "affine" else None
        self._memo = Memo()
        self._computed: dict[int, tuple[tuple[Value | None, ...], tuple[Value | None, ...], bool]] = {}
        self._end = None if settings.seconds is None else process_time() + settings.seconds
        self._next, self._over = 0.0, False

    def run(self, records: Sequence[Record]) -> None:
        from tensorproof.engines.numerics.looping import loop

        for one in records:
            if isinstance(one, Computed):
                if one.conditions and self.relations is not None:
                    self._under_conditions(one)
                else:
                    self.computed(one)
            elif isinstance(one, Same):
                self.parameters.same(one)
            elif isinstance(one, Join):
                self._join(one)
            elif isinstance(one, Slice):
                self.put(one.item, self._sliced(one), (one.whole,))
            elif isinstance(one, Stack):
                self.put(one.whole, self._stacked(one), (one.item,))
            elif isinstance(one, Source):
                self.drawn.add(id(one.tensor))
                value = self._in_range(one.tensor, (one.low, one.high), self.sizes.shape(one.tensor))
                if value is not None and one.drawn and one.low < one.high:
                    value.points = ()
                self.put(one.tensor, value)
                self.reasons[id(one.tensor)] = f"an {one.role}" if one.role[0] in "aeiou" else f"a {one.role}"
            elif isinstance(one, Changed):
                self.parameters.changed(one)
            elif isinstance(one, Asked):
                if self.relations is not None:
                    self.relations.guards.asked(one.truth, self.of(one.tensor))
            elif isinstance(one, Loop):
                loop(self, one)
            elif isinstance(one, Gap):
                pass

    def end(self) -> None:
        """Let go of what holds the walk itself, so that no cycle is left to be looked for."""
        if self.relations is not None:
            del self.relations.walk, self.relations.guards, self.relations.maxima
        del self.judge, self.parameters

    # --- values ---

    def of(self, tensor: TensorType | None) -> Value | None:
        """What is known of a tensor; None where its rank is not."""
        if tensor is None:
            return None
        found = self.values.get(id(tensor))
        if found is None:
            found = self._source(tensor)
            if found is not None:
                self.values[id(tensor)] = found
        return found

    def _source(self, tensor: TensorType) -> Value | None:
        """A tensor that no record makes: one with a given range, a constant, or unknown."""
        shape = self.sizes.shape(tensor)
        if id(tensor) in self._given:
            return self._in_range(tensor, self._given[id(tensor)], shape)
        if shape is not None and tensor.contents is not None and numbers_in(tensor):
            return self._constant(tensor, shape)
        if shape is None:
            return None
        self.reasons[id(tensor)] = "no range is known"
        return anything(shape, self.setting.type_of(tensor))

    def _constant(self, tensor: TensorType, shape: tuple[int, ...]) -> Value:
        """Numbers of the program; equal ones are one value."""
        assert tensor.contents is not None
        key = (repr(tensor.contents), tensor.dtype, tensor.weak, shape) if len(tensor.contents) <= EXACT_BLOCKS else id(tensor)
        found = self._constants.get(key)
        if found is None:
            held = np.asarray(tensor.contents[0]) if tensor.weak and tensor.contents else self._numbers(tensor)
            if held.dtype.kind not in "biuf":
                return anything(shape, self.setting.type_of(tensor))
            grid, cut = finite(arranged(gridded(held), self.settings.tensors, True), None if tensor.weak else self.setting.type_of(tensor), True)
            endless = has_infinite(grid)
            points = () if cut or endless or not grid.size else (grid.least, grid.most)
            found = self._constants[key] = Value(grid, (OPEN if cut else 0) | (ENDLESS if endless else 0), points)
        return found

    def _numbers(self, tensor: TensorType) -> Any:
        """The elements of a constant; those of a large one that are all the same as one block."""
        held = tensor.contents or ()
        if self.settings.tensors != "expand" and len(held) > EXACT_BLOCKS and len(set(held)) == 1:
            return broadcast(gridded(typed(NUMPY, held[0], tensor.dtype)), tuple(int(n) for n in tensor.shape))
        return contents_of(NUMPY, tensor)

    def is_given(self, tensor: TensorType) -> bool:
        """Whether a range is given for a tensor."""
        return id(tensor) in self._given

    def _in_range(self, tensor: TensorType, given: Any, shape: tuple[int, ...] | None) -> Value | None:
        dtype = self.setting.type_of(tensor)
        if isinstance(given, tuple):
            if shape is None:
                return None
            lo, hi = given
            grid = uniform(shape, float(lo), float(hi), dtype=kind(dtype))
        else:
            grid = gridded(given)
            if shape is not None and grid.shape != shape:
                grid = broadcast(grid, shape)
        grid, cut = finite(arranged(grid, self.settings.tensors), dtype)
        if self.settings.tensors == "expand":
            grid = grid if grid.size > 1 << 22 else expanded_blocks(grid)
        marks = OPEN if id(tensor) in self.settings.open_sources or cut else 0
        sure = grid.box.size == 1 and not marks and grid.dtype.kind == "f" and not tensor.parameter  # that a parameter comes so far is assumed
        points = within(grid.least, grid.most) if sure else ()
        return Value(grid, marks, points, frozenset((id(tensor),)))

    def put(self, tensor: TensorType, value: Value | None, makers: tuple[TensorType, ...] = (), why: str = "") -> None:
        if value is None:
            shape = self.sizes.shape(tensor)
            value = None if shape is None else anything(shape, self.setting.type_of(tensor))
            self.reasons[id(tensor)] = why or "its rank is not known"
        self.makers[id(tensor)] = makers
        if value is None:
            self.values.pop(id(tensor), None)
        else:
            self.values[id(tensor)] = value

    def _join(self, one: Join) -> None:
        """One of several values; where it is also another name for the first, and that covers the others, nothing changes."""
        made, before = self.joined(one.options, one.result), self.values.get(id(one.result))
        if one.options[0] is one.result and made is not None and before is not None and covers(before, made):
            return
        self.put(one.result, made, tuple(o for o in one.options if o is not None and o is not one.result))

    def joined(self, options: Sequence[TensorType | None], result: TensorType) -> Value | None:
        made: Value | None = None
        for i, one in enumerate(options):
            value = self.of(one)
            if value is None or (i and (made is None or made.grid.shape != value.grid.shape)):
                return None
            made = value if made is None else either(made, value)
        return made

    def _sliced(self, one: Slice) -> Value | None:
        whole = self.of(one.whole)
        if whole is None or not whole.grid.ndim or not whole.grid.shape[one.axis]:
            return None
        grid = coarse(whole.grid, [one.axis % whole.grid.ndim])
        return Value(grid[(*[slice(None)] * (one.axis % whole.grid.ndim), 0)], whole.marks)

    def _stacked(self, one: Stack) -> Value | None:
        item, shape = self.of(one.item), self.sizes.shape(one.whole)
        if item is None or shape is None or item.grid.ndim + 1 != len(shape):
            return None
        try:
            grid = broadcast(np.expand_dims(item.grid, one.axis), shape)
        except ValueError:
            return None
        return Value(grid, item.marks)

    def given_again(self, tensor: TensorType) -> bool:
        """Take the range that was given for a tensor, where there is one."""
        if id(tensor) not in self._given:
            return False
        self.values.pop(id(tensor), None)
        self.of(tensor)
        return True

    # --- applied operators ---

    def _late(self) -> bool:
        """Whether the time of the processor is over. Its clock takes longer to read than an operator to bound, so it is read now and then."""
        if self._end is None or self._over or perf_counter() < self._next:
            return self._over
        self._over = process_time() >= self._end
        self._next = perf_counter() + CLOCK
        return self._over

    def _under_conditions(self, one: Computed) -> None:
        """An application in a branch: operands are as the conditions of the branch say."""
        assert self.relations is not None
        narrowed = self.relations.guards.inside(one.conditions, tensors_in(one.applied), self.values)
        full = {i: self.values[i] for i in narrowed}
        self.values.update(narrowed)
        self.computed(one)
        self.values.update(full)

    def computed(self, one: Computed) -> None:
        applied, op = one.applied, one.applied.op
        if self._end is not None and self._late():
            self.analysis.finished = False
            self.analysis.left += self.judge is not None
            for result in applied.results:
                self.put(result, None, (), "the time was not enough")
            return
        self.analysis.applied += self.judge is not None
        operands = tensors_in(applied)
        if op.writes:
            self.parameters.written(one)
        elif id(one) in self._computed and self._unchanged(one, operands):
            return
        if not op.hazards and self._at_once(one, operands):
            if self.again:
                self._computed[id(one)] = tuple([self.values.get(id(t)) for t in operands]), tuple([self.values.get(id(r)) for r in applied.results]), True
            return
        known = [self.values.get(id(t)) or self.of(t) for t in operands]
        if None in known:
            if self.judge is not None:
                self.judge(one, None, False)
            for result in applied.results:
                self.put(result, None, operands, "the rank of an operand is not known")
            return
        application, grids, why = self._applied(one, known)  # type: ignore[arg-type]
        if op.random:
            self.drawn.update(map(id, applied.results))
        made, cut = self._bounded(one, operands, known, grids, why)  # type: ignore[arg-type]
        if (self.judge is not None and self.judge(one, application, cut)) or cut:
            for value in made:
                if value is not None:
                    value.marks, value.points = value.marks | AFTER, ()
        for result, value in zip(applied.results, made):
            self.put(result, value, operands, why)
            if not operands and value is not None:
                self.reasons[id(result)] = applied.spelling
        if self.again:
            self._computed[id(one)] = tuple(known), tuple(made), self.judge is not None

    def _bounded(
        self, one: Computed, operands: Sequence[TensorType], known: list[Value], grids: list[Grid | None], why: str
    ) -> tuple[list[Value | None], bool]:
        """The results with what is known of them, and whether one was cut at the greatest number of its type."""
        marks = 0
        for value in known:
            marks |= value.marks
        cut, made = False, list[Value | None]()
        endless = bool(marks & ENDLESS) or puts_infinity(one.applied, operands)
        for result, grid in zip(one.applied.results, grids):
            if grid is None:
                made.append(self._unbounded(one, result, why))
                continue
            held, over = finite(arranged(grid, self.settings.tensors), self.setting.type_of(result), endless)
            cut = cut or (over and (held.dtype.kind if result.dtype is None else result.dtype.kind) == "f")
            made.append(self._made(one, result, held, (marks & ~ENDLESS) | (ENDLESS if endless and has_infinite(held) else 0), over))
        if self.relations is not None:
            self.relations.related(one.applied, made, known)
            cut = cut and not all(v is not None and self._inside(v, result) for v, result in zip(made, one.applied.results))
        return made, cut

    def _unchanged(self, one: Computed, operands: Sequence[TensorType]) -> bool:
        """Whether a record was computed before from the same values: its results are those from then."""
        if one.applied.op.random:
            return False
        before = self._computed.get(id(one))
        if before is None:
            return False
        values = self.values
        now = tuple([values.get(id(t)) for t in operands])
        if before[0] == now and (before[2] or self.judge is None) and None not in now:
            for result, value in zip(one.applied.results, before[1]):
                if value is None:
                    return False
                values[id(result)] = value
            return True
        return False

    def _applied(self, one: Computed, known: list[Value]) -> tuple[Application, list[Grid | None], str]:
        """The application, and bounds of its results; a choice takes its operands as the condition says that they are."""
        application = Application(one.applied, self.setting)
        narrowed = {} if self.relations is None else self.relations.guards.narrowed(one.applied, self.values)
        if narrowed:
            full = {i: self.values[i] for i in narrowed}
            self.values.update(narrowed)
            made = application.results()
            self.values.update(full)
            return application, *made
        key = self._memo.key(application.one, known)
        found = self._memo.get(key, one.applied) if key is not None else None
        if found is None:
            found = application.results()
            if key is not None:
                self._memo.keep(key, found)
        return application, *found

    def _at_once(self, one: Computed, operands: tuple[TensorType, ...]) -> bool:
        """Results that need no computation: contents that are known, and elements of one block in another form."""
        applied = one.applied
        taken = self.settings.tensors == "smash" and any(t.contents is not None for t in operands)  # a shape is read of a tensor, not of its elements
        stated = not taken and None not in [result.contents for result in applied.results]
        if stated and False not in [numbers_in(result) and result.shape.concrete for result in applied.results]:
            for result in applied.results:
                if id(result) in self._given:
                    self.given_again(result)
                else:
                    self.values[id(result)] = self._constant(result, tuple(result.shape))
            return True
        fact = applied.op.values
        if fact.kind not in _PASS:
            return False
        moved = applied.arguments.get(fact.over or "x") if len(applied.results) == 1 or applied.op.counted else None
        source = self.of(moved) if isinstance(moved, TensorType) else None
        if source is None or moved is None or source.grid.box.lo.size != 1:
            return False
        made: list[Value | None] = []
        box, rank = source.grid.box, len(source.grid.shape)
        for result in applied.results:
            shape = result.shape
            if not shape.concrete or 0 in shape or result.dtype is not moved.dtype:
                return False
            grid = Grid(tuple(shape), tuple([(n,) for n in shape]), box if len(shape) == rank else box.reshape((1,) * len(shape)))
            made.append(Value(grid, source.marks, source.points, source.sources))
        found = [self.of(t) for t in operands]
        if self.relations is not None and None not in found:
            self.relations.related(applied, made, found)  # type: ignore[arg-type]
        for result, value in zip(applied.results, made):
            self.put(result, value, operands)
        return True

    def _made(self, one: Computed, result: TensorType, grid: Grid, marks: int, over: bool) -> Value:
        if marks & (OPEN | AFTER) and not over and max(-grid.least, grid.most) < limits(self.setting.type_of(result))[1] ** 0.5:
            marks &= ~(OPEN | AFTER)
        lo, hi = grid.box.lo, grid.box.hi
        if lo.item() == hi.item() if lo.size == 1 else (lo == hi).all():
            marks &= ENDLESS
        points, sources = reached(one.applied, self.setting) if not over else ((), frozenset[int]())
        return Value(grid, marks, points, sources)

    def _inside(self, value: Value, result: TensorType) -> bool:
        """Whether relations bound a result by less than the greatest number of its type."""
        least, most = limits(self.setting.type_of(result))
        return least < value.grid.least and value.grid.most < most

    def _unbounded(self, one: Computed, result: TensorType, why: str) -> Value | None:
        """A result without bounds: an operator that has none is counted."""
        op = one.applied.op
        if result.dtype is not None and result.dtype.kind in "biuf" and not op.opaque:
            self.analysis.unbounded[f"{op.name}: {why}"[:120]] += 1
        shape = self.sizes.shape(result)
        self.reasons[id(result)] = f"{op.name} has no bounds"
        if shape is None:
            return None
        if op.random and op.evaluate is None:
            return anything(shape, self.setting.type_of(result), OPEN)
        return anything(shape, self.setting.type_of(result))
