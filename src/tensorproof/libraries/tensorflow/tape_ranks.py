"""Tensors of a graph whose rank is not known when it is built.

A call is tried with each rank. What it gives is what those ranks have in common that it takes; where it takes none, it is an error. Uses that exclude each
other's ranks are found at the end of the run, for leaves that no run has fed: the error stands at the last of them and names the others.
"""

from __future__ import annotations

import ast
from itertools import product
from typing import Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.call import call as call_bound
from tensorproof.diagnostics.diagnostic import Step
from tensorproof.libraries.tensorflow import tape
from tensorproof.ops.record import Requirement
from tensorproof.terms import Origin, Outputs, Segment, Shape, TensorType, symbol, unknown_shape
from tensorproof.values.path import Stated
from tensorproof.values.port import Args, Kwargs, Machine, Value

HIGHEST = 6
"""The highest rank that is tried."""


def is_open(value: Value) -> bool:
    """Whether a tensor of unknown rank is among the arguments."""
    if isinstance(value, TensorType):
        return value.framework == "tf" and not value.shape.known
    if isinstance(value, (tuple, list)):
        for one in value:  # noqa: SIM110 (asked of each call of a graph)
            if is_open(one):
                return True
        return False
    return isinstance(value, dict) and any(is_open(v) for v in value.values())


def with_rank(tensor: TensorType, rank: int) -> TensorType:
    """The tensor with a rank; its sizes are symbols that every use of it shares."""
    shape: list[Value] = []
    open_axes = [a for a in tensor.shape if type(a) is Segment]
    for axis in tensor.shape:
        if type(axis) is Segment and axis is open_axes[0]:
            missing = rank - (len(tensor.shape) - 1)
            shape += [symbol(f"{axis.name}[{i} of {rank}]", 1, None, Origin.USER) for i in range(max(missing, 0))]
        elif type(axis) is not Segment:
            shape.append(axis)
    return tensor.but(shape=Shape(shape), taped=0, contents=None)


def _put(value: Any, chosen: dict[int, TensorType]) -> Any:
    if isinstance(value, TensorType):
        return chosen.get(id(value), value)
    if isinstance(value, Outputs):
        return value.like(_put(v, chosen) for v in value)
    if type(value) in (tuple, list):
        return type(value)(_put(v, chosen) for v in value)
    if type(value) is dict:
        return {k: _put(v, chosen) for k, v in value.items()}
    return value


