"""torch.Size, and the constructors of old that take one: `torch.FloatTensor(x.size())`, `torch.LongTensor(n)`, `x.new(2, 3)`.

A size is a plain tuple that the machine remembers to be one: what is not remembered (a tuple that two paths joined) may be either.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.model import ClassModel, Run
from tensorproof.libraries.whole_numbers import size_in
from tensorproof.terms.ints import Term
from tensorproof.values import Args, Kwargs, List, Machine, Native, Unknown, Value


def sizes(m: Machine, value: Any) -> tuple[Value, ...]:
    """These sizes as a torch.Size."""
    made = (*value,)
    m.sizes[id(made)] = made
    return made


def is_sizes(m: Machine, value: Value) -> bool:
    return m.sizes.get(id(value)) is value and type(value) is tuple and bool(value)


def like(m: Machine, source: Value, made: Value) -> Value:
    """A part of a torch.Size, or its sum with a tuple, is one too."""
    return sizes(m, made) if type(made) is tuple and made and is_sizes(m, source) else made


def is_instance(m: Machine, value: Value) -> Value:
    """`isinstance(value, torch.Size)`."""
    if type(value) is not tuple:
        return Unknown("isinstance") if isinstance(value, Unknown) else False
    if is_sizes(m, value) or not all(type(v) in (int, Term) for v in value):
        return is_sizes(m, value)
    return Unknown("isinstance")


def _make(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node) if args else []
    return Unknown("Size") if found is None else sizes(m, found)


def _legacy(name: str, m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    skip = 1 if name == "torch.Tensor.new" else 0
    given = args[skip:]
    if len(given) == 1 and is_sizes(m, given[0]):
        given = given[0]
    if given and all(type(v) in (int, Term) or (isinstance(v, Unknown) and v.number == "int") for v in given):
        given = tuple(size_in(m, v) if isinstance(v, Unknown) else v for v in given)
    return m.spelling(name, (*args[:skip], *given), kwargs, node)


def _repeated(count: int, m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    """`torch.nn.modules.utils._pair` and its like: a number so many times, and a sequence as a tuple."""
    given = args[0] if args else kwargs.get("x")
    if isinstance(given, Unknown) and given.number != "int":
        return Unknown("sizes")
    if isinstance(given, (tuple, List)):
        items = m.iterate(given, node)
        return Unknown("sizes") if items is None else tuple(items)
    return (given,) * count


_REPEATED = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}
LEGACY = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16", "LongTensor": "int64", "IntTensor": "int32",
    "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool",
}  # fmt: skip
"""The types of old, with their element types."""
CLASSES = {"torch.Tensor": ClassModel("torch.Tensor", closed=False)}
FUNCTIONS: dict[str, Run] = {
    "torch.Size": _make, **{f"torch.{n}": partial(_legacy, f"torch.{n}") for n in ("Tensor", *LEGACY)},
    "torch.Tensor.new": partial(_legacy, "torch.Tensor.new"),
    **{f"torch.nn.modules.utils.{name}": partial(_repeated, count) for name, count in _REPEATED.items()},
    "torch.nn.modules.utils._ntuple": lambda m, a, k, n: Native("parse", partial(_repeated, a[0])),
}  # fmt: skip
