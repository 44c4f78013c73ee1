"""Which of Python's own functions run as they are on the program's plain values, and how large their results may become.

A function runs only if it is on the list: it is pure, reads and prints nothing, and ends. Where a result may grow with a number in the arguments,
its size is estimated before the call; a result that would be too large is an unknown value of its kind, and a gap.
"""

from __future__ import annotations

import builtins
import math
import operator
import os
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tensorproof.values.heap import MISSING
from tensorproof.values.python_values import TEXT, Unknown

MOST_BITS = 65_536
"""The longest whole number that is computed."""
MOST_LETTERS = 1_000_000
"""The longest text, bytes or tuple that is computed."""
WIDEST = 100_000
"""The widest field of a formatted text."""

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


def _public(module: ModuleType) -> list[Any]:
    return [value for name, value in vars(module).items() if not name.startswith("_") and callable(value) and not isinstance(value, type)]


_PURE: set[Any] = {
    *(getattr(builtins, name) for name in _BUILTINS), *_public(math), *_public(operator), re.escape,
    *(getattr(os.path, name) for name in (
        "join", "basename", "dirname", "split", "splitext", "splitdrive", "normpath", "normcase", "abspath", "realpath", "relpath", "expanduser", "expandvars",
        "isabs", "commonprefix", "commonpath")),
}  # fmt: skip


def resolved(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]] | None:
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


def _named(item: Any) -> bool:
    return (getattr(item, "__module__", None), getattr(item, "__name__", None)) in _PLAIN_NAMES


def _is_plain(kind: type) -> bool:
    return kind in _PLAIN_TYPES or _named(kind)


def _is_fraction(value: Any) -> bool:
    return type(value).__module__ == "fractions"


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except Exception:
        return False
    return True


def too_large(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Unknown | None:
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


def _power(a: Any, b: Any, modulus: Any = None) -> Unknown | None:
    if modulus is not None:
        return _long(max(_bits(a), _bits(b), _bits(modulus)) * 16)
    return _long(max(_bits(a), 1) * abs(b)) if isinstance(b, int) and _bits(a) > 1 else None


def _shifted(a: Any, b: Any) -> Unknown | None:
    return _long(_bits(a) + b) if isinstance(a, int) and isinstance(b, int) else None


def _product(a: Any, b: Any) -> Unknown | None:
    for sequence, count in ((a, b), (b, a)):
        if isinstance(sequence, (str, bytes, tuple)) and isinstance(count, int):
            return _sized(sequence, len(sequence) * count)
    return _long(_bits(a) + _bits(b))


def _sized(like: Any, length: int) -> Unknown | None:
    if length <= MOST_LETTERS:
        return None
    return TEXT if isinstance(like, str) else Unknown(f"a {type(like).__name__} that is too long to compute")


def _sum(a: Any, b: Any) -> Unknown | None:
    return _sized(a, len(a) + len(b)) if isinstance(a, (str, bytes, tuple)) else None


def _remainder(a: Any, b: Any) -> Unknown | None:
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


def _formatted(value: Any, spec: Any = "") -> Unknown | None:
    return TEXT if isinstance(spec, str) and _wide(spec) else None


def _format_method(text: Any, *args: Any, **named: Any) -> Unknown | None:
    if not isinstance(text, str):
        return None
    nested = re.search(r":[^{}]*\{", text) is not None and any(isinstance(n, int) and abs(n) > WIDEST for n in (*args, *named.values()))
    fields = text.count("{") * max((len(a) for a in (*args, *named.values()) if isinstance(a, (str, bytes, tuple, list, dict))), default=0)
    return TEXT if nested or _wide(text) or fields > MOST_LETTERS else None


def _padded(text: Any, width: Any, *rest: Any) -> Unknown | None:
    return _sized(text, width)


def _replaced(text: Any, old: Any, new: Any, count: Any = -1) -> Unknown | None:
    most = text.count(old) if old else len(text) + 1
    return _sized(text, len(text) + (most if count < 0 else min(most, count)) * len(new))


def _joined(text: Any, items: Any) -> Unknown | None:
    return _sized(text, sum(len(i) for i in items) + len(text) * len(items)) if isinstance(items, (list, tuple, dict, set)) else None


def _translated(text: Any, table: Any) -> Unknown | None:
    return _sized(text, len(text) * max((len(v) for v in table.values() if isinstance(v, str)), default=1)) if isinstance(table, dict) else None


def _factorial(n: Any) -> Unknown | None:
    return _long(n * max(_bits(n), 1)) if isinstance(n, int) else None


def _chosen(n: Any, k: Any = None) -> Unknown | None:
    return _long((n if k is None else min(n, abs(k))) * max(_bits(n), 1))


def _multiplied(items: Any, start: Any = 1, **named: Any) -> Unknown | None:
    return _long(sum(_bits(i) for i in items)) if isinstance(items, (list, tuple)) else _WHOLE if isinstance(items, range) and len(items) > 1000 else None


def _rounded(value: Any, digits: Any = None) -> Unknown | None:
    return _long(4 * abs(digits)) if (isinstance(value, int) or _is_fraction(value)) and isinstance(digits, int) else None


def _fraction(value: Any = 0, *rest: Any) -> Unknown | None:
    if not isinstance(value, str):
        return None
    exponent = re.search(r"[eE][-+]?(\d+)", value)
    return Unknown("a fraction that is too long to compute", number="float") if exponent and int(exponent[1][:18]) > 4000 else None


def _bytes(value: Any = b"", *rest: Any) -> Unknown | None:
    return _sized(b"", value if isinstance(value, int) else len(value) if isinstance(value, range) else 0)


def _to_bytes(value: Any, length: Any = 1, *rest: Any, **named: Any) -> Unknown | None:
    return _sized(b"", length)


def _member(container: Any, item: Any) -> Unknown | None:
    """Only whole numbers are looked up in a range without walking over it."""
    walked = isinstance(container, range) and not isinstance(item, int) and (not container or abs(container[-1] - container[0]) > MOST_LETTERS)
    return Unknown("whether a range holds it") if walked else None


def _walked(*args: Any, **named: Any) -> Unknown | None:
    """A function that walks over a range."""
    long = any(isinstance(a, range) and a and abs(a[-1] - a[0]) // abs(a.step) > MOST_LETTERS for a in args)
    return Unknown("a walk over a long range", number="int") if long else None


_GUARDS: dict[Any, Callable[..., Unknown | None]] = {
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
