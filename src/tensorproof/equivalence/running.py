"""Runs the two programs of a pair, as the texts that a report shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from types import CodeType
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.arrays import Array, Raised

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect
    from tensorproof.equivalence.rule import Pair

LONGEST_MESSAGE = 400
_GOT = re.compile(r"\bgot (\w+)\(['\"]?(.*?)['\"]?\)?$")
_STYLE = re.compile(r"\x1b\[[\d;]*m|\{\{[^{}]*\}\} ?| \[Op:\w+\]( name: *)?$", re.MULTILINE)
"""Colours, and the names that TensorFlow gives to operators."""
_CALLING = re.compile(r"Exception encountered when calling")
"""Keras says first in which layer, and then what."""


@lru_cache(4096)
def _compiled(text: str) -> tuple[CodeType | None, CodeType]:
    """A program: all lines but the last, and the last, which is an expression."""
    body, _, last = text.rpartition("\n")
    return (compile(body, "<pair>", "exec") if body else None), compile(last, "<pair>", "eval")


def raised(error: BaseException) -> Raised:
    lines = [line for line in _STYLE.sub("", str(error)).splitlines() if line.strip()] or [""]
    at = -1 if lines[0] == "in user code:" else 1 if _CALLING.match(lines[0]) and len(lines) > 1 else 0
    return Raised(type(error).__name__, (_wrapped(lines) or lines[at].strip())[:LONGEST_MESSAGE])


def _wrapped(lines: list[str]) -> str:
    """What a compiler wraps, of torch with its first line: the error of the backend, or of the kernel that computes shapes; empty for other errors."""
    if lines[0].startswith("Graph execution error"):  # then where it was made, and last what it is, with the node
        return next((line.strip() for line in reversed(lines) if not line.strip().startswith("[[")), "")
    if lines[0].endswith("raised:") and len(lines) > 1:
        return f"{lines[0].strip()} {lines[1].strip()}"
    if lines[0].endswith("fake tensor call"):
        return next((f"{lines[0].strip()}: {found[1]}: {found[2]}" for line in lines if (found := _GOT.search(line))), "")
    return ""


class Broken(BaseException):
    """The library cannot be used in this process any more: an error of a device that all later calls raise again. Nothing but the worker's end helps."""


class Runner:
    """Runs texts on a library. `seconds` is the time spent in them."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.modules = dialect.namespace()
        self.seconds = 0.0

    def tensors(self, inputs: Mapping[str, Array]) -> dict[str, Any]:
        return {name: self.dialect.tensor(array) for name, array in inputs.items()}

    def prepared(self, setup: str, inputs: Mapping[str, Array]) -> dict[str, Any] | Raised:
        """The names after the lines that both sides share."""
        try:
            names = {**self.modules, **self.tensors(inputs)}
            if setup:
                began = perf_counter()
                try:
                    exec(_compiled(f"{setup}\nNone")[0] or "", names)
                finally:
                    self.seconds += perf_counter() - began
            return names
        except (Exception, SystemExit) as error:
            return raised(error)

    def side(self, text: str, names: dict[str, Any], inputs: Mapping[str, Array]) -> Any:
        """What a side gives, as plain data; `Raised` where it raises. Its inputs are made anew, since it may write into them."""
        body, last = _compiled(text)
        names = {**names, **self.tensors(inputs)}
        began = perf_counter()
        try:
            if body is not None:
                exec(body, names)
            value = eval(last, names)
        except (Exception, SystemExit) as error:
            return self._raised(error)
        finally:
            self.seconds += perf_counter() - began
        try:
            return self.dialect.plain(value)
        except Exception as error:
            return self._raised(error)

    def _raised(self, error: BaseException) -> Raised:
        if self.dialect.broken(error):
            raise Broken(raised(error).words)
        return raised(error)

    def both(self, pair: Pair, inputs: Mapping[str, Array]) -> tuple[Any, Any]:
        """What both sides give."""
        inputs = {**inputs, **pair.inputs}
        names = self.prepared(pair.setup, inputs)
        if isinstance(names, Raised):
            return names, names
        left = self.side(pair.left, names, inputs)
        if pair.setup:  # a layer may change when it is called: the right side has one of its own
            names = self.prepared(pair.setup, inputs)
        return left, names if isinstance(names, Raised) else self.side(pair.right, names, inputs)
