"""One call of an operator: arguments bound to their layouts, requirements stated, results made.

`apply` is the only way in. A rule gets the `Call` and uses: `c.shape(name)`, `c.dims[AXIS]`, `c[attribute]`, `c.require(...)`,
`c.fresh(...)`, `c.give_up(...)`. A requirement that is known to fail ends the call with `Refused`; one that is known to hold leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorproof.ops import repeats
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import REQUIRED, Axes, Axis, Choice, ElementType, Float, Int, Ints, Sizes, Tensor, Tensors, is_number
from tensorproof.ops.layout import Alternative, alternatives, build, ranks_in_words, value_of
from tensorproof.ops.record import Op, Out, Requirement
from tensorproof.ops.session import GiveUp, Refused, Session, python_number
from tensorproof.ops.symbolic_axes import is_symbolic, joined
from tensorproof.terms.dtypes import ANY, DType
from tensorproof.terms.ints import Dim, Origin, Term
from tensorproof.terms.predicates import Truth, conj, disj, eq, ge, le
from tensorproof.terms.promotion import Operand, promote, to_float
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape, broadcast, unknown_shape
from tensorproof.terms.tensor import MOST_CONTENTS, SOMEWHERE, UNKNOWN_STRIDES, Outputs, Storage, TensorType


@dataclass(frozen=True, slots=True)
class Prescribed:
    """What a spelling says itself of the results of an operator that it applies.

    `dtypes`: their element types, by its framework's rule; the inputs' are checked already. `shapes`: as the operator's shape rule returns them, where the
    framework's rule of shapes tells more than the operator's (of unknown ranks) and has been checked.
    """

    dtypes: tuple[DType | None, ...]
    shapes: Any = None


class Call:
    """The arguments of one application of `op`."""

    __slots__ = ("_rank_unknown", "arguments", "copied", "dims", "laid", "lead", "name", "named_by", "op", "prescribed", "reordered", "session")

    def __init__(self, op: Op, arguments: dict[str, Any], session: Session, name: str, prescribed: Prescribed | None = None) -> None:
        self.op = op
        self.prescribed = prescribed
        self.arguments = arguments
        self.session = session
        self.name = name
        self.dims: dict[str, Dim] = {}
        self.named_by: dict[str, str] = {}
        self.lead: dict[str, tuple[Dim, ...]] = {}
        self._rank_unknown: list[str] = []
        self.laid: tuple[Dim, ...] | None = None
        """A rule sets this to the strides of its first result, where they are known and not row-major."""
        self.copied = False
        """A rule of a view sets this where this result lies in memory of its own."""
        self.reordered = False
        """A rule sets this where the results may lie in memory in another order than row-major even though the inputs do not."""

    # --- what a rule asks for ---

    def option(self, name: str) -> Any:
        """What the framework says of this operator where libraries differ (bindings/options); None where it says nothing."""
        own = self.session.options.get(self.op.name)
        return own[name] if own is not None and name in own else self.session.everywhere.get(name)

    def common_type(self, operands: Sequence[Operand]) -> DType | None:
        """The element type of operands that meet, by the framework's own table; None where they do not mix."""
        return promote(self.session.framework, operands)

    def float_type(self, dtype: DType) -> DType | None:
        """What the framework makes of an element type where a function gives real values; None where it refuses."""
        return to_float(self.session.framework, dtype)

    def __getitem__(self, name: str) -> Any:
        return self.arguments.get(name)

    def given(self, name: str) -> bool:
        return self.arguments.get(name) is not None

    def tensor(self, name: str) -> TensorType:
        made: TensorType = self.arguments[name]
        return made

    def shape(self, name: str) -> Shape:
        made: Shape = self.arguments[name].shape
        return made

    def rank(self, name: str) -> int:
        """The rank, known: unknown ranks never reach a rule that does not declare them."""
        return len(self.arguments[name].shape)

    def dtype(self, name: str) -> DType | None:
        made: DType | None = self.arguments[name].dtype
        return made

    def contents(self, name: str) -> tuple[Any, ...] | None:
        made: tuple[Any, ...] | None = self.arguments[name].contents
        return made

    # --- what a rule states ---

    def require(self, code: str, predicate: Truth, message: str, about: str | Sequence[str] = (), misplaced: Truth = False) -> None:
        """State that `predicate` must hold. `code` is the last word; the operator's name is put before it."""
        if predicate is True:
            return
        blamed = (about,) if isinstance(about, str) else tuple(about)
        requirement = Requirement(code if "/" in code else f"{self.op.name}/{code}", predicate, message, blamed, misplaced=misplaced)
        if predicate is False:
            if self.session.lenient:
                return
            raise Refused(requirement)
        self.session.requirements.append(requirement)

    def refuse(self, code: str, message: str, about: str | Sequence[str] = ()) -> Refused:
        """For `raise c.refuse(...)`: this call is wrong whatever the sizes."""
        blamed = (about,) if isinstance(about, str) else tuple(about)
        return Refused(Requirement(f"{self.op.name}/{code}", False, message, blamed))

    def equal(self, code: str, a: Dim, b: Dim, message: str, about: str | Sequence[str] = (), misplaced: Truth = False) -> None:
        """Two sizes must be the same; `{a}` and `{b}` in the message are filled in."""
        if a is not b:
            if self.session.lenient and eq(a, b) is False:
                self.session.failed.append((a, b))
            self.require(code, eq(a, b), message.replace("{a}", repr(a)).replace("{b}", repr(b)), about, misplaced)

    def fresh(self, name: str, lo: int = 0, hi: int | None = None) -> Term:
        """A size that only the data decides."""
        return self.session.fresh(name, lo, hi)

    def give_up(self, why: str) -> GiveUp:
        """For `raise c.give_up(...)`: this call is beyond the rule."""
        return GiveUp(f"{self.name}: {why}")

    def broadcast(self, *shapes: Shape | tuple[Dim, ...], about: str | Sequence[str] = (), code: str = "broadcast") -> Shape:
        def stated(holds: Truth, a: Dim, b: Dim) -> None:
            if self.session.lenient and holds is False:
                self.session.failed.append((a, b))
            self.require(code, holds, f"sizes {a!r} and {b!r} do not broadcast: they must be equal, or one of them 1", about)

        given = [s if isinstance(s, Shape) else Shape(s) for s in shapes]
        made = broadcast(given, stated)
        if not made.known and made not in given:
            self.leave_rank_open()
        return made

    def leave_rank_open(self) -> None:
        """What the operator demands of an unknown rank cannot be told: with `ranks_are_known`, where no rank is open by intent, nothing is proved."""
        if self.option("ranks_are_known"):
            self.require("rank", eq(self.fresh("rank"), 1), "an input's rank is not known")

    # --- binding ---

    def bind(self) -> bool:
        """Check element types, axes and layouts. False when an unknown rank stops the rule."""
        for parameter in self.op.inputs:
            value = self.arguments.get(parameter.name)
            if value is None:
                continue
            for one in value if isinstance(parameter, Tensors) else (value,):
                self._bind_dtype(parameter, one)
                if parameter.layout != "...":
                    self._bind_layout(parameter, one)
                elif not one.shape.known:
                    self._rank_unknown.append(parameter.name)
            if isinstance(parameter, Tensors):
                self.require(
                    parameter.name, len(value) >= parameter.least, f"{parameter.name} must hold at least {parameter.least} tensor(s)", parameter.name
                )
        for attribute in self.op.attributes:
            value = self.arguments.get(attribute.name)
            if value is not None:
                self._bind_attribute(attribute, value)
        return not self._rank_unknown

    def _bind_dtype(self, parameter: Tensor | Tensors, value: TensorType) -> None:
        if parameter.dtypes is ANY or value.dtype is None or value.dtype in parameter.dtypes or self.prescribed or parameter.name in self.session.typed:
            return
        if value.weak and isinstance(parameter, Tensor) and parameter.scalar:
            return
        self.require("dtype", False, f"{parameter.name} has element type {value.dtype!r}, which {self.name} does not take", parameter.name)

    def _bind_layout(self, parameter: Tensor | Tensors, value: TensorType) -> None:
        shape = value.shape
        options = alternatives(parameter.layout)
        if not shape.known:
            narrowed = self._narrow(parameter, shape, options)
            if narrowed is None:
                return
            shape = narrowed
        rank = len(shape)
        for option in options:
            if option.fits(rank):
                break
        else:
            raise self.refuse(
                "rank", f"{parameter.name} must have rank {ranks_in_words(parameter.layout)}, and has rank {rank}: {shape!r}", parameter.name
            )
        split = len(option.before)
        if option.open:
            self.lead[parameter.name] = tuple(shape[split : rank - len(option.after)])
        self._bind_names(parameter.name, option.before, shape[:split])
        self._bind_names(parameter.name, option.after, shape[rank - len(option.after) :] if option.after else ())

    def _narrow(self, parameter: Tensor | Tensors, shape: Shape, options: tuple[Alternative, ...]) -> Shape | None:
        """A shape of unknown rank meets a layout: one closed alternative fixes it, several leave a rank-set constraint."""
        allowed: list[Truth] = [ge(shape.rank, o.least) if o.open else eq(shape.rank, o.least) for o in options]
        self.require("rank", disj(*allowed), f"{parameter.name} must have rank {ranks_in_words(parameter.layout)}", parameter.name)
        if len(options) == 1 and not options[0].open:
            axes = [self.fresh(f"{parameter.name}.{name}") for name in options[0].before]
            narrowed = Shape(axes)
            if isinstance(parameter, Tensor):
                self.arguments[parameter.name] = self.arguments[parameter.name].but(shape=narrowed)
            return narrowed
        self._rank_unknown.append(parameter.name)
        return None

    def _bind_names(self, owner: str, names: tuple[str, ...], axes: Sequence[Dim]) -> None:
        for name, size in zip(names, axes, strict=True):
            if name == "_":
                continue
            known: Dim | None = int(name) if name.isdigit() else self.dims.get(name)
            if known is None:
                self.dims[name] = size
                self.named_by[name] = owner
                continue
            if size is known:
                continue
            code = self.op.codes.get(name, "size" if name.isdigit() else name.lower())
            if name.isdigit():
                message = f"an axis of {owner} is {{a}} and must be {{b}}"
            else:
                message = f"{code} is {{b}} in {self.named_by[name]} and {{a}} in {owner}; they must be equal"
            self.equal(code, size, known, message, (owner, self.named_by[name]) if name in self.named_by else owner)

    def _bind_attribute(self, attribute: Any, value: Any) -> None:
        match attribute:
            case Axis():
                self.arguments[attribute.name] = self.axis(value, attribute)
            case Axes() if isinstance(value, tuple):
                axes = tuple(self.axis(v, attribute) for v in value)
                if attribute.unique:
                    self.require("axis", len(set(axes)) == len(axes), f"{attribute.name} names an axis twice: {value!r}", attribute.name)
                self.arguments[attribute.name] = axes
            case Sizes() if not isinstance(value, TensorType):
                self.arguments[attribute.name] = self._sizes(attribute, value)
            case Int() | Float():
                if is_number(value) and not isinstance(value, complex):
                    self._within(attribute, value)
            case Ints(least=int(least)) if isinstance(value, tuple):
                for one in value:
                    self.require(attribute.name, ge(one, least), f"{attribute.name} must be at least {least}, and is {value!r}", attribute.name)
            case Choice():
                if value not in attribute.options:
                    words = ", ".join(map(repr, attribute.options))
                    raise self.refuse(attribute.name, f"{attribute.name} must be one of {words}, and is {value!r}", attribute.name)
            case ElementType():
                if value not in attribute.dtypes:
                    raise self.refuse("dtype", f"{self.name} cannot make elements of type {value!r}", attribute.name)
            case _:
                pass

    def _within(self, attribute: Int | Float, value: Any) -> None:
        if attribute.least is not None:
            holds = ge(value, attribute.least) if isinstance(value, Term) else value >= attribute.least  # type: ignore[arg-type]
            self.require(attribute.name, holds, f"{attribute.name} must be at least {attribute.least}, and is {value!r}", attribute.name)
        if attribute.most is not None:
            holds = le(value, attribute.most) if isinstance(value, Term) else value <= attribute.most  # type: ignore[arg-type]
            self.require(attribute.name, holds, f"{attribute.name} must be at most {attribute.most}, and is {value!r}", attribute.name)

    def axis(self, value: Any, attribute: Axis | Axes) -> Any:
        """A non-negative axis of the input that the attribute speaks of."""
        owner = self.arguments.get(attribute.of)
        if owner is None or not is_number(value):
            return value
        shape: Shape = owner[0].shape if isinstance(owner, tuple) else owner.shape
        if not shape.known or isinstance(value, Term):
            return value
        rank = len(shape) + (attribute.extra if isinstance(attribute, Axis) else 0)
        reach = 1 if rank == 0 and attribute.scalar_ok else rank
        if not -reach <= value < reach:
            raise self.refuse("axis", f"{attribute.name} = {value} is out of range for {attribute.of} of rank {len(shape)}", (attribute.name, attribute.of))
        return value + reach if value < 0 else value

    def _sizes(self, attribute: Sizes, value: Any) -> Any:
        if isinstance(value, str):
            return value
        n = attribute.n if isinstance(attribute.n, int) else self.arguments[attribute.n]
        sizes = (value,) * n if not isinstance(value, tuple) else value * n if len(value) == 1 else value
        self.require(attribute.name, len(sizes) == n, f"{attribute.name} must be one whole number or {n}, and is {value!r}", attribute.name)
        if attribute.least is not None:
            for one in sizes:
                if one is None and attribute.holes:
                    continue
                self.require(
                    attribute.name, ge(one, attribute.least), f"{attribute.name} must be at least {attribute.least}, and is {value!r}", attribute.name
                )
        return sizes


