"""A code generator that writes `ceil` for `floor`."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "inductor", "torch", "torch.floor"


def patch(replace: Any) -> None:
    import torch
    from torch._inductor.codegen import cpp

    replace(torch._inductor.config, "force_disable_caches", True)
    replace(cpp.CppOverrides, "floor", staticmethod(lambda x: f"std::ceil({x})"))
    replace(cpp.CppVecOverrides, "floor", staticmethod(lambda x: f"{x}.ceil()"))
