"""Lists of paddings in `tf.nn`: which convolutions and pools take them, and what comes out, as TensorFlow has it.

Its oneDNN kernels are switched off: they ignore a padding of the batch, which the documentation forbids.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tensorproof.bindings.call import call
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

pytest.importorskip("tensorflow")

IMAGE, LINE, VOLUME = (2, 8, 8, 3), (2, 8, 3), (2, 6, 6, 6, 3)
FILTERS, EACH, POINT = (3, 3, 3, 5), (3, 3, 3, 2), (1, 1, 6, 4)
SMALL: Any = ((0, 0), (1, 1), (0, 1), (0, 0))
WIDE: Any = ((0, 0), (1, 2), (2, 1), (0, 0))
PADDINGS: Any = (SMALL, WIDE, ((1, 2), (2, 1)), (0, 0, 1, 2, 2, 1, 0, 0), ((0, 0), (1, 2, 3), (2, 1), (0, 0)), ((1, 0), (1, 1), (1, 1), (0, 0)), "SAME")
IMAGES = (
    ("conv2d", (IMAGE, FILTERS, 1), {}), ("conv2d", (IMAGE, FILTERS, [1, 2, 2, 1]), {}), ("conv2d", ((2, 3, *IMAGE[1:]), FILTERS, 1), {}),
    ("depthwise_conv2d", (IMAGE, EACH, [1, 1, 1, 1]), {}), ("depthwise_conv2d", (IMAGE, EACH, [1, 1, 1, 1]), {"dilations": [2, 2]}),
    ("separable_conv2d", (IMAGE, EACH, POINT, [1, 1, 1, 1]), {}), ("atrous_conv2d", (IMAGE, FILTERS, 2), {}),
    ("conv2d_transpose", (IMAGE, (3, 3, 3, 3), [2, 7, 7, 3], 1), {}), ("convolution", (IMAGE, FILTERS), {}),
    ("max_pool2d", (IMAGE, 2, 1), {}), ("max_pool", (IMAGE, [1, 2, 2, 1], [1, 2, 2, 1]), {}), ("avg_pool2d", (IMAGE, 2, 1), {}),
    ("avg_pool", (IMAGE, 2, 1), {}), ("max_pool_with_argmax", (IMAGE, 2, 1), {}), ("pool", (IMAGE, [2, 2], "MAX"), {}), ("pool", (IMAGE, [2, 2], "AVG"), {}),
)  # fmt: skip
OTHERS = (
    ("conv1d", (LINE, (3, 3, 5), 1)), ("max_pool1d", (LINE, 2, 1)), ("avg_pool1d", (LINE, 2, 1)), ("max_pool", (LINE, 2, 1)), ("pool", (LINE, [2], "MAX")),
    ("conv3d", (VOLUME, (3, 3, 3, 3, 5), [1] * 5)), ("max_pool3d", (VOLUME, 2, 1)), ("max_pool", (VOLUME, 2, 1)), ("avg_pool3d", (VOLUME, 2, 1)),
)  # fmt: skip
CASES = [(name, args, {**more, "padding": padding}) for name, args, more in IMAGES for padding in PADDINGS]
CASES += [(name, args, {"padding": ((0, 0), *[(1, 1)] * (len(args[0]) - 2), (0, 0))}) for name, args in OTHERS]
REAL = """
import json, sys
import tensorflow as tf
def value(v):
    return tf.zeros(v["shape"]) if isinstance(v, dict) else v
found = []
for name, args, more in json.load(sys.stdin):
    try:
        made = getattr(tf.nn, name)(*map(value, args), **more)
        found.append(list((made[0] if isinstance(made, tuple) else made).shape))
    except Exception:
        found.append(None)
print(json.dumps(found))
"""


@cache
def real() -> list[list[int] | None]:
    """The shapes that TensorFlow gives; None where it raises."""
    text = json.dumps([(name, [{"shape": v} if isinstance(v, tuple) else v for v in args], more) for name, args, more in CASES])
    settings = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0"}
    done = subprocess.run([sys.executable, "-c", REAL], input=text, capture_output=True, text=True, env=settings, check=True)
    found: list[list[int] | None] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("at", range(len(CASES)))
def test_a_padding_is_taken_as_tensorflow_takes_it(at: int) -> None:
    name, args, more = CASES[at]
    outcome = call(f"tf.nn.{name}", tuple(TensorType(Shape(v), FLOAT32, framework="tf") if isinstance(v, tuple) else v for v in args), more)
    assert outcome.unknown is None
    made = outcome.outputs[0] if isinstance(outcome.outputs, tuple) else outcome.outputs
    assert (None if outcome.refused is not None else list(made.shape)) == real()[at], CASES[at]


def test_tensorflow_takes_some_and_refuses_some() -> None:
    assert 20 < sum(one is not None for one in real()) < len(CASES) - 20
