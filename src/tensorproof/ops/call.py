"""One call of an operator: arguments bound to their layouts, requirements stated. `ops/apply.py` makes its results.

A rule gets the `Call` and uses: `c.shape(name)`, `c.dims[AXIS]`, `c[attribute]`, `c.require(...)`, `c.fresh(...)`, `c.give_up(...)`.
A requirement that is known to fail ends the call with `Refused`; one that is known to hold leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from tensorproof.ops.inputs import Axes, Axis, Choice, ElementType, Float, Int, Ints, Sizes, Tensor, Tensors, is_number
from tensorproof.ops.layout import Alternative, alternatives, build, ranks_in_words
from tensorproof.ops.record import Op, Requirement
from tensorproof.ops.session import GiveUp, Refused, Session
from tensorproof.ops.statements import NOUNS, Broadcast, SameSize, Side, Statement, stated
from tensorproof.terms.dtypes import ANY, DType, in_words
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import Truth, disj, eq, ge, le
from tensorproof.terms.promotion import Operand, promote, to_float
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.ops.arguments import Arrays, Flags, Lists, PerhapsArrays, Various, Words


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
        self.named_by: dict[str, tuple[str, int, int]] = {}
        """For each named axis the input that it was first met in, the axis from the end, and the rank."""
        self.lead: dict[str, tuple[Dim, ...]] = {}
        self._rank_unknown: list[str] = []
        self.laid: tuple[Dim, ...] | None = None
        """A rule sets this to the strides of its first result, where they are known and not row-major."""
        self.copied = False
        """A rule of a view sets this where this result lies in memory of its own."""
        self.reordered = False
        """A rule sets this where the results may lie in memory in another order than row-major even though the inputs do not."""

    # --- what a rule asks for ---

    def option(self, name: str) -> object:
        """What the framework says of this operator where libraries differ (bindings/options); None where it says nothing."""
        own = self.session.options.get(self.op.name)
        return own[name] if own is not None and name in own else self.session.everywhere.get(name)

    def type_option(self, name: str) -> DType | None:
        """The same of an element type."""
        found = self.option(name)
        return found if isinstance(found, DType) else None

    def common_type(self, operands: Sequence[Operand]) -> DType | None:
        """The element type of operands that meet, by the framework's own table; None where they do not mix."""
        return promote(self.session.framework, operands)

    def float_type(self, dtype: DType) -> DType | None:
        """What the framework makes of an element type where a function gives real values; None where it refuses."""
        return to_float(self.session.framework, dtype)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, name: Various) -> Any: ...
        @overload
        def __getitem__(self, name: Arrays) -> TensorType: ...
        @overload
        def __getitem__(self, name: PerhapsArrays) -> TensorType | None: ...
        @overload
        def __getitem__(self, name: Lists) -> tuple[TensorType, ...]: ...
        @overload
        def __getitem__(self, name: Flags) -> bool: ...
        @overload
        def __getitem__(self, name: Words) -> str: ...
        @overload
        def __getitem__(self, name: str) -> Any: ...
        def __getitem__(self, name: str) -> Any: ...
    else:

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

    def require(self, code: str, predicate: Truth, message: str | Statement, about: str | Sequence[str] = (), misplaced: Truth = False) -> None:
        """State that `predicate` must hold. `code` is the last word; the operator's name is put before it."""
        if predicate is True:
            return
        blamed = (about,) if isinstance(about, str) else tuple(about)
        statement, text = (None, message) if isinstance(message, str) else (message, stated(message))
        requirement = Requirement(code if "/" in code else f"{self.op.name}/{code}", predicate, text, blamed, misplaced=misplaced, statement=statement)
        if predicate is False:
            if self.session.lenient:
                return
            raise Refused(requirement)
        self.session.requirements.append(requirement)

    def refuse(self, code: str, message: str, about: str | Sequence[str] = ()) -> Refused:
        """For `raise c.refuse(...)`: this call is wrong whatever the sizes."""
        blamed = (about,) if isinstance(about, str) else tuple(about)
        return Refused(Requirement(f"{self.op.name}/{code}", False, message, blamed))

    def equal(self, code: str, a: Dim, b: Dim, message: str | Statement, about: str | Sequence[str] = (), misplaced: Truth = False) -> None:
        """Two sizes must be the same; `{a}` and `{b}` in the message are filled in."""
        if a is not b:
            if self.session.lenient and eq(a, b) is False:
                self.session.failed.append((a, b))
            text = message.replace("{a}", repr(a)).replace("{b}", repr(b)) if isinstance(message, str) else message
            self.require(code, eq(a, b), text, about, misplaced)

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
            self.require(code, holds, Broadcast((about,) if isinstance(about, str) else tuple(about), (a, b)), about)

        given = [s if isinstance(s, Shape) else Shape(s) for s in shapes]
        made = broadcast(given, stated)
        if not made.known and made not in given:
            self.leave_rank_open()
        return made

    def leave_rank_open(self) -> None:
        """What the operator demands of an unknown rank is unknown: with `ranks_are_known`, where no rank is open by intent, nothing is proved."""
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
                self.require(parameter.name, len(value) >= parameter.least, f"{parameter.name} must hold at least {parameter.least} tensor(s)", parameter.name)
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
        message = f"{parameter.name} has dtype {value.dtype!r}, {self.name} takes {in_words(parameter.dtypes)}"
        self.require("dtype", False, message, parameter.name)

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
            raise self.refuse("rank", f"{parameter.name} must have {ranks_in_words(parameter.layout)} dimensions, it has {rank}: {shape!r}", parameter.name)
        split = len(option.before)
        if option.open:
            self.lead[parameter.name] = tuple(shape[split : rank - len(option.after)])
        self._bind_names(parameter.name, option.before, shape[:split], 0, rank)
        self._bind_names(parameter.name, option.after, shape[rank - len(option.after) :] if option.after else (), rank - len(option.after), rank)

    def _narrow(self, parameter: Tensor | Tensors, shape: Shape, options: tuple[Alternative, ...]) -> Shape | None:
        """A shape of unknown rank meets a layout: one closed alternative fixes it, several leave a rank-set constraint."""
        allowed: list[Truth] = [ge(shape.rank, o.least) if o.open else eq(shape.rank, o.least) for o in options]
        self.require("rank", disj(*allowed), f"{parameter.name} must have {ranks_in_words(parameter.layout)} dimensions", parameter.name)
        if len(options) == 1 and not options[0].open:
            axes = [self.fresh(f"{parameter.name}.{name}") for name in options[0].before]
            narrowed = Shape(axes)
            if isinstance(parameter, Tensor):
                self.arguments[parameter.name] = self.arguments[parameter.name].but(shape=narrowed)
            return narrowed
        self._rank_unknown.append(parameter.name)
        return None

    def _bind_names(self, owner: str, names: tuple[str, ...], axes: Sequence[Dim], start: int, rank: int) -> None:
        for at, (name, size) in enumerate(zip(names, axes, strict=True), start - rank):
            if name == "_":
                continue
            known: Dim | None = int(name) if name.isdigit() else self.dims.get(name)
            if known is None:
                self.dims[name] = size
                self.named_by[name] = (owner, at, rank)
                continue
            if size is known:
                continue
            code = self.op.codes.get(name, "size" if name.isdigit() else name.lower())
            if name.isdigit():
                self.equal(code, size, known, f"axis {at + rank} of {owner} has size {{a}}, it must have {{b}}", owner)
                continue
            first, *where = self.named_by[name]
            self.equal(code, size, known, SameSize(NOUNS.get(code, ""), Side(first, known, *where), Side(owner, size, at, rank)), (owner, first))

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
                    self.require(attribute.name, ge(one, least), f"{attribute.name} must be at least {least}, it is {value!r}", attribute.name)
            case Choice():
                if value not in attribute.options:
                    words = ", ".join(map(repr, attribute.options))
                    raise self.refuse(attribute.name, f"{attribute.name} must be one of {words}, it is {value!r}", attribute.name)
            case ElementType():
                if value not in attribute.dtypes:
                    raise self.refuse("dtype", f"{self.name} cannot make elements of type {value!r}", attribute.name)
            case _:
                pass

    def _within(self, attribute: Int | Float, value: Any) -> None:
        if attribute.least is not None:
            holds = ge(value, attribute.least) if isinstance(value, Term) else value >= attribute.least  # type: ignore[arg-type]
            self.require(attribute.name, holds, f"{attribute.name} must be at least {attribute.least}, it is {value!r}", attribute.name)
        if attribute.most is not None:
            holds = le(value, attribute.most) if isinstance(value, Term) else value <= attribute.most  # type: ignore[arg-type]
            self.require(attribute.name, holds, f"{attribute.name} must be at most {attribute.most}, it is {value!r}", attribute.name)

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
            raise self.refuse("axis", f"{attribute.name} = {value} is out of range: {attribute.of} has {len(shape)} dimensions", (attribute.name, attribute.of))
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
                self.require(attribute.name, ge(one, attribute.least), f"{attribute.name} must be at least {attribute.least}, it is {value!r}", attribute.name)
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


def any_rank(rule: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """Mark a shape rule that works on inputs of unknown rank."""
    rule.any_rank = True  # type: ignore[attr-defined]
    return rule


__all__ = ["Call", "GiveUp", "Prescribed", "Refused", "Session", "any_rank", "layout_shape"]
