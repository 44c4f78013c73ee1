"""NumPy with the types by which reference functions know it (`ops/arrays.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Numpy

NUMPY = cast("Numpy", numpy)
