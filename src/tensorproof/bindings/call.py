"""Calls a spelling: finds its rows, binds the arguments, and applies the operator.

`call` never raises for what a program does wrong: the `Outcome` says whether the call is refused, or why that is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from tensorproof.bindings import autocast
from tensorproof.bindings.arguments import bind
from tensorproof.bindings.coercion import Mismatch, NotKnown
from tensorproof.bindings.conversion import kept_types, tied_to_tensors
from tensorproof.bindings.kinds import Applying, application, check, element_types_named, kinds_in
from tensorproof.bindings.modules import Module, aligned, construct, module_arguments
from tensorproof.bindings.open_calls import agreed_alternatives, any_open, by_rank
from tensorproof.bindings.options import enter
from tensorproof.bindings.outcome import Outcome as Outcome
from tensorproof.bindings.rows import Row, rows
from tensorproof.catalogue import find
from tensorproof.ops.applied import Applied
from tensorproof.ops.apply import apply
from tensorproof.ops.call import GiveUp, Prescribed, Refused, Session
from tensorproof.ops.inputs import REQUIRED, Anything, Bool, Int, Parameter, Tensor, Tensors
from tensorproof.ops.record import Op, Requirement
from tensorproof.terms.dtypes import DType
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.promotion import torch_can_cast
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import Outputs, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.results import Asked, Result, Results, Several
    from tensorproof.terms.ints import Term
    from tensorproof.values.machine import Value


class Run:
    """What a `via` function works with: it applies operators and states requirements under the spelling's name."""

    __slots__ = ("name", "row", "session")

    def __init__(self, row: Row, session: Session) -> None:
        self.row = row
        self.session = session
        self.name = row.name

    @overload
    def __call__(self, op: Several, **arguments: Value) -> Results: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, op: Asked, **arguments: Value) -> Any: ...

    @overload
    def __call__(self, op: str, **arguments: Value) -> TensorType: ...

    def __call__(self, op: str, **arguments: Value) -> Any:
        """Apply an operator by name."""
        return apply(operator(op), arguments, self.session, self.name)

    @overload
    def typed(self, op: Several, *dtypes: DType | None, **arguments: Value) -> Results: ...  # type: ignore[overload-overlap]

    @overload
    def typed(self, op: Asked, *dtypes: DType | None, **arguments: Value) -> Any: ...

    @overload
    def typed(self, op: str, *dtypes: DType | None, **arguments: Value) -> TensorType: ...

    def typed(self, op: str, *dtypes: DType | None, **arguments: Value) -> Any:
        """Apply an operator whose results have these element types by the framework's own rule; it has checked the inputs' itself."""
        return apply(operator(op), arguments, self.session, self.name, Prescribed(dtypes))

    @overload
    def shaped(self, op: Several, shapes: Value, *dtypes: DType | None, **arguments: Value) -> Results: ...  # type: ignore[overload-overlap]

    @overload
    def shaped(self, op: Asked, shapes: Value, *dtypes: DType | None, **arguments: Value) -> Any: ...

    @overload
    def shaped(self, op: str, shapes: Value, *dtypes: DType | None, **arguments: Value) -> TensorType: ...

    def shaped(self, op: str, shapes: Value, *dtypes: DType | None, **arguments: Value) -> Any:
        """Apply an operator whose shapes and element types the framework's own rule has given, also where a rank is unknown.

        `shapes` is what the operator's shape rule would return: a shape, or a list of them for several results. The operator's rule, applied to the
        arguments, must give the same wherever it can tell (tests/architecture holds this).
        """
        return apply(operator(op), arguments, self.session, self.name, Prescribed(dtypes, shapes))

    def known(self, op: str, a: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments that an operator has."""
        names = parameter_names(op)
        return {k: v for k, v in a.items() if k in names}

    def default(self, a: Mapping[str, Value]) -> Result:
        """Apply the row's own operator to those of the arguments that it has."""
        return self(self.row.op, **self.known(self.row.op, a))

    def one(self, a: Mapping[str, Value]) -> TensorType:
        """`default`, of an operator with one result."""
        made = self.default(a)
        assert isinstance(made, TensorType)
        return made

    def several(self, a: Mapping[str, Value]) -> Results:
        """`default`, of an operator with several results."""
        made = self.default(a)
        assert isinstance(made, tuple)
        return made

    def noted(self, made: TensorType, **known: Value) -> TensorType:
        """A result with what is known of it beyond the operator's rule: its layout in memory, its contents, whether it requires a gradient."""
        new, applied = made.but(**known), self.session.applied
        for at in range(len(applied) - 1, -1, -1):
            if any(result is made for result in applied[at].results):
                applied[at] = replace(applied[at], results=tuple(new if result is made else result for result in applied[at].results))
                break
        return new

    def require(self, code: str, predicate: Any, message: str, about: tuple[str, ...] = ()) -> None:
        if predicate is True:
            return
        requirement = Requirement(code if "/" in code else f"{self.row.op}/{code}", predicate, message, about)
        if predicate is False:
            if self.session.lenient:
                return
            raise Refused(requirement)
        self.session.requirements.append(requirement)

    def refuse(self, code: str, message: str, about: tuple[str, ...] = ()) -> Refused:
        return Refused(Requirement(code if "/" in code else f"{self.row.op}/{code}", False, message, about))

    def give_up(self, why: str) -> GiveUp:
        return GiveUp(f"{self.name}: {why}")

    def fresh(self, name: str, lo: int = 0, hi: int | None = None) -> Term:
        return self.session.fresh(name, lo, hi)


@cache
def adapter(via: str) -> Any:
    """The `via` function FOLDER.FILE.FUNCTION."""
    file, _, function = via.rpartition(".")
    return getattr(import_module(f"tensorproof.bindings.adapt.{file}"), function)


@cache
def operator(name: str) -> Op:
    op = find(name)
    if op is None:
        raise KeyError(f"the tables name the operator {name}, which the catalogue does not have")
    return op


@cache
def parameter_names(op: str) -> frozenset[str]:
    """The names of an operator's arguments."""
    return frozenset(parameter.name for parameter in operator(op).parameters)


_SIZE = Int("size")


@cache
def _kinds(name: str, at: int, construction: bool) -> dict[str, Parameter]:
    """The kind of each of a row's arguments, by our name."""
    row = rows(name)[at]
    op = operator(row.op)
    own: dict[str, Parameter] = getattr(adapter(row.via), "parameters", {}) if row.via else {}
    if row.takes:
        own = {**own, **kinds_in(row.takes)}
    found: dict[str, Parameter] = {}
    for argument in row.arguments if construction or row.call_arguments is None else row.call_arguments:
        kind = own.get(argument.ours) or op.parameter(argument.ours)
        if construction and isinstance(kind, (Tensor, Tensors)) and argument.ours not in own:  # a layer's `bias=True` is not the bias
            flag = Bool(argument.ours, argument.default, optional=row.framework == "torch")  # torch's layers ask `if bias:`, and None is not
            kind = flag if isinstance(argument.default, bool) else Anything(argument.ours, argument.default)
        if kind is None:
            kind = _SIZE if construction and argument.ours[0].isupper() else Anything(argument.ours)
        if argument.ours in row.tensors and isinstance(kind, Tensor) and kind.scalar:
            kind = replace(kind, scalar=False)
        if row.framework == "onnx" and argument.default is REQUIRED and getattr(kind, "optional", False):  # a row says itself what a node may leave out
            changed: dict[str, Any] = {"optional": False, **({"default": REQUIRED} if hasattr(kind, "default") else {})}
            kind = replace(kind, **changed)
        found[argument.ours] = kind
    return found


def kinds(row: Row, construction: bool = False) -> dict[str, Parameter]:
    """The kind of each of a row's arguments, by our name."""
    return _kinds(row.name, rows(row.name).index(row), construction)


def spelled(name: str) -> bool:
    """Whether this name has a spelling."""
    return bool(rows(name))


def call(name: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, session: Session | None = None) -> Outcome:
    """Call a spelling such as "torch.add", "torch.Tensor.view" (self first) or "torch.nn.Conv2d" (which gives a `Module`)."""
    found = rows(name)
    if not found:
        return Outcome(unknown=f"no spelling for {name}")
    named = dict(kwargs or {})
    opset = named.pop("_opset", None)
    if opset is not None:
        found = tuple(r for r in found if r.opsets[0] <= opset <= r.opsets[1])
        if not found:
            return Outcome(unknown=f"no spelling for {name} in opset {opset}")
    mine = session or Session()

    def run(args: tuple[Any, ...], named: dict[str, Any]) -> Outcome:
        enter(mine, found[0].framework)
        seen: dict[str, Any] = {}
        outcome = _guarded(mine, lambda: _first_fit(found, args, named, mine, seen))
        outcome.bound = seen
        return outcome

    return (by_rank(run, args, named, mine) if any_open(args) or (named and any_open(named.values())) else None) or run(args, named)


def call_module(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, session: Session | None = None) -> Outcome:
    """Call a module that was constructed before."""
    mine, named = session or Session(), dict(kwargs or {})
    if module.others:
        tried = [_call_module(one, args, named, mine) for one in (module, *(aligned(module, other) for other in module.others))]
        return agreed_alternatives(tried, mine) or Outcome(unknown="an argument of its construction is not known")
    if any_open(args) or (named and any_open(named.values())):
        found = by_rank(lambda a, k: _call_module(module if module.built else module.copy(), a, k, mine), args, named, mine)
        if found is not None:
            return found
    return _call_module(module, args, named, mine)


def _call_module(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], mine: Session) -> Outcome:
    enter(mine, module.row.framework)
    seen: dict[str, Any] = {}

    def run() -> Any:
        row = module.row
        assert row.call_arguments is not None
        try:
            bound = bind(row, row.call_arguments, kinds(row), args, kwargs)
        except NotKnown as unknown:
            raise GiveUp(str(unknown)) from None
        except Mismatch as mismatch:
            raise Refused(Requirement("call/arguments", False, f"{mismatch}")) from None
        arguments = module_arguments(module, bound, mine)
        seen.update(arguments)
        return _run(row, arguments, mine)

    outcome = _guarded(mine, run)
    outcome.bound = seen
    return outcome


