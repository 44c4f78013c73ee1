"""Whether our values at one input are Python's: two graphs of objects are walked together, so that aliases must be aliases in both."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tensorproof.terms.ints import Atom, Term
from tensorproof.terms.predicates import Predicate
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Bound, Choice, Class, Dict, Function, Generator, Instance, Iterator, List, Model, Set
from tensorproof.values.python_values import Method, Summary, Unknown
from tensorproof.values.summaries import is_summarised, length


class NotKnown(Exception):
    """A value rests on an unknown truth."""


@dataclass
class Input:
    """A number for every symbol and a truth for every flag."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)

    def number(self, x: Any) -> Any:
        """A term, by the definition of its parts alone."""
        if type(x) is not Term:
            return x
        total = 0
        for monomial, coefficient in x.parts:
            value = coefficient
            for atom, power in monomial:
                value *= self.atom(atom) ** power
            total += value
        return total

    def atom(self, atom: Atom) -> int:
        match atom.kind:
            case "symbol":
                if atom.name not in self.numbers:
                    raise NotKnown(atom.name)
                return self.numbers[atom.name]
            case "ite":
                return self.number(atom.args[1] if self.truth(atom.args[0]) else atom.args[2])
            case "//":
                by = self.number(atom.args[1])
                return self.number(atom.args[0]) // by if by else 0  # where the program divides by zero, a demand has failed before
            case "%":
                by = self.number(atom.args[1])
                return self.number(atom.args[0]) % by if by else 0
            case kind:
                return {"min": min, "max": max}[kind](self.number(x) for x in atom.args)

    def _parts(self, parts: Any, wanted: bool) -> bool:
        """One part that decides is enough, even where another is not known."""
        undefined = None
        for part in parts:
            try:
                if self.truth(part) is wanted:
                    return wanted
            except NotKnown as error:
                undefined = error
        if undefined is not None:
            raise undefined
        return not wanted

    def truth(self, p: Any) -> bool:
        if isinstance(p, bool):
            return p
        match p.kind:
            case "flag":
                if p.args[0] not in self.flags:
                    raise NotKnown(p.args[0])
                return self.flags[p.args[0]] is p.args[1]
            case "and" | "or" as kind:
                return self._parts(p.args, kind == "or")
            case "eq":
                return self.number(p.args[0]) == 0
            case "ne":
                return self.number(p.args[0]) != 0
            case _:
                return self.number(p.args[0]) <= 0


_WRONG = "wrong"
_ITERATORS = (types.GeneratorType, type(iter([])), type(iter(())), zip, map, enumerate, type(iter(range(1))), reversed, type(reversed([])), filter)


