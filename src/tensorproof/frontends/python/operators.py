"""Python's operators on plain values and on tensors."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.ops.inputs import is_number
from tensorproof.terms import predicates
from tensorproof.terms.ints import Term, lower, upper
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Unknown, is_known

if TYPE_CHECKING:
    from tensorproof.frontends.python.interpreter import Interpreter

_BINARY: dict[type[ast.operator], tuple[str, Any]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul), ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv), ast.Mod: ("mod", operator.mod), ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul), ast.BitAnd: ("and", operator.and_), ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor), ast.LShift: ("lshift", operator.lshift), ast.RShift: ("rshift", operator.rshift),
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], tuple[str, Any]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt), ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], tuple[str, Any]] = {
    ast.USub: ("neg", operator.neg), ast.UAdd: ("pos", operator.pos), ast.Invert: ("invert", operator.invert),
}  # fmt: skip
_TENSOR_CLASS = {"torch": "torch.Tensor", "tf": "tf.Tensor", "keras": "keras.KerasTensor", "numpy": "numpy.ndarray"}
_MOST_BITS = 4096


def tensor_class(tensor: TensorType) -> str:
    """The class whose methods this tensor has."""
    return _TENSOR_CLASS.get(tensor.framework, "torch.Tensor")


def _owner(a: Any, b: Any) -> TensorType:
    """Whose operator is called when one operand, or both, are tensors: NumPy yields to the others."""
    if not isinstance(a, TensorType):
        return b
    return b if isinstance(b, TensorType) and a.framework == "numpy" else a


def binary(run: Interpreter, op: ast.operator, a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
    word, native = _BINARY[type(op)]
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return Unknown(word)
        return _on_tensors(run, word, a, b, node, in_place)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown(word)
    return plain(run, native, (a, b), node)


def _on_tensors(run: Interpreter, word: str, a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
    from tensorproof.frontends.python.calls import call_spelling

    home = tensor_class(_owner(a, b))
    if isinstance(a, TensorType):
        name = f"{home}.__i{word}__" if in_place and home == "torch.Tensor" else f"{home}.__{word}__"
        return call_spelling(run, name, (a, b), {}, node)
    return call_spelling(run, f"{home}.__r{word}__", (b, a), {}, node)


def unary(run: Interpreter, op: ast.unaryop, a: Any, node: ast.AST) -> Any:
    from tensorproof.frontends.python.calls import call_spelling

    if isinstance(op, ast.Not):
        known = truth(a)
        return Unknown("not") if known is None else not known
    word, native = _UNARY[type(op)]
    if isinstance(a, TensorType):
        return call_spelling(run, f"{tensor_class(a)}.__{word}__", (a,), {}, node)
    return Unknown(word) if isinstance(a, Unknown) else plain(run, native, (a,), node)


def compare(run: Interpreter, op: ast.cmpop, a: Any, b: Any, node: ast.AST) -> Any:
    match op:
        case ast.Is() | ast.IsNot():
            if isinstance(a, Unknown) or isinstance(b, Unknown):
                return Unknown("is")
            same = a is b
            return same if isinstance(op, ast.Is) else not same
        case ast.In() | ast.NotIn():
            if not (is_known(a) and is_known(b)) or isinstance(b, TensorType):
                return Unknown("in")
            found = plain(run, operator.contains, (b, a), node)
            return found if isinstance(op, ast.In) else not found
        case _:
            pass
    word, native = _COMPARE[type(op)]
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        if isinstance(a, TensorType) and (isinstance(b, TensorType) or is_number(b)):
            return _on_tensors(run, word, a, b, node)
        if is_number(a):
            mirrored = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}.get(word, word)
            return _on_tensors(run, mirrored, b, a, node)
        return Unknown(word)
    if not (is_known(a) and is_known(b)):
        return Unknown(word)
    if type(a) is Term or type(b) is Term:
        return getattr(predicates, word)(a, b) if is_number(a) and is_number(b) else Unknown(word)
    return plain(run, native, (a, b), node)


def truth(value: Any) -> bool | None:
    """The truth of a value; None when it is not known."""
    if isinstance(value, (Unknown, Predicate)):
        return None
    if type(value) is Term:
        return True if lower(value) > 0 or upper(value) < 0 else None
    if isinstance(value, TensorType):
        return bool(value.contents[0]) if value.contents is not None and len(value.contents) == 1 and type(value.contents[0]) is not Term else None
    return bool(value)


def plain(run: Interpreter, function: Any, args: tuple[Any, ...], node: ast.AST, kwargs: dict[str, Any] | None = None) -> Any:
    """Run a pure function on concrete values. What it raises, the program would raise."""
    if not _small(function, args):
        return run.gap(getattr(function, "__name__", "operator"), node, "the result would be too large")
    try:
        return function(*args, **(kwargs or {}))
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        if any(type(a) in (Term, Predicate) for a in args):
            return run.gap(getattr(function, "__name__", "operator"), node, "of a symbolic number")
        raise run.fail(f"python/{_CODES.get(type(error), 'error')}", f"{type(error).__name__}: {error}", node) from None


_CODES: dict[type[Exception], str] = {
    ZeroDivisionError: "zero-division", IndexError: "index", KeyError: "key", TypeError: "type", ValueError: "value", AttributeError: "attribute",
    OverflowError: "overflow",
}  # fmt: skip


def _small(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether a native operation stays within bounds: no giant powers, shifts or repeated sequences."""
    if function in (operator.pow, pow, operator.lshift) and all(isinstance(a, int) for a in args) and len(args) >= 2:
        grown = args[1] if function is operator.lshift else args[1] * max(args[0].bit_length(), 1)
        return grown <= _MOST_BITS
    if function is operator.mul:
        for sequence, count in (args, args[::-1]):
            if isinstance(sequence, (str, bytes, list, tuple)) and isinstance(count, int):
                return len(sequence) * count <= 1_000_000
    return not (function in (list, tuple, sorted, sum, set) and args and isinstance(args[0], range) and len(args[0]) > 1_000_000)
