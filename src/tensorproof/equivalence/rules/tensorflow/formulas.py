"""A name and the formula in its documentation give the same result (`formulas.txt`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.spellings import outcome_of
from tensorproof.terms.tensor import TensorType

_LINE = re.compile(r"^(op|name) ([\w.]+)(?:\[([^\]]*)\])? = (.*)$", re.MULTILINE)
_MOVED = "layer.set_weights([w + 0.5 for w in layer.get_weights()])"
"""Weights that differ from those at the beginning, which are zeros and ones."""


@dataclass(frozen=True, slots=True)
class _Formula:
    limits: tuple[str, ...]
    text: str


@cache
def _table() -> tuple[Mapping[str, list[_Formula]], Mapping[str, list[_Formula]]]:
    """Formulas by operator, and by name."""
    found: dict[str, dict[str, list[_Formula]]] = {"op": {}, "name": {}}
    for kind, name, limits, text in _LINE.findall(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")):
        found[kind].setdefault(name, []).append(_Formula(tuple(filter(None, limits.split(","))), text))
    return found["op"], found["name"]


def _applies(api: Api) -> bool:
    by_operator, by_name = _table()
    return not api.random and (api.name in by_name or any(op.name in by_operator for op in api.operators))


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if len({x.label for x in call.inputs.values()}) != 1 or call.written:
        return
    by_name = _table()[1].get(call.api.name)
    if by_name:
        yield from _by_name(call, dialect, by_name[0])
    elif next(iter(call.inputs.values())).is_float:
        yield from _by_operator(call, dialect)


def _by_name(call: Call, dialect: Dialect, formula: _Formula) -> Iterable[Pair]:
    if call.init is None:
        if len(call.args) == 2 and not call.kwargs and all(x.is_float for x in call.inputs.values()):
            yield Pair(call.expression(dialect), formula.text, loose=10.0)
    elif len(call.args) == 1 and not call.kwargs and set(call.init) <= set(formula.limits):
        plain = call.expression(dialect)
        yield Pair(plain, formula.text, "\n".join((call.setup(dialect), plain, _MOVED)), loose=10.0, compare="numbers")


def _by_operator(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """The call must apply one operator, to its inputs."""
    names: dict[int, str] = {}
    outcome = outcome_of(call, names)
    if outcome is None or len(outcome.applied) != 1:
        return
    applied = outcome.applied[0]
    given: dict[str, Any] = {k: names.get(id(v)) if isinstance(v, TensorType) else repr(v) for k, v in applied.arguments.items()}
    for formula in _table()[0].get(applied.op.name, ()):
        wanted = dict(limit.split("=") for limit in formula.limits)
        if all(str(applied.arguments.get(k)) == v for k, v in wanted.items()) and all(given.get(k) is not None for k in re.findall(r"\{(\w+)\}", formula.text)):
            yield Pair(call.expression(dialect), formula.text.format(**given), call.setup(dialect), loose=10.0, compare="numbers")


RULE = Rule("tf-formulas", "api redundancy", "a name = the formula in its documentation", ("tensorflow", "keras"), _pairs, _applies, number=7, special=False,
            unsupported=".")  # fmt: skip
