"""How torch spells recurrence: states in tuples, packed sequences, lists of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorproof.bindings.adapters import GiveUp, Module, Run, Session, Value, takes, taking, tensor_in
from tensorproof.catalogue.networks.recurrence import STATE, Packed
from tensorproof.ops.inputs import Anything, Bool, Int, Tensor, Tensors
from tensorproof.terms import FLOAT32, INT64, Dim, DType, Shape, TensorType, dataclass, eq, le

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


@dataclass(frozen=True, slots=True)
class Loose(Tensor):
    """A tensor, or what the function below looks at itself: a packed sequence, a pair of states, a list of lengths."""

    def takes(self, value: Value) -> bool:
        return True


CELL_STATES = Loose("hx", "N hidden_size | hidden_size", STATE, optional=True, default=None)


def layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """Weights and biases of every level and direction."""
    levels, hidden, projected = names["num_layers"], names["hidden_size"], names.get("proj_size", 0)
    if not isinstance(levels, int):
        raise GiveUp(f"{module.name}: the number of layers is not known")
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32
    gates = GATES[module.row.op] * hidden
    suffixes = ("", "_reverse") if names["bidirectional"] else ("",)
    out = projected or hidden

    def put(name: str, *shape: Dim) -> None:
        module.parameters[name] = TensorType(Shape(shape), dtype, requires_grad=True)

    for level in range(levels):
        features = names["input_size"] if level == 0 else out * len(suffixes)
        for suffix in suffixes:
            end = f"_l{level}{suffix}"
            put(f"weight_ih{end}", gates, features)
            put(f"weight_hh{end}", gates, out)
            if names["bias"]:
                put(f"bias_ih{end}", gates)
                put(f"bias_hh{end}", gates)
            if projected:
                put(f"weight_hr{end}", projected, hidden)


def states(a: dict[str, Any], run: Run) -> dict[str, TensorType]:
    """The initial states: one tensor, or two for an LSTM."""
    given = a.pop("hx", None)
    two = run.row.op.startswith("lstm")
    if given is None:
        return {}
    if not two:
        run.require("state", isinstance(given, TensorType), "the initial state must be one tensor", ("hx",))
        return {"hx": given}
    pair = isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(t, TensorType) for t in given)
    run.require("state", pair, "the initial state must be a pair of tensors (h_0, c_0)", ("hx",))
    return {"hx": given[0], "cx": given[1]}


def run_layer(a: dict[str, Value], run: Run) -> Value:
    """A call of nn.LSTM, nn.GRU or nn.RNN, on a tensor or on a packed sequence."""
    x = a["x"]
    if isinstance(x, (tuple, list)) and not isinstance(x, Packed) and len(x) == 4 and isinstance(x[0], TensorType) and isinstance(x[1], TensorType):
        raise run.give_up("how many sequences a packed sequence built by hand holds is not known")
    run.require("rank", isinstance(x, (TensorType, Packed)), "the input must be a tensor or a packed sequence", ("x",))
    a = {**a, **states(a, run), "weight": a["weight_ih_l0"], "params": _weights(a)}
    if isinstance(x, Packed):
        _rows_suffice(run, x)
        a.update(x=x[0], packed_batch=x.batch, batch_first=False, batch_sizes=x[1] if x[2] is None else None)  # else states come in another order
    output, *last = run.several(a)
    given = x.like((output, *x[1:])) if isinstance(x, Packed) else output
    return given, (tuple(last) if len(last) > 1 else last[0])


def _rows_suffice(run: Run, x: Packed) -> None:
    """Packing cuts lengths that are greater than the padded axis, and counts them in full: then steps of sequences have no rows."""
    rows, sizes = x[0].shape[0], x[1].contents
    if sizes and all(isinstance(n, int) for n in sizes):
        run.require("rows", le(sum(sizes), rows), f"the lengths of the packed sequences sum up to {sum(sizes)}, and there are {rows!r} rows", ("x",))


def _weights(a: dict[str, Any]) -> tuple[TensorType, ...]:
    """The weights of a layer as a flat call takes them."""
    suffixes = ("", "_reverse") if a["bidirectional"] else ("",)
    ends = [f"_l{level}{suffix}" for level in range(a["num_layers"]) for suffix in suffixes]
    found = (a.get(f"{word}{end}") for end in ends for word in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"))
    return tuple(one for one in found if isinstance(one, TensorType))


def flat(gates: int) -> tuple[Any, ...]:
    """The kinds of a flat call, so that the generator makes parameters of one layer that fit."""
    weights = f"{gates}*H I, {gates}*H H"
    state = Tensors("hx", "1 N H", STATE, draw="1 N H, 1 N H") if gates == 4 else Tensor("hx", "1 N H", STATE)
    both = (Tensors("params", dtypes=STATE, draw=weights), Tensors("params", dtypes=STATE, draw=f"{weights}, {gates}*H, {gates}*H"))
    return (
        Tensor("x", "T N I", STATE), Anything("hx", like=(state,)), Anything("params", like=both), Bool("has_biases"), Bool("train"),
        Int("num_layers", 1, least=1),
    )  # fmt: skip


def _more_layers(params: Sequence[TensorType], given: dict[str, TensorType], total: int, each: int) -> bool:
    layers = [state.shape[0] for state in given.values() if state.shape.known and len(state.shape) == 3]
    longer = any(type(n) is int and n * each > total for n in layers)
    return len(params) >= total and len(params) % each == 0 and (len(params) > total or longer)


@takes(Anything("hx"), Tensors("params"))
def run_flat(a: dict[str, Any], run: Run) -> Value:
    """torch.lstm(input, hx, params, ...): the sizes are those of the parameters."""
    params: tuple[TensorType, ...] = a["params"]
    levels: int = a["num_layers"]
    op, given = run.row.op, states(a, run)
    run.require("state", "hx" in given, "the initial state must be given", ("hx",))
    hidden = given["cx" if op == "lstm" else "hx"].shape[-1]
    projected = given["hx"].shape[-1]
    project = op == "lstm" and eq(projected, hidden) is False
    each = (4 if a["has_biases"] else 2) + project
    total = levels * (2 if a["bidirectional"] else 1) * each
    if op == "lstm" and _more_layers(params, given, total, each):
        raise run.give_up("parameters or states of more layers than are run, which some kernels of torch leave aside")
    run.require("params", len(params) == total, f"{levels} layers need {total} parameters, and {len(params)} are given", ("params",))
    if params and params[0].shape.known and len(params[0].shape) == 1:
        raise run.give_up("a weight that is a vector, which torch broadcasts")
    dtype = tensor_in(a, "x").dtype
    for one in params:
        same = one.dtype is dtype or one.dtype is None or dtype is None
        run.require("dtype", same, f"the parameters must have the element type {dtype!r} of the input, and one has {one.dtype!r}", ("params", "x"))
    if dtype is not None and dtype.is_complex and a.get("nonlinearity") == "relu":
        raise run.refuse("dtype", "complex numbers have no relu", ("x",))
    dropout = a["dropout"] if a["train"] and levels > 1 else 0.0
    a = {**a, **given, "dropout": dropout, "weight": params[0], "hidden_size": hidden, "proj_size": projected if project else 0}
    sizes = a.get("batch_sizes")
    if sizes is not None:
        a["packed_batch"] = sizes.contents[0] if sizes.contents else given["hx"].shape[1]
    else:
        x, state = tensor_in(a, "x").shape, given["hx"].shape
        if len(x) != 3 or len(state) != 3:
            raise run.give_up("what torch makes of an input or a state without three axes")
        batch = x[0 if a["batch_first"] else 1]
        if eq(batch, state[1]) is False and 1 in (batch, state[1]):
            raise run.give_up("torch broadcasts the batch of the input and of the state")
    return run.default(a)


run_flat_lstm = taking(run_flat, *flat(4))
run_flat_gru = taking(run_flat, *flat(3))
run_flat_rnn = taking(run_flat, *flat(1))


def cell(module: Module, names: Mapping[str, Any], session: Session) -> None:
    hidden, rows = names["hidden_size"], GATES[module.row.op.removesuffix("_cell")] * names["hidden_size"]
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32
    shapes: dict[str, tuple[Any, ...]] = {"weight_ih": (rows, names["input_size"]), "weight_hh": (rows, hidden)}
    if names["bias"]:
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
    for name, shape in shapes.items():
        module.parameters[name] = TensorType(Shape(shape), dtype, requires_grad=True)


@takes(Tensor("x", "N input_size | input_size", STATE), CELL_STATES, Int("input_size", least=0), Int("hidden_size", least=0))
def run_cell(a: dict[str, Value], run: Run) -> Value:
    return run.default({**a, **states(a, run)})


def as_lengths(value: Value) -> TensorType | None:
    """Lengths as an int64 tensor."""
    if isinstance(value, TensorType):
        return value
    if not isinstance(value, (tuple, list)):
        return None
    flat = [v.contents[0] if isinstance(v, TensorType) and v.contents else v for v in value]
    known = all(not isinstance(v, TensorType) for v in flat)
    return TensorType(Shape((len(flat),)), INT64, contents=tuple(flat) if known else None)


def _pack(run: Run, x: TensorType, lengths: TensorType, batch_first: bool, enforce_sorted: bool) -> Packed:
    data, sizes = run("pack_padded_sequence", x=x, lengths=lengths, batch_first=batch_first, enforce_sorted=enforce_sorted)
    batch = x.shape[0 if batch_first else 1] if enforce_sorted else lengths.shape[0]
    order = None if enforce_sorted else run("argsort", x=lengths, dim=0, descending=True)
    back = None if order is None else run("argsort", x=order, dim=0)
    whole = run.noted(run("cast", x=lengths, dtype=INT64), contents=_whole(lengths.contents))
    return Packed.of(data, sizes, order, back, batch, whole)


def _whole(contents: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return None if contents is None else tuple(int(n) if isinstance(n, float) else n for n in contents)


def pack_padded(a: dict[str, Value], run: Run) -> Value:
    lengths = as_lengths(a["lengths"])
    if lengths is None:
        raise run.refuse("lengths", "lengths must be a tensor or a list of whole numbers", ("lengths",))
    run.require("device", lengths.device in (None, "cpu"), f"lengths must be on the CPU, and are on {lengths.device}", ("lengths",))
    if not tensor_in(a, "x").shape.known:
        raise run.give_up("the rank of the input is not known")
    return _pack(run, tensor_in(a, "x"), lengths, bool(a["batch_first"]), bool(a["enforce_sorted"]))


def packed(a: dict[str, Any], run: Run) -> Value:
    """A packed sequence built from its parts: the first batch size is the number of sequences."""
    sizes, order = a["batch_sizes"], a.get("sorted_indices")
    if not isinstance(sizes, TensorType):
        raise run.give_up("a packed sequence without batch sizes")
    batch = sizes.contents[0] if sizes.contents else order.shape[0] if isinstance(order, TensorType) else run.fresh("batch", 1)
    back = a.get("unsorted_indices")
    if back is None and isinstance(order, TensorType):
        back = run("argsort", x=order, dim=0)
    return Packed.of(tensor_in(a, "x"), sizes, order, back, batch, None)


def pad_packed(a: dict[str, Value], run: Run) -> Value:
    packed = a["sequence"]
    if not isinstance(packed, Packed):
        raise run.give_up("what stands in a packed sequence built by hand is not known")
    out, lengths = run.several({**a, "x": packed[0], "batch_sizes": packed[1], "packed_batch": packed.batch})
    return _in_given_order(run, packed, out, 0 if a["batch_first"] else 1), (packed.lengths or _in_given_order(run, packed, lengths, 0))


def _in_given_order(run: Run, packed: Packed, x: TensorType, dim: int) -> TensorType:
    """The sequences along an axis as they were before packing sorted them."""
    if not isinstance(packed[3], TensorType):
        return x
    return run("index_select", x=x, dim=dim, index=packed[3])


@dataclass(frozen=True, slots=True)
class Sequences(Tensors):
    """A list of tensors, or the rows of one."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, (TensorType, list, tuple))


