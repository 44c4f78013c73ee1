"""A library that ends its process, for tests of `runners.process`."""

from __future__ import annotations

import os
from typing import Any

from tensorproof.runners.observed import Observed, Seen


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    import numpy as np

    if name == "die":
        os.abort()
    if name == "hang":
        import time

        time.sleep(60)
    print("this goes nowhere")
    return Observed(Seen.of((2,), "float32", np.array([1.0, 2.0], np.float32)))
