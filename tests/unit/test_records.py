"""Our `dataclass` means what the standard library's means."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from tensorproof.terms import records


def make(module: Any) -> tuple[Any, ...]:
    @module.dataclass(frozen=True, slots=True)
    class Point:
        """A place."""

        x: int
        y: int = 2

        def sum(self) -> int:
            return self.x + self.y

    @module.dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = "n"
        y: int = 5

    @module.dataclass(slots=True)
    class Bag:
        items: list[int] = module.field(default_factory=list)
        total: int = module.field(init=False)

        def __post_init__(self) -> None:
            self.total = sum(self.items)

    @module.dataclass(slots=True, eq=False)
    class Same:  # a field may be called self
        self: int

    @module.dataclass(frozen=True, slots=True)
    class One:
        x: Any

        def __repr__(self) -> str:
            return "one"

    return Point, Named, Bag, Same, One


@pytest.mark.parametrize("module", [dataclasses, records])
def test_objects_hold_their_fields(module: Any) -> None:
    point, named, bag, _, one = make(module)
    assert (point(1).x, point(1, y=3).y, point(x=1, y=4).sum()) == (1, 3, 5)
    assert (named(1).y, named(1, 2, "z").name, named(1).sum(), isinstance(named(1), point)) == (5, "z", 6, True)
    assert bag([1, 2]).total == 3 and bag().items is not bag().items
    assert repr(bag([1])) == "make.<locals>.Bag(items=[1], total=1)" and repr(one(1)) == "one"
    assert point.__doc__ == "A place." and point.__match_args__ == ("x", "y") and not hasattr(point(1), "__dict__")
    assert module.replace(named(1), y=9) == named(1, 9) and module.replace(point(1)) == point(1) and module.replace(bag([1]), items=[4]).total == 4


@pytest.mark.parametrize("module", [dataclasses, records])
def test_equality_is_by_class_and_fields(module: Any) -> None:
    point, named, bag, same, one = make(module)
    nan = float("nan")
    assert point(1) == point(1, 2) and point(1) != point(2) and point(1) != named(1, 2) and hash(point(1)) == hash(point(1, 2))
    assert one(nan) == one(nan) and one(1) in {one(1): 0} and same(self=1) != same(self=1) and hash(same(1)) is not None
    assert bag([1]) == bag([1])
    with pytest.raises(TypeError):
        hash(bag())


@pytest.mark.parametrize("module", [dataclasses, records])
def test_what_is_frozen_cannot_be_changed(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_ENFORCED", True)
    point, *_ = make(module)
    with pytest.raises(AttributeError):
        point(1).x = 2
    with pytest.raises(AttributeError):
        del point(1).x
    for wrong in ((), (1, 2, 3)):
        with pytest.raises(TypeError):
            point(*wrong)
    assert copy.copy(point(1)) == copy.deepcopy(point(1)) == point(1)


@pytest.mark.parametrize("enforced", [False, True])
def test_many_objects_and_copies_are_as_the_first(enforced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_ENFORCED", enforced)
    point, named, bag, _, one = make(records)
    for at in range(50):
        assert (point(at).sum(), named(at, name="m").y, one(at).x, bag([at]).total) == (at + 2, 5, at, at)
        changed = records.replace(named(at, 7), name="c")
        assert changed == named(at, 7, "c") and type(changed) is named and records.replace(one(1), x=at) == one(at)
        assert records.replace(bag([1]), items=[at]).total == at
        for make_wrong in (lambda: point(), lambda: point(1, 2, 3), lambda: point(1, x=2), lambda: named(1, z=3)):
            with pytest.raises(TypeError):
                make_wrong()
        with pytest.raises((AttributeError, TypeError)):
            records.replace(named(at), absent=1)


def test_frozen_records_are_enforced_in_tests() -> None:
    from tensorproof.diagnostics.span import Span

    with pytest.raises(AttributeError):
        Span("a", 1, 2, 3, 4).line = 5  # type: ignore[misc]


def test_records_are_pickled() -> None:
    from tensorproof.diagnostics.span import Span

    assert pickle.loads(pickle.dumps(Span("a", 1, 2, 3, 4))) == Span("a", 1, 2, 3, 4)


def test_constructors_of_few_fields_are_those_of_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_ENFORCED", False)
    for module in (dataclasses, records):
        point, named, bag, *_ = make(module)
        assert (named(1).name, named(x=3, name="z").x, point(1, y=3).y, bag([2]).total) == ("n", 3, 3, 2)
        for made, args, kwargs in ((point, (), {}), (point, (1, 2, 3), {}), (point, (1,), {"z": 2}), (named, (1,), {"x": 1})):
            with pytest.raises(TypeError):
                made(*args, **kwargs)
