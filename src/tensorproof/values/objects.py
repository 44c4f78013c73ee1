"""The program's own objects: lists, dicts, functions, classes and instances. Numbers, strings and tuples are plain Python values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.diagnostics.span import Span
from tensorproof.terms.predicates import Truth
from tensorproof.terms.records import dataclass, field
from tensorproof.values.heap import Entries, Row, Space, slot

if TYPE_CHECKING:
    from tensorproof.values.heap import Key
    from tensorproof.values.python_values import Summary

FIELDS: Key[tuple[tuple[str, ast.expr], ...]] = slot("__fields__")
"""Where a class keeps its annotated names, in order."""
NOWHERE = ast.Pass()
"""The place of a call that the program does not write."""


@dataclass(slots=True, eq=False)
class List:
    """A list, or a deque with the most items that it keeps; `items` is written through the heap."""

    items: Row
    deque: bool = False
    most: int | None = None
    several: bool = False
    """Whether it stands for several lists, those under keys that are unknown: what one of them gets, each may have."""
    view: str = ""
    """Whether it is what `keys`, `values` or `items` of a dict gave: it has no index and no methods of lists."""
    of: Dict | None = None
    """The dict of which it is a view."""


@dataclass(slots=True, eq=False)
class Set:
    """A set, in order of insertion, without two equal items."""

    items: Row
    frozen: bool = False


class Keyed:
    """A key of a dict whose equality is not that of its description: a tensor is equal to itself alone, a frozen set to those with its items."""

    __slots__ = ("identity", "value")

    def __init__(self, value: Any, identity: object) -> None:
        self.value, self.identity = value, identity

    def __eq__(self, other: object) -> bool:
        return type(other) is Keyed and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def as_value(key: Any) -> Any:
    """A key of a dict as the value that the program put there."""
    if type(key) is tuple:
        return tuple([as_value(part) for part in key]) if any(type(part) in (Keyed, tuple) for part in key) else key
    return key.value if type(key) is Keyed else key


OPEN: Key[Summary] = type("Open", (), {"__repr__": lambda _: "other keys"})()
"""The key under which a dict holds the entries, a `Summary` of pairs, whose keys are unknown."""


@dataclass(slots=True, eq=False)
class Dict:
    """A dict with concrete keys, and perhaps `OPEN`. `default` is what a defaultdict calls for a missing key."""

    items: Entries
    default: object = None
    counter: bool = False
    """Whether it is a Counter: what is missing counts 0."""
    ordered: bool = False
    """Whether it is an OrderedDict."""


@dataclass(slots=True, eq=False)
class Iterator:
    """An iterator with its state in memory: `state["at"]` is the next position in `items`."""

    items: Sequence[object]
    state: Space


@dataclass(slots=True, eq=False)
class Generator:
    """A running generator function. Its state is a host generator, which cannot be undone: `born` tells when it began."""

    frame: Any
    steps: Any
    born: int
    done: bool = False
    handlers: int = 0
    """How many `try` blocks it stopped in."""


@dataclass(slots=True, eq=False)
class Code:
    """A function's text, and its body once it is compiled at the first call. `outer` is the scope it was compiled in."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    outer: object
    body: Callable[[Any], Any] | None = None
    is_generator: bool = False
    passes: object = None
    """How a generator passes through data, once that was looked for."""


@dataclass(slots=True, eq=False)
class Function:
    """A function of the program, with the scopes that enclose it."""

    code: Code
    scopes: tuple[Space, ...]
    module: Any
    defaults: tuple[Any, ...] = ()
    keyword_defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    owner: Any = None
    """The class in whose body it stands: what `super()` starts from."""
    space: Space | None = None
    """Attributes that the program sets on it."""
    around: tuple[Any, ...] = ()
    """Modes that its calls run in: it was decorated with them."""
    wrapped: bool = False
    """Whether a decorator that is not known stands around it: it may be called with other arguments than those that it takes."""

    @property
    def name(self) -> str:
        return self.code.name


@dataclass(slots=True, eq=False)
class Bound:
    """A function with its first argument."""

    function: object
    self: object


@dataclass(slots=True, eq=False)
class Native:
    """A function that a library model supplies: `run(machine, args, kwargs, node)`."""

    name: str
    run: Callable[..., Any]


@dataclass(slots=True, eq=False)
class Class:
    """A class of the program. `bases` may hold `Named` library classes; `mro` begins with the class itself."""

    name: str
    bases: tuple[Any, ...]
    space: Space
    mro: tuple[Any, ...] = ()
    span: Span | None = None
    module: ModuleFile | None = None
    meta: Class | None = None
    """The metaclass, where that is a class of the program."""


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the program."""

    cls: Class
    space: Space
    span: Span | None = None
    native: object = None
    """What a library base class keeps for it: a `Data` of a model, the items of a list subclass."""


class Record(tuple[Any, ...]):
    """A named tuple: the items and the class, which names them."""

    cls: Any

    @staticmethod
    def of(cls: Any, items: Any) -> Record:
        made = Record(items)
        made.cls = cls
        return made


@dataclass(frozen=True, slots=True)
class Property:
    get: object
    set: object = None
    delete: object = None


@dataclass(frozen=True, slots=True)
class StaticMethod:
    function: object


@dataclass(frozen=True, slots=True)
class ClassMethod:
    function: object


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: attributes are looked up after `after` in the object's order of classes."""

    after: Any
    self: Any


@dataclass(slots=True, eq=False)
class ModuleFile:
    """A module with source; its body runs when it is first needed. `foreign` modules belong to an installed package, not to the project."""

    name: str
    path: str
    space: Space
    state: str = "waiting"
    foreign: bool = False
    hidden: bool = False
    """Whether something that was not followed may have bound names that we do not know of."""
    package: bool = False
    stars: tuple[str, ...] = ()
    """Libraries whose names were imported with a star."""
    folders: tuple[Any, ...] = ()
    """Where a package's submodules are looked for."""
    lazy: tuple[ModuleFile, ...] = ()
    """Parts of the package whose names it takes with a star when they are asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """A name imported from an installed package's module that has not run yet: it runs when the name is used."""

    module: ModuleFile
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of two values, by a condition that is not known."""

    condition: Truth
    then: object
    other: object
    depth: int = 1


@dataclass(slots=True, eq=False)
class Model:
    """An object of a library that a model describes: its class's name and what the model keeps."""

    kind: str
    space: Space
    span: Span | None = None
