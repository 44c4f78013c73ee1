"""Runs generated calls on the real torch. Import it only in a process that may load torch."""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import torch

from tensorproof.runners.observed import Made, Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

NO_DEVICE = ("not compiled with", "accelerator device when none", "not linked with support", "attention' with arguments from the 'CPU' backend",
             "is not implemented on the CPU", "'_OpNamespace' 'torchvision'", "No module named 'torchvision'",
             "Torch not compiled", "No CUDA", "no NVIDIA driver", "can't allocate memory")  # fmt: skip

UNSAFE = frozenset({
    "native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training",
    "_batch_norm_with_update", "_batch_norm_no_update", "lstm", "_scaled_dot_product_flash_attention_for_cpu", "_fft_c2r",
    "_fft_c2c", "_fft_r2c",
})  # fmt: skip
"""Kernels that read past the end of arguments that are too short, without a check: that a wrong call returns (or kills) tells nothing."""


def unsafe(name: str) -> bool:
    return name.rpartition(".")[2] in UNSAFE


def _dtype(dtype: DType) -> torch.dtype:
    found: torch.dtype = getattr(torch, dtype.label)
    return found


def tensor(t: TensorType) -> object:
    """A real tensor of that shape, type and storage: the known contents, else numbers between 0 and 1 (whole types: zeros)."""
    made = _dense(t)
    if t.framework == "numpy":
        return made.numpy()
    if t.layout == "sparse_coo":
        return made.to_sparse()
    blocks = ((1,) * 2,) if t.layout in ("sparse_bsr", "sparse_bsc") else ()
    return made if t.layout == "strided" else getattr(made, f"to_{t.layout}")(*blocks)


_STORED = {"quint8": torch.uint8, "qint8": torch.int8, "qint32": torch.int32}


def _dense(t: TensorType) -> torch.Tensor:
    assert t.dtype is not None
    shape = tuple(t.shape)
    dtype = _dtype(t.dtype)
    if t.contents is not None and len(t.contents) == t.shape.numel:
        if t.dtype.kind == "q":  # the whole numbers that it stores
            return torch._make_per_tensor_quantized_tensor(torch.tensor(list(t.contents), dtype=_STORED[t.dtype.label]).reshape(shape), 0.1, 0)
        return torch.tensor(list(t.contents), dtype=dtype).reshape(shape)
    if t.dtype.is_integer or t.dtype.kind == "b":
        return torch.zeros(shape, dtype=dtype)
    if t.dtype.kind == "q":
        return torch.quantize_per_tensor(torch.rand(shape), 0.1, 0, dtype)
    made = torch.rand(shape, dtype=torch.float64)
    return made.to(dtype)


def real(value: object) -> Any:
    """Our abstract arguments as torch's own."""
    match value:
        case TensorType():
            return tensor(value)
        case DType():
            return _dtype(value)
        case tuple() | list():
            return type(value)(real(v) for v in value)
        case Made(init=None):
            return find(value.name)(*real(value.args), **real(value.kwargs))
        case Made():
            return find(value.name)(**real(value.init))
        case dict():
            return {k: real(v) for k, v in value.items()}
        case str() if value.startswith("torch."):
            return getattr(torch, value.removeprefix("torch."))
        case _:
            return value


def observed(value: object) -> object:
    """torch's results as plain data."""
    if isinstance(value, torch.Tensor):
        return Seen.of(tuple(value.shape), str(value.dtype).removeprefix("torch."), value)
    if isinstance(value, (tuple, list)):
        return tuple(observed(v) for v in value)
    if isinstance(value, (np.ndarray, np.generic)):
        return Seen.of(tuple(value.shape), str(value.dtype), value)
    return value


def find(name: str) -> Any:
    """The function or class of that public name."""
    if name.startswith("aten."):
        packet, _, overload = name.removeprefix("aten.").partition(".")
        made: Any = getattr(torch.ops.aten, packet)
        return getattr(made, overload) if overload else made
    if "torchvision" in name:
        with suppress(ImportError):
            import_module("torchvision")  # registers its kernels
    found: Any = import_module("torchvision") if name.startswith("torchvision.") else torch
    for part in name.split(".")[1:]:
        if not hasattr(found, part) and hasattr(found, "__path__"):
            with suppress(ImportError):
                import_module(f"{found.__name__}.{part}")  # a module that torch itself does not import
        found = getattr(found, part)
    return found


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Call it. An error that only says "no kernel for this type" on a valid type is the caller's to judge by its text."""
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            function = find(name)
            if init is not None:
                function = function(**real(init))
            arguments = real(args)
            if name.startswith("torch.Tensor.") and not callable(function):
                return Observed(observed(function.__get__(arguments[0])))
            result = function(*arguments, **real(kwargs))
            changed = result is None and arguments and isinstance(arguments[0], torch.Tensor)  # nothing comes back: the first argument was changed
            return Observed(observed(arguments[0] if changed else result))
        except Exception as error:
            if any(words in str(error) for words in NO_DEVICE):
                return Observed(aside=str(error).splitlines()[0])
            return Observed(error=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300])
