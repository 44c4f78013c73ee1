"""Shapes flow from sources through branches, loops, functions and subgraphs; what is not understood is counted."""

from __future__ import annotations

from tensorproof.engines.shapes.propagate import propagate
from tensorproof.frontends import graphdef, onnx
from tensorproof.terms.dtypes import DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.unit.test_graphdef_reading import field
from tests.unit.test_onnx_reading import model, node, tensor, value


def const(name: str, *sizes: int) -> str:
    dims = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    body = f"tensor {{ dtype: DT_INT32 tensor_shape {{ {dims} }} int_val: 7 }}"
    return f'node {{ name: "{name}" op: "Const" attr {{ key: "value" value {{ {body} }} }} }}'


def op(name: str, spelling: str, *inputs: str, attr: str = "") -> str:
    wires = " ".join(f'input: "{source}"' for source in inputs)
    return f'node {{ name: "{name}" op: "{spelling}" {wires} {attr} }}'


def placeholder(name: str, *sizes: int) -> str:
    dims = " ".join(f"dim {{ size: {size} }}" for size in sizes)
    return op(
        name,
        "Placeholder",
        attr=f'attr {{ key: "shape" value {{ shape {{ {dims} }} }} }} attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}',
    )


def shapes(*nodes: str) -> dict[str, list[Shape]]:
    found = propagate(graphdef.parse("\n".join(nodes).encode())[0])
    return {name: [output.shape for output in outputs] for name, outputs in found.outputs.items()}


def test_small_constants_carry_their_contents() -> None:
    found = propagate(graphdef.parse(const("c", 2).encode())[0])
    assert found.outputs["c"][0].contents == (7, 7)
    assert found.outputs["c"][0].dtype is DType.INT32
    assert propagate(graphdef.parse(const("c", 5000).encode())[0]).outputs["c"][0].contents is None


def test_axes_that_a_placeholder_leaves_open_are_symbols_of_its_own() -> None:
    found = shapes(placeholder("x", -1, 3), placeholder("y", -1, 3), op("z", "Identity", "x"))
    (x,), (y,), (z,) = found["x"], found["y"], found["z"]
    assert x[1] == 3 and repr(x[0]) == "x[0]"
    assert x == z and x != y


def test_inputs_may_be_given() -> None:
    given = TensorType(Shape((5, 3)), DType.FLOAT32, framework="tf")
    found = propagate(graphdef.parse((placeholder("x", -1, 3) + op("y", "Identity", "x")).encode())[0], {"x": given})
    assert found.outputs["y"][0].shape == (5, 3)


def test_an_operation_without_a_spelling_is_a_gap_and_claims_are_believed() -> None:
    claim = 'attr { key: "_output_shapes" value { list { shape { dim { size: 4 } } } } }'
    graph = graphdef.parse((const("c", 2) + op("a", "NobodyKnows", "c") + op("b", "NobodyKnows", "c", attr=claim)).encode())[0]
    found = propagate(graph)
    assert found.gaps == {"graphdef.NobodyKnows": 2}
    assert not found.outputs["a"][0].shape.known
    assert found.outputs["b"][0].shape == (4,)


def test_operations_without_results_are_no_gap() -> None:
    found = propagate(graphdef.parse((const("c", 2) + op("a", "NoOp") + op("s", "Assert", "c", "c")).encode())[0])
    assert not found.gaps and found.outputs["s"] == ()


def test_branches_join_axis_by_axis() -> None:
    found = shapes(
        const("a", 2, 3),
        const("b", 4, 3),
        const("p"),
        op("s", "Switch", "a", "p"),
        op("m", "Merge", "s", "b"),
        op("same", "Merge", "s:1", "a"),
        op("rank", "Merge", "p", "a"),
    )
    assert found["s"] == [(2, 3), (2, 3)]
    assert found["m"][0][1] == 3 and repr(found["m"][0][0]) == "m[0]"
    assert found["m"][1] == ()
    assert found["same"][0] == (2, 3)
    assert not found["rank"][0].known


def loop(enter: str, turn: str) -> dict[str, list[Shape]]:
    return shapes(
        enter,
        turn,
        const("p"),
        op("e", "Enter", "start"),
        op("m", "Merge", "e", "n"),
        op("s", "Switch", "m", "p"),
        op("n", "NextIteration", "turn"),
        op("x", "Exit", "s"),
    )


def test_a_loop_that_keeps_its_shape_is_known() -> None:
    assert loop(const("start", 2, 3), op("turn", "Identity", "s:1"))["x"] == [(2, 3)]


def test_a_loop_that_changes_its_shape_is_known_where_it_does_not() -> None:
    (out,) = loop(const("start", 2, 3), const("turn", 4, 3))["x"]
    assert out[1] == 3 and repr(out[0]) == "m[0]"
    assert not loop(const("start", 2), const("turn", 4, 3))["x"][0].known


def test_a_loop_carries_no_contents() -> None:
    graph = graphdef.parse("".join([const("start", 2), op("e", "Enter", "start"), op("m", "Merge", "e", "n"), op("n", "NextIteration", "m")]).encode())[0]
    assert propagate(graph).outputs["m"][0].contents is None


def test_a_circle_is_reported_and_does_not_hang() -> None:
    found = propagate(graphdef.parse((op("a", "Identity", "b") + op("b", "Identity", "a")).encode())[0])
    assert [name for name, _ in found.unknown] == ["a", "b"]


