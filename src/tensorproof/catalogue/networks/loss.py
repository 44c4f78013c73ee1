"""Losses that compare tensors element by element, or vectors pair by pair. Those over classes stand in `loss_sequence`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same, float_of, promoted
from tensorproof.ops.inputs import Attribute, Bool, Choice, Float, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.ranges import in_unit
from tensorproof.ops.record import DTypeRule, Evaluate, Op
from tensorproof.terms.dtypes import (
    ALL_INTS,
    BOOL,
    BOOLS,
    COMPLEX32,
    COMPLEXES,
    FLOATS,
    FULL_COMPLEXES,
    INT64,
    INTS,
    REALS,
    DType,
    DTypes,
)
from tensorproof.terms.ints import Dim, ite
from tensorproof.terms.predicates import conj, disj, eq
from tensorproof.terms.promotion import Operand
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import loss as formulas
else:
    formulas = later("catalogue.networks.formulas.loss")

REDUCTION = Choice("reduction", ("mean", "none", "sum"), "mean")
SUBTRACTED: DTypes = ALL_INTS | FLOATS | COMPLEXES
"""torch does not subtract truth values."""
WIDE: DTypes = SUBTRACTED | BOOLS
PAIRED: DTypes = WIDE - COMPLEXES
ANY_NUMBER: DTypes = frozenset(d for d in DType if d.kind in "buifc" and d.bits >= 8)


# --- what the losses share ---


def reduced(c: Call, shape: Shape | Sequence[Dim]) -> Shape:
    """The shape of the losses, or () when they are summed or averaged."""
    return Shape(shape) if c["reduction"] == "none" else Shape()


def settled(c: Call, dtype: DType | None) -> DType | None:
    """The element type after the reduction: whole numbers sum to int64 and have no mean."""
    if dtype is None or dtype.is_float or dtype.is_complex or c["reduction"] == "none":
        return dtype
    if c["reduction"] == "mean":
        raise c.refuse("dtype", f"the mean of losses of type {dtype!r} is not defined: use a float type", "x")
    return INT64


def computed(c: Call, dtype: DType | None, *lacking: DType) -> DType | None:
    """The element type in which torch computes: it has no arithmetic for wide unsigned numbers, nor for those named."""
    if dtype is not None and (dtype in ALL_INTS - INTS or dtype in lacking):
        raise c.refuse("dtype", f"{c.name} is not computed in {dtype!r}", tuple(p.name for p in c.op.inputs[:2]))
    return dtype


def half_complex(c: Call, dtype: DType | None) -> DType | None:
    """Half-precision complex numbers have no sum."""
    if dtype is COMPLEX32 and c["reduction"] != "none":
        raise c.refuse("dtype", f"{dtype!r} numbers cannot be summed", "x")
    return dtype


def mixed(c: Call, *dtypes: DType | None, scalars: Sequence[bool] = ()) -> DType | None:
    """The common element type of results on the way; `scalars` tells which of them have rank 0."""
    known = [d for d in dtypes if d is not None]
    if len(known) < len(dtypes):
        return None
    found = c.common_type([Operand(d, zero_dim=bool(scalars) and scalars[i]) for i, d in enumerate(known)])
    if found is None:
        raise c.refuse("dtype", f"dtypes {' and '.join(map(repr, known))} cannot be mixed in {c.name}", tuple(p.name for p in c.op.inputs))
    return found


def same_sizes(c: Call, name: str, other: str, code: str) -> None:
    """Two inputs must have the same shape."""
    a, b = c.shape(name), c.shape(other)
    if not (a.known and b.known):
        return
    message = f"{name} must have the shape {b!r} of {other}, and has {a!r}"
    c.require(code, len(a) == len(b), message, (name, other))
    c.require(code, conj(*(eq(m, n) for m, n in zip(a, b))), message, (name, other))


def into(c: Call, name: str, shape: Shape, code: str = "broadcast") -> None:
    """The input must broadcast to `shape`, which stays as it is."""
    given = c.shape(name)
    if not (given.known and shape.known):
        return
    message = f"{name} of shape {given!r} does not broadcast to {shape!r}"
    c.require(code, len(given) <= len(shape), message, name)
    for a, b in zip(reversed(given), reversed(shape)):
        c.require(code, disj(eq(a, b), eq(a, 1)), message, name)


def of_floats(*names: str) -> DTypeRule:
    """The common element type, which must be a float."""

    def rule(c: Call) -> DType | None:
        dtype = promoted(c, names)
        if dtype is not None and not dtype.is_float:
            raise c.refuse("dtype", f"{c.name} has no meaning for {dtype!r} elements: one of {', '.join(names)} must be a float tensor", names)
        return dtype

    return rule


# --- errors: x against target, broadcast, with a weight for each element of x ---


@any_rank
def error_shape(c: Call) -> Shape:
    if c.given("weight"):
        same_sizes(c, "weight", "x", "weight")
    return reduced(c, c.broadcast(c.shape("x"), c.shape("target"), about=("x", "target")))


def weighted(c: Call, dtype: DType | None) -> DType | None:
    """A weight makes the loss a product in plain tensor arithmetic; but for Huber's, a mean divides by the sum of the weights."""
    if c["reduction"] == "mean" and c.op.name != "huber_loss":
        half_complex(c, c.dtype("weight"))
    dtype = mixed(c, dtype, c.dtype("weight"))
    return float_of(c, dtype) if c["reduction"] == "mean" else settled(c, dtype)


