"""The results of an operator as affine forms of its operands, by its reference function; found once for operands of equal shapes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES, tensors_in
from tensorproof.engines.numerics.grids.grid import expanded
from tensorproof.engines.numerics.relations.affine import Form, Joined, NotAffine, View
from tensorproof.engines.numerics.value import Value
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.tensor import TensorType

Shown = list[Form | Joined | None] | None
"""A form for each result, None for one that is not affine; None where none is."""
Template = tuple[tuple[int, ...], list[tuple[int, View, float]], float, float, bool]
"""A form whose terms name operands by their places: shape, terms, constant, error, and whether terms have met."""
MOST = 20_000
"""How many templates are kept before all are forgotten."""
_TEMPLATES: dict[Hashable, list[Template | None] | None] = {}


def shown(one: Applied, values: Sequence[Value]) -> Shown:
    """The results as forms of the operands themselves."""
    numbers: dict[int, int] = {}
    key = _key(one, values, numbers)
    if key is None:
        return _evaluated(one, values)
    if key not in _TEMPLATES:
        made = _evaluated(one, values)
        if made is not None and any(isinstance(part, Joined) for part in made):
            return made
        if len(_TEMPLATES) >= MOST:
            _TEMPLATES.clear()
        _TEMPLATES[key] = None if made is None else [None if part is None else _template(part, numbers) for part in made]
        return made
    found, places = _TEMPLATES[key], list(numbers)
    return None if found is None else [None if part is None else _filled(part, places) for part in found]


def _key(one: Applied, values: Sequence[Value], numbers: dict[int, int]) -> Hashable:
    """What decides the forms; None where that is not known. `numbers` gets the place of each value by its number."""
    read = parts(one)
    if not read.form:
        return None
    key: list[Hashable] = [read.form, read.types]
    for tensor, value in zip(read.tensors, values):
        grid, box = value.grid, value.grid.box
        if box.dtype.kind != "f":
            return None
        single = not grid.shape and box.lo.item() == box.hi.item()
        key += tensor.weak, float(box.lo) if single else (grid.shape, numbers.setdefault(value.number, len(numbers)))
    return tuple(key)


def _template(form: Any, numbers: dict[int, int]) -> Template:
    return form.shape, [(numbers[number], view, c) for (number, view), c in form.terms.items()], form.constant, form.error, form.related


def _filled(template: Template, numbers: Sequence[int]) -> Form:
    shape, terms, constant, error, related = template
    return Form(shape, {(numbers[place], view): c for place, view, c in terms}, constant, error, related)


def _evaluated(one: Applied, values: Sequence[Value]) -> Shown:
    given = {id(t): v for t, v in zip(tensors_in(one), values)}
    arguments: dict[str, Any] = {}
    try:
        for name, value in one.arguments.items():
            if isinstance(value, (tuple, list)):
                arguments[name] = tuple(_operand(given[id(part)]) if isinstance(part, TensorType) else part for part in value)
            else:
                arguments[name] = _operand(given[id(value)]) if isinstance(value, TensorType) else value
        arguments["tensors"], arguments["results"] = one.arguments, tuple(r.dtype for r in one.results)
        assert one.op.evaluate is not None
        made = one.op.evaluate(NUMPY, arguments)
    except (NotAffine, AssertionError, *FAILURES):
        return None
    found = made if isinstance(made, (tuple, list)) else [made]
    return [part if isinstance(part, (Form, Joined)) else None for part in found]


def _operand(known: Value) -> Any:
    """A form of its own, or the numbers themselves where they are known."""
    grid, box = known.grid, known.grid.box
    if not grid.shape and box.lo.item() == box.hi.item():
        return float(box.lo)
    if box.dtype.kind != "f":
        if box.size == 1 and bool((box.lo == box.hi).all()):
            return np.broadcast_to(box.lo.astype(grid.dtype).reshape(()), grid.shape)
        return expanded(grid).__array__()
    return Form(grid.shape, {(known.number, ()): 1.0})
