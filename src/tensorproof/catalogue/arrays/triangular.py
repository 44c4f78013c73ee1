"""Triangles of matrices, and the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops import ones
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import ElementType, Int, Tensor
from tensorproof.ops.record import Op
from tensorproof.ops.storage import cast, known, small
from tensorproof.terms.dtypes import INDEX, INT64, NUMBERS
from tensorproof.terms.ints import Dim
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def triangle(name: str, upper: bool) -> Op:
    """The elements on one side of a diagonal; the others are zero."""

    def contents(c: Call) -> tuple[Any, ...] | None:
        x, k = c.tensor("x"), c["offset"]
        if x.contents is None or not known(x) or x.dtype is None or not x.contents or type(k) is not int:
            return None
        n, m = x.shape[-2:]
        zero = cast((0,), x.dtype)
        if zero is None:
            return None
        inside = [(j - i >= k) if upper else (j - i <= k) for i in range(n) for j in range(m)]
        return tuple(v if inside[p % (n * m)] else zero[0] for p, v in enumerate(x.contents))

    return Op(
        name, (Tensor("x", "... N M", NUMBERS),), (Int("offset", 0),), same_shape, Like("x"), fold=contents, ones=ones.triangle(lower=not upper),
        evaluate=lambda np, a: getattr(np, name)(a["x"], a["offset"]),
    )  # fmt: skip


TRIL = replace(triangle("tril", False), order="compact", overlaps=True)
TRIU = replace(triangle("triu", True), order="compact", overlaps=True)


def triangle_indices(name: str, upper: bool) -> Op:
    """The coordinates of a triangle: row numbers, then column numbers."""

    def count(c: Call) -> Dim:
        rows, columns, k = c["rows"], c["columns"], c["offset"]
        if type(rows) is int and type(columns) is int and type(k) is int:
            return sum(max(0, columns - max(0, i + k)) if upper else min(columns, max(0, i + k + 1)) for i in range(rows))
        if rows is columns and k in (0, 1, -1):
            small_side = (upper and k == 1) or (not upper and k == -1)
            if k == 0 or small_side:
                made: Dim = rows * (rows - 1 if small_side else rows + 1) // 2
                return made
        return c.fresh("triangle")

    def contents(c: Call) -> tuple[Any, ...] | None:
        rows, columns, k = c["rows"], c["columns"], c["offset"]
        if not small((rows, columns)) or type(k) is not int:
            return None
        at = [(i, j) for i in range(rows) for j in range(columns) if (j - i >= k if upper else j - i <= k)]
        return tuple(i for i, _ in at) + tuple(j for _, j in at)

    def places(np: Numpy, a: Arguments) -> Array:
        return np.stack((np.triu_indices if upper else np.tril_indices)(a["rows"], a["offset"], a["columns"]))

    attributes = (Int("rows", least=0), Int("columns", least=0), Int("offset", 0), ElementType(dtypes=INDEX))
    return Op(name, (), attributes, lambda c: Shape((2, count(c))), Given("dtype", INT64), fold=contents, evaluate=places)


TRIL_INDICES = triangle_indices("tril_indices", False)
TRIU_INDICES = triangle_indices("triu_indices", True)
