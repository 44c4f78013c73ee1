"""Asks the real PyTorch what autograd keeps: for each spelling, through which inputs a gradient passes, and which tensors it saves for that.

    python tools/make_derivatives.py [NAME …]      writes src/tensorproof/bindings/derivatives.txt

Each spelling is called with one float input that requires a gradient at a time; the saved tensors of the graph are compared with the inputs and the
results by their memory (`result1` is the second of several). What some calls save and others do not is marked with `?`.
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
from tensorproof.bindings.call import operator
from tensorproof.engines.generate.calls import GeneratedCall, valid_calls
from tensorproof.runners import torch_runner

OUT = Path(__file__).parents[1] / "src/tensorproof/bindings/derivatives.txt"
COUNT, MORE = 14, 120
_torch: Any = torch


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, _torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in _tensors(v)]
    return _tensors(value.data) if type(value).__name__ == "PackedSequence" else []


def _arguments(call: GeneratedCall) -> tuple[list[Any], dict[str, Any], dict[str, list[Any]]]:
    """Real arguments, and the float tensors among them by our names."""
    listed = call.row.arguments if call.row.call_arguments is None else call.row.call_arguments
    args, kwargs = [torch_runner.real(a) for a in call.args], {k: torch_runner.real(v) for k, v in call.kwargs.items()}
    ours = {a.theirs: a.ours for a in listed}
    named: dict[str, list[Any]] = {}
    for i, value in enumerate(args):
        named.setdefault(listed[min(i, len(listed) - 1)].ours, []).extend(_tensors(value))
    for name, value in kwargs.items():
        named.setdefault(ours.get(name, name), []).extend(_tensors(value))
    return args, kwargs, named


def _memory(t: Any) -> int:
    try:
        return int(t.untyped_storage().data_ptr()) if t.numel() else 0
    except (RuntimeError, NotImplementedError):
        return 0


def _saved(outputs: list[Any]) -> list[Any] | None:
    """The tensors that a graph keeps; None where a part of it cannot be looked into."""
    found: list[Any] = []
    waiting, seen = [t.grad_fn for t in outputs if t.grad_fn is not None], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            continue
        for name in dir(node):
            if name.startswith("_saved_"):
                found += _tensors(getattr(node, name))
        waiting += [parent for parent, _ in node.next_functions]
    return found


def _once(call: GeneratedCall, which: str) -> set[str] | None:
    """What one call saves when one of its inputs requires a gradient; None when it cannot be said; {"-"} when no gradient passes."""
    function = torch_runner.find(call.name)
    module = None
    if call.init is not None:
        module = function = function(**torch_runner.real(call.init))
        if isinstance(module, _torch.nn.Module):
            for parameter in module.parameters():
                parameter.requires_grad_(False)
    args, kwargs, named = _arguments(call)
    if module is not None and isinstance(module, _torch.nn.Module):
        for name, t in (*module.named_parameters(), *module.named_buffers()):
            named.setdefault(name if name in ("weight", "bias") else "params", []).append(t)
    chosen = [t for t in named.get(which, []) if t.is_floating_point() and t.layout == _torch.strided]
    if not chosen or not all(t.numel() for held in named.values() for t in held):
        return None
    for t in chosen:
        t.requires_grad_(True)
    if call.name.startswith("torch.Tensor.") and not callable(function):
        result = function.__get__(args[0])
    else:
        result = function(*args, **kwargs)
    if not all(t.numel() for t in _tensors(result)):
        return None
    outputs = [t for t in _tensors(result) if t.requires_grad]
    if not outputs:
        return {"-" if any(t.is_floating_point() for t in _tensors(result)) else "whole"}
    saved = _saved(outputs)
    if saved is None:
        return None
    places = {_memory(t): name for name, held in named.items() for t in held if _memory(t)}
    results = {_memory(t): f"result{i}" if i else "result" for i, t in reversed([*enumerate(_tensors(result))])}
    return {places.get(at) or results.get(at, "other") for at in (_memory(t) for t in saved if t.numel())}


def facts(name: str) -> dict[str, dict[str, int]] | None:
    """For each input: how often each tensor was saved, and under "" how often it was asked."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    _ask(name, COUNT, found)
    if any(a.ours not in found for one in tables.rows(name) for a in one.arguments):  # an input that no call had as floats: more calls
        found.clear()
        _ask(name, MORE, found)
    return found or None


def _ask(name: str, count: int, found: dict[str, dict[str, int]]) -> None:
    for call in valid_calls(name, count, seed=3, tries=60 * count):
        try:
            _, _, named = _arguments(call)
            inputs = list(named)
            if call.init is not None:
                inputs += ["weight", "bias", "params"]
        except Exception:
            continue
        for which in dict.fromkeys(inputs):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    saved = _once(call, which)
            except Exception:
                continue
            if saved is not None:
                found[which][""] += 1
                for one in saved:
                    found[which][one] += 1


def row(found: dict[str, dict[str, int]]) -> str:
    """`x<y,result? y<x mask-`: what is saved for the gradient of each input; no gradient passes through the mask."""
    parts = []
    for which, saved in sorted(found.items()):
        asked = saved[""] - saved.get("-", 0) - saved.get("whole", 0)
        if asked <= 0:
            parts.append(f"{which}-")
            continue
        kept = [one if n == asked and not saved.get("-") else f"{one}?" for one, n in sorted(saved.items()) if one not in ("", "-", "whole")]
        parts.append(f"{which}{'?' if saved.get('-') else ''}<{','.join(kept)}")
    return " ".join(parts) or "-"


def in_child(name: str) -> str:
    """A spelling's row, found in a child process: some calls end it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            found = facts(name)
            os.write(write, (row(found) if found else "").encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        made = answer.read()
    os.waitpid(child, 0)
    return made


MEMORY = 4 << 30
LEFT_OUT = frozenset({"torch.histogramdd"})
"""Calls that take more memory than there is, whatever the limit."""


def _declared(name: str) -> bool:
    """Whether the declaration of its operator says it."""
    op = operator(tables.rows(name)[0].op)
    return bool(op.gradient) and not op.writes


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    _torch.set_num_threads(1)
    homes = ("torch.",)
    names = sys.argv[1:] or [n for n in tables.names("torch") if n.startswith(homes) and not n.startswith("torch.ops")]
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(set(names)):
        if (name.endswith("_") and not name.endswith("__")) or name in LEFT_OUT or torch_runner.unsafe(name) or _declared(name):
            continue
        found = in_child(name)
        print(name, found, file=sys.stderr, flush=True)
        if found:
            groups[found].append(name.removeprefix("torch."))
    lines = [f"{facts}: {' '.join(held)}" for facts, held in sorted(groups.items())]
    if len(sys.argv) == 1:
        OUT.write_text("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
