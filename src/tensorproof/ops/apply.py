"""Applies an operator: fills in defaults, binds the arguments (`ops/call.py`), runs its rules, and makes results with their memory and strides.

`apply` is the only entry. It raises `Refused` for what surely fails, and `GiveUp` for what is beyond a rule.
"""

from __future__ import annotations

from typing import Any

from tensorproof.ops import repeats
from tensorproof.ops.applied import Applied
from tensorproof.ops.call import Call, Prescribed, layout_shape
from tensorproof.ops.inputs import REQUIRED, Tensor, is_number
from tensorproof.ops.record import Op, Out, Requirement
from tensorproof.ops.session import GiveUp, Refused, Session, python_number
from tensorproof.ops.storage import FORMATS, copied_like, like_operands
from tensorproof.ops.symbolic_axes import is_symbolic, joined
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Dim, Origin
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.strides import strides_or_none
from tensorproof.terms.tensor import MOST_CONTENTS, SOMEWHERE, UNKNOWN_STRIDES, Outputs, Storage, TensorType


def apply(op: Op, arguments: dict[str, Any], session: Session, name: str = "", prescribed: Prescribed | None = None) -> Any:
    """The result of a call: a `TensorType`, or a tuple of them. Raises `Refused` or `GiveUp`."""
    key = repeats.key_of(op, arguments, session, name) if prescribed is None else None
    kept = repeats.found(op, *key) if key is not None else None
    if kept is not None:
        result, taken, copied = kept
        return _recorded(op, taken, _placed(op, taken, copied, session, result), session, name)
    own = session.options.get(op.name)
    full = _filled(op, arguments if own is None else {**own, **arguments}, name)
    open_axes = [p.name for p in op.attributes if is_symbolic(p, full[p.name])]
    if open_axes and prescribed is None:
        found = joined(op, full, open_axes, session, name or op.name, apply)
        if found is not None:
            return found
    before = session.made, len(session.requirements), len(session.applied)
    call = Call(op, full, session, name or op.name, prescribed)
    if prescribed is not None and prescribed.shapes is not None:
        made = _results(call, prescribed.shapes)
    elif not call.bind() and not getattr(op.shape, "any_rank", False):
        return _recorded(op, call.arguments, _unknown(call), session, name)
    else:
        made = _results(call, layout_shape(call, op.shape) if isinstance(op.shape, str) else op.shape(call))
        if key is not None and before == (session.made, len(session.requirements), len(session.applied)):
            repeats.keep(op, *key, made, call.arguments, call.copied)
    return _recorded(op, call.arguments, _placed(op, call.arguments, call.copied, session, made), session, name)


def _recorded(op: Op, arguments: dict[str, Any], made: Any, session: Session, name: str) -> Any:
    session.applied.append(Applied(op, arguments, (made,) if isinstance(made, TensorType) else tuple(made), name or op.name))
    return made


def _filled(op: Op, arguments: dict[str, Any], name: str) -> dict[str, Any]:
    """The arguments with the declaration's defaults, each as its kind reads it."""
    full: dict[str, Any] = {}
    for parameter in op.parameters:
        value = arguments.get(parameter.name, parameter.default)
        if value is REQUIRED:
            if getattr(parameter, "optional", False):
                value = None
            else:
                raise Refused(Requirement("call/arguments", False, f"{name or op.name} is missing the argument {parameter.name}", (parameter.name,)))
        if value is not None:
            if isinstance(parameter, Tensor) and is_number(value):
                value = python_number(value)
            elif value is not REQUIRED:
                value = parameter.read(value)
        full[parameter.name] = value
    return full


def _placed(op: Op, arguments: dict[str, Any], copied: bool, session: Session, made: Any) -> Any:
    """Results with the memory that they lie in: that of the input of which they are a view, or into which they are written."""
    shown = arguments.get(op.aliases or op.writes[0]) if op.aliases or op.writes else None
    if copied:
        base = None
    elif isinstance(shown, tuple):
        if type(made) is tuple and len(made) == len(shown):
            return tuple(_at(one, of.base or SOMEWHERE, session) for one, of in zip(made, shown))
        base = SOMEWHERE
    else:
        base = shown.base or SOMEWHERE if isinstance(shown, TensorType) else None
    if isinstance(made, TensorType):
        return _at(made, base, session)
    moved = [_at(one, base, session) for one in made]
    return made.like(moved) if isinstance(made, Outputs) else tuple(moved)


