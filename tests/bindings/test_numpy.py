"""NumPy: its element types, its refusals and its own ways with axes, checked against NumPy where it is the judge."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorproof.bindings.call import call
from tensorproof.bindings.rows import names
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, FLOAT64, INT64, UINT8
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.bindings import proxies

N = symbol("n", 1)
LABELS = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def t(*shape: Any, dtype: Any = FLOAT64) -> TensorType:
    return TensorType(Shape(shape), dtype)


def made(name: str, *args: Any, **kwargs: Any) -> Any:
    outcome = call(name, args, kwargs)
    assert outcome.refused is None and outcome.unknown is None, outcome.refused or outcome.unknown
    return outcome.outputs


def refused(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = call(name, args, kwargs)
    assert outcome.refused is not None, "this call must be refused"
    return outcome.refused.code


def test_there_are_two_hundred_and_fifty_spellings() -> None:
    assert len(names("numpy")) >= 250


UFUNCS = [n for n in names("numpy") if n.count(".") == 1 and isinstance(f := getattr(np, n[6:]), np.ufunc) and f.signature is None and f.nin <= 2]


@pytest.mark.parametrize("name", UFUNCS)
def test_universal_functions_give_numpys_element_types(name: str) -> None:
    function: Any = getattr(np, name[6:])
    wrong: list[str] = []
    for labels in itertools.product(LABELS, repeat=function.nin):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                result = function(*(np.ones((), label) for label in labels))
                truth = [str(v.dtype) for v in (result if isinstance(result, tuple) else (result,))]
            except TypeError:
                truth = ["refused"]
        outcome = call(name, tuple(t(dtype=BY_LABEL[label]) for label in labels))
        outputs = outcome.outputs if isinstance(outcome.outputs, tuple) else (outcome.outputs,)
        ours = ["refused"] if outcome.refused is not None else [repr(v.dtype) for v in outputs]
        if ours != truth:
            wrong.append(f"{labels}: ours {ours}, NumPy's {truth}")
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "mean", "std", "var", "median", "max", "argmax", "any"])
def test_reductions_give_numpys_element_types(name: str, label: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = getattr(np, name)(np.ones((2, 3), label), axis=0)
    result = made(f"numpy.{name}", t(2, 3, dtype=BY_LABEL[label]), axis=0)
    assert (tuple(result.shape), repr(result.dtype)) == (truth.shape, str(truth.dtype))


def test_python_numbers_are_weak() -> None:
    assert made("numpy.ndarray.__add__", t(3, dtype=UINT8), 1).dtype is UINT8
    assert made("numpy.ndarray.__mul__", t(3, dtype=FLOAT32), 2.0).dtype is FLOAT32
    assert made("numpy.ndarray.__add__", t(3, dtype=INT64), 0.5).dtype is FLOAT64


def test_shapes_stay_exact_with_symbols() -> None:
    assert tuple(made("numpy.concatenate", [t(N, 3), t(N, 3)], axis=0).shape) == (2 * N, 3)
    assert tuple(made("numpy.concatenate", [t(N, 3), t(N, 3)], axis=None).shape) == (6 * N,)
    assert tuple(made("numpy.ndarray.reshape", t(N, 4), -1, 2).shape) == (2 * N, 2)
    assert tuple(made("numpy.dot", t(N, 4), t(4, 5)).shape) == (N, 5)
    assert tuple(made("numpy.pad", t(N, 4), ((1, 2), (0, 0))).shape) == (N + 3, 4)
    assert tuple(made("numpy.expand_dims", t(N, 4), (0, -1)).shape) == (1, N, 4, 1)
    assert tuple(made("numpy.transpose", t(N, 4, 5)).shape) == (5, 4, N)


def test_arrays_from_numbers() -> None:
    assert made("numpy.zeros", (2, 3)).dtype is FLOAT64
    assert made("numpy.array", [[1, 2], [3, 4]]).dtype is INT64
    assert made("numpy.array", [1, 2.5], dtype="float32").dtype is FLOAT32
    assert made("numpy.arange", 3).contents == (0, 1, 2)
    assert refused("numpy.array", [[1, 2], [3]]) in ("constant/ragged", "call/arguments")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("split", (t(7), 2), {}),
        ("matmul", (t(2, 3), t(4, 5)), {}),
        ("dot", (t(2, 3), t(2, 3)), {}),
        ("concatenate", ([t(2, 3), t(2, 4)],), {}),
        ("stack", ([t(2, 3), t(2, 4)],), {}),
        ("reshape", (t(6), (4, -1)), {}),
        ("sum", (t(2, 3),), {"axis": [0, 1]}),
        ("squeeze", (t(2, 3),), {"axis": 0}),
        ("subtract", (t(2, dtype=BY_LABEL["bool"]), t(2, dtype=BY_LABEL["bool"])), {}),
        ("broadcast_to", (t(3), (2, 4)), {}),
        ("ndarray.__iadd__", (t(3, dtype=INT64), 0.5), {}),
        ("linalg.inv", (t(2, 3),), {}),
        ("max", (t(0),), {}),
    ],
)
def test_numpy_refuses(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    refused(f"numpy.{name}", *args, **kwargs)


ARRAYS = {
    "a": ((4, 3), "float32"), "b": ((3, 5), "float64"), "v": ((3,), "float64"), "i": ((4,), "int64"), "u": ((8, 8, 3), "uint8"), "m": ((4, 3), "bool"),
    "c": ((2, 4, 3), "complex64"), "z": ((), "float64"),
}  # fmt: skip
CALLS = [line.strip() for line in Path(__file__).with_name("numpy_calls.txt").read_text(encoding="utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize("expression", CALLS)
def test_calls_as_people_write_them(expression: str) -> None:
    from tensorproof.runners.numpy_runner import observed

    random = np.random.default_rng(0)
    real = {n: np.zeros(s, d) if "int" in d or d == "bool" else np.asarray(random.random(s)).astype(d) for n, (s, d) in ARRAYS.items()}
    ours = {n: proxies.array(s, d, "numpy") for n, (s, d) in ARRAYS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not proxies.difference(expression, {"np": np, **real}, {"np": proxies.Library("numpy"), **ours}, observed)
