"""Layers: spellings that create parameters when they are constructed, or, in Keras, at their first call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.rows import Creation, Row
from tensorproof.catalogue import find
from tensorproof.ops.apply import apply
from tensorproof.ops.call import Call, Refused, Session
from tensorproof.ops.inputs import is_size
from tensorproof.ops.layout import build, value_of
from tensorproof.ops.record import Requirement
from tensorproof.terms import predicates
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, DType
from tensorproof.terms.facts import SIGNED
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    pass

PREDICATES: dict[str, Any] = {n: getattr(predicates, n) for n in ("eq", "ne", "le", "lt", "ge", "gt", "conj", "disj", "negate", "implies")}
PREDICATES.update({"isinstance": isinstance, "int": int, "float": float, "str": str, "tuple": tuple, "list": list, "all": all, "len": len})
PREDICATES.update({"set": set, "map": map, "type": type, "sorted": sorted, "range": range})
PREDICATES["is_size"] = is_size
"""What the predicates of rows may name, beside the arguments."""


@dataclass(slots=True, eq=False)
class Module:
    """A constructed layer: its row, the constructor's arguments by our names, its parameters and its buffers."""

    row: Row
    arguments: dict[str, Any]
    parameters: dict[str, TensorType] = field(default_factory=dict[str, TensorType])
    buffers: dict[str, TensorType] = field(default_factory=dict[str, TensorType])
    mode: dict[str, Any] = field(default_factory=lambda: {"training": True})
    """Whether it trains and whether it has its weights, in a record of its own: who runs programs puts one that can be undone in its place."""

    unknown: frozenset[str] = frozenset()
    """The arguments of its construction that are not known, by our names: what stands for them was tried, and is not what the program gave."""
    others: tuple[Module, ...] = ()
    """The layers that it may be as well, since something of its construction is not known."""

    def copy(self) -> Module:
        """Another one, which may get its weights apart."""
        return Module(self.row, self.arguments, dict(self.parameters), dict(self.buffers), dict(self.mode))

    @property
    def built(self) -> bool:
        return bool(self.mode.get("built"))

    @built.setter
    def built(self, value: bool) -> None:
        self.mode["built"] = value

    @property
    def training(self) -> bool:
        return bool(self.mode["training"])

    @training.setter
    def training(self, value: bool) -> None:
        self.mode["training"] = value

    @property
    def name(self) -> str:
        return self.row.name

    def state(self) -> dict[str, TensorType]:
        """As in `state_dict`."""
        return {**self.parameters, **self.buffers}


def aligned(module: Module, other: Module) -> Module:
    """What a layer may be as well, with the element type, device and mode that the layer has now."""
    like = next(iter(module.parameters.values()), None)
    if like is None:
        return Module(other.row, other.arguments, other.parameters, other.buffers, module.mode)
    moved = {n: t.but(dtype=like.dtype, device=like.device, requires_grad=like.requires_grad) for n, t in other.parameters.items()}
    return Module(other.row, other.arguments, moved, other.buffers, module.mode)


def construct(row: Row, arguments: dict[str, Any], session: Session) -> Module:
    """Make the layer, with the parameters that do not depend on its input."""
    arguments = {**arguments, **row.fixed}
    if row.framework == "torch" and "dtype" in arguments and arguments["dtype"] is None:
        arguments["dtype"] = session.default_float
    module = Module(row, arguments)
    names = {**PREDICATES, **arguments} if row.checks else arguments
    for code, predicate, sentence in row.checks:
        holds = value_of(predicate, names)
        if holds is True:
            continue
        about = tuple(sorted(set(re.findall(r"[a-z_]\w*", predicate)) & arguments.keys()))
        requirement = Requirement(code if "/" in code else f"{row.op}/{code}", holds, sentence, about)
        if holds is False:
            raise Refused(requirement)
        session.requirements.append(requirement)
    if not needs_input(row, arguments):
        fill(module, arguments, session)
    return module


