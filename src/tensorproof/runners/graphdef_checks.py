"""Checks around a node of a GraphDef that cannot be fetched, in a loop or a branch: a run ends where the node makes NaN or Inf of finite numbers."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Repeated
from tensorflow import Operation, Tensor
from tensorflow.core.framework.function_pb2 import FunctionDef
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.framework.op_def_pb2 import OpDef
from tensorflow.python.framework import dtypes, op_def_registry

OPERAND, RESULT = "an operand is not finite", "the result is not finite"


class Checked:
    """A place for checks: the nodes of a graph, or the body of a function."""

    def __init__(self, nodes: Repeated[NodeDef], node: NodeDef, function: FunctionDef | None = None) -> None:
        self.nodes, self.node, self.function = nodes, node, function

    def add(self) -> None:
        """Put checks before and behind the node."""
        definition = op_def_registry.get(self.node.op)
        for i, argument in enumerate(definition.input_arg):
            if i < len(self.node.input) and self._is_float(argument):
                self.node.input[i] = self._check(f"{self.node.name}_operand_{i}", self.node.input[i], self._type(argument), OPERAND)
        for i, argument in enumerate(definition.output_arg):
            if self._is_float(argument):
                self._behind(argument.name, i, self._type(argument))

    def _behind(self, output: str, i: int, kind: int) -> None:
        name = self.node.name
        olds = {f"{name}:{output}:0"} if self.function is not None else {f"{name}:{i}", *([name] if i == 0 else ())}
        before = list(self.nodes)
        new = self._check(f"{name}_result_{i}", f"{name}:{output}:0" if self.function is not None else f"{name}:{i}", kind, RESULT)
        for reader in before:
            for at, value in enumerate(reader.input):
                if value in olds:
                    reader.input[at] = new
        if self.function is not None:
            for key, value in self.function.ret.items():
                if value in olds:
                    self.function.ret[key] = new

    def _check(self, name: str, source: str, kind: int, message: str) -> str:
        made = self.nodes.add()
        made.name, made.op = name, "CheckNumerics"
        made.input.append(source)
        made.attr["T"].type = kind
        made.attr["message"].s = message.encode()
        return f"{name}:output:0" if self.function is not None else name

    def _type(self, argument: OpDef.ArgDef) -> int:
        return int(argument.type or self.node.attr[argument.type_attr].type)

    def _is_float(self, argument: OpDef.ArgDef) -> bool:
        if argument.number_attr or argument.type_list_attr or argument.is_ref:
            return False
        kind = self._type(argument)
        return bool(kind) and dtypes.as_dtype(kind).is_floating


def located(definition: GraphDef, path: str) -> tuple[Checked, str] | None:
    """The node at a path through the functions that nodes call, and the node of the graph in which it lies; itself where it is one of the graph."""
    functions = {one.signature.name: one for one in definition.library.function}
    found = _within(definition.node, None, path, functions, 0)
    return found


def _within(nodes: Repeated[NodeDef], function: FunctionDef | None, path: str, functions: dict[str, FunctionDef], depth: int) -> tuple[Checked, str] | None:
    for node in nodes:
        if node.name == path:
            return Checked(nodes, node, function), node.name
    for node in nodes:
        if path.startswith(node.name + "/") and depth < 16:
            for name in _called(node, functions):
                inner = _within(functions[name].node_def, functions[name], path[len(node.name) + 1 :], functions, depth + 1)
                if inner is not None:
                    return inner[0], node.name
    return None


def _called(node: NodeDef, functions: dict[str, FunctionDef]) -> Iterator[str]:
    if node.op in functions:
        yield node.op
    for value in node.attr.values():
        for one in [value.func, *value.list.func]:
            if one.name in functions:
                yield one.name


def behind(operation: Operation) -> list[Tensor]:
    """What can be fetched of the results of a loop or branch that holds an operation."""
    found, seen, pending = list[Tensor](), set[Operation](), [operation]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.type in ("Exit", "RefExit"):
            found += one.outputs
            continue
        pending += [reader for tensor in one.outputs for reader in tensor.consumers()]
    return found


def in_loop(operation: Operation) -> bool:
    """Whether an operation lies between the entry and the exit of a loop of TensorFlow 1."""
    seen, pending = set[Operation](), [operation]
    while pending:
        one = pending.pop()
        if one in seen or one.type in ("Exit", "RefExit"):
            continue
        if one.type in ("Enter", "RefEnter"):
            return True
        seen.add(one)
        pending += [tensor.op for tensor in one.inputs]
    return False
