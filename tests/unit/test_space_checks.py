"""Vectors that no path covers are unknown, and what is not known never hides what is."""

from __future__ import annotations

from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.checks import NOT_FOLLOWED, checks_of
from tensorproof.engines.space.counting import count
from tensorproof.engines.space.parameters import Parameter
from tensorproof.ops.record import Requirement
from tensorproof.terms.predicates import eq, le
from tensorproof.values.path import Path, Stated

HERE = Span("f.py", 1, 1, 1, 1)
K = Parameter("k", tuple(range(1, 11)))


def test_vectors_that_no_path_covers_are_unknown() -> None:
    paths = [Path(facts=(eq(K.term, 1),)), Path(facts=(eq(K.term, 2),))]
    checks = checks_of(paths, frozenset([K.atom])).order
    assert [c.cause for c in checks] == [NOT_FOLLOWED]
    assert count([K], checks).counts == {-1: 2, 0: 8}


def test_paths_that_cover_all_leave_nothing() -> None:
    paths = [Path(facts=(le(K.term, 4),)), Path(facts=(le(5, K.term),))]
    assert checks_of(paths, frozenset([K.atom])).order == [] or count([K], checks_of(paths, frozenset([K.atom])).order).valid == 10


def test_a_broken_requirement_comes_before_what_is_not_known() -> None:
    path = Path(stated=[Stated(Requirement("a/b", le(K.term, 4), ""), HERE)], gaps=[Gap("foo", HERE)])
    checks = checks_of([path], frozenset([K.atom])).order
    found = count([K], checks)
    assert [c.cause.unknown for c in checks] == [False, True] and found.counts == {0: 6, 1: 4}
