"""Calls that move a window over an image: convolutions and pools of TensorFlow and Keras, functions and layers alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tensorproof.bindings.rows import Row
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect

_DEPTHWISE = ("epthwise", "eparable")


@dataclass(frozen=True, slots=True)
class Windows:
    """The geometry of one call with the channels last. `theirs` are the names of its arguments by ours."""

    x: str
    weight: str
    shape: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: str
    theirs: Mapping[str, str]

    @property
    def axes(self) -> int:
        return len(self.kernel)

    def same(self) -> list[list[int]]:
        """The padding before and after each axis that "same" stands for."""
        found = [[0, 0]]
        for n, k, s, d in zip(self.shape[1:-1], self.kernel, self.stride, self.dilation):
            total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            found.append([total // 2, total - total // 2])
        return [*found, [0, 0]]


def is_windowed(api: Api) -> bool:
    """Whether its rows have the arguments of a window."""
    return any({"padding", "stride"} <= {a.ours for a in row.arguments} and {"weight", "kernel"} & {a.ours for a in row.arguments} for row in api.rows)


def is_transposed(api: Api) -> bool:
    return "ranspose" in api.name


def is_depthwise(api: Api) -> bool:
    return any(part in api.name for part in _DEPTHWISE)


def _fits(row: Row, call: Call) -> bool:
    arguments = row.arguments if row.call_arguments is None else row.call_arguments
    names = {a.theirs for a in arguments}
    return len(call.args) <= len(arguments) and set(call.kwargs) <= names and (call.init is None or set(call.init) <= {a.theirs for a in row.arguments})


def by_our_names(call: Call) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments by our names, and their names by ours."""
    row = next((r for r in call.api.rows if _fits(r, call)), None)
    if row is None:
        return {}, {}
    arguments = [*(row.call_arguments or ()), *row.arguments]
    given = {**dict(zip([a.theirs for a in arguments], call.args)), **(call.init or {}), **call.kwargs}
    return {a.ours: given.get(a.theirs, a.default) for a in arguments}, {a.ours: a.theirs for a in arguments}


def windows(call: Call) -> Windows | None:
    """None for calls that are not understood: channels first, strides over the batch."""
    bound, theirs = by_our_names(call)
    x, weight, padding = bound.get("x"), bound.get("weight"), bound.get("padding")
    if not isinstance(x, Input) or not isinstance(padding, str) or x.name not in call.inputs or "C" in str(bound.get("data_format") or "")[:2]:
        return None
    if bound.get("data_format") == "channels_first" or (bound.get("groups") or 1) != 1:
        return None
    shape = call.inputs[x.name].shape
    axes = len(shape) - 2
    if axes < 1 or 0 in shape:
        return None
    if isinstance(weight, Input):
        kernel: Any = call.inputs[weight.name].shape[:axes]
    else:
        kernel = _spread(bound.get("kernel"), axes)
    stride = kernel if bound.get("stride") is None and weight is None else _spread(bound.get("stride"), axes)
    dilation = _spread(bound.get("dilation"), axes)
    if kernel is None or stride is None or dilation is None or not all(kernel) or not all(stride) or not all(dilation):
        return None
    return Windows(x.name, weight.name if isinstance(weight, Input) else "", shape, tuple(kernel), stride, dilation, padding, theirs)


def _spread(value: object, axes: int) -> tuple[int, ...] | None:
    """One number for each axis of the image."""
    if isinstance(value, int):
        return (value,) * axes
    if not isinstance(value, (tuple, list)):
        return (1,) * axes if value is None else None
    sizes = tuple(value)
    if not all(isinstance(n, int) for n in sizes):
        return None
    if len(sizes) == axes + 2:
        return sizes[1:-1] if sizes[0] == sizes[-1] == 1 else None
    return sizes * axes if len(sizes) == 1 else sizes if len(sizes) == axes else None


def changed(call: Call, dialect: Dialect, given: Mapping[str, Any], x: str, weight: str = "", name: str = "", weights: str = "layer.get_weights()") -> str:
    """The call with other arguments (by their names), on other texts for its image and its weights. A layer is made again with the first one's weights."""
    api = call.api if not name else Api(name, ())
    bound, _ = by_our_names(call)
    names = {bound["x"].name: "image", **({bound["weight"].name: "kernel"} if isinstance(bound.get("weight"), Input) else {})}
    if call.init is None:
        args, kwargs = _with(call, given)
        made = call.but(api=api, args=args, kwargs=kwargs).expression(dialect, names)
        return f"image = {x}\n" + (f"kernel = {weight or bound['weight'].name}\n" if "kernel" in names.values() else "") + made
    other = call.but(init={**call.init, **given}, api=api)
    build = f"other = {other.setup(dialect).partition('layer = ')[2]}\nimage = {x}\nother.build(image.shape)\n"
    keep = f"{call.expression(dialect)}\n" if "layer" in weights else ""
    return keep + build + (f"other.set_weights({weights})\n" if weights else "") + call.expression(dialect, names, "other")


def _with(call: Call, given: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with some of them changed, each where it stands."""
    row = next(r for r in call.api.rows if _fits(r, call))
    places = {a.theirs: i for i, a in enumerate(row.arguments)}
    args, kwargs = list(call.args), dict(call.kwargs)
    for name, value in given.items():
        if places[name] < len(args):
            args[places[name]] = value
        else:
            kwargs[name] = value
    return tuple(args), kwargs
