"""Nodes, edges, graphs and functions, as a file states them. Shapes here are declared, never inferred.

Sources of data are nodes like any other: a GraphDef's `Placeholder` and `Const`; in an ONNX graph each input is a node spelled `Input`
(attributes `dtype` and `shape`) and each initialiser a node spelled `Constant` (attribute `value`), under the name of the value. An exported program
of torch (`aten`) is written likewise; the arguments of a node are attributes, named by their position or keyword, in which an `Edge` stands for a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Union

from tensorproof.graph.constants import Constant
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.records import dataclass, field

Framework = Literal["graphdef", "onnx", "aten"]


@dataclass(frozen=True, slots=True)
class DeclaredShape:
    """A shape as written in the file. An axis is a size, a name shared by all who use it (ONNX `dim_param`), a term over named sizes (an exported
    program of torch), or None, "not said".

    `axes` is None when the file says that the rank is unknown.
    """

    axes: tuple[int | str | Term | None, ...] | None

    @property
    def known(self) -> bool:
        return self.axes is not None and all(isinstance(axis, int) for axis in self.axes)


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function named by an attribute, with the attributes it is to be instantiated with."""

    name: str
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class Edge:
    """The `output_index`-th output of `node`. A node that this graph does not hold belongs to an enclosing graph."""

    node: str
    output_index: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One operation. `inputs` holds None where an optional input is left out; `control` names nodes that must run before.

    `outputs` names the results where the format does (ONNX). `line` is the line of a text file where the node begins, else 0.
    """

    name: str
    spelling: str
    framework: Framework
    inputs: tuple[Edge | None, ...] = ()
    control: tuple[str, ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, "Attribute"])
    device: str = ""
    domain: str = ""
    outputs: tuple[str, ...] = ()
    line: int = 0
    traced: str = ""
    """The line of a program that the node was made from, `FILE:LINE`, where the file says it."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A program: nodes by name, in the order of the file. `inputs` names source nodes; `outputs` is what a caller can fetch.

    `version` is the producer of a GraphDef; `opsets` maps an ONNX domain to its version ("" is the standard one).
    `declared` maps value names to the dtype and shape a file claims for them (ONNX `value_info`); it is a claim to check, not a fact.
    """

    name: str
    framework: Framework
    nodes: Mapping[str, Node]
    inputs: tuple[str, ...] = ()
    outputs: tuple[Edge, ...] = ()
    output_names: tuple[str, ...] = ()
    functions: Mapping[str, Function] = field(default_factory=dict[str, "Function"])
    version: int = 0
    opsets: Mapping[str, int] = field(default_factory=dict[str, int])
    declared: Mapping[str, tuple[DType | None, DeclaredShape]] = field(default_factory=dict[str, tuple[DType | None, DeclaredShape]])


@dataclass(frozen=True, slots=True)
class Function:
    """A named graph that nodes call: by spelling, or through a `FunctionRef`. Its parameters are the source nodes `body.inputs`."""

    name: str
    body: Graph
    parameters: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    domain: str = ""


Attribute = Union[  # noqa: UP007 - a recursive alias of strings needs Union
    int, float, bool, str, bytes, complex, DType, DeclaredShape, Constant, FunctionRef, Graph, Edge, None, tuple["Attribute", ...]
]
