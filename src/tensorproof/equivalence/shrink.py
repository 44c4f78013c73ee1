"""Shrinks a finding: fewer arguments, smaller arrays, simpler numbers, as long as the same difference stays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input, Made
from tensorproof.equivalence.campaigns.job import Result, pair_json
from tensorproof.equivalence.drawing import is_valid_call
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.script import scripts

if TYPE_CHECKING:
    from tensorproof.equivalence.arrays import Numbers
    from tensorproof.equivalence.campaigns.job import Work

TRIES = 300
TRIES_COMPILED = 40


def core(symptom: str) -> str:
    """A symptom without the element types, which shrinking may not keep."""
    if symptom.startswith("element type "):
        return "element type"
    return symptom.rpartition(": ")[2] if not symptom.startswith(("left:", "right:")) else symptom


def shrunk(work: Work, finding: dict[str, Any], say: Callable[[str], None], seconds: float | None = None) -> dict[str, Any]:
    """The finding with a smaller call, and its scripts. Without a limit of time the result does not depend on the machine."""
    api = work.names.get(finding["api"], Api(finding["api"], ()))
    rule, best = work.rules.get(finding["rule"]), finding
    if finding["kind"] != "crash" and rule is not None:
        call = Call.from_json(finding["call"], api)
        end, tries, most = math.inf if seconds is None else monotonic() + seconds, 0, TRIES_COMPILED if rule.batched else TRIES
        again = _found(work, rule, call, finding)
        best = again or finding
        improved, checked = again is not None, is_valid_call(call)
        while improved and monotonic() < end and tries < most:
            improved = False
            for candidate in candidates(call):
                if checked and not is_valid_call(candidate):
                    continue
                tries += 1
                say(f"{call.api.name} {call.number} {rule.name}")
                if (smaller := _found(work, rule, candidate, finding)) is not None:
                    call, best, improved = candidate, smaller, True
                    break
                if monotonic() > end or tries >= most:
                    break
    return {**best, "scripts": scripts(best, work.dialect)}


def _found(work: Work, rule: Rule, call: Call, finding: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same finding of another call."""
    result = Result("")
    for pair in _pairs(work, rule, call, finding):
        with work.dialect.quiet(rule.gradients):
            left, right = work.runner.both(pair, call.inputs)
            work._judged(finding["api"], rule, replace(pair, traced=None), call, left, right, result.count("", ""), result)
        for found in result.findings:
            if (found["kind"], core(found["symptom"])) == (finding["kind"], core(finding["symptom"])) and found["about"] == finding["about"]:
                return {**found, "pair": pair_json(pair)}
    return None


def _pairs(work: Work, rule: Rule, call: Call, finding: Mapping[str, Any]) -> Iterator[Pair]:
    if rule.pairs is not None and call.api.rows:
        try:
            yield from (p for p in rule.pairs(call, work.dialect) if p.about == finding["about"])
        except Exception:  # the rule cannot read so small a call
            return
    else:
        kept = finding["pair"]
        own = {name: Array.from_json(x) for name, x in kept["inputs"].items()}
        yield Pair(kept["left"], kept["right"], kept["setup"], kept["about"], kept["compare"], kept["loose"], None, own, kept["reference"], kept["again"])


# --- smaller calls ---


def candidates(call: Call) -> Iterator[Call]:
    """Calls that are simpler in one way, the greatest steps first."""
    if call.api.rows:
        for name in call.kwargs:
            yield _used(call.but(kwargs={k: v for k, v in call.kwargs.items() if k != name}))
        for name in call.init or ():
            yield _used(call.but(init={k: v for k, v in (call.init or {}).items() if k != name}))
        if len(call.args) > 1:
            yield _used(call.but(args=call.args[:-1]))
        yield from _smaller_sizes(call)
    yield from _simpler_numbers(call)
    if call.api.rows:
        yield from _simpler_attributes(call)


def _used(call: Call) -> Call:
    """Without the inputs that are no longer given."""
    names = {i.name for i in _inputs((call.args, dict(call.kwargs), dict(call.init or {})))}
    return call.but(inputs={name: x for name, x in call.inputs.items() if name in names})


