"""How much of a file's limit the packages may take that are read from their source: the program's own lines always get the rest.

What takes more is left: the run begins again, and a name that was imported, or the result of a call, is unknown as if the package were not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.frontends.python.errors import Fork
from tensorproof.solve.limits import OutOfBudget
from tensorproof.terms.budgets import BUDGETS

if TYPE_CHECKING:
    import ast

    from tensorproof.frontends.python.frame import Frame
    from tensorproof.frontends.python.machine import Interpreter

_EACH = 1000
"""Steps between two looks at the clock."""
_OF_IMPORT, _OF_CALL = BUDGETS.exploration.share_of_import, BUDGETS.exploration.share_of_call
_OF_ALL = BUDGETS.exploration.share_of_packages


class Left(OutOfBudget):
    """A package has used up its part. `name` is what the program imported from it, or the place of the call that it made (`place_of`)."""

    def __init__(self, name: str = "") -> None:
        super().__init__("a package takes too long to follow")
        self.name = name
        self.is_call = bool(name)


def through(left: Left | Fork, name: str) -> None:
    """What ends a run passes the import of this name: the outermost one is left."""
    if isinstance(left, Fork):
        left.imported = name
    elif not left.is_call:
        left.name = name


class PackageBudget:
    """The part of one run's limit that goes to packages."""

    def __init__(self) -> None:
        self.next = 0
        """The step at which the limit is looked at again."""
        self.open = True
        """Whether the run may still begin again."""
        self.entered: Frame | None = None
        """The outermost call or module of a package, when the limit was looked at last."""
        self.since = 0.0

    def check(self, m: Interpreter) -> None:
        """Look at the limit: end the run where it is reached, or leave a package that takes too much of it."""
        if m.steps > m.limit.steps or m.limit.expired:
            raise m.out_of_budget()
        self.next = min(m.steps + _EACH, m.limit.steps)
        at = next((i for i, f in enumerate(m.frames) if f.module is not None and f.module.foreign), None) if self.open else None
        if at is None:
            self.entered = None
            return
        entered, share = m.frames[at], m.limit.share(m.steps)
        if entered is not self.entered:
            self.entered, self.since = entered, share
        if share < _OF_ALL and share - self.since < (_OF_CALL if entered.function is not None else _OF_IMPORT):
            return
        if entered.function is None:
            raise Left
        raise Left(place_of(m.frames[at - 1], m.frames[at - 1].at) if at else "the program")


def place_of(frame: Frame, node: ast.AST | None) -> str:
    """The place of a call in the program."""
    path = frame.module.path if frame.module is not None else ""
    return f"{path}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
