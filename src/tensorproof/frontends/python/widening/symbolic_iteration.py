"""Loops whose iterations are too many to run, or are not counted: one symbolic iteration stands for all of them.

What the iterations change is described by values in which the iteration's number is a symbol (`widening.py`). An iteration that begins with the
descriptions must end with what they cover in the next one; until it does, they are made wider. Then that iteration is run for good, so that all it states
is kept, and memory is left as the last iteration leaves it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.joining import CannotJoin, join
from tensorproof.frontends.python.branching.loop_bodies import one_iteration
from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.widening.descriptions import names_in
from tensorproof.frontends.python.widening.widening import Widening
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.gradient import PERHAPS_FREED, Use, reached
from tensorproof.terms.ints import Dim, Origin, Term, maximum, sole_atom, upper
from tensorproof.terms.predicates import Predicate, Truth, gt, lt
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import ITEMS, MISSING, ORDER, Cursor, Difference, Mark, items_of
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import Renaming

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.scope import Act, Put
    from tensorproof.values.heap import Owner, Written
    from tensorproof.values.machine import Value

MOST_TRIES = BUDGETS.loops.fixpoint_tries
MOST_LEAVING = BUDGETS.loops.leaving_iteration
_PROOF = 1 << 60
"""The number of the branch that a try is: it is not decided, the try ends."""
FAILED: Value = object()


class SymbolicIteration:
    """One loop from iteration `since` on, of `count` iterations in all."""

    def __init__(self, m: Interpreter, frame: Frame, since: int, count: Dim, node: ast.AST) -> None:
        self.m = m
        self.frame = frame
        self.since = since
        self.count = count
        self.node = node
        word = m.name_here("iteration", node, "iteration")
        last = count - 1 if isinstance(count, int) else None
        number = m.symbol(word, since, last, Origin.WORLD)
        assert type(number) is Term
        self.iteration = number
        self.widening = Widening(m, number, since, word)
        self.targets = frozenset(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)) if isinstance(node, (ast.For, ast.AsyncFor)) else frozenset()
        """Names that every iteration binds before all else."""
        self.wide: dict[tuple[int, Value], Value] = {}
        self.owners: dict[int, Owner] = {}
        self.first: Written = {}
        """What each of these held before the first of the iterations."""

    def seed(self, before: Written, after: Difference) -> None:
        """Descriptions from what the iteration before `since` changed, so that the first try begins with them."""
        self.widening.since = self.since - 1
        for location, end in after.values.items():
            head, owner = before[location], after.owners[location[0]]
            bound = owner is self.frame.space and location[1] in self.targets
            if bound or location[1] is ORDER or head is MISSING or head is end or isinstance(owner, Cursor):
                continue
            counts = type(head) in (int, Term) and type(end) in (int, Term) and head != end
            if counts or (location[1] is ITEMS and len(items_of(end)) > len(items_of(head))):
                wide = self.widening.guess(location[1], head, end)
                if wide is not MISSING:
                    self.wide[location], self.owners[location[0]], self.first[location] = wide, owner, end
        self.widening.since = self.since

    def run(self, body: Callable[[], Signal | None]) -> Any:
        """All the iterations at once: how they end, or FAILED when no description was found; then nothing has happened."""
        if not any(self._settled(body) for _ in range(MOST_TRIES)):
            return FAILED
        return None

    # --- tries ---

    def _settled(self, body: Callable[[], Signal | None]) -> bool:
        """Run an iteration from the descriptions. Where they cover what it leaves, it stays; else it is undone, and what was too narrow is widened."""
        m, heap, path, frame = self.m, self.m.heap, self.m.path, self.frame
        kept = (len(path.stated), len(path.gaps), len(path.findings), path.calls, m.branching.count, len(m.facts), len(frame.waiting), m.session.made)
        recorded = path.recorded
        lasting, occurrences, names, result = list(m.lasting), dict(m.occurrences), m.session.names, frame.result
        bound, handlers, frames, errors = dict(m.bound_on), m.handlers, len(m.frames), m.errors
        m.session.names = set()
        outer = heap.mark(_PROOF)
        settled: bool | None = None
        m.in_symbolic_iteration += 1
        try:
            self._write(self.wide)
            if path.program is not None:
                recording.begun(m, self.wide.values())
            m.assume(lt(self.iteration, self.count), lasting=False)
            mark = heap.mark(_PROOF)
            signal = body()
            if signal is None and not self._died(kept[0]):
                settled = self._compared(mark)
            if settled:
                settled = None  # an exit that ends the try leaves nothing of it
                self._check_exits(kept[6])
                settled = True
        except (Fork, Raised, Dead):
            settled = None
        finally:
            m.in_symbolic_iteration -= 1
            if settled is not True:
                while heap.marks[-1] is not outer:
                    heap.marks.pop()
                heap.undo(outer)
                heap.close(outer)
                del path.stated[kept[0] :], path.gaps[kept[1] :], path.findings[kept[2] :], m.facts[kept[5] :], frame.waiting[kept[6] :], m.frames[frames:]
                path.calls, m.branching.count, m.session.made = kept[3], kept[4], kept[7]
                m.lasting[:], m.occurrences, m.bound_on, m.handlers, frame.result = lasting, occurrences, bound, handlers, result
                m.errors = errors
                path.unrecord(recorded)
            m.session.names = names | m.session.names
        if settled is None:
            raise _Stuck
        if settled:
            heap.forget(mark)
            outer.number = 0
            self._stay(outer, kept[5], kept[6], recorded)
        return settled

    def _died(self, stated: int) -> bool:
        """Whether the iteration fails for sure under conditions that hang on a widened value: no proof that it does."""
        failed = [one for one in self.m.path.stated[stated:] if one.requirement.predicate is False]
        wild = {n for term in self.widening.wild for n in names_in(term)}
        return any(not one.facts or any(names_in(fact) & wild for fact in one.facts) for one in failed)

    def _check_exits(self, waiting: int) -> None:
        """An iteration that leaves the loop for its number alone: then it is not so that all the iterations come."""
        made = self.m.session.names | {n for term in self.widening.wild for n in names_in(term)}
        exits = [e.condition for w in self.frame.waiting[waiting:] for e in w.exits]
        certain = [c for c in exits if not (names_in(c) & made)]
        if not certain:
            return
        atom = sole_atom(self.iteration)
        limit = min(self.since + MOST_LEAVING, self.count) if isinstance(self.count, int) else self.since + MOST_LEAVING
        for k in range(self.since, limit):
            truths = [c.substitute({atom: k}) if isinstance(c, Predicate) else c for c in certain]
            if True in truths:
                raise _Leaves(k)
            if any(t is not False for t in truths):
                break
        if len(certain) == 1 and isinstance(certain[0], Predicate):
            at = self._solved(certain[0])
            if at is not None:
                raise _Leaves(at)
        raise _Stuck

    def _solved(self, p: Predicate) -> Value:
        """The first number at or after which a comparison with a number that is not known holds: `K + a >= b`."""
        term = p.args[0] if p.kind == "le" else None
        rest = term + self.iteration if type(term) is Term else None
        if rest is None or self.widening.iteration_name in names_in(rest):
            return None
        return maximum(rest, self.since)

    def _write(self, values: dict[tuple[int, Value], Value]) -> None:
        for (number, key), value in values.items():
            self.m.heap.write(self.owners[number], key, value)

    def _compared(self, mark: Mark) -> bool | None:
        """Whether what the iteration left is covered; what is not is described anew. None when it cannot be described."""
        heap, widening = self.m.heap, self.widening
        difference, before = heap.difference(mark), heap.before(mark)
        widening.names = frozenset(self.m.session.names)
        settled = True
        for location, end in difference.values.items():
            number, key = location
            owner = difference.owners[number]
            if key is ORDER or (owner is self.frame.space and key in self.targets):
                continue
            head = before[location]
            if location in self.wide:
                wide = self.wide[location]
                after = widening.at(wide, self.iteration + 1)
                if widening.items_cover(after, items_of(end)) if key is ITEMS else widening.covers(after, end):
                    continue
                new = widening.weaker(key, self.first[location], wide, end)
            else:
                if widening.items_cover(items_of(head), items_of(end)) if key is ITEMS else (head is not MISSING and widening.covers(head, end)):
                    continue
                new = widening.guess(key, head, end)
                self.first[location] = head
            if new is MISSING or isinstance(owner, Cursor):
                return None
            self.owners[number] = owner
            self.wide[location] = new
            settled = False
        for location, wide in list(self.wide.items()):
            if location not in difference.values and not self._stays(location, wide):
                new = widening.weaker(location[1], self.first[location], wide, wide)
                if new is MISSING:
                    return None
                self.wide[location] = new
                settled = False
        return settled and not self._frees(difference, before)

    def _frees(self, difference: Difference, before: Written) -> bool:
        """Whether the iteration goes back through a graph that what it carries to the next one still depends on: the next try begins with a graph that
        may have been freed."""
        cells = {
            id(difference.owners[at[0]]): at
            for at, new in difference.values.items()
            if type(new) is Use and new.value is not False and at not in self.wide and type(old := before[at]) is Use and old.value is False
        }
        if not cells:
            return False
        for value in list(difference.values.values()):
            state = value.grad if type(value) is TensorType else None
            for node in reached(state) if state is not None else ():
                if id(node.cell) in cells and node.keeps is not False:
                    location = cells[id(node.cell)]
                    self.wide[location], self.owners[location[0]], self.first[location] = PERHAPS_FREED, difference.owners[location[0]], before[location]
        return any(at in self.wide for at in cells.values())

    def _stays(self, location: tuple[int, Value], wide: Any) -> bool:
        """Whether a location that this iteration did not write is described all the same."""
        after = self.widening.at(wide, self.iteration + 1)
        return self.widening.items_cover(after, wide) if location[1] is ITEMS else self.widening.covers(after, wide)

    # --- after the last iteration ---

    def _stay(self, mark: Mark, facts: int, waiting: int, recorded: int) -> None:
        """The iteration that was tried is the one that stands for all."""
        m = self.m
        m.symbolic_iterations += 1
        if len(self.frame.waiting) == waiting:
            for fact in m.leave_facts(facts):
                m.assume(fact)
        turn = recording.ended(m, mark, self.wide) if m.path.program is not None else None
        self._leave(mark)
        if turn is not None:
            recording.close(m, recorded, turn, m.heap.difference(mark).values, self.node, _surely(gt(self.count, self.since)), float(upper(self.count)))
        m.heap.forget(mark)

    def _leave(self, mark: Mark) -> None:
        """Memory after the last iteration."""
        heap, widening = self.m.heap, self.widening
        enough = widening.enough()
        last = Renaming(heap, frozenset(), "", {sole_atom(self.iteration): self.count - 1, **enough})
        difference, before = heap.difference(mark), heap.before(mark)
        ran = _surely(gt(self.count, self.since))
        for location, value in difference.values.items():
            number, key = location
            owner = difference.owners[number]
            if key is ORDER or isinstance(owner, Cursor):
                continue
            if location in self.wide and (key is ITEMS or not ran or _numbered(self.wide[location])):
                new = Renaming(heap, frozenset(), "", {sole_atom(self.iteration): self.count, **enough})(self.wide[location])
                if not ran and key is not ITEMS and self.first[location] is not MISSING and not _numbered(new):
                    new = self._maybe(new, self.first[location])
            else:
                new = last(value)
                if not ran and key is not ITEMS and before[location] is not MISSING and location not in self.wide:
                    new = self._maybe(new, before[location])
            heap.write(owner, key, new)

    def _maybe(self, new: Value, old: Value) -> Value:
        """What a location holds when there may have been no iteration at all."""
        try:
            return join(gt(self.count, self.since), new, old)
        except CannotJoin:
            return Unknown("what a loop left")


class _Stuck(Exception):
    """No description was found."""


class _Leaves(Exception):
    """The iteration of this number leaves the loop."""

    def __init__(self, at: Value) -> None:
        super().__init__()
        self.at = at


@dataclass(frozen=True, slots=True)
class Leaves:
    """What the iterations come to where the one with this number leaves the loop for sure: nothing has happened."""

    at: Any


Seed = tuple[dict[tuple[int, Any], Any], Difference]


def many_iterations(
    m: Interpreter, frame: Frame, since: int, count: Dim, item: Callable[[Any], Value], put: Put, body: Act, node: ast.AST, seed: Seed | None = None
) -> Any:
    """Run the iterations of a loop from `since` on: how they end, or FAILED, or `Leaves`."""

    def once(number: Value) -> Signal | None:
        put(frame, item(number))
        return one_iteration(m, frame, body)

    return unknown_iterations(m, frame, since, count, once, node, seed)


def unknown_iterations(
    m: Interpreter, frame: Frame, since: int, count: Dim, once: Callable[[Value], Signal | None], node: ast.AST, seed: Seed | None = None
) -> Value:
    """Run iterations that take no item of their own; `once` is given the number of the iteration."""
    loop = SymbolicIteration(m, frame, since, count, node)
    if seed is not None:
        loop.seed(*seed)
    try:
        return loop.run(lambda: once(loop.iteration))
    except _Stuck:
        return FAILED
    except _Leaves as found:
        return Leaves(found.at) if seed is not None else FAILED


def _surely(p: Truth) -> bool:
    return p is True


def _numbered(value: Value) -> bool:
    """Whether it is a term, which counts iterations and so is right when there are none."""
    return type(value) in (int, Term)
