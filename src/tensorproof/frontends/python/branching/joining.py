"""What two values have in common: equal values stay, numbers become if-then-else, tensors join axis by axis, the rest becomes a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tensorproof.frontends.python.branching import questions
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.facts import common as common_facts
from tensorproof.terms.facts import joined as joined_facts
from tensorproof.terms.facts import same as same_facts
from tensorproof.terms.gradient import Fact, Gradient
from tensorproof.terms.gradient import joined as joined_gradients
from tensorproof.terms.ints import Term, ite
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, negate
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, History, TensorType
from tensorproof.values.heap import ITEMS, MISSING, ORDER, Cursor, Entries, Owner, items_of
from tensorproof.values.objects import OPEN, Choice
from tensorproof.values.python_values import DRAWN, NUMBER, Entered, Summary, Unknown, is_truth
from tensorproof.values.summaries import ends_of, has_identity, is_size, length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


class Joins(Protocol):
    """Where joined tensors are recorded."""

    def join(self, condition: Truth | None, options: tuple[TensorType | None, ...], result: TensorType) -> None: ...


DEEPEST_CHOICE = BUDGETS.exploration.depth_of_joined
_PLAIN = (str, float, bytes, complex, type(None), range, slice)


class CannotJoin(Exception):
    """Two values, or two memories, that have no common description."""


def join(p: Truth, a: Value, b: Value, program: Joins | None = None) -> Value:
    """The value that is `a` when p holds and `b` when not. Tensors that become one are recorded in the program form."""
    if a is b:
        return a
    if type(a) is Summary or type(b) is Summary:
        return _summaries(p, a, b, program)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        truths = _truth(a), _truth(b)
        return _unknown(a, b) if None in truths else join(p, *truths, program)
    if isinstance(a, Fact) and isinstance(b, Fact):
        return a.joined(b)
    if type(a) is type(b) and type(a) in _PLAIN and (a == b or (a != a and b != b)):
        return a
    if isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)):
        return disj(conj(p, a), conj(negate(p), b))
    if is_size(a) and is_size(b):
        return ite(p, a, b)
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        joined = _recorded(p, a, b, program)
        if joined is not None:
            return joined
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return tuple(join(p, x, y, program) for x, y in zip(a, b))
    return _choice(p, a, b, program)


def _truth(value: Value) -> Truth | None:
    """What a value says as a truth value: an unknown one that has a name, or one that is known; None for all others."""
    if isinstance(value, (bool, Predicate)):
        return value
    return questions.by_key(value.key) if is_truth(value) and isinstance(value, Unknown) and value.key else None


def _unknown(a: Value, b: Value) -> Unknown:
    """Two values of which one at least is unknown: the answers about it are kept where they are about both."""
    known = a if isinstance(a, Unknown) else b
    assert isinstance(known, Unknown)
    one, other = ends_of(a), ends_of(b)
    if one is not None and other is not None:
        known = replace(known, least=min(one[0], other[0]), below=max(one[1], other[1]))
    elif known.least is not None and a != b:  # no end holds on both sides
        known = replace(known, least=None, below=None) if known.below is None else replace(DRAWN, number=known.number)
    same = isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key
    return known if same or not known.key else replace(known, key="")


def _recorded(p: Truth, a: TensorType, b: TensorType, program: Joins | None) -> TensorType | None:
    """Two tensors as one, recorded in the program form; None where they have no common description."""
    if a.taped or b.taped:
        raise CannotJoin
    joined = _tensors(p, a, b)
    if joined is not None and program is not None:
        program.join(p, (a, b), joined)
    return joined


def _summaries(p: Truth, left: Value, right: Value, program: Joins | None) -> Summary:
    """Items that were summarised, on one side perhaps none."""
    a, b = (_none_like(v) if w is MISSING and isinstance(v, Summary) else w for v, w in ((right, left), (left, right)))
    if not isinstance(a, Summary) or not isinstance(b, Summary) or isinstance(a.count, Unknown) or isinstance(b.count, Unknown):
        raise CannotJoin
    entries = None if a.entries is None or b.entries is None else (*_where(p, a.entries), *_where(negate(p), b.entries))
    count = ite(p, a.count, b.count)
    return Summary(a.reason, count=count, first=join(p, a.first, b.first, program), second=join(p, a.second, b.second, program), entries=entries)


def _where(p: Truth, entries: Entered) -> Entered:
    """Entries of a dict that are there where p holds and their own condition."""
    return tuple((key, conj(p, condition), value) for key, condition, value in entries)


def _none_like(value: Summary) -> Summary:
    return Summary("none", count=0, first=value.first, second=value.second, entries=())


def join_summarised(p: Truth, a: tuple[Value, ...], b: tuple[Value, ...]) -> tuple[Value, ...]:
    """Two lists of different lengths, in an iteration that stands for many: what they share, and then so many."""
    same = 0
    while same < min(len(a), len(b)) and a[same] is b[same]:
        same += 1
    left, right = a[same:], b[same:]
    then, other = length(left), length(right)
    if isinstance(then, Unknown) or isinstance(other, Unknown):
        raise CannotJoin
    samples = shown([*left, *right])
    if any(has_identity(item) for item in samples):
        raise CannotJoin
    return (*a[:same], summarise(ite(p, then, other), samples))


def _choice(p: Truth, a: Value, b: Value, program: Joins | None) -> Value:
    if isinstance(a, Choice) and a.condition is p:
        a = a.then
    if isinstance(b, Choice) and b.condition is p:
        b = b.other
    if a is b:
        return a
    fewer = _merged(p, a, b, program) if isinstance(a, Choice) or isinstance(b, Choice) else None
    if fewer is not None:
        return fewer
    depth = 1 + max(a.depth if isinstance(a, Choice) else 0, b.depth if isinstance(b, Choice) else 0)
    if depth > 1 and _all_numbers(a) and _all_numbers(b):
        return NUMBER
    if depth > DEEPEST_CHOICE:
        return _regrouped(Choice(p, a, b, depth), program)
    return Choice(p, a, b, depth)


def _regrouped(value: Choice, program: Joins | None) -> Value:
    """Many paths that lead to few different tensors, or to none: one choice for each of them."""
    groups: list[tuple[Truth, Value]] = []
    for condition, leaf in _leaves(value, True):
        if leaf is not MISSING and not isinstance(leaf, TensorType):
            raise CannotJoin
        for i, (known, one) in enumerate(groups):
            if one is leaf or _same_tensor(one, leaf):
                groups[i] = (disj(known, condition), one if one is leaf else _either(one, leaf, program))
                break
        else:
            groups.append((condition, leaf))
    if len(groups) > DEEPEST_CHOICE // 2 or len(groups) < 2:
        raise CannotJoin
    result = groups[-1][1]
    for depth, (condition, leaf) in enumerate(reversed(groups[:-1]), 1):
        result = Choice(condition, leaf, result, depth)
    return result


def _leaves(value: Value, guard: Truth) -> list[tuple[Truth, Value]]:
    """Each value that a choice may be, with the condition under which it is that."""
    if type(value) is not Choice:
        return [(guard, value)]
    return [*_leaves(value.then, conj(guard, value.condition)), *_leaves(value.other, conj(guard, negate(value.condition)))]


def _merged(p: Truth, a: Value, b: Value, program: Joins | None) -> Choice | None:
    """Three paths of which two lead to the same tensor are two paths."""
    if type(b) is Choice and type(a) is not Choice:
        if _same_tensor(a, b.then):
            return Choice(disj(p, b.condition), _either(a, b.then, program), b.other, b.depth)
        if _same_tensor(a, b.other):
            return Choice(disj(p, negate(b.condition)), _either(a, b.other, program), b.then, b.depth)
    if type(a) is Choice and type(b) is not Choice:
        if _same_tensor(b, a.then):
            return Choice(conj(p, negate(a.condition)), a.other, _either(b, a.then, program), a.depth)
        if _same_tensor(b, a.other):
            return Choice(conj(p, a.condition), a.then, _either(b, a.other, program), a.depth)
    return None


def _either(a: Value, b: Value, program: Joins | None) -> TensorType:
    """One of two tensors that are alike."""
    assert isinstance(a, TensorType) and isinstance(b, TensorType)
    kept = a if a.facts is b.facts and a.history is b.history else a.but(facts=common_facts(a.facts, b.facts), history=_histories(a, b))
    if program is None or a is b:
        return kept
    made = kept.but() if kept is a else kept
    program.join(None, (a, b), made)
    return made


def _same_tensor(a: Value, b: Value) -> bool:
    """Whether two tensors are alike to all that asks, and hold nothing that is known."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType) or a.contents is not None or b.contents is not None:
        return False
    alike = a.shape == b.shape and a.dtype is b.dtype and a.strides == b.strides and a.framework == b.framework and a.device == b.device
    return alike and same_facts(a.facts, b.facts)