def needs_input(row: Row, arguments: Mapping[str, Any]) -> bool:
    """Whether a parameter's shape speaks of an axis that only the input tells."""
    return row.framework == "keras" or row.fixed.get("lazy") is True


def _dtype(creation: Creation, arguments: Mapping[str, Any]) -> DType:
    if creation.dtype:
        return BY_LABEL[creation.dtype]
    given = arguments.get("dtype")
    if isinstance(given, str):  # Keras: a label, or a policy such as "mixed_float16", whose variables are float32
        given = BY_LABEL.get(given)
    return given if isinstance(given, DType) else FLOAT32


def computed_in(module: Module) -> DType:
    """The element type that a Keras layer computes in: that of its policy."""
    given = module.arguments.get("dtype")
    if isinstance(given, str):
        given = BY_LABEL.get(given.removeprefix("mixed_"))
    return given if isinstance(given, DType) else FLOAT32


def in_type(x: TensorType, dtype: DType, session: Session, name: str) -> TensorType:
    """x cast to `dtype`, or x itself where it has it."""
    if x.dtype is dtype:
        return x
    cast = find("cast")
    assert cast is not None
    made: TensorType = apply(cast, {"x": x, "dtype": dtype}, session, name)
    return made


def _autocast(module: Module, value: Any, session: Session) -> Any:
    """Keras casts every float tensor that enters a layer to the element type of its policy."""
    if isinstance(value, TensorType):
        return in_type(value, computed_in(module), session, module.name) if value.dtype is not None and value.dtype.is_float else value
    if type(value) in (list, tuple):
        return type(value)(_autocast(module, v, session) for v in value)
    return value


def fill(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """Create parameters and buffers."""
    row = module.row
    of_torch = row.framework == "torch"
    op = find(row.op) if of_torch else None
    drawn = op is not None and op.values.kind == "dot"  # around zero
    if row.create:
        file, _, function = row.create.rpartition(".")
        getattr(import_module(f"tensorproof.bindings.adapt.{file}"), function)(module, names, session)
    for creation in row.creations:
        when = creation.when
        if when and not (names[when] if when in names else value_of(when, {**PREDICATES, **names})):
            continue
        shape, kept = Shape(build(creation.layout, names)), not creation.buffer
        home = module.parameters if kept else module.buffers
        facts = SIGNED if drawn and kept and creation.name == "weight" else None
        home[creation.name] = TensorType(shape, _dtype(creation, module.arguments), requires_grad=kept, parameter=kept and of_torch, facts=facts)
    if of_torch:
        module.parameters.update({name: t.but(parameter=True) for name, t in module.parameters.items() if not t.parameter})
        device = names.get("device") or session.default_device
        if isinstance(device, str) and device != "cpu":
            module.parameters.update({name: t.but(device=str(device)) for name, t in module.parameters.items()})
            module.buffers.update({name: t.but(device=str(device)) for name, t in module.buffers.items()})
    module.built = True


def module_arguments(module: Module, bound: dict[str, Any], session: Session) -> dict[str, Any]:
    """The operator's arguments for one call: the constructor's, the parameters, the call's own."""
    if module.name.startswith("keras.layers.") and module.arguments.get("autocast", True):
        bound = {name: _autocast(module, value, session) for name, value in bound.items()}
    if not module.built:
        axes = {} if module.row.create and not module.row.creations else _axes(module, bound, session)
        fill(module, {**module.arguments, **bound, **axes}, session)
    return {**module.arguments, **{k: None for k in ("weight", "bias") if k in module.arguments}, **module.state(), **bound, "_module": module}


def _axes(module: Module, bound: dict[str, Any], session: Session) -> dict[str, Any]:
    """The axes that the layouts of the call's own tensors name."""
    op = find(module.row.op)
    assert op is not None
    call = Call(op, {**module.arguments, **bound}, session, module.name)
    for parameter in op.inputs:
        value = bound.get(parameter.name)
        if isinstance(value, TensorType) and parameter.layout != "..." and value.shape.known:
            call._bind_layout(parameter, value)  # pyright: ignore[reportPrivateUsage]
    return dict(call.dims)