def _guarded(session: Session, run: Any) -> Outcome:
    before = len(session.requirements)
    written: list[Any] = []
    applied: list[Applied] = []
    around = session.written, session.applied
    session.written, session.applied = written, applied
    try:
        outputs = run()
    except Refused as refused:
        return Outcome(refused=refused.requirement, requirements=session.requirements[before:])
    except GiveUp as gave_up:
        return Outcome(unknown=str(gave_up), requirements=session.requirements[before:])
    except Exception as bug:  # a rule's own bug is a gap, shown as such, and never takes the whole analysis down
        return Outcome(unknown=f"our rule failed: {type(bug).__name__}: {bug}")
    finally:
        session.written, session.applied = around
    return Outcome(_owned(outputs, session.framework), session.requirements[before:], written=written, applied=applied, made=outputs)


def _owned(outputs: Any, framework: str) -> Any:
    """The results as that framework's tensors."""
    if isinstance(outputs, TensorType):
        if framework == "tf" and outputs.weak:
            outputs = outputs.but(weak=False)
        return outputs if outputs.framework == framework else outputs.but(framework=framework)
    if isinstance(outputs, Outputs):
        return outputs.like(_owned(o, framework) for o in outputs)
    if type(outputs) in (tuple, list):
        return type(outputs)(_owned(o, framework) for o in outputs)
    return outputs


