"""Python's operators, truth and text, on plain values, on the program's objects and on tensors."""

from __future__ import annotations

import ast
import math
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import containers, equality, hashing, host_calls, iteration, made_of_many, mixed_arrays, numpy_scalars, questions, tensors
from tensorproof.frontends.python.powers import power
from tensorproof.frontends.python.shares import share
from tensorproof.frontends.python.tensor_numbers import repeated
from tensorproof.libraries import library_objects, registry, torch_sizes
from tensorproof.program.form import Asked
from tensorproof.terms.ints import Term, lower
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, gt, ne, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.many import length, uncounted
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, REAL, TEXT, Layer, Method, Named, Union, Unknown
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

BINARY: dict[type[ast.operator], tuple[str, Any]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul), ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv), ast.Mod: ("mod", operator.mod), ast.Pow: ("pow", operator.pow),
    ast.MatMult: ("matmul", operator.matmul), ast.BitAnd: ("and", operator.and_), ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor), ast.LShift: ("lshift", operator.lshift), ast.RShift: ("rshift", operator.rshift),
}  # fmt: skip
UNARY: dict[type[ast.unaryop], tuple[str, Any]] = {
    ast.USub: ("neg", operator.neg), ast.UAdd: ("pos", operator.pos), ast.Invert: ("invert", operator.invert),
}  # fmt: skip
SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def binary(m: Interpreter, op: type[ast.operator], a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
    word, native = BINARY[op]
    kind_a, kind_b = type(a), type(b)
    if kind_a is int and kind_b is int:
        return plain(m, native, (a, b), node)
    if kind_a is Choice:
        return m.branching.choose(a.condition, lambda: binary(m, op, a.then, b, node, in_place), lambda: binary(m, op, a.other, b, node, in_place))
    if kind_b is Choice:
        return m.branching.choose(b.condition, lambda: binary(m, op, a, b.then, node, in_place), lambda: binary(m, op, a, b.other, node, in_place))
    if kind_a is Instance or (kind_b is Instance and not (kind_a is str and word == "mod")):
        return dunder(m, word, a, b, node, in_place)
    if word == "truediv" and kind_a is Model and a.kind == "pathlib.Path" and kind_b is Unknown and b.text:
        return library_objects.model_binary(m, word, a, b, node)
    if kind_a is Unknown or kind_b is Unknown:
        if word == "truediv" and Model in (kind_a, kind_b):  # a path and a name that is not known
            found = library_objects.model_binary(m, word, a, b, node)
            if found is not MISSING:
                return found
        return _on_unknown(m, word, a, b, node, in_place)
    if kind_a is Model or kind_b is Model:
        found = library_objects.model_binary(m, word, a, b, node)
        if found is not MISSING:
            return found
    if op is ast.BitOr and _is_type(a) and _is_type(b):
        sides = (*(a if isinstance(a, tuple) else (a,)), *(b if isinstance(b, tuple) else (b,)))
        return Union(type(None) if side is None else side for side in sides)
    if kind_a is Named or kind_b is Named:
        return not_modelled(m, a if kind_a is Named else b, node)
    if kind_a is str and word == "mod":
        return _percent(m, a, b, node)
    if kind_a is TensorType or kind_b is TensorType:
        many = repeated(m, a, b, node) if word == "mul" else MISSING
        return on_tensors(m, word, a, b, node, in_place) if many is MISSING else many
    if kind_a is Layer and word == "add" and a.module is None:
        return (
            m.call(m.attribute(a, "extend", node), (b,), {}, node)
            if in_place
            else m.call(Named(a.kind), ([*a.children, *(m.iterate(b, node) or ())],), {}, node)
        )
    if word == "add" and TensorShape in (kind_a, kind_b) and (kind_a is List or kind_b is List):
        return TensorShape((*(a.items if kind_a is List else a), *(b.items if kind_b is List else b)))
    if kind_a in (List, Dict, Set) or kind_b in (List, Dict, Set):
        return containers.binary(m, word, a, b, node, in_place)
    if isinstance(a, Predicate) or isinstance(b, Predicate):
        return _on_truths(m, word, a, b, node)
    if kind_a is Model or kind_b is Model:
        return _on_models(m, word, a, b, node)
    if word in ("floordiv", "mod", "truediv") and Term in (kind_a, kind_b) and kind_a in (int, Term, bool, float) and kind_b in (int, Term, bool):
        m.demand("ZeroDivisionError", ne(b, 0), f"the divisor {b!r} may be zero" if kind_b is Term else "the divisor is zero", node)
    if word == "pow" and (raised := power(m, a, b, node)) is not MISSING:
        return raised
    if Term in (kind_a, kind_b) and word in ("mul", "and", "or", "xor", "lshift", "rshift", "pow"):
        sequence = isinstance(a, (tuple, str)) or isinstance(b, (tuple, str))
        if sequence or word != "mul":
            known_a, known_b = iteration.concrete(m, a), iteration.concrete(m, b)
            if known_a is not MISSING and known_b is not MISSING:
                return plain(m, native, (known_a, known_b), node)
            if sequence:
                return TEXT if isinstance(a, str) or isinstance(b, str) else m.gap("a tuple of symbolic length", node)
    if (kind_a is Term and kind_b is float) or (kind_a is float and kind_b is Term) or (word == "truediv" and Term in (kind_a, kind_b)):
        return Unknown("a real number of a symbolic size", _ratio(m, word, a, b), number="float")
    made = plain(m, native, (a, b), node)
    return torch_sizes.like(m, a if torch_sizes.is_sizes(m, a) else b, made) if kind_a is tuple and word == "add" else made


def _percent(m: Interpreter, text: str, values: Any, node: ast.AST) -> Any:
    from tensorproof.frontends.python.formatting import percent

    return percent(m, text, values, node)


def number_kind(value: Any) -> str:
    """Whether a value is a real ("float") or a whole ("int") number of Python, known or not; "" if that cannot be told."""
    if isinstance(value, Unknown):
        return "float" if value.ratio is not None else value.number
    if isinstance(value, TensorType):  # a number of NumPy
        scalar = value.framework == "numpy" and value.shape.known and not value.shape and value.dtype is not None
        return {"f": "float", "i": "int", "u": "int"}.get(value.dtype.kind, "") if scalar and value.dtype is not None else ""
    if type(value) is Choice:
        kinds = number_kind(value.then), number_kind(value.other)
        return kinds[0] if kinds[0] == kinds[1] else ""
    return "float" if isinstance(value, float) else "int" if isinstance(value, (int, Term)) else ""


def _on_unknown(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST, in_place: bool) -> Any:
    """An operator of which one side at least is not known: of texts it is a text, of numbers a number, of a tensor and a number a tensor."""
    if a is AFTER_ERROR or b is AFTER_ERROR:
        m.path.lost = True
        return AFTER_ERROR
    if word in ("add", "mod", "mul") and _is_text(a, b):
        return TEXT
    kinds = number_kind(a), number_kind(b)
    if (isinstance(a, TensorType) and kinds[1]) or (isinstance(b, TensorType) and kinds[0]):
        return on_tensors(m, word, a, b, node, in_place)
    for kind, other in zip(kinds, (b, a)):
        if kind == "float" and (other is None or isinstance(other, (tuple, str, List, Dict, Set))):
            raise m.raised("TypeError", f"the operator {word} is not defined for a float and a {type_name(other)}", node)
    if not all(kinds) or word not in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow") or (word == "pow" and "float" not in kinds):
        return Unknown(word)
    return Unknown(word, number="float" if word == "truediv" or "float" in kinds else "int")


def _is_text(a: Any, b: Any) -> bool:
    return any(isinstance(x, str) or (isinstance(x, Unknown) and x.text) for x in (a, b))


def _is_type(value: Any) -> bool:
    """Whether a value can stand in `A | B` as a type."""
    return (
        value is None
        or isinstance(value, (Named, Class, type))
        or (isinstance(value, tuple) and bool(value) and all(isinstance(v, (Named, Class, type)) for v in value))
    )


def _ratio(m: Interpreter, word: str, a: Any, b: Any) -> tuple[Any, Any] | None:
    """A quotient of whole numbers, a product with a short binary fraction such as 0.5, or a share such as 0.8."""
    if word == "truediv" and type(b) is float and b.is_integer():
        b = int(b)
    if word == "truediv" and type(a) in (int, Term) and type(b) in (int, Term) and lower(b) > 0:
        return a, b
    if word == "mul":
        size, factor = (a, b) if type(a) is Term else (b, a)
        if type(factor) is float and math.isfinite(factor):
            above, below = factor.as_integer_ratio()
            if below <= 1024:
                return size * above, below
            found = share(m, size, factor)
            return None if found is None else (found, 1)
    return None


def _on_models(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Any:
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


def _on_truths(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Any:
    if word in ("and", "or") and isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)):
        return conj(a, b) if word == "and" else disj(a, b)
    from tensorproof.terms.ints import ite

    def number(x: Any) -> Any:
        return ite(x, 1, 0) if isinstance(x, Predicate) else x

    return binary(m, next(o for o, (w, _) in BINARY.items() if w == word), number(a), number(b), node)


def on_tensors(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
    mixed = mixed_arrays.operated(m, word, a, b, node)
    if mixed is not MISSING:
        return mixed
    owner = a
    if not isinstance(a, TensorType) or (isinstance(b, TensorType) and a.framework == "numpy"):
        owner = b if isinstance(b, TensorType) else a
    home = tensors.tensor_class(owner)
    if isinstance(a, TensorType):
        kept = in_place and home in ("torch.Tensor", "numpy.ndarray") and not numpy_scalars.is_scalar(a)
        made = m.spelling(f"{home}.__i{word}__" if kept else f"{home}.__{word}__", (a, b), {}, node)
    else:
        made = m.spelling(f"{home}.__r{word}__", (b, a), {}, node)
    return numpy_scalars.folded(word, a, b, made) if home == "numpy.ndarray" else made


def dunder(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
    """An operator of the program's own objects."""
    from tensorproof.frontends.python.attributes import in_class

    names = ([f"__i{word}__"] if in_place else []) + [f"__{word}__"]
    if isinstance(a, Instance):
        for name in names:
            found, _ = in_class(m, a.cls, name)
            if found is not MISSING:
                result = m.call(Bound(found, a), (b,), {}, node)
                if result is not NotImplemented:
                    return result
    if isinstance(b, Instance):
        reflected = SWAPPED.get(word)
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
    if word in ("eq", "ne"):
        return (a is b) is (word == "eq")
    raise m.raised("TypeError", f"the operator {word} is not defined for {type_name(a)} and {type_name(b)}", node)


def type_name(value: Any) -> str:
    if isinstance(value, Instance):
        return str(value.cls.name)
    return {"List": "list", "Dict": "dict", "Set": "set", "NoneType": "None"}.get(type(value).__name__, type(value).__name__)


def unary(m: Interpreter, op: type[ast.unaryop], a: Any, node: ast.AST) -> Any:
    if op is ast.Not:
        return negate(truth(m, a, node))
    word, native = UNARY[op]
    match a:
        case TensorType():
            return m.spelling(f"{tensors.tensor_class(a)}.__{word}__", (a,), {}, node)
        case Unknown():
            return Unknown(word, number=number_kind(a))
        case Choice():
            return m.branching.choose(a.condition, lambda: unary(m, op, a.then, node), lambda: unary(m, op, a.other, node))
        case Instance():
            from tensorproof.frontends.python.attributes import in_class

            found, _ = in_class(m, a.cls, f"__{word}__")
            if found is MISSING:
                raise m.raised("TypeError", f"the operator {word} is not defined for {a.cls.name}", node)
            return m.call(Bound(found, a), (), {}, node)
        case Dict(counter=True) if word in ("pos", "neg"):
            signed = {k: v if word == "pos" else unary(m, op, v, node) for k, v in a.items.items()}
            known = all(isinstance(v, int) for v in signed.values())
            return Dict(m.heap.entries({k: v for k, v in signed.items() if v > 0}), None, True) if known else m.gap("Counter", node, "a count is not known")
        case Predicate():
            return unary(m, op, equality.number(a), node)
        case Term():
            return -a if op is ast.USub else a if op is ast.UAdd else -a - 1
        case _:
            return plain(m, native, (a,), node)


def is_opaque(value: Any) -> bool:
    """A library's name of which nobody knows what it stands for: no operator, no modelled function or class."""
    if type(value) is not Named:
        return False
    from tensorproof.bindings.call import spelled

    name = value.name
    return not (name.rpartition(".")[2][:1].isupper() or spelled(name) or registry.function(name) is not None or registry.class_model(name) is not None)


def not_modelled(m: Interpreter, value: Named, node: ast.AST) -> Unknown:
    """A value of a library is needed that has no model."""
    return m.gap(value.name, node, "no model")


# --- truth and text ---


def truth(m: Interpreter, value: Any, node: ast.AST) -> Truth:
    """The truth of a value: known, a predicate, or an open question that gets a name."""
    match value:
        case bool() | Predicate():
            return value
        case Unknown():
            return questions.truth(m, value, node)
        case Term():
            return ne(value, 0)
        case TensorType():
            if value.framework == "keras":
                raise m.raised("TypeError", "a symbolic KerasTensor has no truth value: its contents are not known while a model is made", node)
            value = m.memory.current(value)
            if value.contents is not None and len(value.contents) == 1 and not isinstance(value.contents[0], Term):
                return bool(value.contents[0])
            if value.shape.concrete and value.shape.numel != 1:
                raise m.raised("RuntimeError", f"the truth of a tensor of shape {value.shape!r} is not one value", node, "python/truth")
            asked = m.open_truth("tensor", node)
            if m.path.program is not None:
                m.path.program.add(Asked(value, asked))
            return asked
        case List() | Set() | Dict():
            held = value.items.values() if isinstance(value, Dict) else value.items
            if not uncounted(held):
                return bool(value.items)
            count = length(held)
            return m.open_truth("items", node) if isinstance(count, Unknown) else gt(count, 0)
        case tuple() if uncounted(value):
            count = length(value)
            return m.open_truth("items", node) if isinstance(count, Unknown) else gt(count, 0)
        case Choice():
            a, b = truth(m, value.then, node), truth(m, value.other, node)
            return disj(conj(value.condition, a), conj(negate(value.condition), b))
        case Instance():
            from tensorproof.frontends.python.attributes import in_class

            for name in ("__bool__", "__len__"):
                found, _ = in_class(m, value.cls, name)
                if found is not MISSING:
                    return truth(m, m.call(Bound(found, value), (), {}, node), node)
            return True
        case Class() | Function():
            return True
        case Named() if is_opaque(value):
            return m.open_truth(value.name, node)
        case _:
            known = registry.truth(m, value)
            return bool(value) if known is MISSING else m.open_truth(known.reason, node) if isinstance(known, Unknown) else known


_REALS = {"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "tanh", "atan", "atan2", "hypot", "degrees", "radians", "pow"}
"""Functions of math that give a real number when they give anything."""


def _real_or_unknown(function: Any) -> Unknown:
    name = getattr(function, "__name__", "operator")
    return REAL if name in _REALS and getattr(function, "__module__", "") == "math" else Unknown(name)


def plain(m: Interpreter, function: Any, args: tuple[Any, ...], node: ast.AST, kwargs: dict[str, Any] | None = None) -> Any:
    """Run a pure function of Python on plain values. What it raises, the program raises."""
    large = host_calls.too_large(function, args, kwargs)
    if large is not None:
        m.gap(getattr(function, "__name__", "operator"), node, "the result would be too large")
        return large
    try:
        return function(*args, **(kwargs or {}))
    except (MemoryError, RecursionError) as error:
        return m.gap(getattr(function, "__name__", "operator"), node, f"the call ends with a {type(error).__name__} in the analysis")
    except Exception as error:
        if any(isinstance(a, Unknown) for a in args):
            return _real_or_unknown(function)
        if any(type(a) in (Term, Predicate) for a in args) and not _refused(function, args, kwargs or {}):
            return _real_or_unknown(function)
        named = next((a for a in args if isinstance(a, Named)), None)
        if named is not None:
            return not_modelled(m, named, node)
        if any(isinstance(a, (Model, Layer, Method)) for a in args):
            return m.gap(getattr(function, "__name__", "operator"), node, "of a library's object")
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None


def _refused(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function does not take whole numbers in the place of symbols."""
    try:
        function(*(1 if type(a) is Term else True if isinstance(a, Predicate) else a for a in args), **kwargs)
    except TypeError:
        return True
    except Exception:
        return False
    return False


def make_list(m: Interpreter, items: Any) -> List:
    return List(m.heap.row(items))


def make_set(m: Interpreter, items: Any, node: ast.AST, frozen: bool = False) -> Any:
    made = Set(m.heap.row(), frozen)
    for item in items:
        if isinstance(item, Unknown):
            return Set(m.heap.row(made_of_many.distinct(m, list(items), node)), frozen)
        if isinstance(item, (List, Dict, Instance, TensorType)):
            hashing.refuse_unhashable(m, item, node)
        if not any(equality.same_member(m, item, other, node) for other in made.items):
            made.items.append(item)
    return made
