"""Args that libraries keep under a name: element types, numbers, memory formats."""

from __future__ import annotations

import math

from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.values.port import Value

_TORCH_ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
    "cfloat": "complex64", "cdouble": "complex128", "chalf": "complex32",
}  # fmt: skip
_NUMPY_ALIASES = {"bool_": "bool", "float_": "float64", "int_": "int64", "half": "float16", "single": "float32", "double": "float64"}
_NUMBERS: dict[str, object] = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e, "newaxis": None}
_TORCH_WORDS = {
    "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "contiguous_format", "preserve_format", "channels_last",
    "channels_last_3d", "per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
}  # fmt: skip


def constant(name: str) -> tuple[bool, Value]:
    """(True, value) for a library's constant such as `torch.float32`; (False, None) otherwise."""
    library, _, rest = name.partition(".")
    if library in ("torch", "tf", "numpy"):
        label = (_TORCH_ALIASES if library == "torch" else _NUMPY_ALIASES if library == "numpy" else {}).get(rest, rest)
        found: DType | None = BY_LABEL.get(label)
        if found is not None:
            return True, found
        if library != "tf" and rest in _NUMBERS:
            return True, _NUMBERS[rest]
        if library == "torch" and rest in _TORCH_WORDS:
            return True, name
    return False, None
