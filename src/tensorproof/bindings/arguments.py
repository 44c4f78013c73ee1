"""Binds the arguments of a call to those of a row, by our names and by their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.bindings.coercion import Mismatch, coerce, show, without_arrays
from tensorproof.bindings.rows import Argument, Row
from tensorproof.ops.call import GiveUp, Session
from tensorproof.ops.inputs import REQUIRED, Axes, Ints, Pairs, Parameter, Sizes
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

PYTHON_INTS = {
    "keras.layers.Dense": ("units",), "keras.layers.Embedding": ("input_dim", "output_dim"), "keras.layers.GroupNormalization": ("groups",),
    "keras.layers.MultiHeadAttention": ("num_heads", "key_dim", "value_dim"), "keras.layers.RepeatVector": ("n",), "keras.layers.UpSampling1D": ("size",),
}  # fmt: skip
"""Sizes that Keras refuses as numbers of NumPy."""


def bind(
    row: Row, arguments: tuple[Argument, ...], kinds: dict[str, Parameter], args: tuple[Any, ...], kwargs: dict[str, Any], session: Session | None = None
) -> dict[str, Any]:
    """The arguments by our names, defaults filled in. Raises `Mismatch` with a sentence."""
    bound: dict[str, Any] = {}
    left = list(args)
    named = _renamed(row, arguments, kwargs)
    behind: list[Any] = []
    if row.framework == "numpy" and isinstance(named.get("dtype"), str) and "dtype" in kinds:
        coerce("numpy", kinds["dtype"], named["dtype"])  # of an element type that is not modelled ("M8[D]") nothing can be refused
    for at, argument in enumerate(arguments):
        if argument.gathers:
            if argument.theirs == "rest":
                named.clear()
                continue
            value: Value = named.pop(argument.theirs, REQUIRED)
            if value is REQUIRED:
                if row.name.startswith("graphdef."):  # `ConcatV2(*values, axis)`: a node's inputs come in one row
                    count = sum(1 for a in arguments[at + 1 :] if a.default is REQUIRED and a.theirs not in named)
                    left, behind = left[: len(left) - count], left[len(left) - count :]
                value, left = _gathered(row, argument, kinds[argument.ours], left), []
        elif left and not argument.keyword_only:
            value = left.pop(0)
            if argument.theirs in named:
                raise Mismatch(f"{row.name} got {argument.theirs} twice")
        elif argument.theirs in named:
            value = named.pop(argument.theirs)
        elif behind and argument.default is REQUIRED:
            value = behind.pop(0)
        elif argument.default is not REQUIRED:
            bound[argument.ours] = argument.default
            continue
        else:
            _check_optional(row, argument, kinds[argument.ours])
            bound[argument.ours] = None
            continue
        bound[argument.ours] = _read(row, argument, kinds[argument.ours], value, session)
    if left:
        raise Mismatch(f"{row.name} takes {len(arguments)} arguments, {len(args)} were given")
    if named:
        raise Mismatch(f"{row.name} has no argument named {next(iter(named))}")
    return bound


def _gathered(row: Row, argument: Argument, kind: Parameter, left: list[Any]) -> Any:
    """`f(2, 3)` and `f((2, 3))` for `*shape`: what is left of the positional arguments, or the one sequence or tensor that stands there."""
    if not left:
        if argument.default is not REQUIRED:
            return argument.default
        if row.framework == "torch" and isinstance(kind, (Axes, Ints)):
            raise Mismatch(f"{row.name} is missing the argument {argument.theirs}")
        return ()
    first = left[0]
    one = len(left) == 1 and (
        (isinstance(first, (tuple, list)) and not getattr(kind, "many", False)) or (isinstance(first, TensorType) and not kind.takes(tuple(left)))
    )
    if one and isinstance(kind, Ints) and row.name.startswith("numpy.random."):
        raise Mismatch(f"{row.name} takes one number for each axis, and no {type(first).__name__}: write *shape")
    return first if one else tuple(left)


def _check_optional(row: Row, argument: Argument, kind: Parameter) -> None:
    """An argument without a default may be left out where its kind says so."""
    if row.framework == "torch" or not getattr(kind, "optional", False) or kind.default is not None:
        raise Mismatch(f"{row.name} is missing the argument {argument.theirs}")


def _read(row: Row, argument: Argument, kind: Parameter, value: Value, session: Session | None) -> Any:
    """A value as the kind of an argument reads it. Raises `Mismatch` where the argument does not take it."""
    framework = row.framework
    if framework == "keras" and isinstance(value, TensorType) and argument.theirs in PYTHON_INTS.get(row.name, ()):
        raise Mismatch(f"{row.name} takes a whole number of Python as {argument.theirs}, and {show(value)} is not one: write int(…)")
    if framework == "keras" and argument.ours == "padding" and isinstance(value, str):
        value = value.lower()
    value = coerce(framework, kind, value)
    if framework == "torch":
        value = without_arrays(row, argument, kind, value)
    elif session is not None and type(value) in (list, tuple) and isinstance(kind, (Ints, Sizes, Pairs)):
        value = _with_sizes(value, session)
    if not kind.takes(value) and not _is_default(value, argument.default):
        if isinstance(value, TensorType) and not value.shape.known:
            raise GiveUp(f"the rank of {argument.theirs} is not known")
        raise Mismatch(f"{row.name} does not take {show(value)} as {argument.theirs}")
    return value


def _with_sizes(value: Any, session: Session) -> Any:
    """A list of sizes with a symbol for each that stands in a tensor and is not known."""
    if type(value) in (list, tuple):
        return type(value)(_with_sizes(v, session) for v in value)
    unknown = isinstance(value, TensorType) and value.contents is None and value.shape.known and not len(value.shape)
    return session.number_in(value) if unknown and value.dtype is not None and value.dtype.is_integer else value


_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x1": "input", "x2": "other"}


def _renamed(row: Row, arguments: tuple[Argument, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """torch's own functions and methods take NumPy's keywords too: `x.sum(axis=1, keepdims=True)`."""
    if not kwargs or row.framework != "torch" or _NUMPY_NAMES.keys().isdisjoint(kwargs):
        return dict(kwargs)
    theirs = {argument.theirs for argument in arguments}
    free = {k: n for k, n in _NUMPY_NAMES.items() if k not in theirs and n in theirs and n not in kwargs}
    return {free.get(k, k): v for k, v in kwargs.items()}


def _is_default(value: Value, default: Value) -> bool:
    return not isinstance(value, TensorType) and type(value) is type(default) and value == default
