"""Whether an argument is surely a tensor: its annotation says so, or the function hands it to what takes nothing else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.values.objects import Class, Function, Instance
from tensorproof.values.python_values import Layer, Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_METHODS = {"unsqueeze", "permute", "size", "dim", "contiguous", "expand", "float", "long", "masked_fill", "detach", "softmax", "view", "matmul", "bmm"}
"""Methods that only a tensor has."""
_FUNCTIONS = {"relu", "sigmoid", "tanh", "matmul", "bmm", "mm", "flatten", "softmax", "exp", "log", "sin", "cos"}
"""Functions of torch that take only a tensor first."""
_ANNOTATIONS = ("Tensor", "FloatTensor", "LongTensor")
_DEEPEST = 4


def is_tensor(m: Interpreter, node: Any, name: str, me: Any = None, depth: int = 0) -> bool:
    """Whether the argument of this name of a function is a tensor, whoever calls it; `me` is the object that a method belongs to."""
    a = node.args
    for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs):
        if argument.arg == name and argument.annotation is not None:
            words = ast.unparse(argument.annotation).strip("\"'")
            if words.rpartition(".")[2] in _ANNOTATIONS or any(f"[{w}," in words or f".{w}," in words for w in _ANNOTATIONS):
                return True
    first = min((n.lineno for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)), default=None)
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and (first is None or n.lineno <= first)]
    return any(_takes_tensor(m, one, name, me, depth) for one in calls)


def _takes_tensor(m: Interpreter, one: ast.Call, name: str, me: Any, depth: int) -> bool:
    match one.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=word) if owner == name:
            return word in _METHODS
        case _ if not (one.args and isinstance(one.args[0], ast.Name) and one.args[0].id == name):
            return False
        case ast.Attribute(value=ast.Name(id="self"), attr=word) if isinstance(me, Instance):
            return _module_takes(m, me.space.get(word), depth)
        case ast.Attribute(value=ast.Name(id=owner), attr=word):
            library = m.modules.main.space.get(owner)
            home = library.name if isinstance(library, Named) else ""
            return home == "torch.nn.functional" or (home == "torch" and word in _FUNCTIONS)
        case _:
            return False


def _module_takes(m: Interpreter, called: Any, depth: int) -> bool:
    """Whether a part of a module takes a tensor first."""
    if isinstance(called, Layer):
        return True
    if not isinstance(called, Instance) or not isinstance(called.cls, Class) or depth >= _DEEPEST:
        return False
    forward = m.in_class(called.cls, "forward")
    if not isinstance(forward, Function):
        return False
    names = [x.arg for x in (*forward.code.node.args.posonlyargs, *forward.code.node.args.args)]
    return len(names) > 1 and is_tensor(m, forward.code.node, names[1], called, depth + 1)
