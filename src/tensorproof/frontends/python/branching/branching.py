"""Branches on what is not known: run both sides, join what they wrote. What cannot be joined is decided by running the program again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching import agreements, worlds
from tensorproof.frontends.python.branching.agreements import Agreement, Statement
from tensorproof.frontends.python.branching.joining import CannotJoin, join, join_location, join_summarised
from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import RETURN, Exit, Frame, Signal, Waiting
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import ite
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, implies, negate
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.values.heap import ITEMS, MISSING, ORDER, Difference, Entries, Mark, read
from tensorproof.values.objects import OPEN
from tensorproof.values.summaries import summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


@dataclass(slots=True)
class Side:
    """One side of a branch after it ran."""

    dead: bool = False
    failed: bool = False
    """Whether an error was found on this side, and the side went on."""
    value: Value = None
    signal: Signal | None = None
    result: Value = None
    difference: Difference = field(default_factory=Difference)
    exits: list[Exit] = field(default_factory=list[Exit])
    kept: list[Truth] = field(default_factory=list[Truth])
    """What was found to hold for the rest of the path, on this side."""
    gaps: int = 0
    """How much was not understood on this side."""


class Branching:
    """Splits and joins for one interpreter."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.count = 0
        self.met: recording.Sides | None = None
        """The two sides that were joined last, where the program form is recorded."""
        """How many undecided branches this run has met."""
        self.agreements: dict[int, Agreement] = {}
        """What the sides of a branch that becomes a part of a graph must agree on."""
        self.predicates: dict[int, Predicate] = {}
        """What each of them asks. Decisions are kept by that, since numbers differ from one replay to the next."""

    def sides(self, fork: Fork) -> list[dict[Predicate, bool]]:
        """The decisions of the two runs that take the place of one that could not go on."""
        p = self.predicates[fork.decision]
        return [{**self.run.decisions, p: False}, {**self.run.decisions, p: True}]

    # --- deciding ---

    def decided(self, p: Predicate) -> tuple[int, bool | None]:
        """The branch's number, and the side that the facts or an earlier fork have decided."""
        known = self.run.implied(p)
        if known is not None:
            return -1, known
        self.count += 1
        self.predicates[self.count] = p
        opposite = negate(p)
        side = self.run.decisions.get(p)
        if side is None and isinstance(opposite, Predicate) and opposite in self.run.decisions:
            side = not self.run.decisions[opposite]
        if side is not None:
            self.run.assume(p if side else opposite)
        return self.count, side

    # --- expressions ---

    def choose(self, p: Truth, then: Callable[[], Value], other: Callable[[], Value]) -> Any:
        """The value of an expression with two sides."""
        if isinstance(p, bool):
            return then() if p else other()
        number, side = self.decided(p)
        if side is not None:
            return then() if side else other()
        heap = self.run.heap
        mark = heap.mark(number)
        a = self._side(p, then, mark, number)
        heap.undo(mark)
        b = self._side(negate(p), other, mark, number)
        worlds.compare(self.run, p, (a.gaps, a.difference), (b.gaps, b.difference))
        if self._one_ended(a, b):
            return self._survivor(p, a, b, mark).value
        self._keep(p, a, b)
        self._merge(p, a.difference, b.difference, mark, number)
        heap.close(mark)
        return self._joined(p, a.value, b.value, number)

    def _one_ended(self, a: Side, b: Side) -> bool:
        """Whether a side ended. One on which an error was found, and not on the other, is not followed further: the error is about it alone."""
        if a.failed != b.failed and not a.dead and not b.dead:
            a.dead, b.dead = a.failed, b.failed
            self.run.path.cut = True
        return a.dead or b.dead

    def _joined(self, p: Truth, a: Value, b: Value, number: int) -> Value:
        recorded = self.run.path.recorded
        try:
            made = join(p, a, b, self.met)
        except CannotJoin:
            raise Fork(number) from None
        recording.seen(self.run, recorded)
        return made

    def _side(self, p: Truth, action: Callable[[], Value], mark: Mark, number: int, frame: Frame | None = None) -> Side:
        """Run one side under its condition."""
        facts = len(self.run.facts)
        self.run.assume(p, lasting=False)
        side = self._taken(action, mark, number, frame)
        side.kept = self.run.leave_facts(facts + 1)
        del self.run.facts[facts:]
        return side

    def _keep(self, p: Truth, a: Side, b: Side) -> None:
        for fact in a.kept:
            self.run.assume(implies(p, fact))
        for fact in b.kept:
            self.run.assume(disj(p, fact))

    def _taken(self, action: Callable[[], Any], mark: Mark, number: int, frame: Frame | None) -> Side:
        waiting = len(frame.waiting) if frame is not None else 0
        failures, gaps = self.run.failures, len(self.run.path.gaps)
        try:
            value = action()
        except Dead:
            if frame is not None and len(frame.waiting) > waiting:
                raise Fork(number) from None
            return Side(dead=True)
        except Raised as raised:
            if self.may_take(raised) or (frame is not None and len(frame.waiting) > waiting):
                raise Fork(number) from None
            self.run.uncaught(raised)
            return Side(dead=True)
        side = Side(value=value, failed=self.run.failures > failures, gaps=len(self.run.path.gaps) - gaps)
        if frame is not None:
            side.signal, side.result = value, frame.result
            side.exits = self._lifted(frame, waiting, mark)
        side.difference = self.run.heap.difference(mark)
        return side

    def may_take(self, raised: Raised) -> bool:
        """Whether a handler around may take this exception: one that cannot tell may."""
        run = self.run
        return len(run.guards) < run.handlers or any(guard(raised) for guard in run.guards)

    def _survivor(self, p: Truth, a: Side, b: Side, mark: Mark) -> Side:
        """One side ended in an exception that is not caught: the other is assumed from here on."""
        heap = self.run.heap
        if a.dead and b.dead:
            heap.close(mark)
            raise Dead
        if b.dead:
            heap.undo(mark)
            heap.apply(a.difference)
        heap.close(mark)
        side = a if b.dead else b
        for fact in (p if b.dead else negate(p), *side.kept):
            self.run.assume(fact)
        return side

    def _merge(self, p: Truth, first: Difference, second: Difference, mark: Mark, number: int) -> None:
        """Memory holds the second side; write what both sides make of each location that either wrote."""
        before, recorded = self.run.heap.before(mark), self.run.path.recorded
        self.met = sides = recording.Sides(self.run, first, second, before) if self.run.path.program is not None else None
        writes: list[tuple[Value, Value, Value]] = []
        perhaps: list[tuple[Value, Value, Truth, Value]] = []
        for location in {**first.values, **second.values}:
            number_of, key = location
            owner: Any = first.owners[number_of] if number_of in first.owners else second.owners[number_of]
            now = read(owner, key)
            a = first.values[location] if location in first.values else before.get(location, now)
            b = second.values.get(location, now)
            if a is not b:
                try:
                    writes.append((owner, key, join_location(p, a, b, owner, key, sides if sides is not None and sides.follows(owner, key) else None)))
                except CannotJoin:
                    if not self._summarises or (key not in (ITEMS, ORDER) and type(owner) is not Entries):
                        raise Fork(number) from None
                    if type(owner) is Entries and key is not ORDER:
                        perhaps.append((owner, key, p if b is MISSING else negate(p), a if b is MISSING else b))
                    if key is ITEMS:
                        writes.append((owner, key, self._summarised(p, a, b, number)))
        for owner, key, value in writes:
            self.run.heap.write(owner, key, value)
        for owner, key, condition, value in perhaps:
            self._entry(owner, key, condition, value)
        recording.seen(self.run, recorded)

    @property
    def _summarises(self) -> bool:
        """Whether lists that differ become what they share and so many items: where an iteration stands for many, or enough paths tell them apart."""
        return bool(self.run.in_symbolic_iteration) or len(self.run.decisions) >= BUDGETS.exploration.decisions_about_items

    def _entry(self, owner: Any, key: Value, condition: Truth, value: Value) -> None:
        """An entry that one side made, in an iteration that stands for many: one of those whose keys are not known."""
        old = owner.get(OPEN)
        known = () if old is None else old.entries
        samples = [*((old.first, old.second) if old is not None else ()), (key, value)]
        before = disj(*(there for name, there, _ in known or () if name == key))
        count = ite(conj(condition, negate(before)), 1, 0) + (0 if old is None else old.count)
        self.run.heap.write(owner, key, MISSING)
        entries = None if known is None or len(known) >= BUDGETS.containers.new_keys else (*known, (key, condition, value))
        self.run.heap.write(owner, OPEN, replace(summarise(count, samples), entries=entries))

    def _summarised(self, p: Truth, a: Any, b: Any, number: int) -> Value:
        try:
            return join_summarised(p, a, b)
        except CannotJoin:
            raise Fork(number) from None

    # --- statements ---

    def split(self, frame: Frame, p: Predicate, then: Statement, other: Statement, agreement: Agreement | None = None) -> Signal | None:
        """A statement with two sides. An exit that only one side takes waits in the frame while the other goes on."""
        number, side = self.decided(p)
        if side is not None:
            return then(frame) if side else other(frame)
        heap, run = self.run.heap, self.run
        mark = heap.mark(number)
        a = self._side(p, lambda: then(frame), mark, number, frame)
        heap.undo(mark)
        stays = None if agreement is None or a.signal is not None or a.exits else agreements.staying(self.run, agreement, frame, a.difference)
        b = self._side(negate(p), lambda: other(frame), mark, number, frame)
        if stays is not None:
            a.difference.values.update({at: b.difference.values.get(at, value) for at, value in stays.values.items()})
        exits = [Exit(conj(p, e.condition), e.signal, e.result, e.difference) for e in a.exits]
        exits += [Exit(conj(negate(p), e.condition), e.signal, e.result, e.difference) for e in b.exits]
        worlds.compare(self.run, p, (a.gaps, a.difference), (b.gaps, b.difference))
        if agreement is not None and not a.dead and not b.dead:
            self.agreements[number] = agreement
            agreements.agree(agreement, (a.signal, b.signal), (a.result, b.result), agreements.Ends(a.difference, b.difference, heap.before(mark)))
        if self._one_ended(a, b):
            if exits:
                raise Fork(number)
            survivor = self._survivor(p, a, b, mark)
            frame.result = survivor.result
            return survivor.signal
        self._keep(p, a, b)
        facts = len(run.facts)
        signal = b.signal
        if a.signal is b.signal:
            self._merge(p, a.difference, b.difference, mark, number)
            if signal is RETURN:
                frame.result = self._joined(p, a.result, b.result, number)
        elif a.signal is not None:  # the first side leaves; memory holds the second
            exits.append(Exit(p, a.signal, a.result, a.difference))
        else:
            heap.undo(mark)
            heap.apply(a.difference)
            assert b.signal is not None
            exits.append(Exit(negate(p), b.signal, b.result, b.difference))
            signal = None
        if not exits:
            heap.close(mark)
            if agreement is not None and signal is None:
                agreement.joined()
            return signal
        run.assume(negate(disj(*(e.condition for e in exits))), lasting=False)
        frame.waiting.append(Waiting(exits, mark, facts, number))
        return signal

    def _lifted(self, frame: Frame, base: int, mark: Mark) -> list[Exit]:
        """The exits that began to wait inside a side, as seen from the mark before it."""
        found: list[Exit] = []
        earlier: list[Truth] = []
        heap = self.run.heap
        for group in frame.waiting[base:]:
            at_mark = self._at(mark, group.mark)
            for exit_ in group.exits:
                whole = Difference({**at_mark.values, **exit_.difference.values}, {**at_mark.owners, **exit_.difference.owners})
                guard = conj(*(negate(e) for e in earlier), exit_.condition)
                found.append(Exit(guard, exit_.signal, exit_.result, whole))
            earlier.extend(e.condition for e in group.exits)
        del frame.waiting[base:]
        while heap.marks[-1] is not mark:
            heap.marks.pop()
        return found

    def _at(self, outer: Mark, inner: Mark) -> Difference:
        """What was written between two marks, with the values at the inner one."""
        heap = self.run.heap
        later = heap.before(inner)
        found = Difference()
        for owner, key, _ in heap.log[outer.position : inner.position]:
            location = (id(owner), key)
            found.owners[id(owner)] = owner
            now = read(owner, key)
            found.values[location] = later.get(location, now)
        return found

    def abandon(self, frame: Frame, base: int = 0) -> None:
        """The way that went on dies while others wait for their turn: the run forks, so that each is followed by itself."""
        while len(frame.waiting) > base:
            group = frame.waiting[-1]
            if group.number not in self.agreements:
                raise Fork(group.number) from None
            frame.waiting.pop()
            self.run.heap.forget(group.mark)
            self.run.leave_facts(group.facts)

    def settle(self, frame: Frame, base: int, signal: Signal | None, kinds: tuple[Signal, ...]) -> Signal | None:
        """Join the exits of these kinds that wait above `base` with the way that went on and ended with `signal`."""
        while len(frame.waiting) > base:
            group = frame.waiting[-1]
            if not any(e.signal in kinds for e in group.exits):
                if any(e.signal in kinds for w in frame.waiting[base:] for e in w.exits):
                    raise Fork(group.number)
                break
            if any(e.signal not in kinds for e in group.exits) or (signal is not None and signal not in kinds):
                raise Fork(group.number)
            frame.waiting.pop()
            for fact in self.run.leave_facts(group.facts):
                self.run.assume(fact)
            if RETURN in kinds and group.number in self.agreements:
                for exit_ in group.exits:
                    self.agreements[group.number].returned(exit_.result, frame.result if signal is RETURN else MISSING)
            for exit_ in group.exits:
                second = self.run.heap.difference(group.mark)
                self._merge(exit_.condition, exit_.difference, second, group.mark, group.number)
                if RETURN in kinds:
                    frame.result = self._joined(exit_.condition, exit_.result, frame.result if signal is RETURN else None, group.number)
                    signal = RETURN
            self.run.heap.close(group.mark)
        return signal
