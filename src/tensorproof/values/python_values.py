"""Abstract Python values. What is concrete stays a plain Python value; these stand for the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from tensorproof.diagnostics.span import Span
from tensorproof.terms.ints import Dim, Origin, Term, symbol
from tensorproof.terms.records import dataclass, field

if TYPE_CHECKING:
    from tensorproof.terms.predicates import Truth
    from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that was not understood; the gap that made it is already counted."""

    reason: str
    ratio: tuple[Dim, Dim] | None = None
    """A real number that is one whole number by another: its rounding is exact."""
    text: bool = False
    """Whether it is a text: its methods are known, what they give is not."""
    number: str = ""
    """Whether it is a number of Python: "float", "int", "bool", or "real" where it may be a float or an int. An operator takes it as it takes any number."""
    key: str = ""
    """What tells it from other unknown values: questions about the same key have one answer on a path."""
    octets: bool = False
    """Whether it is a `bytes`: its methods are known, what they give is not."""
    whole: Dim | None = None
    """The whole number that it is, where it is one: twice an unknown size is another size."""
    least: float | None = None
    """What it is not less than, where it is a number that has such an end: a time."""
    below: float | None = None
    """What it stays below, where it was drawn between that and `least`: each number between them may be meant."""
    steps: int = 0
    """How many operators computed these ends."""
    cut: tuple[str, tuple[str, ...]] | None = None
    """The key of the array that it is cut from, and what each part of the index does with an axis: takes all of it, some, one, makes a new one, skips."""
    world: str = ""
    """What of the machine it was asked of: the path of a file. Both answers are possible, whatever else was not understood."""


TRUTHS = frozenset(("is", "in", "eq", "ne", "lt", "le", "gt", "ge", "isinstance", "hasattr", "issubclass", "subset", "disjoint"))
"""Unknown values with one of these reasons are truth values."""


def is_truth(value: object) -> bool:
    """Whether an unknown value is surely True or False."""
    return type(value) is Unknown and (value.number == "bool" or value.reason in TRUTHS)


TEXT = Unknown("text", text=True)
"""A text that is unknown: a time, a formatted tensor, a line of a file."""
MESSAGE = Unknown("the message of an error", text=True)
"""What a library says of an error that this checker found: an error in shapes and types, and no lack of memory."""
REAL = Unknown("a real number", number="float")
"""A real number that is unknown: read from a tensor, drawn at random."""
UNIT = Unknown("a real number", number="float", least=0.0, below=1.0)
"""What `random.random()` draws."""
DRAWN = Unknown("a real number", number="float", least=float("-inf"), below=float("inf"))
"""A number that was drawn, of which the ends are not known."""
WHOLE = Unknown("a whole number", number="int")
NUMBER = Unknown("a real number", number="real")
"""A number that may be a float or an int."""
TIME = Unknown("a real number", number="float", least=0.0, below=float("inf"))
"""What a clock says: never less than 0."""
BYTES = Unknown("bytes", octets=True)
"""Unknown bytes: of an archive, a buffer, a digest."""


def joined_text(parts: Iterable[object], between: str = "") -> Unknown:
    """A text of parts of which some are not known. One that is made of a text with a key and of known ones is the same wherever it is made."""
    words = [one if isinstance(one, str) else _word(one) for one in parts]
    return TEXT if None in words else Unknown(TEXT.reason, text=True, key=between.join(filter(None, words)))


def _word(part: object) -> str | None:
    """A part of a text that is not known, by its key."""
    if not isinstance(part, Unknown) or not part.text or not part.key:
        return None
    return part.key if "{" in part.key else f"{{{part.key}}}"


Entered = tuple[tuple[object, "Truth", object], ...]
"""Keys of a dict, each with the condition under which it is there, and its value."""


@dataclass(frozen=True, slots=True)
class Summary(Unknown):
    """Stands in a list, a set or a dict for items that were summarised: so many, of which two are shown; what differs between the two may differ
    between any. Whoever does not know of it sees something unknown."""

    count: Dim | Unknown = 0
    first: object = None
    second: object = None
    entries: Entered | None = None
    """Where it stands for keys of a dict that are known."""


ARRAYS = "an array or the arrays of a file"
"""The reason of what `numpy.load` gives for a file of which the kind is not known: an item by its name is an array."""
AFTER_ERROR = Unknown("what an error left")
"""The value of an expression that fails: whatever depends on it is neither a finding nor a gap of its own."""
COUNTED = Unknown("a number that a loop over data counted", number="int")
_ANYTHING = Unknown("what a loop over data gathered")
COLLECTED = Summary("what a loop over data gathered", count=COUNTED, first=_ANYTHING, second=_ANYTHING)
"""Stands in a list for items of which neither the number nor the kind is known."""


class Device(str):
    """torch.device: a word that also tells its kind and its number."""

    @property
    def type(self) -> str:
        return self.partition(":")[0]

    @property
    def index(self) -> int | None:  # type: ignore[override]
        number = self.partition(":")[2]
        return int(number) if number.isdecimal() else None


@dataclass(frozen=True, slots=True)
class Named:
    """Something in a library, by its public name: a module, a function, a class."""

    name: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method that was looked up and not yet called."""

    owner: object
    name: str


class LayerModule(Protocol):
    """What a layer that is not a container was constructed as (`bindings.modules.Module`)."""

    arguments: dict[str, Any]
    parameters: dict[str, TensorType]
    buffers: dict[str, TensorType]
    mode: dict[str, Any]
    built: bool
    training: bool
    unknown: frozenset[str]

    @property
    def row(self) -> Any: ...

    @property
    def name(self) -> str: ...

    def state(self) -> dict[str, TensorType]: ...


@dataclass(slots=True, eq=False)
class Layer:
    """A library's layer that the program constructed, with the place where it did; a container has children and no module."""

    module: LayerModule | None
    span: Span
    children: tuple[Any, ...] = ()
    kind: str = "torch.nn.Sequential"
    names: tuple[str, ...] = ()
    tensors: dict[str, Any] = field(default_factory=dict[str, Any])
    """Attributes that the program sets on it, and the tensors of a ParameterList."""
    hooks: tuple[Any, ...] = ()
    mode: Any = None
    """Of a container: whether it is in training mode, as a space."""

    @property
    def own(self) -> LayerModule:
        """The module of a layer that is not a container."""
        assert self.module is not None
        return self.module


def is_known(value: object) -> bool:
    """Whether no part of a plain container is unknown."""
    if isinstance(value, Unknown):
        return False
    if isinstance(value, (tuple, list)):
        return all(is_known(v) for v in value)
    if isinstance(value, dict):
        return all(is_known(v) for v in value.values())
    return True


class Union(tuple[Any, ...]):
    """`A | B` of types: what isinstance takes, and what may be subscripted where the types are generic."""


def whole_of(value: object) -> Dim | None:
    """The whole number that a value is where it is one: an unknown value that a name holds has a symbol."""
    if isinstance(value, Unknown):
        if value.whole is not None or not value.key or value.text or value.octets or value.number in ("float", "bool"):
            return value.whole
        return symbol(value.key, 0, None, Origin.UNMODELLED)
    return value if isinstance(value, (int, Term)) and not isinstance(value, bool) else None
