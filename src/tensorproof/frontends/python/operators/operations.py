"""Python's operators, truth and text, on plain values, on the program's objects and on tensors."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes.lookup import added, in_class
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.containers import containers, equality
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.operators import drawn_reals, mixed_arrays, type_rules
from tensorproof.frontends.python.operators.formatting import percent
from tensorproof.frontends.python.operators.fractions_of_sizes import share
from tensorproof.frontends.python.operators.host_calls import not_modelled, plain
from tensorproof.frontends.python.operators.powers import power
from tensorproof.frontends.python.operators.truths import truth
from tensorproof.frontends.python.tensors import numpy_scalars, tensors
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.frontends.python.tensors.tensor_numbers import repeated
from tensorproof.libraries import layers, library_objects, registry
from tensorproof.libraries.python.annotations import ALIAS
from tensorproof.libraries.tensorflow import traced
from tensorproof.libraries.torch import sizes as torch_sizes
from tensorproof.libraries.whole_numbers import held_size, same_size, size_in
from tensorproof.terms.ints import Dim, Term, lower
from tensorproof.terms.predicates import Predicate, conj, disj, ne, negate
from tensorproof.terms.tensor import OfVariable, TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Class, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, TEXT, Layer, Named, Union, Unknown, joined_text, whole_of
from tensorproof.values.summaries import is_size, kind_of_all
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

BINARY: dict[type[ast.operator], tuple[str, Value]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul), ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv), ast.Mod: ("mod", operator.mod), ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul), ast.BitAnd: ("and", operator.and_), ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor), ast.LShift: ("lshift", operator.lshift), ast.RShift: ("rshift", operator.rshift),
}  # fmt: skip
UNARY: dict[type[ast.unaryop], tuple[str, Value]] = {
    ast.USub: ("neg", operator.neg), ast.UAdd: ("pos", operator.pos), ast.Invert: ("invert", operator.invert),
}  # fmt: skip
SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def binary(m: Interpreter, op: type[ast.operator], a: Value, b: Value, node: ast.AST, in_place: bool = False) -> Value:
    word, native = BINARY[op]
    kind_a, kind_b = type(a), type(b)
    if kind_a is int and kind_b is int:
        return plain(m, native, (a, b), node)
    if kind_a is Choice or kind_b is Choice:
        return _on_choice(m, op, a, b, node, in_place)
    if kind_a is Instance or (kind_b is Instance and not (kind_a is str and word == "mod")):
        return dunder(m, word, a, b, node, in_place)
    if kind_a is Unknown or kind_b is Unknown:
        return _on_unknown(m, word, a, b, node, in_place)
    found = _on_names(m, op, a, b, node)
    if found is not MISSING:
        return found
    if isinstance(a, str) and word == "mod":
        return percent(m, a, b, node)
    if kind_a is TensorType or kind_b is TensorType:
        repetition = repeated(m, a, b, node) if word == "mul" else MISSING
        return on_tensors(m, word, a, b, node, in_place) if repetition is MISSING else repetition
    if word[0] in "am" and (found := _sum_of_parts(m, word, a, b, node, in_place)) is not MISSING:
        return found
    if kind_a in _COLLECTIONS or kind_b in _COLLECTIONS:
        return containers.binary(m, word, a, b, node, in_place)
    if isinstance(a, Predicate) or isinstance(b, Predicate):
        return _on_truths(m, word, a, b, node)
    if kind_a is Model or kind_b is Model:
        return _on_models(m, word, a, b, node)
    return _on_numbers(m, op, a, b, node)


_COLLECTIONS = (List, Dict, Set)


def _on_choice(m: Interpreter, op: type[ast.operator], a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    if isinstance(a, Choice):
        return m.branching.choose(a.condition, lambda: binary(m, op, a.then, b, node, in_place), lambda: binary(m, op, a.other, b, node, in_place))
    assert isinstance(b, Choice)
    return m.branching.choose(b.condition, lambda: binary(m, op, a, b.then, node, in_place), lambda: binary(m, op, a, b.other, node, in_place))


def _on_names(m: Interpreter, op: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Value:
    """Operators of a library's objects and names, and `A | B` of types; MISSING where it is none of them."""
    kinds = type(a), type(b)
    if Model in kinds:
        found = library_objects.model_binary(m, BINARY[op][0], a, b, node)
        if found is not MISSING:
            return found
    if op is ast.BitOr and _is_type(a) and _is_type(b):
        sides = (*(a if isinstance(a, tuple) else (a,)), *(b if isinstance(b, tuple) else (b,)))
        return Union(type(None) if side is None else side for side in sides)
    named = a if isinstance(a, Named) else b
    return not_modelled(m, named, node) if isinstance(named, Named) else MISSING


