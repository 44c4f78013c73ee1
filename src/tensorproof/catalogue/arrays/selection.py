"""Elements that are picked, counted, compared or placed by what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.frameworks.tensorflow_arrays import numbers, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.evaluation import Arguments, plain, points
from tensorproof.ops.facts import CUTS, mixes
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Bool, Int, Ints, Tensor
from tensorproof.ops.record import NON_NEGATIVE, Op, Out, Values
from tensorproof.terms.dtypes import BOOL, INDEX, INT32
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def nth(np: Numpy, a: Arguments) -> Array:
    n = int(plain(np, a["n"]))
    return np.sort(a["x"], -1)[..., -1 - n if a["reverse"] else n]


NTH_ELEMENT = Op(
    "nth_element", (Tensor("x", "... N"),), (Anything("n"), Bool("reverse", False)), lambda c: Shape(c.shape("x")[:-1]), Like("x"),
    evaluate=nth, values=CUTS, doc="The n-th least element along the last axis, from 0; reverse: the n-th greatest.",
)  # fmt: skip


def among_greatest(np: Numpy, a: Arguments) -> Array:
    """Fewer than k elements of the row are greater. Of a row with numbers that are not finite, and of a class that is not one, nothing is said."""
    x, y, k = a["x"], plain(np, a["y"]), plain(np, a["k"])
    valid = np.logical_and(y >= 0, y < x.shape[1])
    own = np.take_along_axis(x, np.where(valid, y, 0)[:, None], 1)
    fewer = np.less(np.sum(np.greater(x, own), axis=1), k)
    return np.logical_and(np.logical_and(fewer, np.all(np.isfinite(x), axis=1)), valid)


IN_TOP_K = Op(
    "in_top_k", (Tensor("x", "N C"), Tensor("y", "N", INDEX)), (Anything("k"),), "N", BOOL, codes={"N": "batch"},
    evaluate=among_greatest, doc="Whether the element of each row that y names is one of the k greatest.",
)  # fmt: skip


def difference(c: Call) -> list[Shape]:
    count = Shape((c.fresh("difference"),))
    return [count, count]


def not_listed(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x = points(np, a["x"])
    places = np.nonzero(~np.isin(x, points(np, a["y"])))[0]
    return x[places], places


LIST_DIFFERENCE = Op(
    "list_difference", (Tensor("x", "N"), Tensor("y", "M")), (), difference, Same("x", "y"), outputs=(Out("values"), Out("places", INT32)), data_dependent=True,
    evaluate=not_listed, doc="The elements of x that are not in y, in their order, and where they stood.",
)  # fmt: skip


@any_rank
def asked_for(c: Call) -> Shape:
    size = numbers(c, "size")
    return somewhere(c) if size is None else Shape(size)


def placed(np: Numpy, a: Arguments) -> Array:
    """Each place takes one of the values, or the default that stands before them."""
    size = tuple(int(n) for n in plain(np, a["size"]))
    index = plain(np, a["index"])
    index = np.reshape(index, (-1, 1) if index.ndim < 2 else index.shape)
    values = np.ravel(np.broadcast_to(a["values"], (index.shape[0],)))
    source = np.zeros(size, np.int64)
    source[tuple(index.T)] = np.arange(1, index.shape[0] + 1)
    return np.take(np.concatenate([np.reshape(a["default"], (1,)), values]), source)


SPARSE_TO_DENSE = Op(
    "sparse_to_dense", (Tensor("index", "...", INDEX), Tensor("values"), Tensor("default", "")), (Ints("size", shape=True, loose=True),), asked_for,
    Same("values", "default"), evaluate=placed, values=mixes("values default"),
    doc="A tensor of this size that holds the values at their places and the default elsewhere.",
)  # fmt: skip


def weighted_count(np: Numpy, a: Arguments) -> Array:
    x = np.ravel(plain(np, a["x"]))
    weights = np.reshape(a["y"], (-1, 1)) if a["y"].size else 1
    return np.sum(np.where(x[:, None] == np.arange(a["size"]), weights, 0), axis=0)


WEIGHTED_COUNT = Op(
    "weighted_count", (Tensor("x"), Tensor("y")), (Int("size"),), any_rank(lambda c: Shape((c["size"],))), Like("y"),
    evaluate=weighted_count,
    doc="For each whole number below `size`, the sum of the weights y of the elements of x that are equal to it; without weights, how many there are.",
)  # fmt: skip
BUCKETIZE = Op(
    "bucketize", (Tensor("x"),), (Anything("boundaries", like=([0.5, 1.5],)),), any_rank(same_shape), INT32,
    evaluate=lambda np, a: np.sum(np.logical_not(np.less(np.expand_dims(a["x"], -1), np.asarray(a["boundaries"] or (), np.float64))), axis=-1),
    values=Values("bounded", bounds=NON_NEGATIVE), doc="How many of the sorted boundaries are not greater than each element.",
)  # fmt: skip
