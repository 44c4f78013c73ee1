"""Masks that travel with tensors: an Embedding with mask_zero and a Masking layer make one, layers that support masking pass it on.

Kept by the identity of a tensor, as Keras keeps it on the tensor itself.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.results.facts import facts
from tensorproof.terms import BOOL, Shape, TensorType
from tensorproof.values import Args, Bound, Function, Instance, Kwargs, Layer, List, Machine, Model, Value

MASKS = "keras masks"
_PASS, _RECURRENT, _MERGED = (frozenset(f"keras.layers.{name}" for name in facts("keras/masks")[word].split()) for word in ("pass", "recurrent", "merged"))


def of(m: Machine, value: Value) -> Any:
    """The mask of a tensor, or of the tensors of a list; None when there is none."""
    known = m.model_state.get(MASKS)
    if not known:
        return None
    if isinstance(value, TensorType):
        found = known.get(id(value))
        return found[1] if found is not None and found[0] is value else None
    if isinstance(value, (List, tuple)):
        inner = [of(m, v) for v in (value.items if isinstance(value, List) else value)]
        return None if all(v is None for v in inner) else List(m.heap.row(inner)) if isinstance(value, List) else tuple(inner)
    return None


def put(m: Machine, tensor: TensorType, mask: Value) -> None:
    if isinstance(mask, TensorType):
        m.model_state.setdefault(MASKS, {})[id(tensor)] = (tensor, mask if mask.graph is None else mask.but(graph=None))


def carry(m: Machine, old: TensorType, new: TensorType) -> TensorType:
    """A tensor in another dress has the same mask."""
    if old is not new and MASKS in m.model_state:
        put(m, new, of(m, old))
    m.path.same(old, new)
    return new


def after(m: Machine, layer: Any, args: Args, kwargs: Kwargs, result: Value, node: ast.AST) -> None:
    """The masks of a layer's results."""
    out = result[0] if isinstance(result, tuple) and result else result
    first = args[0] if args else next(iter(kwargs.values()), None)
    if isinstance(layer, Instance):
        _own(m, layer, first, kwargs, out, node)
        return
    if not isinstance(out, TensorType) or not out.shape.known:
        return
    name = layer.module.name if isinstance(layer, Layer) and layer.module is not None else layer.kind if isinstance(layer, Model) else ""
    if name == "keras.layers.Embedding" and isinstance(first, TensorType):
        if layer.module.arguments.get("mask_zero") is True:
            put(m, out, first.but(dtype=BOOL, framework="tf", taped=False, contents=None, weak=False))
        return
    if name == "keras.layers.Masking":
        put(m, out, out.but(shape=Shape(out.shape[:-1]), dtype=BOOL, framework="tf", taped=False, contents=None))
        return
    before = of(m, first)
    if before is None:
        return
    if name in _PASS and isinstance(before, TensorType):
        put(m, out, before)
    elif name in _RECURRENT and isinstance(before, TensorType):
        if len(out.shape) > 2:
            put(m, out, before)
    elif name in _MERGED and isinstance(before, (List, tuple)):
        inner = list(before.items) if isinstance(before, List) else list(before)
        if all(isinstance(v, TensorType) for v in inner):
            put(m, out, inner[0])
    elif name == "keras.layers.Concatenate" and isinstance(before, (List, tuple)):
        _joined(m, layer, first, before, out)


def _joined(m: Machine, layer: Layer, first: Value, before: Any, out: TensorType) -> None:
    """Concatenated along the features the mask stays; along time the masks follow each other."""
    axis, inner = layer.own.arguments.get("axis", -1), [v for v in (before.items if isinstance(before, List) else before) if isinstance(v, TensorType)]
    if isinstance(axis, int) and inner and inner[0].shape.known:
        at = axis % len(out.shape)
        shape = inner[0].shape
        put(m, out, inner[0] if at >= len(shape) else inner[0].but(shape=Shape((*shape[:at], out.shape[at], *shape[at + 1 :]))))


def _own(m: Machine, me: Instance, first: Value, kwargs: Kwargs, out: Value, node: ast.AST) -> None:
    """A layer of the program: its compute_mask, or the same mask where it says that it supports masking."""
    if not isinstance(out, TensorType) or of(m, out) is not None:
        return
    before = kwargs["mask"] if kwargs.get("mask") is not None else of(m, first)
    rule = m.in_class(me.cls, "compute_mask")
    if isinstance(rule, Function):
        names = [p.arg for p in rule.code.node.args.args]
        made = m.call(Bound(rule, me), (first, before)[: max(len(names) - 1, 1)], {}, node)
        put(m, out, made[0] if isinstance(made, tuple) and made else made)
    elif me.space.get("supports_masking") is True and isinstance(before, TensorType):
        put(m, out, before)


def given(m: Machine, names: list[str] | None, args: Args, kwargs: Kwargs) -> dict[str, Any]:
    """The masks that a layer's `call` gets for its arguments: `mask` for the first one, `NAME_mask` for the others."""
    if names is None or MASKS not in m.model_state:
        return {}
    bound = [*zip(names, args), *kwargs.items()]
    tensors = [(k, v) for k, v in bound if isinstance(v, (TensorType, List, tuple)) and k not in ("mask", "training") and not k.endswith("_mask")]
    known = {k for k, v in bound if v is not None}
    found: dict[str, Value] = {}
    if len(tensors) == 1 and "mask" in names and "mask" not in known:
        mask = of(m, tensors[0][1])
        if mask is not None:
            found["mask"] = mask
    elif len(tensors) > 1:
        for name, value in tensors:
            if f"{name}_mask" in names and f"{name}_mask" not in known:
                mask = of(m, value)
                if mask is not None:
                    found[f"{name}_mask"] = mask
    return found
