"""Which of Python's own functions run as they are on the program's plain values, and how large their results may become.

A function runs only if it is on the list: it is pure, reads and prints nothing, and ends. Where a result may grow with a number in the arguments,
its size is estimated before the call; a result that would be too large is an unknown value of its kind, and a gap.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
import os
import re
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.libraries import registry
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Model
from tensorproof.values.python_values import REAL, TEXT, Layer, Method, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


MOST_BITS = BUDGETS.containers.bits
MOST_LETTERS = BUDGETS.containers.letters
WIDEST = BUDGETS.containers.field_width

_BUILTINS = (
    "abs", "ascii", "bin", "bool", "bytes", "chr", "complex", "divmod", "float", "format", "frozenset", "hash", "hex", "int", "len", "max", "min", "oct",
    "ord", "pow", "range", "repr", "round", "slice", "str", "sum", "tuple",
)  # fmt: skip
_PLAIN_TYPES = {str, bytes, int, float, complex, bool, range, slice, tuple, frozenset, type(None), type(Ellipsis)}
"""Types whose public methods are pure."""
_COMPLEX = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "isclose", "isfinite", "isinf", "isnan", "log", "log10", "phase", "polar", "rect",
    "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_PLAIN_NAMES = {
    ("fractions", "Fraction"), ("_struct", "Struct"), ("string", "Template"), ("string", "capwords"), ("_bisect", "bisect_left"), ("_bisect", "bisect_right"),
    *(("cmath", name) for name in _COMPLEX),
}  # fmt: skip
"""Classes and functions of pure modules, by name: they are seldom needed and cost time to import."""
_DUNDERS = {
    **{f"__{name.strip('_')}__": getattr(operator, name) for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "neg", "pos", "invert", "eq", "ne", "lt", "le",
        "gt", "ge", "contains", "getitem", "abs", "index")},
    "__len__": len, "__str__": str, "__repr__": repr, "__hash__": hash, "__int__": int, "__float__": float, "__bool__": bool, "__format__": format,
    "__round__": round, "__divmod__": divmod,
}  # fmt: skip
"""Special methods of plain values, as the functions that they are."""


def _public(module: ModuleType) -> list[Value]:
    return [value for name, value in vars(module).items() if not name.startswith("_") and callable(value) and not isinstance(value, type)]


_PURE: set[Value] = {
    *(getattr(builtins, name) for name in _BUILTINS), *_public(math), *_public(operator), re.escape,
    *(getattr(os.path, name) for name in (
        "join", "basename", "dirname", "split", "splitext", "splitdrive", "normpath", "normcase", "abspath", "realpath", "relpath", "expanduser", "expandvars",
        "isabs", "commonprefix", "commonpath")),
}  # fmt: skip


def resolved(function: Value, args: tuple[Value, ...]) -> tuple[Value, tuple[Value, ...]] | None:
    """The pure function that a call runs, and its arguments; None for one that is not on the list."""
    if (_hashable(function) and function in _PURE) or _named(function):
        return function, args
    name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", MISSING)
    if isinstance(owner, type):  # int.from_bytes
        return (function, args) if _is_plain(owner) and name in _OF_CLASSES else None
    if owner is not MISSING:  # "x".upper
        if not _is_plain(type(owner)) and not isinstance(owner, tuple):
            return None
        if name in _DUNDERS:
            return _DUNDERS[name], (owner, *args)
    else:  # str.upper
        home = getattr(function, "__objclass__", None)
        if home is None or not _is_plain(home):
            return None
        if name in _DUNDERS:
            return _DUNDERS[name], args
    return None if name.startswith("_") else (function, args)


_OF_CLASSES = ("from_bytes", "fromhex", "maketrans", "from_float", "from_decimal")


def _named(item: Value) -> bool:
    return (getattr(item, "__module__", None), getattr(item, "__name__", None)) in _PLAIN_NAMES


def _is_plain(kind: type) -> bool:
    return kind in _PLAIN_TYPES or _named(kind)


def _is_fraction(value: Value) -> bool:
    return type(value).__module__ == "fractions"


def _hashable(value: Value) -> bool:
    try:
        hash(value)
    except Exception:
        return False
    return True


def too_large(function: Value, args: tuple[Value, ...], kwargs: dict[str, Value] | None = None) -> Unknown | None:
    """An unknown value in place of a result that would be too large; None when the call stays within bounds."""
    guard = _fraction if _named(function) else _GUARDS.get(function) if _hashable(function) else None
    if guard is None:
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        guard = _METHODS.get(name)
        if guard is None or (not isinstance(owner, (str, bytes, int, range)) and getattr(function, "__objclass__", None) not in (str, bytes, int, range)):
            return None
        if not isinstance(owner, type) and owner is not None:
            args = (owner, *args)
    try:
        return guard(*args, **(kwargs or {}))
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
        return None  # the call itself says what is wrong with its arguments


# --- estimates ---

_WHOLE = Unknown("a whole number that is too long to compute", number="int")


def _bits(value: Any) -> int:
    if _is_fraction(value):
        return int(max(value.numerator.bit_length(), value.denominator.bit_length()))
    return value.bit_length() if isinstance(value, int) else 0


def _long(bits: float) -> Unknown | None:
    return _WHOLE if bits > MOST_BITS else None


def _power(a: Value, b: Value, modulus: Value = None) -> Unknown | None:
    if modulus is not None:
        return _long(max(_bits(a), _bits(b), _bits(modulus)) * 16)
    return _long(max(_bits(a), 1) * abs(b)) if isinstance(b, int) and _bits(a) > 1 else None


def _shifted(a: Value, b: Value) -> Unknown | None:
    return _long(_bits(a) + b) if isinstance(a, int) and isinstance(b, int) else None


def _product(a: Value, b: Value) -> Unknown | None:
    for sequence, count in ((a, b), (b, a)):
        if isinstance(sequence, (str, bytes, tuple)) and isinstance(count, int):
            return _sized(sequence, len(sequence) * count)
    return _long(_bits(a) + _bits(b))


def _sized(like: Value, length: int) -> Unknown | None:
    if length <= MOST_LETTERS:
        return None
    return TEXT if isinstance(like, str) else Unknown(f"a {type(like).__name__} that is too long to compute")


def _sum(a: Value, b: Any) -> Unknown | None:
    return _sized(a, len(a) + len(b)) if isinstance(a, (str, bytes, tuple)) else None


def _remainder(a: Value, b: Value) -> Unknown | None:
    """`%` of a text is formatting."""
    if not isinstance(a, (str, bytes)):
        return None
    if isinstance(a, bytes):
        a = a.decode("latin-1")
    numbers = b if isinstance(b, tuple) else (b,)
    starred = "*" in a and any(isinstance(n, int) and abs(n) > WIDEST for n in numbers)
    return TEXT if starred or _wide(a) else None


def _wide(spec: str) -> bool:
    """Whether a format asks for a field that is too wide: several such fields may stand in one text."""
    return len(spec) > 5 and sum(int(found[:18]) for found in re.findall(r"\d+", spec)) > WIDEST


def _formatted(value: Value, spec: Value = "") -> Unknown | None:
    return TEXT if isinstance(spec, str) and _wide(spec) else None


def _format_method(text: Value, *args: Value, **named: Value) -> Unknown | None:
    if not isinstance(text, str):
        return None
    nested = re.search(r":[^{}]*\{", text) is not None and any(isinstance(n, int) and abs(n) > WIDEST for n in (*args, *named.values()))
    fields = text.count("{") * max((len(a) for a in (*args, *named.values()) if isinstance(a, (str, bytes, tuple, list, dict))), default=0)
    return TEXT if nested or _wide(text) or fields > MOST_LETTERS else None


def _padded(text: Value, width: Any, *rest: Value) -> Unknown | None:
    return _sized(text, width)


def _replaced(text: Any, old: Value, new: Any, count: Any = -1) -> Unknown | None:
    most = text.count(old) if old else len(text) + 1
    return _sized(text, len(text) + (most if count < 0 else min(most, count)) * len(new))


def _joined(text: Any, items: Value) -> Unknown | None:
    return _sized(text, sum(len(i) for i in items) + len(text) * len(items)) if isinstance(items, (list, tuple, dict, set)) else None


def _translated(text: Any, table: Value) -> Unknown | None:
    return _sized(text, len(text) * max((len(v) for v in table.values() if isinstance(v, str)), default=1)) if isinstance(table, dict) else None


def _factorial(n: Value) -> Unknown | None:
    return _long(n * max(_bits(n), 1)) if isinstance(n, int) else None


def _chosen(n: Any, k: Any = None) -> Unknown | None:
    return _long((n if k is None else min(n, abs(k))) * max(_bits(n), 1))


def _multiplied(items: Value, start: Value = 1, **named: Value) -> Unknown | None:
    return _long(sum(_bits(i) for i in items)) if isinstance(items, (list, tuple)) else _WHOLE if isinstance(items, range) and len(items) > 1000 else None


def _rounded(value: Value, digits: Value = None) -> Unknown | None:
    return _long(4 * abs(digits)) if (isinstance(value, int) or _is_fraction(value)) and isinstance(digits, int) else None


def _fraction(value: Value = 0, *rest: Value) -> Unknown | None:
    if not isinstance(value, str):
        return None
    exponent = re.search(r"[eE][-+]?(\d+)", value)
    return Unknown("a fraction that is too long to compute", number="float") if exponent and int(exponent[1][:18]) > 4000 else None


def _bytes(value: Value = b"", *rest: Value) -> Unknown | None:
    return _sized(b"", value if isinstance(value, int) else len(value) if isinstance(value, range) else 0)


def _to_bytes(value: Value, length: Any = 1, *rest: Value, **named: Value) -> Unknown | None:
    return _sized(b"", length)


def _member(container: Value, item: Value) -> Unknown | None:
    """Only whole numbers are looked up in a range without walking over it."""
    walked = isinstance(container, range) and not isinstance(item, int) and (not container or abs(container[-1] - container[0]) > MOST_LETTERS)
    return Unknown("whether a range holds it") if walked else None


def _walked(*args: Value, **named: Value) -> Unknown | None:
    """A function that walks over a range."""
    long = any(isinstance(a, range) and a and abs(a[-1] - a[0]) // abs(a.step) > MOST_LETTERS for a in args)
    return Unknown("a walk over a long range", number="int") if long else None


_GUARDS: dict[Value, Callable[..., Unknown | None]] = {
    pow: _power, operator.pow: _power, operator.lshift: _shifted, operator.mul: _product, operator.add: _sum, operator.concat: _sum,
    operator.mod: _remainder, format: _formatted, math.factorial: _factorial, math.comb: _chosen, math.perm: _chosen, math.prod: _multiplied,
    round: _rounded, bytes: _bytes, operator.contains: _member,
    **dict.fromkeys((
        sum, max, min, tuple, frozenset, math.fsum, operator.countOf, operator.indexOf, math.gcd, math.lcm, math.dist,
    ), _walked),
}  # fmt: skip
_METHODS: dict[str, Callable[..., Unknown | None]] = {
    **dict.fromkeys(("ljust", "rjust", "center", "zfill"), _padded), "format": _format_method,
    "expandtabs": lambda text, size=8: _sized(text, len(text) + text.count("\t" if isinstance(text, str) else b"\t") * size),
    "format_map": lambda text, table: _format_method(text, **table), "replace": _replaced, "join": _joined, "translate": _translated,
    "to_bytes": _to_bytes, "index": _member, "count": _member,
}  # fmt: skip


def is_opaque(value: Value) -> bool:
    """A library's name without a meaning here: not an operator, nor a modelled function or class."""
    if type(value) is not Named:
        return False
    from tensorproof.bindings.call import spelled

    name = value.name
    return not (name.rpartition(".")[2][:1].isupper() or spelled(name) or registry.function(name) is not None or registry.class_model(name) is not None)


def not_modelled(m: Interpreter, value: Named, node: ast.AST) -> Unknown:
    """A value of a library is needed that has no model."""
    return m.gap(value.name, node, "no model")


_REALS = {"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "tanh", "atan", "atan2", "hypot", "degrees", "radians", "pow"}
"""Functions of math that give a real number when they give anything."""


def _real_or_unknown(function: Value) -> Unknown:
    name = getattr(function, "__name__", "operator")
    return REAL if name in _REALS and getattr(function, "__module__", "") == "math" else Unknown(name)


def plain(m: Interpreter, function: Any, args: tuple[Value, ...], node: ast.AST, kwargs: dict[str, Value] | None = None) -> Value:
    """Run a pure function of Python on plain values. What it raises, the program raises."""
    large = too_large(function, args, kwargs)
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


def _refused(function: Any, args: tuple[Value, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function does not take whole numbers in the place of symbols."""
    try:
        function(*(1 if type(a) is Term else True if isinstance(a, Predicate) else a for a in args), **kwargs)
    except TypeError:
        return True
    except Exception:
        return False
    return False
