"""The arguments of a node as hyperparameters: their names, what the file says of them, and the node with another value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tensorproof.bindings.rows import Argument, rows
from tensorproof.catalogue import find
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.exported import name_of
from tensorproof.graph import Constant, Edge, Node
from tensorproof.ops.inputs import REQUIRED
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.records import replace

_ALSO = {
    "kernel": ("kernel_size", "ksize", "pool_size"), "stride": ("strides",), "dilation": ("dilations", "dilation_rate"), "groups": ("group",),
    "padding": ("pads",), "dim": ("axis",),
}  # fmt: skip
"""What other frameworks call an argument, by our name."""
_WINDOWS = ("strides", "ksize", "dilations")
"""The attributes of a GraphDef that have a number for each axis, of which those of the window are free."""
_SIDES = ("pads",)


def spelling_of(node: Node) -> str:
    return name_of(node) if node.framework == "aten" else ".".join(part for part in (node.framework, node.domain, node.spelling) if part)


def arguments(node: Node, opsets: Mapping[str, int]) -> Iterator[tuple[int, Argument, bool]]:
    """The arguments that the rows of a node's spelling name, with their positions and whether each is a tensor."""
    version = opsets.get(node.domain, 1)
    seen: set[str] = set()
    for row in rows(spelling_of(node)):
        if node.framework == "onnx" and not row.opsets[0] <= version <= row.opsets[1]:
            continue
        op = find(row.op)
        tensors = {one.name for one in op.inputs} if op is not None else set[str]()
        for position, argument in enumerate(row.arguments):
            if argument.theirs not in seen and not argument.theirs.startswith("_"):
                seen.add(argument.theirs)
                yield position, argument, argument.ours in tensors


def names_of(argument: Argument) -> tuple[str, ...]:
    """Their name first, then ours and those of other frameworks."""
    return tuple(dict.fromkeys((argument.theirs, argument.ours, *_ALSO.get(argument.ours, ()))))


def key_of(node: Node, position: int, argument: Argument) -> str:
    """Under which attribute the file keeps an argument: those of an exported program stand by position."""
    given = node.framework == "aten" and argument.theirs not in node.attributes and not argument.keyword_only
    positional = sum(key.isdecimal() for key in node.attributes)
    return str(position) if given and position < positional else argument.theirs


def given(node: Node, position: int, argument: Argument) -> Any:
    """What the file says of an argument, else its default."""
    return node.attributes.get(key_of(node, position, argument), None if argument.default is REQUIRED else argument.default)


def varied(node: Node, position: int, argument: Argument, value: Any, index: int | None, window: int) -> Node:
    """The node with another value for an argument; `window` is the number of axes of its window, for lists that the file leaves out."""
    before = given(node, position, argument)
    made = _spread(node, argument, before, value, index, window)
    return replace(node, attributes={**node.attributes, key_of(node, position, argument): made})


def _spread(node: Node, argument: Argument, before: Any, value: Any, index: int | None, window: int) -> Any:
    """One number for all axes of the window, or for the axis that is named."""
    if before is None and node.framework == "onnx" and window and isinstance(value, (int, Term)) and not isinstance(value, bool):
        before = (0 if argument.theirs in _SIDES else 1,) * (window * (2 if argument.theirs in _SIDES else 1))
    if isinstance(before, (tuple, list)):
        free = [index] if index is not None else _free(node, argument, len(before))
        return tuple(fitting(before[0], value) if at in free else one for at, one in enumerate(before))
    return fitting(before, value)


def _free(node: Node, argument: Argument, axes: int) -> list[int]:
    if node.framework != "graphdef" or argument.theirs not in _WINDOWS or axes < 3:
        return list(range(axes))
    form = node.attributes.get("data_format", "NHWC" if axes == 4 else "NDHWC")
    text = form.decode("latin-1") if isinstance(form, bytes) else str(form)
    return [at for at, letter in enumerate(text) if letter not in "NC"]


def fitting(before: Any, value: Any) -> Any:
    """The value in the type that the file has."""
    if isinstance(before, DType) and isinstance(value, str) and value in BY_LABEL:
        return BY_LABEL[value]
    if isinstance(before, bytes) and isinstance(value, str):
        return value.encode()
    if isinstance(value, bool) and type(before) is int:
        return int(value)
    return value


def refuse(name: str, before: Any, values: tuple[Any, ...]) -> None:
    """Raise `BadInput` where the values are of another type than what the file has."""
    one = before[0] if isinstance(before, (tuple, list)) and before else before
    for value in values:
        fits = {
            bool: isinstance(value, (bool, int)),
            int: isinstance(value, int),
            float: isinstance(value, (int, float)) and not isinstance(value, bool),
            str: isinstance(value, str),
            bytes: isinstance(value, str),
        }.get(type(one), True)
        if isinstance(one, DType):
            fits = isinstance(value, str) and value in BY_LABEL
        if not fits:
            shown = one.label if isinstance(one, DType) else one.decode("latin-1") if isinstance(one, bytes) else one
            raise BadInput(f"the parameter {name} has the value {value}, and the model has {shown} there: the types must fit")


def elements(value: Constant, made: Any, index: int | None) -> Constant | None:
    """A small constant with another element, or with all of them other."""
    before = value.contents()
    if before is None or (index is not None and index >= len(before)):
        return None
    changed = tuple(made if index is None or at == index else one for at, one in enumerate(before))
    return Constant(value.dtype, value.shape, values=changed)


def window_of(node: Node, weight: tuple[Dim, ...] | None) -> int:
    """How many axes the window of a node has."""
    if weight is not None and len(weight) > 2:
        return len(weight) - 2
    kernel = node.attributes.get("kernel_shape")
    return len(kernel) if isinstance(kernel, tuple) else 0


def edge_of(node: Node, position: int) -> Edge | None:
    """The value that a node reads for an argument."""
    if node.framework == "aten":
        found = node.attributes.get(str(position))
        return found if isinstance(found, Edge) else None
    return node.inputs[position] if position < len(node.inputs) else None
