"""An ONNX model with every value that is asked for among its outputs: run by onnxruntime where it is installed, else by ONNX's own reference."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from tensorproof.runners.searching import Look, Source, Values, judged

Run = Callable[[list[str], Mapping[str, object]], list[Any]]


class Model:
    """`results` are the names of values by node: those that operations compute, and those that are inputs."""

    def __init__(self, path: str, results: Mapping[str, Sequence[str]]) -> None:
        data = Path(path).read_bytes()
        self._model = onnx.load_model_from_string(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        self._results = results
        self._makers = {output: node for node in self._model.graph.node for output in node.output if output}
        self._constants = {one.name for one in self._model.graph.initializer}
        self._fed: dict[str, str] = {}
        self._sources: dict[str, Source] = {}
        self._runs: dict[str, Run] = {}

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        own = {value: one for one in sources for name in one.names for value in self._results.get(name, (name,))}
        declared = {value.name for value in self._model.graph.input}
        self._fed.update({one.name: value for value, one in own.items() if value in declared})
        self._sources.update({one.name: one for one in sources})
        return [one for one in sources if one.name in self._fed]

    def look(self, target: str, values: Values) -> Look:
        node = self._makers[self._results[target][0]]
        wanted = [value for value in dict.fromkeys([*node.input, *node.output]) if value]
        feeds = {self._fed[name]: _typed(value, self._sources[name].dtype) for name, value in values.items() if name in self._fed}
        seen = dict(zip(wanted, self._run(target, wanted, feeds)))
        operands = [seen[value] for value in node.input if value and _real(seen[value])]
        return judged(operands, [seen[value] for value in node.output if value and _real(seen[value])])

    def slopes(self, target: str, values: Values, part: int, goal: str) -> Values | None:
        return None

    def _run(self, target: str, wanted: list[str], feeds: Mapping[str, object]) -> list[NDArray[Any]]:
        if target not in self._runs:
            self._runs[target] = _started(self._with_outputs(wanted))
        run = self._runs[target]
        return list(run(wanted, feeds))

    def _with_outputs(self, wanted: list[str]) -> onnx.ModelProto:
        """The part of the model that computes some values, with them as its outputs."""
        made = onnx.ModelProto()
        made.CopyFrom(self._model)
        needed, pending = set[str](), list(wanted)
        while pending:
            value = pending.pop()
            if value not in needed:
                needed.add(value)
                maker = self._makers.get(value)
                pending += [*maker.input, *_captured(maker)] if maker is not None else []
        kept = [node for node in self._model.graph.node if any(output in needed for output in node.output)]
        del made.graph.node[:]
        made.graph.node.extend(kept)
        del made.graph.output[:]
        made.graph.output.extend(helper.make_empty_tensor_value_info(value) for value in wanted)
        return made


def _captured(node: onnx.NodeProto) -> list[str]:
    """The values that the bodies of a node read."""
    bodies = [a.g for a in node.attribute if a.HasField("g")] + [g for a in node.attribute for g in a.graphs]
    return [value for body in bodies for inner in body.node for value in (*inner.input, *_captured(inner))]


def _started(model: onnx.ModelProto) -> Run:
    try:
        runtime: Any = import_module("onnxruntime")
    except ImportError:
        from onnx.reference import ReferenceEvaluator

        return ReferenceEvaluator(model).run
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    started: Run = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run
    return started


def _typed(value: object, dtype: str) -> NDArray[Any]:
    if dtype == "bfloat16":
        import ml_dtypes

        return np.asarray(value).astype(ml_dtypes.bfloat16)
    return np.asarray(value)


def _real(value: object) -> bool:
    return isinstance(value, np.ndarray | np.generic) and (value.dtype.kind == "f" or "float" in str(value.dtype))
