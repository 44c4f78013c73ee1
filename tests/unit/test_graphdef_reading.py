"""GraphDef, MetaGraphDef and SavedModel read the same from text, from binary and from gzip."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from tensorproof.frontends.graphdef import parse, read, read_all
from tensorproof.graph import Constant, DeclaredShape, Edge, FunctionRef, Graph
from tensorproof.terms.dtypes import DType

TEXT = r"""
# a comment
node {
  name: "x"
  op: "Placeholder"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "shape"
    value {
      shape {
        dim {
          size: -1
        }
        dim {
          size: 10
        }
      }
    }
  }
}
node {
  name: "c"
  op: "Const"
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_INT32
        tensor_shape {
          dim {
            size: 2
          }
        }
        tensor_content: "\377\377\377\377\024\000\000\000"
      }
    }
  }
}
node {
  name: "r"
  op: "Reshape"
  input: "x"
  input: "c:1"
  input: "^x"
  device: "/cpu:0"
}
versions {
  producer: 27
}
"""


def field(number: int, payload: bytes | str | int) -> bytes:
    """One field on the wire: a length-delimited one, or a varint."""
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    data = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def attr(name: str, value: bytes) -> bytes:
    return field(5, field(1, name) + field(2, value))


def shape(*sizes: int) -> bytes:
    return b"".join(field(2, field(1, size)) for size in sizes)


BINARY = (
    field(
        1,
        field(1, "x") + field(2, "Placeholder") + attr("dtype", field(6, 1)) + attr("shape", field(7, shape(-1, 10))),
    )
    + field(
        1,
        field(1, "c") + field(2, "Const") + attr("value", field(8, field(1, 3) + field(2, shape(2)) + field(4, struct.pack("<2i", -1, 20)))),
    )
    + field(1, field(1, "r") + field(2, "Reshape") + field(3, "x") + field(3, "c:1") + field(3, "^x") + field(4, "/cpu:0"))
    + field(4, field(1, 27))
)


def attribute_of(body: str) -> object:
    """An attribute's value, given the text of its AttrValue."""
    graph = parse(f'node {{ name: "n" op: "O" attr {{ key: "a" value {{ {body} }} }} }}'.encode())[0]
    return graph.nodes["n"].attributes["a"]


def contents(body: str) -> tuple[object, ...] | None:
    made = attribute_of(f"tensor {{ {body} }}")
    assert isinstance(made, Constant)
    return made.contents()


def assert_is_the_example(graph: Graph) -> None:
    assert list(graph.nodes) == ["x", "c", "r"]
    assert graph.version == 27
    assert graph.inputs == ("x",)
    assert graph.nodes["x"].attributes == {"dtype": DType.FLOAT32, "shape": DeclaredShape((None, 10))}
    assert graph.nodes["r"].inputs == (Edge("x", 0), Edge("c", 1))
    assert graph.nodes["r"].control == ("x",)
    assert graph.nodes["r"].device == "/cpu:0"
    value = graph.nodes["c"].attributes["value"]
    assert isinstance(value, Constant)
    assert (value.dtype, value.shape, value.contents()) == (DType.INT32, (2,), (-1, 20))


@pytest.mark.parametrize("data", [TEXT.encode(), BINARY], ids=["text", "binary"])
def test_text_and_binary_say_the_same(data: bytes, tmp_path: Path) -> None:
    assert_is_the_example(parse(data)[0])
    (tmp_path / "m.anything").write_bytes(gzip.compress(data))
    assert_is_the_example(read(tmp_path / "m.anything"))


def test_text_nodes_know_their_line() -> None:
    assert [node.line for node in parse(TEXT.encode())[0].nodes.values()] == [i + 1 for i, line in enumerate(TEXT.split("\n")) if line == "node {"]


