"""torch.optim: optimizers hold groups of parameters, and numbers in ranges; a step may call a closure."""

from __future__ import annotations

import ast
from ast import literal_eval
from functools import cache
from math import inf
from typing import Any

from tensorproof.libraries import Bound, ClassModel, KindModel, by_signature, filled_by_signature, nothing
from tensorproof.libraries.domains import autograd, backward
from tensorproof.libraries.results.facts import facts
from tensorproof.terms import eq
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, OPEN, Args, Dict, Generator, Instance, Iterator, Key, Kwargs, Layer, List, Machine, Model, Summary, Unknown, Value, slot

HOME = "torch.optim."
READY, UNSCALED, STEPPED = range(3)
STAGE: Key[Any] = slot("stage of the scaler")
"""What a scaler of gradients has done with an optimizer since its last update."""
NAMES = tuple(facts("torch/optimizers"))


@cache
def defaults_of(name: str) -> dict[str, object]:
    """The arguments of an optimizer with their defaults."""
    return {word: literal_eval(value) for word, _, value in (part.partition("=") for part in facts("torch/optimizers")[name].split())}


_ANY = (0.0, inf)
_SHARE = (0.0, 1.0)
LIMITS: dict[tuple[str, str], tuple[tuple[float, float], ...]] = {
    **{("", word): (_ANY,) for word in ("lr", "eps", "weight_decay", "momentum", "lr_decay", "initial_accumulator_value", "momentum_decay")},
    ("", "betas"): (_SHARE, _SHARE), ("Adadelta", "rho"): (_SHARE,), ("RMSprop", "alpha"): (_ANY,), ("Adafactor", "beta2_decay"): ((-inf, 0.0),),
    ("Adafactor", "eps"): (_ANY, _ANY), ("Adafactor", "d"): ((1.0, inf),), ("Rprop", "etas"): (_SHARE, (1.0, inf)),
}  # fmt: skip
"""Within which each number of an optimizer must lie, by optimizer (all of them: "") and name. The upper end is outside, but for those of CLOSED."""
CLOSED = frozenset([("Adadelta", "rho"), ("Adafactor", "beta2_decay")])


def refuse(m: Machine, name: str, call: Bound) -> None:
    """Raise where a number of an optimizer is none, or lies out of its range."""
    for word, default in defaults_of(name).items():
        limits = LIMITS.get((name, word), LIMITS.get(("", word)))
        if limits is not None:
            given = call.value(word, default)
            if type(default) is tuple:
                _several(m, name, word, given, limits, call)
            elif given is not None or default is not None:
                _one(m, name, word, given, limits[0], call)
    if name == "SGD" and call.value("nesterov") is True and (call.value("momentum", 0) == 0 or call.value("dampening", 0) != 0):
        raise m.raised("ValueError", "nesterov needs a momentum above 0 and no dampening", call.node, "optim/momentum")


def _several(m: Machine, name: str, word: str, given: Value, limits: tuple[tuple[float, float], ...], call: Bound) -> None:
    parts = given.items if isinstance(given, List) else given
    if isinstance(given, (int, float, str, Dict)) or given is None:
        raise m.raised("TypeError", f"{word} takes {len(limits)} numbers, and gets {given!r}", call.node, "optim/kind")
    if not isinstance(parts, (tuple, list)):
        return
    if len(parts) < len(limits):
        raise m.raised("ValueError" if word == "etas" else "IndexError", f"{word} takes {len(limits)} numbers, and gets {len(parts)}", call.node, "optim/kind")
    for at, (value, pair) in enumerate(zip(parts, limits)):
        if value is not None:
            _one(m, name, word, value, pair, call, f"number {at + 1} of {word}")


