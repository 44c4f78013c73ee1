"""Calls whose arguments fit together in ways that the generator does not draw: gradients with the shapes of what they belong to, factors with their pivots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tensorproof.bindings.rows import rows
from tensorproof.engines.generate.calls import GeneratedCall, evaluate, is_valid
from tensorproof.ops.sliding import fitting, greatest, same_padding
from tensorproof.terms.dtypes import COMPLEX128, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.conformance.fitting_numbers import NUMBERS
from tests.conformance.fitting_places import PLACED
from tests.conformance.fitting_sequences import SPELLED
from tests.conformance.fitting_windows import DEEP, WINDOWS

Drawn = tuple[tuple[Any, ...], dict[str, Any]]
"""Arguments by place and by name."""
Maker = Callable[[str, Random], Drawn]


def tensor(shape: Any, dtype: DType = FLOAT32, contents: Any = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def real(r: Random) -> DType:
    return r.choice((FLOAT32, FLOAT32, FLOAT64))


def numbers(r: Random, count: int) -> tuple[float, ...]:
    return tuple(round(r.uniform(-3, 3), 2) for _ in range(count))


class Windows:
    """A drawn window over images with their channels last."""

    def __init__(self, r: Random, n: int, dilated: bool = False, equal: bool = False) -> None:
        self.sizes = [r.randint(3, 6) for _ in range(n)]
        self.kernel = [r.randint(1, 3) for _ in range(n)]
        self.stride = [r.randint(1, 3)] * n if equal else [r.randint(1, 3) for _ in range(n)]
        self.dilation = [r.choice((1, 1, 2)) if dilated and all(s == 1 for s in self.stride) and k < 3 else 1 for k in self.kernel]
        self.padding = r.choice(("SAME", "VALID"))
        self.batch, self.channels = r.randint(1, 3), r.randint(1, 4)
        window = (self.kernel, self.stride, self.dilation)
        self.sides = same_padding(self.sizes, *window) if self.padding == "SAME" else [(0, 0)] * n
        self.counts = fitting([m + p + q for m, (p, q) in zip(self.sizes, self.sides)], *window)

    def images(self, channels: int | None = None) -> tuple[int, ...]:
        return (self.batch, *self.sizes, self.channels if channels is None else channels)

    def behind(self, channels: int | None = None) -> tuple[int, ...]:
        return (self.batch, *self.counts, self.channels if channels is None else channels)

    @property
    def words(self) -> dict[str, Any]:
        return {"ksize": [1, *self.kernel, 1], "strides": [1, *self.stride, 1], "padding": self.padding}


def _depth(name: str) -> int:
    return 3 if "3D" in name else 2


def max_pool_gradient(name: str, r: Random) -> Drawn:
    import numpy as np

    w, dtype = Windows(r, _depth(name)), real(r)
    x = numbers(r, int(np.prod(w.images())))
    front = np.moveaxis(np.array(x).reshape(w.images()), -1, 1)
    values = np.moveaxis(greatest(np, front, w.kernel, w.stride, w.dilation, w.sides, w.counts)[0], 1, -1)
    if dtype is FLOAT32:
        x, values = tuple(map(float, np.float32(x))), np.float32(values).astype(np.float64)
    return (tensor(w.images(), dtype, x), tensor(w.behind(), dtype, tuple(map(float, values.ravel()))), tensor(w.behind(), dtype)), w.words


def max_pool_positions(name: str, r: Random) -> Drawn:
    w = Windows(r, 2)
    return (tensor(w.images(), real(r)),), {**w.words, "include_batch_in_index": r.random() < 0.5}


def mean_pool_gradient(name: str, r: Random) -> Drawn:
    w = Windows(r, _depth(name))
    return (list(w.images()), tensor(w.behind(), real(r))), w.words


def conv_weight_gradient(name: str, r: Random) -> Drawn:
    deep = "Depthwise" in name
    w, out, dtype = Windows(r, _depth(name), dilated=_depth(name) == 2 and not deep, equal=deep), r.randint(1, 3), real(r)  # a deep one ignores dilations
    behind = w.behind(w.channels * out if deep else out)
    words = {"strides": [1, *w.stride, 1], "padding": w.padding, "dilations": [1, *w.dilation, 1]}
    return (tensor(w.images(), dtype), [*w.kernel, w.channels, out], tensor(behind, dtype)), words


def mirror_pad_gradient(name: str, r: Random) -> Drawn:
    mode = r.choice(("REFLECT", "SYMMETRIC"))
    sizes = [r.randint(2, 4) for _ in range(r.randint(1, 3))]
    pads = [[r.randint(0, n - (mode == "REFLECT")) for _ in range(2)] for n in sizes]
    return (tensor([n + b + e for n, (b, e) in zip(sizes, pads)], real(r)), pads), {"mode": mode}


def _slice(r: Random) -> tuple[list[int], tuple[list[int], list[int], list[int]], tuple[int, ...], dict[str, int]]:
    """A shape, the ends and strides of a slice of it, its shape, and masks."""
    import numpy as np

    sizes = [r.randint(2, 5) for _ in range(r.randint(1, 3))]
    begin = [r.randrange(n) for n in sizes]
    end = [r.randint(b + 1, n) for b, n in zip(begin, sizes)]
    strides = [r.choice((1, 1, 2)) for _ in sizes]
    masks = {name: r.choice((0, 0, 1, 2)) for name in ("begin_mask", "end_mask", "shrink_axis_mask")}
    bits = {name: [mask >> i & 1 for i in range(len(sizes))] for name, mask in masks.items()}
    index = tuple(
        begin[i] if bits["shrink_axis_mask"][i] else slice(None if bits["begin_mask"][i] else begin[i], None if bits["end_mask"][i] else end[i], strides[i])
        for i in range(len(sizes))
    )
    return sizes, (begin, [e if not s else b + 1 for b, e, s in zip(begin, end, bits["shrink_axis_mask"])], strides), np.zeros(sizes)[index].shape, masks


def strided_slice_gradient(name: str, r: Random) -> Drawn:
    sizes, ends, part, masks = _slice(r)
    return (sizes, *ends, tensor(part, real(r))), masks


def strided_slice_update(name: str, r: Random) -> Drawn:
    sizes, ends, part, masks = _slice(r)
    dtype = real(r)
    return (tensor(sizes, dtype), *ends, tensor(part, dtype)), masks


def slice_update(name: str, r: Random) -> Drawn:
    sizes = [r.randint(1, 5) for _ in range(r.randint(1, 3))]
    part = [r.randint(1, n) for n in sizes]
    dtype = real(r)
    return (tensor(sizes, dtype), [r.randint(0, n - m) for n, m in zip(sizes, part)], tensor(part, dtype)), {}


def scatter_rows(name: str, r: Random) -> Drawn:
    rows_, tail, dtype = r.randint(1, 5), [r.randint(1, 3) for _ in range(r.randint(0, 2))], r.choice((FLOAT32, FLOAT64, INT32))
    index = [r.randint(1, 3) for _ in range(r.randint(0, 2))]
    count = 1
    for n in index:
        count *= n
    places = tensor(index, INT32, tuple(r.randrange(rows_) for _ in range(count)))
    return (tensor([rows_, *tail], dtype), places, tensor([*index, *tail] if r.random() < 0.7 else [], dtype)), {}


def ldl_solve(name: str, r: Random) -> Drawn:
    n, dtype, lead = r.randint(1, 5), r.choice((FLOAT32, FLOAT64, FLOAT64, COMPLEX128)), [r.randint(1, 2)] * r.randint(0, 1)
    pivots: list[int] = []
    while len(pivots) < n:
        k = len(pivots)
        pivots += [-r.randint(k + 2, n)] * 2 if k + 1 < n and r.random() < 0.4 else [r.randint(k + 1, n)]
    places = tensor([*lead, n], INT32, tuple(pivots * (lead[0] if lead else 1)))
    return (tensor([*lead, n, n], dtype), places, tensor([*lead, n, r.randint(1, 3)], dtype)), {"hermitian": r.random() < 0.5}


def definite(name: str, r: Random) -> Drawn:
    import numpy as np

    n, dtype, lead = r.randint(1, 4), real(r), [r.randint(1, 2)] * r.randint(0, 1)
    half = np.array(numbers(r, n * n * (lead[0] if lead else 1))).reshape((*lead, n, n))
    x = np.round(np.matmul(half, np.swapaxes(half, -1, -2)) + np.eye(n), 2)
    return (tensor([*lead, n, n], dtype, tuple(map(float, x.ravel()))),), {"upper": r.random() < 0.5}


def scaled_product(name: str, r: Random) -> Drawn:
    n, k, m = (r.randint(1, 4) for _ in range(3))
    x, y = (r.choice((DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2)) for _ in range(2))
    scales = tensor([], FLOAT32, numbers(r, 1)), tensor([], FLOAT32, numbers(r, 1))
    return (tensor([n, 16 * k], x), tensor([16 * k, 16 * m], y), *scales), {"out_dtype": FLOAT32}


def recurrent(name: str, r: Random) -> Drawn:
    gates, dtype = {"torch.lstm": 4, "torch.gru": 3}.get(name, 1), real(r)
    hidden, features, levels, two, biased = r.randint(1, 3), r.randint(1, 3), r.randint(1, 2), r.random() < 0.5, r.random() < 0.7
    out = r.randint(1, hidden - 1) if gates == 4 and hidden > 1 and r.random() < 0.3 else hidden
    weights: list[TensorType] = []
    for level in range(levels):
        for _ in range(1 + two):
            taken = features if not level else out * (1 + two)
            shapes = [(gates * hidden, taken), (gates * hidden, out), *([(gates * hidden,)] * 2 if biased else []), *([(out, hidden)] if out != hidden else [])]
            weights += [tensor(shape, dtype) for shape in shapes]
    packed = r.random() < 0.4
    sizes = sorted((r.randint(1, 3) for _ in range(r.randint(1, 4))), reverse=True)
    steps, batch, first = len(sizes), sizes[0], r.random() < 0.5
    states = [tensor((levels * (1 + two), batch, size), dtype) for size in ((out, hidden) if gates == 4 else (out,))]
    hx = tuple(states) if gates == 4 else states[0]
    tail = (weights, biased, levels, 0.0, False, two)
    if packed:
        return (tensor((sum(sizes), features), dtype), tensor((steps,), INT64, tuple(sizes)), hx, *tail), {}
    return (tensor((batch, steps, features) if first else (steps, batch, features), dtype), hx, *tail, first), {}


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("torch.lstm", "torch.gru", "torch.rnn_tanh", "torch.rnn_relu"), recurrent),
    "torch.linalg.ldl_solve": ldl_solve,
    "torch._scaled_mm": scaled_product,
    "torch.linalg.cholesky_ex": definite,
    **PLACED,
    **SPELLED,
    **WINDOWS,
    **NUMBERS,
    **dict.fromkeys(("graphdef.MaxPoolGrad", "graphdef.MaxPool3DGrad"), max_pool_gradient),
    "graphdef.MaxPoolWithArgmax": max_pool_positions,
    **dict.fromkeys(("graphdef.AvgPoolGrad", "graphdef.AvgPool3DGrad"), mean_pool_gradient),
    **dict.fromkeys(("graphdef.Conv2DBackpropFilter", "graphdef.Conv3DBackpropFilterV2", "graphdef.DepthwiseConv2dNativeBackpropFilter"), conv_weight_gradient),
    "graphdef.MirrorPadGrad": mirror_pad_gradient,
    "graphdef.StridedSliceGrad": strided_slice_gradient,
    **dict.fromkeys(("graphdef.StridedSliceAssign", "graphdef.TensorStridedSliceUpdate"), strided_slice_update),
    "keras.ops.slice_update": slice_update,
    **{f"graphdef.Scatter{word}": scatter_rows for word in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")},
}  # fmt: skip


def maker_of(operator: str, spelling: str) -> Maker | None:
    """What makes the arguments of calls that fit together; None where the generator draws them well enough."""
    return DEEP.get(operator, {}).get(spelling) or MAKERS.get(spelling)


def fitting_calls(maker: Maker, spelling: str, count: int, seed: int) -> Iterator[GeneratedCall]:
    """Calls that fit together."""
    r = Random(f"{seed}{spelling}")
    for _ in range(3 * count):
        args, kwargs = maker(spelling, r)
        made = evaluate(GeneratedCall(rows(spelling)[0], args, kwargs))
        if is_valid(made.outcome):
            yield made
