"""A rule: which public names it applies to, and the pairs of programs that must agree for a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect

CATEGORIES = (
    "optimization", "api redundancy", "data structure", "data format", "inverse", "model evaluation",
    "memory layout", "differentiation", "vectorization", "export", "backend",
)  # fmt: skip
"""The first six are EAGLE's."""
_NEUTRAL = ("api redundancy", "data format", "model evaluation")


@dataclass(frozen=True, slots=True)
class Traced:
    """A right side that is a function compiled as a whole. Many of them become one function, which is compiled once.

    `wrap` is the text of the compiler with `{}` for the function; `parameters` are the inputs that the function takes, the others are captured.
    """

    wrap: str
    body: str
    parameters: tuple[str, ...]
    before: str = ""
    """Lines that define what `wrap` names."""

    @property
    def text(self) -> str:
        """The right side of one call alone."""
        names = ", ".join(self.parameters)
        return f"{self.before}{chr(10) if self.before else ''}compiled = {self.wrap.format(f'lambda {names}: {self.body}')}\ncompiled({names})"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs over the same inputs. Each is lines of Python, the last of which is an expression: its value is compared."""

    left: str
    right: str
    setup: str = ""
    """Lines that run once before both."""
    about: str = ""
    """Which of a rule's pairs it is."""
    compare: str = "values"
    """"values"; "types": element type and shape alone; "numbers": all but the element types, within the tolerance of the coarser one."""
    loose: float = 1.0
    """A factor on the tolerance, where both sides round differently by nature (a sum in another order)."""
    traced: Traced | None = None
    inputs: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """Inputs of the rule's own, beside those of the call."""
    reference: str = ""
    """The text that the third opinion evaluates in double precision; the left side where it is empty."""
    again: str = ""
    """Another text for the left side, where that approximates (another step of finite differences): where these two differ, neither is trusted."""
    shown: str = ""
    """A shorter program that raises where the sides differ, for the report: what a maintainer would write."""
    sieve: str = ""
    """A right side of an earlier stage, which another rule compares: what differs there already is counted here, not reported."""
    refused: bool = False
    """Whether the left side is meant to raise: the right side must then raise as well, and where it does not raise nothing is compared."""


Pairs = Callable[[Call, "Dialect"], Iterable[Pair]]
Own = Callable[[str, Random, "Dialect"], tuple[Mapping[str, Array], Iterable[Pair]]]


def always(api: Api) -> bool:
    return True


def never(api: Api) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `number` is its number in EAGLE, 0 for those of our own."""

    name: str
    category: str
    about: str
    """What must agree: "LEFT = RIGHT"."""
    libraries: tuple[str, ...]
    pairs: Pairs | None = None
    applies: Callable[[Api], bool] = always
    number: int = 0
    batched: bool = False
    """Whether its right sides are compiled, many calls at a time (`Pair.traced`)."""
    chunk: int = 8
    """How many public names a batched job has."""
    special: bool = True
    """Whether special values are tried."""
    thin: int = 1
    """Of calls with ordinary numbers, one in so many is tried in a block: compiling takes long, and other names tell more than further calls of one."""
    share: float = 1.0
    """How much time of a campaign a batched rule gets."""
    first: Callable[[Api], bool] = never
    """The names on which a batched rule is tried before the others: those where it is most likely to find something."""
    gradients: bool = False
    """Whether its sides differentiate; the others run without gradients."""
    subjects: tuple[str, ...] = ()
    """What it is tried on beside calls of public names: models, for instance. `own` draws their pairs."""
    own: Own | None = None
    by_name: bool = False
    """Whether what it finds is a mistake of the name, and not of the operator under it."""
    documented: bool = False
    """Whether it needs no facts of the catalogue, and so takes names that are known from their documentation alone."""
    unsupported: str = ""
    """A pattern of messages that say of a right side that it is not supported: counted, not reported."""
    ready: Callable[[], str] = lambda: ""
    """Why the rule cannot run here (a package or a device is missing); empty when it can. Asked in a worker."""

    @property
    def neutral(self) -> bool:
        """Whether neither side is the other's definition: where they differ in double precision as well, that does not say which of them is wrong."""
        return self.category in _NEUTRAL

    def fits(self, api: Api) -> bool:
        """Whether it is tried on that name."""
        return (self.documented or bool(api.rows)) and self.applies(api)
