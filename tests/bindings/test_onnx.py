"""Spellings of ONNX: what they say by opset, with symbols, and with inputs whose contents are not known."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, kinds
from tensorproof.bindings.kinds import element_types_named
from tensorproof.bindings.rows import names, rows
from tensorproof.ops.inputs import Tensor, Tensors
from tensorproof.terms.dtypes import ANY, BOOL, FLOAT16, FLOAT32, INT8, INT64, UINT8, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

B = symbol("b", 1)
H = symbol("h", 8)


def t(*shape: Any, dtype: DType | None = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents, framework="onnx")


def vector(*values: Any) -> TensorType:
    return t(len(values), dtype=INT64, contents=values)


def node(operator: str, *inputs: Any, opset: int = 21, **attributes: Any) -> Outcome:
    return call(f"onnx.{operator}", inputs, {**attributes, "_opset": opset})


def shape(outcome: Outcome) -> tuple[Any, ...]:
    assert outcome.refused is None and outcome.unknown is None, outcome
    made = outcome.outputs if isinstance(outcome.outputs, TensorType) else outcome.outputs[0]
    return tuple(made.shape)


def test_at_least_150_operators_have_a_spelling() -> None:
    assert len(names("onnx")) >= 190


def test_squeeze_takes_axes_as_attribute_before_opset_13_and_as_input_since() -> None:
    assert shape(node("Squeeze", t(1, 3, 1), opset=11, axes=(0,))) == (3, 1)
    assert shape(node("Squeeze", t(1, 3, 1), vector(-1))) == (1, 3)
    assert node("Squeeze", t(1, 3, 1), vector(1)).refused is not None


def test_reshape_copies_at_zero_and_infers_at_minus_one() -> None:
    assert shape(node("Reshape", t(B, 4, 6), vector(0, -1))) == (B, 24)
    assert shape(node("Reshape", t(0, 4), vector(0, 2, -1))) == (0, 2, 2)
    assert shape(node("Reshape", t(0, 3), vector(3, 0), allowzero=1)) == (3, 0)
    assert node("Reshape", t(2, 3), vector(4, -1)).refused is not None


def test_unknown_contents_of_known_length_keep_the_rank() -> None:
    assert len(shape(node("Reshape", t(B, 4), t(3, dtype=INT64)))) == 3
    assert len(shape(node("Expand", t(4), t(3, dtype=INT64)))) == 3
    assert len(shape(node("Unsqueeze", t(4), t(2, dtype=INT64)))) == 3
    assert len(shape(node("Slice", t(4, 5), t(1, dtype=INT64), t(1, dtype=INT64)))) == 2


def test_an_input_of_unknown_rank_refuses_nothing() -> None:
    anything = TensorType(unknown_shape("x"), FLOAT32, framework="onnx")
    for operator, *inputs in (
        ("Conv", anything, t(8, 3, 3, 3)), ("MaxPool", anything), ("Gemm", anything, t(3, 4)), ("Squeeze", anything), ("Softmax", anything),
        ("ReduceMean", anything), ("Gather", anything, t(2, dtype=INT64)), ("Concat", anything, anything), ("TopK", anything, vector(3)),
    ):  # fmt: skip
        attributes = {"kernel_shape": (3, 3)} if operator == "MaxPool" else {"axis": 1} if operator == "Concat" else {}
        outcome = node(operator, *inputs, **attributes)
        assert outcome.refused is None and outcome.unknown is None, (operator, outcome)


def test_shape_arithmetic_is_folded() -> None:
    sizes = node("Shape", t(B, 8, H, H)).outputs
    assert sizes.contents == (B, 8, H, H)
    assert node("Shape", t(B, 8, H, H), start=-2).outputs.contents == (H, H)
    first = node("Gather", sizes, t(dtype=INT64, contents=(0,))).outputs
    assert first.contents == (B,)
    joined = node("Concat", node("Unsqueeze", first, vector(0)).outputs, vector(-1), axis=0).outputs
    assert joined.contents == (B, -1)
    assert shape(node("Reshape", t(B, 8, 4, 4), joined)) == (B, 128)


def test_sizes_scaled_in_floats_are_folded() -> None:
    sizes = node("Cast", vector(7, 9), to=FLOAT32).outputs
    scaled = node("Floor", node("Mul", sizes, t(2, contents=(1.5, 2.0))).outputs).outputs
    assert node("Cast", scaled, to=INT64).outputs.contents == (10, 18)


def test_pads_stand_before_all_axes_and_then_after_all() -> None:
    assert shape(node("Conv", t(B, 3, 8, 10), t(4, 3, 3, 3), pads=(1, 0, 1, 0))) == (B, 4, 8, 8)
    assert shape(node("Pad", t(2, 3), vector(0, 1, 2, 3))) == (4, 7)
    assert shape(node("Pad", t(2, 3, 4), vector(1, 2), None, vector(-1))) == (2, 3, 7)


def test_auto_pad_keeps_the_size_at_stride_one() -> None:
    assert shape(node("Conv", t(1, 3, H, H), t(4, 3, 3, 3), auto_pad="SAME_UPPER")) == (1, 4, H, H)
    assert shape(node("Conv", t(1, 3, 9, 9), t(4, 3, 3, 3), auto_pad="SAME_LOWER", strides=(2, 2))) == (1, 4, 5, 5)


def test_convolution_names_channels_that_do_not_fit() -> None:
    refused = node("Conv", t(1, 4, 8, 8), t(4, 3, 3, 3)).refused
    assert refused is not None and refused.code == "conv2d/channels"


def test_batch_normalization_gives_statistics_in_training_only() -> None:
    arguments = (t(B, 3, 8), *(t(3) for _ in range(4)))
    assert isinstance(node("BatchNormalization", *arguments).outputs, TensorType)
    assert [tuple(o.shape) for o in node("BatchNormalization", *arguments, training_mode=1).outputs] == [(B, 3, 8), (3,), (3,)]
    assert node("BatchNormalization", t(B, 4, 8), *(t(3) for _ in range(4))).refused is not None


def test_split_divides_by_the_outputs_of_the_node_or_by_their_number() -> None:
    assert [o.shape for o in node("Split", t(6, 2), opset=13, _outputs=3).outputs] == [(2, 2)] * 3
    assert [o.shape for o in node("Split", t(7), num_outputs=3).outputs] == [(3,), (3,), (1,)]
    assert node("Split", t(6), vector(2, 3)).refused is not None


def test_reductions_without_axes_take_all_or_none() -> None:
    assert shape(node("ReduceSum", t(2, 3))) == (1, 1)
    assert shape(node("ReduceSum", t(2, 3), noop_with_empty_axes=1)) == (2, 3)
    assert shape(node("ReduceSum", t(2, 3), vector(), keepdims=0)) == ()
    assert shape(node("ReduceLogSumExp", t(2, 3), opset=13, axes=(0,), keepdims=0)) == (3,)


def test_resize_by_scales_sizes_axes_and_policy() -> None:
    assert shape(node("Resize", t(B, 3, H, 10), None, t(4, contents=(1.0, 1.0, 2.0, 0.5)))) == (B, 3, 2 * H, 5)
    assert shape(node("Resize", t(1, 3, 4, 8), None, None, vector(8, 8), axes=(2, 3), keep_aspect_ratio_policy="not_larger")) == (1, 3, 4, 8)
    assert node("Resize", t(1, 3, 4, 8), None, t(4, contents=(1.0,) * 4), vector(1, 3, 4, 8)).refused is not None


def test_lstm_checks_gates_and_layout() -> None:
    made = node("LSTM", t(5, B, 3), t(1, 16, 3), t(1, 16, 4)).outputs
    assert [tuple(o.shape) for o in made] == [(5, 1, B, 4), (1, B, 4), (1, B, 4)]
    assert [tuple(o.shape) for o in node("GRU", t(B, 5, 3), t(2, 12, 3), t(2, 12, 4), direction="bidirectional", layout=1).outputs] == [(B, 5, 2, 4), (B, 2, 4)]
    assert node("LSTM", t(5, B, 3), t(1, 15, 3), t(1, 15, 4)).refused is not None


def test_attention_packs_heads_and_keeps_the_past() -> None:
    made = node("Attention", t(B, 7, 32), t(B, 9, 16), t(B, 9, 24), q_num_heads=4, kv_num_heads=2, opset=23).outputs
    assert tuple(made[0].shape) == (B, 7, 48)
    past = node("Attention", t(1, 4, 7, 8), t(1, 4, 9, 8), t(1, 4, 9, 8), None, t(1, 4, 3, 8), t(1, 4, 3, 8), opset=23).outputs
    assert [tuple(o.shape) for o in past] == [(1, 4, 7, 8), (1, 4, 12, 8), (1, 4, 12, 8), (1, 4, 7, 12)]


def test_quantised_types_come_from_zero_points() -> None:
    assert node("QuantizeLinear", t(2, 3), t(), t(dtype=INT8)).outputs.dtype is INT8
    assert node("QuantizeLinear", t(2, 3), t()).outputs.dtype is UINT8
    assert node("DequantizeLinear", t(2, 3, dtype=INT8), t(dtype=FLOAT16)).outputs.dtype is FLOAT16
    assert node("MatMulInteger", t(2, 3, dtype=UINT8), t(3, 4, dtype=INT8)).outputs.dtype is DType.INT32


def test_element_types_do_not_mix() -> None:
    assert node("Add", t(2), t(2, dtype=INT64)).refused is not None
    assert node("Exp", t(2, dtype=INT64)).refused is not None
    assert node("And", t(2, dtype=BOOL), t(2)).refused is not None
    assert node("Pow", t(2), t(2, dtype=INT64)).outputs.dtype is FLOAT32


def test_a_required_input_must_be_given() -> None:
    assert node("Gemm", t(2, 3), t(3, 4), opset=9).refused is not None
    assert shape(node("Gemm", t(2, 3), t(3, 4))) == (2, 4)


def test_sequences_remember_their_tensors() -> None:
    held = node("SequenceConstruct", t(2), t(3, 4)).outputs
    assert tuple(node("SequenceAt", held, t(dtype=INT64, contents=(-1,))).outputs.shape) == (3, 4)
    longer = node("SequenceInsert", held, t(5)).outputs
    assert node("SequenceLength", longer).outputs.contents == (3,)
    assert shape(node("ConcatFromSequence", node("SequenceConstruct", t(2, B), t(3, B)).outputs, axis=0)) == (5, B)
    assert node("SequenceAt", held, t(dtype=INT64, contents=(2,))).refused is not None


def _declared(schema: Any, at: int) -> set[str]:
    given = schema.inputs[min(at, len(schema.inputs) - 1)]
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return {text[7:-1] for text in constraints.get(given.type_str, [given.type_str]) if text.startswith("tensor(")}


_LABELS = {"float": "float32", "double": "float64", "float8e8m0": "float8_e8m0fnu"}


def _label(theirs: str) -> str:
    return _LABELS.get(theirs, theirs.replace("float8e", "float8_e"))


@pytest.mark.parametrize("name", names("onnx"))
def test_rows_say_what_the_schema_says(name: str) -> None:
    """Every attribute and input of the newest schema that a row holds for, and its element types."""
    defs = pytest.importorskip("onnx.defs")
    latest = defs.onnx_opset_version()
    for row in rows(name):
        schema = defs.get_schema(name.removeprefix("onnx."), min(row.opsets[1], latest), "")
        given = {argument.theirs for argument in row.arguments}
        assert not set(schema.attributes) - given, f"{row.source}: attributes {set(schema.attributes) - given} are missing"
        inputs = [argument for argument in row.arguments if not argument.keyword_only]
        assert [argument.theirs for argument in inputs] == [declared.name for declared in schema.inputs], row.source
        for at, argument in enumerate(inputs):
            kind = kinds(row)[argument.ours]
            theirs = {_label(text) for text in _declared(schema, at)}
            if not isinstance(kind, (Tensor, Tensors)) or not theirs:
                continue
            ours = element_types_named(row.only[argument.ours]) if argument.ours in row.only else kind.dtypes
            known = {d.label for d in ANY if d.kind not in "qo" and d.label != "complex32"}
            assert {d.label for d in ours} & known == theirs & known, f"{row.source}: {argument.theirs}"
