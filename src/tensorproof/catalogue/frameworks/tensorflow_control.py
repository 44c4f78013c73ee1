"""State of TensorFlow graphs: variables, optimisers, tensor arrays, queues, files. What flows through them has a stated shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.tensorflow_arrays import X, agreed, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.evaluation import Arguments, Undefined, open_places, plain
from tensorproof.ops.facts import MOVES
from tensorproof.ops.inputs import Anything, Bool, Choice, ElementType, Ints, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out, Values
from tensorproof.terms.dtypes import FLOAT32, INT32, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import unknown_rows, written_places
    from tensorproof.ops import moves as array_moves
    from tensorproof.ops.arrays import Array, Numpy
else:
    written_places = later("catalogue.arrays.formulas.written_places")
    unknown_rows = later("catalogue.arrays.formulas.unknown_rows")
    array_moves = later("ops.moves")


@any_rank
def stated(c: Call) -> Shape:
    """The shape given as an attribute, or none known."""
    size = c["size"]
    return Shape(c.fresh("size") if type(n) is int and n < 0 else n for n in size) if isinstance(size, tuple) else somewhere(c)


MADE_FROM = Tensors("made_from", least=0, optional=True, default=None)
STATED = Op(
    "stated",
    (MADE_FROM,),
    (Ints("size", None, shape=True, loose=True, optional=True), ElementType()),
    stated,
    Given("dtype"),
    opaque="handle",
    doc="A tensor of which only the shape and the element type are known: fed, held by a variable, read from a file, or made from strings.",
)
STATED_EACH = Op(
    "stated_each", (MADE_FROM,), (Anything("sizes"), Anything("dtypes")), counted=True, doc="Tensors of which only the shapes and the element types are known.",
    opaque="handle",
    shape=any_rank(lambda c: [TensorType(s if isinstance(s, Shape) else somewhere(c), d, framework="tf") for s, d in zip(c["sizes"], c["dtypes"])]),
)  # fmt: skip
ADD_N = Op(
    "add_n", (Tensors("xs"),), (), any_rank(lambda c: agreed(c, [x.shape for x in c["xs"]], ("xs",))), Same("xs"),
    doc="The sum of tensors of one shape.",
    evaluate=lambda np, a: reduce(np.add, a["xs"]),
)  # fmt: skip
PLACEHOLDER = Op(
    "placeholder_with_default", (X,), (Anything("size"),), any_rank(lambda c: agreed(c, [c["size"], c.shape("x")], ("x", "size"))), Like("x"),
    values=MOVES, doc="What is fed at run time, of the shape that the graph states; x where nothing is fed.",
    evaluate=array_moves.same,
)  # fmt: skip


@any_rank
def assigned(c: Call) -> Shape:
    if not c["validate"]:
        return c.shape("y")
    return agreed(c, [c.shape("x"), c.shape("y")], ("x", "y"))


ASSIGN = Op(
    "assign",
    (X, Tensor("y")),
    (Bool("validate", True),),
    assigned,
    Same("x", "y"),
    writes=("x",),
    doc="A value put into a variable.",
    evaluate=lambda np, a: a["y"],
    values=Values("moves", over="y"),
)


@any_rank
def sparse_updated(c: Call) -> Shape:
    """Updates have the shape of the indices followed by that of a row."""
    x, index, y = c.shape("x"), c.shape("index"), c.shape("y")
    if x.known and index.known and y.known and len(x) and len(y):
        agreed(c, [y, Shape((*index, *x[1:]))], ("y", "index"), "updates")
    return x


def written_rows(np: Numpy, a: Arguments) -> Array:
    """Indices name rows, one after the other; one number is written for every update."""
    if open_places(np, a["index"]):
        return unknown_rows.written_somewhere(np, a)
    x, index = a["x"], plain(np, a["index"])
    if index.size and (np.min(index) < 0 or np.max(index) >= x.shape[0]):
        raise Undefined("rows beyond the variable")
    places = np.arange(prod(x.shape)).reshape(x.shape)[index]
    steps: dict[str, Callable[[Array, Array], Array]] = {
        "update": written_places.new, "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
        "div": np.true_divide if x.dtype.kind in "fc" else np.floor_divide,
    }  # fmt: skip
    return written_places.accumulated(np, x, places, np.broadcast_to(a["y"], places.shape), steps[a["reduction"]])


SCATTER_ROWS = Op(
    "scatter_rows",
    (X, Tensor("index"), Tensor("y")),
    (Choice("reduction", ("update", "add", "sub", "mul", "div", "max", "min"), "update"),),
    sparse_updated,
    Same("x", "y"),
    writes=("x",),
    doc="Rows of a variable replaced, added to, scaled or held against.",
    evaluate=written_rows,
)

# --- control ---------------------------------------------------------------------------------------------------------------------------

SWITCH = Op(
    "switch", (X, Tensor("y", "")), (), any_rank(lambda c: [c.shape("x"), c.shape("x")]), Like("x"), outputs=(Out("when_false"), Out("when_true")), aliases="x",
    doc="x on one of two ways, as y says; the other is dead.", values=MOVES, evaluate=lambda np, a: (a["x"], a["x"]),
)  # fmt: skip


def the_only_one(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """Which of several tensors is alive is not for their values to say."""
    if len(a["xs"]) != 1:
        raise Undefined("which of the tensors is alive")
    return a["xs"][0], np.zeros((), np.int64)


@any_rank
def merged(c: Call) -> list[Any]:
    """Of sizes that differ, and of ranks, nothing is known."""
    xs: tuple[TensorType, ...] = c["xs"]
    first = xs[0].shape
    if any(not x.shape.known or len(x.shape) != len(first) for x in xs):
        return [somewhere(c), Shape()]
    return [Shape(n if all(x.shape[i] == n for x in xs) else c.fresh("axis") for i, n in enumerate(first)), Shape()]


MERGE = Op(
    "merge", (Tensors("xs"),), (), merged, Same("xs"), outputs=(Out("value"), Out("place", INT32)), values=Values("mixes", over="xs"),
    doc="The one of several tensors that is alive, and which it is.", evaluate=the_only_one,
)  # fmt: skip

# --- tensor arrays, stacks, queues ---------------------------------------------------------------------------------------------------

TENSOR_ARRAY = Op(
    "tensor_array", (Tensor("x", "", optional=True, default=None), MADE_FROM), (), doc="A handle and a flow: an array of tensors.", opaque="handle",
    shape=lambda c: [TensorType(Shape((2,)), DType.RESOURCE, framework="tf"), TensorType(Shape(), FLOAT32, framework="tf")], counted=True,
)  # fmt: skip
FLOW = Op("flow", (MADE_FROM,), (), any_rank(lambda c: Shape()), FLOAT32, opaque="handle", doc="The token that orders the uses of a tensor array.")


@any_rank
def gathered(c: Call) -> Any:
    """As many elements as there are indices, each of the stated shape."""
    size, index = c["size"], c.shape("index")
    if not isinstance(size, Shape) or not size.known:
        return somewhere(c)
    return Shape((index[0] if index.known and len(index) == 1 else c.fresh("elements"), *size))


ARRAY_GATHER = Op(
    "array_gather", (Tensor("index"), MADE_FROM), (Anything("size"), ElementType()), gathered, Given("dtype"), opaque="handle",
    doc="Elements of a tensor array, stacked.",
)  # fmt: skip
LIKE_ALL = Op(
    "each_like", (Tensors("xs"),), (), any_rank(lambda c: list(c["xs"])), counted=True, doc="The tensors themselves.",
    evaluate=lambda np, a: tuple(a["xs"]),
)  # fmt: skip
CHECKED = Op("checked", (X,), (), any_rank(lambda c: c.tensor("x")), Like("x"), aliases="x", values=MOVES, doc="x, handed on.", evaluate=array_moves.same)
