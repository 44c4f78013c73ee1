"""Stand-ins for NumPy, Keras and their arrays: an expression evaluated with them runs our spellings in place of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.bindings.modules import Module
from tensorproof.runners.observed import disagreement
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


class Stopped(Exception):
    """Our spelling refuses the call, or cannot tell."""


def plain(value: Any) -> Any:
    """The values inside the stand-ins."""
    match value:
        case Array():
            return value.tensor
        case Layer():
            return value.module
        case Library():
            return value.constant()
        case tuple() | list():
            return type(value)(plain(v) for v in value)
        case _:
            return value


def wrapped(value: Any) -> Any:
    if isinstance(value, TensorType):
        return Array(value)
    if isinstance(value, Module):
        return Layer(value)
    if isinstance(value, (tuple, list)):
        made = [wrapped(v) for v in value]
        return made if isinstance(value, list) else tuple(made)
    return value


def result(outcome: Outcome) -> Any:
    if outcome.refused is not None:
        raise Stopped(f"refused: {outcome.refused.code}: {outcome.refused.message}")
    if outcome.unknown is not None:
        raise Stopped(f"unknown: {outcome.unknown}")
    return wrapped(outcome.outputs)


def named(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: plain(v) for k, v in kwargs.items()}


class Layer:
    def __init__(self, module: Module) -> None:
        self.module = module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return result(call_module(self.module, plain(args), named(kwargs)))


class Array:
    def __init__(self, tensor: TensorType) -> None:
        self.tensor = tensor

    def __getattr__(self, name: str) -> Any:
        if name in ("T", "mT", "real", "imag"):
            return result(call(f"numpy.ndarray.{name}", (self.tensor,)))
        return lambda *args, **kwargs: result(call(f"numpy.ndarray.{name}", (self.tensor, *plain(args)), named(kwargs)))


def _operator(name: str) -> Callable[..., Any]:
    return lambda self, *other: result(call(f"numpy.ndarray.{name}", (self.tensor, *plain(other))))


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lt le gt ge eq ne getitem radd rsub rmul rtruediv rpow"
for _name in (*_BINARY.split(), "neg", "abs", "invert"):
    setattr(Array, f"__{_name}__", _operator(f"__{_name}__"))


class Library:
    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Library:
        return Library(f"{self.name}.{name}")

    def constant(self) -> Any:
        last = self.name.rpartition(".")[2]
        return {"newaxis": None, "inf": float("inf"), "nan": float("nan")}.get(last, BY_LABEL.get(last.rstrip("_"), self.name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return result(call(self.name, plain(args), named(kwargs)))


def array(shape: tuple[int, ...], label: str, framework: str) -> Array:
    return Array(TensorType(Shape(shape), BY_LABEL[label], framework=framework))


def difference(expression: str, real: dict[str, Any], ours: dict[str, Any], observed: Callable[[Any], Any]) -> str:
    """How our result differs from the library's; empty when they agree."""
    truth = observed(eval(expression, dict(real)))
    try:
        mine = plain(eval(expression, dict(ours)))
    except Stopped as stopped:
        return str(stopped)
    return disagreement(mine, truth)
