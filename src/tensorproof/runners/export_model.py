"""A program of `torch.export`, run node by node: placeholders that are not sources hold what the file holds."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.export.graph_signature import InputSpec

from tensorproof.runners.searching import Look, Source, Values, judged


class _Reached(Exception):
    """The node that is asked for has been run."""


class _Run(torch.fx.Interpreter):
    """Keeps the operands and results of one node."""

    def __init__(self, module: torch.nn.Module, target: str) -> None:
        super().__init__(module, garbage_collect_values=True)
        self.target = target
        self.operands: list[torch.Tensor] = []
        self.results: list[torch.Tensor] = []

    def run_node(self, n: torch.fx.Node) -> object:
        if n.name != self.target:
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        self.operands = [t.clone() if not t.requires_grad else t for t in _floats([args, kwargs])]
        self.results = list(_floats(super().run_node(n)))
        raise _Reached


class Model:
    def __init__(self, path: str) -> None:
        data = Path(path).read_bytes()
        self.program = torch.export.load(io.BytesIO(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
        self._sources: dict[str, Source] = {}
        self._names: dict[str, str] = {}

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        nodes = {node.name: node for node in self.program.graph_module.graph.nodes}
        if target not in nodes:
            raise KeyError(f"there is no node {target}")
        above, pending = set[str](), [nodes[target]]
        while pending:
            node = pending.pop()
            if node.name not in above:
                above.add(node.name)
                pending += node.all_input_nodes
        found = [one for one in sources if any(name in above and nodes[name].op == "placeholder" for name in one.names)]
        for one in found:
            self._sources[one.name] = one
            self._names.update(dict.fromkeys(one.names, one.name))
        return found

    def look(self, target: str, values: Values) -> Look:
        with torch.no_grad():
            run, _ = self._ran(target, values, False)
        return judged([_array(t) for t in run.operands], [_array(t) for t in run.results])

    def slopes(self, target: str, values: Values, part: int, goal: str) -> Values | None:
        with torch.enable_grad():
            try:
                run, tensors = self._ran(target, values, True)
                x = [*run.operands, *run.results][part]
                grown = x.max() if goal == "high" else -x.min() if goal == "low" else -x.abs().min()
                grown.backward()
            except (IndexError, RuntimeError):
                return None
        found = {name: _array(t.grad).astype(np.float64) for name, t in tensors.items() if t.grad is not None}
        return found or None

    def _ran(self, target: str, values: Values, follow: bool) -> tuple[_Run, dict[str, torch.Tensor]]:
        tensors: dict[str, torch.Tensor] = {}
        for name, value in values.items():
            made = torch.from_numpy(np.array(value)).to(getattr(torch, self._sources[name].dtype))
            tensors[name] = made.requires_grad_(follow and made.is_floating_point())
        run = _Run(self.program.graph_module, target)
        with suppress(_Reached):
            run.run(*self._arguments(tensors))
        return run, tensors

    def _arguments(self, tensors: dict[str, torch.Tensor]) -> list[object]:
        program, found = self.program, list[object]()
        held = {**program.state_dict, **program.constants}
        for spec in program.graph_signature.input_specs:
            own = self._names.get(getattr(spec.arg, "name", ""), "")
            if own in tensors:
                found.append(tensors[own])
            elif spec.target is not None:
                value = held[spec.target]
                found.append(value.detach().clone() if isinstance(value, torch.Tensor) else value)
            else:
                found.append(self._plain(spec))
        return found

    def _plain(self, spec: InputSpec) -> object:
        """An input that the operation does not hang on: any tensor of its shape."""
        node = next((n for n in self.program.graph_module.graph.nodes if n.name == getattr(spec.arg, "name", "")), None)
        shape = node.meta.get("val") if node is not None else None
        if not isinstance(shape, torch.Tensor):
            return getattr(spec.arg, "value", None)
        return torch.zeros([int(n) if isinstance(n, int) else 32 for n in shape.shape], dtype=shape.dtype)


def _floats(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for one in value for t in _floats(one)] if isinstance(value, (tuple, list)) else []


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    return tensor.detach().double().numpy()
