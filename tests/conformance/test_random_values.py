"""Random numbers against the real libraries, in both directions: they lie within the bounds that the applied operators say, and come near to them."""

from __future__ import annotations

from importlib import import_module
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from tensorproof.bindings.call import call
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import contents_of
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.conformance.arguments import tensors
from tests.conformance.conform import RUNNER

MANY = (40, 500)
FAN = sqrt(6 / 540)


def of(*sizes: int, dtype: str = "float32", contents: Any = None, framework: str = "torch") -> TensorType:
    return TensorType(Shape(sizes), BY_LABEL[dtype], contents=contents, framework=framework)


def filled(number: float, framework: str = "torch") -> TensorType:
    return of(*MANY, contents=(number,) * (MANY[0] * MANY[1]), framework=framework)


SEED = of(2, dtype="int32", contents=(3, 4), framework="tf")
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], tuple[float, float]]] = [
    ("torch.rand", MANY, {}, (0, 1)),
    ("torch.rand", MANY, {"dtype": BY_LABEL["float16"]}, (0, 1)),
    ("torch.rand_like", (filled(7.0),), {}, (0, 1)),
    ("torch.randn", MANY, {}, (-inf, inf)),
    ("torch.randn_like", (filled(7.0),), {}, (-inf, inf)),
    ("torch.normal", (5.0, 2.0, MANY), {}, (-inf, inf)),
    ("torch.randint", (-3, 9, MANY), {}, (-3, 8)),
    ("torch.randint", (4, MANY), {}, (0, 3)),
    ("torch.bernoulli", (filled(0.3),), {}, (0, 1)),
    ("torch.poisson", (filled(2.0),), {}, (0, inf)),
    ("torch.binomial", (filled(6.0), filled(0.5)), {}, (0, 6)),
    ("torch.Tensor.uniform_", (of(*MANY), -2.0, 5.0), {}, (-2, 5)),
    ("torch.Tensor.normal_", (of(*MANY), 1.0, 3.0), {}, (-inf, inf)),
    ("torch.Tensor.bernoulli_", (of(*MANY), 0.5), {}, (0, 1)),
    ("torch.Tensor.exponential_", (of(*MANY),), {}, (0, inf)),
    ("torch.Tensor.geometric_", (of(*MANY), 0.5), {}, (1, inf)),
    ("torch.Tensor.log_normal_", (of(*MANY),), {}, (0, inf)),
    ("torch.Tensor.random_", (of(*MANY), 3, 8), {}, (3, 7)),
    ("torch.nn.init.uniform_", (of(*MANY), -0.1, 0.1), {}, (-0.1, 0.1)),
    ("torch.nn.init.trunc_normal_", (of(*MANY),), {"std": 0.5, "a": -0.6, "b": 0.4}, (-0.6, 0.4)),
    ("torch.nn.init.xavier_uniform_", (of(*MANY),), {"gain": 2.0}, (-2 * FAN, 2 * FAN)),
    ("torch.nn.init.xavier_normal_", (of(*MANY),), {}, (-inf, inf)),
    ("torch.nn.init.kaiming_uniform_", (of(20, 25, 4, 10),), {"a": sqrt(5)}, (-sqrt(1 / 1000), sqrt(1 / 1000))),
    ("torch.nn.init.kaiming_uniform_", (of(20, 25, 4, 10),), {"mode": "fan_out", "nonlinearity": "relu"}, (-sqrt(6 / 800), sqrt(6 / 800))),
    ("torch.nn.init.kaiming_uniform_", (of(20, 25, 4, 10),), {"nonlinearity": "tanh"}, (-5 / 3 * sqrt(3 / 1000), 5 / 3 * sqrt(3 / 1000))),
    ("torch.nn.init.orthogonal_", (of(2, 2),), {"gain": 3.0}, (-3, 3)),
    ("numpy.random.rand", MANY, {}, (0, 1)),
    ("numpy.random.random", (MANY,), {}, (0, 1)),
    ("numpy.random.randn", MANY, {}, (-inf, inf)),
    ("numpy.random.standard_normal", (MANY,), {}, (-inf, inf)),
    ("numpy.random.standard_exponential", (MANY,), {}, (0, inf)),
    ("numpy.random.standard_cauchy", (MANY,), {}, (-inf, inf)),
    ("numpy.random.uniform", (-4.0, 2.0, MANY), {}, (-4, 2)),
    ("numpy.random.uniform", (2.0, -4.0, MANY), {}, (-4, 2)),
    ("numpy.random.normal", (1.0, 2.0, MANY), {}, (-inf, inf)),
    ("numpy.random.lognormal", (0.0, 1.0, MANY), {}, (0, inf)),
    ("numpy.random.beta", (0.5, 0.5, MANY), {}, (0, 1)),
    ("numpy.random.gamma", (0.5, 1.0, MANY), {}, (0, inf)),
    ("numpy.random.poisson", (2.0, MANY), {}, (0, inf)),
    ("numpy.random.geometric", (0.5, MANY), {}, (1, inf)),
    ("numpy.random.binomial", (5, 0.5, MANY), {}, (0, 5)),
    ("numpy.random.randint", (3, 12, MANY), {}, (3, 11)),
    ("numpy.random.randint", (5,), {"size": MANY}, (0, 4)),
    ("tf.random.uniform", (MANY,), {}, (0, 1)),
    ("tf.random.uniform", (MANY, -3.0, 4.0), {}, (-3, 4)),
    ("tf.random.uniform", (MANY,), {"minval": 2, "maxval": 9, "dtype": BY_LABEL["int32"]}, (2, 8)),
    ("tf.random.stateless_uniform", (MANY, SEED), {"minval": -2, "maxval": 9, "dtype": BY_LABEL["int64"]}, (-2, 8)),
    ("tf.random.stateless_uniform", (MANY, SEED, None, None), {"dtype": BY_LABEL["int32"]}, (-(2**31), 2**31 - 1)),
    ("tf.random.normal", (MANY, 1.0, 2.0), {}, (-inf, inf)),
    ("tf.random.truncated_normal", (MANY, 1.0, 2.0), {}, (-3, 5)),
    ("tf.random.stateless_truncated_normal", (MANY, SEED), {"stddev": 0.5}, (-1, 1)),
    ("graphdef.RandomUniform", (of(2, dtype="int32", contents=MANY, framework="tf"),), {"dtype": BY_LABEL["float32"]}, (0, 1)),
    ("graphdef.TruncatedNormal", (of(2, dtype="int32", contents=MANY, framework="tf"),), {"dtype": BY_LABEL["float32"]}, (-2, 2)),
    ("graphdef.RandomStandardNormal", (of(2, dtype="int32", contents=MANY, framework="tf"),), {"dtype": BY_LABEL["float32"]}, (-inf, inf)),
    (
        "graphdef.RandomUniformInt",
        (of(2, dtype="int32", contents=MANY, framework="tf"), *(of(dtype="int32", contents=(n,), framework="tf") for n in (3, 7))), {}, (3, 6),
    ),
    ("keras.random.uniform", (MANY, -1.0, 3.0), {}, (-1, 3)),
    ("keras.random.normal", (MANY,), {"mean": 2.0}, (-inf, inf)),
    ("keras.random.truncated_normal", (MANY,), {"mean": 1.0, "stddev": 0.5}, (0, 2)),
    ("keras.random.randint", (MANY, 2, 7), {}, (2, 6)),
    ("keras.random.beta", (MANY, 0.5, 0.5), {}, (0, 1)),
    ("keras.random.gamma", (MANY, 0.5), {}, (0, inf)),
    ("onnx.RandomUniform", (), {"shape": MANY, "low": 2.0, "high": 3.0, "dtype": BY_LABEL["float32"]}, (2, 3)),
    ("onnx.RandomNormal", (), {"shape": MANY, "mean": 2.0, "scale": 3.0, "dtype": BY_LABEL["float32"]}, (-inf, inf)),
    ("onnx.RandomUniformLike", (filled(0.0, "onnx"),), {"low": -1.0, "high": 1.0}, (-1, 1)),
    ("onnx.RandomNormalLike", (filled(0.0, "onnx"),), {}, (-inf, inf)),
    ("onnx.Bernoulli", (filled(0.4, "onnx"),), {"dtype": BY_LABEL["int32"]}, (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("name, args, kwargs, ends", CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_draws_lie_within_their_bounds_and_come_near_to_them(name: str, args: Any, kwargs: dict[str, Any], ends: tuple[float, float]) -> None:
    framework = name.partition(".")[0]
    pytest.importorskip({"tf": "tensorflow", "graphdef": "tensorflow"}.get(framework, framework))
    if framework == "onnx":
        kwargs = {**kwargs, "_opset": 22}
    outcome = call(name, args, kwargs)
    assert outcome.made is not None, outcome
    given = {id(t): contents_of(np, t) for t in tensors((args, kwargs)) if t.contents is not None}
    box = bounds(outcome.applied, given)[id(outcome.made)]
    greatest = inf if box.dtype.kind == "f" else float(outcome.made.dtype.greatest)
    assert (box.lo.min(), box.hi.max()) == pytest.approx((ends[0], min(ends[1], greatest)), rel=1e-3), "the bounds"
    assert not box.nan.any()
    seen = import_module(f"tensorproof.runners.{RUNNER[framework]}").run(name, args, kwargs, None)
    assert not seen.error, seen.error
    drawn = seen.outputs.array()
    assert (drawn >= box.lo).all() and (drawn <= box.hi).all(), "a number is outside"
    if drawn.size < 100:
        return
    near = 0.05 * (ends[1] - ends[0]) if np.isfinite(ends).all() else 0.1
    assert ends[0] == -inf or drawn.min() <= ends[0] + near, "the lower end is never reached"
    assert ends[1] == inf or drawn.max() >= ends[1] - near, "the upper end is never reached"
