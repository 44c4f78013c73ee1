"""What `check` says of programs in which something unseen stands before a certain bug, while the package is absent."""

from __future__ import annotations

import pytest

from tests.partial.programs import Case, answer, cases

MISSED = {"configs: A config that a function reads"}
"""Bugs that are not found yet: the list may only shrink."""


@pytest.mark.parametrize("case", cases(), ids=lambda c: f"{c.title} {'wrong' if c.bug else 'right'}")
def test_bug_is_found_at_its_line_and_the_right_program_has_no_alarm(case: Case) -> None:
    got = answer(case)
    if not case.bug:
        assert got.kind in ("proved", "unknown"), got.said
    elif case.title in MISSED:
        assert got.kind == "unknown", f"take it from MISSED: {got.said}"
    else:
        assert got.kind == "found", got.said
    assert got.named, got.said
