"""An operator over one or two spatial axes and its form with one more, of size one, give the same result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tensorproof.catalogue import find
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.ops.inputs import Tensor

_NAME = re.compile(r"(\w+?)([12])d")
_NEUTRAL = {"kernel_size": 1, "stride": 1, "padding": 0, "dilation": 1, "output_padding": 0, "output_size": 1, "kernel": 1}
"""What an argument with a number for each axis is along the further axis."""
_OF_LAYERS = ("in_channels", "out_channels", "padding_mode", "device", "dtype")


def _applies(api: Api) -> bool:
    found = _NAME.fullmatch(api.op)
    return found is not None and "._" not in api.name and not api.random and find(_further(api.op)) is not None and _images(api) is not None


def _further(op: str) -> str:
    found = _NAME.fullmatch(op)
    return f"{found.group(1)}{int(found.group(2)) + 1}d" if found else op


def _images(api: Api) -> tuple[str, ...] | None:
    """Their names of the tensors with spatial axes; None where a row has no plain arguments."""
    op = api.operators[0]
    rows = [a for row in api.rows for a in (*row.arguments, *(row.call_arguments or ()))]
    ours = {p.name for p in op.inputs if isinstance(p, Tensor) and p.name != "bias"}
    return tuple(dict.fromkeys(a.theirs for a in rows if a.ours in ours)) if {"transposed"}.isdisjoint(a.theirs for a in rows) else None


def _fixed(api: Api) -> dict[str, Any]:
    """What the public name itself sets."""
    return {name: value for row in api.rows[:1] for name, value in row.fixed.items() if name == "return_indices"}


def _wider(name: str, value: object, axes: int) -> Any:
    """An argument of the form with one more axis."""
    if name not in _NEUTRAL or value is None or isinstance(value, str):
        return value
    items = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    items = items * axes if len(items) == 1 else items
    return (_NEUTRAL[name], *items) if len(items) == axes else value


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    found = _NAME.fullmatch(call.api.op)
    given = {**_fixed(call.api), **(call.init or {}), **call.bound()}
    if found is None or given.get("padding_mode", "zeros") != "zeros" or ("output_size" in given and not call.api.op.startswith("adaptive")):
        return
    axes, images = int(found.group(2)), _images(call.api) or ()
    has_weight = call.init is not None and "conv" in call.api.op
    parts: list[str] = []
    for name, value in given.items():
        if name in _OF_LAYERS or (has_weight and name in ("kernel_size", "bias")):
            continue
        written = text(_wider(name, value, axes), dialect)
        parts.append(f"{name}={written}.unsqueeze({-axes - 1})" if isinstance(value, Input) and name in images else f"{name}={written}")
    if has_weight:
        parts += [f"weight=layer.weight.unsqueeze({-axes - 1})", "bias=layer.bias"]
    setup = call.setup(dialect) + (f"\n{call.expression(dialect)}" if "Lazy" in call.api.name else "")
    right = f"torch.nn.functional.{_further(call.api.op)}({', '.join(parts)})"
    yield Pair(call.expression(dialect), f"torch.utils._pytree.tree_map(lambda r: r.squeeze({-axes - 1}), {right})", setup)


RULE = Rule("more-axes", "api redundancy", "one or two spatial axes = one more of size one", ("torch",), _pairs, _applies, number=3, special=False)
