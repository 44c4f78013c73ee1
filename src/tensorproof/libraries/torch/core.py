"""torch's names that are no operators: modes, devices, gradients, saving, compiling."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, mapped
from tensorproof.libraries.domains import autograd
from tensorproof.libraries.domains.backward import register_hook, register_later_hook, retain_grad
from tensorproof.libraries.domains.devices import refuse_values
from tensorproof.libraries.plain import kept
from tensorproof.libraries.torch.autograd import backward
from tensorproof.libraries.torch.modes import DEVICES
from tensorproof.libraries.torch.module_tree import children
from tensorproof.libraries.whole_numbers import number_of
from tensorproof.ops.inputs import is_size
from tensorproof.terms import UNKNOWN_STRIDES, DType, Shape, TensorType, conj, eq, ge, negate
from tensorproof.values import MISSING, Args, Class, Device, Function, Kwargs, Layer, Machine, Model, Unknown, Value, summarise


def _context(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """no_grad and its like: a context, and a decorator that leaves its function as it is."""
    if len(args) == 1 and isinstance(args[0], (Function, Class)):
        return args[0]
    return Model("context", m.heap.space())


def _device(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("type")
    index = args[1] if len(args) > 1 else kwargs.get("index")
    if isinstance(given, str):
        if given.partition(":")[0] not in DEVICES:
            raise m.raised("RuntimeError", f"there is no kind of device {given!r}", node, "device/kind")
        return Device(f"{given}:{index}" if isinstance(index, int) else given)
    return Device("cuda") if isinstance(given, int) else Unknown("device")


def _item(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    t = args[0]
    refuse_values(m, t, "item", node)
    m.require("item/scalar", eq(t.shape.numel, 1), f"item needs a tensor of one element, this one has shape {t.shape!r}", node)
    if t.contents is not None and len(t.contents) == 1:
        return t.contents[0]
    return number_of(m, t, node)


def _unbind(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """unbind along an axis of unknown size: so many tensors without it."""
    t: Any = args[0] if args else kwargs.get("input")
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    rank = len(t.shape) if isinstance(t, TensorType) and t.shape.known else 0
    if type(dim) is not int or not -rank <= dim < rank or isinstance(t.shape[dim], int):
        return m.spelling("torch.unbind", args, kwargs, node)
    rest = list(t.shape)
    count = rest.pop(dim)
    return (summarise(count, [t.sized(Shape(rest), strides=UNKNOWN_STRIDES)]),)


_OF_CHECKPOINT = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop")


def _checkpoint(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    kept = {k: v for k, v in kwargs.items() if k not in _OF_CHECKPOINT}
    reentrant = kwargs.get("use_reentrant") in (True, None)
    if reentrant and kept:
        raise m.raised("ValueError", f"checkpoint takes keyword arguments with use_reentrant=False only, and gets {next(iter(kept))}", node, "call/arguments")
    result = m.call(args[0], args[1:], kept, node)
    given = [t for value in (*args[1:], *kept.values()) for t in autograd.each(value)]
    if reentrant and all(autograd.of(m, t).requires is False for t in given):
        return mapped(m, result, lambda t: autograd.detached(m, t))  # the gradients of parameters are taken only where one of an input is
    return result


def _checkpoint_sequential(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The functions one after another, in segments."""
    given = dict(zip(("functions", "segments", "input"), args)) | kwargs
    made: Value = given["input"]
    functions = [child for _, child in children(given["functions"])] or m.iterate(given["functions"], node) or []
    segments = given["segments"]
    if type(segments) is int and not 0 < segments <= len(functions):
        m.gap("torch.utils.checkpoint.checkpoint_sequential", node, "there are not so many functions as segments")
    for function in functions:
        made = m.call(function, (made,), {}, node)
    return made


