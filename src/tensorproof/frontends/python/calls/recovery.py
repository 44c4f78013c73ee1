"""After a certain error the path goes on, so that independent errors are found in one run: what failed gives what its declaration says, or an unknown value."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome, operator
from tensorproof.bindings.rows import rows
from tensorproof.frontends.python.errors import Raised
from tensorproof.ops.layout import alternatives
from tensorproof.terms.ints import lower
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, Instance, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, Layer, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.frame import Frame
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.scope import Scope
    from tensorproof.values.machine import Value

_ENDS = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "StopIteration", "StopAsyncIteration", "RecursionError", "MemoryError"}
"""Exceptions that end the run, or that whoever drives an iterator waits for."""


def goes_on(m: Interpreter, raised: Raised) -> bool:
    """Whether the path continues after this error: it may not be caught, and it is not the program's own `raise`."""
    if m.stop_at_error or raised.own or raised.quiet or (isinstance(raised.kind, str) and raised.kind in _ENDS):
        return False
    return not m.branching.may_take(raised)


def after(frame: Frame, raised: Raised, node: ast.AST) -> Unknown:
    """Record an error and give the value that stands for its result; raises it again where the path cannot go on."""
    m = frame.machine
    raised.through = raised.through or frame.library > 0
    if (frame.module is not None and frame.module.foreign) or frame.library or not goes_on(m, raised):
        raise raised
    if raised.code not in _STATELESS:
        raised.roots = raised.roots or _named(frame, node)
    record(m, raised)
    m.path.lost = True
    return AFTER_ERROR


def _named(frame: Frame, node: ast.AST) -> frozenset[int]:
    """What the tensors that a statement names were computed from."""
    held = (_held(frame, part) for part in ast.walk(node))
    return frozenset[int]().union(*(roots_of(frame.machine, value) for value in held if isinstance(value, TensorType)))


_STATELESS = ("python/attribute", "python/name", "python/import")


def in_doubt(frame: Frame, raised: Raised, node: ast.AST, scope: Scope) -> None:
    """What a failed statement may have changed is in no known state, and the tensors that it names may be wrong: neither is blamed later."""

    m = frame.machine
    if raised.code in _STATELESS:
        return
    m.doubted |= _named(frame, node)
    kinds = (Model, Layer, List, Dict, Set, *((Instance,) if "keras" in m.model_state else ()))
    for part in ast.walk(node):
        owner = part.value if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store) else None
        if isinstance(part, ast.Call):
            owner = part.func.value if isinstance(part.func, ast.Attribute) and _held(frame, part.func) is None else part.func
        if not isinstance(owner, (ast.Name, ast.Attribute)) or ast.unparse(owner) in ("self", "cls"):
            continue
        if isinstance(_held(frame, owner), (*kinds, *((TensorType,) if isinstance(part, ast.Subscript) else ()))):
            stored = ast.parse(f"{ast.unparse(owner)} = 0").body[0]
            assert isinstance(stored, ast.Assign)
            try:
                scope.target(ast.copy_location(stored.targets[0], owner))(frame, AFTER_ERROR)
            except Raised:
                continue


def _held(frame: Frame, node: ast.AST) -> Value:
    """What a name or an attribute holds, looked up without running anything."""
    if isinstance(node, ast.Name):
        for space in (frame.space, *frame.scopes, frame.globals):
            if node.id in space:
                return space[node.id]
        return None
    if isinstance(node, ast.Attribute):
        owner = _held(frame, node.value)
        return owner.space.get(node.attr) if isinstance(owner, Instance) else None
    return None


def skipped(frame: Frame, raised: Raised, node: ast.stmt, scope: Scope) -> None:
    """A statement ended by an error: record it; the names that the statement binds hold something unknown."""

    after(frame, raised, node)
    in_doubt(frame, raised, node, scope)
    for name in dict.fromkeys(bound(node)):
        scope.target(ast.copy_location(ast.Name(name, ast.Store()), node))(frame, AFTER_ERROR)


