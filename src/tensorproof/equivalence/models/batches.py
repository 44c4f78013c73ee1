"""Where the examples of a batch lie in the arguments of a call, by what the catalogue says of its operator."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from tensorproof.bindings.rows import Row
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.inference import result_shapes
from tensorproof.ops.inputs import REQUIRED
from tensorproof.ops.record import Op
from tensorproof.terms.shapes import Shape

_SWITCHES = ("training", "train", "is_training", "stateful")
_AXES = frozenset({"axis", "axes", "dim", "dims"})
_WHOLE_BATCHES = ("keras.layers.", "keras.losses.")
"""Where the first axis of every tensor has the examples."""
_WEIGHTS = frozenset({"weight", "pos_weight"})


@dataclass(frozen=True, slots=True)
class Batch:
    """`axes`: the axis of the examples in each input that has them. `results`: that axis in each result; one number for one tensor."""

    size: int
    axes: dict[str, int]
    results: Any
    reduction: str = ""
    """"none", "sum" or "mean", of a loss."""


def may_have(api: Api) -> bool:
    """Whether calls may have a batch."""
    if api.random or api.in_place or not api.operators:
        return False
    op = api.operators[0]
    return api.name.startswith(_WHOLE_BATCHES) or (_one_operator(api) and (op.order == "like" or _leads(op) or _has(op, "batch_first")))


def _one_operator(api: Api) -> bool:
    return len(api.operators) == 1 and not api.operators[0].data_dependent


def _leads(op: Op) -> bool:
    """Whether N is the first of several axes."""
    first = op.inputs[0] if op.inputs else None
    return any(alternative.split()[:1] == ["N"] and len(alternative.split()) > 1 for alternative in getattr(first, "layout", "").split("|"))


def _has(op: Op, attribute: str) -> bool:
    return any(a.name == attribute for a in op.attributes)


def batch_of(call: Call) -> Batch | None:
    """The batch of a call; None where there is none, or it has less than two examples."""
    found = _supposed(call)
    if found is None:
        return None
    whole, part = result_shapes(call, {}), result_shapes(call, _of_one(call, found))
    results = _axes(whole, part, found.size)
    if found.reduction not in ("", "none"):
        return found if whole == part == () else None
    return None if results is None else replace(found, results=results)


def _of_one(call: Call, batch: Batch) -> dict[str, tuple[int, ...]]:
    """The shapes of inputs that have one example."""
    return {name: (*call.inputs[name].shape[:axis], 1, *call.inputs[name].shape[axis + 1 :]) for name, axis in batch.axes.items()}


def _axes(whole: object, part: object, size: int) -> Any:
    """The axis of each result that has the examples, by the shapes for all examples and for one; None where a result has none."""
    if isinstance(whole, list) and isinstance(part, list) and len(whole) == len(part):
        parts = tuple(_axes(a, b, size) for a, b in zip(whole, part))
        return None if None in parts else parts
    if not isinstance(whole, tuple) or not isinstance(part, tuple) or len(whole) != len(part):
        return None
    differ = [i for i, (a, b) in enumerate(zip(whole, part)) if a != b]
    return differ[0] if len(differ) == 1 and (whole[differ[0]], part[differ[0]]) == (size, 1) else None


def _supposed(call: Call) -> Batch | None:
    """By the arguments alone."""
    row = call.row
    if row is None or call.written:
        return None
    given = _given(call, row)
    names = {name: value.name for name, value in given.items() if isinstance(value, Input) and value.storage == "strided"}
    if any(given.get(name) is True for name in _SWITCHES) or _on_first_axis(given, call):
        return None
    if call.api.name.startswith(_WHOLE_BATCHES):
        return _keras(call, given)
    op = call.api.operators[0]
    if set(names.values()) != set(call.inputs) or not names:
        return None
    shapes = {name: call.inputs[theirs].shape for name, theirs in names.items()}
    if _has(op, "batch_first"):
        if "batch_first" not in given:  # a layer inside of this one has it
            return None
        return _sequences(given, shapes, names)
    return _first_axis(op, row, given, shapes, names)


def _given(call: Call, row: Row) -> dict[str, Any]:
    """All arguments by our names, with defaults."""
    every = (*row.arguments, *(row.call_arguments or ()))
    made = {a.ours: a.default for a in every if a.default is not REQUIRED}
    ours = {a.theirs: a.ours for a in every}
    return {**made, **row.fixed, **{ours.get(name, name): value for name, value in {**(call.init or {}), **call.bound()}.items()}}


def _on_first_axis(given: dict[str, Any], call: Call) -> bool:
    """Whether the call works along the first axis."""
    rank = min((len(x.shape) for x in call.inputs.values()), default=0)
    for name, value in given.items():
        values = list(value) if isinstance(value, (tuple, list, Shape)) else [value]
        if name in _AXES and (value is None or any(isinstance(v, int) and (v == 0 or v <= -rank) for v in values)):
            return True
    return False


def _first_axis(op: Op, row: Row, given: dict[str, Any], shapes: dict[str, tuple[int, ...]], names: dict[str, str]) -> Batch | None:
    first = op.inputs[0].name
    if first not in shapes or not shapes[first] or shapes[first][0] < 2 or not _is_batched(op, row, given, first, len(shapes[first])):
        return None
    size = shapes[first][0]
    reduction = _reduction(given)
    axes: dict[str, int] = {}
    for name, shape in shapes.items():
        split = _is_split(op, name, shape, shapes[first], bool(reduction))
        if split is None:
            return None
        if split:
            axes[names[name]] = 0
    if reduction == "mean" and (any(given.get(name) is not None for name in _WEIGHTS) or given.get("ignore_index", -100) != -100):
        return None
    return Batch(size, axes, 0, reduction)


def _is_batched(op: Op, row: Row, given: dict[str, Any], first: str, rank: int) -> bool:
    if op.name == "batch_norm":
        return given.get("track_running_stats") is not False and given.get("running_mean", "") is not None
    ranks = [int(n) for n in re.findall(r"\d+", row.ranks.get(first, ""))]
    if ranks and rank < max(ranks):
        return False
    if "reduction" in given:
        return _has_examples(op, first, rank)
    return op.order == "like" or _layout(op, first, rank)[:1] == ["N"]


def _is_split(op: Op, name: str, shape: tuple[int, ...], first: tuple[int, ...], is_loss: bool) -> bool | None:
    """Whether an input has the examples; None where that is unknown."""
    if op.order == "like":
        return True if shape == first else None
    layout = _layout(op, name, len(shape))
    if name in _WEIGHTS and is_loss:
        return len(shape) == len(first) and shape[:1] == first[:1]
    if is_loss:
        return True if shape[:1] == first[:1] and (len(shape) == len(first) or _holds_classes(op, name) or layout[:1] not in ([], ["..."])) else None
    if layout[:1] in ([], ["..."], ["_"]):
        return None if shape[:1] == first[:1] else False
    return layout[0] == "N"


def _reduction(given: dict[str, Any]) -> str:
    """Some functions number the reductions."""
    value = given.get("reduction", "")
    return {0: "none", 1: "mean", 2: "sum"}.get(value, "") if isinstance(value, int) else str(value)


def _has_examples(op: Op, name: str, rank: int) -> bool:
    """Of a loss: whether the first axis holds examples. A loss of classes needs one more for them."""
    layout = _layout(op, name, rank)
    return layout[:1] == ["N"] or (layout[:1] == ["..."] and len(layout) <= rank)


def _holds_classes(op: Op, name: str) -> bool:
    return any(i.name == name and getattr(i, "values", "").startswith("index") for i in op.inputs)


def _layout(op: Op, name: str, rank: int) -> list[str]:
    """The axes of an input of that rank."""
    for i in op.inputs:
        if i.name == name:
            for alternative in getattr(i, "layout", "").split("|"):
                words: list[str] = alternative.split()
                if len(words) == rank or ("..." in words and rank >= len(words) - 1):
                    return words
    return []


def _sequences(given: dict[str, Any], shapes: dict[str, tuple[int, ...]], names: dict[str, str]) -> Batch | None:
    """Recurrent layers, attention and transformers; masks are left out."""
    axis = 0 if given.get("batch_first") else 1
    if any(len(shape) != 3 or "mask" in name or "weight" in name for name, shape in shapes.items()):
        return None
    size = next(iter(shapes.values()))[axis]
    if size < 2:
        return None
    states = {name for name in shapes if name in ("hx", "cx")}
    return Batch(size, {names[name]: 1 if name in states else axis for name in shapes}, axis)


def _keras(call: Call, given: dict[str, Any]) -> Batch | None:
    """Layers and losses of Keras."""
    sizes = {x.shape[:1] for x in call.inputs.values()}
    if len(sizes) != 1 or () in sizes:
        return None
    (size,) = sizes.pop()
    reduction = given.get("reduction", "")
    if size < 2 or (reduction not in ("", "sum", "none", None) and given.get("weight") is not None):
        return None
    return Batch(size, dict.fromkeys(call.inputs, 0), 0, reduction if reduction in ("", "none", "sum") else "none" if reduction is None else "mean")
