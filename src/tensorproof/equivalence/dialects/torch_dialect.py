"""torch, as texts and as values. Import it only in a process that may load torch."""

from __future__ import annotations

import copy
import re
import traceback
import warnings
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, TypeGuard

import numpy as np
import torch

from tensorproof.equivalence.arrays import Array, Value, listed
from tensorproof.equivalence.dialects import all_of

_AS_FLOAT = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7), "complex32": (1e-3, 1e-5),
               "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}  # fmt: skip

_ENTRY = re.compile(r"<entry (\d+)>")
"""The name of the code of one function of a batch."""
_STICKY = ("device-side assert", "illegal memory access", "misaligned address", "unspecified launch failure", "an illegal instruction")
"""Errors of CUDA after which every further call raises."""


class TorchDialect:
    """See `Dialect`."""

    name = "torch"
    seed = "torch.manual_seed(0)"

    def version(self) -> str:
        return str(torch.__version__)

    def imports_of(self, texts: str) -> list[str]:
        return ["import torch"]

    def namespace(self) -> dict[str, Any]:
        return {"torch": torch}

    def tensor(self, array: Array) -> torch.Tensor:
        made = torch.from_numpy(np.array(array.data))
        return made if str(made.dtype) == f"torch.{array.label}" else made.to(getattr(torch, array.label))

    def literal(self, array: Array) -> str:
        return f"torch.tensor({listed(array.data)}, dtype=torch.{array.label})" + (f".reshape({list(array.shape)})" if 0 in array.shape else "")

    def dtype(self, label: str) -> str:
        return f"torch.{label}"

    def spelled(self, name: str, positional: int = 0, keywords: Collection[str] | None = None) -> str:
        return name

    @cache  # noqa: B019 (there is one dialect)
    def _find(self, name: str) -> Any:
        found: Any = torch
        for part in name.split(".")[1:]:
            found = getattr(found, part, None)
        return found

    def exists(self, name: str) -> bool:
        return self._find(name) is not None

    def is_alias(self, name: str, other: str) -> bool:
        return self._find(name) is self._find(other)

    def documented(self, name: str) -> bool:
        return not self.exists(name) or bool(getattr(self._find(name), "__doc__", None))

    def is_property(self, name: str) -> bool:
        return name.startswith("torch.Tensor.") and not callable(self._find(name))

    def layer(self, made: str) -> str:
        return f"{self.seed}; layer = {made}.eval()"

    def copied(self, name: str) -> str:
        return f"{name}.clone()"

    def converted(self, name: str, storage: str) -> str:
        if storage == "sparse_coo":
            return f"{name}.to_sparse()"
        return f"{name}.to_{storage}({'(1, 1)' if storage in ('sparse_bsr', 'sparse_bsc') else ''})"

    def plain(self, value: object) -> Any:
        if isinstance(value, torch.Tensor):
            return _value(value)
        if isinstance(value, (tuple, list)):
            return tuple(self.plain(v) for v in value)
        if isinstance(value, dict):
            return {k: self.plain(v) for k, v in value.items()}
        if isinstance(value, (np.ndarray, np.generic)):
            value = np.asarray(value)
            return Value(str(value.dtype), tuple(value.shape), value)
        return value if isinstance(value, (bool, int, float, complex, str, type(None))) else f"<{type(value).__name__}>"

    def tolerance(self, label: str) -> tuple[float, float]:
        return _TOLERANCES.get(label, (0.0, 0.0))

    @contextmanager
    def quiet(self, gradients: bool) -> Iterator[None]:
        with warnings.catch_warnings(), torch.set_grad_enabled(gradients):
            warnings.simplefilter("ignore")
            yield

    def checking(self) -> AbstractContextManager[None]:
        return torch.sparse.check_sparse_tensor_invariants()

    def has_weights(self, value: object) -> TypeGuard[torch.nn.Module]:
        return isinstance(value, torch.nn.Module)

    def wide(self, value: Any) -> Any:
        return copy.deepcopy(value).double() if self.has_weights(value) else value

    def together(self, functions: list[Any]) -> Any:
        return all_of(functions)

    def blamed(self, error: BaseException) -> set[int]:
        """The trail or the words of an error name the code that was traced last."""
        trail = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
        return {int(at) for words in (*trail, str(error)) for at in _ENTRY.findall(words)[-1:]}

    def reset(self) -> None:
        torch._dynamo.reset()

    def broken(self, error: BaseException) -> bool:
        """After a lost device; and after an error in the middle of fake tensors, whose modes stay on."""
        return isinstance(error, RecursionError) or any(words in str(error) for words in _STICKY)

    def check(self, compare: str) -> str:
        if compare == "types":
            types = "types = lambda made: [(y.shape, y.dtype) for y in torch.utils._pytree.tree_leaves(made) if torch.is_tensor(y)]"
            return f"{types}; assert types(left) == types(right)"
        return f"torch.testing.assert_close(left, right, equal_nan=True, check_device=False{', check_dtype=False' if compare == 'numbers' else ''})"


def _value(tensor: torch.Tensor) -> Value:
    label, shape, storage = str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), str(tensor.layout).removeprefix("torch.")
    if tensor.device.type == "meta":
        return Value(label, shape, None)
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.int_repr()
    if storage != "strided":
        tensor = tensor.to_dense()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if label in _AS_FLOAT:
        tensor = tensor.float()
    elif label == "complex32":
        tensor = tensor.to(torch.complex64)
    return Value(label, shape, tensor.resolve_conj().resolve_neg().numpy(), storage)


DIALECT = TorchDialect()
