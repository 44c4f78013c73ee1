"""The collector of garbage, which looks for cycles among objects: what makes many objects and few cycles runs without it."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """Nearly all that is made meanwhile is in no cycle; looking for cycles would cost as much as making it."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
