"""What torchvision's own source asks of its compiled part: reading the source takes it for loaded."""

from __future__ import annotations

import ast

from tensorproof.libraries.model import Run
from tensorproof.values.port import Args, Kwargs, Machine


def _nothing(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    return None


FUNCTIONS: dict[str, Run] = {
    "torchvision.extension._assert_has_ops": _nothing, "torchvision.extension._has_ops": lambda m, a, k, n: True,
    "torchvision._is_tracing": lambda m, a, k, n: False,
}  # fmt: skip