def bound(node: ast.AST) -> list[str]:
    """The names that a statement binds, not those inside the functions and classes that it defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [a.asname or a.name.partition(".")[0] for a in node.names if a.name != "*"]
    if isinstance(node, ast.Lambda):
        return []
    found = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
    return found + [name for child in ast.iter_child_nodes(node) for name in bound(child)]


def record(m: Interpreter, raised: Raised) -> None:
    """Keep an error as a finding of the path, unless it is about what an earlier one is about: once a place, and with the same words
    only where two lines of the main program make their own tensors."""
    m.failures += 1
    known, m.doubted = m.doubted, m.doubted | raised.roots | ({EVERYTHING} if raised.through else frozenset())
    unset = m.failures > 1 and raised.code == "python/attribute" and raised.message.startswith("None ")  # what would have set it did not run
    if raised.roots & known or EVERYTHING in known or unset:
        m.path.lost = True
        return
    apart = len(m.frames) == 1 and raised.roots and DATA not in raised.roots
    for stated in m.path.stated:
        requirement = stated.requirement
        if requirement.predicate is not False or requirement.code != raised.code:
            continue
        if stated.span == raised.span or (_words(requirement.message) == _words(raised.message) and not apart):
            m.path.lost = True
            return
    m.uncaught(raised)


def _words(message: str) -> str:
    """A message without the places that name its symbols."""
    return re.sub(r"@\d+(#\d+)?", "", message)


# --- operators ---


def assumed(m: Interpreter, raised: Raised, name: str, outcome: Outcome, again: Callable[[], Outcome] | None, layer: Value) -> Outcome | None:
    """What a refused operator gives when the requirement that failed is taken to hold; None where the path cannot go on.

    The result is known only where what failed does not show in it: else everything that depends on it would be blamed for the same mistake."""
    blamed = _blamed(outcome, layer)
    raised.roots = frozenset[int]().union(*(roots_of(m, one) for one in blamed))
    inside = m.in_library > 1 or (m.in_library == 1 and not name.endswith(m.direct)) or _in_package(m)
    if "tape" in m.model_state or name.startswith("keras.") or inside or not goes_on(m, raised):
        return None
    record(m, raised)
    found = None
    if again is not None and outcome.refused is not None and outcome.refused.code != "call/arguments":
        m.session.lenient, m.session.failed = True, []
        try:
            found = again()
        finally:
            m.session.lenient = False
    if found is not None and found.refused is None and found.unknown is None and _trusted(m, name, outcome, found, blamed):
        found.requirements = [r for r in found.requirements if r not in outcome.requirements]
        return found
    return Outcome(AFTER_ERROR, bound=outcome.bound)


def _in_package(m: Interpreter) -> bool:
    """Whether the code that runs is not the program's own: it is left with the error, and the program's call goes on."""
    frame = m.frames[-1] if m.frames else None
    return frame is not None and (frame.library > 0 or (frame.module is not None and frame.module.foreign))


def _blamed(outcome: Outcome, layer: Any) -> list[TensorType]:
    """The tensors that a refusal speaks of, not those that the layer holds."""
    held = layer.module.state() if layer is not None else {}
    words = outcome.refused.about if outcome.refused is not None else ()
    values = [outcome.bound.get(word) for word in (words or tuple(outcome.bound)) if word not in held]
    return [one for value in values for one in _tensors(value)]


def _tensors(value: Value) -> list[TensorType]:
    if type(value) is TensorType:
        return [value]
    return [one for one in value if isinstance(one, TensorType)] if isinstance(value, (tuple, list)) else []


def _trusted(m: Interpreter, name: str, outcome: Outcome, found: Outcome, blamed: list[TensorType]) -> bool:
    """Whether a result is the same however the mistake is mended."""
    made, refused = found.outputs, outcome.refused
    if not isinstance(made, TensorType) or not made.shape.known or refused is None:
        return False
    if not len(made.shape):
        return True
    if refused.code.endswith("/dtype"):
        found.outputs = made.but(dtype=None)
        return True
    first = outcome.bound.get("x")
    wanted = {size for pair in m.session.failed for size in pair} or _sizes(refused.code, outcome)
    if m.facts or not wanted or not isinstance(first, TensorType) or any(not one.shape.known for one in blamed):
        return False
    if len(first.shape) != _usual_rank(name) or sum(size in wanted for size in first.shape) > 1 or any(size in wanted for size in made.shape):
        return False
    return all(size > 0 if isinstance(size, int) else lower(size) >= 0 for size in made.shape)


def _sizes(code: str, outcome: Outcome) -> set[Value]:
    """The sizes that disagree where the rule tells no pair: those of the axis that the input and the weight share."""
    x, weight = outcome.bound.get("x"), outcome.bound.get("weight")
    if code.rpartition("/")[2] not in ("channels", "features") or not isinstance(x, TensorType) or not isinstance(weight, TensorType):
        return set()
    if not x.shape.known or not weight.shape.known or min(len(x.shape), len(weight.shape)) < 2:
        return set()
    return {x.shape[1], weight.shape[1]} if isinstance(x.shape[1], int) else set()


def _usual_rank(name: str) -> int:
    """The rank that the first input has as a rule: with a batch axis, and no more than the operator looks at."""
    first = next((p for p in operator(rows(name)[0].op).inputs), None)
    options = alternatives(first.layout) if first is not None else ()
    return max((2 if option.open else option.least for option in options), default=0)


EVERYTHING = 1
"""The root of what a function of the program may have changed that a library called."""
DATA = 0
"""The root of every tensor that no operator of the program made: data, parameters."""


_TENSORS = frozenset((TensorType, tuple, list))
"""What may be a tensor, or hold some."""


def roots_of(m: Interpreter, tensor: TensorType) -> frozenset[int]:
    """What a tensor was computed from: tensors that the program made from nothing, and data."""
    known = m.roots.get(id(tensor))
    return known[1] if known is not None and known[0] is tensor else frozenset((DATA,))


def rooted(m: Interpreter, outcome: Outcome, layer: Any, fresh: bool) -> None:
    """Remember what the results of a call were computed from. What an error does not show in counts as made from nothing."""
    results = _tensors(outcome.outputs)
    if not results:
        return
    held = {id(parameter) for parameter in layer.module.parameters.values()} if layer is not None else ()
    roots = frozenset[int]() if layer is None or fresh else frozenset((hash(layer.span),))
    for value in outcome.bound.values() if not fresh else ():
        if value.__class__ not in _TENSORS:
            continue
        held_in: Any = (value,) if value.__class__ is TensorType else value
        for one in held_in:
            if one.__class__ is TensorType and id(one) not in held:
                of = roots_of(m, one)
                roots = roots if of <= roots else roots | of
    for one in results:
        m.roots[id(one)] = (one, roots or frozenset((id(one),)))


# --- what depends on an error ---


def follows(values: Any) -> bool:
    """Whether one of these values is what an error left."""
    for value in values:
        if value is AFTER_ERROR:
            return True
        if type(value) in (tuple, list) and follows(value):
            return True
        if type(value) is List and follows(value.items):
            return True
        if type(value) is Dict and follows(value.items.values()):
            return True
    return False


def dependent(m: Interpreter, run: Callable[[], Value]) -> Value:
    """Run a call that gets what an error left: that it is not understood is no gap of its own."""
    gaps = len(m.path.gaps)
    m.path.lost = True
    try:
        made = run()
    except Raised as raised:
        if not goes_on(m, raised):
            raise
        m.failures += 1
        made = AFTER_ERROR
    if len(m.path.gaps) > gaps:
        del m.path.gaps[gaps:]
        if isinstance(made, Unknown):
            return AFTER_ERROR
    return made
