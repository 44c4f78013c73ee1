"""Verdicts of short TensorFlow and PyTorch programs: logarithms of what may be 0 are reported, and what a relation or a bound keeps away from it is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numerics.test_programs import analysed

TF = "import tensorflow as tf\nimport numpy as np\nx = tf.random.uniform((8, 10), -10.0, 10.0)\ny = tf.random.uniform((8, 10), -10.0, 10.0)\n"
TORCH = "import torch\nx = torch.rand(8, 10) * 20 - 10\n"

REPORTED = {
    "squared difference": TF + "z = tf.math.log(tf.math.squared_difference(x, y))",
    "power": TF + "z = tf.math.log(tf.pow(x, 2.0))",
    "maximum with an array": TF + "z = tf.math.log(tf.maximum(x, np.array([0.0, 1.0] * 5, np.float32)))",
    "uniform draws": TF + "z = tf.math.log(tf.random.uniform((8, 10)))",
    "normal draws": TF + "z = tf.math.log(tf.random.normal((8, 10)))",
    "zero padding": TF + "z = tf.math.log(tf.pad(tf.random.uniform((8, 10), 1.0, 2.0), [[1, 1], [1, 1]]))",
    "constant array": TF + "z = tf.math.log(tf.constant([[1.0, 2.0], [0.0, 3.0]]))",
}
PROVED = {
    "a difference of equal products": TF + "z = tf.math.log(x * x - x * x + 1.0)",
    "softmax and epsilon": TF + "z = tf.math.log(tf.nn.softmax(x) + 1e-8)",
    "log-sum-exp": TF + "z = tf.math.log(tf.reduce_sum(tf.exp(x * 100.0 - tf.reduce_max(x * 100.0, axis=1, keepdims=True)), axis=1))",
    "variance and epsilon": TF + "z = tf.sqrt(tf.math.reduce_variance(x, axis=1) + 1e-5)",
    "clamped sigmoid": TORCH + "p = torch.sigmoid(x * 100).clamp(1e-6, 1 - 1e-6)\nz = torch.log(p) + torch.log(1 - p)",
    "norm and epsilon": TORCH + "z = x / (x.norm(dim=1, keepdim=True) + 1e-8)",
    "least and greatest": TORCH + "z = (x - x.min()) / (x.max() - x.min() + 1e-8)",
    "gradient of a minimum": TORCH + "least = (x == x.amin(1, keepdim=True)).float()\nz = least / least.sum(1, keepdim=True)",
    "least and greatest of rows": TORCH + "lo, hi = x.amin(1, keepdim=True), x.amax(1, keepdim=True)\nz = torch.sqrt((x - lo) * (hi - x)) / (hi - lo + 1e-8)",
    "Gumbel draws": TORCH + "z = -torch.log(-torch.log(torch.rand(8, 10) + 1e-20) + 1e-20)",
    "sign": TORCH + "z = 1 / (torch.sign(x) + 2)",
    "tangent between poles": TORCH + "z = torch.log(torch.tan(torch.rand(8, 10)) + 1e-3)",
    "cross entropy": TORCH + "z = torch.nn.functional.cross_entropy(x * 100, torch.randint(0, 10, (8,)))",
    "binary cross entropy": TORCH + "z = torch.nn.functional.binary_cross_entropy(torch.sigmoid(x * 100), torch.rand(8, 10))",
    "RMSprop": TORCH + "w = torch.nn.Parameter(torch.randn(10, 3))\no = torch.optim.RMSprop([w])\n(x @ w).pow(2).mean().backward()\no.step()",
    "Adam": TORCH + "w = torch.nn.Parameter(torch.randn(10, 3))\no = torch.optim.Adam([w])\n(x @ w).pow(2).mean().backward()\no.step()",
    "hand-made": TORCH + "s = torch.zeros(10)\nfor _ in range(5):\n    g = torch.randn(10)\n    s = 0.9 * s + 0.1 * (g * g)\n    z = g / (s.sqrt() + 1e-8)",
}


@pytest.mark.parametrize("name", REPORTED)
def test_a_logarithm_of_what_may_be_0_is_reported(name: str, tmp_path: Path) -> None:
    found = analysed(REPORTED[name] + "\n", tmp_path)
    assert [one.code for one in found.operations if one.verdict in ("unsafe", "possible")] == ["log/non-positive"]


@pytest.mark.parametrize("name", PROVED)
def test_what_stays_away_from_0_is_proved(name: str, tmp_path: Path) -> None:
    found = analysed(PROVED[name] + "\n", tmp_path)
    assert [(one.code, one.verdict, one.operand) for one in found.operations if one.verdict != "safe"] == []


@pytest.mark.parametrize("alpha, proved", [(0.2, True), (0.001, False)])
def test_shares_are_proved_where_their_draws_do_not_all_underflow(alpha: float, proved: bool, tmp_path: Path) -> None:
    """numpy.random.dirichlet divides by the total of draws, which are all 0 for small parameters."""
    found = analysed(f"import numpy as np\nimport torch\nz = torch.log(torch.from_numpy(np.random.dirichlet([{alpha}] * 4, 8)) + 1e-8)\n", tmp_path)
    assert [one.verdict == "safe" for one in found.operations if one.code == "log/non-positive"] == [proved]
