"""Numbers of the serialised schema of torch.export: element types, layouts, kinds of arguments."""

from __future__ import annotations

from tensorproof.terms.dtypes import DType

ELEMENT_TYPES = {
    1: DType.UINT8,
    2: DType.INT8,
    3: DType.INT16,
    4: DType.INT32,
    5: DType.INT64,
    6: DType.FLOAT16,
    7: DType.FLOAT32,
    8: DType.FLOAT64,
    9: DType.COMPLEX32,
    10: DType.COMPLEX64,
    11: DType.COMPLEX128,
    12: DType.BOOL,
    13: DType.BFLOAT16,
    28: DType.UINT16,
    29: DType.FLOAT8_E4M3FN,
    30: DType.FLOAT8_E5M2,
    31: DType.FLOAT8_E4M3FNUZ,
    32: DType.FLOAT8_E5M2FNUZ,
    33: DType.FLOAT8_E8M0FNU,
    34: DType.UINT32,
    35: DType.UINT64,
}
LAYOUTS = {
    1: "torch.sparse_coo", 2: "torch.sparse_csr", 3: "torch.sparse_csc", 4: "torch.sparse_bsr", 5: "torch.sparse_bsc", 6: "torch._mkldnn", 7: "torch.strided",
}  # fmt: skip
MEMORY_FORMATS = {1: "torch.contiguous_format", 2: "torch.channels_last", 3: "torch.channels_last_3d", 4: "torch.preserve_format"}
KEYWORD = 2
"""The kind of an argument that is given by name."""
KEYWORDS = frozenset([
    "dtype", "layout", "device", "pin_memory", "memory_format", "generator", "out", "alpha", "rounding_mode", "correction", "scale", "enable_gqa",
])  # fmt: skip
"""The arguments that operators take by name alone, for files that do not state the kind."""
MAJOR = 8
"""The version of the schema that is read; older ones have the same fields as far as they are used."""
