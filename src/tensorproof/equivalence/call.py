"""A concrete call of a public name: its arguments, its input arrays, and its text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.rows import Row
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect


@dataclass(frozen=True, slots=True)
class Input:
    """Stands in a call's arguments for one of its input arrays."""

    name: str
    storage: str = "strided"


@dataclass(frozen=True, slots=True)
class Made:
    """An argument that is itself the result of a call: a layer inside a layer."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Call:
    """`init` holds the constructor's arguments of a layer; None for a function."""

    api: Api
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    init: Mapping[str, Any] | None
    inputs: Mapping[str, Array]
    number: int = 0
    special: bool = False
    """Whether the inputs hold zeros, infinities, NaN, denormals or extremes on purpose."""
    written: tuple[str, ...] = ()
    """The inputs that the call writes into."""

    def but(self, **changes: Any) -> Call:
        return replace(self, **changes)

    @property
    def row(self) -> Row | None:
        """The row that has all the positional arguments; the first where there is none."""
        rows = self.api.rows
        return next((r for r in rows if len(r.arguments if r.call_arguments is None else r.call_arguments) >= len(self.args)), rows[0]) if rows else None

    def bound(self) -> dict[str, Any]:
        """The arguments by the names that the public name gives them."""
        row = self.row
        names = [] if row is None else [a.theirs for a in (row.arguments if row.call_arguments is None else row.call_arguments)]
        return {**dict(zip(names, self.args)), **self.kwargs}

    def construction(self, dialect: Dialect) -> str:
        """The line that makes the layer; nothing for a function."""
        if self.init is None:
            return ""
        given = ", ".join(f"{name}={text(value, dialect)}" for name, value in self.init.items())
        return dialect.layer(f"{dialect.spelled(self.api.name)}({given})")

    def setup(self, dialect: Dialect) -> str:
        """The line that makes the layer and its weights."""
        made = self.construction(dialect)
        if made and self.args and any(row.fixed.get("lazy") for row in self.api.rows):  # else its weights would be drawn by each first call anew
            return f"{made}; layer.initialize_parameters({text(self.args[0], dialect)})"
        return made

    def expression(self, dialect: Dialect, names: Mapping[str, str] | None = None, function: str = "") -> str:
        """The call as text. `names` gives other expressions for some inputs; inputs that are written into are copied first."""
        given = dict.fromkeys(self.inputs, "")
        for name in given:
            given[name] = (names or {}).get(name) or (dialect.copied(name) if name in self.written else name)
        function = function or ("layer" if self.init is not None else dialect.spelled(self.api.name, len(self.args), self.kwargs))
        if not function.startswith("layer") and dialect.is_property(self.api.name):
            return f"{text(self.args[0], dialect, given)}.{self.api.name.rpartition('.')[2]}"
        parts = [text(a, dialect, given) for a in self.args] + [f"{k}={text(v, dialect, given)}" for k, v in self.kwargs.items()]
        return f"{function}({', '.join(parts)})"

    # --- as JSON ---

    def as_json(self) -> dict[str, Any]:
        return {
            "api": self.api.name, "args": _pack(list(self.args)), "kwargs": _pack(dict(self.kwargs)),
            "init": None if self.init is None else _pack(dict(self.init)), "inputs": {name: array.as_json() for name, array in self.inputs.items()},
            "number": self.number, "special": self.special, "written": list(self.written),
        }  # fmt: skip

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], api: Api) -> Call:
        inputs = {name: Array.from_json(array) for name, array in kept["inputs"].items()}
        init = None if kept["init"] is None else _unpack(kept["init"])
        return cls(api, tuple(_unpack(kept["args"])), _unpack(kept["kwargs"]), init, inputs, kept["number"], kept["special"], tuple(kept["written"]))


def text(value: Any, dialect: Dialect, names: Mapping[str, str] | None = None) -> str:
    """An argument as Python text."""
    match value:
        case Input():
            name = (names or {}).get(value.name, value.name)
            return name if value.storage == "strided" else dialect.converted(name, value.storage)
        case DType():
            return dialect.dtype(value.label)
        case Shape():
            return repr(list(value))
        case Made():
            parts = [text(a, dialect, names) for a in value.args] + [f"{k}={text(v, dialect, names)}" for k, v in value.kwargs.items()]
            return f"{dialect.spelled(value.name)}({', '.join(parts)})"
        case tuple() if len(value) == 1:
            return f"({text(value[0], dialect, names)},)"
        case tuple():
            return f"({', '.join(text(v, dialect, names) for v in value)})"
        case list():
            return f"[{', '.join(text(v, dialect, names) for v in value)}]"
        case dict():
            return "{" + ", ".join(f"{k!r}: {text(v, dialect, names)}" for k, v in value.items()) + "}"
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case str() if value.startswith("torch.") and dialect.name == "torch":
            return value
        case _:
            return repr(value)


def _pack(value: Any) -> Any:
    match value:
        case Input():
            return {"input": value.name, "storage": value.storage}
        case DType():
            return {"dtype": value.label}
        case Shape():
            return {"sizes": list(value)}
        case Made():
            return {"made": value.name, "args": _pack(list(value.args)), "kwargs": _pack(dict(value.kwargs))}
        case tuple():
            return {"tuple": [_pack(v) for v in value]}
        case list():
            return [_pack(v) for v in value]
        case dict():
            return {"dict": {k: _pack(v) for k, v in value.items()}}
        case float() if not math.isfinite(value):
            return {"float": repr(value)}
        case complex():
            return {"complex": [repr(value.real), repr(value.imag)]}
        case slice():
            return {"slice": [value.start, value.stop, value.step]}
        case _ if value is Ellipsis:
            return {"ellipsis": True}
        case _:
            return value


def _unpack(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpack(v) for v in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"input": name, "storage": storage}:
            return Input(name, storage)
        case {"dtype": label}:
            return BY_LABEL[label]
        case {"sizes": sizes}:
            return Shape(sizes)
        case {"made": name, "args": args, "kwargs": kwargs}:
            return Made(name, tuple(_unpack(args)), _unpack(kwargs))
        case {"tuple": items}:
            return tuple(_unpack(v) for v in items)
        case {"dict": items}:
            return {k: _unpack(v) for k, v in items.items()}
        case {"float": number}:
            return float(number)
        case {"complex": [real, imag]}:
            return complex(float(real), float(imag))
        case {"slice": ends}:
            return slice(*ends)
        case _:
            return Ellipsis
