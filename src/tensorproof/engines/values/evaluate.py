"""Evaluates applied operators on arrays, by the reference functions in their declarations. NumPy is imported here, when something is evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.evaluation import Undefined, Undetermined
from tensorproof.ops.inputs import Axis, Sizes
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType

_NARROW = {"bfloat16": 16, "float8_e4m3fn": 20, "float8_e5m2": 21}
"""Element types that NumPy does not have, with the number of low bits of a float32 that they drop."""


_PLAIN = frozenset((bool, int, float, complex))


class NotEvaluated(Exception):
    """An operator without a reference function, or a tensor whose values are not given."""


def evaluate(applied: Sequence[Applied], given: Mapping[int, Any]) -> dict[int, Any]:
    """The values of all results, by the identity of their tensors; `given` holds those of the inputs."""
    import numpy as np

    values: dict[int, Any] = dict(given)
    with np.errstate(all="ignore"):
        for one in applied:
            if one.op.evaluate is None:
                raise NotEvaluated(one.op.name)
            made = one.op.evaluate(np, arguments_of(np, one, values))
            for result, value in zip(one.results, (made,) if len(one.results) == 1 and not isinstance(made, tuple) else made):
                values[id(result)] = typed(np, value, result.dtype)
    return values


def arguments_of(np: Any, one: Applied, values: Mapping[int, Any]) -> dict[str, Any]:
    """The arguments as values, the tensors that they are of, types and shapes of the results. Truth values are numbers where the results are."""
    given = {name: value_of(np, value, values) for name, value in one.arguments.items()}
    for attribute in one.op.attributes:
        if isinstance(attribute, (Sizes, Axis)) and isinstance(given.get(attribute.name), int):
            given[attribute.name] = _as_read(attribute, given)
    given["tensors"] = one.arguments
    given["results"] = tuple(result.dtype for result in one.results)
    given["shapes"] = tuple(result.shape for result in one.results)
    if any(result.dtype is not None and result.dtype.kind == "b" for result in one.results):
        return given
    chosen = {attribute.name for attribute in one.op.attributes}  # a mask that stands between brackets stays one
    return {name: value if name in chosen else _counted(np, value) for name, value in given.items()}


def _as_read(attribute: Sizes | Axis, given: Mapping[str, Any]) -> Any:
    """An attribute as a shape rule reads it, where a spelling stated the shapes itself: one size for each axis, axes that are not negative."""
    value = given[attribute.name]
    if isinstance(attribute, Sizes):
        return (value,) * attribute.n if isinstance(attribute.n, int) else value
    owner = given.get(attribute.of)
    rank: int | None = getattr(owner, "ndim", None)
    return value if value >= 0 or rank is None else value + max(1, rank + attribute.extra)


def _counted(np: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_counted(np, v) for v in value)
    return value.astype(np.int64) if getattr(value, "dtype", None) == np.bool_ else value


def value_of(np: Any, value: Any, values: Mapping[int, Any]) -> Any:
    if isinstance(value, TensorType):
        known = values.get(id(value))
        if known is None and value.contents is not None and numbers_in(value):
            known = np.asarray(value.contents[0]) if value.weak else contents_of(np, value)
        if known is None:
            raise NotEvaluated("an input without values")
        return wide(np, known)
    if isinstance(value, (tuple, list)):
        return tuple(value_of(np, v, values) for v in value)
    if isinstance(value, Term):
        raise NotEvaluated("a number without a value")
    return value


def wide(np: Any, value: Any) -> Any:
    """The same numbers in the widest type of their kind: what an operator computes is rounded once, at its end."""
    kind = getattr(value, "dtype", None)
    if kind is None or kind.kind in "bOSU" or kind == np.uint64:
        return value
    target = {"f": np.float64, "V": np.float64, "c": np.complex128}.get(kind.kind, np.int64)
    return value if kind == target else value.astype(target)


def numbers_in(tensor: TensorType) -> bool:
    """Whether a tensor's contents are known as numbers."""
    held = tensor.contents
    return held is not None and (_PLAIN.issuperset(map(type, held)) or all(isinstance(n, (bool, int, float, complex)) for n in held))


def contents_of(np: Any, tensor: TensorType) -> Any:
    """The array of a tensor whose contents are known."""
    return typed(np, np.array(tensor.contents).reshape([int(n) for n in tensor.shape]), tensor.dtype)


