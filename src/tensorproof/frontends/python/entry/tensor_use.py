"""Whether an argument is surely a tensor: its annotation says so, or the function hands it to what takes nothing else."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import kinds
from tensorproof.bindings.names import is_public
from tensorproof.bindings.rows import Row, rows
from tensorproof.ops.inputs import REQUIRED, Tensor
from tensorproof.values.objects import Class, Function, Instance
from tensorproof.values.python_values import Layer, Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_PLAIN_TYPES = (str, bytes, int, float, complex, list, tuple, dict, set)
_ANNOTATIONS = ("Tensor", "FloatTensor", "LongTensor")
_DEEPEST = 4


def is_tensor(m: Interpreter, node: Any, name: str, me: Value = None, depth: int = 0) -> bool:
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


def _takes_tensor(m: Interpreter, one: ast.Call, name: str, me: Value, depth: int) -> bool:
    match one.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=word) if owner == name:
            return _only_a_tensor_has(word, one)
        case _ if not (one.args and isinstance(one.args[0], ast.Name) and one.args[0].id == name):
            return False
        case ast.Attribute(value=ast.Name(id="self"), attr=word) if isinstance(me, Instance):
            return _module_takes(m, me.space.get(word), depth)
        case ast.Attribute(value=ast.Name(id=owner), attr=word):
            library = m.modules.main.space.get(owner)
            home = library.name if isinstance(library, Named) else ""
            return home == "torch.nn.functional" or (home == "torch" and _takes_only_tensors(word))
        case _:
            return False


def _only_a_tensor_has(method: str, call: ast.Call) -> bool:
    """Whether a tensor has this method, and neither values of Python nor modules nor NumPy's arrays have one that takes such arguments."""
    if method.startswith("_") or any(hasattr(kind, method) for kind in _PLAIN_TYPES) or is_public(f"torch.nn.Module.{method}"):
        return False
    return _fits(f"torch.Tensor.{method}", call) and not _fits(f"numpy.ndarray.{method}", call)


def _fits(name: str, call: ast.Call) -> bool:
    """Whether a method takes the arguments of a call, as far as they can be read from its text."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(_row_fits(row, call) for row in rows(name))


def _row_fits(row: Row, call: ast.Call) -> bool:
    taken, named = row.arguments[1:], {k.arg for k in call.keywords}
    placed = [a for a in taken if not a.keyword_only]
    if len(call.args) > len(placed) and not any(a.gathers for a in placed):
        return False
    if not named <= {a.theirs for a in taken} or any(a.default is REQUIRED and not a.gathers and a.theirs not in named for a in placed[len(call.args) :]):
        return False
    for argument, given in zip(placed, call.args):
        if isinstance(number := _number(given), int) and not argument.gathers and not kinds(row)[argument.ours].takes(number):
            return False
    return True


def _number(node: ast.AST) -> Value:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _number(node.operand)
    return node.value if isinstance(node, ast.Constant) else None


@cache
def _takes_only_tensors(function: str) -> bool:
    """Whether the first argument of a function of torch is a tensor, and never a number or a list."""
    first = [next(iter(kinds(row).values()), None) for row in rows(f"torch.{function}")]
    return bool(first) and all(isinstance(kind, Tensor) and not kind.scalar for kind in first)


def _module_takes(m: Interpreter, called: Value, depth: int) -> bool:
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
