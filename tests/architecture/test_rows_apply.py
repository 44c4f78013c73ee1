"""Each spelling applies the operators of its row, to the arguments that it was given: what an engine reads of a call is what was called.

`not_applied/FRAMEWORK.txt` lists what does not hold, a spelling, one of the words of `rows.py` and the reason a line. The lists only shrink.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.rows import LIBRARY, spellings, wrongs

LISTS = Path(__file__).parent / "not_applied"


@pytest.mark.parametrize("framework", sorted(LIBRARY))
def test_spellings_apply_their_operators(framework: str) -> None:
    lines = [line.partition("  # ") for line in (LISTS / f"{framework}.txt").read_text().splitlines()]
    assert all(reason for _, _, reason in lines), "each line gives its reason"
    listed = {name for name, _, _ in lines}
    found = {f"{one.spelling} {one.what}" for name in spellings(framework) for one in wrongs(name) or ()}
    assert sorted(found - listed) == [], "these do not apply their row's operators"
    assert sorted(listed - found) == [], f"these hold now: take them out of {framework}.txt"
