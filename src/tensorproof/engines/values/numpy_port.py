"""NumPy with the types by which reference functions know it (`ops/arrays.py`), and names for the types of arrays of bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tensorproof.engines.values.boxes import Box
    from tensorproof.ops.arrays import Array, Numpy

NUMPY = cast("Numpy", numpy)

Reals: TypeAlias = "NDArray[numpy.float64]"
"""Ends of intervals."""
Truths: TypeAlias = "NDArray[numpy.bool_]"
Numbers: TypeAlias = "NDArray[Any]"
"""An array of elements of any type."""
Like: TypeAlias = "Box | Numbers | Array | complex | Sequence[Like]"
"""What becomes a box."""
Axes: TypeAlias = int | tuple[int, ...] | None
Made: TypeAlias = "Array | tuple[Array, ...]"
"""What a reference function gives: of one output, or of several."""
ElementType: TypeAlias = "numpy.dtype[Any]"
