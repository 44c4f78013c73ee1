"""Exceptions of the program as values of control flow, and the interpreter's own signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.solve.limits import OutOfBudget
from tensorproof.terms.records import dataclass
from tensorproof.values.raised import Raised

if TYPE_CHECKING:
    pass


@dataclass(slots=True)
class Fork(Exception):
    """What could not be joined: the run starts again, once with each answer to this decision."""

    decision: int
    """The number of the branch in this run."""
    package: str = ""
    """The installed package in whose source it came up."""
    place: str = ""
    """The place of the program's call into that package."""
    imported: str = ""
    """The name that the program imports from it, where its modules run for that."""


@dataclass(slots=True)
class Undecided(Fork):
    """A fork inside a `try`, in an iteration that stands for many: the statement runs once with each answer, and the two are joined."""

    predicate: Any = None


class Dead(Exception):
    """This path ended in an exception that is already recorded."""


class Looked(Exception):
    """A list that grows was read in the iteration that stands for the others, which therefore proves nothing."""


__all__ = ["BASES", "Dead", "Fork", "Looked", "OutOfBudget", "Raised", "is_kind"]
BASES = {
    "BaseException": (), "Exception": ("BaseException",), "SystemExit": ("BaseException",), "KeyboardInterrupt": ("BaseException",),
    "GeneratorExit": ("BaseException",), "StopIteration": ("Exception",), "StopAsyncIteration": ("Exception",), "ArithmeticError": ("Exception",),
    "ZeroDivisionError": ("ArithmeticError",), "OverflowError": ("ArithmeticError",), "FloatingPointError": ("ArithmeticError",),
    "AssertionError": ("Exception",), "AttributeError": ("Exception",), "BufferError": ("Exception",), "EOFError": ("Exception",),
    "ImportError": ("Exception",), "ModuleNotFoundError": ("ImportError",), "LookupError": ("Exception",), "IndexError": ("LookupError",),
    "KeyError": ("LookupError",), "MemoryError": ("Exception",), "NameError": ("Exception",), "UnboundLocalError": ("NameError",),
    "OSError": ("Exception",), "IOError": ("OSError",), "FileNotFoundError": ("OSError",), "FileExistsError": ("OSError",),
    "PermissionError": ("OSError",), "NotADirectoryError": ("OSError",), "IsADirectoryError": ("OSError",), "TimeoutError": ("OSError",),
    "ConnectionError": ("OSError",), "RuntimeError": ("Exception",), "NotImplementedError": ("RuntimeError",), "RecursionError": ("RuntimeError",),
    "SyntaxError": ("Exception",), "SystemError": ("Exception",), "TypeError": ("Exception",), "ValueError": ("Exception",),
    "UnicodeError": ("ValueError",), "UnicodeDecodeError": ("UnicodeError",), "UnicodeEncodeError": ("UnicodeError",), "Warning": ("Exception",),
    "AxisError": ("ValueError", "IndexError"), "LinAlgError": ("ValueError",), "_LinAlgError": ("RuntimeError",),
    "UFuncTypeError": ("TypeError",), "OpError": ("Exception",), "InvalidArgumentError": ("OpError",), "AbortedError": ("OpError",),
    "OutOfRangeError": ("OpError",), "FailedPreconditionError": ("OpError",), "NotFoundError": ("OpError",), "UnimplementedError": ("OpError",),
    "InternalError": ("OpError",), "ResourceExhaustedError": ("OpError",), "UnknownError": ("OpError",),
    "FrozenInstanceError": ("AttributeError",), "JSONDecodeError": ("ValueError",), "UnpicklingError": ("PickleError",), "PickleError": ("Exception",),
    "TOMLDecodeError": ("ValueError",), "TomlDecodeError": ("ValueError",),
    "ArgumentTypeError": ("Exception",), "ArgumentError": ("Exception",), "YAMLError": ("Exception",), "MissingMandatoryValue": ("Exception",),
    "EinopsError": ("RuntimeError",), "BaseExceptionGroup": ("BaseException",), "ExceptionGroup": ("BaseExceptionGroup", "Exception"),
    "UserWarning": ("Warning",), "DeprecationWarning": ("Warning",), "FutureWarning": ("Warning",), "RuntimeWarning": ("Warning",),
}  # fmt: skip


def is_kind(kind: str, wanted: str) -> bool:
    """Whether a builtin exception is of another's kind."""
    if kind == wanted:
        return True
    return any(is_kind(base, wanted) for base in BASES.get(kind, ()))
