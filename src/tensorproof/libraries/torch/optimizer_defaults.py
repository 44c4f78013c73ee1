"""What torch's optimizers write into the groups of their parameters, beside the parameters."""

from __future__ import annotations

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
