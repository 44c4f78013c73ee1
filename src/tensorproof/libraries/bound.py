"""The arguments of one call, bound to the names of the library's own signature: what a model takes in place of `(args, kwargs)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from tensorproof.libraries import signatures
from tensorproof.libraries.model import Run
from tensorproof.terms import Term, dataclass
from tensorproof.values import Args, Kwargs, Machine, Summary, Unknown, Value


@dataclass(frozen=True, slots=True)
class Bound:
    """A call that fits the signature of `name`."""

    name: str
    values: Mapping[str, Any]
    """By the name of the argument: what the call gives."""
    more: tuple[Value, ...]
    """What it gives by position to a function that takes any number of arguments (`*args`)."""
    named: Mapping[str, Value]
    """What it gives by names that the signature does not list (`**kwargs`)."""
    node: ast.AST
    partly: bool = False
    """Whether it gives a list or dict of unknown length (`f(*parts)`): then any argument may be given."""

    def all(self) -> dict[str, Any]:
        """What is given, by name."""
        return {**self.named, **self.values}

    def given(self, name: str) -> bool:
        """Whether the call gives an argument."""
        return name in self.values

    def value(self, name: str, otherwise: Value = None) -> Value:
        """An argument, or its default."""
        if name in self.values:
            return self.values[name]
        return Unknown(f"{name} of {self.name}") if self.partly else otherwise

    def whole(self, name: str, otherwise: int | None = None) -> int | Term | Unknown | None:
        """A whole number; None where the call says None, unknown where it is something else."""
        found = self.value(name, otherwise)
        return found if found is None or isinstance(found, (int, Term, Unknown)) else Unknown(f"{name} of {self.name}")

    def real(self, name: str, otherwise: float) -> int | float | Term | Unknown:
        found = self.value(name, otherwise)
        return found if isinstance(found, (int, float, Term, Unknown)) else Unknown(f"{name} of {self.name}")

    def text(self, name: str, otherwise: str | None = None) -> str | Unknown | None:
        found = self.value(name, otherwise)
        return found if found is None or isinstance(found, (str, Unknown)) else Unknown(f"{name} of {self.name}")

    def sure(self, name: str) -> bool:
        """Whether the call surely gives an argument that is not None."""
        found = self.values.get(name)
        return found is not None and not isinstance(found, Unknown)


def bind(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Bound:
    """The arguments of a call of `name`, which has a line in the tables. A call that fits no form of it is an error of the program."""
    form = signatures.refuse(m, name, args, kwargs, node) or signatures.forms(name)[0]
    unknown = next((at for at, one in enumerate(args) if type(one) is Summary), None)
    placed = args if unknown is None else args[:unknown]
    values = dict(zip(form.placed, placed))
    named: dict[str, Value] = {}
    for key, value in kwargs.items():
        if type(key) is str:
            (values if key in form.named else named)[form.other_names.get(key, key)] = value
    return Bound(name, values, placed[len(form.placed) :], named, node, unknown is not None or any(type(key) is not str for key in kwargs))


def by_signature(name: str, run: Callable[[Machine, Bound], Value]) -> Run:
    """A function's model that takes the bound arguments: `run(machine, call)`."""

    def called(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return run(m, bind(m, name, args, kwargs, node))

    return called


def filled_by_signature(name: str, fill: Callable[[Machine, Any, Bound], None]) -> Run:
    """An `__init__` that takes the bound arguments of its class: `fill(machine, self, call)`."""

    def called(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        fill(m, me, bind(m, name, args, kwargs, node))

    return called
