"""Calls: of the program's functions and classes, of spellings and layers, of library models, of Python's own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.bindings import partial_calls
from tensorproof.bindings.call import Outcome, spelled
from tensorproof.bindings.call import call as call_bound
from tensorproof.frontends.python.attributes import lookup
from tensorproof.frontends.python.branching import on_import
from tensorproof.frontends.python.calls import (
    batch_generators,
    callbacks,
    classes,
    decorating,
    failures,
    generator_methods,
    layer_calls,
    natives,
    no_data,
    recovery,
    refusals,
    unseen_bases,
    unseen_calls,
)  # fmt: skip
from tensorproof.frontends.python.calls.arguments import bind_arguments
from tensorproof.frontends.python.calls.chosen_arguments import distributed_call
from tensorproof.frontends.python.calls.outcomes import taken
from tensorproof.frontends.python.containers import containers, tuple_methods
from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import RETURN, Frame, Signal
from tensorproof.frontends.python.modules.package_budget import place_of
from tensorproof.frontends.python.scope import Scope, function_scope
from tensorproof.frontends.python.summaries.joined_lists import joined
from tensorproof.frontends.python.tensors import numpy_scalars, tensors  # fmt: skip
from tensorproof.frontends.python.tensors.memory import writing
from tensorproof.libraries import layers, library_objects, outside, registry, signatures
from tensorproof.libraries.torch import modes as torch_modes
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Class, Code, Function, Generator, Instance, Iterator, Model, Native
from tensorproof.values.python_values import AFTER_ERROR, Layer, Method, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Kwargs, Value

_OF_PLAIN_VALUES = {"math", "os", "re", "pathlib", "json", "bisect", "argparse"}
"""Libraries whose functions look at numbers and texts: with one of two values they are called with each."""
DEEPEST = BUDGETS.exploration.depth_under_unknown
MOST_FRAMES = BUDGETS.exploration.depth_of_calls

_COUNTING = {"torch.arange", "numpy.arange"}
"""Operators that take any number, and make as many elements of a whole one."""


def call(m: Interpreter, callee: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if m.modules.left and unseen_calls.is_left(m, node):
        callee = unseen_calls.LEFT
    if isinstance(callee, Function):
        return call_function(m, callee, args, kwargs, node)
    if isinstance(callee, Unknown) and callee.key == callee.reason and callee.key:  # a name of a package that is not seen
        callee = Named(callee.reason)
    if isinstance(callee, Bound):
        return call(m, callee.function, (callee.self, *args), kwargs, node)
    m.path.calls += 1
    m.step()
    if m.failures and recovery.follows((callee, *args, *kwargs.values())):
        return recovery.dependent(m, lambda: _call_library(m, callee, args, kwargs, node))
    return _call_library(m, callee, args, kwargs, node)


def _call_library(m: Interpreter, callee: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if isinstance(callee, Named):
        args = m.memory.all_current(args)
        m.direct = callee.name
        run: Callable[[], Value] = lambda: _guarded(m, callee.name, node, lambda: refusals.constructed_with(m, callee.name, args, kwargs, node, call_named))
        return callbacks.watched(m, callee.name, node, run, (*args, *kwargs.values())) if callbacks.given(args, kwargs) else run()
    if isinstance(callee, Method):
        m.direct = callee.name
        run = lambda: _guarded(m, callee.name, node, lambda: call_method(m, callee.owner, callee.name, args, kwargs, node))
        outside = type(callee.owner) in (TensorType, Layer) and callbacks.given(args, kwargs)
        return callbacks.watched(m, callee.name, node, run, (*args, *kwargs.values())) if outside else run()
    if isinstance(callee, Layer):
        m.direct = callee.module.name if callee.module is not None else ""
        name = callee.module.name if callee.module is not None else callee.kind
        return _guarded(m, name, node, lambda: layer_calls.call_layer(m, callee, args, kwargs, node))
    if isinstance(callee, Class):
        return classes.construct(m, callee, args, kwargs, node)
    if isinstance(callee, Native):
        args = m.memory.all_current(args)
        return _guarded(m, callee.name, node, lambda: callee.run(m, args, kwargs, node))
    if isinstance(callee, Instance):
        return classes.call_instance(m, callee, args, kwargs, node)
    if isinstance(callee, Model):
        args = m.memory.all_current(args)
        run = lambda: _guarded(m, callee.kind, node, lambda: library_objects.call_model(m, callee, args, kwargs, node))
        quiet = callee.kind == "quiet" and callbacks.given(args, kwargs)
        return callbacks.watched(m, callbacks.written(node), node, run, (*args, *kwargs.values())) if quiet else run()
    if isinstance(callee, Unknown):
        return unseen_calls.called(m, callee, args, kwargs, node)
    if isinstance(callee, Choice):
        return m.branching.choose(callee.condition, lambda: call(m, callee.then, args, kwargs, node), lambda: call(m, callee.other, args, kwargs, node))
    if isinstance(callee, DType):
        return numpy_scalars.made(m, callee, args, node)
    return _guarded(m, getattr(callee, "__name__", type(callee).__name__), node, lambda: natives.call(m, callee, args, kwargs, node))


def _guarded(m: Interpreter, name: str, node: ast.AST, run: Callable[[], Value]) -> Value:
    """Run a model. A bug of its own is a gap, shown as such, and leaves no branch open."""
    before, inside = (len(m.heap.marks), len(m.facts), len(m.frames), m.handlers), m.in_library
    m.in_library = inside + 1
    try:
        return run()
    except (*failures.SIGNALS, RecursionError):
        raise
    except Exception as bug:
        failures.restore(m, before)
        return m.gap(name, node, failures.reason(bug))
    finally:
        m.in_library = inside


def call_function(m: Interpreter, function: Function, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if function.around:
        return torch_modes.decorated(m, function, lambda inner: call_function(m, inner, args, kwargs, node))
    if on_import.of_module(m) and not function.code.is_generator:
        return on_import.followed(m, lambda: _call_function(m, function, args, kwargs, node), function.name)
    return _call_function(m, function, args, kwargs, node)


def _call_function(m: Interpreter, function: Function, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    code = function.code
    if code.body is None:
        compile_body(code)
    assert code.body is not None
    m.step()
    frame = Frame(m, m.heap.space(), function.scopes, function.module.space, function.module, function, function.owner, asked=m.asked, library=m.in_library)
    bind_arguments(m, function, frame.space, args, kwargs, node)
    if m.directives.data:
        from tensorproof.libraries.data import given as given_data

        dataset = given_data.of_call(m, function.name, function, node)
        if dataset is not None:
            return dataset
    if code.is_generator:
        m.entered += 1
        return batch_generators.of(m, code, frame, node) or Generator(frame, code.body(frame), m.heap.clock)
    if len(m.frames) >= DEEPEST and (m.heap.marks or len(m.frames) >= recursion_limit(m)):
        return _too_deep(m, function, node)
    if code in m.left and any(f.function is not None and f.function.code is code for f in m.frames):  # or one that calls itself twice takes forever
        return m.gap(function.name, node, "calls nest too deeply")
    if m.frames:
        m.frames[-1].at = node
    m.entered += 1
    m.frames.append(frame)
    try:
        signal = code.body(frame)
        if frame.waiting:
            signal = m.branching.settle(frame, 0, signal, (RETURN,))
        result = frame.result if signal is RETURN else None
        return Model("coroutine", m.heap.space({"result": result})) if isinstance(code.node, ast.AsyncFunctionDef) else result
    except (Raised, Dead) as ended:
        if not isinstance(ended, Raised) or not _goes_on(m, frame, ended):
            m.branching.abandon(frame)
            raise
        m.branching.settle(frame, 0, RETURN, (RETURN,))
        return frame.result
    except Fork as fork:
        if function.module.foreign:
            fork.package = fork.package or function.module.name.partition(".")[0]
            caller = m.frames[-2] if len(m.frames) > 1 else None
            if caller is not None and caller.module is not None and not caller.module.foreign:
                fork.place = place_of(caller, caller.at)
        raise
    finally:
        m.frames.pop()


def _goes_on(m: Interpreter, frame: Frame, raised: Raised) -> bool:
    """An error in an iteration that stands for many, while other paths have left the function: it is recorded, and the path continues, so that they join."""
    if not frame.waiting or not m.in_symbolic_iteration or not recovery.goes_on(m, raised):
        return False
    recovery.record(m, raised)
    m.path.lost = True
    frame.result = AFTER_ERROR
    return True


def recursion_limit(m: Interpreter) -> int:
    """What `sys.setrecursionlimit` said, within what can be followed."""
    limit = m.model_state["interpreter"].get("recursion limit", MOST_FRAMES)
    return min(limit, MOST_FRAMES) if isinstance(limit, int) else MOST_FRAMES


def _too_deep(m: Interpreter, function: Function, node: ast.AST) -> Value:
    limit = m.model_state["interpreter"].get("recursion limit", MOST_FRAMES)
    if m.heap.marks or limit != recursion_limit(m):  # whether it comes to this is not known
        m.left.add(function.code)
        return m.gap(function.name, node, "calls nest too deeply")
    raise m.raised("RecursionError", f"{function.name} is called while {len(m.frames)} calls are open: Python stops at {limit}", node)


def compile_body(code: Code) -> None:
    """Compile a function at its first call."""
    assert isinstance(code.outer, Scope)
    scope, is_generator = function_scope(code.node, code.outer)
    if isinstance(code.node, ast.Lambda):
        value = scope.expression(code.node.body)

        def run(frame: Frame) -> Signal:
            frame.result = value(frame)
            return RETURN

        code.body = run
    elif is_generator:
        code.is_generator = True
        code.body = scope.compiler.generator_block(code.node.body, scope)
    else:
        code.body = scope.block(code.node.body)


# --- libraries ---


def call_named(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if m.directives.data:
        from tensorproof.libraries.data import given as given_data

        dataset = given_data.of_call(m, name, None, node)
        if dataset is not None:
            return dataset
    if "tf.traced" in m.model_state and name.startswith(("numpy.", "math.")):
        _refuse_symbolic(m, name, args, kwargs, node)
    model = registry.function(name)
    if model is not None or not spelled(name):  # an operator's row of spellings names its arguments
        signatures.check(m, name, args, kwargs, node)
    if model is not None and m.directives.data:
        return given_data.with_length(m, name, model(m, args, kwargs, node))
    if model is not None:
        if name.partition(".")[0] in _OF_PLAIN_VALUES:
            distributed = distributed_call(m, args, kwargs, lambda a, k: call_named(m, name, a, k, node))
            if distributed is not MISSING:
                return distributed
        return model(m, args, kwargs, node)
    if name.startswith("torch.ops.aten."):
        name = name.removeprefix("torch.ops.")
    if spelled(name):
        return call_spelling(m, name, args, kwargs, node)
    found = m.modules.source_of(m, name)
    if found is not None:
        return call(m, found, args, kwargs, node)
    inherited = lookup.of_base(m, name, args)
    if inherited is not MISSING:
        return call(m, lookup.bind(m, inherited, args[0], node), args[1:], kwargs, node)
    if name.endswith(".forward") and args and isinstance(args[0], Layer) and args[0].module is not None:
        return layer_calls.own_forward(m, args[0], args[1:], kwargs, node)
    _may_write(m, args)
    unseen_calls.note(m, name, args, kwargs, node)
    lost = outside.given(m, m.gap(name, node, "no model"), name, (*args, *kwargs.values()), node)
    return decorating.built(m, name, args, kwargs, node, lost)


def _refuse_symbolic(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    from tensorproof.libraries.tensorflow import traced

    if name.startswith("numpy."):
        traced.refuse_arrays(m, name, args, kwargs, node)
    else:
        for value in args:
            traced.refuse_truth(m, value, node, name)


def _may_write(m: Interpreter, args: Args) -> None:
    """What is not understood may write into the tensors that it gets."""
    for value in args:
        if isinstance(value, TensorType) and value.contents is not None:
            m.memory.write(value)


def call_spelling(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call an operator as a framework spells it, and record what it demands."""
    if name.startswith("keras.KerasTensor."):
        name, args = layers.keras_operator(name, args)
    if not spelled(name):
        _may_write(m, args)
        return m.gap(name, node, "no spelling")
    if "keras" in m.model_state and not name.startswith("keras."):
        layers.refuse_symbolic(m, name, args, kwargs, node)
    joined_calls = joined(m, name, args, kwargs, node)
    if joined_calls is not MISSING:
        return joined_calls
    distributed = distributed_call(m, args, kwargs, lambda a, k: call_spelling(m, name, a, k, node))
    if distributed is not MISSING:
        return distributed
    args = m.memory.all_current(args)
    made = _called(m, name, args, kwargs, node)
    overwrites = (isinstance(made, Unknown) and writing(name)) or kwargs.get("overwrite_input", False) is not False
    if overwrites and args and isinstance(args[0], TensorType):
        m.memory.write(args[0])
    return made


