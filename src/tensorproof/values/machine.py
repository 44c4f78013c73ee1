"""What a library model may ask of the interpreter: the Protocol by which a model calls user code, reads and writes memory, and reports."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.terms.ints import Dim, Origin
from tensorproof.terms.predicates import Truth
from tensorproof.values.heap import Heap
from tensorproof.values.python_values import Unknown


class Machine(Protocol):
    """The running interpreter."""

    heap: Heap

    def call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """Call anything: a function of the program, a layer, a spelling, a native."""
        ...

    def spelling(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """Call an operator by a framework's name for it."""
        ...

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any: ...

    def set_attribute(self, owner: Any, name: str, value: Any, node: ast.AST) -> None: ...

    def iterate(self, value: Any, node: ast.AST) -> list[Any] | None:
        """The items of a value; None when they are not known."""
        ...

    def in_class(self, cls: Any, name: str) -> Any:
        """An attribute of a class of the program; MISSING when there is none."""
        ...

    def truth(self, value: Any, node: ast.AST) -> Truth: ...

    def gap(self, callee: str, node: ast.AST, reason: str = "") -> Unknown:
        """Record that something was not understood."""
        ...

    def require(self, code: str, predicate: Truth, message: str, node: ast.AST, about: tuple[str, ...] = ()) -> None:
        """State a requirement at this place."""
        ...

    def fail(self, code: str, message: str, node: ast.AST, trail: tuple[Step, ...] = ()) -> Exception:
        """For `raise machine.fail(...)`: a certain error."""
        ...

    def raised(self, kind: str, message: str, node: ast.AST) -> Exception:
        """For `raise machine.raised("ValueError", ...)`: an exception that the program may catch."""
        ...

    def symbol(self, name: str, lo: int, hi: int | None, origin: Origin) -> Dim:
        """A size that is not known, named by this place and its occurrence."""
        ...

    def warn(self, code: str, message: str, node: ast.AST) -> None: ...
