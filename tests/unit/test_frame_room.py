"""Deep calls find room in one block of frames."""

from __future__ import annotations

import resource

from tensorproof.frontends.python.frame_room import with_room


def _deep(n: int) -> int:
    return 0 if n == 0 else 1 + _deep(n - 1)


def _page_faults(n: int) -> int:
    _deep(n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(300):
        _deep(n)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@with_room
def _faults_with_room(n: int) -> int:
    """Its docstring is kept."""
    return _page_faults(n)


def test_calls_below_ask_for_no_memory() -> None:
    plain = max(map(_page_faults, range(300, 320)))
    roomy = max(map(_faults_with_room, range(300, 320)))
    assert plain >= 300, "frames are no longer kept in small blocks: the decorator is of no use"
    assert roomy < 300


def test_the_function_is_the_same() -> None:
    assert _faults_with_room.__doc__ == "Its docstring is kept."
    assert _faults_with_room.__name__ == "_faults_with_room"
