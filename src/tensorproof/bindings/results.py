"""The types of what operators give, by the operator's name; for type checkers alone (tests/bindings/test_result_types.py holds them to the catalogue)."""

from __future__ import annotations

from typing import Literal

from tensorproof.terms.tensor import TensorType

Several = Literal[
    "batch_norm_gradient", "broadcast_gradient_args", "broadcast_tensors", "concat_offset", "ctc_loss_of_places", "eig", "eigh", "frexp", "gradient", "gru",
    "histogram", "histogramdd", "list_difference", "lstm", "lstsq", "lu_factor", "lu_factor_ex", "merge", "meshgrid", "mode", "nanmedian_along",
    "native_dropout", "native_layer_norm", "pack_padded_sequence", "pad_packed_sequence", "qr", "recurrent_cell", "recurrent_layer", "rnn", "shapes_of",
    "slogdet", "solve_ex", "sort", "split_sizes", "stated_each", "svd", "svd_lowrank", "switch", "tensor_array", "tensor_split", "topk", "unbind",
    "unpad_sequence", "unravel_index", "var_mean", "where_true",
]  # fmt: skip
"""The operators with several results that adapters apply by name."""
Asked = Literal["max_pool2d", "unique"]
"""Those that have one result or several, as the call asks."""
Results = tuple[TensorType, ...]
Result = TensorType | Results
"""What an operator gives that is not named."""
