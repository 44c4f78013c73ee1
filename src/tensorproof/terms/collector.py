"""The collector of garbage, which looks for cycles among objects: what makes many objects and few cycles runs without it."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """Nearly all that is made meanwhile is in no cycle, and stays; looking for cycles would cost as much as making it.

    What was made is left to the next collection of everything: the collector's quick one would go through all of it at once.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()  # into the oldest generation
            gc.enable()
