"""What nodes write into resource variables, for the program form: as the nodes do that write into variables without a handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.bindings.rows import rows
from tensorproof.graph import Node

if TYPE_CHECKING:
    from tensorproof.engines.shapes.propagate import Walk

_PLAIN = {"AssignVariableOp": "Assign", "AssignAddVariableOp": "AssignAdd", "AssignSubVariableOp": "AssignSub"}
_FAMILIES = ("ResourceApply", "ResourceSparseApply", "ResourceScatter")


def record(walk: Walk, node: Node) -> None:
    """Record a write, where the variable behind the handle is known. What the node requires of shapes is not stated here."""
    plain = _PLAIN.get(node.spelling) or (node.spelling.removeprefix("Resource") if node.spelling.startswith(_FAMILIES) else "")
    if not plain or not any(edge in walk.held for edge in node.inputs if edge is not None):
        return
    found = rows(f"graphdef.{plain}")
    if not found:
        return
    taken = {argument.theirs for row in found for argument in row.arguments}
    arguments = tuple(None if edge is None else walk.held.get(edge) or walk.value(edge) for edge in node.inputs)
    walk.apply(node, f"graphdef.{plain}", arguments, {key: value for key, value in node.attributes.items() if key in taken and isinstance(value, bool)})