@dataclass
class Walk:
    """One comparison of two memories."""

    at: Input
    values: int = 0
    unknown: int = 0
    pairs: dict[int, int] = field(default_factory=dict)
    backwards: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    def globals(self, ours: Mapping[Any, Any], theirs: Mapping[str, Any]) -> str:
        """The first difference between two modules' names, or nothing."""
        names = {n for n in theirs if not n.startswith("__")}
        mine = {n: v for n, v in ours.items() if isinstance(n, str) and not n.startswith("__")}
        for name in sorted(names | set(mine)):
            found = self.chosen(mine.get(name, MISSING))
            if (found is MISSING) != (name not in names):
                return f"{name}: ours {'is missing' if found is MISSING else repr(found)}, Python's {'is missing' if name not in names else repr(theirs[name])}"
            if found is not MISSING and (difference := self.value(found, theirs[name], name)):
                return difference
        return ""

    def chosen(self, ours: Any) -> Any:
        while type(ours) is Choice:
            ours = ours.then if self.at.truth(ours.condition) else ours.other
        return ours

    def value(self, ours: Any, theirs: Any, where: str) -> str:
        self.values += 1
        try:
            ours = self.chosen(ours)
            if type(ours) is Term:
                ours = self.at.number(ours)
            elif isinstance(ours, Predicate):
                ours = self.at.truth(ours)
        except NotKnown:
            self.unknown += 1
            return ""
        if isinstance(ours, Unknown):
            self.unknown += 1
            return ""
        difference = self.compared(ours, theirs, where)
        return f"{where}: ours {ours!r}, Python's {theirs!r}" if difference == _WRONG else difference  # a choice among choices is long to write

    def compared(self, ours: Any, theirs: Any, where: str) -> str:
        wrong = _WRONG
        if isinstance(theirs, (list, dict, set)) or (hasattr(theirs, "__dict__") and not isinstance(theirs, (type, types.FunctionType, types.MethodType))):
            self.kept.append((ours, theirs))
            met = id(ours) in self.pairs
            if self.pairs.setdefault(id(ours), id(theirs)) != id(theirs) or self.backwards.setdefault(id(theirs), id(ours)) != id(ours):
                return f"{where}: an alias in one is none in the other"
            if met:
                return ""
        match theirs:
            case bool() | int() | str() | float() | None | range():
                return "" if type(ours) is type(theirs) and ours == theirs else wrong
            case tuple():
                return self.items(ours, theirs, where) if type(ours) is tuple and len(ours) == len(theirs) else wrong
            case list() if isinstance(ours, List) and is_summarised(ours.items):
                return self.summarised(ours.items, theirs, where) or ""
            case list():
                return self.items(ours.items, theirs, where) if isinstance(ours, List) and len(ours.items) == len(theirs) else wrong
            case dict() if isinstance(ours, Dict) and OPEN in ours.items:
                self.unknown += 1
                return ""
            case dict():
                if not isinstance(ours, Dict) or list(ours.items) != list(theirs):
                    return wrong
                return self.items(ours.items.values(), theirs.values(), where)
            case set() | frozenset():
                return "" if isinstance(ours, Set) and {self.at.number(x) for x in ours.items} == theirs and len(ours.items) == len(theirs) else wrong
            case types.FunctionType():
                return "" if isinstance(ours, Function) and ours.name == theirs.__name__ else wrong
            case types.MethodType() | types.BuiltinMethodType():
                return "" if isinstance(ours, (Bound, Method)) or ours is theirs else wrong
            case type():
                return self.class_(ours, theirs, where, wrong)
            case BaseException():
                return "" if isinstance(ours, (Model, Instance)) else wrong
            case _ if isinstance(theirs, _ITERATORS):
                return "" if isinstance(ours, (Generator, Iterator, Model)) else wrong
            case _:
                if not isinstance(ours, Instance) or ours.cls.name != type(theirs).__name__:
                    return wrong
                return self.attributes(ours.space, vars(theirs), where)

    def items(self, ours: Any, theirs: Any, where: str) -> str:
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if difference := self.value(a, b, f"{where}[{i}]"):
                return difference
        return ""

    def summarised(self, ours: Any, theirs: list[Any], where: str) -> str:
        """A list of which some items were summarised: so many there must be, and each must be like one that is shown."""
        at = next(i for i, v in enumerate(ours) if type(v) is Summary)
        behind = len(ours) - at - 1
        count = length(ours)
        if isinstance(count, Unknown):
            self.unknown += 1
            return ""
        try:
            if (count := self.at.number(count)) != len(theirs):
                return f"{where}: ours has {count} items, Python's {len(theirs)}"
        except NotKnown:
            self.unknown += 1
            return ""
        if sum(type(v) is Summary for v in ours) > 1:
            self.unknown += 1
            return self.items(ours[:at], theirs[:at], where)
        difference = self.items(ours[:at], theirs[:at], where) or (self.items(ours[at + 1 :], theirs[len(theirs) - behind :], where) if behind else "")
        for i, item in enumerate(theirs[at : len(theirs) - behind], at):
            if not difference and all(self.value(one, item, f"{where}[{i}]") for one in (ours[at].first, ours[at].second)):
                difference = f"{where}[{i}] is {item!r}, not {ours[at]!r}"
        return difference

    def attributes(self, ours: Any, theirs: Any, where: str) -> str:
        mine = {k: self.chosen(v) for k, v in ours.items()}
        if {k for k, v in mine.items() if v is not MISSING} != set(theirs):
            return f"{where}: ours has the attributes {sorted(mine)}, Python's {sorted(theirs)}"
        for name in sorted(theirs):
            if difference := self.value(mine[name], theirs[name], f"{where}.{name}"):
                return difference
        return ""

    def class_(self, ours: Any, theirs: type, where: str, wrong: str) -> str:
        if not isinstance(ours, Class):
            return "" if ours is theirs else wrong
        plain = {k: v for k, v in vars(theirs).items() if isinstance(v, (int, list))}
        for name, value in plain.items():
            if difference := self.value(ours.space.get(name, Unknown("missing")), value, f"{where}.{name}"):
                return difference
        return ""
