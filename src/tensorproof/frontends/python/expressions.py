"""Evaluates expressions over abstract values."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.names import closest, is_public
from tensorproof.frontends.python.calls import call, call_spelling
from tensorproof.frontends.python.operators import binary, compare, plain, tensor_class, truth, unary
from tensorproof.frontends.python.standard import MOST_ITEMS
from tensorproof.libraries.constants import constant
from tensorproof.ops.inputs import as_size
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values.python_values import Layer, Method, Named, Unknown, is_known

if TYPE_CHECKING:
    from tensorproof.frontends.python.interpreter import Interpreter


def evaluate(run: Interpreter, node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return run.look_up(name, node)
        case ast.Attribute(value=owner, attr=name):
            return attribute(run, evaluate(run, owner), name, node)
        case ast.Call():
            return call(run, node)
        case ast.BinOp(left=left, op=op, right=right):
            return binary(run, op, evaluate(run, left), evaluate(run, right), node)
        case ast.UnaryOp(op=op, operand=operand):
            return unary(run, op, evaluate(run, operand), node)
        case ast.Tuple(elts=items):
            return tuple(sequence(run, items))
        case ast.List(elts=items):
            return sequence(run, items)
        case ast.Dict():
            return _dict(run, node)
        case ast.Set(elts=items):
            return plain(run, set, (sequence(run, items),), node)
        case ast.Subscript(value=owner, slice=index):
            return subscript(run, evaluate(run, owner), evaluate(run, index), node)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return slice(*(None if part is None else as_size(evaluate(run, part)) for part in (lower, upper, step)))
        case ast.Compare():
            return _compare(run, node)
        case ast.BoolOp(op=op, values=values):
            return _bool(run, op, values)
        case ast.IfExp(test=test, body=body, orelse=other):
            known = truth(evaluate(run, test))
            if known is None:
                return run.gap("conditional expression", node, "its condition is not known")
            return evaluate(run, body if known else other)
        case ast.JoinedStr():
            return _text(run, node)
        case ast.NamedExpr(target=target, value=value):
            result = evaluate(run, value)
            run.assign(target, result)
            return result
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            return _comprehension(run, node)
        case _:
            return run.gap(f"{type(node).__name__} expression", node)


def sequence(run: Interpreter, items: list[ast.expr]) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if isinstance(item, ast.Starred):
            value = evaluate(run, item.value)
            found = iterate(run, value, item)
            result.extend([Unknown("starred")] if found is None else found)
        else:
            result.append(evaluate(run, item))
    return result


def _dict(run: Interpreter, node: ast.Dict) -> Any:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        made = evaluate(run, value)
        if key is None:
            if not isinstance(made, dict):
                return run.gap("dict unpacking", node)
            result.update(made)
            continue
        name = evaluate(run, key)
        if isinstance(name, (Unknown, list, dict)):
            return run.gap("dict with an unknown key", node)
        result[name] = made
    return result


def _compare(run: Interpreter, node: ast.Compare) -> Any:
    left = evaluate(run, node.left)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators):
        right = evaluate(run, right_node)
        result = compare(run, op, left, right, node)
        if len(node.ops) > 1:
            known = truth(result)
            if known is None:
                return Unknown("comparison")
            if not known:
                return result
        left = right
    return result


def _bool(run: Interpreter, op: ast.boolop, values: list[ast.expr]) -> Any:
    result: Any = None
    for value in values:
        result = evaluate(run, value)
        known = truth(result)
        if known is None:
            return Unknown("and/or")
        if known is isinstance(op, ast.Or):
            return result
    return result


def _text(run: Interpreter, node: ast.JoinedStr) -> Any:
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            value = evaluate(run, part.value)
            if not isinstance(value, (str, int, float, bool, complex, type(None))) or part.format_spec is not None:
                return Unknown("formatted text")
            parts.append(repr(value) if part.conversion == 114 else str(value))
    return "".join(parts)


def _comprehension(run: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
    saved = dict(run.names)
    result: list[Any] = []

    def loop(level: int) -> bool:
        if level == len(node.generators):
            result.append(evaluate(run, node.elt))
            return True
        generator = node.generators[level]
        items = iterate(run, evaluate(run, generator.iter), generator.iter)
        if items is None:
            return False
        for item in items:
            run.assign(generator.target, item)
            tests = [truth(evaluate(run, test)) for test in generator.ifs]
            if None in tests:
                return False
            if all(tests) and not loop(level + 1):
                return False
        return True

    followed = loop(0)
    run.names.clear()
    run.names.update(saved)
    if not followed:
        return run.gap("comprehension", node, "over something that is not known")
    return plain(run, set, (result,), node) if isinstance(node, ast.SetComp) else result


def iterate(run: Interpreter, value: Any, node: ast.AST) -> list[Any] | None:
    """The items of a value; None when they are not known."""
    if isinstance(value, TensorType):
        if not value.shape.known or len(value.shape) == 0 or not isinstance(value.shape[0], int) or value.shape[0] > 1000:
            return None
        return [call_spelling(run, f"{tensor_class(value)}.__getitem__", (value, i), {}, node) for i in range(value.shape[0])]
    if isinstance(value, (Unknown, Named, Layer, Method)):
        return None
    if isinstance(value, range) and len(value) > MOST_ITEMS:
        return None
    return plain(run, list, (value,), node)


_TENSOR_FACTS = {"shape", "dtype", "ndim", "device", "is_cuda", "requires_grad", "grad", "data", "layout", "names"}


def attribute(run: Interpreter, owner: Any, name: str, node: ast.AST) -> Any:
    match owner:
        case Unknown():
            return owner
        case Named(name=library):
            return _library_attribute(run, library, name, node)
        case TensorType():
            return _tensor_attribute(run, owner, name, node)
        case Layer():
            return _layer_attribute(run, owner, name, node)
        case Outputs() if name in owner.names:
            return owner[owner.names.index(name)]
        case ModuleType():
            return plain(run, getattr, (owner, name), node)
        case DType():
            return {"is_floating_point": owner.is_float, "is_complex": owner.is_complex, "itemsize": owner.bits // 8}.get(name, Unknown(name))
        case str() | int() | float() | complex() | list() | tuple() | dict() | set() | slice() | range() | bytes() | None:
            if not hasattr(owner, name):
                raise run.fail("python/attribute", f"a {type(owner).__name__} has no attribute {name}", node)
            return getattr(owner, name)
        case _:
            return run.gap(f"{type(owner).__name__}.{name}", node)


def _library_attribute(run: Interpreter, library: str, name: str, node: ast.AST) -> Any:
    full = f"{library}.{name}"
    if full.startswith("tf.keras"):
        full = "keras" + full.removeprefix("tf.keras")
    found, value = constant(full)
    if found:
        return value
    if is_public(full) is False:
        near = closest(full)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise run.fail("python/attribute", f"{library} has no attribute {name}{hint}", node)
    return Named(full)


def _tensor_attribute(run: Interpreter, owner: TensorType, name: str, node: ast.AST) -> Any:
    match name:
        case "shape":
            return tuple(owner.shape) if owner.shape.known else run.gap("shape of a tensor of unknown rank", node)
        case "dtype":
            return owner.dtype if owner.dtype is not None else Unknown("dtype")
        case "ndim":
            return owner.shape.rank
        case "device":
            return owner.device or "cpu"
        case "requires_grad":
            return owner.requires_grad
        case "data":
            return owner
        case "T" | "mT" | "H" | "mH" | "real" | "imag":
            return call_spelling(run, f"{tensor_class(owner)}.{name}", (owner,), {}, node)
        case "layout":
            return f"torch.{owner.layout}"
        case "is_cuda":
            return (owner.device or "cpu").startswith("cuda")
        case _:
            home = tensor_class(owner)
            if is_public(f"{home}.{name}") is False:
                raise run.fail("python/attribute", f"{home} has no attribute {name}", node)
            return Method(owner, name)


def _layer_attribute(run: Interpreter, owner: Layer, name: str, node: ast.AST) -> Any:
    state = owner.module.state() if owner.module is not None else {}
    if name in state:
        return state[name]
    if owner.module is not None:
        for argument in owner.module.row.arguments:
            if argument.theirs == name:
                return owner.module.arguments.get(argument.ours)
    return Method(owner, name)


def subscript(run: Interpreter, owner: Any, index: Any, node: ast.AST) -> Any:
    if isinstance(owner, Unknown) or isinstance(index, Unknown):
        return Unknown("subscript")
    if isinstance(owner, TensorType):
        if not is_known(index):
            return run.gap("index", node, "the index is not known")
        return call_spelling(run, f"{tensor_class(owner)}.__getitem__", (owner, index), {}, node)
    if isinstance(owner, Layer):
        return owner.children[index] if isinstance(index, int) and -len(owner.children) <= index < len(owner.children) else run.gap("layer[...]", node)
    if isinstance(owner, Named):
        return run.gap(f"{owner.name}[...]", node)
    return plain(run, lambda o, i: o[i], (owner, as_size(index)), node)


def store(run: Interpreter, target: ast.Subscript | ast.Attribute, value: Any) -> None:
    """`x[i] = v` and `x.a = v`."""
    owner = evaluate(run, target.value)
    if isinstance(target, ast.Attribute):
        run.gap("attribute assignment", target)
        return
    index = evaluate(run, target.slice)
    if isinstance(owner, TensorType):
        if is_known(index) and not isinstance(value, Unknown):
            written = call_spelling(run, f"{tensor_class(owner)}.__setitem__", (owner, index, value), {}, target)
            if isinstance(target.value, ast.Name):
                run.names[target.value.id] = written if isinstance(written, TensorType) else owner.but(contents=None)
        else:
            run.gap("item assignment", target)
    elif isinstance(owner, (list, dict)) and not isinstance(index, Unknown):
        plain(run, lambda o, i, v: o.__setitem__(i, v), (owner, index, value), target)
    else:
        run.gap("item assignment", target)
