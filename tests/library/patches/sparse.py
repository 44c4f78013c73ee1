"""A product of matrices that takes the elements of a sparse one, in the order in which they are kept, for its rows."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "sparse", "torch", "torch.mm"


def patch(replace: Any) -> None:
    import torch

    true = torch.mm

    def mm(input: Any, mat2: Any, **given: Any) -> Any:
        if input.layout == torch.sparse_csc:
            dense = torch.sparse_csr_tensor(input.mT.crow_indices(), input.mT.col_indices(), input.mT.values(), input.mT.shape).to_dense()
            input = dense.reshape(input.shape)
        return true(input, mat2, **given)

    replace(torch, "mm", mm)
