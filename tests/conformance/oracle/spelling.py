"""How a user writes what an op_db entry calls. Most entries hold the public function itself; the lambdas are listed here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Adapter = Callable[..., Arguments]
"""Turns the sample's (input, *args, **kwargs) into the arguments that the spelled function takes."""


def as_given(*args: Any, **kwargs: Any) -> Arguments:
    return args, kwargs


def swapped(first: Any, second: Any, *rest: Any, **kwargs: Any) -> Arguments:
    return (second, first, *rest), kwargs


def product_first(a: Any, b: Any, **kwargs: Any) -> Arguments:
    """`f(a @ b.mT)`: the entry makes a matrix of low rank; the user has it already."""
    return (a @ b.mT,), kwargs


def where(x: Any, condition: Any, other: Any, **kwargs: Any) -> Arguments:
    return (condition, x, other), kwargs


def max_pool2d_backward(x: Any, *, kernel_size: Any, stride: Any = (), padding: Any = (0,), dilation: Any = (1,), ceil_mode: bool = False,
                        return_indices: bool = True) -> Arguments:  # fmt: skip
    window = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation, "ceil_mode": ceil_mode}
    out, indices = torch.nn.functional.max_pool2d_with_indices(x, **window, return_indices=True)
    stride = kernel_size if stride is None else stride
    return (torch.ones_like(out), x, kernel_size, stride, padding, dilation, ceil_mode, indices), {}


IN_PLACE = {name: f"torch.Tensor.{name}_" for name in ("cauchy", "exponential", "geometric", "log_normal", "uniform")}

RENAMED = {
    "_segment_reduce": "torch.segment_reduce",
    "_softmax_backward_data": "torch.ops.aten._softmax_backward_data",
    "_batch_norm_with_update": "torch.ops.aten._batch_norm_with_update",
    "_upsample_bilinear2d_aa": "torch.ops.aten._upsample_bilinear2d_aa",
    "slice": "torch.ops.aten.slice.Tensor",
    "native_dropout_backward": "torch.ops.aten.native_dropout_backward",
}

ADAPTED: dict[str, tuple[str, Adapter]] = {
    "normal_in_place": ("torch.Tensor.normal_", as_given),
    "normal_number_mean": ("torch.normal", swapped),
    "einsum": ("torch.einsum", swapped),
    "where": ("torch.where", where),
    "nn_functional_embedding": ("torch.nn.functional.embedding", swapped),
    "nn_functional_embedding_bag": ("torch.nn.functional.embedding_bag", swapped),
    "svd_lowrank": ("torch.svd_lowrank", product_first),
    "pca_lowrank": ("torch.pca_lowrank", product_first),
    "linalg_pinv_singular": ("torch.linalg.pinv", product_first),
    "special_polygamma_special_polygamma_n_0": ("torch.special.polygamma", swapped),
    "linalg_lstsq_grad_oriented": ("torch.linalg.lstsq", lambda a, b, driver: ((a, b), {"driver": driver})),
    "max_pool2d_with_indices_backward": ("torch.ops.aten.max_pool2d_with_indices_backward.default", max_pool2d_backward),
    **{f"polygamma_polygamma_n_{n}": ("torch.polygamma", swapped) for n in range(5)},
}


def spelled(entry: str, name: str) -> tuple[str, Adapter]:
    """The public name for an entry of op_db (its name with the variant, and its bare name) and the adapter of its arguments."""
    if entry in ADAPTED:
        return ADAPTED[entry]
    known = IN_PLACE.get(name) or RENAMED.get(name)
    if known:
        return known, as_given
    if "." not in name and (not hasattr(torch, name) or isinstance(getattr(torch, name), torch.dtype)):
        return f"torch.Tensor.{name}", as_given  # torch.bool is a dtype, the entry means x.bool()
    return name if name.startswith("torch.") else f"torch.{name}", as_given


def resolve(spelling: str) -> Callable[..., Any]:
    """The callable behind a spelling; an attribute such as `torch.Tensor.T` becomes a function of the tensor."""
    found: Any = torch
    for part in spelling.split(".")[1:]:
        found = getattr(found, part)
    return found if callable(found) else found.__get__


def public_name(function: Any) -> str | None:
    """The name under which a user imports this function, when it is one of torch's."""
    for home, prefix in ((torch.nn.functional, "torch.nn.functional"), (torch, "torch"), (torch.Tensor, "torch.Tensor")):
        name = getattr(function, "__name__", "")
        if name and getattr(home, name, None) is function:
            return f"{prefix}.{name}"
    return None
