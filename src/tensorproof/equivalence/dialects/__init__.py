"""How a library is written and read: its tensors, their text, and results as plain data."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Any, Protocol

from tensorproof.equivalence.arrays import Array


class Dialect(Protocol):
    """What rules and the oracle ask of a library. `name` is "torch" or "tensorflow"."""

    name: str
    seed: str
    """A line that seeds its random numbers."""

    def version(self) -> str: ...
    def imports_of(self, texts: str) -> list[str]:
        """The import lines that a script with these texts needs."""
        ...

    def namespace(self) -> dict[str, Any]:
        """The modules by the names that texts use."""
        ...

    def tensor(self, array: Array) -> Any: ...
    def literal(self, array: Array) -> str:
        """The text that makes the tensor."""
        ...

    def dtype(self, label: str) -> str: ...
    def spelled(self, name: str, positional: int = 0, keywords: Collection[str] | None = None) -> str:
        """A public name as this version has it; names of TensorFlow 1, or calls with its arguments, stand under `tf.compat.v1`."""
        ...

    def exists(self, name: str) -> bool: ...
    def is_alias(self, name: str, other: str) -> bool:
        """Whether both names are one object of the library."""
        ...

    def documented(self, name: str) -> bool:
        """Whether the library has a text on that name: others are public by their spelling alone."""
        ...

    def is_property(self, name: str) -> bool: ...
    def layer(self, made: str) -> str:
        """The lines that make a layer named `layer`, ready to be evaluated."""
        ...

    def copied(self, name: str) -> str: ...
    def converted(self, name: str, storage: str) -> str: ...
    def plain(self, value: object) -> Any:
        """A result as a tree of `Value`, tuples, dicts and Python values."""
        ...

    def tolerance(self, label: str) -> tuple[float, float]:
        """The library's own relative and absolute tolerance for an element type."""
        ...

    def quiet(self, gradients: bool) -> Any:
        """A context in which sides run."""
        ...

    def checking(self) -> Any:
        """A context in which the library checks arguments that it takes on trust otherwise."""
        ...

    def has_weights(self, value: object) -> bool:
        """Whether it is a layer or model."""
        ...

    def wide(self, value: object) -> Any:
        """A layer with its weights in double precision; anything else as it is."""
        ...

    def together(self, functions: list[Any]) -> Any:
        """One function that calls each with the arguments at its place."""
        ...

    def blamed(self, error: BaseException) -> set[int]:
        """The places of the functions in `together` that an exception blames; none where it does not say."""
        ...

    def reset(self) -> None:
        """Forget what was compiled."""
        ...

    def broken(self, error: BaseException) -> bool:
        """Whether the process cannot go on after that error."""
        ...

    def check(self, compare: str) -> str:
        """The last line of a script, which compares `left` and `right` (`Pair.compare` says how)."""
        ...


def all_of(functions: list[Any]) -> Any:
    def together(*arguments: Any) -> list[Any]:
        return [function(*given) for function, given in zip(functions, arguments)]

    return together


def dialect(library: str) -> Dialect:
    """Loads the library."""
    module = import_module(f"tensorproof.equivalence.dialects.{'torch' if library == 'torch' else 'tensorflow'}_dialect")
    made: Dialect = module.DIALECT
    return made
