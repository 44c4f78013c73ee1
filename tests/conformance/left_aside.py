"""Operators that cannot be held against a library in some respect, each with the reason."""

from __future__ import annotations

NOT_COMPARED: dict[str, str] = {
    "argpartition": "the order within the parts is not determined",
    "lp_normalize": "the reference of ONNX sums without absolute values",
    "deform_conv": "the reference of ONNX interpolates in single precision",
    "qr": "unique up to signs",
    "svd": "unique up to signs",
    "eig": "unique up to order and factors",
    "eigh": "eigenvectors are unique up to factors",
    "eigvals": "unique up to order",
}
"""Values are not compared with those of a reference function."""
NO_BOUNDS: dict[str, str] = {}
"""Values are not held against bounds."""
