from collections.abc import Mapping, Sequence

from torch.nn import Module

class Node:
    name: str
    op: str
    meta: Mapping[str, object]
    all_input_nodes: Sequence[Node]

class Graph:
    nodes: Sequence[Node]

class GraphModule(Module):
    graph: Graph

class Interpreter:
    def __init__(self, module: Module, garbage_collect_values: bool = True) -> None: ...
    def run(self, *args: object) -> object: ...
    def run_node(self, n: Node) -> object: ...
    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[object, ...], dict[str, object]]: ...