def squared_dtype(c: Call) -> DType | None:
    if not c.given("weight"):
        return of_floats("x", "target")(c)
    if BOOL in (c.dtype("x"), c.dtype("target")):
        raise c.refuse("dtype", "truth values cannot be subtracted: x and target must be numbers", ("x", "target"))
    return weighted(c, computed(c, promoted(c, ("x", "target")), COMPLEX32))


def absolute_dtype(c: Call) -> DType | None:
    dtype = computed(c, promoted(c, ("x", "target")))
    real = None if dtype is None else dtype.real
    return weighted(c, real) if c.given("weight") else settled(c, real)


def huber_dtype(c: Call) -> DType | None:
    c.require("delta", c["delta"] > 0, f"delta must be positive, and is {c['delta']!r}", "delta")
    return weighted(c, c.dtype("x")) if c.given("weight") else c.dtype("x")


def error_loss(name: str, x: DTypes, target: DTypes, dtype: DTypeRule, evaluate: Evaluate, *attributes: Attribute, weight: bool = True) -> Op:
    """A loss of the difference of two tensors that broadcast."""
    inputs = (Tensor("x", "...", x), Tensor("target", "...", target), Tensor("weight", "...", WIDE, optional=True))
    return Op(name, inputs if weight else inputs[:2], (REDUCTION, *attributes), error_shape, dtype, evaluate=evaluate, paired=("x", "target"))


MSE = error_loss("mse_loss", WIDE, WIDE, squared_dtype, formulas.squared_error)
L1 = error_loss("l1_loss", SUBTRACTED, SUBTRACTED, absolute_dtype, formulas.absolute_error)
HUBER = error_loss("huber_loss", FLOATS, PAIRED, huber_dtype, formulas.huber, Float("delta", 1.0))
SMOOTH_L1 = error_loss("smooth_l1_loss", PAIRED, PAIRED, of_floats("x", "target"), formulas.smooth_error, Float("beta", 1.0, least=0.0), weight=False)
KL_DIV = Op(
    "kl_div",
    inputs=(Tensor("x", "...", FLOATS), Tensor("target", "...", FLOATS, values="unit")),
    attributes=(Choice("reduction", ("mean", "none", "sum", "batchmean"), "mean"), Bool("log_target", False)),
    shape=error_shape,
    dtype=of_floats("x", "target"),
    evaluate=formulas.divergence,
)


def poisson_dtype(c: Call) -> DType | None:
    x, target = c.dtype("x"), c.dtype("target")
    real, flat = float_of(c, x), [len(c.shape(n)) == 0 for n in ("x", "target")]
    if c["full"] and target is not None and (target not in REALS):
        raise c.refuse("dtype", f"with full=True the target must be a real number, and is {target!r}", "target")
    if c["log_input"]:
        product = promoted(c, ("x", "target"))
        if product is BOOL:
            raise c.refuse("dtype", "x and target are both truth values, which cannot be subtracted", ("x", "target"))
        return half_complex(c, mixed(c, real, product, scalars=(flat[0], all(flat))))
    if x is BOOL:
        raise c.refuse("dtype", "with log_input=False x must be a number, and is a truth value", "x")
    product = mixed(c, real, target, scalars=flat)
    return half_complex(c, mixed(c, x, product, scalars=(flat[0], all(flat))))


POISSON_NLL = error_loss(
    "poisson_nll_loss", WIDE - {COMPLEX32}, WIDE, poisson_dtype, formulas.poisson, Bool("log_input", True), Bool("full", False), Float("eps", 1e-8),
    weight=False,
)  # fmt: skip


