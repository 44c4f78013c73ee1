"""The machine's port as models name it in annotations: nothing at run time, so that a model costs no loading of `values/machine.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorproof.values.machine import Args, Kwargs, Machine, Value
else:
    Args = Kwargs = Machine = Value = object

__all__ = ["Args", "Kwargs", "Machine", "Value"]