def _one(m: Machine, name: str, word: str, given: Value, pair: tuple[float, float], call: Bound, shown: str = "") -> None:
    low, high = pair
    if isinstance(given, TensorType) and given.shape.known:
        m.demand("ValueError", eq(given.shape.numel, 1), f"{shown or word} takes one element, and has the shape {given.shape!r}", call.node, "optim/rate")
    elif isinstance(given, (str, Dict, List)) or given is None:
        raise m.raised("TypeError", f"{shown or word} must be a number, and is {given!r}", call.node, "optim/kind")
    elif isinstance(given, (int, float)) and not (low <= given and (given <= high if (name, word) in CLOSED else given < high)):
        raise m.raised("ValueError", f"{shown or word} cannot be {given:g}", call.node, "optim/rate")


def _groups(m: Machine, given: Value, defaults: Kwargs, node: ast.AST) -> List | Unknown:
    """The groups of parameters, with torch's own refusals."""
    if isinstance(given, TensorType):
        raise m.raised("TypeError", "an optimizer takes a list of parameters, this is one tensor: write [parameter]", node, "optim/parameters")
    if isinstance(given, Layer) or (isinstance(given, Instance) and m.in_class(given.cls, "__iter__") is MISSING and _is_module(m, given)):
        raise m.raised("TypeError", "an optimizer takes parameters, this is a module: write model.parameters()", node, "optim/parameters")
    if isinstance(given, Unknown):
        return m.gap("torch.optim", node, f"the parameters are not known: {given.reason}")
    items = m.iterate(given, node)
    if items is None:
        return m.gap("torch.optim", node, "the parameters are not known")
    if not items:
        raise m.raised("ValueError", "the optimizer gets an empty list of parameters", node, "optim/empty")
    groups = items if isinstance(items[0], Dict) else [Dict(m.heap.entries({"params": List(m.heap.row(items))}))]
    made: list[Any] = []
    for group in groups:
        if not isinstance(group, Dict):
            raise m.raised("TypeError", "an optimizer takes parameters, or groups that are dicts, not both", node, "optim/parameters")
        if "params" not in group.items:
            raise m.raised("KeyError", "a group of parameters has no key 'params'", node)
        held = group.items["params"]
        listed = [held] if isinstance(held, TensorType) else m.iterate(held, node)
        if listed is None:
            return m.gap("torch.optim", node, "the parameters are not known")
        pairs = [p[1] if isinstance(p, tuple) and len(p) == 2 else p for p in listed]
        wrong = next((p for p in pairs if not isinstance(p, (TensorType, Unknown)) or (isinstance(p, TensorType) and p.framework == "numpy")), MISSING)
        if wrong is not MISSING and not isinstance(wrong, (Model, Instance)):
            raise m.raised("TypeError", f"an optimizer optimizes tensors, not {type(wrong).__name__.lower()}", node, "optim/parameters")
        _refuse_computed(m, pairs, node)
        _refuse_twice(m, pairs, [one for before in made for one in before.items["params"].items], node)
        named = [p[0] for p in listed if isinstance(p, tuple) and len(p) == 2]
        names = {"param_names": List(m.heap.row(named))} if named else {}
        made.append(Dict(m.heap.entries({**defaults, **group.items, **names, "params": List(m.heap.row(pairs))})))
    return List(m.heap.row(made))


def _refuse_computed(m: Machine, params: list[Value], node: ast.AST) -> None:
    for p in params:
        if isinstance(p, TensorType):
            state = autograd.of(m, p)
            if state.leaf is False and state.requires:
                words = "an optimizer takes leaves only, and this tensor was computed: make it an nn.Parameter, or use detach().requires_grad_()"
                raise m.raised("ValueError", words, node, "optim/leaf")


def _refuse_twice(m: Machine, params: list[Value], others: list[Value], node: ast.AST) -> None:
    """A parameter belongs to one group."""
    held = {id(m.memory.object_of(p)) for p in others if isinstance(p, TensorType)}
    if any(isinstance(p, TensorType) and id(m.memory.object_of(p)) in held for p in params):
        raise m.raised("ValueError", "a parameter stands in two groups of the optimizer: each may stand in one only", node, "optim/groups")


def _is_module(m: Machine, given: Instance) -> bool:
    return m.in_class(given.cls, "forward") is not MISSING


