"""The categories of Refty's Table 1 that an outcome of the real library belongs to, decided from the outcome and the vector alone.

This file reads no answer of tensorproof. Rule by rule, with what decides it:

1. `MESSAGES`: the words of the exception give the category by the definitions of the paper: a value outside of its domain is illegal, one that violates a
   constraint of the computation is improper (an axis that the tensor does not have, groups that do not divide, 'same' with a stride), an output without
   elements is an illegal shape, sizes that do not match are an incompatible shape. A process that ends computes an output without elements.
2. `only the format`: channels-last data in a channels-first layer is an unsupported format, although PyTorch's message speaks of channels. The paper's first
   example says so. It replaces rule 1 where the data has the layer's channels at the other end and nothing else is wrong with it.
3. `several faults`: a library stops at the first of several faults, in an order of its own. Where an operator stands alone, a vector with a hyperparameter
   outside of its domain is an illegal value as well, and an element type that the operator does not take is an incompatible element type as well. Both
   categories are right then; how many answers have the second one is counted ("another fault").
4. `# assert:` lines of a program: what runs and is wrong, as the paper asserts it, with its category.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

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
    (r"expected a positive integer|do not satisfy `value > 0`", ILLEGAL_VALUE),
    (r"Expected concatenating dimensions in the range|`strides > 1` not supported", IMPROPER_VALUE),
    (r"must be divisible by|at most half of|not supported for strided|Dimension out of range", IMPROPER_VALUE),
    (r"must have the same dtype|type \(.*\) should be the same|not implemented for '|expected scalar type", TYPE),
    (r"Value for attr 'T' of|was expected to be a \w+ tensor but is a|have type .* that does not match|must all match|don't all match", TYPE),
    (r"the process ended|could not create a descriptor|output size would be zero", ILLEGAL_SHAPE),
    (r"Output size is too small|Kernel size can't be greater|output size would be negative|Negative dimension size", ILLEGAL_SHAPE),
    (r"to have \d+ channels|Sizes of tensors must match|The size of tensor a|shapes cannot be multiplied|more than 1 value per channel", INCOMPATIBLE_SHAPE),
    (r"input depth must be evenly divisible|expected axis -1 of input shape|Incompatible shapes|Matrix size-incompatible", INCOMPATIBLE_SHAPE),
    (r"must be equal to input_size|Expected hidden|Expected size for first two|Sequence dimension|mat1 and mat2 shapes", INCOMPATIBLE_SHAPE),
    (r"ConcatOp : Dimension|Dimensions must be equal|ConcatOp : Ranks|Dimension \d in both shapes|requires inputs with matching shapes", INCOMPATIBLE_SHAPE),
]


def labels(title: str, vector: Mapping[str, Any], outcome: str) -> tuple[str, ...]:
    """The categories that are right for a vector that raises, that of the message first; none where it runs."""
    if not outcome:
        return ()
    category_of = next((category for pattern, category in MESSAGES if re.search(pattern, outcome)), f"no category for {outcome}")
    if vector.get("fmt") == "nhwc" and "channels, but got" in outcome and vector.get("channels") == vector.get("inner", 3) and not _strange(vector):
        return (FORMAT,)
    if not any(word in title for word in ALONE):
        return (category_of,)
    also = [ILLEGAL_VALUE] if _strange(vector) else []
    if "torch conv2d" in title and vector.get("dtype", "float32") != "float32":  # the layer has float32
        also.append(TYPE)
    return (category_of, *(category for category in also if category != category_of))


def _strange(vector: Mapping[str, Any]) -> bool:
    """Whether a value is outside of its domain."""
    return any(value in ("full", "wrap") or (name in LEAST and isinstance(value, int) and value < LEAST[name]) for name, value in vector.items())
