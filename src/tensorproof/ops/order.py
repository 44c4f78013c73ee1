"""In which order the results of an operator lie in memory. tests/conformance/memory.py holds this against torch.

An operator that is in none of these sets gives a contiguous result when all its inputs are contiguous; of other inputs nothing is claimed.
"""

from __future__ import annotations

COMPACT = frozenset(
    [
        "addmm", "addbmm", "baddbmm", "bmm", "mm", "mv", "matmul", "linear", "bilinear", "cdist", "softmax", "log_softmax", "softmin", "layer_norm",
        "embedding", "embedding_bag", "one_hot", "block_diag", "tensordot", "logsumexp", "cumsum", "cumprod", "lstm", "gru", "rnn",
        "logsigmoid", "multi_head_attention",
        "im2col", "col2im", "logcumsumexp", "tril", "triu",
    ]
)  # fmt: skip
"""Row-major whatever the inputs are."""
LIKE = frozenset(
    [
        "abs", "add", "addcdiv", "addcmul", "alpha_dropout", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_left_shift", "ceil", "celu",
        "clamp", "copysign", "cos", "deg2rad", "div", "dropout", "elu", "eq", "erf", "erfinv", "exp", "expm1", "feature_dropout", "floor", "fmax", "fmin",
        "fmod", "frac", "gcd", "ge", "gelu", "gt", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "heaviside", "isinf", "isnan", "lcm", "le",
        "leaky_relu", "lerp", "log", "log1p", "logaddexp", "logical_and", "logical_not", "lt", "maximum", "minimum", "mish", "mul", "ne",
        "neg", "pow", "rad2deg", "reciprocal", "relu", "relu6", "remainder", "round", "rsqrt", "selu", "sgn", "sigmoid", "sign", "signbit", "silu",
        "sin", "sinh", "softplus", "softshrink", "softsign", "sqrt", "square", "sub", "tan", "tanh", "tanhshrink", "threshold", "trunc", "bitwise_or",
        "bitwise_xor", "logical_or", "logical_xor", "acos", "acosh", "log2", "log10", "exp2", "bitwise_not", "isfinite",
    ]
)  # fmt: skip
"""Element by element: the axes of a result lie as those of the inputs do, where all have its shape and lie alike."""
OWN = frozenset(
    [
        "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "stft", "real", "imag",
        "cholesky", "cholesky_ex", "cholesky_inverse", "cholesky_solve", "eig", "eigh", "geqrf", "householder_product", "inv", "inv_ex", "ldl_factor",
        "ldl_factor_ex", "ldl_solve", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "lu_unpack", "ormqr", "qr", "solve", "solve_ex",
        "solve_triangular", "svd", "svd_lowrank", "tensorinv", "tensorsolve", "triangular_solve", "lobpcg", "matrix_power",
    ]
)  # fmt: skip
"""The order is that of the library underneath, and depends on the call and the device."""
