"""Elements that are picked, counted, compared or placed by what they hold."""

from __future__ import annotations

from tensorproof.catalogue.tensorflow_arrays import numbers, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Bool, Int, Ints, Tensor
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import BOOL, INDEX, INT32
from tensorproof.terms.shapes import Shape

NTH_ELEMENT = Op(
    "nth_element", (Tensor("x", "... N"),), (Anything("n"), Bool("reverse", False)), lambda c: Shape(c.shape("x")[:-1]), Like("x"),
    doc="The n-th least element along the last axis, from 0; reverse: the n-th greatest.",
)  # fmt: skip
IN_TOP_K = Op(
    "in_top_k", (Tensor("x", "N C"), Tensor("y", "N", INDEX)), (Anything("k"),), "N", BOOL, codes={"N": "batch"},
    doc="Whether the element of each row that y names is one of the k greatest.",
)  # fmt: skip


def difference(c: Call) -> list[Shape]:
    count = Shape((c.fresh("difference"),))
    return [count, count]


LIST_DIFFERENCE = Op(
    "list_difference", (Tensor("x", "N"), Tensor("y", "M")), (), difference, Same("x", "y"), outputs=(Out("values"), Out("places", INT32)), data_dependent=True,
    doc="The elements of x that are not in y, in their order, and where they stood.",
)  # fmt: skip


@any_rank
def asked_for(c: Call) -> Shape:
    size = numbers(c, "size")
    return somewhere(c) if size is None else Shape(size)


SPARSE_TO_DENSE = Op(
    "sparse_to_dense", (Tensor("index", "...", INDEX), Tensor("values"), Tensor("default", "")), (Ints("size", shape=True, loose=True),), asked_for,
    Same("values", "default"), doc="A tensor of this size that holds the values at their places and the default elsewhere.",
)  # fmt: skip
WEIGHTED_COUNT = Op(
    "weighted_count", (Tensor("x"), Tensor("y")), (Int("size"),), any_rank(lambda c: Shape((c["size"],))), Like("y"),
    doc="For each whole number below `size`, the sum of the weights y of the elements of x that are equal to it; without weights, how many there are.",
)  # fmt: skip
BUCKETIZE = Op(
    "bucketize", (Tensor("x"),), (Anything("boundaries", like=([0.5, 1.5],)),), any_rank(same_shape), INT32,
    doc="How many of the sorted boundaries are not greater than each element.",
)  # fmt: skip
