"""How libraries behave: a folder for each, a file for each concern. What models import is here."""

from __future__ import annotations

from tensorproof.libraries.bound import Bound, bind, by_signature, filled_by_signature
from tensorproof.libraries.model import ClassModel, Iterations, KindModel, Open, Run, all_items, batches, some_iterations
from tensorproof.libraries.plain import (
    Abstract,
    always,
    argument,
    exception,
    from_host,
    iterator,
    leaves,
    listed,
    mapped,
    nothing,
    quiet,
    tensors_in,
    to_host,
    unknown,
)

__all__ = [
    "Abstract", "Bound", "ClassModel", "Iterations", "KindModel", "Open", "Run", "all_items", "always", "argument", "batches", "bind", "by_signature",
    "exception", "filled_by_signature", "from_host", "iterator", "leaves", "listed", "mapped", "nothing", "quiet", "some_iterations",
    "tensors_in", "to_host", "unknown",
]  # fmt: skip
