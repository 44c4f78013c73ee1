"""Asks the real PyTorch what autocast does on the CPU: which spellings compute in the lower precision, and which in float32.

    python tools/make_autocast.py      writes src/tensorproof/bindings/autocast.txt

Each spelling is called inside and outside of `torch.autocast("cpu", torch.bfloat16)`, with float32 and with bfloat16 inputs. What CUDA does is taken from
PyTorch's documentation (the words below).
"""

from __future__ import annotations

import os
import resource
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch

from tensorproof.bindings import rows as tables
from tensorproof.engines.generate.calls import GeneratedCall, valid_calls
from tensorproof.runners import torch_runner
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.tensor import TensorType

OUT = Path(__file__).parents[1] / "src/tensorproof/bindings/autocast.txt"
_torch: Any = torch
CUDA = {
    "lower": "addbmm addmm addmv addr baddbmm bmm chain_matmul multi_dot conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d "
    "GRUCell linear LSTMCell matmul mm mv prelu RNNCell scaled_dot_product_attention GRU LSTM RNN",
    "float": "acos asin binary_cross_entropy_with_logits cosh cosine_embedding_loss cdist cosine_similarity "
    "cross_entropy cumprod cumsum dist erfinv exp expm1 group_norm hinge_embedding_loss kl_div l1_loss layer_norm log log10 log_softmax log1p log2 "
    "margin_ranking_loss mse_loss multilabel_margin_loss multi_margin_loss nll_loss norm normalize pdist poisson_nll_loss pow prod reciprocal rsqrt sinh "
    "smooth_l1_loss soft_margin_loss softmax softmin softplus sum renorm tan triplet_margin_loss",
    "refused": "binary_cross_entropy",
}


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, _torch.Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    return type(value)(_cast(v, dtype) for v in value) if isinstance(value, (tuple, list)) else value


def _types(value: Any) -> list[Any]:
    if isinstance(value, _torch.Tensor):
        return [value.dtype] if value.is_floating_point() else []
    return [d for v in value for d in _types(v)] if isinstance(value, (tuple, list)) else []


def _result(call: GeneratedCall, dtype: Any, inside: bool) -> Any:
    function = torch_runner.find(call.name)
    if call.init is not None:
        function = function(**torch_runner.real(call.init))
        if dtype is not _torch.float32 and isinstance(function, _torch.nn.Module) and not inside:
            function = function.to(dtype)
    args, kwargs = _cast(torch_runner.real(list(call.args)), dtype), {k: _cast(torch_runner.real(v), dtype) for k, v in call.kwargs.items()}
    try:
        with _torch.autocast("cpu", _torch.bfloat16, enabled=inside), _torch.no_grad():
            found = _types(function(*args, **kwargs))
    except Exception:
        return None
    return found


def _all_floats(call: GeneratedCall) -> bool:
    held = [*call.args, *call.kwargs.values()]
    tensors = [t for v in held for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, TensorType)]
    return any(t.dtype is FLOAT32 for t in tensors) and all(t.dtype is FLOAT32 or t.dtype is None or not t.dtype.is_float for t in tensors)


def kind(name: str) -> str:
    full, half = _torch.float32, _torch.bfloat16
    votes: dict[str, int] = defaultdict(int)
    for call in valid_calls(name, 12, seed=5, tries=500):
        if not _all_floats(call) or "dtype" in call.kwargs or "dtype" in (call.init or {}):
            continue
        plain, inside = _result(call, full, False), _result(call, full, True)
        if plain and inside and set(plain) == {full}:
            if set(inside) == {half}:
                votes["lower"] += 1
                continue
            lower, cast = _result(call, half, False), _result(call, half, True)
            raised = cast and set(cast) == {full} and (lower is None or set(lower) == {half})
            votes["float" if raised else "same"] += 1
        elif plain and inside is None:
            votes["refused"] += 1
    best = max(votes, key=lambda v: votes[v], default="same")
    return best if votes and votes[best] == sum(votes.values()) else "same" if not votes or best == "same" else f"{best}?"


def in_child(name: str) -> str:
    """A spelling's kind, found in a child process: some calls end it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                os.write(write, kind(name).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        made = answer.read()
    os.waitpid(child, 0)
    return made


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    _torch.set_num_threads(1)
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(n for n in set(sys.argv[1:] or tables.names("torch")) if n.startswith("torch.")):
        if (name.endswith("_") and not name.endswith("__")) or name == "torch.histogramdd" or torch_runner.unsafe(name):
            continue
        found = in_child(name)
        if found and found != "same":
            print(name, found, file=sys.stderr, flush=True)
            groups[found].append(name.removeprefix("torch."))
    words = {word: which for which, text in CUDA.items() for word in text.split()}
    lines = [f"cpu {which}: {' '.join(names)}" for which, names in sorted(groups.items())]
    operators = {row.op: words[name.rpartition(".")[2]] for name in tables.names("torch") if name.rpartition(".")[2] in words for row in tables.rows(name)}
    by_kind: dict[str, list[str]] = defaultdict(list)
    for op, which in operators.items():
        by_kind[which].append(op)
    lines += [f"cuda {which}: {' '.join(sorted(names))}" for which, names in sorted(by_kind.items())]
    if len(sys.argv) == 1:
        OUT.write_text("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
