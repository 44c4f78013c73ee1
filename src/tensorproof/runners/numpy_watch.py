"""NumPy's random functions with their numbers moved to corners; what its functions make of finite numbers that is not finite is reported."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorproof.runners.corners import Corners
from tensorproof.runners.watched import Watched

_PLAIN: dict[str, Any] = {}


def install(corners: Corners, watched: Watched) -> None:
    """Replace the functions of `numpy.random`, and listen to what is divided by zero, too large or not defined; a second call replaces both."""
    numpy: Any = np
    numpy.seterrcall(lambda kind, flag: watched.report("nan" if "invalid" in kind else "inf"))
    numpy.seterr(divide="call", over="call", invalid="call")
    module: Any = np.random
    for name in ("rand", "random", "random_sample", "uniform", "randn", "standard_normal", "normal", "randint"):
        _PLAIN.setdefault(name, getattr(module, name))
        setattr(module, name, _moved(name, _PLAIN[name], corners))


def _moved(name: str, plain: Any, corners: Corners) -> Any:
    def draw(*args: Any, **kwargs: Any) -> Any:
        made = plain(*args, **kwargs)
        if name == "randint":
            low = kwargs.get("low", args[0] if args else 0)
            high = kwargs.get("high", args[1] if len(args) > 1 else None)
            found = corners.whole(made, *((0, low) if high is None else (low, high)))
        elif name in ("uniform", "normal"):
            first, second = ("low", "high") if name == "uniform" else ("loc", "scale")
            a, b = kwargs.get(first, args[0] if args else 0.0), kwargs.get(second, args[1] if len(args) > 1 else 1.0)
            found = made if np.ndim(a) or np.ndim(b) else (corners.uniform if name == "uniform" else corners.normal)(made, float(a), float(b))
        else:
            found = corners.normal(made) if name in ("randn", "standard_normal") else corners.uniform(made)
        return found if np.ndim(made) else np.asarray(found)[()]

    return draw
