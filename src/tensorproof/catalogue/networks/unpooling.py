"""Unpooling, and the gradient of max pooling: values go back to where their indices say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.networks.pooling import not_empty, windows
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.inputs import Bool, Ints, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.window import images
from tensorproof.terms.dtypes import FLOATS, INT64
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, eq, ge, gt, lt
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import unpooling as unpooling_moves
else:
    unpooling_moves = later("catalogue.networks.formulas.unpooling")


def _same_shapes(c: Call, x: str, y: str, code: str) -> None:
    """Two inputs have one shape."""
    a, b = c.shape(x), c.shape(y)
    same = len(a) == len(b) and conj(*(eq(p, q) for p, q in zip(a, b, strict=True)))
    c.require(code, same, f"{x} is {a!r} and {y} is {b!r}: they must be the same", (x, y))


def _unpool_shape(c: Call, n: int) -> Shape:
    x = c.shape("x")
    not_empty(c, 1)
    _same_shapes(c, "x", "indices", "indices")
    wanted = c["output_size"]
    kernel, stride = c["kernel"], c["stride"] or c["kernel"]
    for s in stride if n == 3 else ():
        c.require("stride", ge(s, 1), f"the stride must be at least 1, and is {s!r}", ("stride", "kernel"))
    usual = [(size - 1) * s + k - 2 * p for size, k, s, p in zip(x[-n:], kernel, stride, c["padding"], strict=True)]
    if wanted is None:
        for size in usual:
            c.require("output", ge(size, 0), f"the output would have {size!r} elements along an axis", ("x", "padding"))
        return Shape((*x[:-n], *usual))
    c.require("output_size", len(wanted) in (n, n + 2), f"output_size has {n} or {n + 2} elements, and here {len(wanted)}", "output_size")
    sizes: tuple[Dim, ...] = wanted[-n:]
    for size, default, s in zip(sizes, usual, stride, strict=True):
        within = conj(gt(size, default - s), lt(size, default + s))
        c.require("output_size", within, f"an output of {size!r} is asked for, which must lie between {default - s!r} and {default + s!r}", "output_size")
    return Shape((*x[:-n], *sizes))


def _unpool(n: int) -> Op:
    return Op(
        f"max_unpool{n}d",
        inputs=(Tensor("x", images(n), FLOATS), Tensor("indices", images(n), frozenset({INT64}), values="index")),
        attributes=(
            Sizes("kernel", n),
            Sizes("stride", n, None, optional=True),
            Sizes("padding", n, 0),
            Ints("output_size", None, optional=True),
        ),
        shape=lambda c: _unpool_shape(c, n),
        dtype=Like("x"),
        codes=dict.fromkeys("NCZYX", "indices"),
        evaluate=unpooling_moves.put_back,
    )


UNPOOLS = (_unpool(1), _unpool(2), _unpool(3))


def _unpool_to(n: int) -> Op:
    def shape(c: Call) -> Shape:
        not_empty(c, 1)
        _same_shapes(c, "x", "indices", "indices")
        return Shape((*c.shape("x")[:-n], *c["output_size"]))

    return Op(
        f"max_unpool{n}d_to_size",
        inputs=_unpool(n).inputs,
        attributes=(Sizes("output_size", n, least=0), Sizes("stride", n, 1, least=1), Sizes("padding", n, 0)),
        shape=shape,
        dtype=Like("x"),
        codes=dict.fromkeys("NCZYX", "indices"),
        evaluate=unpooling_moves.put_back,
        doc="Unpooling to a size that is given.",
    )


UNPOOLS_TO_SIZE = (_unpool_to(2), _unpool_to(3))


def _backward_shape(c: Call) -> Shape:
    not_empty(c, c.rank("x") - 3)
    pooled = windows(c, 2, dilated=True)
    for name in ("grad", "indices"):
        own = c.shape(name)
        same = len(own) == len(pooled) and conj(*(eq(a, b) for a, b in zip(own, pooled, strict=True)))
        c.require(name, same, f"{name} is {own!r} and what was pooled is {pooled!r}: they must be the same", (name, "x"))
    return c.shape("x")


_POOLED = "N C _ _ | C _ _"
MAX_POOL2D_BACKWARD = Op(
    "max_pool2d_backward",
    inputs=(
        Tensor("grad", _POOLED, FLOATS, draw=images(2)),
        Tensor("x", images(2), FLOATS),
        Tensor("indices", _POOLED, frozenset({INT64}), values="index", draw=images(2)),
    ),
    attributes=(
        Sizes("kernel", 2, least=1),
        Sizes("stride", 2, None, least=1, optional=True),
        Sizes("padding", 2, 0, least=0),
        Sizes("dilation", 2, 1, least=1),
        Bool("ceil_mode", False),
    ),
    shape=_backward_shape,
    dtype=Same("grad", "x"),
    codes={"N": "grad", "C": "grad"},
    evaluate=unpooling_moves.summed_back,
)
