"""What the generator of programs knows while it writes: the names in reach, the functions and the classes written so far."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

KINDS = ("int", "bool", "str", "list", "dict", "set", "tuple")


@dataclass
class Env:
    """The names in reach, by what they hold."""

    names: dict[str, list[str]] = field(default_factory=dict)
    objects: list[tuple[str, str]] = field(default_factory=list)
    """(name, its class)."""
    generators: list[str] = field(default_factory=list)
    in_function: bool = False
    in_loop: bool = False
    yields: bool = False
    writable_outer: list[str] = field(default_factory=list)
    """Names of ints declared global or nonlocal here."""

    def inner(self, **changes: bool) -> Env:
        made = Env({k: list(v) for k, v in self.names.items()}, list(self.objects), list(self.generators), self.in_function, self.in_loop, self.yields)
        made.writable_outer = list(self.writable_outer)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def of(self, kind: str) -> list[str]:
        return self.names.setdefault(kind, [])

    def add(self, kind: str, name: str) -> None:
        if name not in self.of(kind):
            self.of(kind).append(name)

    def drop(self, name: str) -> None:
        for held in self.names.values():
            if name in held:
                held.remove(name)
        self.objects = [o for o in self.objects if o[0] != name]


@dataclass(frozen=True)
class Parameter:
    name: str
    form: str
    """plain, default, star, keyword, double."""


@dataclass(frozen=True)
class Routine:
    """A function that later code may call."""

    name: str
    parameters: tuple[Parameter, ...]
    kind: str = "int"
    """What it returns: int, list, or generator."""


@dataclass
class Type:
    """A class with the members that code may use."""

    name: str
    members: set[str] = field(default_factory=set)
    base: Type | None = None

    def has(self, member: str) -> bool:
        return member in self.members or (self.base is not None and self.base.has(member))


class Writer:
    """Lines of a program, with the random choices behind them."""

    def __init__(self, seed: int, symbolic: bool) -> None:
        self.random = random.Random(seed)
        self.symbolic = symbolic
        self.lines: list[str] = []
        self.depth = 0
        self.count = 0
        self.budget = 0
        self.walrus = True
        """Whether an assignment expression may stand here."""
        self.routines: list[Routine] = []
        self.types: list[Type] = []

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}"

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def pick(self, items: list) -> object:  # type: ignore[type-arg]
        return self.random.choice(items)
