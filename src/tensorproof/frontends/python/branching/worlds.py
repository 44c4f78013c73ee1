"""Questions of the machine that the program runs on (is there a file?): with which answer more of the program is understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.terms.predicates import Predicate
from tensorproof.values.heap import Difference
from tensorproof.values.python_values import AFTER_ERROR, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def compare(run: Interpreter, p: Predicate, then: tuple[int, Difference], other: tuple[int, Difference]) -> None:
    """Note which side of a branch on the machine leaves less unknown: the gaps of each, and what it wrote."""
    if p.kind != "flag" or p.args[0] not in run.path.asked or p in run.path.worlds:
        return
    a, b = (gaps + sum(isinstance(v, Unknown) and v is not AFTER_ERROR for v in wrote.values.values()) for gaps, wrote in (then, other))
    if a != b:
        run.path.worlds[p] = a < b
