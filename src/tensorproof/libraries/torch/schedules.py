"""torch.optim.lr_scheduler: schedulers change learning rates only; the functions of the program that they are given are run."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import Bound, ClassModel, KindModel, by_signature, filled_by_signature, nothing
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.torch.optim import NAMES as OPTIMIZERS
from tensorproof.terms import TensorType, Term, le, ne
from tensorproof.values import MISSING, OPEN, REAL, Args, Dict, Function, Instance, Kwargs, Layer, List, Machine, Model, Set, Unknown, Value

HOME = "torch.optim.lr_scheduler."
SWALR = "torch.optim.swa_utils.SWALR"
_OWN = facts("torch/schedulers")
"""The public attributes of a scheduler, beside those of each and its methods."""
NAMES = ("LRScheduler", "_LRScheduler", *(name for name in _OWN if name != "SWALR"))
_FUNCTIONS = {"LambdaLR": "lr_lambda", "MultiplicativeLR": "lr_lambda", "CyclicLR": "scale_fn"}
"""Where a scheduler takes functions of the program."""
_OF_EACH = frozenset(["optimizer", "base_lrs", "last_epoch", "verbose"])
_EPOCH = Unknown("the epoch of a scheduler", number="int")


def _refusal(name: str, call: Bound) -> str:
    """Why a scheduler refuses the values of its arguments; empty when it does not."""
    match name:
        case "OneCycleLR":
            total, epochs, steps = (call.value(word) for word in ("total_steps", "epochs", "steps_per_epoch"))
            return "OneCycleLR needs total_steps, or epochs and steps_per_epoch" if total is None and (epochs is None or steps is None) else ""
        case "ReduceLROnPlateau":
            factor = call.value("factor", 0.1)
            return f"the factor of ReduceLROnPlateau must be below 1, and is {factor:g}" if isinstance(factor, (int, float)) and factor >= 1 else ""
        case "SequentialLR":
            held, ends = call.value("schedulers"), call.value("milestones")
            wrong = isinstance(held, List) and isinstance(ends, List) and len(held.items) != len(ends.items) + 1
            return "SequentialLR needs one scheduler more than milestones" if wrong else ""
        case _:
            return ""


_WORDS = {
    "ReduceLROnPlateau": {"mode": "min or max", "threshold_mode": "rel or abs"},
    "SWALR": {"anneal_strategy": "cos or linear"},
    "OneCycleLR": {"anneal_strategy": "cos or linear"},
}
"""Arguments that are one of two words."""
_COUNTS = {"OneCycleLR": ("total_steps", "epochs", "steps_per_epoch"), "CosineAnnealingWarmRestarts": ("T_0", "T_mult")}
"""Arguments that are whole numbers from 1 on."""
_SHARES = {"LinearLR": ("start_factor", "end_factor"), "ConstantLR": ("factor",), "OneCycleLR": ("pct_start",)}
"""Arguments that lie between 0 and 1."""


def _outside(name: str, call: Bound) -> str:
    """Which argument of a scheduler has a value that it never takes; empty when none has."""
    for word, options in _WORDS.get(name, {}).items():
        if isinstance(given := call.value(word), str) and given not in options.split(" or "):
            return f"the {word} of {name} is {options}, not {given!r}"
    for word in _COUNTS.get(name, ()):
        if isinstance(given := call.value(word), (int, float)) and (given < 1 or isinstance(given, float)):
            return f"{word} must be a whole number from 1 on, and is {given!r}"
    for word in _SHARES.get(name, ()):
        if isinstance(given := call.value(word), (int, float)) and (not 0 <= given <= 1 or (given == 0 and word == "start_factor")):
            return f"{word} must lie between 0 and 1, and is {given:g}"
    return ""


def _maker(name: str, kind: str) -> Value:
    def make(m: Machine, call: Bound) -> Model:
        why = _refusal(name, call) or _outside(name, call)
        if why:
            raise m.raised("ValueError", why, call.node, "optim/scheduler")
        made = Model(kind, m.heap.space(), m.user_span(call.node))
        _init(m, made, call)
        if name in ("CyclicLR", "OneCycleLR") and call.value("cycle_momentum", True) is True:
            _refuse_without_momentum(m, name, call)
        if name == "OneCycleLR":
            _count(m, made, call)
        if name in _PERIODS:
            m.heap.set(made.space, "period", call.value(_PERIODS[name]))
        if name in _FUNCTIONS:
            _take_functions(m, made, name, call.value(_FUNCTIONS[name]), call.node)
        return made

    return by_signature(kind, make)


_PERIODS = {"StepLR": "step_size", "CosineAnnealingLR": "T_max"}
"""What each step divides the number of the epoch by."""


def _refuse_without_momentum(m: Machine, name: str, call: Bound) -> None:
    optimizer = call.value("optimizer")
    defaults = optimizer.space.get("defaults") if isinstance(optimizer, (Model, Instance)) else None
    if isinstance(defaults, Dict) and not defaults.items.keys() & {"momentum", "betas", OPEN}:
        raise m.raised("ValueError", f"{name} cycles the momentum, and the optimizer has none: set cycle_momentum=False", call.node, "optim/scheduler")


def _count(m: Machine, me: Model, call: Bound) -> None:
    """OneCycleLR refuses more steps than it was made for; the first is its own."""
    total, epochs, steps = (call.value(word) for word in ("total_steps", "epochs", "steps_per_epoch"))
    if total is None and type(epochs) is int and type(steps) is int:
        total = epochs * steps
    if type(total) is int and call.value("last_epoch", -1) == -1:
        m.heap.set(me.space, "total", total)
        m.heap.set(me.space, "made", 0)


def _init(m: Machine, me: Any, call: Bound) -> None:
    optimizer, node = call.value("optimizer"), call.node
    if optimizer is None and not call.given("schedulers"):
        raise m.raised("TypeError", "a scheduler needs an optimizer", node, "call/arguments")
    held = call.value("schedulers")
    for at, one in enumerate(held.items if isinstance(held, List) else ()):
        optimizes = isinstance(one, Model) and one.kind.removeprefix("torch.optim.") in OPTIMIZERS
        if optimizes or isinstance(one, (Layer, TensorType, int, float, str)) or one is None:
            kind = "AttributeError" if at == 0 and call.name == HOME + "ChainedScheduler" and optimizer is None else "TypeError"
            raise m.raised(kind, f"{call.name.rpartition('.')[2]} is made of schedulers", node, "optim/scheduler")
    if isinstance(optimizer, (Layer, TensorType, int, float, str)):
        raise m.raised("TypeError", "a scheduler takes an optimizer", node, "optim/scheduler")
    m.heap.set(me.space, "optimizer", optimizer)
    m.heap.set(me.space, "last_epoch", _EPOCH)
    groups = optimizer.space.get("param_groups") if isinstance(optimizer, (Model, Instance)) else None
    held = [g for g in groups.items if isinstance(g, Dict)] if isinstance(groups, List) else []
    rates = [g.items.get("lr", REAL) for g in held]
    if call.name not in _WITHOUT_FIRST:
        _keep_first(m, held, call.value("last_epoch", -1), node)
    m.heap.set(me.space, "base_lrs", List(m.heap.row(rates)) if rates else Unknown("rates"))
    _own_rates(m, me, node)


_WITHOUT_FIRST = (HOME + "ReduceLROnPlateau", HOME + "SequentialLR", HOME + "ChainedScheduler")
"""Schedulers that do not note the first rate of a group themselves."""


def _keep_first(m: Machine, groups: list[Dict], epoch: Value, node: ast.AST) -> None:
    """The first rate of each group, which a scheduler that goes on from an epoch expects to find."""
    for group in groups:
        if "initial_lr" not in group.items and OPEN not in group.items:
            if type(epoch) is int and epoch >= 0:
                words = f"a scheduler that goes on from epoch {epoch} needs the key 'initial_lr' in each group of parameters"
                raise m.raised("KeyError", words, node, "optim/scheduler")
            m.heap.set(group.items, "initial_lr", group.items.get("lr", REAL))


def _take_functions(m: Machine, me: Model, name: str, given: Value, node: ast.AST) -> None:
    if given is None and name == "CyclicLR":
        return
    base = me.space["base_lrs"]
    if isinstance(given, List) or type(given) is tuple:
        functions = list(given.items if isinstance(given, List) else given)
        if isinstance(base, List) and len(functions) != len(base.items):
            said = f"{name} needs a function for each of the {len(base.items)} groups of parameters, and gets {len(functions)}"
            raise m.raised("ValueError", said, node, "optim/scheduler")
    else:
        functions = [given]
    if any(isinstance(one, Unknown) for one in functions):
        m.gap(HOME + name, node, "a function that it is given is not known")
        return
    m.heap.set(me.space, "functions", tuple(functions))
    if name == "LambdaLR":
        _factors(m, me, 0, node)


def _factors(m: Machine, me: Any, epoch: Value, node: ast.AST) -> None:
    """Ask the functions for the factors of an epoch: each must be a number."""
    for function in me.space.get("functions", ()):
        factor = m.call(function, (epoch,), {}, node)
        if factor is None or isinstance(factor, (str, List, Dict, Set)):
            raise m.raised("TypeError", "the function of a scheduler must return a number to multiply the learning rate with", node, "optim/scheduler")


def _step(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    _own_rates(m, me, node)
    _factors(m, me, _EPOCH, node)
    period = me.space.get("period")
    if isinstance(period, (int, Term)):
        nonzero = ne(period, 0) if isinstance(period, Term) else period != 0
        m.demand("ZeroDivisionError", nonzero, f"a step divides the epoch by {period!r}, which may be zero", node)
    if me.space.get("total") is not None:
        m.heap.set(me.space, "made", me.space["made"] + 1)
        words = "OneCycleLR is stepped more often than its total_steps"
        m.demand("ValueError", le(me.space["made"], me.space["total"]), words, node, "optim/scheduler")
    optimizer = me.space.get("optimizer")
    groups = optimizer.space.get("param_groups") if isinstance(optimizer, (Model, Instance)) else None
    for group in groups.items if isinstance(groups, List) else ():
        if isinstance(group, Dict):
            m.heap.set(group.items, "lr", REAL)


def _own_rates(m: Machine, me: Value, node: ast.AST) -> None:
    """A scheduler of the program computes its rates in `get_lr`, which every step calls, the first one in `__init__`."""
    if isinstance(me, Instance) and isinstance(m.in_class(me.cls, "get_lr"), Function):
        m.call(m.attribute(me, "get_lr", node), (), {}, node)


def _rates(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    base = me.space.get("base_lrs")
    return List(m.heap.row([REAL] * len(base.items))) if isinstance(base, List) else List(m.heap.row([REAL]))


def _state(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Dict(m.heap.entries({"last_epoch": _EPOCH, "base_lrs": me.space.get("base_lrs"), "_last_lr": _rates(m, me, (), {}, node)}))


def _of_model(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    last = me.kind.rpartition(".")[2]
    if last in _OWN and not name.startswith("_") and name not in _OF_EACH and name not in _OWN[last].split() and name not in me.space:
        raise m.raised("AttributeError", f"{last} has no attribute {name}", node)
    return MISSING


def _attribute(m: Machine, me: Value, name: str, node: ast.AST) -> Any:
    return _rates(m, me, (), {}, node) if name == "_last_lr" else Unknown(name) if name in ("_step_count", "_get_lr_called_within_step") else MISSING


METHODS: dict[str, Any] = {"step": _step, "get_last_lr": _rates, "get_lr": _rates, "state_dict": _state, "load_state_dict": nothing}


def _signed(kind: str) -> str:
    """Where the signature of a scheduler stands: private names have none of their own."""
    return HOME + "LRScheduler" if kind == HOME + "_LRScheduler" else kind


_BASES = (HOME + "LRScheduler", HOME + "_LRScheduler")
FUNCTIONS: dict[str, object] = {**{HOME + n: _maker(n, HOME + n) for n in NAMES if n != "_LRScheduler"}, SWALR: _maker("SWALR", SWALR)}
KINDS: dict[str, KindModel] = {kind: KindModel(METHODS, attribute=_of_model, bases=_BASES, open=True) for kind in (*(HOME + n for n in NAMES), SWALR)}
CLASSES: dict[str, ClassModel] = {
    kind: ClassModel(kind, methods=METHODS, attribute=_attribute, init=filled_by_signature(_signed(kind), _init), closed=kind in _BASES)
    for kind in (*(HOME + n for n in NAMES), SWALR)
}
