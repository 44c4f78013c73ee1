"""What TensorFlow's spellings share: kinds of argument, element types, the names of version 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Call, Run, Value, operator, python_number
from tensorproof.ops.element_types import CONVERTED, promoted
from tensorproof.ops.inputs import Choice, ElementType, Int, Ints
from tensorproof.terms import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, FLOATS, Dim, DType, TensorType, dataclass, eq

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Window(Choice):
    """A number for every axis of an image batch. The generator tries the options; any other list is looked at as well."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, (tuple, list, TensorType)) or (value is None and self.optional)


def promoted_type(run: Run, **operands: Value) -> DType | None:
    """The common element type of operands, some of which may be Python numbers."""
    given = {name: v if isinstance(v, TensorType) else python_number(v) for name, v in operands.items()}
    return promoted(Call(operator(run.row.op), given, run.session, run.name), tuple(operands))


def of_type(run: Run, x: Value, dtype: DType | None) -> Any:
    """x as elements of this type: cast, where it has another."""
    if not isinstance(x, TensorType) or x.weak or x.dtype is dtype or dtype is None:
        return x
    return run("cast", x=x, dtype=dtype)


def same_types(run: Run, a: Arguments, *names: str) -> DType | None:
    """The one element type of the named tensors."""
    given = [one for name in names for one in (a[name] if isinstance(a[name], (tuple, list)) else (a[name],)) if isinstance(one, TensorType)]
    typed = [one for one in given if one.dtype is not None and not one.weak]
    native = [one for one in given if one.framework not in CONVERTED and not one.weak]
    if native:  # arrays and lists take the tensors' element type, but a list of reals is never one of whole numbers
        whole = any(one.dtype is not None and one.dtype.is_integer for one in native)
        typed = [one for one in typed if one.framework not in CONVERTED or (whole and one.framework == "python" and one.dtype in FLOATS)]
    found = dict.fromkeys(one.dtype for one in typed)
    run.require("dtype", len(found) <= 1, f"{' and '.join(names)} must have the same dtype, and have {', '.join(map(repr, found))}", names)
    return next(iter(found), None)


_OLD = {
    "dim_old": "dim", "keepdim_old": "keepdim", "filters_old": "weight", "filter_old": "weight", "input_old": "x", "dilation_old": "dilation",
    "dilations_old": "dilation", "targets_old": "target", "target_old": "target", "labels_old": "target", "size_old": "size",
}  # fmt: skip


def modern(a: Arguments) -> Arguments:
    """The arguments with those that version 1 called otherwise under their present names."""
    made = dict(a)
    for old, new in _OLD.items():
        if made.get(old) is not None:
            made[new] = made.pop(old)
    return made


def labels_agree(run: Run, equation: str, xs: tuple[TensorType, ...]) -> None:
    """In TensorFlow's einsum the axes of one label are equal: none of size 1 is spread."""
    seen: dict[str, Dim] = {}
    for term, x in zip(equation.replace(" ", "").partition("->")[0].split(","), xs):
        if "..." in term or not x.shape.known or len(term) != len(x.shape):
            continue
        for label, n in zip(term, x.shape):
            first = seen.setdefault(label, n)
            run.require("label", eq(first, n), f"the label {label} stands for axes of {first!r} and {n!r}", ("xs",))


DTYPE = ElementType("dtype")
COMPLEX_OF = {FLOAT32: COMPLEX64, FLOAT64: COMPLEX128}


@dataclass(frozen=True, slots=True)
class Loosely(Int):
    """A whole number as a rule, though anything is looked at."""

    def takes(self, value: Value) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Holes(Ints):
    """Sizes, some of which may be None."""

    def takes(self, value: Value) -> bool:
        return value is None or isinstance(value, (tuple, list, TensorType))


@dataclass(frozen=True, slots=True)
class Nothing(Choice):
    """None; a call with anything else is that of another row."""

    def takes(self, value: Value) -> bool:
        return value is None


@dataclass(frozen=True, slots=True)
class Among(ElementType):
    """One of these element types; a call with another one is that of another row."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, DType) and value in self.dtypes
