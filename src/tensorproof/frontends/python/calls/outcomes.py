"""What a call of an operator gave: requirements with their place, a refusal as the program's exception, "cannot tell" as a gap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.modules import Module
from tensorproof.diagnostics.diagnostic import Step
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.calls import after_calls, fixes, recovery, refusals, user_names
from tensorproof.frontends.python.calls.raised_by_data import Guard
from tensorproof.frontends.python.errors import Raised
from tensorproof.ops.record import Requirement
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.substitution import symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.path import Stated
from tensorproof.values.python_values import AFTER_ERROR, Layer

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def taken(
    m: Interpreter,
    name: str,
    outcome: Outcome,
    args: Any,
    kwargs: Any,
    node: ast.AST,
    layer: Layer | None,
    again: Callable[[], Outcome] | None = None,
    retry: Callable[[Module], Outcome] | None = None,
) -> Any:
    """Record an outcome: requirements with their place, a refusal as the program's exception, "cannot tell" as a gap.

    After a refusal that is not caught the path goes on with what `again` gives when the requirement is taken to hold."""
    before, assumed = len(m.path.stated), False
    if outcome.refused is not None and layer is None and refusals.contradicted(m, name, outcome.refused, args, kwargs, node):
        outcome = Outcome(unknown=f"{outcome.refused.message}: it was seen to be taken, and what follows is not known")
    stated = outcome.requirements
    if stated:
        outcome.requirements = [user_names.in_user_names(m, r, name, outcome, args, kwargs, node, layer) for r in stated]
        _state(m, name, outcome, stated, node, layer, before + 1)
    if outcome.refused is not None:
        kind, *others = refusals.kinds(m, name, outcome, outcome.refused, args)
        refused = outcome.refused = user_names.in_user_names(m, outcome.refused, name, outcome, args, kwargs, node, layer)
        trail = trail_of(m, refused.about, outcome, node, layer)
        fix = fixes.fix(refused.code, outcome, layer, retry, layer is not None and id(layer) in m.fitting)
        fix = user_names.fix_in_user_names(m, fix, name, outcome, args, kwargs, node) if fix else fix
        raised = Raised(
            kind, refused.message, m.user_span(node), refused.code, trail, fix=fix, others=tuple(others), refused=refused, call=before + 1
        )  # fmt: skip
        found = recovery.assumed(m, raised, name, outcome, again, layer)
        if found is None:
            raise raised
        outcome, assumed = found, True
        _state(m, name, outcome, outcome.requirements, node, layer, before + 1)
        if outcome.outputs is AFTER_ERROR:
            return AFTER_ERROR
    if outcome.unknown is not None:
        return m.gap(name, node, outcome.unknown)
    if layer is not None:
        m.fitting[id(layer)] = layer
    result = outcome.outputs
    call = after_calls.Called(name, outcome, args, kwargs, node, layer, before, assumed, result)
    constructed = isinstance(result, Module)
    for observe in after_calls.CONSTRUCTED if constructed else after_calls.observers(name):
        observe(m, call)
    return Layer(result, m.user_span(node)) if constructed else call.result


def _state(m: Interpreter, name: str, outcome: Outcome, stated: list[Requirement], node: ast.AST, layer: Layer | None, call: int) -> None:
    """Record what must hold; `stated` is the same in the operators' names. Where the program waits for the exception that it would raise, the run decides."""
    for requirement, original in zip(outcome.requirements, stated):
        trail = trail_of(m, requirement.about, outcome, node, layer)
        caught = False
        if m.guards and isinstance(requirement.predicate, Predicate):
            kind, *others = refusals.kinds(m, name, outcome, original)
            raised = Raised(kind, requirement.message, m.user_span(node), requirement.code, trail, others=tuple(others), call=call)
            takes = next((guard for guard in reversed(m.guards) if guard(raised)), None)
            if takes is not None and not symbols(requirement.predicate):  # of branches alone, not of numbers in data
                if not deciding.decided(m, requirement.predicate):
                    raise raised
                continue
            caught = takes is not None and not (isinstance(takes, Guard) and takes.raises)
        m.path.stated.append(Stated(requirement, m.user_span(node), trail, tuple(m.facts), call=call, caught=caught))


def trail_of(m: Interpreter, about: tuple[str, ...], outcome: Outcome, node: ast.AST, layer: Layer | None) -> tuple[Step, ...]:
    """Where the blamed arguments come from: the place that bound them, or the construction of the layer that holds them."""
    steps: list[Step] = []
    for name in about:
        value = outcome.bound.get(name)
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(one, TensorType):
                where = m.made_at.get(id(one))
                if where is not None and where[0] is one:
                    steps.append(Step(where[2], f"{where[1]} is {one!r} from here"))
    if layer is not None and layer.module is not None and layer.span != m.user_span(node):
        held = [n for n in about if n in layer.module.state()]
        shown = ", ".join(f"{n} {layer.module.state()[n].shape!r}" for n in held)
        steps.append(Step(layer.span, f"the layer is made here{': ' + shown if shown else ''}"))
    return tuple(dict.fromkeys(steps))