def _inputs(value: object) -> Iterator[Input]:
    if isinstance(value, Input):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _inputs(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _inputs(item)
    elif isinstance(value, (Call, Made)):
        yield from _inputs((value.args, dict(value.kwargs)))


def _smaller_sizes(call: Call) -> Iterator[Call]:
    """Every axis of one size made smaller, in all inputs and in the numbers that name it; then axes of single inputs."""
    for size in sorted({n for x in call.inputs.values() for n in x.shape if n > 1}, reverse=True):
        for less in sorted({1, 2, size // 2} - {size, 0}):
            cut = {name: _cut(x, size, less) for name, x in call.inputs.items()}
            yield call.but(inputs=cut)
            renamed = {"args": _renamed(call.args, size, less), "kwargs": _renamed(dict(call.kwargs), size, less)}
            yield call.but(inputs=cut, **renamed, init=None if call.init is None else _renamed(dict(call.init), size, less))
    for name, x in call.inputs.items():
        for axis, size in enumerate(x.shape):
            if size > 1:
                part = x.data.take(range(size // 2), axis)
                yield call.but(inputs={**call.inputs, name: x.but(part)})


def _cut(x: Array, size: int, less: int) -> Array:
    return x.but(x.data[tuple(slice(less if n == size else n) for n in x.shape)])


def _renamed(value: Any, size: int, less: int) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_renamed(v, size, less) for v in value)
    if isinstance(value, dict):
        return {k: _renamed(v, size, less) for k, v in value.items()}
    return less if type(value) is int and value == size else value


def _simpler_numbers(call: Call) -> Iterator[Call]:
    """Zeros or ones in place of an input, or of one half of it; whole numbers in place of fractions."""
    import numpy as np

    for name, x in call.inputs.items():
        with np.errstate(all="ignore"):
            choices: list[Numbers] = [np.zeros_like(x.data), np.ones_like(x.data)]
            if x.data.dtype.kind in "fc":
                choices.append(np.trunc(x.data) if x.data.dtype.kind == "f" else np.trunc(x.data.real) + 1j * np.trunc(x.data.imag))
            middle = x.data.size // 2
            for part in (slice(middle), slice(middle, None)) if x.data.size > 1 else ():
                changed = x.data.copy()
                changed.reshape(-1)[part] = 1
                choices.append(changed)
        for made in choices:
            if _simplicity(made) < _simplicity(x.data):
                yield call.but(inputs={**call.inputs, name: x.but(made)})


def _simplicity(data: Numbers) -> tuple[int, int, float]:
    """Smaller is simpler: few different numbers, whole ones, small ones."""
    import numpy as np

    if data.dtype.kind not in "biufc":
        return 0, 0, 0.0
    finite = data[np.isfinite(data)] if data.dtype.kind in "fc" else data
    odd = data.size - finite.size
    fractions = int((finite != np.trunc(finite.real)).sum()) if finite.dtype.kind in "fc" else 0
    return len({repr(v) for v in data.ravel().tolist()}), fractions + odd, float(abs(finite.astype("complex128")).sum())


def _simpler_attributes(call: Call) -> Iterator[Call]:
    for at, value in enumerate(call.args):
        for less in _simpler(value):
            yield call.but(args=(*call.args[:at], less, *call.args[at + 1 :]))
    for where in ("kwargs", "init"):
        given: Mapping[str, Any] = getattr(call, where) or {}
        for name, value in given.items():
            for less in _simpler(value):
                yield call.but(**{where: {**given, name: less}})


def _simpler(value: object) -> Iterator[object]:
    if type(value) is int and value not in (0, 1):
        yield from (n for n in (0, 1, 2) if n < abs(value))
    elif type(value) is float and value not in (0.0, 1.0):
        yield 1.0
    elif isinstance(value, (tuple, list)) and value and all(type(v) is int for v in value):
        for at, item in enumerate(value):
            for less in _simpler(item):
                yield type(value)([*value[:at], less, *value[at + 1 :]])
