"""Recurrent layers and cells, and the packing of sequences of unequal length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same, float_of, promoted
from tensorproof.ops.facts import PADDED
from tensorproof.ops.inputs import Bool, Choice, Float, Int, Tensor, Tensors
from tensorproof.ops.later import later, makers
from tensorproof.ops.record import Evaluate, Op, Out
from tensorproof.terms.dtypes import ALL_INTS, ANY, FLOATS, FULL_COMPLEXES, INT64, INTS, REALS_OR_BOOL, DType
from tensorproof.terms.ints import Dim, lower, maximum, minimum
from tensorproof.terms.predicates import conj, disj, eq, ge, le
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import strides_or_none
from tensorproof.terms.tensor import Outputs, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import recurrence_layers, recurrence_steps
else:
    recurrence_steps = later("catalogue.networks.formulas.recurrence_steps")
    recurrence_layers = makers("catalogue.networks.formulas.recurrence_layers")

STATE = FLOATS | FULL_COMPLEXES


# --- layers: x (T, N, I), or (N, T, I), or (T, I) for one sequence; states (layers x directions, N, H) ---


def state_checked(c: Call, name: str, batch: tuple[Dim, ...], size: Dim) -> Shape:
    """The shape of a state, which an initial state must have."""
    wanted = Shape((c["num_layers"] * (2 if c["bidirectional"] else 1), *batch, size))
    if c.given(name):
        given = c.shape(name)
        message = f"{name} must have shape {wanted!r} (layers × directions{', batch' if batch else ''}, hidden), and has {given!r}"
        c.require("state", len(given) == len(wanted), message, (name, "x"))
        c.require("state", conj(*(eq(a, b) for a, b in zip(given, wanted))), message, (name, "x"))
    return wanted


def layer_shape(c: Call) -> list[Shape]:
    """The shapes of the outputs and of the last states."""
    x, hidden, directions = c.shape("x"), c["hidden_size"], 2 if c["bidirectional"] else 1
    gates = {"lstm": 4, "gru": 3}.get(c.op.name, 1)
    c.require("weight", eq(c.dims["G"], gates * hidden), f"the weight has {c.dims['G']!r} rows, and needs {gates} × {hidden!r}", "weight")
    projected = c["proj_size"] or hidden
    if c["packed_batch"] is not None:
        c.require("rank", len(x) == 2, f"packed data must have rank 2, and is {x!r}", "x")
        batch: tuple[Dim, ...] = (c["packed_batch"],)
        lead: Sequence[Dim] = x[:1]
    else:
        steps = x[1] if c["batch_first"] and len(x) == 3 else x[0]
        c.require("empty", ge(steps, 1), f"a sequence needs at least one step, and x has shape {x!r}", "x")
        batch = () if len(x) == 2 else (x[0] if c["batch_first"] else x[1],)
        lead = x[:-1]
    states = [state_checked(c, "hx", batch, projected)]
    if c.op.name == "lstm":
        states.append(state_checked(c, "cx", batch, hidden))
    made = Shape((*lead, projected * directions))
    if c["batch_first"] and len(made) == 3:  # steps are computed first and the result is shown transposed
        c.laid = strides_or_none(made, (made[2], made[0] * made[2], 1))
    return [made, *states]


GRADIENT = "x<other,params? params<other,params?,x? hx<other,params?"


def layer(name: str, outputs: tuple[str, ...], *more: Any) -> Op:
    """A recurrent layer of several levels and one or two directions. `weight` is the first level's map of the input; `params` are
    the weights of all levels and directions, and `batch_sizes` those of a packed sequence."""
    inputs = [Tensor("x", "A B I | A I", STATE), Tensor("weight", "G I", STATE), *(Tensor(n, "...", STATE, optional=True) for n in ("hx", "cx"))]
    attributes = (
        Int("hidden_size", least=1), Int("num_layers", 1, least=1), Bool("batch_first", False), Bool("bidirectional", False),
        Float("dropout", 0.0, least=0.0, most=1.0), Int("packed_batch", None, optional=True), *more,
    )  # fmt: skip
    named = tuple(Out(n) for n in outputs)
    kept = tuple(inputs if name == "lstm" else inputs[:3])
    weights = (Tensors("params", least=0, optional=True, default=None), Tensor("batch_sizes", "T", frozenset({INT64}), optional=True, default=None))
    one_type, codes, computed = Same(*(p.name for p in kept)), {"I": "features"}, recurrence_layers.layers(name)
    return Op(name, (*kept, *weights), attributes, layer_shape, one_type, outputs=named, codes=codes, gradient=GRADIENT, evaluate=computed)


LSTM = replace(layer("lstm", ("output", "h_n", "c_n"), Int("proj_size", 0, least=0)), order="compact")
GRU = replace(layer("gru", ("output", "h_n")), order="compact")
RNN = replace(layer("rnn", ("output", "h_n"), Choice("nonlinearity", ("tanh", "relu"), "tanh")), order="compact")


# --- cells ---


def cell_shape(c: Call) -> Any:
    gates = {"lstm_cell": 4, "gru_cell": 3}.get(c.op.name, 1)
    rows, hidden = c.shape("weight_hh")
    c.require("weight", eq(rows, gates * hidden), f"weight_hh has {rows!r} rows, and needs {gates} × {hidden!r}", "weight_hh")
    for name in ("hx", "cx"):
        if c.given(name):
            c.require("rank", c.rank(name) == c.rank("x"), f"{name} must have rank {c.rank('x')} as x has, and is {c.shape(name)!r}", (name, "x"))
    shape = Shape((*c.shape("x")[:-1], hidden))
    return [shape, shape] if c.op.name == "lstm_cell" else shape


def cell(name: str, dtypes: Any, dtype: Any, *attributes: Any, outputs: tuple[Out, ...] = ()) -> Op:
    """One step of a recurrence."""
    states = tuple(Tensor(n, "N H | H", dtypes, optional=True) for n in (("hx", "cx") if outputs else ("hx",)))
    weights = (Tensor("weight_ih", "G I", dtypes), Tensor("weight_hh", "G H", dtypes))
    biases = tuple(Tensor(n, "G", dtypes, optional=True) for n in ("bias_ih", "bias_hh"))
    codes = {"I": "features", "H": "state", "N": "batch", "G": "weight"}
    steps: dict[str, Evaluate] = {"lstm_cell": recurrence_steps.lstm_step, "gru_cell": recurrence_steps.gru_step}
    inputs = (Tensor("x", "N I | I", dtypes), *weights, *states, *biases)
    return Op(name, inputs, attributes, cell_shape, dtype, outputs=outputs, codes=codes, evaluate=steps.get(name, recurrence_steps.rnn_step), gradient=GRADIENT)


SAME = ("x", "weight_ih", "weight_hh", "hx", "bias_ih", "bias_hh")


def lstm_cell_dtype(c: Call) -> DType | None:
    return Same(*SAME)(c) if not c.given("cx") else promoted(c, ("x", "cx")) if Same(*SAME)(c) else None


def rnn_cell_dtype(c: Call) -> DType | None:
    dtype = Same(*SAME)(c)
    if c["nonlinearity"] == "tanh":
        return float_of(c, dtype)
    if dtype is not None and dtype.is_complex:
        raise c.refuse("dtype", "relu has no meaning for complex numbers", "x")
    return dtype


LSTM_CELL = cell("lstm_cell", STATE, lstm_cell_dtype, outputs=(Out("h"), Out("c")))
GRU_CELL = cell("gru_cell", STATE, Same(*SAME))
RNN_CELL = cell("rnn_cell", STATE | INTS, rnn_cell_dtype, Choice("nonlinearity", ("tanh", "relu"), "tanh"))


# --- packed sequences ---


class Packed(Outputs):
    """A packed sequence: data, batch_sizes, sorted_indices, unsorted_indices, and what torch keeps in their contents."""

    batch: Dim = 0
    lengths: TensorType | None = None

    @classmethod
    def of(cls, data: TensorType, batch_sizes: TensorType, order: TensorType | None, back: TensorType | None, batch: Dim, lengths: TensorType | None) -> Packed:
        made = cls((data, batch_sizes, order, back))
        made.names = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
        made.batch, made.lengths = batch, lengths
        return made


def batch_sizes(lengths: tuple[Any, ...] | None) -> tuple[int, ...] | None:
    """How many sequences reach each step, where all the lengths are known."""
    if lengths is None or not all(isinstance(n, (int, float)) for n in lengths):
        return None
    whole = [int(n) for n in lengths]
    return tuple(sum(n > step for n in whole) for step in range(max(whole, default=0)))


def packed_shape(c: Call) -> list[Any]:
    """Rows of all sequences, and how many sequences reach each step."""
    x, lengths, contents = c.shape("x"), c.shape("lengths"), c.contents("lengths")
    batch, steps = (x[0], x[1]) if c["batch_first"] else (x[1], x[0])
    count = lengths[0]  # sorting picks as many sequences as there are lengths
    holds = eq(count, batch) if c["enforce_sorted"] else le(count, batch)
    c.require("lengths", holds, f"lengths holds {count!r} numbers for {batch!r} sequences", ("lengths", "x"))
    c.require("empty", ge(x.numel, 1), f"x of shape {x!r} is empty and cannot be packed", "x")
    trailing = x[2:]
    if contents is None or any(isinstance(n, float) and n != int(n) for n in contents):
        most = steps if isinstance(steps, int) else None
        rows: Dim = c.fresh("rows", max(1, int(lower(batch))))
        return [Shape((rows, *trailing)), TensorType(Shape((c.fresh("steps", 1, most),)), INT64)]
    whole: list[Dim] = [int(n) if isinstance(n, float) else n for n in contents]
    for n in whole:
        c.require("lengths", ge(n, 1), f"every length must be at least 1, and one is {n!r}", "lengths")
    if c["enforce_sorted"]:
        for a, b in pairwise(whole):
            c.require("sorted", ge(a, b), f"lengths must fall, and {a!r} stands before {b!r}: sort them or pass enforce_sorted=False", "lengths")
    rows = sum((minimum(n, steps) for n in whole), 0)
    return [Shape((rows, *trailing)), TensorType(Shape((maximum(*whole),)), INT64, contents=batch_sizes(contents))]


PACK_PADDED = Op(
    "pack_padded_sequence",
    inputs=(Tensor("x", "A B ...", ANY), Tensor("lengths", "M", REALS_OR_BOOL, values="positive")),
    attributes=(Bool("batch_first", False), Bool("enforce_sorted", True)),
    outputs=(Out("data"), Out("batch_sizes", INT64)),
    shape=packed_shape,
    dtype=Like("x"),
    data_dependent=True,
    evaluate=recurrence_steps.packed,
)


def padded_shape(c: Call) -> list[Any]:
    """The padded tensor and the lengths, of packed data."""
    data, steps, total = c.shape("x"), c.shape("batch_sizes")[0], c["total_length"]
    if total is not None:
        c.require("total_length", ge(total, steps), f"total_length = {total!r} is less than the longest sequence, {steps!r}", "total_length")
        steps = total
    sizes = c.contents("batch_sizes")
    batch = c["packed_batch"] if c["packed_batch"] is not None else sizes[0] if sizes else c.fresh("batch", 1)
    axes = (batch, steps) if c["batch_first"] else (steps, batch)
    return [Shape((*axes, *data[1:])), Shape((batch,))]


PAD_PACKED = Op(
    "pad_packed_sequence",
    inputs=(Tensor("x", "R ...", ANY), Tensor("batch_sizes", "T", frozenset({INT64}))),
    attributes=(Bool("batch_first", False), Float("padding_value", 0.0), Int("total_length", None, optional=True), Int("packed_batch", None, optional=True)),
    outputs=(Out("padded"), Out("lengths", INT64)),
    shape=padded_shape,
    dtype=Like("x"),
    data_dependent=True,
    evaluate=recurrence_steps.padded_again,
)


def pad_sequence_shape(c: Call) -> Shape:
    shapes = [t.shape for t in c["xs"]]
    trailing = shapes[0][1:]
    for shape in shapes[1:]:
        message = f"the sequences must agree beyond their first axis, and are {shapes[0]!r} and {shape!r}"
        c.require("trailing", len(shape) <= len(shapes[0]), message, "xs")
        full = (shape[0], *trailing)
        c.require("trailing", conj(*(disj(eq(a, b), eq(a, 1)) for a, b in zip(reversed(shape), reversed(full)))), message, "xs")
    longest = maximum(*(s[0] for s in shapes))
    axes = (len(shapes), longest) if c["batch_first"] else (longest, len(shapes))
    return Shape((*axes, *trailing))


PAD_SEQUENCE = Op(
    "pad_sequence",
    inputs=(Tensors("xs", "_ ...", ANY),),
    attributes=(Bool("batch_first", False), Float("padding_value", 0.0), Choice("padding_side", ("right", "left"), "right")),
    shape=pad_sequence_shape,
    dtype=lambda c: c["xs"][0].dtype,
    values=PADDED,
    evaluate=recurrence_steps.padded_together,
)


def unpad_shape(c: Call) -> list[Shape]:
    x, lengths = c.shape("x"), c.contents("lengths")
    count = c.shape("lengths")[0]
    batch, steps = (x[0], x[1]) if c["batch_first"] else (x[1], x[0])
    c.equal("lengths", count, batch, "lengths holds {a} numbers for {b} sequences", ("lengths", "x"))
    if not isinstance(count, int):
        raise c.give_up("the number of sequences is not known")
    found = lengths if lengths is not None else tuple(c.fresh("length") for _ in range(count))
    return [Shape((minimum(n, steps), *x[2:])) for n in found]


UNPAD_SEQUENCE = Op(
    "unpad_sequence",
    inputs=(Tensor("x", "A B ...", ANY), Tensor("lengths", "M", REALS_OR_BOOL | ALL_INTS)),
    attributes=(Bool("batch_first", False),),
    shape=unpad_shape,
    dtype=Like("x"),
    counted=True,
    data_dependent=True,
    evaluate=recurrence_steps.taken_apart,
)
