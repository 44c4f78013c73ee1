"""Calls with arguments that are not known: what they give whatever those arguments are."""

from __future__ import annotations

from itertools import product
from typing import Any

from tensorproof.bindings.call import Outcome, call, call_module, kinds
from tensorproof.bindings.modules import Module
from tensorproof.bindings.open_calls import agreed_alternatives
from tensorproof.bindings.rows import Row, rows
from tensorproof.bindings.unknown_arguments import Place, is_number, is_whole, places, stand_ins
from tensorproof.ops.inputs import REQUIRED, Anything, Axes, Axis, ElementType, Float, Floats, Int, Ints, Number, Tensor, Tensors
from tensorproof.ops.record import Requirement
from tensorproof.ops.session import Session
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import ge
from tensorproof.terms.records import replace
from tensorproof.values.python_values import AFTER_ERROR, Unknown, whole_of

MOST_TRIED = BUDGETS.deciding.axes_tried


def call_partly(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], session: Session) -> Outcome | None:
    """A call of a spelling of which some arguments are not known; None where nothing can be said of it."""
    if _follows((args, kwargs)):
        return None
    misfits: list[Outcome] = []
    for row in rows(name):
        construction = row.call_arguments is not None
        found = places(row, row.arguments, kinds(row, construction), args, kwargs)
        given = _alternatives(row, found, args, kwargs, session)
        if given is None:
            continue
        tried = [call(name, one, named, session) for one, named in given]
        if all(one.refused is not None and one.refused.code == "call/arguments" for one in tried):
            misfits += tried[:1] if all(map(_costs_nothing, found.values())) else []
            continue
        session.wholes |= {place.value.key for place in found.values() if isinstance(place.kind, Int) and isinstance(place.value, Unknown)} - {""}
        return _constructed(found, tried, session) if construction else _valueless(found, _agreed(found, tried, session))
    return misfits[0] if misfits and len(misfits) == len(rows(name)) else None


def _costs_nothing(place: Place) -> bool:
    """Whether an unknown argument decides nothing, as a device does: a call that does not fit then fits for no value of it."""
    return isinstance(place.kind, Anything) and place.argument.default is not REQUIRED


def call_module_partly(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], session: Session) -> Outcome | None:
    """A call of a layer of which some arguments are not known; None where nothing can be said of it."""
    row = module.row
    if row.call_arguments is None or _follows((args, kwargs)):
        return None
    found = places(row, row.call_arguments, kinds(row), args, kwargs)
    given = _alternatives(row, found, args, kwargs, session)
    if given is None:
        return None
    tried = [call_module(module if module.built else module.copy(), one, named, session) for one, named in given]
    return _valueless(found, _agreed(found, tried, session))


def _follows(value: Any) -> bool:
    """Whether something in a call is what an error left: what follows from that is not a finding."""
    if isinstance(value, Unknown):
        return value.reason == AFTER_ERROR.reason
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return any(map(_follows, parts))


def _alternatives(row: Row, found: dict[int | str, Place], args: tuple[Any, ...], kwargs: dict[str, Any], session: Session) -> Any:
    """The arguments with each combination of values that stand for what is not known; None where there are too many."""
    choices: list[list[Any]] = []
    for place in found.values():
        owner = _owner(row, place, args, kwargs) if isinstance(place.kind, (Axis, Axes)) else None
        values = stand_ins(row, place, owner, session)
        if not values:
            return None
        choices.append(values)
    count = 1
    for values in choices:
        count *= len(values)
    if not found or count > MOST_TRIED:
        return None
    made: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    for picked in product(*choices):
        put = dict(zip(found, picked))
        made.append((tuple(put.get(i, v) for i, v in enumerate(args)), {k: put.get(k, v) for k, v in kwargs.items()}))
    return made


