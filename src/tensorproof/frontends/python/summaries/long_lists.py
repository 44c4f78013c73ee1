"""Lists that grow too long to be held item by item: what they hold is summarised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorproof.terms.budgets import BUDGETS
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

MOST_COUNTED = BUDGETS.containers.entries


def repeated(items: Sequence[Value], times: int) -> list[Value]:
    """The items so many times; a list that becomes too long is summarised."""
    if len(items) * times <= MOST_COUNTED:
        return list(items) * times
    count = length(items)
    return [summarise(count if isinstance(count, Unknown) else count * times, shown(items))]


def shortened(items: list[Value]) -> list[Value]:
    """The items; a list that became too long is summarised."""
    return items if len(items) <= MOST_COUNTED else [summarise(length(items), shown(items))]
