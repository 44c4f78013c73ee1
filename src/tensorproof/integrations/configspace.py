"""ConfigSpace: a space with the invalid vectors as forbidden clauses. It has no arithmetic relations, so each requirement becomes clauses that list values.

configspace = to_configspace(space)
configspace.sample_configuration(10)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from ConfigSpace import (
    CategoricalHyperparameter,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenInClause,
    InCondition,
    OrdinalHyperparameter,
    UniformIntegerHyperparameter,
)

from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.listing import first_broken
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.integrations.space import Space
from tensorproof.terms.substitution import symbols

Array = Any
Clause = tuple[tuple[str, tuple[int, ...]], ...]
"""For each of some parameters the positions of values; the vectors that have one of these in each are forbidden."""
MOST_CLAUSES = 20_000
MOST_ROWS = 1 << 22


def to_configspace(space: Space, *, unknown: bool = True, seed: int | None = None) -> ConfigurationSpace:
    """The parameters with their conditions, and a clause for each kind of invalid vector; with `unknown=False` unknown vectors are forbidden as well."""
    space.refuse_empty(unknown)
    result = ConfigurationSpace(seed=seed)
    default = space.report.example or next(space.vectors())
    made = {p.name: _hyperparameter(p, default[p.name]) for p in space.report.parameters}
    result.add(list(made.values()))
    for p in space.report.parameters:
        if p.needs is not None:
            child, parent, values = made[p.name], made[p.needs[0]], list(p.needs[1])
            result.add(EqualsCondition(child, parent, values[0]) if len(values) == 1 else InCondition(child, parent, values))
    result.add([_forbidden(clause, made, space.parameters) for clause in clauses(space, unknown)])
    return result


def clauses(space: Space, unknown: bool = True) -> list[Clause]:
    """The clauses whose union is the set of vectors that cannot run."""
    found: dict[Clause, None] = {}
    for scenario in space.report.scenarios:
        fixed = tuple((name, (space.parameters[name].values.index(value),)) for name, value in scenario.fixed.items())
        for check in scenario.checks.order:
            if check.cause.absent or (check.cause.unknown and unknown):
                continue
            for clause in _clauses(scenario, check):
                found[(*fixed, *clause)] = None
                if len(found) > MOST_CLAUSES:
                    raise BadInput(f"the invalid vectors need more than {MOST_CLAUSES:,} forbidden clauses; give the parameters fewer values")
    return list(found)


def _clauses(scenario: Scenario, check: Check) -> Iterator[Clause]:
    used = symbols(check.broken)
    own = [p for p in scenario.parameters if p.atom in used]
    sizes = [len(p.values) for p in own]
    if np.prod(sizes, dtype=float) > MOST_ROWS:
        raise BadInput(f"{check.cause.code} stands on {len(own)} parameters with too many values for forbidden clauses; give them fewer values")
    columns = {p.atom: np.array(p.numbers, np.int64).reshape([-1 if q is p else 1 for q in own]) for p in own}
    yield from _boxes(np.broadcast_to(first_broken(columns, [check]) >= 0, sizes), [p.name for p in own])


def _boxes(broken: Array, names: Sequence[str]) -> Iterator[Clause]:
    """Boxes that cover the true places of an array: the axis with the fewest different slices first, equal slices together."""
    if not broken.any():
        return
    if broken.all():
        yield ()
        return
    groups = [_slices(broken, axis) for axis in range(broken.ndim)]
    axis = min(range(broken.ndim), key=lambda at: len(groups[at]))
    for places in groups[axis]:
        own = ((names[axis], tuple(places)),) if len(places) < broken.shape[axis] else ()
        for clause in _boxes(np.take(broken, places[0], axis), [*names[:axis], *names[axis + 1 :]]):
            yield (*own, *clause)


def _slices(broken: Array, axis: int) -> list[list[int]]:
    """The positions along an axis whose slices are equal and have true places."""
    found: dict[bytes, list[int]] = {}
    for at, one in enumerate(np.moveaxis(broken, axis, 0)):
        if one.any():
            found.setdefault(np.packbits(one).tobytes(), []).append(at)
    return list(found.values())


def _forbidden(clause: Clause, made: dict[str, Any], parameters: dict[str, Parameter]) -> Any:
    parts = []
    for name, places in clause:
        values = [parameters[name].values[at] for at in places]
        parts.append(ForbiddenEqualsClause(made[name], values[0]) if len(values) == 1 else ForbiddenInClause(made[name], values))
    return parts[0] if len(parts) == 1 else ForbiddenAndConjunction(*parts)


def _hyperparameter(p: Parameter, default: Value) -> Any:
    values = list(p.values)
    if len(values) == 1:
        return Constant(p.name, values[0])
    if p.whole and values == list(range(int(values[0]), int(values[-1]) + 1)):
        return UniformIntegerHyperparameter(p.name, values[0], values[-1], default_value=default)
    if (p.whole or p.real) and values == sorted(values, key=float):
        return OrdinalHyperparameter(p.name, values, default_value=default)
    return CategoricalHyperparameter(p.name, values, default_value=default)
