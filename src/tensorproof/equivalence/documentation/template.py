"""A form of a call that the library took when it was tried: element types, sizes by name, and values. Many calls are drawn from one form.

A form is one line of text. Its arguments are separated by tabs; `name=` stands before a keyword, and what stands before `|` goes to a constructor:

    float32[a,b]          a tensor; the same letter is the same size
    int32[a]{0,3}         whole numbers from 0 to 3
    *float32[a];int32[a]  a list of tensors
    dtype float32         an element type
    [1, 2]                any other value, as Python writes it
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tensorproof.terms.dtypes import BY_LABEL, DType

_TENSOR = re.compile(r"(\w+)\[([^\]]*)\](?:\{(-?[\d.]+),(-?[\d.]+)\})?")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tensor to be drawn. `sizes` are numbers, or names that stand for a size."""

    label: str
    sizes: tuple[str | int, ...]
    span: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        span = "" if self.span is None else f"{{{self.span[0]:g},{self.span[1]:g}}}"
        return f"{self.label}[{','.join(map(str, self.sizes))}]{span}"


@dataclass(frozen=True, slots=True)
class Template:
    """Values are `Drawn`, lists of it, `DType`, or plain Python. `init` is None for a function."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    init: Mapping[str, Any] | None = None

    @property
    def tensors(self) -> list[Drawn]:
        values = [*self.args, *self.kwargs.values(), *(self.init or {}).values()]
        return [t for v in values for t in (v if isinstance(v, list) else [v]) if isinstance(t, Drawn)]

    @property
    def text(self) -> str:
        made = [_text(v) for v in self.args] + [f"{name}={_text(v)}" for name, v in self.kwargs.items()]
        init = [] if self.init is None else [*(f"{name}={_text(v)}" for name, v in self.init.items()), "|"]
        return "\t".join([*init, *made])


def _text(value: Any) -> str:
    match value:
        case Drawn():
            return value.text
        case DType():
            return f"dtype {value.label}"
        case [Drawn(), *_]:
            return "*" + ";".join(v.text for v in value)
        case _:
            return repr(value)


@lru_cache(4096)
def template(text: str) -> Template:
    """The form that a line holds."""
    fields = text.split("\t")
    at = fields.index("|") if "|" in fields else -1
    args, kwargs = _values(fields[at + 1 :])
    return Template(args, kwargs, None if at < 0 else _values(fields[:at])[1])


def _values(fields: list[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args, kwargs = [], {}
    for one in fields:
        if m := re.match(r"([A-Za-z_]\w*)=(.*)", one):
            kwargs[m.group(1)] = _value(m.group(2))
        elif one:
            args.append(_value(one))
    return tuple(args), kwargs


def _value(text: str) -> Any:
    if text.startswith("dtype "):
        return BY_LABEL[text.removeprefix("dtype ")]
    if text.startswith("*"):
        return [_value(t) for t in text[1:].split(";")]
    if m := _TENSOR.fullmatch(text):
        sizes = tuple(int(s) if s.isdigit() else s for s in m.group(2).split(",") if s)
        return Drawn(m.group(1), sizes, None if m.group(3) is None else (float(m.group(3)), float(m.group(4))))
    return ast.literal_eval(text)