def typed(np: Any, value: Any, dtype: DType | None) -> Any:
    """An array of that element type; types that NumPy does not have are float32, rounded."""
    if dtype is None or dtype.label in ("string", "variant", "resource"):
        return np.asarray(value)
    if dtype.label in _NARROW:
        return _rounded(np, np.asarray(value).astype(np.float32), _NARROW[dtype.label])
    label = "complex64" if dtype.label == "complex32" else dtype.label.removeprefix("q") if dtype.kind == "q" else dtype.label
    return np.asarray(value).astype(label)


def _rounded(np: Any, value: Any, bits: int) -> Any:
    """A float32 array to the nearest number with `bits` low bits of the mantissa zero, ties to even."""
    whole = np.atleast_1d(value).view(np.uint32)
    half = np.uint32((1 << (bits - 1)) - 1)
    odd = (whole >> np.uint32(bits)) & np.uint32(1)
    kept = (whole + half + odd) & np.uint32(0xFFFFFFFF << bits & 0xFFFFFFFF)
    return np.where(np.isfinite(value), kept.view(np.float32).reshape(np.shape(value)), value)


def bounds(applied: Sequence[Applied], given: Mapping[int, Any]) -> dict[int, Any]:
    """Bounds of the values of all results (boxes), by the identity of their tensors; `given` holds those of the inputs. None where nothing is known."""
    import numpy as np

    from tensorproof.engines.values.rules import boxed

    boxes: dict[int, Any] = {i: _flushed(np, boxed(v)) for i, v in given.items()}
    with np.errstate(all="ignore"):
        for one in applied:
            for tensor in _constants(one):
                if id(tensor) not in boxes:
                    boxes[id(tensor)] = _flushed(np, boxed(contents_of(np, tensor)))
            bound(one, boxes)
    return boxes


def _constants(one: Applied) -> Iterator[TensorType]:
    """The real tensors among the arguments whose contents are known: what is computed of them is rounded as well."""
    for value in one.arguments.values():
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(tensor, TensorType) and not tensor.weak and tensor.dtype is not None and tensor.dtype.kind == "f" and numbers_in(tensor):
                yield tensor


def bound(one: Applied, boxes: dict[int, Any]) -> None:
    """Put bounds of the results of one applied operator, by the identity of their tensors; None where nothing is known."""
    import numpy as np

    from tensorproof.engines.values.drawn import drawn, open_written
    from tensorproof.engines.values.rounding import Rounding
    from tensorproof.engines.values.rules import Box, Unbounded, boxed

    made: Any = None
    nearest = False
    open_written(np, one, boxes)
    try:
        if one.op.evaluate is not None:
            made, nearest = computed(np, one, list(types_of(one)), arguments_of(np, one, boxes))
        if Rounding.lost and not (one.op.order == "like" and len(one.op.inputs) == 1):
            made = _open(np, made)
    except (NotEvaluated, Unbounded, Undefined, Undetermined):
        made = None
    parts = [made] if len(one.results) == 1 and not isinstance(made, tuple) else made if made is not None else [None] * len(one.results)
    for i, (result, part) in enumerate(zip(one.results, parts)):
        fact = fact_of(one, i)
        if fact.kind == "drawn":
            boxes[id(result)] = drawn(np, one, fact, result, boxes)
            continue
        box = None if part is None or getattr(part, "dtype", np.dtype(float)).kind == "c" else boxed(_made(np, part, result.dtype))
        if box is not None and not (fact.kind in _KEPT and _of_one_type(one, fact, result)):
            box = outward(np, box, result.dtype, nearest)
        boxes[id(result)] = _narrowed(np, Box, result, box, _stated(np, one, fact, boxes))


_SEVERAL = set[str]()
"""The operators that compute more than one function which a library rounds."""


def computed(np: Any, one: Applied, types: Sequence[DType | None], arguments: Mapping[str, Any]) -> tuple[Any, bool]:
    """What a reference function gives of bounds, and whether a library rounds it but once, to the nearest number."""
    from tensorproof.engines.values.rounding import Rounding, Several, computed_in

    assert one.op.evaluate is not None
    if one.op.name not in _SEVERAL:
        Rounding.late = True
        spread = _spread(np, one, types, arguments)
        try:
            with computed_in(types):
                made = one.op.evaluate(np, {**arguments, **spread} if spread else arguments)
            if Rounding.single and (spread or _representable(one)) if Rounding.count else getattr(np, "__name__", "") == "numpy" or one.op.order == "like":
                return made, True
        except Several:
            _SEVERAL.add(one.op.name)
        finally:
            Rounding.late = False
    with computed_in(types):
        return one.op.evaluate(np, arguments), False


