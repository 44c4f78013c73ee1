"""Keras' convolutions and pools."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.layers import FORMAT, activated, check_padding, computed, first, last, reach_of, word
from tensorproof.bindings.adapt.keras.weights import of_rank, sizes
from tensorproof.bindings.adapters import Run, Value, module_in, tensor_in
from tensorproof.terms import Dim, TensorType, eq, ge, maximum


def _entered(a: dict[str, Any], run: Run, causal: bool = False) -> tuple[int, TensorType]:
    """How many axes an input has beside its batch and channels, and the input with its channels right behind the batch."""
    n = int(run.row.op[-2])
    of_rank(module_in(a), tensor_in(a, "x"), n + 2)
    check_padding(run, a, n, causal)
    return n, first(run, tensor_in(a, "x"), a, n)


def conv(a: dict[str, Any], run: Run) -> TensorType:
    n, x = _entered(a, run, causal=True)
    kernel = module_in(a).parameters["kernel"]
    if a["padding"] != "valid" and x.shape.known and 0 in x.shape[2:]:
        raise run.give_up("an input without a place, of which TensorFlow's kernels make nothing with the input's channels")
    turned = computed(a, run, run("permute", x=kernel, dim=(n + 1, n, *range(n))))
    made = run(run.row.op, x=x, weight=turned, bias=_bias(a, run), stride=a["stride"], dilation=a["dilation"], groups=a["groups"], **reach_of(a, n))
    return activated(a, run, last(run, made, a, n))


def _bias(a: dict[str, Any], run: Run) -> TensorType | None:
    held = module_in(a).parameters.get("bias")
    return None if held is None else computed(a, run, held)


def depthwise(a: dict[str, Any], run: Run) -> TensorType:
    n, x = _entered(a, run)
    made = _depthwise(a, run, n, x, module_in(a).parameters["kernel"], _bias(a, run))
    return activated(a, run, last(run, made, a, n))


def _depthwise(a: dict[str, Value], run: Run, n: int, x: TensorType, kernel: TensorType, bias: TensorType | None = None) -> TensorType:
    *k, c, many = kernel.shape
    flat = run("reshape", x=run("permute", x=computed(a, run, kernel), dim=(n, n + 1, *range(n))), size=(c * many, 1, *k))
    run.require("channels", eq(x.shape[1], c), f"the layer was made for {c!r} channels and x has {x.shape[1]!r}", ("x",))
    return run(run.row.op, x=x, weight=flat, bias=bias, stride=a["stride"], dilation=a["dilation"], groups=c, **reach_of(a, n))


def separable(a: dict[str, Any], run: Run) -> TensorType:
    (n, x), held = _entered(a, run), module_in(a).parameters
    made = _depthwise(a, run, n, x, held["depthwise_kernel"])
    point = computed(a, run, run("permute", x=held["pointwise_kernel"], dim=(n + 1, n, *range(n))))
    made = run(run.row.op, x=made, weight=point, bias=_bias(a, run), **reach_of(a, n))
    return activated(a, run, last(run, made, a, n))


def transposed(a: dict[str, Any], run: Run) -> TensorType:
    """ "same" gives size · stride, "valid" at least the kernel's reach more; `output_padding` is added."""
    n, x = _entered(a, run)
    kernel = module_in(a).parameters["kernel"]
    run.require("channels", eq(x.shape[1], kernel.shape[-1]), f"the layer was made for {kernel.shape[-1]!r} channels and x has {x.shape[1]!r}", ("x",))
    extra = a["output_padding"]
    if isinstance(extra, (tuple, list)) and len(extra) != n:
        raise run.refuse("output_padding", f"output_padding must be one whole number or {n}, and is {extra!r}", ("output_padding",))
    for i, s in enumerate(sizes(a["stride"], n)):
        more = None if extra is None else sizes(extra, n)[i]
        if more is not None:
            run.require("output_padding", ge(s, more + 1), f"output_padding {more!r} must be less than the stride {s!r}", ("output_padding", "stride"))
    made = transposed_conv(run, run.row.op, x, kernel, {**a, "padding": a["padding"].lower()}, lambda v: computed(a, run, v), bias=_bias(a, run))
    return activated(a, run, last(run, made, a, n))


def transposed_conv(run: Run, op: str, x: TensorType, kernel: TensorType, a: dict[str, Value], cast: Any, **more: Value) -> TensorType:
    """The operator for channels behind the batch: what "same" cuts off the ends, and what is missing up to the size that Keras gives."""
    n = len(x.shape) - 2
    extra = a["output_padding"]
    if any(size == 0 for size in x.shape[1:]):
        raise run.give_up("an input without elements")
    cut: list[Dim] = []
    added: list[Dim] = []
    for i, (size, k, s, d) in enumerate(zip(x.shape[2:], kernel.shape[:n], sizes(a["stride"], n), sizes(a["dilation"], n), strict=True)):
        reach, given = d * (k - 1) + 1, None if extra is None else sizes(extra, n)[i]
        if a["padding"] == "same":
            beyond = s - reach if given is None else reach % 2 + given - reach
        else:
            beyond = maximum(s - reach, 0) if given is None else given
        wanted = (size - 1) * s + reach + beyond
        run.require("size", ge(wanted, 0), f"the result would have an axis of size {wanted!r}", ("x",))
        if wanted == 0:
            raise run.give_up("a result without elements")
        cut.append(maximum(-beyond, 0))
        added.append(maximum(beyond, 0))
    begin = tuple(c // 2 for c in cut)
    weight = run("permute", x=cast(kernel), dim=(n + 1, n, *range(n)))
    end = tuple(c - b for c, b in zip(cut, begin))
    window = {"stride": listed(a["stride"]), "dilation": listed(a["dilation"]), "padding": begin, "padding_end": end, "output_padding": tuple(added)}
    return run(op, x=x, weight=weight, **window, **more)


def pool(a: dict[str, Any], run: Run) -> TensorType:
    n, x = _entered(a, run)
    stride = a["stride"] if a["stride"] is not None else a["kernel"]
    padding = "same" if a["padding"].lower() == "same" else 0
    own = {"count_include_pad": False} if run.row.op.startswith("avg") else {}
    made = run(run.row.op, x=x, kernel=listed(a["kernel"]), stride=listed(stride), padding=padding, **own)
    return last(run, made, a, n)


def listed(value: Value) -> Value:
    return tuple(value) if isinstance(value, list) else value


def global_pool(a: dict[str, Any], run: Run) -> TensorType:
    n = int(run.row.name[-2])
    of_rank(module_in(a), tensor_in(a, "x"), n + 2)
    begin = 2 if word(run, a, FORMAT) == "channels_first" else 1
    return run(run.row.op, x=a["x"], dim=tuple(range(begin, begin + n)), keepdim=a["keepdim"])


def adaptive_pool(a: dict[str, Any], run: Run) -> TensorType:
    n = int(run.row.op[-2])
    of_rank(module_in(a), tensor_in(a, "x"), n + 2)
    made = run(run.row.op, x=first(run, tensor_in(a, "x"), a, n), output_size=listed(a["output_size"]))
    return last(run, made, a, n)
