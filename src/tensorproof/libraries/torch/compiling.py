"""What a program says to torch's compilers, tracers and exporters: decorators that keep their function, questions that are false when Python itself runs."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import Run, argument
from tensorproof.libraries.plain import kept
from tensorproof.libraries.torch.layer_attributes import COMPILED, SCRIPTED
from tensorproof.libraries.torch.module_tree import is_module, walk
from tensorproof.values import Args, Dict, Function, Instance, Kwargs, Layer, List, Machine, Value


def _compiled(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.compile: a function as it is, a module in a wrapper that gives what the module has, but for names in the state."""
    given = kept(m, args, kwargs, node)
    if not is_module(given):
        return given
    return Layer(None, m.user_span(node), (given,), "wrapper", ("_orig_mod",), {COMPILED: True})


def _asserted(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`torch._assert(condition, message)`, an assertion that tracers see."""
    if not args:
        return
    message = args[1] if len(args) > 1 else kwargs.get("message")
    said = f" ({message})" if isinstance(message, str) and message else ""
    m.demand("AssertionError", m.truth(args[0], node), f"this assertion fails{said}", node)


def _trace(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.jit.trace calls what it traces once with the example inputs."""
    function, inputs = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "example_inputs")
    named = kwargs.get("example_kwarg_inputs")
    given = inputs if type(inputs) is tuple else tuple(inputs.items) if isinstance(inputs, List) else () if inputs is None else (inputs,)
    made = m.call(function, given, dict(named.items) if isinstance(named, Dict) else {}, node)
    inner = made if isinstance(made, tuple) else (made,)
    if any(one is None or isinstance(one, str) or (isinstance(one, Dict) and kwargs.get("strict") is not False) for one in inner):
        raise m.raised("RuntimeError", "tensors, and tuples and lists of them, are traced, and dicts with strict=False", node, "call/arguments")
    if any(map(_chooses, _texts(m, function))):
        m.gap("torch.jit.trace", node, "a traced function keeps the branches and the number of iterations that it had for the example")
    m.model_state[SCRIPTED] = True
    return function


def _texts(m: Machine, given: Value) -> list[Any]:
    """The functions of the program that run when a function or module is called, as far as they belong to modules."""
    found = [m.in_class(one.cls, "forward") for _, one in walk(given) if isinstance(one, Instance)] if is_module(given) else [given]
    return [one.code.node for one in found if isinstance(one, Function)]


def _chooses(code: Any) -> bool:
    """Whether what a function does depends on sizes, values or modes: not on whether something is None, nor on how many parts a module has."""
    for part in (one for statement in _body(code) for one in ast.walk(statement)):
        if isinstance(part, (ast.If, ast.IfExp, ast.While)):
            if not (isinstance(part.test, ast.Compare) and isinstance(part.test.ops[0], (ast.Is, ast.IsNot))):
                return True
        elif isinstance(part, (ast.For, ast.comprehension)) and any(word in ast.unparse(part.iter) for word in ("shape", "size", "len(")):
            return True
    return False


def _script(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A module or function as it is, where its text is such that it can be compiled."""
    given = args[0] if args else kwargs.get("obj")
    m.model_state[SCRIPTED] = True
    code = m.in_class(given.cls, "forward") if isinstance(given, Instance) else given
    if isinstance(code, Function):
        taken = code.code.node.args
        if taken.kwarg is not None or taken.vararg is not None:
            raise m.raised("RuntimeError", f"torch.jit.script cannot compile {code.name}, which takes any number of arguments", node, "call/arguments")
        if any(isinstance(part, _NOT_COMPILED) for statement in _body(code.code.node) for part in ast.walk(statement)):
            m.gap("torch.jit.script", node, "whether this function can be compiled is not known")
    return given


_NOT_COMPILED = (ast.Try, ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.Yield, ast.YieldFrom, ast.GeneratorExp, ast.Starred, ast.Global, ast.Import)


def _body(node: Any) -> list[ast.AST]:
    return node.body if isinstance(node.body, list) else [node.body]


FUNCTIONS: dict[str, Run] = {
    "torch.compile": _compiled, "torch.jit.script": _script, "torch.jit.trace": _trace, "torch.jit.annotate": lambda m, a, k, n: a[1],
    "torch._assert": _asserted,
}  # fmt: skip