def _first_fit(found: tuple[Row, ...], args: tuple[Any, ...], kwargs: dict[str, Any], session: Session, seen: dict[str, Any]) -> Any:
    reasons: list[str] = []
    unknown = False
    for row in found:
        construction = row.call_arguments is not None
        try:
            bound = bind(row, row.arguments, kinds(row, construction), args, kwargs, session)
        except Mismatch as mismatch:
            reasons.append(str(mismatch))
            unknown = unknown or isinstance(mismatch, NotKnown)
            continue
        seen.update(bound)
        if construction:
            return construct(row, bound, session)
        return _run(row, {**bound, **row.fixed}, session)
    if unknown:
        raise GiveUp("; or ".join(dict.fromkeys(reasons)))
    raise Refused(Requirement("call/arguments", False, reasons[0] if len(reasons) == 1 else "; or ".join(dict.fromkeys(reasons))))


def _run(row: Row, arguments: dict[str, Any], session: Session) -> Any:
    if row.converts:
        arguments = kept_types(row, arguments)
    tied = tied_to_tensors(row, arguments) if row.framework == "tf" and row.only else ()
    if session.casts:
        arguments = autocast.cast(row, arguments, session)
    for name, allowed in row.only.items() if not session.lenient else ():
        if name not in tied:
            _check_only(row, name, arguments.get(name), allowed)
    for name, allowed in row.ranks.items():
        _check_rank(row, name, arguments.get(name), allowed, session)
    run = Run(row, session)
    session.typed = frozenset(row.only)
    try:
        if row.checks and row.call_arguments is None:
            check(row, arguments, run)
        result = computed(run, dict(arguments))
    finally:
        session.typed = frozenset()
    if row.gives:
        enter(session, row.gives)
    if row.fields and isinstance(result, tuple):
        result = Outputs.named(result, row.fields)
    session.written += [arguments.get(name) for name in written_by(row, arguments)]
    return _written(row, arguments, result, run) if row.inplace else result