def _called(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if name.startswith("torch."):
        no_data.refuse(m, name, args, node)
    plain_args, plain_kwargs = tensors.plain(m, args, node), {k: tensors.plain(m, v, node) for k, v in kwargs.items()}
    if name in _COUNTING:
        plain_args, plain_kwargs = tensors.sized(m, plain_args), {k: tensors.sized(m, v) for k, v in plain_kwargs.items()}
    if tensors.has_unknown(plain_args) or (plain_kwargs and tensors.has_unknown(tuple(plain_kwargs.values()))):
        return _with_numbers(m, name, plain_args, plain_kwargs, args, kwargs, node)
    m.session.site = f"@{getattr(node, 'lineno', 0)}"
    if "tape" in m.model_state:
        from tensorproof.libraries.tensorflow import tape_ranks

        if tape_ranks.is_open(plain_args) or tape_ranks.is_open(plain_kwargs):
            return taken(m, name, tape_ranks.outcome(m, name, plain_args, plain_kwargs, node), args, kwargs, node, None)
    outcome = call_bound(name, plain_args, plain_kwargs, m.session)
    if outcome.refused is not None and outcome.refused.code == "call/arguments":
        outcome = _with_sizes(m, name, plain_args, plain_kwargs) or outcome
    return taken(m, name, outcome, args, kwargs, node, None, lambda: call_bound(name, plain_args, plain_kwargs, m.session))


def _with_numbers(m: Interpreter, name: str, given: Args, named: Kwargs, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An operator that gets an unknown number: it acts as a tensor without axes. A refusal must hold for some known numbers too."""
    m.session.site = f"@{getattr(node, 'lineno', 0)}"
    given, named = tensors.sized(m, given, False), {k: tensors.sized(m, v, False) for k, v in named.items()}
    tried = [(tensors.numbered(given, make), {k: tensors.numbered(v, make) for k, v in named.items()}) for make in tensors.STAND_INS]
    if tensors.has_unknown(tried[0][0]) or tensors.has_unknown(tuple(tried[0][1].values())):
        return _partly_known(m, name, given, named, args, kwargs, node)
    outcome = call_bound(name, *tried[0], m.session)
    if outcome.refused is None and name.startswith("torch."):  # a number is no tensor there, unless an argument takes both
        other = call_bound(name, *tried[1], m.session)
        outcome = other if other.refused is not None and other.refused.code == "call/arguments" else outcome
    elif outcome.refused is not None or outcome.unknown is not None:
        others = [call_bound(name, *one, m.session) for one in tried[1:]]
        if any(other.refused is None or outcome.refused is None or other.refused.code != outcome.refused.code for other in others):
            found = _with_reals(given, named, others) or _with_sizes(m, name, given, named)
            if found is None:
                return _not_followed(m, name, args, kwargs, node)
            outcome = found
    return taken(m, name, outcome, args, kwargs, node, None)


def _partly_known(m: Interpreter, name: str, given: Args, named: Kwargs, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An operator with arguments that are not known: what it gives whatever they are. That it works is not proved."""
    outcome = partial_calls.call_partly(name, given, named, m.session)
    if outcome is None or outcome.unknown is not None:
        return _not_followed(m, name, args, kwargs, node)
    if outcome.refused is None:
        unseen_bases.count_values(m, (*args, *kwargs.values()), node)
        m.gap(name, node, "an argument is not known")
    return taken(m, name, outcome, args, kwargs, node, None)


def _not_followed(m: Interpreter, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Unknown:
    """An operator with an argument that is not known: the names of its arguments are known all the same."""
    signatures.check(m, name, args, kwargs, node)
    return m.gap(name, node, "an argument is not known")


def _with_sizes(m: Interpreter, name: str, given: Value, named: Kwargs) -> Outcome | None:
    """An operator with a size for each unknown whole number; None when that helps nothing."""
    args, kwargs = tensors.sized(m, given), {k: tensors.sized(m, v) for k, v in named.items()}
    if tensors.has_unknown(args) or tensors.has_unknown(tuple(kwargs.values())):
        return None
    outcome = call_bound(name, args, kwargs, m.session)
    return outcome if outcome.refused is None and outcome.unknown is None else None


def _with_reals(given: Value, named: Kwargs, tried: list[Outcome]) -> Outcome | None:
    """What an operator makes of unknown real numbers, where no tensor may stand for them: the same of every number that it takes."""
    if tensors.whole_unknown((given, *named.values())):
        return None
    accepted = [one for one in tried if one.refused is None and one.unknown is None]
    made = [tensors.without_values(one.outputs) for one in accepted]
    if not made or any(one != made[0] for one in made):
        return None
    accepted[0].outputs, accepted[0].guessed = made[0], True
    return accepted[0]


def call_method(m: Interpreter, owner: Value, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A method that was looked up on a value that is not the program's own object."""
    match owner:
        case TensorType():
            return tensors.method(m, owner, name, args, kwargs, node)
        case Layer():
            return layers.layer_method(m, owner, name, args, kwargs, node)
        case Generator() | Iterator():
            return generator_methods.method(m, owner, name, args, node)
        case tuple():
            return tuple_methods.method(m, owner, name, args, node)
        case _:
            return containers.method(m, owner, name, args, kwargs, node)
