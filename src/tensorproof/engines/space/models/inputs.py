"""The inputs of a saved model as hyperparameters: sizes by what their axes are, the format of the data, and the element type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.dtypes import BY_LABEL, DType

_SPACE = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
_ALSO = {"features": "channels", "steps": "length", "time": "length", "sequence": "length", "seq_len": "length", "batch_size": "batch"}
FIRST, LAST = "channels_first", "channels_last"
_FORMATS = {"NCW": FIRST, "NCL": FIRST, "NCHW": FIRST, "NCDHW": FIRST, "NWC": LAST, "NLC": LAST, "NHWC": LAST, "NDHWC": LAST, FIRST: FIRST, LAST: LAST}
WORDS = ("format", "dtype")


def roles(rank: int, form: str) -> tuple[str, ...]:
    """What the axes of data are, in a format."""
    if rank < 2:
        return ("batch",)[:rank]
    inner = _SPACE.get(rank - 2, tuple(f"axis{i}" for i in range(1, rank - 1))) if rank > 2 else ()
    return ("batch", "channels", *inner) if form == FIRST else ("batch", *inner, "channels")


def axis_of(word: str, rank: int, form: str) -> int | None:
    """The axis that a word names."""
    known = roles(rank, form)
    wanted = word if word in known else _ALSO.get(word, word)
    if rank == 2 and wanted == "length":  # tokens
        return 1
    return known.index(wanted) if wanted in known else None


def words(rank: int | None, form: str) -> list[str]:
    """The hyperparameters of an input."""
    return [*(roles(rank, form) if rank is not None else ()), *WORDS]


def format_of(value: object, name: str) -> str:
    if value not in _FORMATS:
        raise BadInput(f"the parameter {name} has the value {value}, which is not a format; there are {', '.join(_FORMATS)}")
    return _FORMATS[value]


def checked_dtype(value: object, name: str) -> DType:
    if not isinstance(value, str) or value not in BY_LABEL:
        raise BadInput(f"the parameter {name} has the value {value}, which is not an element type, such as float32 or int64")
    return BY_LABEL[value]


def arranged(sizes: tuple[Any, ...], changes: Mapping[str, Any], form: str, name: str) -> tuple[Any, ...]:
    """The shape of an input with other sizes, by axis number or word, in another format."""
    known = roles(len(sizes), form)
    held = list(sizes)
    for word, value in changes.items():
        if word.isdecimal():
            held[int(word)] = value
        elif (axis := axis_of(word, len(sizes), form)) is not None:
            held[axis] = value
    wanted = format_of(changes["format"], name) if "format" in changes else form
    if wanted == form or len(sizes) < 3:
        return tuple(held)
    by_role = dict(zip(known, held))
    return tuple(by_role[role] for role in roles(len(sizes), wanted))
