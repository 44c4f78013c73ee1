"""Who shares memory with whom: what is known of a tensor's elements holds until something is written into the memory that it shares.

A tensor of the program is a description that never changes; names, lists and attributes hold it. Here stands what has become of each since then. All
that changes is kept in trailed spaces, so a branch undoes it: the space of a storage holds a `now` that every write replaces, and each tensor object has
a space with what it `is`, which an operation in place replaces (its shape may change too: `x.unsqueeze_(0)`).

What was not made by an operator (a model's tensor, two tensors that were joined) lies at an unknown place: a write into it counts as a write into every
storage of its kind of numbers, and what is known of it ends with any write of that kind.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.call import call as call_bound
from tensorproof.bindings.rows import rows
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.tensors import starts
from tensorproof.frontends.python.tensors.written_elements import WrittenElements
from tensorproof.ops.applied import Applied
from tensorproof.ops.storage import is_compact
from tensorproof.terms.dtypes import INT64, DType
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import SOMEWHERE, Outputs, Storage, TensorType
from tensorproof.values.heap import Space
from tensorproof.values.objects import Choice, List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_FOLLOWED = frozenset(["torch", "numpy"])


@cache
def writing(name: str) -> bool:
    """Whether a spelling writes into its first argument: its row says so, it is an operator in place of Python's, or torch's underscore says so."""
    word = name.rpartition(".")[2]
    if word.endswith("__"):
        in_place = word == "__setitem__" or (word.startswith("__i") and hasattr(operator, f"__{word[3:]}"))
    else:
        in_place = word.endswith("_") and name.startswith("torch")
    return in_place or any(row.inplace for row in rows(name))


@dataclass(slots=True, eq=False)
class Held:
    """A description with the memory that it describes."""

    key: TensorType
    shown: TensorType
    """What to go by in its place: the same, less what cannot be relied on."""
    storage: Space
    own: Space
    owned: bool
    """Whether all that shares the storage is known."""
    at: tuple[Any, Any]
    """The writes that it knows of."""
    later: tuple[tuple[Value, Value], TensorType] | None = None
    """What came of it after other writes."""
    plain: bool = False
    """Whether surely no gradient passes through it: it was made of numbers alone."""
    view: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
    """The call that made it, where it surely is a view of the first argument."""
    whole: TensorType | None = None
    """The tensor of which it shows each element in its place, where it is such a view."""


class Memory:
    """The memory of one run."""

    def __init__(self, m: Interpreter) -> None:
        self.m = m
        self.held: dict[int, Held] = {}
        self.writes = m.heap.space({word: _token() for word in ("real", "whole", "real?", "whole?")})
        """The last write into numbers of a kind, and the last of those whose place is unknown."""
        self.first = dict(self.writes)
        self.written_elements = WrittenElements(m)
        self.asked: dict[int, tuple[TensorType, Predicate]] = {}
        """The truth of tensors that a branch has asked for: the same each time, for as long as nothing is written."""

    # --- what is so now ---

    def current(self, t: TensorType) -> TensorType:
        """What is known of a tensor object now."""
        if t.framework not in _FOLLOWED or t.weak:
            return t
        held = self.held.get(id(t)) or self._seen(t)
        now: Any = held.own["is"]
        if now is not held.key and now is not held.shown:
            while type(now) is Choice:
                now = now.then if deciding.decided(self.m, now.condition) else now.other
            held = self.held.get(id(now)) or self._joined(now, held)
        at = self._at(held.storage, held.shown.dtype, held.owned)
        if held.at[0] is at[0] and held.at[1] is at[1]:
            return held.shown
        if held.later is None or held.later[0][0] is not at[0] or held.later[0][1] is not at[1]:
            made = held.shown.but(contents=self._again(held))
            self._keep(Held(made, made, held.storage, held.own, held.owned, at, view=held.view), held.shown)
            held.later = at, made
        if self.m.path.program is not None:
            self.written_elements.record(held, at)
        return held.later[1]

    def _again(self, held: Held, positions: bool = False) -> tuple[Any, ...] | None:
        """The elements of a view as its source has them now, or their positions in it."""
        if held.view is None:
            return None
        name, args, kwargs = held.view
        source = self.current(args[0])
        if source.contents is None or source.shape != args[0].shape:
            return None
        if positions:
            source = source.but(dtype=INT64, contents=tuple(range(len(source.contents))))
        found = call_bound(name, (source, *args[1:]), kwargs).outputs
        return found.contents if isinstance(found, TensorType) and found.shape == held.shown.shape else None

    def _at(self, storage: Space, dtype: DType | None, owned: bool) -> tuple[Value, Value]:
        kind = _kind(dtype)
        return storage["now"], self.writes[kind + "?" if owned else kind]

    def written(self, held: Held) -> str:
        """The kind of writes that end what is known of a tensor."""
        kind = _kind(held.shown.dtype)
        return kind + "?" if held.owned else kind

    def _seen(self, t: TensorType) -> Held:
        """A tensor that no operator made. Its elements are known as long as nothing of its kind was ever written."""
        kind = _kind(t.dtype)
        sure = t.contents is None or self.writes[kind] is self.first[kind]
        shown = t if sure and t.base is None else t.but(base=SOMEWHERE, contents=t.contents if sure else None, facts=t.facts if sure else None, start=None)
        own = self._older({"is": t, "now": _FIRST})
        held = Held(t, shown, own, own, t.parameter, self._at(own, t.dtype, t.parameter))
        self._keep(held, t)
        if shown is not t:
            self._keep(Held(shown, shown, own, own, held.owned, held.at), t)
        return held

    def _older(self, items: dict[str, Value]) -> Space:
        """A space for what was there before: every write to it is logged."""
        made = self.m.heap.space(items)
        made.born = -1
        return made

    def _joined(self, now: TensorType, held: Held) -> Held:
        """What one of two ways has made of an object: its elements are those of either."""
        shown = now.but(contents=None, base=held.shown.base, facts=now.facts)
        made = Held(now, shown, held.storage, held.own, held.owned, self._at(held.storage, now.dtype, held.owned))
        self._keep(made, held.shown)
        self._keep(Held(shown, shown, held.storage, held.own, held.owned, made.at), held.shown)
        return made

    def _keep(self, held: Held, source: TensorType) -> None:
        self.held[id(held.key)] = held
        where = self.m.made_at.get(id(source))
        if where is not None and where[0] is source:
            self.m.made_at.setdefault(id(held.shown), (held.shown, *where[1:]))

    def object_of(self, t: TensorType) -> Space:
        """The record of the tensor object that a description belongs to."""
        return (self.held.get(id(t)) or self._seen(t)).own

    def is_own(self, t: TensorType) -> bool:
        """Whether an operator made this object, so that it surely is no other."""
        held = self.held.get(id(t))
        return held is not None and (held.owned or t.parameter)

    def labelled(self, t: TensorType) -> TensorType:
        """A tensor object as it is described now, except for its elements."""
        held = self.held.get(id(t)) or self._seen(t)
        now = held.own["is"]
        return t if now is held.key or now is held.shown else self.current(t)

    def relabel(self, target: TensorType, becomes: TensorType) -> None:
        """Something beside the elements of an object has changed: it is described like this from now on."""
        before = self.current(target)
        held = self.held.get(id(before)) or self._seen(target)
        made = becomes.but(base=held.shown.base)
        self.m.path.same(before, made)
        self.m.heap.set(held.own, "is", made)
        self._keep(Held(made, made, held.storage, held.own, held.owned, held.at, view=held.view), target)

    def all_current(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Arguments with what is known now of the tensors among them."""
        return tuple([self.current(v) if type(v) is TensorType else v for v in values]) if TensorType in map(type, values) else values

    # --- what operators make ---

    def made(self, result: Any) -> Any:
        """An operator's results, each an object with its place in memory."""
        if isinstance(result, TensorType):
            return self._made(result)
        if isinstance(result, Outputs):
            return result.like([self.made(one) for one in result])
        return type(result)(self.made(one) for one in result) if type(result) in (tuple, list) else result

    def _made(self, result: TensorType) -> TensorType:
        if result.framework not in _FOLLOWED or result.weak:
            return result
        base = result.base
        if base is not None and id(result) in self.held:  # an operator that gave back what it got: another object of the same memory
            result = result.but()
        own = self._record(result)
        if base is None:
            base = Storage(own)
            result = result.but(base=base, start=None)
        storage, owned = base.space if base.space is not None else own, base is not SOMEWHERE
        own["is"] = result
        self.held[id(result)] = Held(result, result, storage, own, owned, self._at(storage, result.dtype, owned))
        return result

    def _record(self, result: TensorType) -> Space:
        """The record of a new tensor object: that of its autograd state where it has one of its own."""
        own: Space | None = result.grad.own if result.grad is not None else None
        if own is None or "is" in own:
            return self.m.heap.space({"is": None, "now": _FIRST})
        own["now"] = _FIRST
        return own

    def sharing(self, made: TensorType, source: TensorType) -> TensorType:
        """A tensor that a model makes in the memory of another."""
        of = self.held.get(id(source)) or self._seen(source)
        return self._made(made.but(base=of.shown.base or SOMEWHERE))

    def shows(self, made: TensorType, source: TensorType) -> TensorType:
        """A tensor that has each element of another in its place: what is written into it is written there."""
        held = self.held.get(id(made))
        if held is not None:
            held.whole = source
        return made

    def called(self, name: str, result: Any, outcome: Outcome, args: tuple[Any, ...], kwargs: dict[str, Value]) -> Value:
        """The results of an operator that ran, and what it wrote into."""
        targets = self._targets(name, outcome.written, args)
        out = kwargs.get("out")
        outs = [out] if isinstance(out, TensorType) else list(out) if isinstance(out, tuple) else []
        if not targets and not outs:
            if starts.given_back(outcome.applied, args, result):
                return args[0]
            made = self.made(_apart(name, result, args))
            starts.shown(self, made, outcome.applied, args)
            if self._is_plain(args, kwargs):
                self._mark_plain(made)
            if isinstance(made, TensorType) and made.contents is not None and _surely_shows(outcome.applied, args, made):
                self.held[id(made)].view = name, args, kwargs
            if isinstance(made, TensorType) and len(outcome.applied) == 1 and _is_detached(outcome.applied[0], made):
                self.shows(made, args[0])
            return made
        if outcome.applied and outcome.applied[-1].op.aliases and isinstance(result, TensorType):  # x.unsqueeze_(0): the elements are those that they were
            return self.change(targets[0], result)
        for at, one in enumerate(outs):
            if isinstance(one, TensorType):
                whole = result if isinstance(result, TensorType) else result[at] if isinstance(result, tuple) and at < len(result) else None
                self.write(one, whole if isinstance(whole, TensorType) else None)
        if not targets:
            return self.made(result) if not isinstance(result, TensorType) else self.current(outs[0])
        for other in targets[1:]:
            self.write(other)
        single = isinstance(result, TensorType) and len(targets) == 1
        made = self.write(targets[0], result if single and self._same_object(result, targets[0]) else None)
        return made if single else self.made(result)

    def lies(self, t: TensorType) -> tuple[Space, Dim | None]:
        return starts.lies(self.held.get(id(t)) or self._seen(t))

    def _targets(self, name: str, written: list[Value], args: tuple[Value, ...]) -> list[TensorType]:
        """The tensors that a call wrote into, each once."""
        first = [args[0]] if writing(name) and args and isinstance(args[0], TensorType) else []
        if not written:
            return first
        found = [*first, *(t for t in written if isinstance(t, TensorType) and (id(t) in self.held or t.base is not None))]
        return list({id(t): t for t in found}.values())

    def _is_plain(self, args: tuple[Value, ...], kwargs: dict[str, Value]) -> bool:
        """Whether a call got nothing through which a gradient may pass."""
        if kwargs.get("requires_grad", False) is not False:
            return False
        for value in (*args, *kwargs.values()):
            for one in value.items if isinstance(value, List) else value if isinstance(value, tuple) else (value,):
                if isinstance(one, TensorType):
                    held = self.held.get(id(one))
                    if held is None or not held.plain or one.requires_grad:
                        return False
                elif not isinstance(one, (int, float, str, DType, Term, type(None), slice)) and one is not Ellipsis:
                    return False
        return True

    def _mark_plain(self, made: Value) -> None:
        for one in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(one, TensorType) and id(one) in self.held:
                self.held[id(one)].plain = not one.requires_grad

    def is_plain(self, tensor: TensorType) -> bool:
        """Whether surely no gradient passes through a tensor."""
        held = self.held.get(id(self.current(tensor)))
        return held is not None and held.plain and not held.shown.requires_grad

    @staticmethod
    def _same_object(result: TensorType, target: TensorType) -> bool:
        """Whether a result may be what an operation in place made of its target."""
        return result.dtype is target.dtype and result.framework == target.framework

    def write(self, target: TensorType, becomes: TensorType | None = None) -> TensorType:
        """Something was written into a tensor, which became this; None when it is unknown what it holds now."""
        if target.framework not in _FOLLOWED:
            return becomes if becomes is not None else target
        held = self.held.get(id(target)) or self._seen(target)
        made = (target.but(contents=None) if becomes is None else becomes).but(base=held.shown.base)
        before = held.storage["now"]
        if not self._passed_on(held, made.contents):
            self._note(held, target.dtype)
        self.m.heap.set(held.own, "is", made)
        at = self._at(held.storage, made.dtype, held.owned)
        self._keep(Held(made, made, held.storage, held.own, held.owned, at, view=held.view, whole=held.whole), target)
        if self.m.path.program is not None:
            self.written_elements.note(before, at[0], self.held[id(made)])
        return made

    def _note(self, held: Held, dtype: DType | None) -> None:
        """From now on there was one write more."""
        heap = self.m.heap
        for kind in ("real", "whole") if dtype is None else (_kind(dtype),):
            heap.set(self.writes, kind, _token())
            if not held.owned:
                heap.set(self.writes, kind + "?", _token())
        heap.set(held.storage, "now", _token())

    def _passed_on(self, held: Held, contents: tuple[Value, ...] | None) -> bool:
        """What is written into a view is written into what it shows."""
        places = self._again(held, positions=True) if contents is not None else None
        if held.view is None or places is None or contents is None or len(places) != len(contents):
            return False
        source = self.current(held.view[1][0])
        elements = list(source.contents or ())
        for at, one in zip(places, contents):
            elements[at] = one
        self.write(source, source.but(contents=tuple(elements)))
        return True

    def change(self, target: TensorType, becomes: TensorType) -> TensorType:
        """An object shows its memory in another way: its elements are those that they were."""
        held = self.held.get(id(target)) or self._seen(target)
        made = becomes.but(base=held.shown.base)
        self.m.heap.set(held.own, "is", made)
        self._keep(Held(made, made, held.storage, held.own, held.owned, held.at), target)
        return made


