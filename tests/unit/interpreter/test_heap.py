"""Memory with its log: writes to what is older than a mark can be undone, and taken as a difference that is written again."""

from __future__ import annotations

from tensorproof.values.heap import ITEMS, MISSING, ORDER, Heap


def test_without_a_mark_nothing_is_logged() -> None:
    heap = Heap()
    space = heap.space({"a": 1})
    heap.set(space, "a", 2)
    assert (space, heap.log) == ({"a": 2}, [])


def test_undo_brings_back_values_and_absent_keys() -> None:
    heap = Heap()
    space = heap.space({"a": 1, "b": 2})
    mark = heap.mark()
    heap.set(space, "a", 5)
    heap.set(space, "c", 6)
    heap.delete(space, "b")
    heap.undo(mark)
    assert space == {"a": 1, "b": 2}


def test_what_is_younger_than_the_mark_is_not_logged() -> None:
    heap = Heap()
    mark = heap.mark()
    young = heap.space({"a": 1})
    heap.set(young, "a", 2)
    assert heap.log == []
    heap.undo(mark)
    assert young == {"a": 2}


def test_a_difference_is_written_again_after_an_undo() -> None:
    heap = Heap()
    space, row = heap.space({"a": 1}), heap.row([1, 2])
    mark = heap.mark()
    heap.set(space, "a", 5)
    heap.set(space, "b", 7)
    heap.touch(row)
    row.append(3)
    difference = heap.difference(mark)
    assert difference.values == {(id(space), "a"): 5, (id(space), "b"): 7, (id(row), ITEMS): (1, 2, 3)}
    heap.undo(mark)
    assert (space, row) == ({"a": 1}, [1, 2])
    heap.apply(difference)
    assert (space, row) == ({"a": 5, "b": 7}, [1, 2, 3])


def test_before_says_what_stood_at_the_mark() -> None:
    heap = Heap()
    space = heap.space({"a": 1})
    mark = heap.mark()
    heap.set(space, "a", 2)
    heap.set(space, "a", 3)
    heap.set(space, "b", 4)
    assert heap.before(mark) == {(id(space), "a"): 1, (id(space), "b"): MISSING}


def test_the_order_of_a_dict_is_undone_too() -> None:
    heap = Heap()
    entries = heap.entries({"a": 1, "b": 2})
    mark = heap.mark()
    heap.delete(entries, "a")
    heap.set(entries, "a", 3)
    assert list(entries) == ["b", "a"]
    assert heap.difference(mark).values[(id(entries), ORDER)] == ("b", "a")
    heap.undo(mark)
    assert list(entries) == ["a", "b"]


def test_what_an_inner_mark_wrote_belongs_to_the_outer_one_when_it_is_closed() -> None:
    heap = Heap()
    space = heap.space({"a": 1})
    outer = heap.mark()
    inner = heap.mark()
    heap.set(space, "a", 2)
    heap.close(inner)
    assert space == {"a": 2}
    heap.undo(outer)
    assert space == {"a": 1}


def test_the_innermost_branch_is_found_by_the_clock() -> None:
    heap = Heap()
    first = heap.mark(1)
    heap.mark(0)  # memory is only watched
    assert heap.branch_since(0) == 1
    assert heap.branch_since(first.clock) == 0
    heap.mark(2)
    assert heap.branch_since(first.clock) == 2