def _demand_divisor(m: Interpreter, word: str, b: Value, node: ast.AST) -> None:
    """Python's own numbers are not divided by zero."""
    if word in ("floordiv", "mod", "truediv") and isinstance(b, (int, float, Term)):
        nonzero = ne(b, 0) if isinstance(b, Term) else b != 0
        m.demand("ZeroDivisionError", nonzero, f"the divisor {b!r} may be zero" if type(b) is Term else "the divisor is zero", node)


def _sum_of_parts(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    """A container of layers and more layers, or a shape of TensorFlow and more sizes; MISSING for anything else."""
    if isinstance(a, Layer) or isinstance(b, Layer):
        return layers.container_binary(m, word, a, b, node, in_place)
    if word != "add" and (isinstance(a, TensorShape) or isinstance(b, TensorShape)) and isinstance(a, (int, tuple)) and isinstance(b, (int, tuple)):
        raise m.raised("TypeError", f"a TensorShape has no operator {word}", node)
    if word == "add" and isinstance(a, TensorShape) and isinstance(b, List):
        return TensorShape((*a, *b.items))
    if word == "add" and isinstance(a, List) and isinstance(b, TensorShape):
        return TensorShape((*a.items, *b))
    return MISSING


_PLAIN_NUMBERS = (int, Term, float, bool)


def _on_numbers(m: Interpreter, op: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Value:
    """Operators of numbers and of Python's own sequences, some of which may be symbolic."""
    word, native = BINARY[op]
    kind_a, kind_b = type(a), type(b)
    symbolic = kind_a is Term or kind_b is Term
    if symbolic and not (kind_a in _PLAIN_NUMBERS and kind_b in _PLAIN_NUMBERS):
        type_rules.refuse_operator(m, word, a, b, node)
    if symbolic and kind_a in (int, Term, bool, float):
        _demand_divisor(m, word, b, node)
    if word == "pow" and (raised := power(m, a, b, node)) is not MISSING:
        return raised
    if symbolic:
        found = _on_symbols(m, word, native, a, b, node)
        if found is not MISSING:
            return found
    made = plain(m, native, (a, b), node)
    return torch_sizes.like(m, a if torch_sizes.is_sizes(m, a) else b, made) if kind_a is tuple and word == "add" else made


def _on_symbols(m: Interpreter, word: str, native: Value, a: Value, b: Value, node: ast.AST) -> Value:
    """Operators of which one side is a symbolic number; MISSING where the other's own arithmetic does it."""
    if word in ("mul", "and", "or", "xor", "lshift", "rshift", "pow"):
        sequence = isinstance(a, (tuple, str)) or isinstance(b, (tuple, str))
        if sequence or word != "mul":
            known_a, known_b = deciding.concrete(m, a), deciding.concrete(m, b)
            if known_a is not MISSING and known_b is not MISSING:
                return plain(m, native, (known_a, known_b), node)
            if sequence:
                return TEXT if isinstance(a, str) or isinstance(b, str) else m.gap("a tuple of symbolic length", node)
    if type(a) is float or type(b) is float or word == "truediv":
        return Unknown("a real number of a symbolic size", _ratio(m, word, a, b), number="float")
    return MISSING


_OF_WHOLES: dict[str, Callable[[Dim, Dim], Dim]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv}
"""Operators of two whole numbers that give one."""


def _on_unknown(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    """An operator of which one side at least is not known: of texts it is a text, of numbers a number, of a tensor and a number a tensor."""
    if word == "truediv" and Model in (type(a), type(b)):  # a path and a name that is not known
        found = library_objects.model_binary(m, word, a, b, node)
        if found is not MISSING or (isinstance(a, Model) and a.kind == "pathlib.Path" and isinstance(b, Unknown) and b.text):
            return found
    if a is AFTER_ERROR or b is AFTER_ERROR:
        m.path.lost = True
        return AFTER_ERROR
    type_rules.refuse_operator(m, word, a, b, node, in_place)
    if word == "mod" and isinstance(a, str):
        return percent(m, a, b, node)
    if word in ("add", "mod", "mul") and _is_text(a, b):
        return joined_text((a, b)) if word == "add" else TEXT
    kinds = number_kind(a), number_kind(b)
    if (isinstance(a, TensorType) and kinds[1]) or (isinstance(b, TensorType) and kinds[0]):
        return on_tensors(m, word, a, b, node, in_place)
    if kinds[0] and type(a) is not TensorType and (not isinstance(b, Term) or ne(b, 0) is False):  # a count of the data is taken not to be zero
        _demand_divisor(m, word, b, node)
    if word == "mul" and "int" in kinds and (isinstance(a, List) or isinstance(b, List)):
        return containers.binary(m, word, _sized(m, a), _sized(m, b), node, in_place)
    if (not kinds[0] and type(a) is Unknown) or (not kinds[1] and type(b) is Unknown):
        if isinstance(a, TensorType) or isinstance(b, TensorType):
            return on_tensors(m, word, a, b, node, in_place)
        whole = _whole(word, whole_of(a), whole_of(b))
        if whole is not None:
            return Unknown(word, whole=whole)
    drawn = drawn_reals.moved(word, a, b)
    if drawn is None and (not all(kinds) or word not in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow") or (word == "pow" and "float" not in kinds)):
        return Unknown(word)
    made = drawn or Unknown(word, number="float" if word == "truediv" else kind_of_all(kinds, "float"))
    whole = _whole(word, held_size(m, a), held_size(m, b)) if made.number == "int" else None
    if whole is not None:
        same_size(m, made, whole)
    return made


def _sized(m: Interpreter, value: Value) -> Value:
    return size_in(m, value) if type(value) is Unknown else value


def _whole(word: str, a: Dim | None, b: Dim | None) -> Dim | None:
    """What an operator makes of two whole numbers; None where that is not one, or nothing is known."""
    if word not in _OF_WHOLES or a is None or b is None or (word == "floordiv" and lower(b) <= 0):
        return None
    return _OF_WHOLES[word](a, b)


def _is_text(a: Value, b: Value) -> bool:
    return any(isinstance(x, str) or (isinstance(x, Unknown) and x.text) for x in (a, b))


def _is_type(value: Value) -> bool:
    """Whether a value can stand in `A | B` as a type."""
    if isinstance(value, tuple):
        return bool(value) and all(_is_type(v) for v in value)
    return value is None or isinstance(value, (Named, Class, type)) or (isinstance(value, Model) and value.kind == ALIAS)


def _ratio(m: Interpreter, word: str, a: Value, b: Value) -> tuple[Dim, Dim] | None:
    """A quotient of whole numbers, a product with a short binary fraction such as 0.5, or a share such as 0.8."""
    if word == "truediv" and isinstance(b, float) and b.is_integer():
        b = int(b)
    if word == "truediv" and is_size(a) and is_size(b) and lower(b) > 0:
        return a, b
    if word == "mul":
        size, factor = (a, b) if type(a) is Term else (b, a)
        if isinstance(factor, float) and isinstance(size, Term) and math.isfinite(factor):
            above, below = factor.as_integer_ratio()
            if below <= 1024:
                return size * above, below
            found = share(m, size, factor)
            return None if found is None else (found, 1)
    return None


def _on_models(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """An operator of a library's object, as its model has it."""
    from tensorproof.libraries import registry

    for owner, other, name in ((a, b, f"__{word}__"), (b, a, f"__r{word}__")):
        if type(owner) is Model:
            kind = registry.kind_model(owner.kind)
            if kind is not None and name in kind.methods:
                return kind.methods[name](m, owner, (other,), {}, node)
    plain_a, plain_b = registry.tensor_of(a), registry.tensor_of(b)
    if plain_a is not MISSING or plain_b is not MISSING:
        return on_tensors(m, word, a if plain_a is MISSING else plain_a, b if plain_b is MISSING else plain_b, node)
    return m.gap(f"the operator {word}", node, "of a library's object")


def _on_truths(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    if word in ("and", "or") and isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)):
        return conj(a, b) if word == "and" else disj(a, b)
    from tensorproof.terms.ints import ite

    def number(x: Value) -> Any:
        return ite(x, 1, 0) if isinstance(x, Predicate) else x

    return binary(m, next(o for o, (w, _) in BINARY.items() if w == word), number(a), number(b), node)


_NOT_IN_PLACE = frozenset(BINARY[op][0] for op in (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow))


def on_tensors(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool = False) -> Value:
    found = mixed_arrays.operated(m, word, a, b, node)
    if found is MISSING and "library names" in m.model_state:
        found = _replaced(m, word, a, b, node)
    if found is not MISSING:
        return found
    owner = b if isinstance(b, TensorType) and (not isinstance(a, TensorType) or a.framework == "numpy") else a
    assert isinstance(owner, TensorType)
    home = tensors.tensor_class(owner)
    if isinstance(a, TensorType):
        if in_place and a.parameter and isinstance(a.history, OfVariable) and word in _NOT_IN_PLACE and not m.model_state.get("tf1"):
            raise m.raised("RuntimeError", "a tf.Variable has no operators in place: use assign, assign_add or assign_sub", node, "assign/in-place")
        kept = in_place and home in ("torch.Tensor", "numpy.ndarray") and not numpy_scalars.is_scalar(a)
        made = m.spelling(f"{home}.__i{word}__" if kept else f"{home}.__{word}__", (a, b), {}, node)
    else:
        made = m.spelling(f"{home}.__r{word}__", (b, a), {}, node)
    return numpy_scalars.folded(word, a, b, made) if home == "numpy.ndarray" else made


def _replaced(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """An operator that the program put into the class of tensors; MISSING where it put none there."""
    for owner, other, name in ((a, b, f"__{word}__"), (b, a, f"__r{word}__")):
        method = added(m, owner, name, node) if isinstance(owner, TensorType) else MISSING
        if method is not MISSING:
            return m.call(method, (other,), {}, node)
    return MISSING


def dunder(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool = False) -> Value:
    """An operator of the program's own objects."""
    names = ([f"__i{word}__"] if in_place else []) + [f"__{word}__"]
    if isinstance(a, Instance):
        for name in names:
            found, _ = in_class(m, a.cls, name)
            if found is not MISSING:
                result = m.call(Bound(found, a), (b,), {}, node)
                if result is not NotImplemented:
                    return result
    reflected = SWAPPED.get(word)
    if isinstance(b, Instance) and (reflected or not isinstance(a, Instance) or a.cls is not b.cls):  # of one class, only a comparison is reflected
        found, _ = in_class(m, b.cls, f"__{reflected}__" if reflected else f"__r{word}__")
        if found is not MISSING:
            result = m.call(Bound(found, b), (a,), {}, node)
            if result is not NotImplemented:
                return result
    plain_a, plain_b = registry.tensor_of(a), registry.tensor_of(b)
    if plain_a is not MISSING or plain_b is not MISSING:
        return on_tensors(m, word, a if plain_a is MISSING else plain_a, b if plain_b is MISSING else plain_b, node)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown(word)
    if a is not b and (_of_unseen_base(a) or _of_unseen_base(b)):
        return Unknown(word)
    if word in ("eq", "ne"):
        return (a is b) is (word == "eq")
    if isinstance(a, Model) or isinstance(b, Model):
        made = library_objects.model_binary(m, word, a, b, node)
        return made if made is not MISSING else m.gap(f"{word} of {type_name(a)} and {type_name(b)}", node, "what the library does is not known")
    raise m.raised("TypeError", f"the operator {word} is not defined for {type_name(a)} and {type_name(b)}", node)


def _of_unseen_base(value: Value) -> bool:
    """Whether an object's class derives from one that is not known, and that may define operators."""
    mro = value.cls.mro if isinstance(value, Instance) else ()
    return any(isinstance(one, Unknown) or (isinstance(one, Named) and registry.class_model(one.name) is None) for one in mro)


def unary(m: Interpreter, op: type[ast.unaryop], a: Value, node: ast.AST) -> Value:
    if op is ast.Not:
        if (found := traced.branches(m, a)) is not None:
            return found.opposite(m, a, node)
        return negate(truth(m, a, node))
    word, native = UNARY[op]
    match a:
        case TensorType():
            return m.spelling(f"{tensors.tensor_class(a)}.__{word}__", (a,), {}, node)
        case Unknown():
            type_rules.refuse(m, native, (a,), node)
            return drawn_reals.turned(a) if drawn_reals.is_drawn(a) else Unknown(word, number=number_kind(a))
        case Choice():
            return m.branching.choose(a.condition, lambda: unary(m, op, a.then, node), lambda: unary(m, op, a.other, node))
        case Instance():
            found, _ = in_class(m, a.cls, f"__{word}__")
            if found is MISSING:
                raise m.raised("TypeError", f"the operator {word} is not defined for {a.cls.name}", node)
            return m.call(Bound(found, a), (), {}, node)
        case Dict(counter=True) if word in ("pos", "neg"):
            signed = {k: v if word == "pos" else unary(m, op, v, node) for k, v in a.items.items()}
            known = {k: v for k, v in signed.items() if isinstance(v, int)}
            if len(known) < len(signed):
                return m.gap("Counter", node, "a count is not known")
            return Dict(m.heap.entries({k: v for k, v in known.items() if v > 0}), None, True)
        case Predicate():
            return unary(m, op, equality.number(a), node)
        case Term():
            return -a if op is ast.USub else a if op is ast.UAdd else -a - 1
        case _:
            return plain(m, native, (a,), node)


# --- truth and text ---