def test_a_resource_variable_is_read_with_the_shape_behind_its_handle() -> None:
    attr = 'attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 4 } } } }'
    found = shapes(op("v", "VarHandleOp", attr=attr), op("i", "Identity", "v"), op("r", "ReadVariableOp", "i"))
    assert found["v"] == [()] and found["r"] == [(4,)]


FUNCTIONS = """
library {
  function {
    signature { name: "same" input_arg { name: "a" type: DT_INT32 } output_arg { name: "o" type: DT_INT32 } }
    node_def { name: "i" op: "Identity" input: "a" }
    ret { key: "o" value: "i:output:0" }
  }
  function {
    signature { name: "fixed" input_arg { name: "a" type: DT_INT32 } output_arg { name: "o" type: DT_INT32 } }
    node_def { name: "g" op: "NobodyKnows" input: "a" }
    node_def { name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 9 } } } } } }
    ret { key: "o" value: "c:output:0" }
  }
  function {
    signature { name: "endless" input_arg { name: "a" type: DT_INT32 } output_arg { name: "o" type: DT_INT32 } }
    node_def { name: "again" op: "endless" input: "a" }
    ret { key: "o" value: "again:o:0" }
  }
}
"""


def func(key: str, name: str) -> str:
    return f'attr {{ key: "{key}" value {{ func {{ name: "{name}" }} }} }}'


def test_functions_are_entered() -> None:
    nodes = [
        const("c", 2),
        op("direct", "same", "c"),
        op("call", "PartitionedCall", "c", attr=func("f", "fixed")),
        op("if", "If", "c", "c", attr=func("then_branch", "same") + func("else_branch", "fixed")),
        op("while", "While", "c", attr=func("cond", "same") + func("body", "same")),
        op("grows", "StatelessWhile", "c", attr=func("cond", "same") + func("body", "fixed")),
    ]
    found = propagate(graphdef.parse(("\n".join(nodes) + FUNCTIONS).encode())[0])
    assert found.outputs["direct"][0].shape == (2,)
    assert found.outputs["call"][0].shape == (9,)
    assert repr(found.outputs["if"][0].shape) == "(if:0[0],)"
    assert found.outputs["while"][0].shape == (2,)
    assert repr(found.outputs["grows"][0].shape) == "(grows:0[0],)"
    assert found.gaps["graphdef.NobodyKnows"] >= 3


def test_a_function_that_calls_itself_ends() -> None:
    found = propagate(graphdef.parse((const("c", 2) + op("e", "endless", "c") + FUNCTIONS).encode())[0])
    assert not found.outputs["e"][0].shape.known


def graph_attribute(name: str, graph: bytes) -> bytes:
    return field(1, name) + field(20, 5) + field(6, graph)


def test_onnx_axes_of_one_name_are_one_symbol() -> None:
    found = propagate(onnx.parse(model(field(11, value("x", 1, "batch", 3)) + field(11, value("y", 1, "batch")))))
    assert found.outputs["x"][0].shape[0] is found.outputs["y"][0].shape[0]


def test_onnx_branches_loops_and_scans_are_entered() -> None:
    branch = field(1, node("Nobody", "x", "unused")) + field(5, tensor("k", 1, (2,), field(4, bytes(8)))) + field(12, value("k", 1))
    body = (
        field(11, value("i", 7))
        + field(11, value("go", 9))
        + field(11, value("state", 1))
        + field(5, tensor("each", 1, (5,), field(4, bytes(20))))
        + field(12, value("go", 9))
        + field(12, value("state", 1))
        + field(12, value("each", 1))
    )
    step = field(11, value("state", 1)) + field(11, value("slice", 1)) + field(12, value("state", 1)) + field(12, value("slice", 1))
    graph = (
        field(1, node("If", "go", "chosen", graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)))
        + field(1, node("Loop", "turns - x", "end all", graph_attribute("body", body)))
        + field(
            1,
            node(
                "Scan",
                "x x",
                "last stacked",
                graph_attribute("body", step),
                field(1, "num_scan_inputs") + field(20, 2) + field(3, 1),
                field(1, "scan_input_axes") + field(20, 7) + field(8, 1),
            ),
        )
        + field(11, value("x", 1, 3, 4))
        + field(11, value("go", 9))
        + field(5, tensor("turns", 7, (), field(7, 6)))
    )
    found = propagate(onnx.parse(model(graph)))
    assert [output.shape for output in found.outputs["If_0"]] == [(2,)]
    assert [output.shape for output in found.outputs["Loop_1"]] == [(3, 4), (6, 5)]
    assert [output.shape for output in found.outputs["Scan_2"]] == [(3, 4), (4, 3)]
    assert found.gaps == {"onnx.Nobody": 2}


def test_onnx_functions_are_entered_and_value_info_is_believed() -> None:
    function = field(1, "Pair") + field(4, "v") + field(5, "v") + field(5, "w") + field(10, "mine") + field(7, node("Nobody", "v", "w"))
    graph = field(1, node("Pair", "x", "y z", domain="mine")) + field(1, node("Nobody", "x", "claimed")) + field(11, value("x", 1, 3))
    found = propagate(onnx.parse(model(graph + field(13, value("claimed", 1, 8)), field(25, function))))
    assert found.outputs["Pair_0"][0].shape == (3,)
    assert not found.outputs["Pair_0"][1].shape.known
    assert found.outputs["Nobody_1"][0].shape == (8,)