def _fill(m: Machine, me: Any, given: Value, defaults: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "defaults", Dict(m.heap.entries(defaults)))
    m.heap.set(me.space, "param_groups", _groups(m, given, defaults, node))
    m.heap.set(me.space, "state", Dict(m.heap.entries(), default=dict))
    m.heap.set(me.space, STAGE, READY)


def _maker(name: str) -> Value:
    def make(m: Machine, call: Bound) -> Model:
        refuse(m, name, call)
        made = Model(HOME + name, m.heap.space(), m.user_span(call.node))
        _fill(m, made, call.value("params"), _defaults(call, name), call.node)
        return made

    return by_signature(HOME + name, make)


def _defaults(call: Bound, name: str) -> dict[str, Value]:
    """What the groups of parameters take from the optimizer."""
    return {k: call.value(k, v) for k, v in defaults_of(name).items()}


def _init(m: Machine, me: Value, call: Bound) -> None:
    """`Optimizer.__init__(params, defaults)` for an optimizer of the program."""
    given = call.value("defaults")
    _fill(m, me, call.value("params"), dict(given.items) if isinstance(given, Dict) else {}, call.node)


def _init_known(m: Machine, me: Value, call: Bound) -> None:
    name = call.name.removeprefix(HOME)
    refuse(m, name, call)
    _fill(m, me, call.value("params"), _defaults(call, name), call.node)


_FILLED = Unknown("the state that the steps of an optimizer have made")


