"""The parameters of a search space: a name, the values it may take, and when it counts."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Dim, Origin, Term, symbol
from tensorproof.terms.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

Value = int | float | str | bool
MOST_VALUES = BUDGETS.spaces.values_of_parameter


@dataclass(frozen=True, slots=True)
class Parameter:
    """One dimension of the space. Where `needs` names another parameter and some of its values, it counts only with these."""

    name: str
    values: tuple[Value, ...]
    needs: tuple[str, tuple[Value, ...]] | None = None
    kept: Term | None = None
    """Its symbol, from `checked` on: a space keeps its own when the symbols of all others are forgotten."""

    endless: bool = False
    """Whether it takes all whole numbers from its one value on."""

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers, so that the number itself is the symbol."""
        return all(type(v) is int for v in self.values)

    @property
    def real(self) -> bool:
        """Whether all values are real numbers: these touch no shape, and are left free."""
        return any(type(v) is float for v in self.values) and all(type(v) in (int, float) for v in self.values)

    @property
    def term(self) -> Term:
        """The symbol that stands for the value, or for its position where values are no whole numbers."""
        if self.kept is not None:
            return self.kept
        numbers = self.numbers
        return symbol(self.name, min(numbers), None if self.endless else max(numbers), Origin.USER)

    @property
    def atom(self) -> Atom:
        return self.term.parts[0][0][0][0]

    @property
    def numbers(self) -> tuple[int, ...]:
        """What the symbol may be."""
        return tuple(int(v) for v in self.values) if self.whole else tuple(range(len(self.values)))

    def number(self, value: Value) -> int:
        """What the symbol is for a value."""
        return self.numbers[self.values.index(value)]


def vectors(parameters: Sequence[Parameter]) -> int:
    """How many vectors there are, conditions aside."""
    return prod(len(p.values) for p in parameters)


_RANGE = r"\s*(-?\d[\d_]*)\s*\.\.\s*(-?\d[\d_]*)\s*(?::\s*(-?\d[\d_]*)\s*)?"


def parameter(text: str) -> Parameter:
    """`kernel=1..11`, `width=64..1024:64`, `stride=1,2,3`, `act=relu,gelu`, `heads=1..8 if attention=true`."""
    option = f"--param {text}"
    name, equals, domain = text.partition("=")
    name = name.strip()
    if not equals or not re.fullmatch(r"[\w./:\[\]-]+", name):
        raise BadInput(f"{option} does not parse; write NAME=1..11, NAME=64..1024:64 or NAME=a,b,c")
    domain, condition, needed = domain.partition(" if ")
    needs: tuple[str, tuple[Value, ...]] | None = None
    if condition:
        other, equals, wanted = needed.partition("=")
        if not equals:
            raise BadInput(f"{option} does not parse; a condition is written NAME=VALUES, such as heads=1..8 if attention=true")
        needs = (other.strip(), domain_of(wanted, option))
    return over(name, domain, option, needs)


def over(name: str, domain: str, option: str, needs: tuple[str, tuple[Value, ...]] | None = None) -> Parameter:
    """The parameter with the domain that a text writes; `1..` has no upper end."""
    open_ = re.fullmatch(r"\s*(-?\d[\d_]*)\s*\.\.\s*", domain)
    if open_ is not None:
        return Parameter(name, (int(open_[1].replace("_", "")),), needs, endless=True)
    return Parameter(name, domain_of(domain, option), needs)


def domain_of(text: str, option: str) -> tuple[Value, ...]:
    """The values that a text lists."""
    found: dict[tuple[type, Value], None] = {}
    for word in text.split(","):
        match = re.fullmatch(_RANGE, word)
        if match is not None:
            low, high, step = (int(part.replace("_", "")) if part else 1 for part in match.groups())
            if step <= 0:
                raise BadInput(f"{option}: the step of a range must be at least 1, and is {step}")
            if (high - low) // step >= MOST_VALUES:
                raise BadInput(f"{option}: a parameter has at most {MOST_VALUES:,} values, and this range has {(high - low) // step + 1:,}")
            found.update({(int, n): None for n in range(low, high + 1, step)})
        elif re.fullmatch(r"\s*(-?\d[\d_]*)?\s*\.\..*", word):
            raise BadInput(f"{option} does not parse: a range has two ends, or stands alone and has the lower one, such as 1..")
        elif word.strip():
            value = _value(word.strip())
            found[(type(value), value)] = None
        elif text.strip():
            raise BadInput(f"{option} does not parse: a value is missing between two commas")
    if not found:
        raise BadInput(f"{option}: there is no value in {text.strip() or 'nothing'}" + (", the lower end is above the upper" if ".." in text else ""))
    return tuple(value for _, value in found)


def _value(word: str) -> Value:
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word.strip("'\"")


def checked(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """The parameters with their symbols, each name once, with conditions that name parameters and values of theirs."""
    known = {p.name: p for p in parameters}
    if len(known) < len(parameters):
        twice = next(p.name for i, p in enumerate(parameters) if p.name in {q.name for q in parameters[:i]})
        raise BadInput(f"the parameter {twice} is given twice")
    for p in parameters:
        if p.needs is None:
            continue
        other = known.get(p.needs[0])
        if other is None or other is p:
            raise BadInput(f"{p.name} counts only with {p.needs[0]}, which is not another parameter of the space")
        strange = next((v for v in p.needs[1] if v not in other.values), None)
        if strange is not None:
            raise BadInput(f"{p.name} counts only with {other.name}={strange}, which is not a value of {other.name}")
    return tuple(replace(p, kept=p.term) for p in parameters)


def dimension(parameter: Parameter) -> Dim:
    """The term of a parameter, or its one value."""
    return parameter.term if len(parameter.numbers) > 1 or parameter.endless else parameter.numbers[0]