def _owner(row: Row, place: Place, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The tensor whose axes an argument counts."""
    wanted = getattr(place.kind, "of", "x")
    for at, argument in enumerate(row.arguments):
        if argument.ours == wanted:
            return kwargs.get(argument.theirs, args[at] if at < len(args) else None)
    return None


def _agreed(found: dict[int | str, Place], tried: list[Outcome], session: Session) -> Outcome | None:
    accepted = [one for one in tried if one.refused is None]
    if accepted:
        tried = accepted  # what is refused for some value is not what the program does
    outcome = agreed_alternatives(tried, session, all_tried=not any(_some_tried(place, session) for place in found.values()))
    return outcome if outcome is None or outcome.refused is None or _sure(found, outcome.refused, session) else None


_SOME_TRIED = (Float, Floats, Number, ElementType, Anything)
"""Arguments for which some of their values stand."""


def _some_tried(place: Place, session: Session) -> bool:
    """Whether only some values of an argument were tried: of a list of sizes also, the number of which is not known."""
    listed = isinstance(place.kind, Ints) and isinstance(place.value, Unknown) and not is_whole(place.value, session)
    return listed or isinstance(place.kind, _SOME_TRIED)


def _sure(found: dict[int | str, Place], refused: Requirement, session: Session) -> bool:
    """Whether a refusal holds for every value of what is not known: it does not speak of an argument of which only some values were tried."""
    some = {place.argument.ours for place in found.values() if _some_tried(place, session)}
    typed = any(isinstance(place.kind, ElementType) for place in found.values())
    numbers = all(isinstance(place.kind, (Tensor, Tensors)) and is_number(place.value) for place in found.values())
    return (numbers or refused.code != "call/arguments") and some.isdisjoint(refused.about) and not (typed and refused.code.endswith("/dtype"))


def _valueless(found: dict[int | str, Place], outcome: Outcome | None) -> Outcome | None:
    """What was applied to values that only stand for others says nothing of values."""
    if outcome is None or all(isinstance(place.kind, (Tensor, Tensors)) for place in found.values()):
        return outcome
    unknown = {place.argument.ours for place in found.values() if not isinstance(place.kind, (Tensor, Tensors))}
    return replace(outcome, applied=[], guessed=True, bound={k: v for k, v in outcome.bound.items() if k not in unknown})


def _constructed(found: dict[int | str, Place], tried: list[Outcome], session: Session) -> Outcome | None:
    """The layer that is made, with those that it may be as well."""
    if any(one.unknown is not None for one in tried):
        return None
    made = [one for one in tried if one.refused is None]
    if not made:
        refused = tried[0].refused
        return tried[0] if refused is not None and _sure(found, refused, session) else None
    unknown = frozenset(place.argument.ours for place in found.values())
    modules: list[Module] = [one.outputs for one in made]
    first, others = modules[0], [m for m in modules[1:] if _differs(modules[0], m, found)]
    first.unknown, first.others = unknown, tuple(others)
    return replace(made[0], requirements=[*([] if others else made[0].requirements), *_positive(found)])


def _positive(found: dict[int | str, Place]) -> list[Requirement]:
    """An unknown number that is the size of a layer's weights is at least 1: nothing is computed by a layer without weights."""
    sizes = [(place.argument, whole_of(place.value)) for place in found.values() if isinstance(place.kind, Int) and place.kind.name == "size"]
    return [Requirement("layer/size", ge(n, 1), f"{a.theirs} must be at least 1", (a.ours,)) for a, n in sizes if isinstance(n, Term) and ge(n, 1) is not True]


def _differs(a: Module, b: Module, found: dict[int | str, Place]) -> bool:
    """Whether two layers may compute tensors of different shape or element type: not where a rate alone tells them apart."""
    rates = {place.argument.ours for place in found.values() if isinstance(place.kind, (Float, Floats, Number))}
    return a.state() != b.state() or any(v != b.arguments.get(k) for k, v in a.arguments.items() if k not in rates)
