"""Keras layers over time: recurrence, attention, layers inside layers."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.layers import check_padding, computed, first, last, reach_of, word
from tensorproof.bindings.adapt.keras.weights import gates, of_rank
from tensorproof.bindings.adapters import GiveUp, Module, Refused, Run, Value, module_in, tensor_in
from tensorproof.ops.inputs import Choice, Tensors
from tensorproof.terms import Shape, TensorType, conj, dataclass, disj, eq


@dataclass(frozen=True, slots=True)
class States(Tensors):
    """A list of states, or one."""

    def takes(self, value: Value) -> bool:
        return True

    def read(self, value: Value) -> Value:
        return value


def _alone(a: dict[str, Value]) -> bool:
    """Whether the result depends on the input and the states given alone: no mask, nothing dropped, no states kept."""
    return a.get("mask") is None and not a.get("dropout") and not a.get("recurrent_dropout") and not a.get("stateful")


def recurrent(a: dict[str, Any], run: Run) -> Value:
    module = module_in(a)
    number, count = gates(module.name)
    held = module.parameters
    x = tensor_in(a, "x")
    of_rank(module, x, 3)
    _some_batch(a, run, number)
    _mask_fits(a, run, x)
    states = a.get("states")
    if isinstance(states, TensorType):
        states = (states,)
    made = run(
        "recurrent_layer", x=computed(a, run, x), kernel=computed(a, run, held["kernel"]), recurrent_kernel=computed(a, run, held["recurrent_kernel"]),
        bias=computed(a, run, held["bias"]) if "bias" in held else None, gates=number, count=count, return_sequences=a["return_sequences"],
        return_state=a["return_state"], backwards=bool(a.get("go_backwards")), reset_after=bool(a.get("reset_after", True)),
        activation=a.get("activation"), recurrent_activation=a.get("recurrent_activation"), alone=_alone(a),
        states=None if states is None else tuple(computed(a, run, s) for s in states),
    )  # fmt: skip
    return made if a["return_state"] else made[0]


def _mask_fits(a: dict[str, Any], run: Run, x: TensorType) -> None:
    """A mask has a truth value for each step of each sample; of symbolic tensors that is asked when they have values."""
    mask = a.get("mask")
    if not isinstance(mask, TensorType) or mask.graph is not None or x.graph is not None or not mask.shape.known or not x.shape.known:
        return
    if len(mask.shape) < 2:
        raise run.refuse("mask", f"the mask must be (batch, steps), and is {mask.shape!r}", ("mask",))
    fits = conj(eq(mask.shape[1], x.shape[1]), disj(eq(mask.shape[0], x.shape[0]), eq(mask.shape[0], 1)))
    run.require("mask", fits, f"the mask is {mask.shape!r}, and x has {x.shape[0]!r} samples of {x.shape[1]!r} steps", ("mask", "x"))


def _some_batch(a: dict[str, Any], run: Run, gates_: int) -> None:
    shape = tensor_in(a, "x").shape
    if shape.known and len(shape) and shape[0] == 0 and (gates_ == 4 or "bias" not in module_in(a).parameters):
        raise run.give_up("an empty batch, whose sums TensorFlow takes for biases")


def _carried(a: dict[str, Value], run: Run, states: tuple[TensorType, ...], gates_: int) -> None:
    """A gate of complex numbers is not multiplied with what an LSTM carries as real ones."""
    _some_batch(a, run, gates_)
    x = tensor_in(a, "x").dtype
    if gates_ == 4 and x is not None and x.is_complex and len(states) > 1 and states[1].dtype is not None and not states[1].dtype.is_complex:
        raise run.refuse("dtype", f"the input is {x!r}, and the state that is carried {states[1].dtype!r}", ("x", "states"))
    state = states[0].dtype if states else None
    if gates_ != 4 and x is not None and state is not None and x.is_complex != state.is_complex:
        raise run.give_up("not every backend adds complex and real numbers")


def recurrent_cell(a: dict[str, Any], run: Run) -> Value:
    module = module_in(a)
    number, count = gates(module.name)
    held = module.parameters
    states = a["states"]
    alone = isinstance(states, TensorType)
    given = (states,) if alone else tuple(states)
    _carried(a, run, given, number)
    made = run(
        "recurrent_cell", x=computed(a, run, a["x"]), kernel=computed(a, run, held["kernel"]), recurrent_kernel=computed(a, run, held["recurrent_kernel"]),
        bias=computed(a, run, held["bias"]) if "bias" in held else None, gates=number, count=count, states=tuple(computed(a, run, s) for s in given),
        reset_after=bool(a.get("reset_after", True)), activation=a.get("activation"), recurrent_activation=a.get("recurrent_activation"),
        alone=_alone(a),
    )  # fmt: skip
    return (made[0], made[1] if alone else list(made[1:]))


def conv_lstm(a: dict[str, Any], run: Run) -> Value:
    n = int(run.row.op[-2])
    module = module_in(a)
    shape = of_rank(module, tensor_in(a, "x"), n + 3)
    check_padding(run, a, n, causal=False)
    step = tensor_in(a, "x").but(shape=Shape((shape[0], *shape[2:])), contents=None)
    turned = run("permute", x=module.parameters["kernel"], dim=(n + 1, n, *range(n)))
    made = run(run.row.op, x=first(run, step, a, n), weight=computed(a, run, turned), stride=a["stride"], dilation=a["dilation"], **reach_of(a, n))
    made = made.but(shape=Shape((made.shape[0], a["filters"], *made.shape[2:])))
    made = last(run, made, a, n)
    out = made.but(shape=Shape((made.shape[0], shape[1], *made.shape[1:]))) if a["return_sequences"] else made
    return (out, made, made) if a["return_state"] else out


def wrapped(a: dict[str, Any], run: Run) -> Value:
    """TimeDistributed: the layer inside sees one step."""
    from tensorproof.bindings.call import call_module

    inner, x = a["layer"], tensor_in(a, "x")
    if not isinstance(inner, Module) or not x.shape.known:
        raise run.give_up("the layer inside is not known")
    if len(x.shape) < 3:
        raise run.refuse("rank", f"an input has a batch axis, steps and features, and it is {x.shape!r}", ("x",))
    step = x.but(shape=Shape((x.shape[0], *x.shape[2:])), contents=None)
    made = inside(run, call_module(inner, (step,), None, run.session))
    module_in(a).parameters.update(inner.parameters)
    module_in(a).buffers.update(inner.buffers)
    return made.but(shape=Shape((made.shape[0], x.shape[1], *made.shape[1:])))


def inside(run: Run, outcome: Any) -> Any:
    """What a layer inside gives; what it applied counts as applied by the layer around it."""
    run.session.applied += outcome.applied
    if outcome.refused is not None:
        raise Refused(outcome.refused)
    if outcome.unknown is not None:
        raise GiveUp(outcome.unknown)
    return outcome.outputs


def bidirectional(a: dict[str, Any], run: Run) -> Value:
    """The layer inside runs both ways; the outputs are merged, the states follow each other."""
    from tensorproof.bindings.call import call_module

    inner, mode = a["layer"], a["merge_mode"]
    if not isinstance(inner, Module):
        raise run.give_up("the layer inside is not known")
    word(run, a, Choice("merge_mode", ("sum", "mul", "concat", "ave", None)))
    beside = {} if a.get("mask") is None else {"mask": a["mask"]}
    made = inside(run, call_module(inner, (a["x"],), beside, run.session))
    held = module_in(a).parameters
    held.update({f"forward/{name}": one for name, one in inner.parameters.items()})
    turned = inside(run, call_module(_turned(inner, held), (a["x"],), beside, run.session))
    (outs, *states), (others, *more) = (tuple(m) if isinstance(m, (tuple, list)) else (m,) for m in (made, turned))
    if inner.arguments.get("return_sequences"):
        others = run("flip", x=others, dim=(1,))
    whole = [*_merged(run, mode, outs, others), *states, *more]
    return tuple(whole) if len(whole) > 1 else whole[0]


def _turned(inner: Module, held: dict[str, TensorType]) -> Module:
    """The same layer over time backwards, with weights of its own."""
    own = {name: held.setdefault(f"backward/{name}", one.but()) for name, one in inner.parameters.items()}
    arguments = dict(inner.arguments)
    if "go_backwards" in arguments:
        arguments["go_backwards"] = not arguments["go_backwards"]
    return Module(inner.row, arguments, own, dict(inner.buffers), {**inner.mode, "built": True})


def _merged(run: Run, mode: str | None, x: TensorType, y: TensorType) -> list[TensorType]:
    if mode is None:
        return [x, y]
    if mode == "concat":
        return [run("cat", xs=(x, y), dim=-1)]
    if mode == "ave":
        return [run("div", x=run("add", x=x, y=y), y=2)]
    return [run("add", x=x, y=y) if mode == "sum" else run("mul", x=x, y=y)]


def spectral(a: dict[str, Any], run: Run) -> Value:
    """SpectralNormalization: the layer inside, and a vector of the length of its kernel's last axis."""
    from tensorproof.bindings.call import call_module

    inner, module = a["layer"], module_in(a)
    if not isinstance(inner, Module):
        raise run.give_up("the layer inside is not known")
    made = inside(run, call_module(inner, (a["x"],), None, run.session))
    kernel = inner.parameters.get("kernel") or inner.parameters.get("embeddings")
    if kernel is None:
        raise run.refuse("layer", f"{inner.name} has no kernel to normalise", ("layer",))
    module.parameters.update(inner.parameters)
    module.buffers.update({**inner.buffers, "vector_u": kernel.but(shape=Shape((1, kernel.shape[-1])), requires_grad=False)})
    return run("identity", x=made) if isinstance(made, TensorType) else made


def rnn(a: dict[str, Any], run: Run) -> Any:
    """RNN around one of Keras's own cells."""
    from tensorproof.bindings.call import call_module

    cell, x = a["cell"], tensor_in(a, "x")
    if not isinstance(cell, Module) or not cell.name.endswith("Cell"):
        raise run.give_up("the cell is not one of Keras's own")
    n, time, _ = of_rank(module_in(a), x, 3)
    number = gates(cell.name)[1]
    units = cell.arguments["units"]
    states = [computed(a, run, x).but(shape=Shape((n, units))) for _ in range(number)]
    step = x.but(shape=Shape((n, x.shape[2])), contents=None)
    out, _ = inside(run, call_module(cell, (step, states), None, run.session))
    module_in(a).parameters.update(cell.parameters)
    made = out.but(shape=Shape((n, time, units))) if a["return_sequences"] else out
    return (made, *states) if a["return_state"] else made
