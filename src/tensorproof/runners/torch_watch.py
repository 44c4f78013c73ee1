"""Watches a PyTorch program: numbers that it draws and parameters are moved to corners, and each function whose result is not finite is reported."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.overrides import TorchFunctionMode

from tensorproof.runners.corners import Corners
from tensorproof.runners.watched import Watched

Function = Callable[..., object]
Arguments = tuple[object, ...]
Named = dict[str, Any]
_UNIFORM = ("rand", "rand_like")
_NORMAL = ("randn", "randn_like")
_NOT_SET = ("empty", "empty_like", "new_empty", "empty_strided", "__get__", "__set__")
"""Functions whose results hold what lay in memory, or that only hand out a tensor."""


class _Mode(TorchFunctionMode):
    def __init__(self, watched: Watched, corners: Corners, trained: float) -> None:
        super().__init__()
        self.watched, self.corners, self.trained = watched, corners, trained
        self.parameters: dict[int, torch.Tensor] = {}
        self.moved: set[int] = set()

    def __torch_function__(self, function: Function, types: object, args: Arguments = (), kwargs: Named | None = None) -> object:
        kwargs = kwargs or {}
        self.watched.go_on()
        name = getattr(function, "__name__", "")
        if name == "backward":
            return self._backward(function, args, kwargs)
        made = function(*args, **kwargs)
        self._draw(name, made, args, kwargs)
        if name not in _NOT_SET:
            bad = next((y for t in _floats(made) if (y := _yields(t))), "")
            if bad and _comes_new(bad, args, kwargs):
                self.watched.report(bad)
        return made

    def _draw(self, name: str, made: object, args: Arguments, kwargs: Named) -> None:
        if not isinstance(made, torch.Tensor) or self.corners.quiet:
            return
        if name in _UNIFORM:
            _put(made, self.corners.uniform(_array(made)))
        elif name in _NORMAL:
            _put(made, self.corners.normal(_array(made)))
        elif name in ("randint", "randint_like"):
            numbers = [a for a in args if type(a) is int]
            low, high = (numbers[0], numbers[1]) if len(numbers) > 1 else (0, numbers[0]) if numbers else (kwargs.get("low", 0), kwargs["high"])
            _put(made, self.corners.whole(_array(made), low, high))

    def _backward(self, function: Function, args: Arguments, kwargs: Named) -> object:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                made = function(*args, **kwargs)
            except RuntimeError as error:
                if "nan values" not in str(error):
                    raise
                places = re.findall(rf'File "{re.escape(self.watched.program)}", line (\d+)', "\n".join(str(w.message) for w in warned))
                self.watched.report("nan", "gradient", int(places[-1]) if places else None)
                raise
        for parameter in self.parameters.values():
            if parameter.grad is not None and (bad := _yields(parameter.grad)):
                self.watched.report(bad, "gradient")
        return made

    def entered(self, module: torch.nn.Module, args: Arguments) -> None:
        """A module is called: its parameters may have been trained."""
        for parameter in module.parameters():
            if id(parameter) not in self.parameters:
                self.parameters[id(parameter)] = parameter
                with torch.no_grad(), torch._C.DisableTorchFunction():
                    if parameter.is_floating_point():
                        held = self.corners.moved(_array(parameter), self.trained)
                        parameter.copy_(torch.as_tensor(held, dtype=parameter.dtype))


def around(run: Callable[[], object], watched: Watched, corners: Corners, trained: float) -> Callable[[], object]:
    def watching() -> object:
        torch.manual_seed(corners.seed)
        torch.autograd.set_detect_anomaly(True)
        mode = _Mode(watched, corners, trained)
        hook = torch.nn.modules.module.register_module_forward_pre_hook(mode.entered)
        try:
            with mode:
                return run()
        finally:
            hook.remove()

    return watching


def _comes_new(bad: str, args: Arguments, kwargs: Named) -> bool:
    """Whether what is not finite is none that was there before: infinity may stand in a mask, and nan that comes from it is new."""
    before = [y for t in _floats([args, kwargs]) if (y := _yields(t))]
    return "nan" not in before if bad == "nan" else not before and not _said_infinite(args, kwargs)


def _said_infinite(args: Arguments, kwargs: Named) -> bool:
    """Whether the program itself writes an infinite number, as for a mask."""
    return any(type(a) is float and not math.isfinite(a) for a in [*args, *kwargs.values()])


def _floats(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        if value.is_floating_point() and not value.is_meta and not value.is_sparse:
            yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _floats(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _floats(one)


def _yields(tensor: torch.Tensor) -> str:
    with torch._C.DisableTorchFunction():
        held = tensor.detach()
        if bool(torch.isfinite(held).all()):
            return ""
        return "nan" if bool(torch.isnan(held).any()) else "inf"


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    with torch._C.DisableTorchFunction():
        held = tensor.detach()
        return (held.float() if held.dtype == torch.bfloat16 else held).numpy()


def _put(tensor: torch.Tensor, array: NDArray[Any]) -> None:
    with torch.no_grad(), torch._C.DisableTorchFunction():
        tensor.copy_(torch.from_numpy(np.ascontiguousarray(array)))
