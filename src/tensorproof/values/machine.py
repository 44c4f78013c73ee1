"""What a library model may ask of the interpreter, as small ports (calls, objects, findings, facts, tensors, the program); `Machine` is all of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.diagnostics.span import Span
from tensorproof.ops.session import Session
from tensorproof.terms.ints import Dim, Origin
from tensorproof.terms.predicates import Predicate, Truth
from tensorproof.terms.tensor import TensorType
from tensorproof.values.directives import Directives
from tensorproof.values.heap import Heap, Space
from tensorproof.values.objects import Function, ModuleFile
from tensorproof.values.path import Path
from tensorproof.values.python_values import Unknown
from tensorproof.values.raised import Raised

T = TypeVar("T")
Value = object
"""A value of the analysed program: a number, a text, a tensor, a list, an instance, something unknown. Nothing is known of one before `isinstance`."""
Args = tuple[Value, ...]
"""Arguments by position."""
Kwargs = dict[str, Value]
"""Arguments by name."""


class Calls(Protocol):
    """Calling what the program or a library defines."""

    def call(self, callee: Value, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
        """Call anything: a function of the program, a layer, a spelling, a native."""
        ...

    def spelling(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
        """Call an operator by a framework's name for it."""
        ...

    def run_layer(self, layer: Value, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
        """Apply a layer's operator, whoever called it."""
        ...

    def layer_forward(self, layer: Value, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value: ...

    def attempt(self, callee: Value, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> tuple[Any, Raised | None]:
        """Call something whose exception does not go to the caller."""
        ...

    def each(self, iterations: list[Any], act: Callable[[Any], Truth | None], node: ast.AST, source: Value = None) -> None:
        """Run the iterations of a loop of a library; `act` may give a condition that ends it."""
        ...

    def enter(self, manager: Value, node: ast.AST) -> tuple[Any, Any]:
        """Enter a context: what it gives, and how it is left."""
        ...

    def throw(self, generator: Value, raised: Raised, node: ast.AST) -> bool:
        """Raise inside a generator at its yield: whether it ended and so swallowed the exception."""
        ...

    def run_text(self, text: str, node: ast.AST) -> bool:
        """Run Python source in the main file's namespace."""
        ...


class Objects(Protocol):
    """Reading and writing the program's objects, as its own statements do."""

    @property
    def heap(self) -> Heap: ...

    @property
    def model_state(self) -> dict[Any, Any]:
        """What library models keep between calls."""
        ...

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value: ...

    def set_attribute(self, owner: Value, name: str, value: Value, node: ast.AST) -> None: ...

    def item(self, owner: Value, index: Value, node: ast.AST) -> Value: ...

    def set_item(self, owner: Value, index: Value, value: Value, node: ast.AST) -> None: ...

    def delete_item(self, owner: Value, index: Value, node: ast.AST) -> None: ...

    def in_class(self, cls: Value, name: str) -> Value:
        """An attribute of a class of the program; MISSING when there is none."""
        ...

    def iterate(self, value: Value, node: ast.AST) -> list[Any] | None:
        """The items of a value; None when they are not known."""
        ...

    def open_iterations(self, value: Value, node: ast.AST) -> Any:
        """The iterations of a loop over items that were summarised; None for any other value."""
        ...

    def next_or(self, value: Value, default: Value, node: ast.AST) -> Value:
        """`next(value, default)` of data."""
        ...

    def compare(self, op: type[ast.cmpop], a: Value, b: Value, node: ast.AST) -> Value: ...

    def binary(self, op: type[ast.operator], a: Value, b: Value, node: ast.AST, in_place: bool = False) -> Value: ...

    def unary(self, op: type[ast.unaryop], a: Value, node: ast.AST) -> Value: ...

    def truth(self, value: Value, node: ast.AST) -> Truth: ...

    def remember(self, owner: Value, name: str, old: Value) -> None:
        """Must be called before a library's record is changed in place."""
        ...


class Findings(Protocol):
    """What is reported of the program, and where."""

    handlers: int
    """How many `try` blocks are open."""

    @property
    def path(self) -> Path: ...

    errors: tuple[int, frozenset[int], int, bool]
    """What is kept of errors that the run went on after."""

    def user_span(self, node: ast.AST) -> Span:
        """The innermost place in the project's own code."""
        ...

    def gap(self, callee: str, node: ast.AST, reason: str = "") -> Unknown:
        """Record that something was not understood."""
        ...

    def require(self, code: str, predicate: Truth, message: str, node: ast.AST, about: tuple[str, ...] = (), trail: tuple[Step, ...] = ()) -> None:
        """State a requirement at this place."""
        ...

    def demand(self, kind: str, predicate: Truth, message: str, node: ast.AST, code: str = "") -> None:
        """The program raises this exception unless the predicate holds."""
        ...

    def may_raise(self, kind: str, message: str, node: ast.AST) -> None:
        """What data hold may bring about this exception. Where the program waits for it, both are followed; else it is taken not to happen."""
        ...

    def fail(self, code: str, message: str, node: ast.AST, trail: tuple[Step, ...] = ()) -> Raised:
        """For `raise machine.fail(...)`: a certain error."""
        ...

    def raised(self, kind: Value, message: str, node: ast.AST, code: str = "", trail: tuple[Step, ...] = ()) -> Raised:
        """For `raise machine.raised("ValueError", ...)`: an exception that the program may catch."""
        ...

    def catches(self, raised: Raised, wanted: Value, node: ast.AST) -> bool:
        """Whether `except wanted` would take an exception of the program."""
        ...

    def uncaught(self, raised: Raised) -> None: ...

    def warn(self, code: str, message: str, node: ast.AST) -> None: ...

    def warn_of(self, raised: Raised, message: str) -> None:
        """An exception that does not end the program, as a warning at its own place."""
        ...


class Choosing(Protocol):
    """The branches of a path."""

    count: int
    """How many were met."""

    def choose(self, p: Truth, then: Callable[[], Any], other: Callable[[], Any]) -> Value:
        """Run both where the condition is unknown, and join what they leave."""
        ...


class Known(Protocol):
    """What holds on the path, and the names of what is unknown."""

    facts: list[Predicate]

    @property
    def branching(self) -> Choosing: ...

    def assume(self, fact: Truth, lasting: bool = True) -> None: ...

    def implied(self, p: Predicate) -> bool | None:
        """What the facts say of a predicate, if anything."""
        ...

    def ended_here(self, p: Predicate) -> bool:
        """Whether an iterator is at its end, which a `try` waits for."""
        ...

    def symbol(self, name: str, lo: int, hi: int | None, origin: Origin) -> Dim:
        """A size that is not known, named by this place and its occurrence."""
        ...

    def open_truth(self, word: str, node: ast.AST) -> Predicate:
        """An unknown truth value."""
        ...

    def name_here(self, word: str, node: ast.AST, words: str = "") -> str:
        """A name for something made at this place, the same in every replay."""
        ...


class TensorMemory(Protocol):
    """What is known of tensor objects now, whatever was written into them."""

    def current(self, t: TensorType) -> TensorType: ...

    def labelled(self, t: TensorType) -> TensorType: ...

    def relabel(self, target: TensorType, becomes: TensorType) -> None: ...

    def object_of(self, t: TensorType) -> Space: ...

    def lies(self, t: TensorType) -> tuple[Space, Dim | None]: ...

    def made(self, result: T) -> T: ...

    def sharing(self, made: TensorType, source: TensorType) -> TensorType: ...

    def shows(self, made: TensorType, source: TensorType) -> TensorType: ...

    def write(self, target: TensorType, becomes: TensorType | None = None) -> TensorType: ...

    def called(self, name: str, result: Value, outcome: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Value: ...


class Tensors(Protocol):
    """The tensors of the run."""

    ranged: bool
    """Whether a range of whole numbers is known of any tensor."""

    @property
    def memory(self) -> TensorMemory: ...

    @property
    def session(self) -> Session: ...

    @property
    def made_at(self) -> dict[int, tuple[Any, str, Span]]:
        """By the tensor's id: the tensor, the name that it was bound to, and where."""
        ...

    @property
    def sizes(self) -> dict[int, tuple[Any, ...]]:
        """The tuples that are a torch.Size."""
        ...


class CallFrame(Protocol):
    """One running call of the program."""

    @property
    def space(self) -> Space: ...

    @property
    def scopes(self) -> tuple[Space, ...]: ...

    @property
    def module(self) -> ModuleFile | None: ...

    @property
    def function(self) -> Function | None: ...

    @property
    def library(self) -> int:
        """How many calls of library models were open when this one began."""
        ...

    def inner(self, space: Space, scopes: tuple[Space, ...]) -> CallFrame: ...


class Program(Protocol):
    """The run, and the files and settings that it has."""

    steps: int
    in_library: int
    """How many calls of library models are open."""
    entered: int
    """How many calls of the program's own functions were entered."""

    @property
    def argv(self) -> tuple[str, ...]: ...

    @property
    def directives(self) -> Directives: ...

    @property
    def frames(self) -> Sequence[CallFrame]: ...

    @property
    def main(self) -> ModuleFile:
        """The main file."""
        ...

    @property
    def main_path(self) -> str: ...

    def texts(self) -> list[str]:
        """The text of every file that was read."""
        ...

    def module(self, name: str, node: ast.AST) -> Value:
        """`import name`."""
        ...

    def installed(self, name: str) -> tuple[bool | None, str | None]:
        """Whether there is a module of this name, where that is known, and which version its package or library has."""
        ...

    def run_module(self, module: ModuleFile, name: str | None) -> None:
        """Run a module as far as needed for a name."""
        ...

    def step(self, cost: int = 1) -> None:
        """Count what was done; the run ends where its limit is reached."""
        ...


class Machine(Calls, Objects, Findings, Known, Tensors, Program, Protocol):
    """The running interpreter."""
