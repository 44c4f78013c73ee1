"""Facts about promotion that need no library; `tests/conformance/test_promotion_real.py` tries every pair against the real ones."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from tensorproof.terms.dtypes import BY_LABEL, FLOAT16, FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.promotion import (
    PY_BOOL,
    PY_COMPLEX,
    PY_FLOAT,
    PY_INT,
    Operand,
    keras_promote,
    promote,
    tf_promote,
    to_float,
    torch_can_cast,
    torch_promote,
)

NUMBERS = {"True": PY_BOOL, "1": PY_INT, "1.0": PY_FLOAT, "1j": PY_COMPLEX}


def read(text: str) -> list[Operand]:
    """ "int8[] 1.0 float32": a zero-dimensional tensor, a Python number, a tensor."""
    return [NUMBERS.get(w) or Operand(BY_LABEL[w.removesuffix("[]")], zero_dim=w.endswith("[]")) for w in text.split()]


@pytest.mark.parametrize(
    ("framework", "operands", "result"),
    [
        # torch: three categories, a lower one counts only by a higher kind
        ("torch", "int32 int64[]", "int32"),
        ("torch", "int32 float64[]", "float64"),
        ("torch", "float32 float64[]", "float32"),
        ("torch", "float16 1.0", "float16"),
        ("torch", "int64 1.0", "float32"),
        ("torch", "bool 1", "int64"),
        ("torch", "uint8 1", "uint8"),
        ("torch", "uint8 int8", "int16"),
        ("torch", "float16 bfloat16", "float32"),
        ("torch", "float64 1j", "complex128"),
        ("torch", "float16 1j", "complex32"),
        ("torch", "bfloat16 1j", "complex64"),
        ("torch", "int32[] 1.0", "float32"),
        ("torch", "uint16 int32", None),
        ("torch", "uint16 float32", "float32"),
        ("torch", "uint16 complex64", None),
        ("torch", "float8_e4m3fn float32", None),
        ("torch", "float8_e4m3fn float32[]", "float8_e4m3fn"),
        ("torch", "uint16 int8 float32", None),  # from the left: torch never reaches the float
        ("torch", "uint16 float32 int8", "float32"),
        ("torch", "string string", None),
        ("torch", "", None),
        # TensorFlow: equal, or a Python number that converts
        ("tf", "float32 float64", None),
        ("tf", "float32 float32", "float32"),
        ("tf", "float64 1", "float64"),
        ("tf", "1 float64", "float64"),
        ("tf", "int32 1.0", None),
        ("tf", "float32 1j", None),
        ("tf", "bool 1", None),
        ("tf", "int32 True", "int32"),
        ("tf", "int8 True", None),
        ("tf", "1.0 1", "float32"),
        ("tf", "1 1.0", None),
        ("tf", "string string", "string"),
        # Keras
        ("keras", "int32 float16", "float16"),
        ("keras", "int64 1.0", "float32"),
        ("keras", "float16 bfloat16", "float32"),
        ("keras", "bool 1", "int32"),
        ("keras", "bool True", "bool"),
        ("keras", "uint32 int8", "int64"),
        ("keras", "uint64 uint64", "uint32"),
        ("keras", "uint64 int8", "float32"),
        ("keras", "complex64 float64", "complex64"),
        ("keras", "float8_e5m2 float8_e5m2", None),
        ("keras", "string string", "string"),
        ("keras", "string int32", None),
        ("keras", "", "float32"),
        # NumPy, NEP 50
        ("numpy", "float32 float64[]", "float64"),
        ("numpy", "float32 1.0", "float32"),
        ("numpy", "int8 1.0", "float64"),
        ("numpy", "uint8 1", "uint8"),
        ("numpy", "int64 uint64", "float64"),
        ("numpy", "int32 float32", "float64"),
        ("numpy", "int16 uint16 float32", "float32"),
        ("numpy", "float16 1j", "complex64"),
        ("numpy", "bool 1", "int64"),
        ("numpy", "1 1.0", "float64"),
        ("numpy", "bfloat16 1.0", "float32"),
        # ONNX
        ("onnx", "float32 float32", "float32"),
        ("onnx", "float32 int64", None),
    ],
)
def test_promotion(framework: str, operands: str, result: str | None) -> None:
    assert promote(framework, read(operands)) is (None if result is None else BY_LABEL[result])


def test_torch_follows_the_default_float() -> None:
    assert torch_promote([Operand(INT64), PY_FLOAT], default_float=FLOAT64) is FLOAT64
    assert torch_promote([Operand(INT64), PY_COMPLEX], default_float=FLOAT64) is DType.COMPLEX128
    assert torch_promote([Operand(INT64), PY_COMPLEX], default_float=DType.BFLOAT16) is DType.COMPLEX64
    assert to_float("torch", INT64, FLOAT64) is FLOAT64


def test_a_number_in_first_place_decides_in_tf_add() -> None:
    assert tf_promote(read("1 float32"), first_decides=True) is None
    assert tf_promote(read("1.0 float32"), first_decides=True) is FLOAT32
    assert tf_promote(read("float32 1"), first_decides=True) is FLOAT32


def test_a_tf_graph_turns_a_bool_into_any_number() -> None:
    assert tf_promote(read("uint8 True"), graph=True) is DType.UINT8
    assert tf_promote(read("uint8 True")) is None


def test_keras_narrows_64_bits_outside_of_tensorflow() -> None:
    assert keras_promote(read("int64 int64")) is INT64
    assert keras_promote(read("int64 int64"), backend="torch") is DType.INT32
    assert keras_promote(read("float64 float16"), backend="jax") is FLOAT32


@pytest.mark.parametrize(
    ("framework", "dtype", "result"),
    [
        ("torch", "int64", "float32"),
        ("torch", "bool", "float32"),
        ("torch", "float16", "float16"),
        ("torch", "qint8", None),
        ("tf", "int32", None),
        ("tf", "float64", "float64"),
        ("keras", "int64", "float32"),
        ("keras", "bool", "float32"),
        ("keras", "bfloat16", "bfloat16"),
        ("numpy", "bool", "float16"),
        ("numpy", "int8", "float16"),
        ("numpy", "uint16", "float32"),
        ("numpy", "int32", "float64"),
        ("onnx", "int64", None),
    ],
)
def test_to_float(framework: str, dtype: str, result: str | None) -> None:
    assert to_float(framework, BY_LABEL[dtype]) is (None if result is None else BY_LABEL[result])


def test_a_float_result_cannot_be_written_into_an_integer_tensor() -> None:
    assert not torch_can_cast(FLOAT32, INT64)
    assert not torch_can_cast(DType.COMPLEX64, FLOAT32)
    assert not torch_can_cast(INT64, DType.BOOL)
    assert torch_can_cast(FLOAT64, FLOAT16)
    assert torch_can_cast(INT64, DType.UINT8)


@pytest.mark.parametrize("framework", ["torch", "tf", "keras", "numpy", "onnx"])
def test_every_pair_has_an_answer_and_promotion_commutes(framework: str) -> None:
    first_wins = {DType.FLOAT8_E4M3FN, DType.FLOAT8_E4M3FNUZ, DType.FLOAT8_E5M2FNUZ}
    operands = [Operand(d, zero_dim=z) for d in DType for z in (False, True)] + list(NUMBERS.values())
    for a, b in itertools.product(operands, repeat=2):
        if (a.weak and b.weak) or (framework == "numpy" and {a.dtype, b.dtype} <= first_wins):
            continue
        assert promote(framework, (a, b)) is promote(framework, (b, a)), (a, b)


def test_an_unknown_framework_is_our_own_bug() -> None:
    with pytest.raises(KeyError):
        promote("jax", ())
    with pytest.raises(KeyError):
        to_float("jax", FLOAT32)


def test_no_library_is_imported() -> None:
    script = "import sys, tensorproof.terms.promotion; assert not {'numpy', 'torch', 'tensorflow', 'keras'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
