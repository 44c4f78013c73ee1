"""Which exception a library raises when an operator refuses its arguments. Measured with generated calls of every requirement."""

from __future__ import annotations

from collections.abc import Sequence

_DEFAULTS = {
    "torch": ("RuntimeError",), "numpy": ("ValueError",), "tf": ("InvalidArgumentError", "ValueError"), "keras": ("InvalidArgumentError", "ValueError"),
}  # fmt: skip
_SOME = ("RuntimeError", "ValueError")
_BY_WORD: dict[str, dict[str, tuple[str, ...]]] = {
    "torch": {
        "dtype": ("RuntimeError", "NotImplementedError"), "axis": ("IndexError", "RuntimeError"), "rank": ("RuntimeError", "IndexError", "ValueError"),
        "range": ("IndexError", "RuntimeError"), "index": ("RuntimeError", "IndexError"), "empty": ("RuntimeError", "IndexError"),
        "target": ("RuntimeError", "IndexError", "ValueError"), "reduction": ("ValueError",), "ragged": ("ValueError",), "padding_mode": ("ValueError",),
        **dict.fromkeys(("size", "stride", "groups", "n", "weight", "output", "p", "theta"), _SOME),
    },
    "numpy": {
        "dtype": ("TypeError",), "axis": ("AxisError", "ValueError", "IndexError"), "rank": ("ValueError", "IndexError", "TypeError"),
        "square": ("LinAlgError",), "out": ("ValueError", "TypeError"), "axes": ("ValueError", "IndexError"), "index": ("IndexError", "ValueError"),
        "range": ("IndexError",), "parts": ("ValueError", "ZeroDivisionError"), "step": ("ZeroDivisionError", "ValueError"),
    },
    "tf": {
        "dtype": ("TypeError", "InvalidArgumentError", "ValueError"), "rank": ("InvalidArgumentError", "ValueError", "IndexError"),
        "size": ("InvalidArgumentError", "ValueError", "IndexError"),
    },
    "keras": {"rank": ("InvalidArgumentError", "ValueError", "IndexError"), "dtype": ("TypeError", "InvalidArgumentError", "ValueError")},
}  # fmt: skip
"""By the last word of the requirement's code."""
_BY_CODE = {
    "multi_head_attention/heads": ("AssertionError",), "embedding/index": ("IndexError",), "embedding/padding_idx": ("AssertionError",),
    "numpy/device": ("TypeError",),
    "lstm/state": ("IndexError", "RuntimeError", "TypeError", "ValueError"),
}  # fmt: skip


def kinds(name: str, code: str, given: Sequence[object] = ()) -> tuple[str, ...]:
    """The classes of which the exception is one; the likeliest first. TensorFlow tries to make a tensor of a None that it is given."""
    if code == "call/arguments":
        return ("ValueError",) if name.startswith("tf.") and any(value is None for value in given) else ("TypeError",)
    if code in _BY_CODE and not name.startswith(("tf.", "keras.")):
        return _BY_CODE[code]
    if name.startswith("keras.layers."):
        return ("ValueError",)
    library, word = name.partition(".")[0], code.rpartition("/")[2]
    return _BY_WORD.get(library, {}).get(word) or _DEFAULTS.get(library, _SOME)
