"""ONNX models read whole: values become edges, subgraphs see the values around them, foreign files are refused in one sentence."""

from __future__ import annotations

import gzip
import random
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.onnx import parse, read
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.graph import Constant, DeclaredShape, Edge, Graph
from tensorproof.terms.dtypes import DType
from tests.unit.test_graphdef_reading import field, varint


def model(graph: bytes, *more: bytes, opset: int = 17) -> bytes:
    return field(1, 8) + field(7, graph) + field(8, field(2, opset)) + b"".join(more)


def node(op: str, inputs: str, outputs: str, *attributes: bytes, name: str = "", domain: str = "") -> bytes:
    """Inputs and outputs in one string each; `-` is one left out."""
    wires = [(1, value) for value in inputs.split()] + [(2, value) for value in outputs.split()]
    wired = b"".join(field(number, "" if value == "-" else value) for number, value in wires)
    return wired + field(3, name) + field(4, op) + b"".join(field(5, given) for given in attributes) + field(7, domain)


def value(name: str, dtype: int, *axes: int | str | None) -> bytes:
    dims = b"".join(field(1, b"" if axis is None else field(2, axis) if isinstance(axis, str) else field(1, axis)) for axis in axes)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, dims)))


def tensor(name: str, dtype: int, dims: tuple[int, ...], data: bytes) -> bytes:
    return b"".join(field(1, size) for size in dims) + field(2, dtype) + field(8, name) + data


def single(number: int, number_as_float: float) -> bytes:
    return varint(number << 3 | 5) + struct.pack("<f", number_as_float)


GRAPH = (
    field(1, node("Conv", "x w - ", "y", field(1, "pads") + field(20, 7) + field(8, varint(1) * 4), name="conv"))
    + field(1, node("Split", "y", "a b", field(1, "axis") + field(20, 2) + field(3, -1)))
    + field(5, tensor("w", 1, (1, 2), field(9, struct.pack("<2f", 1.5, 2.5))))
    + field(11, value("x", 1, "batch", 3, None))
    + field(11, value("w", 1, 1, 2))
    + field(12, value("b", 1))
    + field(13, value("y", 1, "batch", 1, 1))
)


def constant(dtype: int, dims: tuple[int, ...], data: bytes) -> Constant:
    graph = parse(model(field(5, tensor("c", dtype, dims, data))))
    made = graph.nodes["c"].attributes["value"]
    assert isinstance(made, Constant)
    return made


def test_values_become_edges() -> None:
    graph = parse(model(GRAPH))
    assert graph.opsets == {"": 17}
    assert graph.inputs == ("x",)
    assert graph.nodes["x"].attributes == {"dtype": DType.FLOAT32, "shape": DeclaredShape(("batch", 3, None))}
    conv = graph.nodes["conv"]
    assert conv.inputs == (Edge("x"), Edge("w"), None)
    assert conv.attributes == {"pads": (1, 1, 1, 1)}
    assert graph.nodes["Split_1"].attributes == {"axis": -1}
    assert graph.outputs == (Edge("Split_1", 1),)
    assert graph.output_names == ("b",)
    assert graph.declared["y"] == (DType.FLOAT32, DeclaredShape(("batch", 1, 1)))


def test_an_initialiser_that_is_also_an_input_is_a_constant() -> None:
    weight = parse(model(GRAPH)).nodes["w"]
    assert weight.spelling == "Constant"
    made = weight.attributes["value"]
    assert isinstance(made, Constant)
    assert made.contents() == (1.5, 2.5)


