"""An operator is a function of numbers with a reference function some day, or its declaration says why it is none."""

from __future__ import annotations

from tensorproof.catalogue import find
from tensorproof.catalogue.where import WHERE

REASONS = {"memory", "text", "file", "handle", "type", "program", "form"}


def test_opaque_operators_say_why_and_have_no_reference_function() -> None:
    found = {name: op for name in WHERE if (op := find(name)) is not None and op.opaque}
    assert {op.opaque for op in found.values()} <= REASONS
    assert [name for name, op in found.items() if op.evaluate is not None] == []
