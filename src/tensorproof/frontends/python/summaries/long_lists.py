"""Lists that grow too long to be held item by item: what they hold is summarised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.values.summaries import length, shown, summarise

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

MOST_COUNTED = BUDGETS.containers.entries


def repeated(items: Any, times: int) -> list[Value]:
    """The items so many times; a list that becomes too long is summarised."""
    if len(items) * times <= MOST_COUNTED:
        return list(items) * times
    return [summarise(length(items) * times, shown(items))]


def shortened(items: list[Value]) -> list[Value]:
    """The items; a list that became too long is summarised."""
    return items if len(items) <= MOST_COUNTED else [summarise(length(items), shown(items))]