def _spread(np: Any, one: Applied, types: Sequence[DType | None], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The Python numbers of a sum, product or quotient with what they are rounded to; none where they are numbers of all the types, or are rounded twice."""
    from tensorproof.engines.values.rules import boxed

    if one.op.values.kind not in ("sums", "multiplies", "divides") or any(type(v) is float for v in one.arguments.values()):
        return {}
    weak = {name: t for name, t in one.arguments.items() if isinstance(t, TensorType) and t.weak and t.contents and type(t.contents[0]) is float}
    if not weak or any(t is not None and t.kind == "f" and t.bits < 32 for t in types) or _representable(one):
        return {}
    made = {}
    for name, tensor in weak.items():
        given, rounded = arguments[name], np.float64(np.float32(tensor.contents[0]))  # type: ignore[index]
        made[name] = (given if hasattr(given, "of") else boxed(given)).of("either", rounded)
    return made


def _representable(one: Applied) -> bool:
    """Whether each real number that the program wrote is a number of all the element types that meet: others are rounded before they are used."""
    written = [v for v in one.arguments.values() if type(v) is float]
    written += [v for t in one.arguments.values() if isinstance(t, TensorType) and t.weak and t.contents for v in t.contents if type(v) is float]
    return all(abs(v) < 256 and (v * 128).is_integer() for v in written)


def _open(np: Any, made: Any) -> Any:
    """Any numbers: what a computation gives behind an overflow depends on its order, which libraries choose. Whole numbers stay."""
    from tensorproof.engines.values.rules import Box, boxed

    if isinstance(made, tuple):
        return tuple(_open(np, part) for part in made)
    box = boxed(made)
    return Box(np.full(box.shape, -np.inf), np.inf, True, box.dtype) if box.dtype.kind == "f" else box


def types_of(one: Applied) -> Iterator[DType | None]:
    """The element types of the inputs and results; Python numbers have none."""
    for value in (*one.arguments.values(), *one.results):
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(tensor, TensorType) and not tensor.weak:
                yield tensor.dtype


def _flushed(np: Any, box: Any, least: float | None = None) -> Any:
    """Bounds that hold for a library that takes numbers without all digits as 0."""
    from tensorproof.engines.values.rules import Box

    if box.dtype.kind != "f":
        return box
    small = float(np.finfo(box.dtype).smallest_normal) if least is None else least
    lo, hi = np.where((box.lo > 0) & (box.lo < small), 0.0, box.lo), np.where((box.hi < 0) & (box.hi > -small), 0.0, box.hi)
    return Box(lo, hi, box.nan, box.dtype)


def outward(np: Any, box: Any, dtype: DType | None, nearest: bool = False) -> Any:
    """Bounds that hold after rounding to the element type: real numbers grow by some units in the last place, and overflow is infinite.
    What is rounded to the `nearest` number stays in order."""
    from tensorproof.engines.values.boxes import nearest_once
    from tensorproof.engines.values.rounding import computed_in, outwards
    from tensorproof.engines.values.rules import Box
    from tensorproof.engines.values.whole_numbers import fitting

    if dtype is not None and dtype.kind in "biu":
        if dtype.kind == "b":
            return box.astype(bool)
        label = dtype.label if dtype.bits >= 8 else "int8" if dtype.kind == "i" else "uint8"  # NumPy knows no limits of fewer bits
        return Box(*fitting(box.lo, box.hi, box.nan, label, box.dtype.kind in "iu"), False, label)
    if dtype is not None and not dtype.step:
        return box
    kind = np.float64 if box.dtype.kind in "biu" else box.dtype
    if nearest:
        target = dtype or DType.FLOAT32
        if box.lo.size == 1 and target.label not in _NARROW:
            return nearest_once(box, target, kind)
        lo, hi = (np.asarray(typed(np, side, target), np.float64) for side in (box.lo, box.hi))
        return _flushed(np, Box(lo, hi, box.nan, kind), target.smallest_normal)
    with computed_in([dtype or DType.FLOAT32]):
        return Box(*outwards(box.lo, box.hi), box.nan, kind)


def fact_of(one: Applied, i: int) -> Values:
    """The declared fact of a result: the output's own, or the operator's where that is about all results or this is the first."""
    outputs = one.op.outputs
    own = outputs[i].values if i < len(outputs) and (len(outputs) == len(one.results) or i == 0) else None
    return own or (one.op.values if i == 0 or one.op.counted else Values())


_AMONG = ("convex", "moves", "cuts", "selects", "joins", "mixes")
"""Kinds of facts by which elements lie between the least and the greatest of the inputs."""


def _made(np: Any, part: Any, dtype: DType | None) -> Any:
    """Numbers that come from no tensor: where some of them cancel, they are off by as much as the largest is."""
    from tensorproof.engines.values.rules import Box

    if hasattr(part, "of") or dtype is None or dtype.kind != "f" or not dtype.step:
        return part
    array = np.asarray(part)
    if array.dtype.kind != "f" or not array.size or not np.all(np.isfinite(array)) or np.all(array == np.rint(array)):
        return part
    error = 16 * dtype.step * np.max(np.abs(array))
    return Box(array - error, array + error, False, array.dtype)


_KEPT = ("moves", "cuts", "selects", "joins")
"""Kinds of facts by which elements are those of the inputs."""


def _of_one_type(one: Applied, values: Values, result: TensorType) -> bool:
    """Whether the inputs that elements come from have the element type of the result, and no number is given beside them: nothing is rounded then."""
    named = [one.arguments.get(name) for name in (values.over or "x").split()]
    inputs = [x for value in named for x in (value if isinstance(value, (tuple, list)) else (value,))]
    if any(type(value) is float for value in one.arguments.values()):
        return False
    return all(isinstance(x, TensorType) and x.dtype is result.dtype and not x.weak for x in inputs)


def _stated(np: Any, one: Applied, values: Values, boxes: Mapping[int, Any]) -> tuple[float, float] | None:
    """The bounds that a declared fact gives."""
    from tensorproof.engines.values.rules import Unbounded, boxed

    def number(value: Any) -> Any:
        return one.arguments[value] if isinstance(value, str) else value

    if values.kind == "bounded":
        return values.bounds.lo, values.bounds.hi
    if values.kind == "draws":
        low, high = number(values.low), number(values.high)
        return (float(low), float(max(low, high - 1))) if type(low) is int and type(high) is int and values.step == 1 else None
    if values.kind not in (*_AMONG, "places"):
        return None
    try:
        named = [value_of(np, one.arguments[name], boxes) for name in (values.over or "x").split()]
        inputs = [boxed(x) for x in named for x in (x if isinstance(x, tuple) else (x,)) if x is not None]
    except (NotEvaluated, Unbounded):
        return None
    if not inputs or not all(x.size for x in inputs):
        return None
    if values.kind == "places":
        axis = number(values.by)
        size = inputs[0].size if axis is None else inputs[0].shape[axis] if type(axis) is int and inputs[0].ndim else 1
        return 0.0, float(size - 1)
    return min(float(x.lo.min()) for x in inputs), max(float(x.hi.max()) for x in inputs)


def _narrowed(np: Any, make: Any, result: TensorType, box: Any, stated: tuple[float, float] | None) -> Any:
    """The stated bounds, met with those that were computed."""
    if stated is None or not result.shape.known:
        return box
    if box is None:
        shape = tuple(result.shape)
        if not all(isinstance(n, int) for n in shape):
            return None
        real = result.dtype is None or result.dtype.kind == "f"
        return outward(np, make(np.full(shape, stated[0]), np.full(shape, stated[1]), real), result.dtype)
    return met(np, make, box, outward(np, make(*stated), result.dtype))


def met(np: Any, make: Any, box: Any, around: Any) -> Any:
    """Computed bounds met with stated ones, which are about the elements of inputs: a window of padding alone has none."""
    lo, hi = np.maximum(around.lo, box.lo), np.minimum(around.hi, box.hi)
    if np.any(lo > hi):
        lo, hi = np.where(lo > hi, box.lo, lo), np.where(lo > hi, box.hi, hi)
    return make(lo, hi, box.nan, box.dtype)
