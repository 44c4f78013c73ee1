"""The CPU and a GPU give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Pairs, Rule

_TF32 = "torch.backends.cudnn.allow_tf32 = False"
"""cuDNN rounds the operands of convolutions and recurrent layers to 11 bits otherwise."""


def _applies(api: Api) -> bool:
    return not any(op.opaque == "type" for op in api.operators)


def on_device(device: str) -> Pairs:
    """The pairs of the CPU and that device."""

    def pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
        layer = f'layer.to("{device}")' if call.init is not None else ""
        if call.inputs:
            moved = {name: f'{dialect.copied(name) if device == "cpu" else name}.to("{device}")' for name in call.inputs}
            right = call.expression(dialect, moved, layer)
        elif _takes_device(call.api):
            right = call.but(kwargs={**call.kwargs, "device": device}).expression(dialect)
        else:
            return
        yield Pair(call.expression(dialect), right, _setup(call, dialect), compare="types" if _arbitrary(call.api) else "values")

    return pairs


def _takes_device(api: Api) -> bool:
    return any(argument.theirs == "device" for row in api.rows for argument in row.arguments) and not api.is_layer


def _arbitrary(api: Api) -> bool:
    """Whether two calls give different numbers."""
    return api.random or any(op.opaque == "memory" for op in api.operators)


def _setup(call: Call, dialect: Dialect) -> str:
    through_cudnn = any(op.parameter("dilation") or op.parameter("hidden_size") for op in call.api.operators)
    return "\n".join(filter(None, (_TF32 if through_cudnn else "", call.setup(dialect))))


def _ready() -> str:
    import torch

    return "" if torch.cuda.is_available() else "there is no CUDA device"


def rule(device: str = "cuda") -> Rule:
    return Rule("cuda", "backend", "the CPU = CUDA", ("torch",), on_device(device), _applies, documented=True,
                unsupported="NOT_SUPPORTED|CPU|cpu|not implemented for|host memory", ready=_ready if device == "cuda" else lambda: "")  # fmt: skip


RULE = rule()