def test_gzipped_models_read(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(gzip.compress(model(GRAPH)))
    assert "conv" in read(tmp_path / "m.onnx").nodes


def test_tensors_of_every_encoding() -> None:
    assert constant(1, (2,), field(4, struct.pack("<2f", 1, 2))).contents() == (1.0, 2.0)
    assert constant(1, (2,), single(4, 1) + single(4, 2)).contents() == (1.0, 2.0)
    assert constant(6, (2,), field(5, varint(7) + varint(-1))).contents() == (7, -1)
    assert constant(7, (1,), field(7, -5)).contents() == (-5,)
    assert constant(9, (2,), field(5, b"\x01\x00")).contents() == (True, False)
    assert constant(10, (1,), field(5, 15360)).contents() == (1.0,)
    assert constant(16, (1,), field(5, 16256)).contents() == (1.0,)
    assert constant(8, (2,), field(6, "a") + field(6, b"\xff")).contents() == ("a", b"\xff")
    assert constant(11, (1,), field(10, struct.pack("<d", 0.1))).contents() == (0.1,)
    assert constant(13, (1,), field(11, 2**64 - 1)).contents() == (2**64 - 1,)
    assert constant(14, (1,), field(4, struct.pack("<2f", 1, 2))).contents() == (1 + 2j,)
    assert constant(22, (3,), field(9, b"\xf1\x07")).contents() == (1, -1, 7)
    assert constant(7, (), field(9, struct.pack("<q", 3))).contents() == (3,)
    assert constant(7, (0,), b"").contents() == ()


def test_data_in_another_file_is_noted_and_not_read() -> None:
    made = constant(1, (2,), field(13, field(1, "location") + field(2, "../../etc/passwd")) + field(14, 1))
    assert made.contents() is None
    assert made.missing == "external data in ../../etc/passwd"


def test_stripped_weights_are_missing_and_no_error() -> None:
    made = constant(1, (2,), b"")
    assert made.contents() is None
    assert made.missing == "no data in the file"


def test_attributes_of_every_kind() -> None:
    attributes = (
        field(1, "f") + field(20, 1) + single(2, 0.5),
        field(1, "i") + field(20, 2) + field(3, -2),
        field(1, "zero") + field(20, 2),
        field(1, "s") + field(20, 3) + field(4, "SAME_UPPER"),
        field(1, "none") + field(20, 7),
        field(1, "floats") + field(20, 6) + field(7, struct.pack("<2f", 1, 2)),
        field(1, "strings") + field(20, 8) + field(9, "a") + field(9, "b"),
        field(1, "untyped") + field(8, 4) + field(8, 5),
        field(1, "ref") + field(20, 2) + field(21, "outer"),
    )
    made = parse(model(field(1, node("Op", "", "y", *attributes, name="n")))).nodes["n"].attributes
    assert made == {
        "f": 0.5,
        "i": -2,
        "zero": 0,
        "s": "SAME_UPPER",
        "none": (),
        "floats": (1.0, 2.0),
        "strings": ("a", "b"),
        "untyped": (4, 5),
        "ref": "$outer",
    }


def test_element_types_in_attributes_are_element_types() -> None:
    cast = node("Cast", "x", "y", field(1, "to") + field(20, 2) + field(3, 10), name="cast")
    graph = parse(model(field(1, cast) + field(11, value("x", 1))))
    assert graph.nodes["cast"].attributes["to"] is DType.FLOAT16


def test_subgraphs_see_the_values_around_them() -> None:
    branch = field(1, node("Relu", "x", "r")) + field(12, value("r", 1))
    other = field(1, node("Neg", "r0", "r")) + field(5, tensor("r0", 1, (), field(9, struct.pack("<f", 1)))) + field(12, value("r", 1))
    choice = node("If", "c", "y", field(1, "then_branch") + field(20, 5) + field(6, branch), field(1, "else_branch") + field(20, 5) + field(6, other))
    graph = parse(model(field(1, choice) + field(11, value("x", 1, 2)) + field(11, value("c", 9)) + field(12, value("y", 1))))
    then, other_graph = (graph.nodes["If_0"].attributes[name] for name in ("then_branch", "else_branch"))
    assert isinstance(then, Graph) and isinstance(other_graph, Graph)
    assert then.nodes["Relu_0"].inputs == (Edge("x"),)
    assert "x" not in then.nodes
    assert other_graph.nodes["Neg_0"].inputs == (Edge("r0"),)


def test_node_names_are_unique_in_the_whole_model() -> None:
    twice = field(1, node("Relu", "x", "y", name="n")) + field(1, node("Relu", "y", "n", name="n")) + field(11, value("x", 1))
    graph = parse(model(twice + field(12, value("n", 1))))
    assert list(graph.nodes) == ["x", "n", "n_1"]
    assert graph.outputs == (Edge("n_1"),)


def test_functions_of_the_model_are_graphs() -> None:
    function = field(1, "Twice") + field(4, "v") + field(5, "w") + field(6, "k") + field(10, "mine")
    function += field(7, node("Add", "v v", "w")) + field(9, field(2, 18))
    call = field(1, node("Twice", "x", "y", domain="mine")) + field(11, value("x", 1))
    graph = parse(model(call, field(25, function)))
    made = graph.functions["mine.Twice"]
    assert (made.parameters, made.attributes, made.body.opsets) == (("v",), ("k",), {"": 18})
    assert made.body.nodes["Add_0"].inputs == (Edge("v"), Edge("v"))
    assert graph.nodes["Twice_0"].domain == "mine"


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is empty"),
        (b"<html><body>not found</body></html>", "not a readable ONNX model"),
        (field(1, 8), "holds no graph"),
        (field(7, GRAPH), "of which operator set"),
        (model(GRAPH)[:-9], "ends in the middle"),
        (model(field(1, node("Relu", "x", "y"))), "a node Relu_0 that reads x, which nothing computes"),
        (model(field(12, value("y", 1))), "the graph that reads y, which nothing computes"),
        (model(field(1, node("A", "", "y")) + field(1, node("B", "", "y"))), "computes the value y twice"),
        (model(field(1, field(3, "n"))), "a node n without an operator"),
        (model(field(5, tensor("c", 1, (2,), field(9, b"abc")))), "a tensor c of 3 bytes where its shape (2,) takes 8"),
        (model(field(5, tensor("c", 6, (2,), field(5, 1)))), "a tensor c of 1 elements where its shape (2,) takes 2"),
        (model(field(5, tensor("c", 6, (-2,), b""))), "a tensor c of shape (-2,)"),
    ],
)
def test_bad_models_are_refused_in_one_sentence(data: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(BadInput) as refused:
        read(path)
    assert part in str(refused.value) and str(refused.value).endswith(".")


def test_deep_subgraphs_are_bounded() -> None:
    graph = b""
    for _ in range(60):
        graph = field(1, node("If", "", "y", field(1, "then_branch") + field(20, 5) + field(6, graph)))
    with pytest.raises(Malformed, match="deeper than"):
        parse(model(graph))


def test_a_model_changed_or_cut_anywhere_is_read_or_refused() -> None:
    random_numbers = random.Random(0)
    data = model(GRAPH)
    for length in range(1, len(data)):
        with suppress(Malformed):
            parse(data[:length])
    for _ in range(3000):
        changed = bytearray(data)
        for _ in range(random_numbers.randint(1, 3)):
            changed[random_numbers.randrange(len(changed))] = random_numbers.randrange(256)
        with suppress(Malformed):
            parse(bytes(changed))


def test_the_real_library_writes_what_we_read() -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    loop_body = helper.make_graph(
        [helper.make_node("Identity", ["keep"], ["keep_out"]), helper.make_node("Add", ["carried", "step"], ["carried_out"])],
        "body",
        [
            helper.make_tensor_value_info("i", onnx.TensorProto.INT64, []),
            helper.make_tensor_value_info("keep", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("carried", onnx.TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("keep_out", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("carried_out", onnx.TensorProto.FLOAT, [2]),
        ],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["n", "", "start"], ["end"], body=loop_body)],
        "whole",
        [helper.make_tensor_value_info("n", onnx.TensorProto.INT64, [])],
        [helper.make_tensor_value_info("end", onnx.TensorProto.FLOAT, [2])],
        [
            helper.make_tensor("start", onnx.TensorProto.FLOAT, [2], [0.0, 0.5]),
            helper.make_tensor("step", onnx.TensorProto.FLOAT16, [2], [1.0, 0.25]),
        ],
    )
    made = parse(helper.make_model(graph).SerializeToString())
    loop = made.nodes["Loop_0"]
    assert loop.inputs == (Edge("n"), None, Edge("start"))
    body = loop.attributes["body"]
    assert isinstance(body, Graph)
    assert body.inputs == ("i", "keep", "carried")
    assert body.nodes["Add_1"].inputs == (Edge("carried"), Edge("step"))
    step = made.nodes["step"].attributes["value"]
    assert isinstance(step, Constant)
    assert step.contents() == (1.0, 0.25)
