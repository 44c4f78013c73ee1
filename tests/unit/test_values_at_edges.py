"""Values and bounds of operators where arguments are at the edges of their types, in the middle between two numbers, or in padding alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tensorproof.bindings.call import call
from tensorproof.cli.main import main
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import contents_of, evaluate
from tensorproof.ops.evaluation import Undefined
from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

np = pytest.importorskip("numpy")


def tensor(*values: float, shape: tuple[int, ...] | None = None, dtype: DType = FLOAT32) -> TensorType:
    return TensorType(Shape((len(values),) if shape is None else shape), dtype, contents=values)


def arrays(args: tuple[object, ...]) -> dict[int, object]:
    return {id(a): contents_of(np, a) for a in args if isinstance(a, TensorType)}


def computed(spelling: str, *args: object, **kwargs: object) -> list[float]:
    outcome = call(spelling, args, kwargs)
    found: list[float] = evaluate(outcome.applied, arrays(args))[id(outcome.made)].ravel().tolist()
    return found


def box(spelling: str, *args: object, **kwargs: object) -> tuple[list[float], list[float]]:
    outcome = call(spelling, args, kwargs)
    found = bounds(outcome.applied, arrays(args))[id(outcome.made)]
    return found.lo.ravel().tolist(), found.hi.ravel().tolist()


def test_bessel_functions_of_the_greatest_number() -> None:
    most = tensor(FLOAT64.greatest, -FLOAT64.greatest, dtype=FLOAT64)
    assert computed("torch.special.i0e", most) == pytest.approx([2.9754474593159e-155] * 2, rel=1e-9, abs=0.0)
    assert computed("torch.special.i1e", most) == pytest.approx([2.9754474593159e-155, -2.9754474593159e-155], rel=1e-9, abs=0.0)
    assert computed("torch.special.scaled_modified_bessel_k0", tensor(FLOAT64.greatest, dtype=FLOAT64)) == pytest.approx([9.34764388e-155], rel=1e-7, abs=0.0)


def test_the_slope_of_the_incomplete_gamma_function_is_zero_at_zero_for_any_order() -> None:
    orders, places = tensor(-1.01, 0.0, 2.5, dtype=FLOAT64), tensor(0.0, 0.0, 0.0, dtype=FLOAT64)
    assert computed("graphdef.IgammaGradA", orders, places) == [0.0, 0.0, 0.0]
    assert math.isnan(computed("graphdef.IgammaGradA", tensor(-1.0), tensor(1.0))[0])


def test_incomplete_gamma_functions_of_tiny_orders_are_off_by_the_rounding_of_a_logarithm() -> None:
    assert box("torch.special.gammainc", tensor(2e-38), tensor(1e-6))[1][0] >= 1.0000047
    with pytest.raises(Undefined):
        computed("torch.special.gammainc", tensor(3.6e-39), tensor(0.5))
    assert computed("torch.special.gammainc", tensor(3.6e-39, dtype=FLOAT64), tensor(0.5, dtype=FLOAT64)) == pytest.approx([1.0])


def test_a_window_of_padding_alone() -> None:
    for n in (1, 2, 3):
        lo, hi = box(f"torch.nn.functional.max_pool{n}d", tensor(1.0, shape=(1, 1, *[1] * n)), 2, 2, 1, 2)
        assert lo == hi == [-math.inf]


def test_quotients_in_the_middle_between_two_whole_numbers() -> None:
    for x, scale in ((-2.82, 1.88), (0.35, 0.1)):
        with pytest.raises(Undefined):
            computed("onnx.QuantizeLinear", tensor(x), tensor(scale, shape=()), output_dtype=DType.INT8)
    assert computed("onnx.QuantizeLinear", tensor(2.5, -1.5, 300.0, 0.3), tensor(1.0, shape=()), output_dtype=DType.INT8) == [2, -2, 127, 0]


def test_shares_of_pixels_are_off_by_the_rounding_of_their_places() -> None:
    most = FLOAT32.greatest
    image = tensor(*[-most] * 24, shape=(1, 1, 12, 2))
    region = tensor(0.6, 0.7, 1.4, 8.2, shape=(1, 4))
    index = tensor(0, shape=(1,), dtype=INT64)
    lo, hi = box("onnx.RoiAlign", image, region, index, mode="max", output_width=5, output_height=1, sampling_ratio=1)
    assert all(most * 1e-6 < b - a < most * 1e-3 for a, b in zip(lo, hi))


def test_numbers_in_the_middle_are_not_faked() -> None:
    for x, scale in ((-2.82, 1.88), (0.35, 0.1), (4.5, 3.0)):
        with pytest.raises(Undefined):
            computed("torch.fake_quantize_per_tensor_affine", tensor(x), scale, 0, -128, 127)
    assert computed("torch.fake_quantize_per_tensor_affine", tensor(1.2, 200.5), 1.0, 0, -128, 127) == [1.0, 127.0]


def test_poles_of_polygamma_functions_below_zero() -> None:
    with pytest.raises(Undefined):
        computed("torch.special.polygamma", 1, tensor(-1.0))
    assert computed("torch.special.polygamma", 1, tensor(0.0, 1e-310, dtype=FLOAT64)) == [math.inf, math.inf]
    assert computed("torch.special.polygamma", 2, tensor(2.3e-308, -2.3e-308, dtype=FLOAT64)) == [-math.inf, math.inf]


def test_an_exponential_behind_a_window_of_padding_alone_is_not_proved_safe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\ntorch.exp(-torch.nn.functional.max_pool1d(torch.rand(1, 1, 1), 2, 2, 1, 2))\n")
    main(["numerics", str(program)])
    assert "exp/overflow" in capsys.readouterr().out
