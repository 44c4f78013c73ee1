"""`torch.nn.init`: functions that fill a tensor, without a record for gradients, and give it back."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.initial import gain
from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch_modes import without_grad
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import REAL, Unknown

_NAMES = (
    "uniform_", "normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
    "trunc_normal_", "orthogonal_", "sparse_",
)  # fmt: skip


def _filled(name: str) -> Any:
    def run(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        x = args[0] if args else kwargs.get("tensor")
        if not isinstance(x, TensorType):
            return x
        known = {k: v for k, v in kwargs.items() if not isinstance(v, Unknown)}
        if any(isinstance(v, Unknown) for v in args):
            return m.memory.write(x)
        return without_grad(m, lambda: m.spelling(f"torch.nn.init.{name}", args, known, node))

    return run


def _gain(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    word, slope = argument(args, kwargs, 0, "nonlinearity"), argument(args, kwargs, 1, "param")
    found = gain(word, slope) if isinstance(word, str) else None
    return REAL if found is None else found


FUNCTIONS: dict[str, Any] = {
    **{f"torch.nn.init.{name}": _filled(name) for name in _NAMES},
    **{f"torch.nn.init.{name.removesuffix('_')}": _filled(name) for name in _NAMES},
    "torch.nn.init.calculate_gain": _gain,
}