def _at(made: Any, base: Storage | None, session: Session) -> Any:
    if not isinstance(made, TensorType):
        return made
    framework = session.framework
    if made.strides is not None and "row_major" in session.everywhere:
        return made.but(base=base, framework=framework, strides=None)
    if made.base is base and made.framework == framework:
        return made
    return made.but(base=base, framework=framework)


def _dtype(call: Call, out: Out | None, at: int = 0) -> DType | None:
    if call.prescribed is not None:
        return call.prescribed.dtypes[min(at, len(call.prescribed.dtypes) - 1)]
    if out is not None and out.dtype is not None:
        return out.dtype
    rule = call.op.dtype
    if rule is None or isinstance(rule, DType):
        return rule
    return rule(call)


def _results(call: Call, shapes: Any) -> Any:
    op = call.op
    if not op.outputs and not op.counted:
        return _one(call, shapes, _dtype(call, None))
    if op.counted:
        dtype = _dtype(call, None)
        return tuple(_one(call, s, dtype) for s in shapes)
    present = [out for out in op.outputs if not out.when or call[out.when]]
    made = [s if isinstance(s, TensorType) else _one(call, s, _dtype(call, out, i)) for i, (out, s) in enumerate(zip(present, shapes))]
    if call.laid is not None:
        made[0] = made[0].but(strides=call.laid)
    return made[0] if len(op.outputs) == 1 or len(made) == 1 else Outputs.named(made, [out.name for out in present])


def _one(call: Call, shape: Any, dtype: DType | None) -> TensorType:
    if isinstance(shape, TensorType):
        return shape
    made = shape if isinstance(shape, Shape) else Shape(shape)
    contents: tuple[Any, ...] | None = None
    foldable = call.prescribed is None or call.prescribed.shapes is None or made.concrete
    if call.op.fold is not None and not call.op.counted and foldable:
        contents = call.op.fold(call)
        if contents is not None and len(contents) > MOST_CONTENTS:
            contents = None
    return TensorType(made, dtype, contents=contents, device=_device(call), strides=_strides(call, made), framework=call.session.framework)


def _strides(call: Call, shape: Shape) -> tuple[Dim, ...] | None:
    """Contiguous inputs give a contiguous result, unless the rule or the declaration says otherwise."""
    order = call.op.order
    if call.laid is not None and not call.op.outputs:
        return strides_or_none(shape, call.laid)
    if order == "apart" and (not shape.known or len(shape)):
        return UNKNOWN_STRIDES
    if (call.reordered or order == "own") and (not shape.known or len(shape) > 1):
        return UNKNOWN_STRIDES
    if order == "compact" or (shape.known and not len(shape)):
        return None
    tensors = _input_tensors(call)
    if all(t.strides is None for t in tensors):
        return None
    if not shape.known:
        return UNKNOWN_STRIDES
    if order in FORMATS and call.option("channels_last"):
        return FORMATS[order](call, tensors, shape)
    absolute = bool(call.option("absolute_strides"))
    if order == "copied":
        return copied_like(tensors, shape, absolute)
    return like_operands(tensors, shape, absolute) if order == "like" else UNKNOWN_STRIDES


def _input_tensors(call: Call) -> list[TensorType]:
    inputs = [call.arguments.get(parameter.name) for parameter in call.op.inputs]
    return [t for value in inputs for t in (value if isinstance(value, tuple) else (value,)) if isinstance(t, TensorType)]


def _device(call: Call) -> str | None:
    for parameter in call.op.inputs:
        value = call.arguments.get(parameter.name)
        if isinstance(value, TensorType) and value.device is not None and len(value.shape):
            return value.device
    return None


def _unknown(call: Call) -> Any:
    """Results of a call whose input's rank is not known."""
    op = call.op
    if op.counted:
        raise call.give_up("an input's rank is not known, so neither is the number of outputs")
    present: list[Out | None] = [out for out in op.outputs if not out.when or call[out.when]]
    made: list[TensorType] = []
    for i, out in enumerate(present or [None]):
        try:
            dtype = _dtype(call, out, i)
        except (GiveUp, KeyError, IndexError):
            dtype = None
        call.session.made += 1
        origin = Origin.UNMODELLED if call.option("ranks_are_known") else Origin.WORLD
        made.append(TensorType(unknown_shape(f"{op.name}{call.session.site}#{call.session.made}", origin), dtype))
    call.leave_rank_open()
    return made[0] if len(made) == 1 else tuple(made)
