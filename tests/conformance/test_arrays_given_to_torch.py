"""Every tensor that a spelling of torch takes, given as a NumPy array: the row refuses it exactly where the real library does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorproof.bindings import rows as tables
from tensorproof.engines.generate.calls import GeneratedCall, evaluate, valid_calls
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType

torch_runner = pytest.importorskip("tensorproof.runners.torch_runner")
HOMES = {"torch", "torch.nn", "torch.nn.functional", "torch.Tensor", "torch.linalg", "torch.special", "torch.fft"}
PRIVATE = ("torch._", "torch.gru", "torch.rnn_", "torch.index_put_")
"""What programs do not call: their lists of tensors are read as any value."""
NO_ARRAYS = ("bfloat16", "complex32")


def as_array(value: Any) -> Any:
    """The argument as an array, or with an array as its first item; None where there is none such."""
    if isinstance(value, TensorType):
        fits = value.layout == "strided" and value.shape.known and len(value.shape) > 0 and value.dtype is not None
        return value.but(framework="numpy") if fits and value.dtype.label not in NO_ARRAYS and value.dtype.kind != "q" else None
    if type(value) in (list, tuple) and value:
        first = as_array(value[0])
        return None if first is None else type(value)([first, *value[1:]])
    return None


def with_arrays(call: GeneratedCall) -> Iterator[GeneratedCall]:
    for at in range(1 if call.name.startswith("torch.Tensor.") else 0, len(call.args)):
        array = as_array(call.args[at])
        if array is not None:
            yield replace(call, args=(*call.args[:at], array, *call.args[at + 1 :]))
    for name, value in call.kwargs.items():
        array = as_array(value)
        if array is not None:
            yield replace(call, kwargs={**call.kwargs, name: array})


@pytest.mark.slow
def test_a_row_refuses_an_array_where_torch_does() -> None:
    wrong: list[str] = []
    tried = 0
    for name in tables.names("torch"):
        if name.rpartition(".")[0] not in HOMES or "__" in name or name.startswith(PRIVATE) or torch_runner.unsafe(name):
            continue
        for call in list(valid_calls(name, 1, 0)):
            real = torch_runner.run(call.name, call.args, call.kwargs, call.init)
            if real.error or real.aside:
                continue
            for given in with_arrays(call):
                tried += 1
                refused = torch_runner.run(given.name, given.args, given.kwargs, given.init).error
                ours = evaluate(given).outcome
                if ours.unknown is None and bool(refused) != (ours.refused is not None):
                    wrong.append(f"{name}: torch {'refuses' if refused else 'takes'} {given.args} {given.kwargs}: {refused}")
    assert tried > 1000
    assert not wrong, "\n".join(wrong)
