"""Writes a record as the straight-line program that a user would write: inputs, the call, and a line that pins its shape.

Knows nothing of torch: whether a program runs is for `benchmarks/op_db_programs.py` to try.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from oracle.record import Made, Name, Record, Tensor

OPERATORS = {"__radd__": "+", "__rsub__": "-", "__rmul__": "*", "__rdiv__": "/", "__rmod__": "%", "__rpow__": "**", "__rmatmul__": "@"}
OPERATORS |= {"__rand__": "&", "__ror__": "|", "__rxor__": "^"}
ATTRIBUTES = ("T", "H", "mT", "mH")
FILLINGS = ("zeros", "literal", "ones", "eye", "rand")
"""What float tensors hold, in the order of preference: the plainest with which torch runs the call."""
FEW = 64
"""Whole-number tensors of at most so many elements are written out under every filling: they are indices, lengths and masks."""


class NotWritable(Exception):
    """The record holds a value that no straight line can make."""


@dataclass(frozen=True, slots=True)
class Program:
    """`setup` and `call` are the lines before the one that pins the shape; `call_line` is where the operator runs."""

    setup: tuple[str, ...]
    call: str

    @property
    def head(self) -> str:
        return "\n".join((*self.setup, self.call)) + "\n"

    @property
    def call_line(self) -> int:
        return len(self.setup) + 1

    def text(self, last: str = "") -> str:
        return self.head + (last + "\n" if last else "")


class Writer:
    """One program in the making: names the tensors and remembers the lines that build them."""

    def __init__(self, filling: str) -> None:
        self.filling = filling
        self.lines = ["import torch", ""]
        self.count = 0

    def tensor(self, t: Tensor) -> str:
        name = f"x{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {self.building(t)}")
        return name

    def building(self, t: Tensor) -> str:
        if t.layout not in ("strided", "sparse_csr", "sparse_coo"):
            raise NotWritable(f"a {t.layout} tensor")
        written = bool(t.contents) and (self.filling == "literal" or (whole(t) and len(t.contents or ()) <= FEW))
        if t.strides is not None:
            made = self.strided(t, written)
        elif written and any(t.contents or ()):
            made = f"torch.tensor({nested(t.shape, t.contents or ())}{tail(t)})"
        else:
            made = self.filled(t, "zeros" if whole(t) or self.filling == "literal" else self.filling)
        return made if t.layout == "strided" else f"{made}.to_{t.layout.removesuffix('_coo')}()"

    def filled(self, t: Tensor, filling: str) -> str:
        if filling == "eye":
            if len(t.shape) < 2 or t.shape[-1] != t.shape[-2]:
                return f"torch.ones({t.shape}{tail(t)})"
            eye = f"torch.eye({t.shape[-1]}{tail(t)})"
            return eye if len(t.shape) == 2 else f"{eye}.repeat({(*t.shape[:-2], 1, 1)})"
        return f"torch.{filling}({t.shape}{tail(t)})"

    def strided(self, t: Tensor, written: bool) -> str:
        if not written and self.filling == "zeros" and not whole(t):  # an index that is not set may crash torch
            return f"torch.empty_strided({t.shape}, {t.strides}{tail(t)})"
        assert t.strides is not None
        size = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.strides)) if math.prod(t.shape) else 0
        storage: list[Any] = [0] * size
        for at, value in enumerate(t.contents or ()):
            place = 0
            for n, s in zip(reversed(t.shape), reversed(t.strides)):
                at, index = divmod(at, n)
                place += index * s
            storage[place] = value
        source = f"torch.tensor({literal(storage)}{tail(t)})" if written else f"torch.{self.filling_of(t)}({size}{tail(t)})"
        return f"{source}.as_strided({t.shape}, {t.strides})"

    def filling_of(self, t: Tensor) -> str:
        return "zeros" if whole(t) else {"eye": "ones", "literal": "rand"}.get(self.filling, self.filling)

    def value(self, value: Any) -> str:
        """A value as an expression; tensors get lines of their own."""
        match value:
            case Tensor():
                return self.tensor(value)
            case Name():
                if value.kind == "opaque":
                    raise NotWritable(f"a {value.text}")
                return repr(value)
            case Made():
                return f"{value.spelling}({self.arguments(value.args, value.kwargs)})"
            case tuple():
                return f"({', '.join(map(self.value, value))}{',' if len(value) == 1 else ''})"
            case list():
                return f"[{', '.join(map(self.value, value))}]"
            case dict():
                return "{" + ", ".join(f"{k!r}: {self.value(v)}" for k, v in value.items()) + "}"
            case _:
                return literal(value)

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        return ", ".join([*map(self.value, args), *(f"{k}={self.value(v)}" for k, v in kwargs.items())])

    def index(self, value: Any) -> str:
        """What stands between the brackets of `x[...]`."""
        if isinstance(value, tuple) and value:
            return ", ".join(map(self.index, value)) + ("," if len(value) == 1 else "")
        if isinstance(value, slice):
            ends = ["" if v is None else self.value(v) for v in (value.start, value.stop)]
            return ":".join(ends) + ("" if value.step is None else f":{self.value(value.step)}")
        return self.value(value)

    def call(self, record: Record) -> str:
        home, _, name = record.spelling.rpartition(".")
        args = record.args
        if home != "torch.Tensor" or not isinstance(args[0], Tensor):
            return f"{record.spelling}({self.arguments(args, record.kwargs)})"
        receiver = self.value(args[0])
        if name in ATTRIBUTES:
            return f"{receiver}.{name}"
        if name == "__getitem__":
            return f"{receiver}[{self.index(args[1])}]"
        if name in OPERATORS and not record.kwargs:
            other = self.value(args[1])
            other = f"({other})" if other.startswith("-") else other
            return f"{other} {OPERATORS[name]} {receiver}"
        return f"{receiver}.{name}({self.arguments(args[1:], record.kwargs)})"


def written(record: Record, filling: str, part: tuple[int, ...] = ()) -> Program:
    """The program up to the call; `part` leads to the tensor among several results. Raises `NotWritable`."""
    writer = Writer(filling)
    if record.table == "module_db":
        made = f"{record.spelling}({writer.arguments(record.init, record.init_kwargs)})"
        if record.stage == "construction":
            return Program(tuple(writer.lines), f"m = {made}")
        writer.lines.append(f"m = {made}" + ("" if record.training else ".eval()"))
        call = f"m({writer.arguments(record.args, record.kwargs)})"
    else:
        call = writer.call(record)
    picked = "".join(f"[{i}]" for i in part)
    return Program(tuple(writer.lines), f"y = {call if not picked or call[-1] in ')]' else f'({call})'}{picked}")


def pinning(shape: tuple[int, ...]) -> str:
    return f"z = torch.stack([y, torch.zeros({shape}, dtype=y.dtype)])"


def wrong_by_one(shape: tuple[int, ...], turn: int) -> tuple[int, ...]:
    """One axis longer by one, a different axis from record to record; a scalar becomes (1,)."""
    if not shape:
        return (1,)
    axis = turn % len(shape)
    return (*shape[:axis], shape[axis] + 1, *shape[axis + 1 :])


def first_tensor(outputs: Any) -> tuple[int, ...] | None:
    """Where the first dense tensor stands among the results."""
    if isinstance(outputs, Tensor):
        return () if outputs.layout == "strided" else None
    if isinstance(outputs, tuple | list):
        for i, output in enumerate(outputs):
            found = first_tensor(output)
            if found is not None:
                return (i, *found)
    return None


def whole(t: Tensor) -> bool:
    return t.dtype[0] in "iub" and t.dtype != "bfloat16"


def tail(t: Tensor) -> str:
    text = f", dtype=torch.{t.dtype}"
    text += f", device={t.device!r}" if t.device != "cpu" else ""
    return text + (", requires_grad=True" if t.requires_grad else "")


def literal(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, complex) and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return "..." if value is ... else repr(value)


def nested(shape: tuple[int, ...], flat: tuple[Any, ...]) -> str:
    """Row-major elements as nested lists."""
    if not shape:
        return literal(flat[0])
    step = len(flat) // shape[0]
    return f"[{', '.join(nested(shape[1:], flat[i * step : (i + 1) * step]) for i in range(shape[0]))}]"
