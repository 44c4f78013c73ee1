"""Keras layers over time: recurrence, attention, layers inside layers."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras_layers import FORMAT, PADDING, check_padding, computed, first, last, reach_of, word
from tensorproof.bindings.adapt.keras_weights import gates, of_rank
from tensorproof.bindings.call import Run, takes
from tensorproof.bindings.modules import Module
from tensorproof.ops.call import GiveUp, Refused
from tensorproof.ops.inputs import Anything, Bool, Choice, Int, Sizes, Tensor, Tensors
from tensorproof.terms.dtypes import FLOATS
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True)
class States(Tensors):
    """A list of states, or one."""

    def takes(self, value: Any) -> bool:
        return True

    def read(self, value: Any) -> Any:
        return value


_STATES = Anything("states")
_CELL_STATES = States("states", "N units", FLOATS)


@takes(Int("units", least=1), _STATES, Bool("use_bias", True), Bool("reset_after", True))
def recurrent(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    number, count = gates(module.name)
    held = module.parameters
    of_rank(module, a["x"], 3)
    states = a.get("states")
    if isinstance(states, TensorType):
        states = (states,)
    made = run(
        "recurrent_layer", x=computed(a, run, a["x"]), kernel=computed(a, run, held["kernel"]), recurrent_kernel=computed(a, run, held["recurrent_kernel"]),
        gates=number, count=count, return_sequences=a["return_sequences"], return_state=a["return_state"],
        states=None if states is None else tuple(computed(a, run, s) for s in states),
    )  # fmt: skip
    return made if a["return_state"] else made[0]


@takes(Int("units", least=1), _CELL_STATES, Bool("use_bias", True), Bool("reset_after", True), Tensor("x", "N C"))
def recurrent_cell(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    number, count = gates(module.name)
    held = module.parameters
    states = a["states"]
    alone = isinstance(states, TensorType)
    given = (states,) if alone else tuple(states)
    made = run(
        "recurrent_cell", x=computed(a, run, a["x"]), kernel=computed(a, run, held["kernel"]), recurrent_kernel=computed(a, run, held["recurrent_kernel"]),
        gates=number, count=count, states=tuple(computed(a, run, s) for s in given),
    )  # fmt: skip
    return (made[0], made[1] if alone else list(made[1:]))


@takes(
    Int("filters", least=1),
    Sizes("kernel", 2, least=1),
    PADDING,
    FORMAT,
    Tensor("x", "..."),
    _STATES,
    Bool("return_sequences", False),
    Bool("return_state", False),
)
def conv_lstm(a: dict[str, Any], run: Run) -> Any:
    n = int(run.row.op[-2])
    module: Module = a["_module"]
    shape = of_rank(module, a["x"], n + 3)
    check_padding(run, a, n, causal=False)
    step = a["x"].but(shape=Shape((shape[0], *shape[2:])), contents=None)
    turned = run("permute", x=module.parameters["kernel"], dim=(n + 1, n, *range(n)))
    made = run(
        run.row.op, x=first(run, step, a, n), weight=computed(a, run, turned), stride=a["stride"], dilation=a["dilation"], **reach_of(a, n)
    )
    made = made.but(shape=Shape((made.shape[0], a["filters"], *made.shape[2:])))
    made = last(run, made, a, n)
    out = made.but(shape=Shape((made.shape[0], shape[1], *made.shape[1:]))) if a["return_sequences"] else made
    return (out, made, made) if a["return_state"] else out


@takes(Tensors("xs", least=2), Choice("score", ("dot", "concat"), "dot"), Bool("return_scores", False))
def attention(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(a["xs"])
    if len(xs) not in (2, 3):
        raise run.refuse("inputs", f"query, value and perhaps key are wanted, and {len(xs)} inputs are given", ("xs",))
    score = a.get("score", "concat")
    key = xs[2] if len(xs) == 3 else None
    return run("dot_attention", query=xs[0], value=xs[1], key=key, score=score, return_scores=bool(a.get("return_scores")))


_Q = (Tensor("query", "N T C"), Tensor("value", "N S D"), Tensor("key", "N S E", optional=True, default=None))


@takes(*_Q, Int("heads", least=1), Int("key_dim", least=1), Int("value_dim", None, least=1, optional=True), Bool("return_scores", False))
def multi_head(a: dict[str, Any], run: Run) -> Any:
    module: Module = a["_module"]
    query, value = a["query"], a["value"]
    key = value if a["key"] is None else a["key"]
    held = module.parameters
    if a.get("attention_axes") is not None:
        raise run.give_up("attention_axes is not modelled")
    for name, x in (("query", query), ("key", key), ("value", value)):
        kernel = held[f"{name}/kernel"]
        run.require(
            "features",
            eq(x.shape[-1], kernel.shape[0]),
            f"the layer was made for {kernel.shape[0]!r} features of {name} and it has {x.shape[-1]!r}",
            (name,),
        )
    if not len(query.shape) == len(value.shape) == len(key.shape) == 3:
        if len(query.shape) < 3 or len(value.shape) < 3 or len(key.shape) < 3:
            raise run.refuse(
                "rank",
                f"query, value and key have a batch axis, steps and features, and are {query.shape!r}, {value.shape!r} and {key.shape!r}",
                ("query",),
            )
        raise run.give_up("attention over more than one axis is not modelled")
    for code, i, about in (("batch", 0, "query"), ("length", 1, "value")):
        other = value if i else query
        run.require(
            code, eq(key.shape[i], other.shape[i]), f"axis {i} of key is {key.shape[i]!r} and of {about} {other.shape[i]!r}", ("key", about)
        )
    run.require(
        "batch",
        eq(value.shape[0], query.shape[0]),
        f"the batches of query and value have {query.shape[0]!r} and {value.shape[0]!r} elements",
        ("query", "value"),
    )
    out = held["attention_output/kernel"].shape
    made = computed(a, run, query).but(shape=Shape((query.shape[0], query.shape[1], *out[2:])))
    scores = made.but(shape=Shape((query.shape[0], out[0], query.shape[1], key.shape[1])))
    _attention_mask(a, run, query, key, scores)
    return (made, scores) if a.get("return_scores") else made


def _attention_mask(a: dict[str, Any], run: Run, query: TensorType, key: TensorType, scores: TensorType) -> None:
    """The masks must broadcast against each other and then against the scores (batch, heads, targets, sources)."""
    found: list[Shape] = []
    for name, lead in (("query_mask", True), ("value_mask", False), ("key_mask", False)):
        mask = a.get(name)
        if isinstance(mask, TensorType) and mask.shape.known and len(mask.shape) == 2:
            found.append(Shape((mask.shape[0], mask.shape[1], 1) if lead else (mask.shape[0], 1, mask.shape[1])))
    if a.get("use_causal_mask"):
        found.append(Shape((1, query.shape[1], key.shape[1])))
    given = a.get("attention_mask")
    if isinstance(given, TensorType) and given.shape.known:
        found.insert(0, given.shape)
    if not found:
        return
    whole = found[0]
    for one in found[1:]:
        whole = run("add", x=scores.but(shape=whole), y=scores.but(shape=one)).shape
    if len(whole) > 4:
        raise run.refuse("mask", f"a mask {whole!r} does not fit scores {scores.shape!r}", ("attention_mask",))
    while len(whole) < 4:
        whole = Shape((*whole[:-2], 1, *whole[-2:])) if len(whole) >= 2 else Shape((1, *whole))
    for got, want in zip(whole, scores.shape):
        fits = disj(eq(got, want), eq(got, 1), eq(want, 1))
        told = f"a mask {found[0]!r} does not fit the scores {scores.shape!r} of {query.shape[1]!r} by {key.shape[1]!r} steps"
        run.require("mask", fits, told, ("attention_mask",))


def wrapped(a: dict[str, Any], run: Run) -> Any:
    """TimeDistributed: the layer inside sees one step."""
    from tensorproof.bindings.call import call_module

    inner, x = a["layer"], a["x"]
    if not isinstance(inner, Module) or not x.shape.known:
        raise run.give_up("the layer inside is not known")
    if len(x.shape) < 3:
        raise run.refuse("rank", f"an input has a batch axis, steps and features, and it is {x.shape!r}", ("x",))
    step = x.but(shape=Shape((x.shape[0], *x.shape[2:])), contents=None)
    made = inside(call_module(inner, (step,), None, run.session))
    a["_module"].parameters.update(inner.parameters)
    a["_module"].buffers.update(inner.buffers)
    return made.but(shape=Shape((made.shape[0], x.shape[1], *made.shape[1:])))


def inside(outcome: Any) -> Any:
    if outcome.refused is not None:
        raise Refused(outcome.refused)
    if outcome.unknown is not None:
        raise GiveUp(outcome.unknown)
    return outcome.outputs


@takes(_STATES)
def bidirectional(a: dict[str, Any], run: Run) -> Any:
    """The layer inside runs both ways; the outputs are merged, the states follow each other."""
    from tensorproof.bindings.call import call_module

    inner, mode = a["layer"], a["merge_mode"]
    if not isinstance(inner, Module):
        raise run.give_up("the layer inside is not known")
    word(run, a, Choice("merge_mode", ("sum", "mul", "concat", "ave", None)))
    made = inside(call_module(inner, (a["x"],), None, run.session))
    for way in ("forward", "backward"):
        a["_module"].parameters.update({f"{way}/{name}": held for name, held in inner.parameters.items()})
    outs, states = (made[0], list(made[1:])) if isinstance(made, (tuple, list)) else (made, [])
    joined: list[Any] = [outs, outs] if mode is None else [run("cat", xs=(outs, outs), dim=-1) if mode == "concat" else outs]
    whole = [*joined, *states, *states]
    return tuple(whole) if len(whole) > 1 else whole[0]


@takes(*_Q, Int("heads", least=1), Int("query_heads", least=1), Int("head_dim", least=1), Bool("return_scores", False))
def grouped(a: dict[str, Any], run: Run) -> Any:
    """As multi-head attention; every head of key and value serves several of the query."""
    query, value = a["query"], a["value"]
    run.require(
        "features",
        eq(query.shape[-1], value.shape[-1]),
        f"query has {query.shape[-1]!r} features and value {value.shape[-1]!r}",
        ("query", "value"),
    )
    return multi_head(a, run)


def spectral(a: dict[str, Any], run: Run) -> Any:
    """SpectralNormalization: the layer inside, and a vector of the length of its kernel's last axis."""
    from tensorproof.bindings.call import call_module

    inner, module = a["layer"], a["_module"]
    if not isinstance(inner, Module):
        raise run.give_up("the layer inside is not known")
    made = inside(call_module(inner, (a["x"],), None, run.session))
    kernel = inner.parameters.get("kernel") or inner.parameters.get("embeddings")
    if kernel is None:
        raise run.refuse("layer", f"{inner.name} has no kernel to normalise", ("layer",))
    module.parameters.update(inner.parameters)
    module.buffers.update({**inner.buffers, "vector_u": kernel.but(shape=Shape((1, kernel.shape[-1])), requires_grad=False)})
    return made


@takes(_STATES)
def rnn(a: dict[str, Any], run: Run) -> Any:
    """RNN around one of Keras's own cells."""
    from tensorproof.bindings.call import call_module

    cell, x = a["cell"], a["x"]
    if not isinstance(cell, Module) or not cell.name.endswith("Cell"):
        raise run.give_up("the cell is not one of Keras's own")
    n, time, _ = of_rank(a["_module"], x, 3)
    number = gates(cell.name)[1]
    units = cell.arguments["units"]
    states = [computed(a, run, x).but(shape=Shape((n, units))) for _ in range(number)]
    step = x.but(shape=Shape((n, x.shape[2])), contents=None)
    out, _ = inside(call_module(cell, (step, states), None, run.session))
    a["_module"].parameters.update(cell.parameters)
    made = out.but(shape=Shape((n, time, units))) if a["return_sequences"] else out
    return (made, *states) if a["return_state"] else made
