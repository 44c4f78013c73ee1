"""Operators that Keras layers have and torch has not: batched dot products, recurrent layers, attention without heads, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Promote, ToFloat
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.facts import CUTS, MOVES
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Bool, Choice, Int, Ints, Sizes, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ALL_INTS, BOOLS, FLOATS, FULL_COMPLEXES, DTypes
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import keras_recurrence
    from tensorproof.catalogue.images.formulas import sizes as image_sizes
    from tensorproof.ops.arrays import Array, Numpy
else:
    image_sizes = later("catalogue.images.formulas.sizes")
    keras_recurrence = later("catalogue.frameworks.formulas.keras_recurrence")

REAL: DTypes = FLOATS | ALL_INTS | BOOLS


def _batch_dot(c: Call) -> Shape:
    x, y, (i, j) = c.shape("x"), c.shape("y"), c["dims"]
    for shape, axis in ((x, i), (y, j)):
        c.require("rank", len(shape) >= 2, f"an operand has at least a batch axis and another one, and this one is {shape!r}", ("x", "y"))
        c.require("axis", 0 < axis < len(shape), f"axis {axis} of {shape!r} cannot be summed over: it is the batch axis, or there is none", "dims")
    c.equal("batch", x[0], y[0], "the batches have {a} and {b} elements", ("x", "y"))
    c.equal("inner", x[i], y[j], f"axis {i} of x is {{a}} and axis {j} of y is {{b}}: they are summed over together", ("x", "y", "dims"))
    kept = (*(n for a, n in enumerate(x) if a != i), *(n for a, n in enumerate(y) if a not in (0, j)))
    return Shape(kept if len(kept) > 1 else (*kept, 1))


def dotted(np: Numpy, a: Arguments) -> Array:
    x, y, (i, j) = a["x"], a["y"], a["dims"]
    left = "".join("n" if k == 0 else "s" if k == i else chr(65 + k) for k in range(len(x.shape)))
    right = "".join("n" if k == 0 else "s" if k == j else chr(75 + k) for k in range(len(y.shape)))
    made = np.einsum(f"{left},{right}->n{left[1:].replace('s', '')}{right[1:].replace('s', '')}", x, y)
    return made if len(made.shape) > 1 else made.reshape((-1, 1))


BATCH_DOT = Op(
    "batch_dot",
    inputs=(Tensor("x", "...", REAL), Tensor("y", "...", REAL)),
    attributes=(Ints("dims"),),
    shape=_batch_dot,
    evaluate=dotted,
    dtype=Promote("x", "y"),
    doc="Sum of products over one axis of each operand, batch by batch.",
)


def _recurrent(c: Call) -> list[Shape]:
    n, t, units = c.dims["N"], c.dims["T"], c.dims["U"]
    c.equal("units", c.dims["G"], c["gates"] * units, "the kernel has {a} columns and the gates need {b}", ("kernel", "recurrent_kernel"))
    for state in c["states"] or ():
        c.require("state", len(state.shape) == 2, f"a state is a matrix (batch, units), and this one is {state.shape!r}", "states")
        c.equal("state", state.shape[0], n, "a state has {a} rows and the batch has {b}", ("states", "x"))
        c.equal("state", state.shape[1], units, "a state has {a} columns and the layer has {b} units", "states")
    if c["states"] is not None:
        c.require("state", len(c["states"]) == c["count"], f"{len(c['states'])} states are given and the layer has {c['count']}", "states")
    c.require("empty", ge(t, 1), "the sequence has no steps", "x")
    output = Shape((n, t, units)) if c["return_sequences"] else Shape((n, units))
    return [output, *([Shape((n, units))] * c["count"] if c["return_state"] else [])]


_STEP = (Bool("reset_after", True), Anything("activation", "tanh"), Anything("recurrent_activation", "sigmoid"), Bool("alone", True))
"""`alone`: there is no mask, nothing is dropped, and no states are kept from calls before."""
RECURRENT = Op(
    "recurrent_layer",
    inputs=(
        Tensor("x", "N T C", REAL),
        Tensor("kernel", "C G", FLOATS),
        Tensor("recurrent_kernel", "U G", FLOATS),
        Tensors("states", optional=True, default=None),
        Tensor("bias", "...", FLOATS, optional=True, default=None),
    ),
    attributes=(Int("gates", 1), Int("count", 1), Bool("return_sequences", False), Bool("return_state", False), Bool("backwards", False), *_STEP),
    shape=_recurrent,
    dtype=ToFloat("x", "kernel"),
    counted=True,
    codes={"C": "features"},
    evaluate=keras_recurrence.layer,
    doc="A layer that walks over time with `count` states; outputs, then the states when asked for. Its gates stand side by side in the kernels: one is "
    "a simple cell's, three are a GRU's (update, reset, candidate), four are an LSTM's (input, forget, candidate, output).",
)


def _recurrent_cell(c: Call) -> list[Shape]:
    n, units = c.dims["N"], c.dims["U"]
    states = c["states"]
    c.require("state", len(states) >= c["count"], f"{len(states)} states are given and the cell has {c['count']}", "states")
    for state in states:
        c.require("state", len(state.shape) == 2, f"a state is a matrix (batch, units), and this one is {state.shape!r}", "states")
        c.equal("state", state.shape[1], units, "a state has {a} columns and the cell has {b} units", "states")
        c.broadcast((n, units), state.shape, about=("x", "states"))
    return [Shape((n, units))] * (1 + c["count"])


RECURRENT_CELL = Op(
    "recurrent_cell",
    inputs=(
        Tensor("x", "N C", REAL),
        Tensor("kernel", "C G", FLOATS),
        Tensor("recurrent_kernel", "U G", FLOATS),
        Tensors("states"),
        Tensor("bias", "...", FLOATS, optional=True, default=None),
    ),
    attributes=(Int("gates", 1), Int("count", 1), *_STEP),
    evaluate=keras_recurrence.cell,
    shape=_recurrent_cell,
    dtype=ToFloat("x", "kernel"),
    counted=True,
    codes={"C": "features"},
)


def _repeated(c: Call) -> Shape:
    return Shape(n * c["factors"][i] for i, n in enumerate(c.shape("x")))


def _grown(np: Numpy, a: Arguments) -> Array:
    made = a["x"]
    for axis, factor in enumerate(a["factors"]):
        made = np.repeat(made, factor, axis=axis)
    return made


UPSAMPLE = Op(
    "repeat_axes", (Tensor("x", "...", REAL),), (Ints("factors", least=0),), _repeated, Like("x"), values=MOVES, evaluate=_grown,
    doc="Every element repeated along each axis.",
)  # fmt: skip


def _cropped(c: Call) -> Shape:
    made: list[Dim] = []
    for n, before, after in zip(c.shape("x"), c["before"], c["after"]):
        if before == 0 and after == 0:
            made.append(n)
            continue
        c.require("size", ge(n - before - after, 1), f"{before!r} + {after!r} elements cannot be cropped from an axis of {n!r}", ("x", "before"))
        made.append(n - before - after)
    return Shape(made)


def _inner(np: Numpy, a: Arguments) -> Array:
    return a["x"][tuple(slice(b, n - e) for n, b, e in zip(a["x"].shape, a["before"], a["after"]))]


CROP = Op("crop", (Tensor("x", "...", REAL),), (Ints("before", least=0), Ints("after", least=0)), _cropped, Like("x"), values=CUTS, evaluate=_inner)


def _resized(c: Call) -> Shape:
    height, width = c["size"]
    x, at = c.shape("x"), c["axis"]
    return Shape((*x[:at], height, width, *x[at + 2 :]))


RESIZE_IMAGE = Op(
    "resize_image",
    inputs=(Tensor("x", "_ _ _ _ | _ _ _", REAL | FULL_COMPLEXES),),
    attributes=(
        Sizes("size", 2, least=0), Int("axis", 1), Anything("method", "bilinear"), Bool("align_corners", False), Bool("half_pixel_centers", True),
        Bool("antialias", False),
    ),
    shape=_resized,
    dtype=Like("x"),
    evaluate=image_sizes.resized_image,
    doc="Images of another height and width; axis is where the height stands.",
)  # fmt: skip


AUGMENT = Op(
    "augment_image", (Tensor("x", "_ _ _ _ | _ _ _", REAL),), (), same_shape, Like("x"), random=True, doc="An image changed at random, of the same size.",
)  # fmt: skip


def encoded_shape(c: Call) -> Shape:
    x: Any = c.shape("x")
    return Shape((*x, c["classes"])) if c["mode"] == "one_hot" else Shape((*x[:1], *x[2:], c["classes"])) if len(x) > 1 else Shape((c["classes"],))


def encoded(np: Numpy, a: Arguments) -> Array:
    """1 at each category, a number without its fraction; several are joined or counted along the second axis, or the only one."""
    here = np.equal(np.expand_dims(np.trunc(a["x"]), -1), np.arange(a["classes"]))
    if a["mode"] == "one_hot":
        return here
    along = 1 if here.ndim > 2 else 0
    return np.any(here, axis=along) if a["mode"] == "multi_hot" else np.sum(here, axis=along)


CATEGORY_ENCODING = Op(
    "category_encoding",
    inputs=(Tensor("x", "...", ALL_INTS | FLOATS, values="index"),),
    attributes=(Int("classes", least=1), Choice("mode", ("one_hot", "multi_hot", "count"), "multi_hot")),
    shape=encoded_shape,
    evaluate=encoded,
)