@any_rank
def gaussian_shape(c: Call) -> Shape:
    x, var = c.shape("x"), c.shape("var")
    if x.known and var.known:
        message = f"var of shape {var!r} must have the shape {x!r} of x, that shape without its last axis, or one axis of size 1 in it"
        if len(var) == len(x):
            odd: Dim = sum((ite(eq(a, b), 0, b) for a, b in zip(x, var)), 0)
            c.require("var", disj(conj(*(eq(a, b) for a, b in zip(x, var))), eq(odd, 1)), message, ("var", "x"))
        else:
            c.require("var", len(var) == len(x) - 1, message, ("var", "x"))
            c.require("var", conj(*(eq(a, b) for a, b in zip(x, var))), message, ("var", "x"))
            var = Shape((*var, 1))
    loss = c.broadcast(x, c.shape("target"), about=("x", "target"))
    return reduced(c, c.broadcast(loss, var, about=("x", "var")))


GAUSSIAN_NLL = Op(
    "gaussian_nll_loss",
    inputs=(Tensor("x", "...", SUBTRACTED), Tensor("target", "...", SUBTRACTED), Tensor("var", "...", FLOATS, values="positive")),
    attributes=(Bool("full", False), Float("eps", 1e-6), REDUCTION),
    shape=gaussian_shape,
    dtype=lambda c: mixed(c, computed(c, promoted(c, ("x", "target")), COMPLEX32), c.dtype("var")),
    evaluate=formulas.gaussian,
)
HINGE_EMBEDDING = Op(
    "hinge_embedding_loss",
    inputs=(Tensor("x", "...", REALS), Tensor("target", "...", ANY_NUMBER)),
    attributes=(Float("margin", 1.0), REDUCTION),
    shape=error_shape,
    dtype=lambda c: settled(c, c.dtype("x")),
    evaluate=formulas.hinge,
)


# --- losses that write into their first operand: the others must broadcast to it ---


@any_rank
def soft_margin_shape(c: Call) -> Shape:
    target = c.dtype("target")
    if target is not None and target.is_complex and c.dtype("x") in FLOATS:
        raise c.refuse("dtype", f"a target of type {target!r} does not go with x of type {c.dtype('x')!r}", ("target", "x"))
    promoted(c, ("x", "target"))
    into(c, "target", c.shape("x"))
    return reduced(c, c.shape("x"))


SOFT_MARGIN = Op(
    "soft_margin_loss",
    inputs=(Tensor("x", "...", FLOATS | FULL_COMPLEXES), Tensor("target", "...", WIDE)),
    attributes=(REDUCTION,),
    shape=soft_margin_shape,
    dtype=Like("x"),
    evaluate=formulas.soft_margin,
)


@any_rank
def binary_shape(c: Call) -> Shape:
    same_sizes(c, "target", "x", "target")
    in_unit(c, "x", "target")
    if c.given("weight"):
        into(c, "weight", c.shape("x"), "weight")
    return reduced(c, c.shape("x"))


BINARY_CROSS_ENTROPY = Op(
    "binary_cross_entropy",
    inputs=(
        Tensor("x", "...", FLOATS, values="probability"),
        Tensor("target", "...", FLOATS, values="probability"),
        Tensor("weight", "...", PAIRED, optional=True),
    ),
    attributes=(REDUCTION,),
    shape=binary_shape,
    dtype=Same("x", "target"),
    evaluate=formulas.cross_entropy_of_two,
    constants=("weight",),
)


@any_rank
def logits_shape(c: Call) -> Shape:
    shape, target = c.shape("target"), c.dtype("target")
    into(c, "x", shape, "target")
    if c.given("pos_weight"):
        into(c, "target", c.shape("x"), "target")
    for name in ("weight", "pos_weight"):
        if c.given(name):
            into(c, name, shape, name)
            mixed(c, target, c.dtype(name))
    if (c.given("weight") and target in FLOATS and c.dtype("weight") in COMPLEXES) or (c.given("pos_weight") and target in COMPLEXES):
        raise c.refuse("dtype", "complex numbers do not go with a real target, nor a complex target with pos_weight", ("target", "weight", "pos_weight"))
    return reduced(c, shape)


BINARY_CROSS_ENTROPY_WITH_LOGITS = Op(
    "binary_cross_entropy_with_logits",
    inputs=(
        Tensor("x", "...", FLOATS), Tensor("target", "...", FLOATS | COMPLEXES, values="unit"),
        Tensor("weight", "...", WIDE, optional=True), Tensor("pos_weight", "...", REALS, optional=True),
    ),
    attributes=(REDUCTION,),
    shape=logits_shape,
    dtype=lambda c: half_complex(c, c.dtype("target")),
    evaluate=formulas.cross_entropy_of_two_logits, constants=("weight", "pos_weight"),
)  # fmt: skip


