"""Initial weights that are not draws: identities, written over a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Int, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.predicates import disj, eq, ge, ne
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

EYE_FILL = Op(
    "eye_fill", (Tensor("x", "_ _"),), (), same_shape, Like("x"), writes=("x",), gradient="x-", evaluate=lambda np, a: np.eye(*a["x"].shape),
    doc="Ones on the diagonal of a matrix and zeros elsewhere.",
)  # fmt: skip


def _dirac_shape(c: Call) -> Shape:
    x, groups = c.shape("x"), c["groups"]
    c.require("groups", ne(groups, 0), "there is at least one group", "groups")
    if groups != 0:
        for n in x[2:]:
            c.require("window", disj(ge(n, 1), eq(x[0], 0), eq(x[1], 0)), f"the window {x[2:]!r} has no middle", "x")
        c.require("groups", eq(x[0] % groups, 0), f"the {x[0]!r} outputs must be divisible into {groups!r} groups", ("x", "groups"))
    return x


def _dirac(np: Numpy, a: Arguments) -> Array:
    """In each group the outputs take one input each, at the middle of the window."""
    rows, columns, *field = a["x"].shape
    each = rows // a["groups"]
    made = np.zeros((rows, columns, *field))
    middle = tuple(n // 2 for n in field)
    for group in range(a["groups"]):
        for i in range(min(each, columns)):
            made[(group * each + i, i, *middle)] = 1.0
    return made


DIRAC_FILL = Op(
    "dirac_fill", (Tensor("x", "_ _ _ | _ _ _ _ | _ _ _ _ _"),), (Int("groups", 1),), any_rank(_dirac_shape), Like("x"), writes=("x",), gradient="x-",
    evaluate=_dirac, doc="Weights of a convolution that passes its inputs on, as far as there are inputs and outputs.",
)  # fmt: skip
