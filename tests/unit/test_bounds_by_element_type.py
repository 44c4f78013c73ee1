"""Bounds hold in the element type in which a library computes: whole numbers are converted, sums overflow, marks are rounded."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tensorproof.bindings.call import call
from tensorproof.cli.main import main
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import contents_of
from tensorproof.terms.dtypes import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

np = pytest.importorskip("numpy")


def tensor(*values: float, dtype: DType = FLOAT16, shape: tuple[int, ...] | None = None) -> TensorType:
    return TensorType(Shape((len(values),) if shape is None else shape), dtype, contents=values)


def box(spelling: str, *args: object, **kwargs: object) -> tuple[float, float, bool]:
    """The bounds of the first element, and whether it may be NaN."""
    outcome = call(spelling, args, kwargs)
    found = bounds(outcome.applied, {id(a): contents_of(np, a) for a in args if isinstance(a, TensorType)})[id(outcome.made)]
    return found.lo.ravel()[0], found.hi.ravel()[0], bool(found.nan.ravel()[0])


@pytest.mark.parametrize("name", ["remainder", "fmod"])
def test_a_whole_number_beyond_half_precision_has_no_remainder(name: str) -> None:
    assert box(f"torch.{name}", tensor(100000, dtype=INT64), tensor(3.0))[2]


def test_a_whole_number_beyond_half_precision_is_infinite_in_a_quotient() -> None:
    assert box("torch.div", tensor(100000, dtype=INT64), tensor(60000.0))[1] == math.inf
    assert box("torch.mul", tensor(100000, dtype=INT64), tensor(0.0))[2]


def test_whole_numbers_lose_digits_before_they_are_compared() -> None:
    assert box("torch.eq", tensor(2049, dtype=INT64), tensor(2048.0)) == (0.0, 1.0, False)
    assert box("torch.eq", tensor(2049, dtype=INT64), tensor(2048.0, dtype=FLOAT32)) == (0.0, 0.0, False)


def test_python_numbers_are_rounded_in_half_precision() -> None:
    assert box("torch.lt", tensor(0.0), 1e-8) == (0.0, 1.0, False)
    assert box("torch.add", tensor(1.0, dtype=BFLOAT16), 257)[0] <= 256.0
    assert box("torch.where", tensor(True, dtype=BOOL), 1e-8, tensor(1.0))[0] == 0.0
    assert box("torch.Tensor.__rmod__", tensor(3.0), 1e5)[2]


def test_a_python_number_beyond_half_precision_is_infinite_in_tensorflow() -> None:
    assert box("tf.multiply", tensor(0.0), 1e9)[2]
    assert not box("torch.mul", tensor(0.0), 1e9)[2]


@pytest.mark.parametrize(("spelling", "infinite"), [("torch.mean", False), ("keras.ops.mean", False), ("tf.reduce_mean", True), ("torch.nanmean", True)])
def test_the_sum_behind_a_mean_overflows_where_it_is_kept_in_half_precision(spelling: str, infinite: bool) -> None:
    assert math.isinf(box(spelling, tensor(*[60000.0] * 8))[1]) == infinite


@pytest.mark.parametrize("dtype", [FLOAT32, BFLOAT16])
def test_the_sum_behind_a_mean_overflows_in_its_own_type(dtype: DType) -> None:
    assert box("torch.mean", tensor(*[2e38] * 8, dtype=dtype))[1] == math.inf


def test_operands_are_converted_to_the_type_that_is_asked_for() -> None:
    assert box("torch.prod", tensor(0, 100000, dtype=INT64), dtype=FLOAT16)[2]
    assert box("torch.log_softmax", tensor(65520.0, 65504.0, dtype=FLOAT32), 0, dtype=BFLOAT16)[0] < -0.6


def test_distances_by_products_lose_what_cancels() -> None:
    row = (1000.0, 1000.0, 1000.0)
    x = tensor(*row * 30, dtype=FLOAT32, shape=(30, 3))
    assert box("torch.cdist", x, x)[1] > 0.1
    assert box("torch.cdist", x, x, compute_mode="donot_use_mm_for_euclid_dist")[1] < 0.1


def test_the_error_function_of_bfloat16_is_zero_near_zero() -> None:
    assert box("torch.erf", tensor(1e-24, dtype=BFLOAT16))[0] <= 0.0
    assert box("torch.erf", tensor(1e-24, dtype=FLOAT32))[0] > 0.0


def test_the_reciprocal_behind_a_hue_overflows_in_half_precision() -> None:
    x = TensorType(Shape((1, 3)), FLOAT16, contents=(6e-8, 1.2e-7, 0.0))
    assert math.isinf(box("tf.image.rgb_to_hsv", x)[1])


COMPLEX = """import torch
from torch import nn


class Spectrum(nn.Module):
    def forward(self, x):
        y = x.cfloat()
        return torch.log(y.abs() + 1e-3) + torch.fft.fft(x).abs() + torch.complex(x, x).real + torch.view_as_real(y).sum(-1)


Spectrum()(torch.rand(4, 8))
"""


def test_complex_numbers_have_no_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = call("torch.Tensor.cfloat", (x := tensor(1.0, dtype=FLOAT32),), {})
    assert bounds(outcome.applied, {id(x): contents_of(np, x)})[id(outcome.made)] is None
    (tmp_path / "spectrum.py").write_text(COMPLEX)
    assert main(["numerics", str(tmp_path / "spectrum.py")]) == 0
    assert "1 proved safe" in capsys.readouterr().out


def test_powers_that_are_too_small_are_not_zero() -> None:
    tiny = tensor(1.7e-308, dtype=FLOAT64)
    assert box("torch.pow", tiny, 3.0)[1] > 0.0
    assert box("torch.dist", tiny, tensor(-1.2e-308, dtype=FLOAT64), 3.0)[1] > 2.8e-308


def test_what_is_equal_to_its_running_mean_is_near_zero_after_batch_norm() -> None:
    x, mean, variance = tensor(1.4296875, dtype=FLOAT32, shape=(1, 1)), tensor(1.4296875, dtype=FLOAT32), tensor(0.7, dtype=FLOAT32)
    least, most, nan = box("torch.nn.functional.batch_norm", x, mean, variance)
    assert -1e-5 < least < 0.0 < most < 1e-5
    assert not nan
