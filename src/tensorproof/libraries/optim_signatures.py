"""The arguments of torch's optimizers, schedulers and helpers of training, and whether a call fits them."""

from __future__ import annotations

from typing import Any

_SIGNATURES = {
    "ASGD": "params lr= lambd= alpha= t0= weight_decay= foreach= maximize= differentiable= capturable=",
    "Adadelta": "params lr= rho= eps= weight_decay= foreach= *capturable= *maximize= *differentiable=",
    "Adafactor": "params lr= beta2_decay= eps= d= weight_decay= *foreach= *maximize=",
    "Adagrad": "params lr= lr_decay= weight_decay= initial_accumulator_value= eps= foreach= *maximize= *differentiable= *fused=",
    "Adam": "params lr= betas= eps= weight_decay= amsgrad= *foreach= *maximize= *capturable= *differentiable= *fused= *decoupled_weight_decay=",
    "AdamW": "params lr= betas= eps= weight_decay= amsgrad= *maximize= *foreach= *capturable= *differentiable= *fused=",
    "Adamax": "params lr= betas= eps= weight_decay= foreach= *maximize= *differentiable= *capturable=",
    "LBFGS": "params lr= max_iter= max_eval= tolerance_grad= tolerance_change= history_size= line_search_fn=",
    "Muon": "params lr= weight_decay= momentum= nesterov= ns_coefficients= eps= ns_steps= adjust_lr_fn=",
    "NAdam": "params lr= betas= eps= weight_decay= momentum_decay= decoupled_weight_decay= *foreach= *maximize= *capturable= *differentiable=",
    "RAdam": "params lr= betas= eps= weight_decay= decoupled_weight_decay= *foreach= *maximize= *capturable= *differentiable=",
    "RMSprop": "params lr= alpha= eps= weight_decay= momentum= centered= capturable= foreach= maximize= differentiable=",
    "Rprop": "params lr= etas= step_sizes= *capturable= *foreach= *maximize= *differentiable=",
    "SGD": "params lr= momentum= dampening= weight_decay= nesterov= *maximize= *foreach= *differentiable= *fused=",
    "SparseAdam": "params lr= betas= eps= maximize=",
    "ChainedScheduler": "schedulers optimizer=",
    "ConstantLR": "optimizer factor= total_iters= last_epoch=",
    "CosineAnnealingLR": "optimizer T_max eta_min= last_epoch=",
    "CosineAnnealingWarmRestarts": "optimizer T_0 T_mult= eta_min= last_epoch=",
    "CyclicLR": "optimizer base_lr max_lr step_size_up= step_size_down= mode= gamma= scale_fn= scale_mode= cycle_momentum= base_momentum="
    " max_momentum= last_epoch=",
    "ExponentialLR": "optimizer gamma last_epoch=",
    "LRScheduler": "optimizer last_epoch=",
    "LambdaLR": "optimizer lr_lambda last_epoch=",
    "LinearLR": "optimizer start_factor= end_factor= total_iters= last_epoch=",
    "MultiStepLR": "optimizer milestones gamma= last_epoch=",
    "MultiplicativeLR": "optimizer lr_lambda last_epoch=",
    "OneCycleLR": "optimizer max_lr total_steps= epochs= steps_per_epoch= pct_start= anneal_strategy= cycle_momentum= base_momentum= max_momentum="
    " div_factor= final_div_factor= three_phase= last_epoch=",
    "PolynomialLR": "optimizer total_iters= power= last_epoch=",
    "ReduceLROnPlateau": "optimizer mode= factor= patience= threshold= threshold_mode= cooldown= min_lr= eps=",
    "SequentialLR": "optimizer schedulers milestones last_epoch=",
    "StepLR": "optimizer step_size gamma= last_epoch=",
    "SWALR": "optimizer swa_lr anneal_epochs= anneal_strategy= last_epoch=",
    "AveragedModel": "model device= avg_fn= multi_avg_fn= use_buffers=",
    "update_bn": "loader model device=",
    "clip_grad_norm_": "parameters max_norm norm_type= error_if_nonfinite= foreach=",
    "clip_grad_norm": "parameters max_norm norm_type= error_if_nonfinite= foreach=",
    "clip_grad_value_": "parameters clip_value foreach=",
    "clip_grads_with_norm_": "parameters max_norm total_norm foreach=",
    "get_total_norm": "tensors norm_type= error_if_nonfinite= foreach=",
    "parameters_to_vector": "parameters",
    "vector_to_parameters": "vec parameters",
    "GradScaler": "device= init_scale= growth_factor= backoff_factor= growth_interval= enabled=",
    "cuda.amp.GradScaler": "init_scale= growth_factor= backoff_factor= growth_interval= enabled=",
    "get_ema_avg_fn": "decay=", "get_ema_multi_avg_fn": "decay=", "get_swa_avg_fn": "", "get_swa_multi_avg_fn": "",
}
"""`name=` has a default, `*name` is given by name only."""


def names(name: str) -> list[str]:
    """The arguments of one of these by their names."""
    return [word.strip("*=") for word in _SIGNATURES.get(name, "").split()]


def check(m: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    """Refuse a call that the class would refuse for the number or the names of its arguments."""
    if name not in _SIGNATURES:
        return
    words = _SIGNATURES[name].split()
    named = names(name)
    placed = [n for n, word in zip(named, words) if not word.startswith("*")]
    if len(args) > len(placed):
        raise m.raised("TypeError", f"{name} takes {len(placed)} arguments by position, {len(args)} are given", node, "call/arguments")
    for key in kwargs:
        if key not in named:
            raise m.raised("TypeError", f"{name} has no argument {key}", node, "call/arguments")
        if key in placed[: len(args)]:
            raise m.raised("TypeError", f"{name} gets {key} twice", node, "call/arguments")
    for n, word in zip(named, words):
        if not word.endswith("=") and n not in placed[: len(args)] and n not in kwargs:
            raise m.raised("TypeError", f"{name} needs {n}", node, "call/arguments")
