"""Calls: of spellings, of layers, of tensor methods, of Python's own functions."""

from __future__ import annotations

import ast
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome, call_module, spelled
from tensorproof.bindings.call import call as call_bound
from tensorproof.bindings.modules import Module
from tensorproof.diagnostics.diagnostic import Step
from tensorproof.frontends.python.operators import plain, tensor_class
from tensorproof.libraries.no_effect import returns_nothing, returns_word
from tensorproof.terms.tensor import TensorType
from tensorproof.values.path import Stated
from tensorproof.values.python_values import Layer, Method, Named, Unknown, is_known

if TYPE_CHECKING:
    from tensorproof.frontends.python.interpreter import Interpreter


def call(run: Interpreter, node: ast.Call) -> Any:
    from tensorproof.frontends.python.expressions import sequence

    callee = run.evaluate(node.func)
    args = tuple(sequence(run, node.args))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = run.evaluate(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, dict):
            kwargs.update(value)
        else:
            return run.gap("** of an unknown value", node)
    return apply(run, callee, args, kwargs, node)


def apply(run: Interpreter, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> Any:
    run.path.calls += 1
    match callee:
        case Unknown():
            return run.gap(ast.unparse(node.func)[:80], node)
        case Named(name=name):
            return _library(run, name, args, kwargs, node)
        case Method(owner=TensorType() as owner, name=name):
            return call_spelling(run, f"{tensor_class(owner)}.{name}", (owner, *args), kwargs, node)
        case Method(owner=Layer() as owner, name=name):
            return _layer_method(run, owner, name, args, kwargs, node)
        case Layer():
            return _layer(run, callee, args, kwargs, node)
        case _:
            return _native(run, callee, args, kwargs, node)


def _library(run: Interpreter, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> Any:
    if name.startswith("torch.ops.aten."):
        name = name.removeprefix("torch.ops.")
    if returns_nothing(name):
        return None
    if returns_word(name) and args and isinstance(args[0], str):
        return args[0]
    if name == "torch.Size" and args:
        return plain(run, tuple, (args[0],), node)
    if name in ("torch.nn.Sequential", "torch.nn.ModuleList"):
        children = args[0] if name.endswith("List") and args and isinstance(args[0], (list, tuple)) else args
        if all(isinstance(c, Layer) for c in children):
            return Layer(None, run.span(node), tuple(children))
    return call_spelling(run, name, args, kwargs, node)


def call_spelling(run: Interpreter, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Call an operator as a framework spells it, and record what it demands."""
    if not spelled(name):
        return run.gap(name, node, "no spelling")
    if not (is_known(args) and is_known(kwargs)):
        return run.gap(name, node, "an argument is not known")
    run.session.site = f"@{getattr(node, 'lineno', 0)}"
    outcome = call_bound(name, args, kwargs, run.session)
    return _taken(run, name, outcome, node, None)


def _taken(run: Interpreter, name: str, outcome: Outcome, node: ast.AST, layer: Layer | None) -> Any:
    """Record an outcome: requirements with their place, a refusal as a finding, "cannot tell" as a gap."""
    for requirement in outcome.requirements:
        run.path.stated.append(Stated(requirement, run.span(node), _trail(run, requirement.about, outcome, node, layer)))
    if outcome.refused is not None:
        refused = outcome.refused
        raise run.fail(refused.code, refused.message, node, _trail(run, refused.about, outcome, node, layer))
    if outcome.unknown is not None:
        return run.gap(name, node, outcome.unknown)
    result = outcome.outputs
    return Layer(result, run.span(node)) if isinstance(result, Module) else result


def _trail(run: Interpreter, about: tuple[str, ...], outcome: Outcome, node: ast.AST, layer: Layer | None) -> tuple[Step, ...]:
    """Where the blamed arguments come from: the assignment of a name, or the construction of the layer that holds them."""
    steps: list[Step] = []
    wanted = [outcome.bound.get(name) for name in about]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in run.bound_at:
            value = run.names.get(inner.id)
            if isinstance(value, TensorType) and any(value is w or (isinstance(w, tuple) and any(value is v for v in w)) for w in wanted):
                steps.append(Step(run.bound_at[inner.id], f"{inner.id} is {value!r} from here"))
    if layer is not None and layer.module is not None:
        held = [n for n in about if n in layer.module.state()]
        shown = ", ".join(f"{n} {layer.module.state()[n].shape!r}" for n in held)
        steps.append(Step(layer.span, f"the layer is made here{': ' + shown if shown else ''}"))
    return tuple(dict.fromkeys(steps))


def _layer(run: Interpreter, layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if layer.module is None:
        value: Any = args[0] if args else Unknown("nothing")
        for child in layer.children:
            value = _layer(run, child, (value,), {}, node)
        return value
    if not (is_known(args) and is_known(kwargs)):
        return run.gap(layer.module.name, node, "an argument is not known")
    run.session.site = f"@{getattr(node, 'lineno', 0)}"
    outcome = call_module(layer.module, args, kwargs, run.session)
    return _taken(run, layer.module.name, outcome, node, layer)


def _layer_method(run: Interpreter, owner: Layer, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> Any:
    if name in ("eval", "train", "requires_grad_", "cpu", "cuda") or (name == "to" and all(isinstance(a, str) for a in args) and not kwargs):
        for layer in (owner, *owner.children):
            if name in ("eval", "train") and layer.module is not None:
                layer.module.training = name == "train"
                layer.module.arguments["training"] = layer.module.training
        return owner
    if name in ("forward", "__call__"):
        return _layer(run, owner, args, kwargs, node)
    if name == "state_dict" and owner.module is not None:
        return dict(owner.module.state())
    return run.gap(f"layer.{name}", node)


def _native(run: Interpreter, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> Any:
    """Python's own functions on plain values; with an abstract value in them only those that do not look inside."""
    name = getattr(callee, "__name__", type(callee).__name__)
    if callee is print:
        return None
    if callee is len and args and isinstance(args[0], TensorType):
        if args[0].shape.known and len(args[0].shape):
            return args[0].shape[0]
        raise run.fail("python/type", "len of a tensor without axes", node)
    if callee in (float, int, bool) and len(args) == 1 and isinstance(args[0], TensorType):
        value = args[0]
        if value.contents is not None and len(value.contents) == 1:
            return plain(run, callee, (value.contents[0],), node)
        return run.gap(f"{name}(tensor)", node)
    if callee in (tuple, list, len, zip, enumerate, reversed, dict, slice, range):
        if any(isinstance(a, (TensorType, Unknown, Named, Layer)) for a in args) and callee is not dict and callee is not slice:
            return run.gap(name, node)
        made = plain(run, callee, args, node, kwargs)
        return made if callee in (tuple, list, len, dict, slice, range) else list(made)
    if isinstance(callee, BuiltinFunctionType) and isinstance(callee.__self__, (list, dict, set)) and not isinstance(callee.__self__, ModuleType):
        return plain(run, callee, args, node, kwargs)
    if not _all_plain(args) or not _all_plain(tuple(kwargs.values())):
        return run.gap(name, node)
    if not callable(callee):
        raise run.fail("python/type", f"a {type(callee).__name__} is not callable", node)
    return plain(run, callee, args, node, kwargs)


def _all_plain(values: Any) -> bool:
    if isinstance(values, (tuple, list, set)):
        return all(_all_plain(v) for v in values)
    if isinstance(values, dict):
        return all(_all_plain(v) for v in values.values())
    return not isinstance(values, (TensorType, Unknown, Named, Layer, Method))
