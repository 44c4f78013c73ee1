"""Room for the frames of deep calls.

CPython keeps frames in blocks of 16 KiB and gives a block back to the system when the call that opened it returns. An analysis that is deep enough to fill
a block and then calls in a loop opens and gives back the next block at every call: tens of thousands of times in one check. A block is as large as its
first frame asks for, so a function that asks for a large stack leaves room for all calls below it. What is not used of a block costs no memory.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import ParamSpec, TypeVar

_SLOTS = (1 << 17) + 64
"""A little more than 1 MiB of pointers: the block has 2 MiB, and the rest is left for the calls below."""

P = ParamSpec("P")
R = TypeVar("R")


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, whose calls find room for about 5,000 frames."""
    assert isinstance(function, FunctionType)
    function.__code__ = function.__code__.replace(co_stacksize=_SLOTS)
    return function