def outcome(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Outcome:
    """What a call does whose arguments hold tensors of unknown rank."""
    opened = list({id(t): t for t in tape.tensors_in((args, kwargs)) if not t.shape.known}.values())
    choices = product(range(HIGHEST + 1), repeat=len(opened)) if len(opened) <= 2 else [(r,) * len(opened) for r in range(HIGHEST + 1)]
    results: list[Value] = []
    refusals: list[Outcome] = []
    unknown: Outcome | None = None
    kept = m.session.made
    for ranks in choices:
        chosen = {id(t): with_rank(t, r) for t, r in zip(opened, ranks)}
        given, named = _put(args, chosen), _put(kwargs, chosen)
        if not _as_old(m, name, given, named):
            refusals.append(Outcome(refused=Requirement("matmul/rank", False, "TensorFlow 1 multiplies only tensors of one rank", ("x", "y"))))
            continue
        found = call_bound(name, given, named, m.session)
        if found.refused is not None:
            refusals.append(found)
        elif found.unknown is not None:
            unknown = found
        else:
            results.append(found.outputs)
    m.session.made = kept
    m.session.requirements.clear()
    if results:
        return Outcome(_common(m, results, node))
    if unknown is not None:
        return unknown
    if refusals:
        first = refusals[-1].refused
        assert first is not None
        wanted = Requirement(first.code, False, f"no rank of the input will do; for example: {first.message}", first.about)
        return Outcome(refused=wanted, bound=refusals[-1].bound)
    return Outcome(unknown="its arguments have an unknown rank")


def _as_old(m: Machine, name: str, args: Args, kwargs: Kwargs) -> bool:
    """TensorFlow 1 multiplies only matrices of one rank; later releases broadcast the leading axes."""
    if name != "tf.matmul":
        return True
    both = [t for t in tape.tensors_in((args, kwargs)) if t.shape.known][:2]
    return len(both) < 2 or len(both[0].shape) == len(both[1].shape)


def _common(m: Machine, results: list[Any], node: ast.AST) -> Value:
    """What several possible results have in common."""
    first = results[0]
    if isinstance(first, TensorType):
        if not all(isinstance(r, TensorType) for r in results):
            return unknown_result(m, first, node)
        shapes = {r.shape for r in results}
        dtype = first.dtype if all(r.dtype is first.dtype for r in results) else None
        if len(shapes) == 1:
            return first.but(dtype=dtype)
        if all(r.shape.known for r in results) and len({len(r.shape) for r in results}) == 1:
            axes = [s[0] if len(set(s)) == 1 else tape.open_axis(m, m.name_here(f"axis {i}", node)) for i, s in enumerate(zip(*[r.shape for r in results]))]
            return first.but(shape=Shape(axes), dtype=dtype, contents=None)
        return unknown_result(m, first.but(dtype=dtype), node)
    if isinstance(first, (tuple, list)) and all(isinstance(r, type(first)) and len(r) == len(first) for r in results):
        made = [_common(m, [r[i] for r in results], node) for i in range(len(first))]
        return first.like(made) if isinstance(first, Outputs) else type(first)(made)
    return first


def unknown_result(m: Machine, like: TensorType, node: ast.AST) -> TensorType:
    return like.but(shape=unknown_shape(m.name_here("shape", node)), contents=None)


def finish(m: Machine) -> None:
    """The run is over: uses of a leaf of unknown rank that no rank satisfies together."""
    held = tape.tape_of(m)
    for leaf in held.leaves:
        if leaf.shape.known or id(leaf) in held.ranked:
            continue
        users = [n for n in held.nodes if any(t is leaf for t in tape.needed(m, (n.args, tuple(n.kwargs.values()))))]
        if len(users) < 2:
            continue
        failures: list[tuple[int, Value]] = []
        for rank in range(HIGHEST + 1):
            failed = _first_failure(m, users, leaf, rank)
            if failed is None:
                break
            failures.append(failed)
        else:
            _report(m, failures)


def _first_failure(m: Machine, users: list[Any], leaf: TensorType, rank: int) -> tuple[int, Value] | None:
    """The first step that refuses this rank."""
    path = m.path
    kept, errors, recorded = (len(path.stated), len(path.gaps), len(path.findings)), m.errors, path.recorded
    found: tuple[int, Value] | None = None
    for user in users:
        chosen = {id(leaf): with_rank(leaf, rank)}
        try:
            if user.name == "tf.matmul" and not _as_old(m, user.name, tape.replay(m, (user.args, tuple(user.kwargs.values())), chosen, user.node, ""), {}):
                raise m.raised("ValueError", "TensorFlow 1 multiplies only tensors of one rank", user.node, "matmul/rank")
            tape.replay(m, user.result, chosen, user.node, "")
        except Exception as raised:
            if not hasattr(raised, "trail"):
                raise
            found = (user.number, (user, raised, rank))
            break
    del path.stated[kept[0] :], path.gaps[kept[1] :], path.findings[kept[2] :]
    path.unrecord(recorded)
    m.errors = errors
    return found


def _report(m: Machine, failures: list[tuple[int, Any]]) -> None:
    number = max(n for n, _ in failures)
    last, raised, _rank = next(f for n, f in failures if n == number)
    others: dict[int, Any] = {n: f for n, f in failures if n != number}
    fits = sorted(f[2] for n, f in failures if n == number)
    shown = " or ".join(map(str, fits))
    message = f"no rank fits all uses of this tensor: the earlier ones need rank {shown}, and then {raised.message}"
    trail = tuple(Step(f[0].span, f"this use refuses the other ranks, for example {f[2]}: {f[1].message}") for _, f in sorted(others.items()))
    failed = Requirement("rank/uses", False, message)
    m.path.stated.append(Stated(failed, last.span, trail, tuple(m.facts), exception="ValueError"))
