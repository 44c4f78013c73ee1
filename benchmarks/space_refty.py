"""Refty's study: five operators alone, five models and the filters of a convnet, in PyTorch and in TensorFlow (programs and domains in space_refty.md).

    python benchmarks/space_refty.py            compare the verdict and the category of every vector with the kept truth
    python benchmarks/space_refty.py --truth    run the vectors whose truth is not kept

The category of a vector that raises is read from the message of the real exception by the table below, by the definitions of Refty's Table 1.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from space_study import Vector, main

HERE = Path(__file__).parent
ILLEGAL_VALUE, IMPROPER_VALUE, FORMAT = "illegal value", "improper value", "unsupported format"
ILLEGAL_SHAPE, INCOMPATIBLE_SHAPE, TYPE = "illegal shape", "incompatible shape", "incompatible element type"
ALONE = ("conv2d", "maxpool2d", "linear", "dense", "add", "concat")
LEAST = {"kernel": 1, "stride": 1, "dilation": 1, "padding": 0, "batch": 0, "filters": 1, "units": 1, "groups": 1, "features": 0, "out": 0}
"""The domains of hyperparameters."""
MESSAGES: list[tuple[str, str]] = [
    (r"data_format|only supports the NHWC|only supports NHWC", FORMAT),
    (r"weight of size \[\d+, \d+, 0|kernel_size=(0|-\d+)", ILLEGAL_VALUE),
    (r"must be non-negative|negative dimension|must be a positive integer|should not be zero|non-positive stride|negative padding|must be > 0", ILLEGAL_VALUE),
    (r"should be greater than zero|padding_mode must be one of|Invalid padding string|could not create a primitive|for tensor of size \[0\]", ILLEGAL_VALUE),
    (r"must not have zero elements|must be positive|must be greater than zero|strictly positive", ILLEGAL_VALUE),
    (r"Expected concatenating dimensions in the range|`strides > 1` not supported", IMPROPER_VALUE),
    (r"must be divisible by|at most half of|not supported for strided|Dimension out of range", IMPROPER_VALUE),
    (r"must have the same dtype|type \(.*\) should be the same|not implemented for '|expected scalar type", TYPE),
    (r"Value for attr 'T' of|was expected to be a \w+ tensor but is a|have type .* that does not match|must all match|don't all match", TYPE),
    (r"the process ended|could not create a descriptor|output size would be zero", ILLEGAL_SHAPE),
    (r"Output size is too small|Kernel size can't be greater|output size would be negative|Negative dimension size", ILLEGAL_SHAPE),
    (r"to have \d+ channels|Sizes of tensors must match|The size of tensor a|shapes cannot be multiplied|more than 1 value per channel", INCOMPATIBLE_SHAPE),
    (r"input depth must be evenly divisible|expected axis -1 of input shape|Incompatible shapes|Matrix size-incompatible", INCOMPATIBLE_SHAPE),
    (r"must be equal to input_size|Expected hidden|Expected size for first two|Sequence dimension|mat1 and mat2 shapes", INCOMPATIBLE_SHAPE),
    (r"ConcatOp : Dimension|Dimensions must be equal|ConcatOp : Ranks|Dimension \d in both shapes", INCOMPATIBLE_SHAPE),
]


def label(title: str, vector: Vector, outcome: str) -> str:
    """The category that the real exception tells; "" where the vector runs. Where an operator alone has a value outside of its domain it is that."""
    if not outcome:
        return ""
    told = next((category for pattern, category in MESSAGES if re.search(pattern, outcome)), f"no category for {outcome}")
    if any(word in title for word in ALONE) and told != FORMAT and any(_strange(name, value) for name, value in vector.items()):
        return ILLEGAL_VALUE
    if "torch conv2d" in title and told in (INCOMPATIBLE_SHAPE, ILLEGAL_SHAPE) and vector.get("dtype", "float32") != "float32":
        return TYPE  # the layer has float32
    if vector.get("fmt") == "nhwc" and "channels, but got" in outcome and vector.get("channels") == 3:  # only the format is wrong
        return FORMAT
    return told


def _strange(name: str, value: object) -> bool:
    """Whether a value is outside of its domain."""
    return value in ("full", "wrap") or (name in LEAST and isinstance(value, int) and value < LEAST[name])


if __name__ == "__main__":
    sys.exit(main(HERE / "space_refty.md", HERE / "space_refty.truth.gz", label, False, (__doc__ or "").splitlines()[0]))
