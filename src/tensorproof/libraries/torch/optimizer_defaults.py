"""What torch's optimizers write into the groups of their parameters, beside the parameters, and the ranges of these numbers."""

from __future__ import annotations

from math import inf

from tensorproof.libraries.bound import Bound
from tensorproof.terms import TensorType, eq
from tensorproof.values import Dict, List, Machine, Value

_FLAGS: dict[str, object] = {"foreach": None, "maximize": False, "differentiable": False}
_CAPTURED = _FLAGS | {"capturable": False}
_BETAS = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}

DEFAULTS: dict[str, dict[str, object]] = {
    "SGD": {"lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False, "fused": None, **_FLAGS},
    "Adam": {"lr": 1e-3, **_BETAS, "amsgrad": False, "fused": None, "decoupled_weight_decay": False, **_CAPTURED},
    "AdamW": {"lr": 1e-3, **_BETAS, "weight_decay": 1e-2, "amsgrad": False, "fused": None, "decoupled_weight_decay": True, **_CAPTURED},
    "Adamax": {"lr": 2e-3, **_BETAS, **_CAPTURED},
    "Adagrad": {"lr": 1e-2, "lr_decay": 0, "eps": 1e-10, "weight_decay": 0, "initial_accumulator_value": 0, "fused": None, **_FLAGS},
    "Adadelta": {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0, **_CAPTURED},
    "Adafactor": {"lr": 1e-2, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.0, "foreach": None, "maximize": False},
    "ASGD": {"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0, **_CAPTURED},
    "LBFGS": {"lr": 1, "max_iter": 20, "max_eval": 25, "tolerance_grad": 1e-7, "tolerance_change": 1e-9, "history_size": 100, "line_search_fn": None},
    "NAdam": {"lr": 2e-3, **_BETAS, "momentum_decay": 4e-3, "decoupled_weight_decay": False, **_CAPTURED},
    "RAdam": {"lr": 1e-3, **_BETAS, "decoupled_weight_decay": False, **_CAPTURED},
    "RMSprop": {"lr": 1e-2, "momentum": 0, "alpha": 0.99, "eps": 1e-8, "centered": False, "weight_decay": 0, **_CAPTURED},
    "Rprop": {"lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50), **_CAPTURED},
    "SparseAdam": {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "maximize": False},
    "Muon": {
        "lr": 1e-3, "weight_decay": 0.1, "momentum": 0.95, "nesterov": True, "ns_coefficients": (3.4445, -4.775, 2.0315), "eps": 1e-7, "ns_steps": 5,
        "adjust_lr_fn": None,
    },
}  # fmt: skip

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
    for word, default in DEFAULTS[name].items():
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
