"""The six categories of invalid hyperparameters, from the code of the requirement that is broken and what it is about."""

from __future__ import annotations

from tensorproof.ops.record import Requirement

ILLEGAL_VALUE = "illegal value"
IMPROPER_VALUE = "improper value"
UNSUPPORTED_FORMAT = "unsupported format"
ILLEGAL_SHAPE = "illegal shape"
INCOMPATIBLE_SHAPE = "incompatible shape"
INCOMPATIBLE_TYPE = "incompatible element type"
CATEGORIES = (ILLEGAL_VALUE, IMPROPER_VALUE, UNSUPPORTED_FORMAT, ILLEGAL_SHAPE, INCOMPATIBLE_SHAPE, INCOMPATIBLE_TYPE)


ORDER = (UNSUPPORTED_FORMAT, ILLEGAL_VALUE, IMPROPER_VALUE, INCOMPATIBLE_TYPE, INCOMPATIBLE_SHAPE, ILLEGAL_SHAPE)
"""Which of several is reported first: a value that is wrong by itself is the cause of others."""


def category_of(requirement: Requirement) -> str:
    """A value outside of its domain is illegal, one that does not go with others is improper; a tensor's format, sizes or element type may not fit."""
    from tensorproof.catalogue import find

    name, _, word = requirement.code.partition("/")
    about, message = requirement.about, requirement.message
    if word == "dtype":
        return INCOMPATIBLE_TYPE
    if word in ("format", "layout", "data_format") or requirement.misplaced is True:
        return UNSUPPORTED_FORMAT
    if name == "python" or word == "axis" or requirement.advised is not True:
        return IMPROPER_VALUE
    if name == "call":
        return ILLEGAL_VALUE
    op = find(name)
    attributes = {a.name for a in op.attributes} if op is not None else set[str]()
    tensors = {i.name for i in op.inputs} if op is not None else set[str]()
    concerned = set(about) - {"weight", "bias"}  # a layer makes these as its hyperparameters say
    if word == "empty" or (word in _WINDOWS and concerned & tensors):
        return ILLEGAL_SHAPE
    if word in _TOGETHER:
        return ILLEGAL_VALUE if "must be at least" in message else IMPROPER_VALUE
    if concerned and not concerned & tensors:
        return ILLEGAL_VALUE if len(concerned) == 1 or any(word in message for word in _LEAST) else IMPROPER_VALUE
    if not concerned and (about or word in attributes or "must not be" in message or "must be at least" in message):
        return ILLEGAL_VALUE
    return INCOMPATIBLE_SHAPE


_LEAST = ("at least", "above 0", "positive")
_WINDOWS = ("kernel", "output_size", "padding")
_TOGETHER = ("groups", "heads", "num_heads", "output_padding")
