"""Losses over classes and over sequences of them: cross entropy, negative log likelihood, margins of classes, CTC, adaptive softmax."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorproof.catalogue.networks.loss import ANY_NUMBER, REDUCTION, mixed, reduced
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same, promoted
from tensorproof.ops.hazards import region
from tensorproof.ops.inputs import Anything, Bool, Choice, Float, Int, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import NON_NEGATIVE, Interval, Op, Out, ShapeRule, Values
from tensorproof.terms.dtypes import FLOATS, FULL_FLOATS, INDEX, INT64, INTS, UINT8, DType, DTypes
from tensorproof.terms.ints import Dim, maximum
from tensorproof.terms.predicates import conj, disj, eq, ge, gt, le, lt, ne
from tensorproof.terms.shapes import Shape, shape_from

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import loss_classes as formulas
    from tensorproof.catalogue.networks.formulas import temporal_paths as paths
else:
    formulas = later("catalogue.networks.formulas.loss_classes")
    paths = later("catalogue.networks.formulas.temporal_paths")

LONG: DTypes = frozenset({INT64})
CLASS: DTypes = frozenset({INT64, UINT8})


def scalar_of_any_rank(rule: ShapeRule) -> ShapeRule:
    """A loss that is summed or averaged is a scalar whatever the ranks of its inputs."""

    def shape(c: Call) -> Shape:
        if all(c.shape(p.name).known for p in c.op.inputs if c.given(p.name)):
            made: Shape = rule(c)
            return made
        return reduced(c, shape_from(f"{c.name} of {c.shape('x')!r}", [c.shape(p.name) for p in c.op.inputs if c.given(p.name)]))

    return any_rank(shape)


def in_range(c: Call, classes: Dim) -> None:
    """Class indices whose values are known lie below the number of classes."""
    ignored = c["ignore_index"]
    for value in c.contents("target") or ():
        if isinstance(value, (float, complex)):
            return
        valid = conj(ge(value, 0), lt(value, classes))
        holds = valid if ignored is None else disj(eq(value, ignored), valid)
        c.require("target", holds, f"class {value!r} in target is out of range for {classes!r} classes", ("target", "x"))


def class_weight(c: Call, classes: Dim, any_shape: bool = False) -> None:
    if c.given("weight"):
        given = c.shape("weight")
        message = f"weight must hold one number for each of the {classes!r} classes, and has shape {given!r}"
        c.require("weight", any_shape or len(given) == 1, message, ("weight", "x"))
        c.require("weight", eq(given.numel, classes), message, ("weight", "x"))


def indexed_shape(c: Call) -> Shape:
    """The losses of x (N, C, ...) at the class indices (N, ...)."""
    x, target = c.shape("x"), c.shape("target")
    classes = x[0] if len(x) == 1 else x[1]
    dtype = c.dtype("target")
    if c.option("typed_kernels") and dtype not in CLASS and dtype is not None:
        raise c.refuse("dtype", f"target must hold class indices of dtype int64 or uint8, it has {dtype!r}", "target")
    if len(x) > 2 and dtype is UINT8:
        message = "class indices of several losses for each sample must be of type int64, and are uint8"
        c.require("dtype", c["reduction"] != "none" and eq(x.numel, 0), message, "target")
    smoothed = c["label_smoothing"] is not None and c["label_smoothing"] > 0
    if smoothed and dtype is UINT8 and c.given("weight") and c["reduction"] == "mean":
        raise c.refuse("dtype", "with weights and label smoothing class indices must be of type int64, and are uint8", "target")
    losses = Shape((*x[:1], *x[2:])) if len(x) > 1 else Shape()
    if not (len(x) == 1 and len(target) == 1):
        message = f"target must have shape {losses!r}, one class for each prediction of x {x!r}, and has {target!r}"
        c.require("target", len(target) == len(losses), message, ("target", "x"))
        c.require("target", conj(*(eq(a, b) for a, b in zip(target, losses))), message, ("target", "x"))
    else:
        c.require("target", eq(target[0], 1), f"x is one prediction, so target must be one class, and has {target[0]!r}", ("target", "x"))
        c.require("label_smoothing", not smoothed, "with label smoothing the class of one prediction must have rank 0", ("target", "label_smoothing"))
    class_weight(c, classes, any_shape=len(x) > 2 and not c["label_smoothing"])  # the kernel of images counts the weights only
    if c.given("weight"):
        Same("x", "weight")(c)
    in_range(c, classes)
    return reduced(c, losses)


def cross_entropy_shape(c: Call) -> Shape:
    x, target = c.shape("x"), c.shape("target")
    if len(x) != len(target):
        return indexed_shape(c)
    if len(x) == 1 and c.dtype("target") in CLASS:
        c.require("target", ne(x[0], target[0]), "target has the shape of x, so it must hold class probabilities, which are floats", "target")
        return indexed_shape(c)
    if len(x) > 1 and target[1] == 1 and type(x[1]) is int and x[1] != 1:
        losses = Shape((*x[:1], *x[2:]))
        message = f"target must have shape {losses!r}, one class for each prediction of x {x!r}, and has {target!r}: class indices have no class axis"
    else:
        message = f"target holds class probabilities, so it must have the shape {x!r} of x, and has {target!r}"
    c.require("target", conj(*(eq(a, b) for a, b in zip(x, target))), message, ("target", "x"))
    dtype = c.dtype("target")
    c.require("dtype", dtype is None or dtype in FLOATS, f"class probabilities must be floats, and are {dtype!r}: class indices have no class axis", "target")
    ignored = c["ignore_index"]
    c.require("ignore_index", ignored is None or ignored < 0, f"ignore_index = {ignored!r} has no meaning for class probabilities", "ignore_index")
    class_weight(c, x[0] if len(x) == 1 else x[1])
    return reduced(c, (*x[:1], *x[2:]) if len(x) > 1 else ())


def cross_entropy_dtype(c: Call) -> DType | None:
    if c.dtype("target") in CLASS:
        return c.dtype("x")
    weight = (c.dtype("weight"),) if c.given("weight") else ()
    return mixed(c, promoted(c, ("x", "target")), *weight)


CROSS_ENTROPY = Op(
    "cross_entropy",
    inputs=(
        Tensor("x", "C | N C ...", FLOATS, values="scores"), Tensor("target", "...", FLOATS | CLASS, values="index:C"),
        Tensor("weight", "...", ANY_NUMBER, optional=True),
    ),
    attributes=(Int("ignore_index", -100), REDUCTION, Float("label_smoothing", 0.0, most=1.0)),
    shape=scalar_of_any_rank(cross_entropy_shape),
    dtype=cross_entropy_dtype,
    evaluate=formulas.cross_entropy, constants=("weight:target",), gradient="weight<other",
    hazards=region("cross_entropy/ignored", "target weight", "a target counts that is not ignored", "nan", formulas.counts_some),
)  # fmt: skip
NLL = Op(
    "nll_loss",
    inputs=(Tensor("x", "C | N C ...", FLOATS), Tensor("target", "...", CLASS, values="index:C"), Tensor("weight", "...", FLOATS, optional=True)),
    attributes=(Int("ignore_index", -100), REDUCTION),
    shape=scalar_of_any_rank(indexed_shape),
    dtype=Same("x", "weight"),
    evaluate=formulas.negative_likelihood,
    constants=("weight",),
    hazards=region("nll_loss/ignored", "target weight", "a target counts that is not ignored", "nan", formulas.counts_some),
)
NLL_FORWARD = Op(
    "nll_loss_forward",
    inputs=NLL.inputs,
    attributes=NLL.attributes,
    outputs=(Out("output"), Out("total_weight")),
    shape=lambda c: [indexed_shape(c), Shape()],
    dtype=Same("x", "weight"),
    evaluate=formulas.negative_likelihood_and_weight,
)


# --- margins ---


def samples(c: Call) -> tuple[Dim, Dim]:
    """The number of predictions and of classes of x, which has rank 0, 1 or 2."""
    x = c.shape("x")
    classes = x[-1] if len(x) else 1
    c.require("empty", gt(classes, 0), f"x of shape {x!r} has no classes", "x")
    return (x[0] if len(x) == 2 else 1), classes


def multi_margin_shape(c: Call) -> Shape:
    rows, classes = samples(c)
    target = c.shape("target")
    c.require("target", eq(target.numel, rows), f"target must hold one class for each of the {rows!r} predictions, and holds {target.numel!r}", ("target", "x"))
    class_weight(c, classes, any_shape=c.given("weight") and c.rank("weight") == 0)
    in_range(c, classes)
    return reduced(c, target)


MULTI_MARGIN = Op(
    "multi_margin_loss",
    inputs=(
        Tensor("x", "N C | C | ", FULL_FLOATS), Tensor("target", "M | ", LONG, values="index:C"),
        Tensor("weight", "...", FULL_FLOATS, optional=True),
    ),
    attributes=(Choice("p", (1, 2), 1), Float("margin", 1.0), REDUCTION),
    shape=multi_margin_shape,
    dtype=Same("x", "weight"),
    evaluate=formulas.multi_margin, constants=("weight",),
)  # fmt: skip


def multilabel_margin_shape(c: Call) -> Shape:
    rows, classes = samples(c)
    x, target = c.shape("x"), c.shape("target")
    message = f"target must list a class or -1 for each element of x {x!r}, and has shape {target!r}"
    if len(x) == 2:
        c.require("target", len(target) == 2, message, ("target", "x"))
        c.require("target", conj(eq(target[0], rows), eq(target[1], classes)), message, ("target", "x"))
    else:
        c.require("target", len(target) < 2, message, ("target", "x"))
        c.require("target", eq(target.numel, classes), message, ("target", "x"))
    for label in (c.contents("target") or ())[:64]:
        if type(label) is int:
            c.require("range", conj(ge(label, -1), lt(label, classes)), f"the label {label} is not a class of {classes!r}", ("target", "x"))
    return reduced(c, x[:-1])


MULTILABEL_MARGIN = Op(
    "multilabel_margin_loss",
    inputs=(Tensor("x", "N C | C | ", FULL_FLOATS), Tensor("target", "...", LONG, values="index:C")),
    attributes=(REDUCTION,),
    shape=multilabel_margin_shape,
    dtype=Like("x"),
    evaluate=formulas.multilabel_margin,
)
MULTILABEL_MARGIN_FORWARD = Op(
    "multilabel_margin_loss_forward",
    inputs=MULTILABEL_MARGIN.inputs,
    attributes=MULTILABEL_MARGIN.attributes,
    outputs=(Out("output"), Out("is_target")),
    shape=lambda c: [multilabel_margin_shape(c), c.shape("target")],
    dtype=Like("x"),
    evaluate=formulas.multilabel_margin_and_places,
)


# --- connectionist temporal classification ---


def ctc_checked(c: Call) -> Dim:
    """States what CTC needs; the number of sequences."""
    x, target = c.shape("x"), c.shape("target")
    count = x[1] if len(x) == 3 else 1
    c.require("empty", gt(x.numel, 0), f"x of shape {x!r} is empty", "x")
    c.require("blank", conj(ge(c["blank"], 0), lt(c["blank"], x[-1])), f"blank = {c['blank']!r} is not one of the {x[-1]!r} labels", ("blank", "x"))
    for name in ("input_lengths", "target_lengths"):
        found = c.shape(name).numel
        c.require("lengths", eq(found, count), f"{name} must hold one length for each of the {count!r} sequences, and holds {found!r}", (name, "x"))
    for length in c.contents("input_lengths") or ():
        c.require("lengths", le(length, x[0]), f"an input length of {length!r} is more than the {x[0]!r} steps of x", ("input_lengths", "x"))
    lengths = c.contents("target_lengths")
    if len(target) == 2:
        c.require("target", eq(target[0], count), f"target must have {count!r} rows, one for each sequence, and has {target[0]!r}", ("target", "x"))
        for length in lengths or ():
            message = f"a target length of {length!r} is more than the {target[1]!r} columns of target"
            c.require("target", le(length, target[1]), message, ("target_lengths", "target"))
    elif lengths is not None:
        total: Dim = sum(lengths, 0)
        message = f"target must hold {total!r} labels, the sum of target_lengths, and holds {target[0]!r}"
        c.require("target", eq(target[0], total), message, ("target_lengths", "target"))
    return count


CTC = Op(
    "ctc_loss",
    inputs=(
        Tensor("x", "T N C | T C", FULL_FLOATS), Tensor("target", "_ S | S", ANY_NUMBER), Tensor("input_lengths", "_ | ...", INTS, values="length:T"),
        Tensor("target_lengths", "_ | ...", INTS, values="length:S"),
    ),
    attributes=(Int("blank", 0), REDUCTION, Bool("zero_infinity", False)),
    shape=lambda c: reduced(c, (ctc_checked(c),) if c.rank("x") == 3 else (ctc_checked(c),)[:0]),
    dtype=Like("x"),
    evaluate=paths.ctc,
    surrogate=True,
)  # fmt: skip


def ctc_forward_shape(c: Call) -> list[Shape]:
    count, lengths = ctc_checked(c), c.contents("target_lengths")
    longest = maximum(0, *lengths) if lengths is not None else c.fresh("longest target")
    return [Shape((count,)), Shape((count, c.shape("x")[0], 2 * longest + 1))]


CTC_FORWARD = Op(
    "ctc_loss_forward",
    inputs=(Tensor("x", "T N C", FULL_FLOATS), Tensor("target", "_ S | S", INDEX, values="index:C"), *CTC.inputs[2:]),
    attributes=(Int("blank", 0), Bool("zero_infinity", False)),
    outputs=(Out("loss"), Out("log_alpha")),
    shape=ctc_forward_shape,
    dtype=Like("x"),
    data_dependent=True,
    evaluate=paths.ctc_and_prefixes,
    surrogate=True,
)


# --- adaptive softmax ---


def adaptive_shape(c: Call) -> list[Shape]:
    x, target = c.shape("x"), c.shape("target")
    c.require("target", len(target) == len(x) - 1, f"target must have one axis less than x {x!r}, and has shape {target!r}", ("target", "x"))
    if len(target):
        c.equal("target", target[0], x[0], "target holds {a} classes for the {b} rows of x", ("target", "x"))
    c.equal("features", x[-1], c["features"], "x has {a} features and the layer takes {b}", "x")
    for value in c.contents("target") or ():
        c.require("target", conj(ge(value, 0), lt(value, c["classes"])), f"class {value!r} in target is out of range for {c['classes']!r} classes", "target")
    return [Shape(x[:-1]), Shape()]


ADAPTIVE_LOG_SOFTMAX = Op(
    "adaptive_log_softmax_with_loss",
    inputs=(
        Tensor("x", "N D | D", FLOATS),
        Tensor("target", "M | ", LONG, values="index:classes"),
        Tensor("weight", "H D", FLOATS),
        Tensor("bias", "H", FLOATS, optional=True, default=None),
        Tensors("tails", "_ _", FLOATS, optional=True, default=()),
    ),
    attributes=(Int("features"), Int("classes"), Anything("cutoffs")),
    outputs=(Out("output", values=Values("bounded", bounds=Interval(-math.inf, 0.0))), Out("loss", values=Values("bounded", bounds=NON_NEGATIVE))),
    shape=adaptive_shape,
    dtype=Same("x", "weight"),
    evaluate=formulas.adaptive_likelihood,
    doc="The logarithms of the probabilities of classes, and the loss: frequent classes stand in the head, clusters of others behind two maps each (`tails`).",
)
CTC_LOSS_OF_PLACES = Op(
    "ctc_loss_of_places",
    inputs=(
        Tensor("x", "T N C", FULL_FLOATS), Tensor("target_indices", "L 2", INTS), Tensor("target_values", "L", INTS, values="index:C"),
        Tensor("lengths", "N", INTS, values="length:T"),
    ),
    attributes=(Bool("preprocess_collapse_repeated", False), Bool("ctc_merge_repeated", True), Bool("ignore_longer_outputs_than_inputs", False)),
    shape=lambda c: [(c.dims["N"],), c.shape("x")],
    dtype=Like("x"),
    outputs=(Out("loss", values=Values("bounded", bounds=Interval(-1e-5, math.inf))), Out("gradient", values=Values("bounded", bounds=Interval(-1.0, 1.0)))),
    codes={"N": "batch", "L": "labels"},
    evaluate=paths.ctc_of_places,
    doc="CTC losses of logits, whose labels are a sparse matrix of places and values and whose blank is the last class, and their gradient by x.",
)  # fmt: skip
