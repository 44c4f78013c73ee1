"""Operators applied one after the other, as formulas have them: `m("mul", x, m("exp", y))`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tensorproof.bindings.adapters import Run, Value, formula
from tensorproof.terms import DType, Shape, TensorType


class Steps:
    """Applies operators whose results have one element type, and one shape where it is given."""

    def __init__(self, run: Run, dtype: DType | None, shape: Shape | None = None) -> None:
        self.run = run
        self.dtype = dtype
        self.shape = shape

    def __call__(self, op: str, x: Value = None, y: Value = None, **more: Value) -> TensorType:
        given = {name: value for name, value in (("x", x), ("y", y)) if value is not None}
        return self.typed(op, self.dtype, **given, **more)

    def typed(self, op: str, *dtypes: DType | None, **arguments: Value) -> TensorType:
        if self.shape is None:
            return self.run.typed(op, *dtypes, **arguments)
        return self.run.shaped(op, self.shape, *dtypes, **arguments)

    def known(self, op: str, a: Mapping[str, Value]) -> dict[str, Value]:
        return self.run.known(op, a)

    def formula(self, a: Mapping[str, Value]) -> TensorType:
        """What the row spells with operators."""
        made: TensorType = formula(self.run, dict(a), self)
        return made

    @contextmanager
    def settled(self) -> Iterator[None]:
        """What operators require in here follows from what has been required before."""
        before = len(self.run.session.requirements)
        yield
        del self.run.session.requirements[before:]