def test_text_needs_no_particular_layout() -> None:
    squeezed = """node{name:'x' op:"Place" 'holder';attr:<key:"dtype",value<type:1>>attr{value{shape{dim{size:- 1}dim{size:0xA}}}key:"shape"}}"""
    node = parse(squeezed.encode())[0].nodes["x"]
    assert node.spelling == "Placeholder"
    assert node.attributes == {"dtype": DType.FLOAT32, "shape": DeclaredShape((None, 10))}


def test_attributes_of_every_kind() -> None:
    assert attribute_of('s: "SAME"') == "SAME"
    assert attribute_of(r's: "\377"') == b"\xff"
    assert attribute_of("i: -3") == -3
    assert attribute_of("f: 0.5") == 0.5
    assert attribute_of("b: false") is False
    assert attribute_of("type: DT_HALF") is DType.FLOAT16
    assert attribute_of("type: DT_INT64_REF") is DType.INT64
    assert attribute_of("shape { unknown_rank: true }") == DeclaredShape(None)
    assert attribute_of("shape { }") == DeclaredShape(())
    assert attribute_of("list { i: 1 i: 2 }") == (1, 2)
    assert attribute_of("list { i: [1, 2] }") == (1, 2)
    assert attribute_of("list { type: DT_FLOAT type: DT_BOOL }") == (DType.FLOAT32, DType.BOOL)
    assert attribute_of("list { }") == ()
    assert attribute_of("") is None
    assert attribute_of('placeholder: "T"') == "$T"
    made = attribute_of('func { name: "f" attr { key: "N" value { i: 2 } } }')
    assert made == FunctionRef("f", {"N": 2})


def test_floats_of_text_are_rounded_as_binary_holds_them() -> None:
    assert attribute_of("f: 0.1") == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert attribute_of("f: 1e99") == float("inf")
    assert attribute_of("f: -inf") == float("-inf")


def test_the_last_value_of_a_tensor_fills_it() -> None:
    assert contents("dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 1.5 float_val: 2") == (1.5, 2.0, 2.0)
    assert contents("dtype: DT_INT32 tensor_shape { dim { size: 2 } }") == (0, 0)
    assert contents("dtype: DT_INT32 tensor_shape { dim { size: 0 } }") == ()


def test_tensors_of_every_encoding() -> None:
    assert contents("dtype: DT_HALF tensor_shape { } half_val: 15360") == (1.0,)
    assert contents("dtype: DT_BFLOAT16 tensor_shape { } half_val: 16256") == (1.0,)
    assert contents("dtype: DT_DOUBLE tensor_shape { } double_val: 0.1") == (0.1,)
    assert contents('dtype: DT_STRING tensor_shape { } string_val: "a\\nb"') == ("a\nb",)
    assert contents("dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: 1 scomplex_val: 2") == (1 + 2j,)
    assert contents("dtype: DT_INT64 tensor_shape { } int64_val: -9000000000") == (-9000000000,)
    assert contents("dtype: DT_UINT64 tensor_shape { } uint64_val: 18446744073709551615") == (2**64 - 1,)
    assert contents("dtype: DT_BOOL tensor_shape { } bool_val: true") == (True,)
    assert contents('dtype: DT_BOOL tensor_shape { dim { size: 2 } } tensor_content: "\\001\\000"') == (True, False)
    assert contents('dtype: DT_HALF tensor_shape { } tensor_content: "\\x00<"') == (1.0,)


def test_large_constants_are_not_unpacked() -> None:
    made = attribute_of("tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000000 } dim { size: 1000000 } } float_val: 1 }")
    assert isinstance(made, Constant)
    assert made.contents() is None


def test_escapes_of_protobuf_and_of_python_both_read() -> None:
    assert attribute_of(r's: "\?\x1\u00e9\'\"\\n"') == "?\x01é'\"\\n"
    assert attribute_of(r's: "\303\251"') == "é"


