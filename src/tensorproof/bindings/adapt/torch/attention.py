"""How torch spells attention: batch first or steps first, packed or separate maps, layers in stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.adapters import GiveUp, Module, Refused, Session, Value, module_in, tensor_in
from tensorproof.bindings.call import Run, call_module
from tensorproof.catalogue.networks.attention import SEED, STATE
from tensorproof.ops.storage import steps_of
from tensorproof.terms import FLOAT32, UINT64, UNKNOWN_STRIDES, Dim, DType, Shape, TensorType, eq, ge, strides_or_none


class Maker:
    """Puts parameters into a module under dotted names."""

    def __init__(self, module: Module, names: Mapping[str, Any]) -> None:
        self.module = module
        self.dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32

    def put(self, name: str, *shape: Dim) -> None:
        self.module.parameters[name] = TensorType(Shape(shape), self.dtype, requires_grad=True)

    def linear(self, name: str, rows: Dim, columns: Dim, bias: bool) -> None:
        self.put(f"{name}.weight", rows, columns)
        if bias:
            self.put(f"{name}.bias", rows)

    def norm(self, name: str, size: Dim, bias: bool) -> None:
        self.put(f"{name}.weight", size)
        if bias:
            self.put(f"{name}.bias", size)

    def attention(self, prefix: str, size: Dim, bias: bool, key: Dim | None = None, value: Dim | None = None, bias_kv: bool = False) -> None:
        key, value = size if key is None else key, size if value is None else value
        if key == size and value == size:
            self.put(f"{prefix}in_proj_weight", 3 * size, size)
        else:
            for letter, columns in (("q", size), ("k", key), ("v", value)):
                self.put(f"{prefix}{letter}_proj_weight", size, columns)
        if bias:
            self.put(f"{prefix}in_proj_bias", 3 * size)
        if bias_kv:
            self.put(f"{prefix}bias_k", 1, 1, size)
            self.put(f"{prefix}bias_v", 1, 1, size)
        self.linear(f"{prefix}out_proj", size, size, bias)


def heads_divide(size: Dim, heads: Dim, session: Session) -> None:
    from tensorproof.ops.record import Requirement

    holds = ge(size, 1) is not False and ge(heads, 1) is not False and eq(size % heads, 0)
    requirement = Requirement("multi_head_attention/heads", holds, f"embed_dim {size!r} must be a positive multiple of num_heads {heads!r}", ("num_heads",))
    if holds is False:
        raise Refused(requirement)
    if holds is not True:
        session.requirements.append(requirement)


def multi_head_layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    heads_divide(names["embed_dim"], names["num_heads"], session)
    Maker(module, names).attention("", names["embed_dim"], names["bias"], names["kdim"], names["vdim"], names["add_bias_kv"])


def swapped(x: TensorType, run: Run) -> TensorType:
    if not x.shape.known or len(x.shape) != 3:
        return x
    steps = steps_of(x)
    shape = Shape((x.shape[1], x.shape[0], *x.shape[2:]))
    made = run.shaped("permute", shape, x.dtype, x=x, dim=(1, 0, 2))
    return run.noted(made, strides=UNKNOWN_STRIDES if steps is None else strides_or_none(shape, (steps[1], steps[0], *steps[2:])))


def run_multi_head_layer(a: dict[str, Any], run: Run) -> Any:
    """A call of nn.MultiheadAttention."""
    a = {**a, "out_proj_weight": a["out_proj.weight"], "out_proj_bias": a.get("out_proj.bias"), "use_separate_proj_weight": "q_proj_weight" in a}
    if a["batch_first"]:
        a.update({n: swapped(a[n], run) for n in ("query", "key", "value")})
    output, weights = multi_head(a, run)
    if not a["batch_first"]:
        return output, weights
    made = swapped(output, run)
    return (made if module_in(a).training or made is output else run.noted(made, strides=UNKNOWN_STRIDES)), weights  # in evaluation another kernel may run


def multi_head(a: dict[str, Value], run: Run) -> Any:
    both = (a.get("bias_k") is None) == (a.get("bias_v") is None)
    run.require("bias_k", both, "bias_k and bias_v must be given together", ("bias_k", "bias_v"))
    made = run.default({**a, "in_proj_weight": None} if a.get("use_separate_proj_weight") is True else a)  # the one for all three is not read then
    return tuple(made) if isinstance(made, tuple) else (made, None)


def flash(a: dict[str, Value], run: Run) -> Value:
    """What the GPU kernel returns: output, log-sum-exp, nothing, nothing, both lengths, random state, unused, debug mask."""
    output, logsumexp = run.several(a)
    query, key = tensor_in(a, "query").shape, tensor_in(a, "key").shape
    debug = output.but(shape=Shape((0,)))
    return output, logsumexp, None, None, query[2], key[2], STATE, TensorType(Shape(), UINT64), debug


def efficient(a: dict[str, Value], run: Run) -> Value:
    output, logsumexp = run.several(a)
    return output, logsumexp, SEED, SEED


def cudnn(a: dict[str, Value], run: Run) -> Value:
    output, logsumexp = run.several(a)
    return output, logsumexp, None, None, tensor_in(a, "query").shape[2], tensor_in(a, "key").shape[2], SEED, SEED, None


def _put_layer(make: Maker, names: Mapping[str, Any], prefix: str, decoder: bool) -> None:
    size, hidden, bias = names["d_model"], names["dim_feedforward"], names["bias"]
    make.attention(f"{prefix}self_attn.", size, bias)
    if decoder:
        make.attention(f"{prefix}multihead_attn.", size, bias)
    make.linear(f"{prefix}linear1", hidden, size, bias)
    make.linear(f"{prefix}linear2", size, hidden, bias)
    for i in range(3 if decoder else 2):
        make.norm(f"{prefix}norm{i + 1}", size, bias)


def encoder_layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    heads_divide(names["d_model"], names["num_heads"], session)
    _put_layer(Maker(module, names), names, "", False)


def decoder_layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    heads_divide(names["d_model"], names["num_heads"], session)
    _put_layer(Maker(module, names), names, "", True)


def run_layer(a: dict[str, Value], run: Run) -> Value:
    return run.default({**a, "weight": a["self_attn.in_proj_weight"]})


def stack(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """Copies of a layer, and a norm after them."""
    layer, count, norm = names["layer"], names["num_layers"], names["norm"]
    if not isinstance(layer, Module) or not isinstance(count, int) or not (norm is None or isinstance(norm, Module)):
        raise GiveUp(f"{module.name}: its layer, its norm or the number of layers is not known")
    for i in range(count):
        module.parameters.update({f"layers.{i}.{n}": t for n, t in layer.parameters.items()})
        module.buffers.update({f"layers.{i}.{n}": t for n, t in layer.buffers.items()})
    if norm is not None:
        module.parameters.update({f"norm.{n}": t for n, t in norm.parameters.items()})


def _called(module: Module, run: Run, *args: Value, **kwargs: Value) -> Value:
    """The result of a module inside another."""
    outcome = call_module(module, args, kwargs, run.session)
    if outcome.refused is not None:
        raise Refused(outcome.refused)
    if outcome.unknown is not None:
        raise GiveUp(outcome.unknown)
    run.session.applied += outcome.applied
    return outcome.made


def run_stack(a: dict[str, Any], run: Run) -> Value:
    """All layers are alike, so one call tells."""
    run.require("layers", a["num_layers"] > 0, "a stack needs at least one layer", ("num_layers",))
    rest = {"src_mask": a.get("mask"), "src_key_padding_mask": a.get("padding_mask"), "is_causal": bool(a.get("is_causal"))}
    if run.row.op == "transformer_decoder_layer":
        rest = {
            "memory": a["memory"], "tgt_mask": a.get("mask"), "memory_mask": a.get("memory_mask"), "tgt_key_padding_mask": a.get("padding_mask"),
            "memory_key_padding_mask": a.get("memory_padding_mask"), "tgt_is_causal": bool(a.get("is_causal")),
            "memory_is_causal": bool(a.get("memory_is_causal")),
        }  # fmt: skip
    out = _called(a["layer"], run, a["x"], **rest)
    return out if a["norm"] is None else _called(a["norm"], run, out)


def transformer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    heads_divide(names["d_model"], names["num_heads"], session)
    counts = names["num_encoder_layers"], names["num_decoder_layers"]
    if names["custom_encoder"] is not None or names["custom_decoder"] is not None or not all(isinstance(n, int) for n in counts):
        raise GiveUp(f"{module.name}: a custom encoder or decoder, or the number of layers, is not known")
    make = Maker(module, names)
    for part, count in zip(("encoder", "decoder"), counts):
        for i in range(count):
            _put_layer(make, names, f"{part}.layers.{i}.", part == "decoder")
        make.norm(f"{part}.norm", names["d_model"], names["bias"])


def run_transformer(a: dict[str, Any], run: Run) -> TensorType:
    """An encoder over src and a decoder over tgt."""
    src, tgt = tensor_in(a, "src"), tensor_in(a, "tgt")
    run.require("layers", a["num_encoder_layers"] > 0 and a["num_decoder_layers"] > 0, "a transformer needs at least one layer on each side", ())
    weight = a["encoder.layers.0.self_attn.in_proj_weight"]
    common = {"weight": weight, "num_heads": a["num_heads"], "batch_first": a["batch_first"]}
    memory = run(
        "transformer_encoder_layer", x=src, mask=a.get("src_mask"), padding_mask=a.get("src_key_padding_mask"),
        is_causal=bool(a.get("src_is_causal")), **common,
    )  # fmt: skip
    return run(
        "transformer_decoder_layer", x=tgt, memory=memory, mask=a.get("tgt_mask"), padding_mask=a.get("tgt_key_padding_mask"),
        memory_mask=a.get("memory_mask"), memory_padding_mask=a.get("memory_key_padding_mask"), is_causal=bool(a.get("tgt_is_causal")),
        memory_is_causal=bool(a.get("memory_is_causal")), **common,
    )  # fmt: skip
