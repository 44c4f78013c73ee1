"""Comparisons and logic: two operands that broadcast, truth values out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.contents import each
from tensorproof.ops.element_types import Promote, Within
from tensorproof.ops.evaluation import Arguments, numpy
from tensorproof.ops.families import NUMERIC, broadcast_shape, pairwise, same_shape
from tensorproof.ops.inputs import Bool, Float, Tensor
from tensorproof.ops.ones import Pairs
from tensorproof.ops.record import DTypeRule, Op
from tensorproof.terms import predicates
from tensorproof.terms.dtypes import ALL_INTS, ANY, BOOL, FLOAT8S, FULL_COMPLEXES, NUMBERS, REALS, REALS_OR_BOOL, DType, DTypes, of_kind
from tensorproof.terms.ints import Term
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

PLAIN: DTypes = NUMBERS | ALL_INTS | FLOAT8S


def truth(rule: DTypeRule) -> DTypeRule:
    """The operands go together by `rule`; the result is truth values."""

    def checked(c: Call) -> DType:
        rule(c)
        return BOOL

    return checked


def compared(name: str, takes: DTypes, function: Callable[[Any, Any], Any], theirs: str, operands: DTypes = ANY, opposite: str = "") -> Op:
    """A comparison; `takes` are the common element types that torch compares."""

    def known(x: object, y: object) -> Any:
        value = function(x, y)
        return value if isinstance(value, bool) else None

    def fold(c: Call) -> Any:
        return each(c, known, ("x", "y"), BOOL)

    dtype = truth(Within(Promote("x", "y"), takes))
    return pairwise(name, operands, dtype=dtype, fold=fold, ones=Pairs(function), opposite=opposite, evaluate=numpy(theirs, "x", "y"))


EQ = compared("eq", PLAIN, predicates.eq, "equal", opposite="ne")
NE = compared("ne", PLAIN, predicates.ne, "not_equal", opposite="eq")
LT, LE, GT, GE = (
    compared(name, REALS_OR_BOOL, f, theirs, NUMERIC | of_kind("s"), opposite)
    for name, f, theirs, opposite in (
        ("lt", predicates.lt, "less", "ge"),
        ("le", predicates.le, "less_equal", "gt"),
        ("gt", predicates.gt, "greater", "le"),
        ("ge", predicates.ge, "greater_equal", "lt"),
    )
)


def _logical(name: str, function: Callable[[bool, bool], bool]) -> Op:
    def known(x: object, y: object) -> Any:
        return None if Term in (type(x), type(y)) else function(bool(x), bool(y))

    return compared(name, REALS_OR_BOOL | FULL_COMPLEXES, known, name, NUMERIC)


LOGICAL_AND = _logical("logical_and", lambda x, y: x and y)
LOGICAL_OR = _logical("logical_or", lambda x, y: x or y)
LOGICAL_XOR = _logical("logical_xor", lambda x, y: x is not y)


def one_type(c: Call) -> DType | None:
    """Some libraries compare for closeness only what has one element type."""
    a, b = c.dtype("x"), c.dtype("y")
    if c.option("one_type") and a is not b and a is not None and b is not None:
        raise c.refuse("dtype", f"x and y must have the same dtype, and have {a!r} and {b!r}", ("x", "y"))
    return BOOL


def close(np: Numpy, a: Arguments) -> Array:
    x, y = np.add(a["x"], 0), np.add(a["y"], 0)
    made = np.less_equal(np.absolute(np.subtract(x, y)), np.add(a["atol"], np.multiply(a["rtol"], np.absolute(y))))
    if not a.get("endless"):
        made = np.where(np.logical_and(np.isfinite(x), np.isfinite(y)), made, np.equal(x, y))
    return np.logical_or(made, np.logical_and(np.isnan(x), np.isnan(y))) if a["equal_nan"] else made


TOLERANCES = (Float("rtol", 1e-05, least=0.0), Float("atol", 1e-08, least=0.0), Bool("equal_nan", False))
ISCLOSE = pairwise(
    "isclose", NUMBERS | ALL_INTS, *TOLERANCES, Bool("endless", False), dtype=one_type, evaluate=close,
    doc="|x - y| <= atol + rtol · |y|; infinite numbers are close to none but themselves, unless `endless`: they are held to the same",
)  # fmt: skip


def answer(c: Call) -> TensorType:
    """One Python bool."""
    return TensorType(Shape(), BOOL, weak=True)


def all_close(c: Call) -> TensorType:
    broadcast_shape(c)
    one_type(c)
    return answer(c)


def _unequal(x: Sequence[Any], y: Sequence[Any], broadcast: bool) -> bool:
    """Whether shapes of known sizes differ; by `broadcast`, whether they cannot be broadcast."""
    if not broadcast:
        return tuple(x) != tuple(y)
    return any(a != b and 1 not in (a, b) for a, b in zip(reversed(x), reversed(y)))


@any_rank
def all_equal(c: Call) -> TensorType:
    """Unequal shapes are an answer, not an error; unequal element types are promoted."""
    x, y = c.shape("x"), c.shape("y")
    if x.concrete and y.concrete:
        if _unequal(x, y, c["broadcast"]):
            return answer(c).but(contents=(False,))
        Promote("x", "y")(c)
    return answer(c)


def same_elements(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    if _unequal(x.shape, y.shape, a["broadcast"]):
        return np.asarray(False)
    same = np.equal(x, y)
    return np.all(np.logical_or(same, np.logical_and(np.isnan(x), np.isnan(y))) if a["equal_nan"] else same)


PAIR = (Tensor("x", "...", NUMBERS | ALL_INTS), Tensor("y", "...", NUMBERS | ALL_INTS))
ALLCLOSE = Op(
    "allclose", PAIR, TOLERANCES, all_close, BOOL, evaluate=lambda np, a: np.all(close(np, a)), doc="whether all elements are close, as one Python bool"
)
EQUAL = Op(
    "equal", (Tensor("x"), Tensor("y")), (Bool("broadcast", False), Bool("equal_nan", False)), all_equal, BOOL,
    evaluate=same_elements, doc="whether shape and contents are the same, as one Python bool; `broadcast`: whether the contents are, once broadcast",
)  # fmt: skip


def membership(c: Call) -> DType:
    Within(Promote("x", "y"), REALS)(c)
    if c.option("no_truth_values") and BOOL in (c.dtype("x"), c.dtype("y")):
        raise c.refuse("dtype", f"{c.name} does not take truth values", ("x", "y"))
    return BOOL


ISIN = Op(
    "isin", (Tensor("x", "...", NUMERIC, scalar=True), Tensor("y", "...", NUMERIC, scalar=True)), (), same_shape, membership, evaluate=numpy("isin", "x", "y")
)