def multilabel_soft_margin_shape(c: Call) -> Shape:
    x = c.shape("x")
    loss = c.broadcast(x, c.shape("target"), about=("x", "target"))
    if c.given("weight"):
        loss = c.broadcast(loss, c.shape("weight"), about=("x", "weight"))
    at = len(x) - 1
    return reduced(c, (*loss[:at], *loss[at + 1 :]))


MULTILABEL_SOFT_MARGIN = Op(
    "multilabel_soft_margin_loss",
    inputs=(Tensor("x", "... C", FLOATS), Tensor("target", "...", REALS | COMPLEXES), Tensor("weight", "...", WIDE, optional=True)),
    attributes=(REDUCTION,),
    shape=multilabel_soft_margin_shape,
    dtype=lambda c: mixed(c, computed(c, promoted(c, ("x", "target")), COMPLEX32), *([c.dtype("weight")] if c.given("weight") else [])),
    evaluate=formulas.soft_margin_of_labels,
)


# --- losses of pairs and triplets of vectors ---


def cosine_shape(c: Call) -> Shape:
    rank = c.rank("target")
    for name in ("x", "y"):
        c.require("rank", c.rank(name) == rank + 1, f"{name} must have one axis more than target ({rank}), and has rank {c.rank(name)}", (name, "target"))
    pairs = c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y"))
    return reduced(c, c.broadcast(pairs[:-1], c.shape("target"), about=("x", "target")))


COSINE_EMBEDDING = Op(
    "cosine_embedding_loss",
    inputs=(Tensor("x", "N D | D", PAIRED), Tensor("y", "M E | E", PAIRED), Tensor("target", "K | ", ANY_NUMBER)),
    attributes=(Float("margin", 0.0), REDUCTION),
    shape=cosine_shape,
    dtype=lambda c: mixed(c, float_of(c, c.dtype("x")), float_of(c, c.dtype("y")), promoted(c, ("x", "y"))),
    evaluate=formulas.cosine,
)


@any_rank
def ranking_shape(c: Call) -> Shape:
    return reduced(c, c.broadcast(*(c.shape(n) for n in ("x", "y", "target")), about=("x", "y", "target")))


def ranking_type(c: Call) -> DType | None:
    """The difference of x and y meets the target; of the two, one without axes does not widen the other."""
    scalars = (c.rank("x") == c.rank("y") == 0, c.rank("target") == 0) if all(c.shape(n).known for n in ("x", "y", "target")) else ()
    return float_of(c, mixed(c, computed(c, promoted(c, ("x", "y"))), c.dtype("target"), scalars=scalars))


MARGIN_RANKING = Op(
    "margin_ranking_loss",
    inputs=(Tensor("x", "...", ALL_INTS | FLOATS), Tensor("y", "...", ALL_INTS | FLOATS), Tensor("target", "...", REALS)),
    attributes=(Float("margin", 0.0), REDUCTION),
    shape=ranking_shape,
    dtype=ranking_type,
    evaluate=formulas.ranking,
)


def triplet_shape(c: Call) -> Shape:
    shapes = {n: c.shape(n) for n in ("anchor", "positive", "negative")}
    ranks = {len(s) for s in shapes.values()}
    c.require("rank", len(ranks) == 1, "anchor, positive and negative must have the same number of dimensions", tuple(shapes))
    near = c.broadcast(shapes["anchor"], shapes["positive"], about=("anchor", "positive"))
    far = c.broadcast(shapes["anchor"], shapes["negative"], about=("anchor", "negative"))
    if c["swap"]:
        other = c.broadcast(shapes["positive"], shapes["negative"], about=("positive", "negative"))
        far = Shape((*c.broadcast(far[:-1], other[:-1], about=("anchor", "positive")), 0))
    return reduced(c, c.broadcast(Shape(near[:-1]), Shape(far[:-1]), about=("positive", "negative")))


def triplet_dtype(c: Call) -> DType | None:
    pairs = [("anchor", "positive"), ("anchor", "negative"), *([("positive", "negative")] if c["swap"] else [])]
    dtype = mixed(c, *(float_of(c, computed(c, promoted(c, pair))) for pair in pairs))
    return None if dtype is None else dtype.real


TRIPLET_MARGIN = Op(
    "triplet_margin_loss",
    inputs=tuple(Tensor(n, "...", SUBTRACTED) for n in ("anchor", "positive", "negative")),
    attributes=(Float("margin", 1.0), Float("p", 2.0), Float("eps", 1e-6), Bool("swap", False), REDUCTION),
    shape=triplet_shape,
    dtype=triplet_dtype,
    evaluate=formulas.triplet,
)

__all__ = ["REDUCTION", "into", "mixed", "reduced", "same_sizes"]