def _apart(name: str, result: Value, args: tuple[Value, ...]) -> Value:
    """An element of an array of NumPy is a number of its own, no view."""
    if name != "numpy.ndarray.__getitem__" or not isinstance(result, TensorType) or result.shape != Shape() or Ellipsis in (args[1:] or (Ellipsis,)):
        return result
    index = args[1] if isinstance(args[1], tuple) else (args[1],)
    return result.but(base=None) if all(isinstance(part, (int, Term)) for part in index) else result


def _is_detached(one: Applied, made: TensorType) -> bool:
    """Whether a result has each element of the source in its place and memory."""
    source = one.arguments.get(one.op.aliases) if one.op.aliases and one.op.gradient == "x-" else None
    return isinstance(source, TensorType) and source.base is made.base is not None and source.shape == made.shape


def _surely_shows(applied: list[Applied], args: tuple[Value, ...], made: TensorType) -> bool:
    """Whether a result is a view of the first argument, and of nothing else."""
    source = args[0] if args else None
    if not isinstance(source, TensorType) or source.contents is None or made.base is not source.base or source.base is None or source.base is SOMEWHERE:
        return False
    return bool(applied) and all(one.op.aliases and surely_view(one, one.arguments[one.op.aliases]) for one in applied)


def surely_view(one: Applied, source: Value) -> bool:
    """Whether the result of an operator surely lies in the memory of its source, and which elements it shows is known from the call alone."""
    if not isinstance(source, TensorType) or any(isinstance(part, TensorType) for p in one.op.attributes for part in _parts(one.arguments[p.name])):
        return False
    alike = (
        one.op.view == "itself" and one.results[0].shape == source.shape and one.results[0].dtype is source.dtype and one.results[0].strides == source.strides
    )
    return one.op.view in ("always", "each") or (is_compact(source) and (one.op.view == "compact" or alike))


def _parts(value: Value) -> tuple[Value, ...]:
    return value if type(value) is tuple else (value,)


def _kind(dtype: DType | None) -> str:
    return "whole" if dtype is not None and dtype.kind in "biu" else "real"


def _token() -> TensorType:
    """A write. It is compared by identity; to a join or a loop, which compare what it says, all are alike."""
    return TensorType(Shape())


_FIRST = _token()