def _is_tensor(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Unknown("is_tensor") if isinstance(args[0], Unknown) else isinstance(args[0], TensorType) and args[0].framework == "torch"


def _default_dtype(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = args[0] if args else kwargs.get("d")
    if not isinstance(given, DType):
        m.gap("torch.set_default_dtype", node, "the type is not known")
    elif not given.is_float:
        raise m.raised("TypeError", f"only floating-point types are supported as the default type, and this is {given!r}", node, "set_default_dtype/dtype")
    else:
        m.remember(m.session, "default_float", m.session.default_float)
        m.session.default_float = given


_LOSS_OPTIONS = {"allow_retain_graph": False, "batch_chunk_size": None, "chunking_method": "auto", "acc_policy": "auto", "acc_dtype": None}


def _loss_options(m: Machine, args: tuple[Value, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
    """torch.nn.LinearCrossEntropyOptions: how the loss is cut into pieces, which changes no shape."""
    fields = {**_LOSS_OPTIONS, **dict(zip(_LOSS_OPTIONS, args)), **kwargs}
    rows, policy = fields["batch_chunk_size"], fields["acc_policy"]
    known = len(args) <= len(_LOSS_OPTIONS) and fields.keys() <= _LOSS_OPTIONS.keys()
    m.require("call/arguments", known, f"LinearCrossEntropyOptions takes {', '.join(_LOSS_OPTIONS)}", node)
    if is_size(rows):
        m.require("linear_cross_entropy/options", ge(rows, 1), f"batch_chunk_size must be at least 1, and is {rows!r}", node)
    if isinstance(policy, str):
        named = policy in ("auto", "accurate", "balanced", "compact")
        m.require("linear_cross_entropy/options", named, f"acc_policy {policy!r} must be auto, accurate, balanced or compact", node)
    return Model("torch.nn.LinearCrossEntropyOptions", m.heap.space(fields))


def _fused(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """fuse_conv_bn_eval and fuse_linear_bn_eval: a layer with a bias stays as it is."""
    layer, norm = args[0] if args else kwargs.get("conv", kwargs.get("linear")), args[1] if len(args) > 1 else kwargs.get("bn")
    if not isinstance(layer, Layer) or not isinstance(norm, Layer):
        return m.gap("torch.nn.utils.fusion", node, "the layers are not known")
    training = conj(*(negate(m.truth(m.attribute(one, "training", node), node)) for one in (layer, norm)))
    m.demand("AssertionError", training, "layers are fused in evaluation mode only: call eval() before", node)
    weight, bias, mean = m.attribute(layer, "weight", node), m.attribute(layer, "bias", node), m.attribute(norm, "running_mean", node)
    if isinstance(weight, TensorType) and isinstance(mean, TensorType) and weight.shape.known and mean.shape.known:
        kind = "AssertionError" if len(weight.shape) == 2 else "RuntimeError"
        m.demand(kind, eq(weight.shape[0], mean.shape[0]), f"a layer with the weight {weight.shape!r} and {mean.shape!r} do not fuse", node)
    return layer if isinstance(bias, TensorType) else m.gap("torch.nn.utils.fusion", node, "the layer gets a bias")


def _set(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """x.set_(y): x is what y is, in its memory."""
    x, *given = (*args, *kwargs.values())
    if len(given) != 1 or not isinstance(given[0], TensorType):
        return m.gap("torch.Tensor.set_", node, "of a storage") if given else x
    m.set_attribute(x, "data", given[0], node)
    return x


_CONTEXTS = (
    "torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly", "torch.cuda.device", "torch.random.fork_rng",
    "torch.backends.cuda.sdp_kernel", "torch.nn.attention.sdpa_kernel", "torch.profiler.record_function", "torch.autograd.profiler.record_function",
)  # fmt: skip


FUNCTIONS: dict[str, Run] = {
    "torch.unbind": _unbind, "torch.Tensor.unbind": _unbind, "torch.nn.LinearCrossEntropyOptions": _loss_options, "torch.Tensor.as_subclass": kept,
    "torch.Tensor.set_": _set,
    **dict.fromkeys(_CONTEXTS, _context), "torch.device": _device, "torch.Tensor.backward": backward, "torch.Tensor.item": _item,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.utils.checkpoint.checkpoint_sequential": _checkpoint_sequential, "torch.is_tensor": _is_tensor, "torch.Tensor.register_hook": register_hook,
    "torch.Tensor.register_post_accumulate_grad_hook": register_later_hook,
    "torch.Tensor.retain_grad": retain_grad, "torch.get_default_dtype": lambda m, a, k, n: m.session.default_float, "torch.set_default_dtype": _default_dtype,
    "torch.Generator": lambda m, a, k, n: Model("torch.Generator", m.heap.space()),
    **{f"torch.nn.utils.{home}fuse_{kind}_bn_eval": _fused for home in ("fusion.", "") for kind in ("conv", "linear")},
}  # fmt: skip
KINDS = {
    "torch.nn.LinearCrossEntropyOptions": KindModel(passed=True, open=True),
    "torch.Generator": KindModel(attribute=lambda m, me, name, n: Device("cpu") if name == "device" else MISSING, passed=True),
}  # fmt: skip