def _step(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    closure = args[0] if args else kwargs.get("closure")
    if isinstance(me.space.get("state"), Dict):
        m.heap.set(me.space, "state", _FILLED)
    if closure is None:
        if isinstance(me, Model) and me.kind == HOME + "LBFGS":
            raise m.raised("TypeError", "LBFGS needs a closure: step(closure) computes the loss again", node, "call/arguments")
        for p in parameters_of(me):
            backward.stepped(m, p)
        return None
    result = m.call(closure, (), {}, node)
    if result is None and isinstance(me, Model) and me.kind == HOME + "LBFGS":
        raise m.raised("TypeError", "the closure of LBFGS must return the loss", node)
    for p in parameters_of(me):
        backward.stepped(m, p)
    return result


def _zero_grad(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if (args[0] if args else kwargs.get("set_to_none", True)) is True:
        for p in parameters_of(me):
            backward.clear(m, p)


def parameters_of(me: Any) -> list[Value]:
    """All that an optimizer changes, as far as it is known."""
    groups = me.space.get("param_groups")
    return _held(groups) if isinstance(groups, List) else []


def _held(groups: List) -> list[Value]:
    held = [g.items.get("params") for g in groups.items if isinstance(g, Dict)]
    return [p for one in held if isinstance(one, List) for p in one.items]


def _add_group(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    groups, new = me.space["param_groups"], args[0] if args else kwargs.get("param_group")
    if isinstance(groups, List) and isinstance(new, Dict):
        made = _groups(m, List(m.heap.row([new])), dict(me.space["defaults"].items), node)
        if isinstance(made, List):
            _refuse_twice(m, _held(made), _held(groups), node)
            m.heap.touch(groups.items)
            groups.items.extend(made.items)


_STATES = "states of optimizers"
_OWN_STATE = "the state of an optimizer"
"""The part of a saved state that holds what the optimizer knows of each parameter."""


def _state(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`{"state": …, "param_groups": …}`, where a group has the numbers of its parameters in place of them."""
    state = Unknown(_OWN_STATE)
    m.model_state.setdefault(_STATES, {})[id(state)] = (state, parameters_of(me))
    groups: Any = me.space.get("param_groups")
    saved: list[Value] = []
    at = 0
    for group in groups.items if isinstance(groups, List) else ():
        count = _count(group)
        if count is not None and isinstance(group, Dict):
            saved.append(Dict(m.heap.entries({**group.items, "params": List(m.heap.row(range(at, at + count)))})))
            at += count
    known = isinstance(groups, List) and len(saved) == len(groups.items)
    shown = List(m.heap.row(saved)) if known else Unknown("the groups of an optimizer")
    return Dict(m.heap.entries({"state": state, "param_groups": shown}))


def _count(group: Value) -> int | None:
    """How many parameters a group has, where they are listed."""
    held = group.items.get("params") if isinstance(group, Dict) else None
    return None if not isinstance(held, List) or any(type(p) is Summary for p in held.items) else len(held.items)


def _load_state(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = args[0] if args else kwargs.get("state_dict")
    if isinstance(given, (TensorType, Layer, List, tuple, str, int, float, Iterator, Generator)) or given is None:
        kind = "TypeError" if isinstance(given, List) else "AttributeError"
        raise m.raised(kind, "load_state_dict takes a dict: the state_dict() of an optimizer", node, "checkpoint/type")
    part = isinstance(given, Unknown) and given.reason == _OWN_STATE
    if part or (isinstance(given, Dict) and given.default is None and not given.items.keys() & {"param_groups", OPEN}):
        raise m.raised("KeyError", "the state of an optimizer has the key 'param_groups', and this dict has none", node, "checkpoint/keys")
    if isinstance(given, Dict) and (OPEN in given.items or given.default is not None) and "param_groups" not in given.items:
        m.gap("load_state_dict", node, "whether it is the whole state of an optimizer is not known")
    groups, saved = me.space.get("param_groups"), given.items.get("param_groups") if isinstance(given, Dict) else None
    if not isinstance(given, Dict) or not isinstance(groups, List) or not isinstance(saved, List):
        return
    if len(groups.items) != len(saved.items):
        words = f"the saved state has {len(saved.items)} groups of parameters, the optimizer has {len(groups.items)}"
        raise m.raised("ValueError", words, node, "optim/groups")
    for own, old in zip(groups.items, saved.items):
        if isinstance(own, Dict) and isinstance(old, Dict):
            _load_group(m, own, old, node)
    state = given.items.get("state")
    kept = m.model_state.get(_STATES, {}).get(id(state), (None, []))
    shapes = [[p.shape for p in held if isinstance(p, TensorType)] for held in (kept[1], parameters_of(me))]
    if kept[0] is state and kept[0] is not None and shapes[0] != shapes[1]:
        m.gap("load_state_dict", node, "the state is that of parameters of other shapes")


def _load_group(m: Machine, own: Dict, old: Dict, node: ast.AST) -> None:
    """What a group takes from a saved one: all but its parameters, of which there must be as many."""
    here, there = _count(own), _count(old)
    if here is not None and there is not None and here != there:
        raise m.raised("ValueError", f"a group of the saved state has {there} parameters, that of the optimizer {here}", node, "optim/groups")
    if OPEN not in old.items and own.items.keys() - old.items.keys():
        m.gap("load_state_dict", node, "the state is that of another optimizer")
    for key, value in old.items.items():
        if key != "params":
            m.heap.set(own.items, key, value)


METHODS: dict[str, Any] = {
    "step": _step, "zero_grad": _zero_grad, "state_dict": _state, "load_state_dict": _load_state, "add_param_group": _add_group,
    "register_step_post_hook": nothing, "register_step_pre_hook": nothing,
}  # fmt: skip
FUNCTIONS: dict[str, object] = {**{HOME + n: _maker(n) for n in NAMES}}
FUNCTIONS |= {f"{HOME}{n.lower()}.{n}": FUNCTIONS[HOME + n] for n in NAMES}
KINDS: dict[str, KindModel] = {**{HOME + n: KindModel(METHODS, bases=(HOME + "Optimizer", HOME + "optimizer.Optimizer")) for n in NAMES}}
CLASSES: dict[str, ClassModel] = {
    HOME + "Optimizer": ClassModel(HOME + "Optimizer", methods=METHODS, init=filled_by_signature(HOME + "Optimizer", _init)),
    HOME + "optimizer.Optimizer": ClassModel(HOME + "optimizer.Optimizer", (HOME + "Optimizer",)),
    **{HOME + n: ClassModel(HOME + n, (HOME + "Optimizer",), init=filled_by_signature(HOME + n, _init_known)) for n in NAMES},
}
