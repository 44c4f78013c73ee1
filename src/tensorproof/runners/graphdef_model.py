"""A GraphDef, MetaGraph or SavedModel in a session of TensorFlow: sources are fed, variables are assigned, and any node can be looked at.

Bodies of functions that hold a node which is asked for are put in place of the calls, under the names that the calls give them.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from tensorflow.compat import v1
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.core.protobuf.saver_pb2 import SaverDef
from tensorflow.python.framework.function_def_to_graph import function_def_to_graph_def

from tensorproof.runners.graphdef_checks import RESULT, behind, in_loop, located
from tensorproof.runners.searching import Look, Source, Values, judged

_CONTROL_CHARACTERS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_FIRST_FIELD = re.compile(rb"(?:\s|#[^\n]*\n)*([A-Za-z_]\w*)\s*[:{<]")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")


Loaded = tuple[GraphDef, SaverDef | None, str]


def load(path: str, index: int = 0) -> Loaded:
    """The GraphDef in a file; of a SavedModel the one tagged `serve` is the first. With what restores its variables, and from which checkpoint."""
    file = Path(path)
    if file.is_dir():
        file = next(file / name for name in ("saved_model.pb", "saved_model.pbtxt") if (file / name).is_file())
    data = file.read_bytes()
    made = _message(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    if isinstance(made, GraphDef):
        return made, None, ""
    if isinstance(made, MetaGraphDef):
        metas, checkpoint = [made], file.with_suffix("")
    else:
        metas, checkpoint = sorted(made.meta_graphs, key=lambda meta: "serve" not in meta.meta_info_def.tags), file.parent / "variables" / "variables"
    saver = metas[index].saver_def
    return metas[index].graph_def, saver if saver.restore_op_name and Path(f"{checkpoint}.index").is_file() else None, str(checkpoint)


def _message(data: bytes) -> GraphDef | SavedModel | MetaGraphDef:
    if not _CONTROL_CHARACTERS.search(data[:4096]):
        first = _FIRST_FIELD.match(data)
        field = first[1].decode() if first else ""
        kinds: tuple[type[GraphDef | SavedModel | MetaGraphDef], ...] = (GraphDef, SavedModel, MetaGraphDef)
        kind = next(k for k in kinds if field in k.DESCRIPTOR.fields_by_name)
        return text_format.Parse(data.decode("latin-1"), kind(), allow_unknown_field=True)
    if data[:1] == b"\x08":
        return SavedModel.FromString(data)
    try:
        made = GraphDef.FromString(data)
        if made.node and all(node.op and node.op.isidentifier() for node in made.node):
            return made
    except DecodeError:
        pass
    return MetaGraphDef.FromString(data)


class Model:
    """A graph, with the session that runs it."""

    def __init__(self, path: str, index: int, targets: Sequence[str]) -> None:
        self._loaded = load(path, index)
        definition = self._loaded[0]
        for node in definition.node:
            node.device = ""
            node.attr.pop("_class", None)
        self._checked: dict[str, _Checked] = {}
        self._start(definition, targets)

    def _start(self, definition: GraphDef, targets: Sequence[str]) -> None:
        _, saver, checkpoint = self._loaded
        self.graph = tf.Graph()
        with self.graph.as_default():
            v1.import_graph_def(definition, name="")
            _put_in_place(self.graph, definition, targets)
        self.session = v1.Session(graph=self.graph, config=v1.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=1))
        if saver is not None:
            self.session.run(saver.restore_op_name, {saver.filename_tensor_name: checkpoint})
        self._fed: dict[str, list[tf.Tensor]] = {}
        self._assigned: dict[str, tuple[tf.Tensor, tuple[tf.Tensor, tf.Tensor | tf.Operation]]] = {}
        self._sources: dict[str, Source] = {}
        self._slopes: dict[tuple[str, int, str], dict[str, tf.Tensor] | None] = {}

    # --- sources ---

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        if not _known(self.graph, target) or in_loop(self.graph.get_operation_by_name(target)):
            self._checked[target] = _Checked(self._loaded, target)
            return self._checked[target].reads(self._checked[target].top, sources)
        return self._above(target, sources)

    def _above(self, target: str, sources: Sequence[Source]) -> list[Source]:
        for one in sources:
            if one.name not in self._sources:
                self._sources[one.name] = one
                self._place(one)
        fed = {tensor.ref(): one.name for one in sources for tensor in self._fed.get(one.name, ())}
        held = {holder.op: name for name, (holder, _) in self._assigned.items()}
        names, seen, pending = set[str](), set[tf.Operation](), [self.graph.get_operation_by_name(target)]
        while pending:
            operation = pending.pop()
            if operation in seen:
                continue
            seen.add(operation)
            if operation in held:
                names.add(held[operation])
            for tensor in operation.inputs:
                if tensor.ref() in fed:
                    names.add(fed[tensor.ref()])
                else:
                    pending.append(tensor.op)
            pending += operation.control_inputs
        return [one for one in sources if one.name in names]

    def _place(self, one: Source) -> None:
        """Where the value of a source goes: to tensors that are fed, or into a variable."""
        inside = set(one.names)
        for name in one.names:
            tensor = self._tensor(name)
            if tensor is None or any(_name(i) in inside for i in tensor.op.inputs):
                continue
            holder = _holder(tensor)
            if holder is None:
                if self.graph.is_feedable(tensor):
                    self._fed.setdefault(one.name, []).append(tensor)
            elif one.name not in self._assigned:
                with self.graph.as_default():
                    value = v1.placeholder(tf.as_dtype(one.dtype), one.shape)
                    if holder.op.type == "VarHandleOp":
                        write: tf.Tensor | tf.Operation = tf.raw_ops.AssignVariableOp(resource=holder, value=value)
                    else:
                        write = tf.raw_ops.Assign(ref=holder, value=value, validate_shape=False)
                self._assigned[one.name] = holder, (value, write)

    def _tensor(self, name: str) -> tf.Tensor | None:
        node, _, output = name.partition(":")
        try:
            return self.graph.get_operation_by_name(node).outputs[int(output or 0)]
        except (KeyError, IndexError):
            return None

    def _feeds(self, values: Values) -> dict[tf.Tensor, NDArray[np.generic]]:
        """Write variables, and give what is fed."""
        found: dict[tf.Tensor, NDArray[np.generic]] = {}
        writes, written = list[tf.Tensor | tf.Operation](), dict[tf.Tensor, NDArray[np.generic]]()
        for name, value in values.items():
            own = self._sources[name].dtype
            array = np.asarray(value, tf.as_dtype(own).as_numpy_dtype)
            found.update((tensor, array) for tensor in self._fed.get(name, ()))
            if name in self._assigned:
                place, write = self._assigned[name][1]
                written[place] = array
                writes.append(write)
        if writes:
            self.session.run(writes, written)
        return found

    # --- runs ---

    def look(self, target: str, values: Values) -> Look:
        if target in self._checked:
            return self._checked[target].look(target, values)
        operation = self.graph.get_operation_by_name(target)
        operands = [t for t in operation.inputs if t.dtype.is_floating]
        results = [t for t in operation.outputs if t.dtype.is_floating]
        feeds = self._feeds(values)
        seen = self.session.run([operands, results], feeds)
        return judged(*seen)

    def slopes(self, target: str, values: Values, part: int, goal: str) -> Values | None:
        if target in self._checked:
            return None
        key = target, part, goal
        if key not in self._slopes:
            self._slopes[key] = self._gradients(target, part, goal)
        found = self._slopes[key]
        if found is None:
            return None
        made = self.session.run({name: g for name, g in found.items() if name in values}, self._feeds(values))
        return {name: np.asarray(g, np.float64) for name, g in made.items()}

    def _gradients(self, target: str, part: int, goal: str) -> dict[str, tf.Tensor] | None:
        operation = self.graph.get_operation_by_name(target)
        parts = [t for t in (*operation.inputs, *operation.outputs) if t.dtype.is_floating]
        places = {name: self._fed[name][0] for name in self._fed if self._sources[name].real}
        places.update({name: holder for name, (holder, _) in self._assigned.items() if self._sources[name].real})
        with self.graph.as_default():
            try:
                x = parts[part]
                grown = v1.reduce_max(x) if goal == "high" else -v1.reduce_min(x if goal == "low" else tf.abs(x))
                made = v1.gradients(grown, list(places.values()), unconnected_gradients="none")
            except (LookupError, AttributeError, TypeError, ValueError, NotImplementedError):
                return None  # an operation on the way has no gradient, or a loop lost its context
            return {name: tf.convert_to_tensor(g) for name, g in zip(places, made) if g is not None} or None


class _Checked(Model):
    """The graph with checks around a node that cannot be fetched. `top` is the node of the graph in which it lies."""

    def __init__(self, loaded: Loaded, target: str) -> None:
        definition = GraphDef.FromString(loaded[0].SerializeToString())
        found = located(definition, target)
        if found is None:
            raise KeyError(f"there is no node {target}")
        place, self.top = found
        place.add()
        self._loaded = definition, *loaded[1:]
        self._checked = {}
        self._start(definition, ())
        top = self.graph.get_operation_by_name(self.top)
        self._wanted = behind(top) or [t for t in top.outputs if t.dtype not in (tf.resource, tf.variant)] or top

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        return self._above(target, sources)

    def look(self, target: str, values: Values) -> Look:
        try:
            self.session.run(self._wanted, self._feeds(values))
        except tf.errors.InvalidArgumentError as error:
            if RESULT not in str(error):
                return Look(())
            return Look((), "nan" if "NaN" in str(error).partition(RESULT)[2][:80] else "inf")
        return Look(())


def _name(tensor: tf.Tensor) -> str:
    return str(tensor.name).removesuffix(":0")


def _holder(tensor: tf.Tensor) -> tf.Tensor | None:
    """The variable that a tensor is or reads; None where it is not one."""
    if tensor.op.type in _VARIABLES:
        return tensor
    while tensor.op.type in ("ReadVariableOp", "Identity", "Switch", "Enter") and tensor.op.inputs:
        tensor = tensor.op.inputs[0]
        if tensor.op.type == "VarHandleOp":
            return tensor
    return None


def _put_in_place(graph: tf.Graph, definition: GraphDef, targets: Sequence[str]) -> None:
    """Put bodies in place of calls on the way to nodes that are asked for, and let their readers read the bodies' results."""
    functions = {f.signature.name: f for f in definition.library.function}
    for target in targets:
        parts = target.split("/")
        for i in range(1, len(parts)):
            name = "/".join(parts[:i])
            try:
                operation = graph.get_operation_by_name(name)
            except KeyError:
                continue
            called = operation.get_attr("f").name if operation.type in _CALLS else operation.type
            if called not in functions or _known(graph, target):
                continue
            body, names = function_def_to_graph_def(functions[called])
            for node in body.node:
                node.device = ""
                node.attr.pop("_class", None)
            arguments = {f"{argument.name}:0": value for argument, value in zip(functions[called].signature.input_arg, operation.inputs)}
            results = [names[r] for r in (functions[called].ret[o.name] for o in functions[called].signature.output_arg)]
            made = v1.import_graph_def(body, input_map=arguments, return_elements=results, name=f"{name}/")
            for old, new in zip(list(operation.outputs), made):
                for reader in list(old.consumers()):
                    for at, value in enumerate(reader.inputs):
                        if value is old:
                            reader._update_input(at, new)


def _known(graph: tf.Graph, name: str) -> bool:
    try:
        graph.get_operation_by_name(name)
    except KeyError:
        return False
    return True
