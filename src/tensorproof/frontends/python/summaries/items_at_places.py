"""`items[-1]` of a list of which a part is summarised: those that were summarised may be none, then it is the next one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tensorproof.terms.ints import Term, lower
from tensorproof.terms.predicates import gt
from tensorproof.values.heap import MISSING
from tensorproof.values.python_values import Summary

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def item(m: Interpreter, ahead: list[Value], at: int, one_of: Callable[[Summary], Value]) -> Value:
    """The item at a place, counted from the end that comes first. MISSING where there are not so many."""
    for i, one in enumerate(ahead[: at + 1]):
        if type(one) is Summary:
            rest = [*ahead[:i], *ahead[i + 1 :]]
            if not isinstance(one.count, Term) or lower(one.count) > 0 or not i == at < len(rest):
                return one_of(one)
            return m.branching.choose(gt(one.count, 0), partial(one_of, one), partial(item, m, rest, at, one_of))
    return ahead[at] if at < len(ahead) else MISSING