def _all_numbers(value: Value) -> bool:
    """Whether a value is a number on each of its paths, and a real one on some."""
    if type(value) is Choice:
        return _all_numbers(value.then) and _all_numbers(value.other)
    return isinstance(value, (int, float, Term)) and not isinstance(value, bool)


def may_be_missing(value: Value) -> bool:
    """Whether a value is absent on one of its paths."""
    return value is MISSING or (type(value) is Choice and (may_be_missing(value.then) or may_be_missing(value.other)))


def _tensors(p: Truth, a: TensorType, b: TensorType) -> TensorType | None:
    if a.framework != b.framework or a.dtype is not b.dtype or a.layout != b.layout or (a.device or "cpu") != (b.device or "cpu"):
        return None
    if a.shape == b.shape:
        shape = a.shape
    elif a.shape.known and b.shape.known and len(a.shape) == len(b.shape):
        shape = Shape(ite(p, x, y) for x, y in zip(a.shape, b.shape))
    else:
        return None
    contents = a.contents if a.contents == b.contents else None
    strides = a.strides if a.strides == b.strides else UNKNOWN_STRIDES
    grad = joined_gradients(a.grad, b.grad)
    facts = joined_facts(p, a.facts, b.facts) if a.facts is not b.facts else a.facts
    required = _required(a, b, grad)
    return a.but(shape=shape, contents=contents, strides=strides, requires_grad=required, grad=grad, facts=facts, history=_histories(a, b))


def _histories(a: TensorType, b: TensorType) -> History | None:
    """How one of two tensors came about."""
    if a.history is b.history or a.history is None or b.history is None:
        return a.history if a.history is b.history else None
    return History((a.history, b.history), a.history.tapes | b.history.tapes)


def _required(a: TensorType, b: TensorType, grad: Gradient | None) -> bool:
    return grad.requires is True if grad is not None else a.requires_grad and b.requires_grad if a.framework == "torch" else a.requires_grad or b.requires_grad


def join_location(p: Truth, a: Value, b: Value, owner: Owner, key: Value, program: Joins | None = None) -> Value:
    """What a location holds after a branch. A name may be bound on one side only; an entry of a dict may not."""
    if key is ITEMS:
        if a == b:
            return a
        then, other = items_of(a), items_of(b)
        if len(then) != len(other):
            raise CannotJoin
        return tuple(join(p, x, y, program) for x, y in zip(then, other))
    if key is ORDER:
        if a != b:
            raise CannotJoin
        return a
    if (a is MISSING or b is MISSING) and isinstance(owner, Entries) and key is not OPEN:
        raise CannotJoin
    if isinstance(owner, Cursor) and a != b:
        raise CannotJoin
    return join(p, a, b, program)
