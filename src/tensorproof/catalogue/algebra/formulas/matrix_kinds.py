"""Operators by what they do to a matrix that can be inverted or factorised: products, copies, transposes, and those that demand one."""

from __future__ import annotations

PRODUCTS = frozenset(["matmul", "mm", "bmm"])
INVERTED = frozenset(["inv", "solve", "tensorinv", "lu_solve"])
KEPT = frozenset(["cast", "contiguous", "copy", "detach", "identity", "requires_grad", "expand", "unsqueeze", "positive", "numpy", "assign", "stack"])
TURNED = frozenset(["t", "transpose", "matrix_transpose", "adjoint", "reversed_axes", "permute"])
READ = PRODUCTS | KEPT | TURNED | {"eye", "add", "sub", "mul", "div", "inv", "diag_embed", "random", "eye_like", "cov", "neg"}
