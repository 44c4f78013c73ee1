"""Tables by kind of value."""

from __future__ import annotations

from typing import TypeVar

Row = TypeVar("Row")


class Kinds(dict[type, Row]):
    """What is done with a value of each class: a class without a row takes that of its nearest base, and any other the last."""

    def __init__(self, rows: dict[type, Row], other: Row) -> None:
        super().__init__(rows)
        self.other = other

    def __missing__(self, kind: type) -> Row:
        found = next((self[base] for base in kind.__mro__[1:] if base in self), self.other)
        self[kind] = found
        return found