def computed(run: Run, a: dict[str, Any]) -> Any:
    """What a row says that its call computes."""
    if run.row.via:
        return adapter(run.row.via)(a, run)
    return formula(run, a, run) if run.row.applies else run.default(a)


def formula(run: Run, a: dict[str, Any], steps: Applying) -> Any:
    """What a row spells with operators, which `steps` applies."""
    return application(run.row.applies, run.row.typed)(a, steps)


def written_by(row: Row, arguments: dict[str, Any]) -> tuple[str, ...]:
    """The arguments that a call writes into."""
    if row.inplace:
        return (row.inplace,)
    if arguments.get("inplace") and isinstance(arguments["inplace"], (int, float)):
        return ("x",)
    op = operator(row.op)
    if row.framework != "torch":
        return op.writes
    if not row.name.endswith("_") or row.name.endswith("__"):
        return ()
    return op.writes or ((op.aliases,) if op.aliases else ())


def _check_only(row: Row, name: str, value: Value, allowed: str) -> None:
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, TensorType) and not one.weak and one.dtype is not None and one.dtype not in element_types_named(allowed):
            raise Refused(Requirement(f"{row.op}/dtype", False, f"{row.name} does not take element type {one.dtype!r} as {name}", (name,)))
        if isinstance(one, DType) and one not in element_types_named(allowed):
            raise Refused(Requirement(f"{row.op}/dtype", False, f"{row.name} does not take {one!r} as {name}", (name,)))


def _check_rank(row: Row, name: str, value: Value, allowed: str, session: Session) -> None:
    if not isinstance(value, TensorType):
        return
    rank = value.shape.rank
    options = [ge(rank, int(p[:-2])) if p.endswith("..") else eq(rank, int(p)) for p in allowed.split("|")]
    Run(row, session).require("rank", disj(*options), f"{name} of {row.name} must have rank {allowed}, and is {value.shape!r}", (name,))


def _written(row: Row, arguments: dict[str, Any], result: Value, run: Run) -> Any:
    """An in-place call: the result takes the place of the input, whose shape and element type stay."""
    target = arguments[row.inplace]
    if not isinstance(target, TensorType) or not isinstance(result, TensorType):
        return result
    if target.shape.known and result.shape.known:
        same = len(target.shape) == len(result.shape)
        run.require("inplace", same, f"the result {result.shape!r} does not fit into the tensor {target.shape!r} written in place", (row.inplace,))
        for a, b in zip(result.shape, target.shape):
            run.require("inplace", eq(a, b), f"the result {result.shape!r} does not fit into the tensor {target.shape!r} written in place", (row.inplace,))
    if result.dtype is not None and target.dtype is not None and not torch_can_cast(result.dtype, target.dtype):
        raise run.refuse("inplace", f"a result of type {result.dtype!r} cannot be written into {target.dtype!r}", (row.inplace,))
    made = target.but(contents=result.contents)
    run.session.applied.append(Applied(operator("copy_into"), {"x": target, "y": result}, (made,), row.name))
    return made