@dataclass(frozen=True, slots=True)
class Names:
    """Bound axes first, then attributes: what a layout expression may speak of."""

    call: Call

    def __contains__(self, name: object) -> bool:
        return name in self.call.dims or name in self.call.arguments

    def __getitem__(self, name: str) -> Any:
        return self.call.dims[name] if name in self.call.dims else self.call.arguments[name]

    def keys(self) -> Sequence[str]:
        return [*self.call.arguments, *self.call.dims]


def layout_shape(c: Call, layout: str) -> tuple[Dim, ...]:
    """The output shape that a layout describes; `...` is the broadcast of all the inputs' own."""
    leads = [Shape(lead) for lead in c.lead.values()]
    lead = c.broadcast(*leads, about=tuple(c.lead)) if leads else Shape()
    return build(layout, Names(c), tuple(lead))  # type: ignore[arg-type]


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
    told = call.prescribed is None or call.prescribed.shapes is None or made.concrete
    if call.op.fold is not None and not call.op.counted and told:
        contents = call.op.fold(call)
        if contents is not None and len(contents) > MOST_CONTENTS:
            contents = None
    return TensorType(made, dtype, contents=contents, device=_device(call), strides=_strides(call, made), framework=call.session.framework)


def _strides(call: Call, shape: Shape) -> tuple[Dim, ...] | None:
    """Contiguous inputs give a contiguous result, unless the rule or the declaration says otherwise."""
    order = call.op.order
    if order == "apart" and (not shape.known or len(shape)):
        return UNKNOWN_STRIDES
    if (call.reordered or order == "own") and (not shape.known or len(shape) > 1):
        return UNKNOWN_STRIDES
    if order == "compact" or (shape.known and not len(shape)):
        return None
    if order == "pictures" and call.option("channels_last") and shape.known and len(shape) < 4:
        return None
    inputs = [call.arguments.get(parameter.name) for parameter in call.op.inputs]
    tensors = [t for value in inputs for t in (value if isinstance(value, tuple) else (value,)) if isinstance(t, TensorType)]
    if all(t.strides is None for t in tensors):
        return None
    if order in ("pictures", "channels") and call.option("channels_last"):
        from tensorproof.ops.storage import channels_first

        if all(map(channels_first, tensors)):  # only what lies with the channels last gives such a result
            return None
    if order == "like" and shape.known:
        from tensorproof.ops.storage import copied_strides, in_order

        wide = [t for t in tensors if not t.weak and t.shape.known and len(t.shape)]
        first = wide[0].strides if wide else None
        if all(t.strides == first and t.shape == shape for t in wide) and wide:
            return copied_strides(wide[0])
        for one in wide:  # the first that has all axes decides their order, unless one before it lies otherwise
            if not in_order(one):
                break
            if one.shape == shape:
                return None
    return UNKNOWN_STRIDES


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


def any_rank(rule: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """Mark a shape rule that works on inputs of unknown rank."""
    rule.any_rank = True  # type: ignore[attr-defined]
    return rule


__all__ = ["Call", "GiveUp", "Refused", "Session", "any_rank", "apply", "conj", "layout_shape", "python_number", "value_of"]