def pad(a: dict[str, Value], run: Run) -> Value:
    return run.default({**a, "xs": _sequences(a["xs"], run)})


def _sequences(value: Value, run: Run) -> tuple[TensorType, ...]:
    """A list of tensors, or the rows of one."""
    if isinstance(value, TensorType):
        count = value.shape[0] if value.shape.known and len(value.shape) else None
        if not isinstance(count, int):
            raise run.give_up("the number of sequences is not known")
        return (value.but(shape=Shape(value.shape[1:]), contents=None),) * count
    if not isinstance(value, (tuple, list)) or not all(isinstance(t, TensorType) for t in value):
        raise run.refuse("sequences", "the sequences must be a list of tensors", ("xs",))
    if not all(t.shape.known for t in value):
        raise run.give_up("the rank of a sequence is not known")
    return tuple(value)


def pack(a: dict[str, Value], run: Run) -> Value:
    found = _sequences(a["xs"], run)
    padded = run("pad_sequence", xs=found)
    lengths = run("constant", data=TensorType(Shape((len(found),)), INT64, contents=tuple(t.shape[0] for t in found)))
    return _pack(run, padded, lengths, False, bool(a["enforce_sorted"]))


def unpad(a: dict[str, Value], run: Run) -> Value:
    return list(run.several({**a, "lengths": as_lengths(a["lengths"])}))


def unpack(a: dict[str, Value], run: Run) -> Value:
    packed = a["packed_sequences"]
    if not isinstance(packed, Packed):
        raise run.give_up("what stands in a packed sequence built by hand is not known")
    padded, lengths = run("pad_packed_sequence", x=packed[0], batch_sizes=packed[1], packed_batch=packed.batch, batch_first=True)
    padded, lengths = (_in_given_order(run, packed, one, 0) for one in (padded, lengths))
    return list(run("unpad_sequence", x=padded, lengths=packed.lengths or lengths, batch_first=True))
