"""How results lie in memory, against the real torch: strides, and which results share memory with an argument, over all samples of op_db.

python tests/conformance/memory.py [--entry GLOB] [--most N] [--modules]     lists each claim that torch does not keep

Each sample is tried as it is, and with every tensor, or the first argument alone, laid out in another order (transposed, channels last). A claim of ours is
wrong when we say "contiguous" or give strides, and torch has others; when torch shares memory and we say that the result is new; or when torch makes a copy and
we say that the result surely is a view.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "conformance"), str(ROOT / "benchmarks")]
from oracle.dump import encode  # noqa: E402
from oracle.spelling import resolve, spelled  # noqa: E402

from op_db import to_ours  # noqa: E402
from tensorproof.bindings.call import Outcome, call, call_module  # noqa: E402
from tensorproof.bindings.call import spelled as known  # noqa: E402
from tensorproof.bindings.modules import Module  # noqa: E402
from tensorproof.frontends.python.tensors.memory import surely_view  # noqa: E402
from tensorproof.terms.tensor import UNKNOWN_STRIDES, Storage, TensorType  # noqa: E402

Laid = Callable[[torch.Tensor], torch.Tensor]


def swapped(t: torch.Tensor) -> torch.Tensor:
    return t.transpose(-1, -2).contiguous().transpose(-1, -2) if t.dim() >= 2 and t.layout is torch.strided else t


def channels_last(t: torch.Tensor) -> torch.Tensor:
    return t.movedim(1, -1).contiguous().movedim(-1, 1) if t.dim() >= 3 and t.layout is torch.strided else t


LAYINGS: dict[str, Laid] = {
    "as it is": lambda t: t, "transposed": swapped, "channels last": channels_last,
    "first transposed alone": swapped, "first channels last alone": channels_last,
}  # fmt: skip


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(mapped(v, change) for v in value)
    return {k: mapped(v, change) for k, v in value.items()} if isinstance(value, dict) else value


def tensors(value: Any) -> list[Any]:
    if isinstance(value, (torch.Tensor, TensorType)):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    return [t for v in value.values() for t in tensors(v)] if isinstance(value, dict) else []


def ours(value: Any) -> Any:
    """Arguments as the catalogue takes them, each tensor in a memory of its own."""
    if isinstance(value, torch.Tensor):
        return to_ours(encode(value)).but(base=Storage(object()))
    if isinstance(value, (list, tuple)):
        return type(value)(ours(v) for v in value) if type(value) in (list, tuple) else to_ours(encode(value))
    return {k: ours(v) for k, v in value.items()} if isinstance(value, dict) else to_ours(encode(value))


def place(t: torch.Tensor) -> int:
    return t.untyped_storage().data_ptr() if t.layout is torch.strided else 0


def faults(given: list[torch.Tensor], mine: list[TensorType], result: Any, outcome: Outcome) -> Iterator[str]:
    """The claims about one call that torch does not keep."""
    real, said = tensors(result), tensors(outcome.outputs)
    sure = bool(outcome.applied) and all(one.op.aliases and surely_view(one, one.arguments[one.op.aliases]) for one in outcome.applied)
    if len(real) != len(said):
        return
    places = {place(t): m for t, m in zip(given, mine) if place(t)}
    for t, s in zip(real, said):
        if t.layout is not torch.strided or tuple(t.shape) != tuple(s.shape) or t.numel() == 0:
            continue
        steps = [n for n, size in zip(t.stride(), t.shape) if size != 1]
        if s.strides is None and not t.is_contiguous():
            yield f"contiguous, and torch has {t.stride()} for {tuple(t.shape)}"
        elif s.strides is not None and s.strides != UNKNOWN_STRIDES and [n for n, size in zip(s.strides, t.shape) if size != 1] != steps:
            yield f"strides {s.strides}, and torch has {t.stride()} for {tuple(t.shape)}"
        if place(t) in places and s.base is None:
            yield "new memory, and torch shares it with an argument"
        if sure and place(t) not in places and any(s.base is m.base for m in mine):
            yield "surely a view, and torch makes a copy"


def tried(name: str, function: Any, args: Any, kwargs: Any, claim: Callable[[Any, Any], Any]) -> Iterator[str]:
    for word, lay in LAYINGS.items():
        laid, named = ((mapped(args[0], lay), *args[1:]), kwargs) if word.endswith("alone") and args else (mapped(args, lay), mapped(kwargs, lay))
        given = tensors([laid, named])
        if word != "as it is" and all(a is b for a, b in zip(given, tensors([args, kwargs]))):
            continue
        try:
            mine, mine_named = ours(laid), ours(named)
        except KeyError:
            continue
        claimed = claim(mine, mine_named)
        if claimed is None:
            continue
        try:
            result = function(*laid, **named)
        except Exception:
            continue
        for fault in faults(given, tensors([mine, mine_named]), result, claimed):
            yield f"{name} [{word}] {[tuple(t.shape) for t in given]}: we say {fault}"


def operators(pattern: str, most: int) -> Iterator[tuple[str, str]]:
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if not fnmatch.fnmatch(op.formatted_name, pattern):
            continue
        spelling, adapt = spelled(op.formatted_name, op.name)
        supported = op.supported_dtypes("cpu") or op.dtypes
        dtype = next((d for d in (torch.float32, torch.int64, torch.bool, torch.complex64) if d in supported), None)
        if dtype is None or not known(spelling):
            continue
        try:
            function = resolve(spelling)
            torch.manual_seed(0)
            samples = [s for s, _ in zip(op.sample_inputs("cpu", dtype, requires_grad=False), range(most))]
        except Exception:
            continue
        for sample in samples:
            try:
                args, kwargs = adapt(sample.input, *sample.args, **sample.kwargs)
            except Exception:
                continue

            def claim(given: Any, named: Any, spelling: str = spelling) -> Any:
                outcome = call(spelling, tuple(given), named)
                return None if outcome.refused is not None or outcome.unknown is not None else outcome

            for line in tried(spelling, function, args, kwargs, claim):
                yield spelling, line


def modules(pattern: str, most: int) -> Iterator[tuple[str, str]]:
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        name = f"torch.nn.{info.module_cls.__name__}"
        if not fnmatch.fnmatch(name, pattern) or not known(name):
            continue
        try:
            inputs = list(info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=True))[:most]
        except Exception:
            continue
        for given in inputs:
            if given.forward_input is None:
                continue
            init = given.constructor_input
            try:
                real = info.module_cls(*init.args, **init.kwargs)
                made = call(name, ours(tuple(init.args)), ours(dict(init.kwargs))).outputs
            except Exception:
                continue

            def claim(given: Any, named: Any, made: Any = made) -> Any:
                outcome = call_module(made, tuple(given), named) if isinstance(made, Module) else None
                return None if outcome is None or outcome.refused is not None or outcome.unknown is not None else outcome

            for line in tried(name, real, tuple(given.forward_input.args), dict(given.forward_input.kwargs), claim):
                yield name, line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--entry", default="*")
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--modules", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    shown: dict[str, int] = {}
    with torch.no_grad():
        for name, line in (modules if options.modules else operators)(options.entry, options.most):
            shown[name] = shown.get(name, 0) + 1
            if shown[name] <= 3:
                print(line, flush=True)
    print(f"{sum(shown.values())} wrong claims about {len(shown)} spellings")


if __name__ == "__main__":
    main()