def test_packed_numbers_read_as_single_ones() -> None:
    packed = field(1, 3) + field(2, shape(3)) + field(7, varint(5) + varint(300) + varint(-2))
    unpacked = field(1, 3) + field(2, shape(3)) + field(7, 5) + field(7, 300) + field(7, -2)
    for tensor in (packed, unpacked):
        value = parse(field(1, field(1, "c") + field(2, "Const") + attr("value", field(8, tensor))))[0].nodes["c"].attributes["value"]
        assert isinstance(value, Constant)
        assert value.contents() == (5, 300, -2)


def test_float_elements_stay_raw_until_asked() -> None:
    tensor = field(1, 1) + field(2, shape(4)) + field(5, struct.pack("<2f", 1.5, 2.5))
    value = parse(field(1, field(1, "c") + field(2, "Const") + attr("value", field(8, tensor))))[0].nodes["c"].attributes["value"]
    assert isinstance(value, Constant)
    assert value.contents() == (1.5, 2.5, 2.5, 2.5)


def test_fields_we_do_not_know_are_passed_over() -> None:
    assert "n" in parse(b'node { name: "n" op: "O" experimental_type { type_id: TFT_ARRAY args { type_id: 3 } } future: [1, "a"] }')[0].nodes
    assert "n" in parse(field(1, field(1, "n") + field(2, "O") + field(99, "later") + field(98, 7)))[0].nodes


FUNCTION = """
node { name: "x" op: "Placeholder" }
node { name: "y" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "best" } } } }
library {
  function {
    signature {
      name: "best"
      input_arg { name: "v" type: DT_FLOAT }
      input_arg { name: "n" type_attr: "T" }
      output_arg { name: "out" type: DT_INT32 }
      attr { name: "T" type: "type" }
    }
    node_def { name: "k" op: "TopKV2" input: "v" input: "n" }
    node_def { name: "i" op: "Identity" input: "k:indices:0" input: "^k" }
    ret { key: "out" value: "i:output:0" }
  }
}
"""


def test_functions_are_graphs_whose_edges_count_outputs() -> None:
    graph = parse(FUNCTION.encode())[0]
    function = graph.functions["best"]
    assert function.parameters == ("v", "n")
    assert function.attributes == ("T",)
    assert function.body.nodes["v"].attributes["T"] is DType.FLOAT32
    assert function.body.nodes["n"].attributes["T"] == "$T"
    assert function.body.nodes["i"].inputs == (Edge("k", 1),)
    assert function.body.nodes["i"].control == ("k",)
    assert function.body.outputs == (Edge("i", 0),)
    assert graph.nodes["y"].attributes["f"] == FunctionRef("best", {})


def test_a_saved_model_puts_its_serving_graph_first(tmp_path: Path) -> None:
    def meta(tag: str, name: str) -> bytes:
        signature = field(1, "default") + field(2, field(2, field(1, "scores") + field(2, field(1, f"{name}:0"))))
        graph = field(1, field(1, name) + field(2, "Placeholder"))
        return field(1, field(4, tag)) + field(2, graph) + field(5, signature)

    saved = field(1, 1) + field(2, meta("train", "a")) + field(2, meta("serve", "b"))
    (tmp_path / "saved_model.pb").write_bytes(saved)
    graphs = read_all(tmp_path)
    assert [list(graph.nodes) for graph in graphs] == [["b"], ["a"]]
    assert graphs[0].outputs == (Edge("b", 0),)
    assert graphs[0].output_names == ("scores",)
    assert list(read(tmp_path).nodes) == ["b"]


def test_a_meta_graph_reads_from_text_and_binary() -> None:
    graph = field(1, field(1, "a") + field(2, "NoOp"))
    for data in (field(1, field(5, "2.21")) + field(2, graph), b'meta_info_def { } graph_def { node { name: "a" op: "NoOp" } }'):
        assert list(parse(data)[0].nodes) == ["a"]


def test_a_graph_without_a_signature_offers_its_unread_results() -> None:
    assert parse(TEXT.encode())[0].outputs == (Edge("r", 0),)
