"""Python's functions of numbers and texts: sum, min, max, abs, int, float, bool, str, round, pow and divmod."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching.joining import CannotJoin, join
from tensorproof.frontends.python.containers.plain_values import all_plain, host
from tensorproof.frontends.python.containers.sorting import sort_items
from tensorproof.frontends.python.operators import drawn_reals, host_calls, operations, type_rules
from tensorproof.frontends.python.operators.formatting import class_text, own_text
from tensorproof.frontends.python.summaries import summarised_lists, summarised_results
from tensorproof.frontends.python.tensors import numpy_scalars
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.frontends.python.tensors.tensor_numbers import refuse_method
from tensorproof.frontends.python.tensors.tensors import tensor_class
from tensorproof.libraries import library_objects
from tensorproof.libraries.domains import greatest
from tensorproof.libraries.tensorflow import traced
from tensorproof.libraries.whole_numbers import drawn_number, number_of
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.ints import Dim, Origin, Term, absolute, floordiv, ite, lower, maximum, minimum
from tensorproof.terms.predicates import Predicate, ge, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import (
    Choice,
    Class,
    Dict,
    Instance,
    List,
    Model,
    Set,
)  # fmt: skip
from tensorproof.values.python_values import REAL, TEXT, Named, Unknown, whole_of
from tensorproof.values.summaries import kind_of_all

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Run = Callable[..., Any]


def _sum(m: Interpreter, node: ast.AST, value: Value, start: Value = 0) -> Value:
    items_shown = summarised_lists.parts(m, value, node)
    if items_shown is not None:
        return summarised_results.total(m, items_shown, start, node)
    found = m.iterate(value, node)
    if found is None:
        return Unknown("sum")
    total = start
    for one in found:
        total = operations.binary(m, ast.Add, total, one, node)
    return total


MOST_CANDIDATES = BUDGETS.exploration.candidates_by_key


def _one_of(m: Interpreter, items: list[Value], word: str, node: ast.AST) -> Value:
    """The item with the least or the greatest key, where the keys are not known: any of them."""
    if len(items) == 1:
        return items[0]
    if len(items) > MOST_CANDIDATES or any(isinstance(v, Unknown) for v in items):
        return Unknown(word)
    index = m.symbol(m.name_here(word, node), 0, len(items) - 1, Origin.UNMODELLED)
    try:
        return _halved(m, items, 0, index)
    except CannotJoin:
        return m.item(tuple(items), index, node)


def _halved(m: Interpreter, items: list[Value], start: int, index: Dim) -> Value:
    """The item at an index that is not known, as a choice between two halves: so that the choices do not lie deep within each other."""
    if len(items) == 1:
        return items[0]
    middle = len(items) // 2
    sides = _halved(m, items[:middle], start, index), _halved(m, items[middle:], start + middle, index)
    return join(lt(index, start + middle), *sides, m.path.program)


def _extreme(word: str) -> Run:
    native, symbolic = (min, minimum) if word == "min" else (max, maximum)

    def run(m: Interpreter, node: ast.AST, *values: Any, key: Value = None, default: Value = MISSING) -> Value:
        if word == "max" and len(values) == 1 and key is None and isinstance(values[0], TensorType) and len(values[0].shape) == 1:
            known = greatest.of(m, m.memory.current(values[0]))
            if known is not None:
                return values[0].but(shape=Shape(), contents=(known,), parameter=False)
        items_shown = summarised_lists.parts(m, values[0], node) if len(values) == 1 else None
        if items_shown is not None:
            return summarised_results.extreme(m, items_shown, node)
        found = list(values) if len(values) != 1 else m.iterate(values[0], node)
        if found is None:
            return Unknown(word)
        if not found:
            if default is not MISSING:
                return default
            raise m.raised("ValueError", f"{word} of nothing", node)
        if key is not None:
            result = sort_items(m, found, key, word == "max", node)
            return _one_of(m, found, word, node) if isinstance(result, Unknown) else result[0]
        if all(type(v) in (int, Term) for v in found):
            return symbolic(*found)
        for one in found:
            traced.refuse_truth(m, one, node, word)
        if all(type(v) is TensorType and v.shape == () and v.dtype is found[0].dtype and v.framework == found[0].framework for v in found):
            return found[0].but(contents=None, parameter=False)
        numbers = [numpy_scalars.known(v) for v in found]
        if all(type(v) in (int, float, bool) for v in numbers):
            return found[numbers.index(native(numbers))]
        if any(isinstance(v, (Unknown, TensorType)) for v in found):
            type_rules.refuse(m, native, (List(m.heap.row(found)),), node)
            if len(found) > 1 and all(isinstance(v, TensorType) for v in found[:2]):
                m.truth(m.compare(ast.Lt if word == "min" else ast.Gt, found[1], found[0], node), node)
            kinds = {number_kind(v) for v in found}
            return Unknown(word, number="" if "" in kinds else kind_of_all(kinds))
        if not all_plain(tuple(found)):
            best = found[0]
            for one in found[1:]:
                better = m.truth(m.compare(ast.Lt if word == "min" else ast.Gt, one, best, node), node)
                best = m.branching.choose(better, lambda one=one: one, lambda best=best: best)  # type: ignore[misc]
            return best
        return host_calls.plain(m, lambda *v: native(v), tuple(found), node)

    return run


def _abs(m: Interpreter, node: ast.AST, value: Value) -> Value:
    match value:
        case Term():
            return absolute(value)
        case TensorType():
            own = {"torch": f"{tensor_class(value)}.abs", "keras": "keras.ops.absolute", "tf": "tf.abs"}
            return m.spelling(own.get(value.framework, "numpy.abs"), (value,), {}, node)
        case Unknown():
            return drawn_reals.turned(value) if drawn_reals.is_drawn(value) else value
        case Instance():
            return m.call(m.attribute(value, "__abs__", node), (), {}, node)
        case _:
            return host_calls.plain(m, abs, (value,), node)


def _number(native: Any) -> Run:
    def run(m: Interpreter, node: ast.AST, value: Value = 0, *rest: Any, **named: Any) -> Value:
        rest = (*rest, *named.values())  # int(text, base=2)
        match value:
            case TensorType():
                if value.framework == "keras":
                    raise m.raised("ValueError", f"{native.__name__}() asks for the value of a KerasTensor, which has none", node, "keras/symbolic")
                if value.graph is not None:
                    if not traced.converts(m, value):
                        traced.refuse(m, f"{native.__name__}()", value, node)
                    return m.spelling("tf.cast", (value, "int32" if native is int else "float32"), {}, node)
                if value.contents is not None and len(value.contents) == 1:
                    return run(m, node, value.contents[0])
                if value.shape.concrete and value.shape.numel != 1:
                    kind = "TypeError" if native is not bool and value.framework in ("tf", "numpy") else "ValueError"
                    raise m.raised(kind, f"only a tensor of one element becomes a number, this one is {value.shape!r}", node, "python/item")
                if native is int and value.framework in ("torch", "numpy") and value.dtype is not None and value.dtype.is_integer:
                    return number_of(m, value, node)
                if native in (int, float) and (drawn := drawn_number(value)) is not None:
                    return drawn if native is float else drawn_reals.whole(m, int, drawn, node)
                return Unknown(native.__name__, number=native.__name__ if native in (int, float) else "")
            case Term():
                return value if native is int else REAL if native is float else m.truth(value, node)
            case Predicate():
                return value if native is bool else ite(value, 1, 0)
            case Unknown(text=True) if native is int:
                m.may_raise("ValueError", "the text is not a whole number", node)
                return m.symbol(m.name_here("number", node, ast.unparse(node)[:60]), -(2**63), 2**63, Origin.USER)
            case Unknown(ratio=(above, below)) if native is int:  # towards zero
                down = floordiv(above, below)
                return down if lower(above) >= 0 else ite(ge(above, 0), down, -floordiv(-above, below))
            case Unknown() | Choice():
                if native is int and drawn_reals.is_drawn(value):
                    return drawn_reals.whole(m, int, value, node)
                if isinstance(value, Unknown) and value.text:
                    m.may_raise("ValueError", "the text is not a number", node)
                whole = whole_of(value) if native is int and type(value) is Unknown and not value.number else None
                return REAL if native is float else Unknown(native.__name__, number="int" if native is int else "", whole=whole)
            case Instance():
                return m.call(m.attribute(value, f"__{native.__name__}__", node), (), {}, node)
            case _:
                return host_calls.plain(m, native, (value, *rest), node)

    return run


def _bool(m: Interpreter, node: ast.AST, value: Value = False) -> Value:
    traced.refuse_truth(m, value, node, "bool()")
    return m.truth(value, node)


def _str(m: Interpreter, node: ast.AST, value: Value = "", *rest: Value) -> Value:
    if isinstance(value, (str, int, float, bool, complex, type(None), bytes)):
        return host_calls.plain(m, str, (value, *rest), node)
    if isinstance(value, Instance):
        found = own_text(m, value, ("__str__", "__repr__"), (), node)
        if found is not MISSING:
            return found
    if isinstance(value, (Class, Named, type)):
        return class_text(value)
    if isinstance(value, tuple) and value and all(isinstance(one, Class) for one in value):
        parts = [text for one in value if isinstance(text := class_text(one), str)]
        return TEXT if len(parts) < len(value) else f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(value, (List, Dict, tuple, Set)):
        try:
            return str(host(m, value))
        except ValueError:
            pass
    return library_objects.model_text(m, value) if isinstance(value, Model) else TEXT


def _round_scalar(m: Interpreter, node: ast.AST, value: TensorType, digits: Value) -> Value:
    """A number of NumPy becomes one of Python, unless digits are named: then it keeps its element type."""
    if value.dtype is BOOL:
        raise m.raised("TypeError", "a truth value of NumPy has no __round__", node)
    number = numpy_scalars.known(value)
    if digits is None:
        kind = number_kind(value)
        return Unknown("round", number="int" if kind else "") if number is MISSING or type(number) is Term else host_calls.plain(m, round, (number,), node)
    return m.call(m.attribute(value, "round", node), (digits,), {}, node)


def _round(m: Interpreter, node: ast.AST, value: Any, digits: Any = None) -> Any:
    if isinstance(value, Term):
        return value
    if numpy_scalars.is_scalar(value):
        return _round_scalar(m, node, value, digits)
    traced.refuse_truth(m, value, node, "round()")
    refuse_method(m, "round", (value,), node)
    if isinstance(value, (Unknown, Choice, TensorType)):
        if digits is None and drawn_reals.is_drawn(value):
            return drawn_reals.whole(m, round, value, node)
        kind = number_kind(value)
        return Unknown("round", number="int" if kind and digits is None else kind)
    return host_calls.plain(m, round, (value,) if digits is None else (value, digits), node)


def _pow(m: Interpreter, node: ast.AST, a: Value, b: Value, *rest: Value) -> Value:
    return host_calls.plain(m, pow, (a, b, *rest), node) if rest else operations.binary(m, ast.Pow, a, b, node)


def _divmod(m: Interpreter, node: ast.AST, a: Value, b: Value) -> Value:
    refuse_method(m, "divmod", (a, b), node)
    return operations.binary(m, ast.FloorDiv, a, b, node), operations.binary(m, ast.Mod, a, b, node)


MODELS: dict[Value, Run] = {
    sum: _sum, min: _extreme("min"), max: _extreme("max"), abs: _abs, int: _number(int), float: _number(float), bool: _bool, str: _str, round: _round,
    pow: _pow, divmod: _divmod, repr: lambda m, node, v: _str(m, node, v) if not isinstance(v, str) else repr(v),
}  # fmt: skip
