"""What the steps of optimisers compute: each rule takes the variable, its slots and the gradient, and gives the variable and the slots anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, changed, plain
from tensorproof.ops.mathematics import beside
from tensorproof.ops.record import Formula

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

Rule = Callable[["Numpy", "Arguments"], "tuple[Array, ...]"]


def step_by(rule: Rule, slots: tuple[str, ...]) -> Formula:
    """The variable after the step; with `indices`, row by row, since a row that is named twice is stepped twice."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        kept: dict[str, Array] = {name: a[name] * 1.0 for name in slots}
        if a["indices"] is None:
            return rule(np, changed(a, **kept))[0]
        for k, row in enumerate(plain(np, a["indices"])):
            made = rule(np, changed(a, **{name: kept[name][row] for name in slots}, grad=a["grad"][k]))
            for name, value in zip(slots, made):
                kept[name][row] = value
        return kept[slots[0]]

    return evaluate


def _follow(x: Array, target: Array, rate: Array) -> Array:
    """A running mean: x moved towards the target, of which the part 1 - rate is taken. With another rate than a part, libraries lose digits on the way."""
    if hasattr(rate, "of") and rate.size and not (rate.lo.min() >= 0 and rate.hi.max() <= 1):
        raise Undefined("a mean by a rate that is not a fraction")
    made = x * rate + target * (1 - rate)
    return made + (target - x) * 0.0 if hasattr(made, "of") else made  # which some libraries take on their way, and which may overflow


def _shrunk(np: Numpy, x: Array, rate: Array, a: Arguments) -> Array:
    """x drawn towards zero by l1, where that is positive, and by l2."""
    nearer = np.sign(x) * np.maximum(np.abs(x) - rate * a["l1"], 0)
    return np.where(np.greater(a["l1"], 0), nearer, x) / (1 + rate * a["l2"])


def gradient_descent(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return (a["var"] - a["alpha"] * a["grad"],)


def proximal_gradient_descent(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return (_shrunk(np, a["var"] - a["alpha"] * a["grad"], a["alpha"], a),)


def momentum(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    accum = a["accum"] * a["momentum"] + a["grad"]
    change = a["grad"] + accum * a["momentum"] if a["use_nesterov"] else accum
    return a["var"] - change * a["lr"], accum


def adam(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    m, v = _follow(a["m"], a["grad"], a["beta1"]), _follow(a["v"], np.square(a["grad"]), a["beta2"])
    rate = a["lr"] * np.sqrt(1 - a["beta2_power"]) / (1 - a["beta1_power"])
    change = a["grad"] * (1 - a["beta1"]) + a["beta1"] * m if a["use_nesterov"] else m
    return a["var"] - change * rate / (np.sqrt(v) + a["epsilon"]), m, v


def adagrad(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    accum = a["accum"] + np.square(a["grad"]) if a["update_slots"] else a["accum"]
    size = np.sqrt(accum) if a["epsilon"] is None else np.sqrt(accum) + a["epsilon"]
    return a["var"] - a["grad"] * a["lr"] / size, accum


def adadelta(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    accum = a["accum"] * a["rho"] + np.square(a["grad"]) * (1 - a["rho"])
    update = np.sqrt(a["accum_update"] + a["epsilon"]) / np.sqrt(accum + a["epsilon"]) * a["grad"]
    return a["var"] - update * a["lr"], accum, a["accum_update"] * a["rho"] + np.square(update) * (1 - a["rho"])


def rmsprop(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    ms = _follow(a["ms"], np.square(a["grad"]), a["rho"])
    mom = a["mom"] * a["momentum"] + a["grad"] * a["lr"] / np.sqrt(ms + a["epsilon"])
    return a["var"] - mom, ms, mom


def centered_rmsprop(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    ms, mg = _follow(a["ms"], np.square(a["grad"]), a["rho"]), _follow(a["mg"], a["grad"], a["rho"])
    mom = a["mom"] * a["momentum"] + a["grad"] * a["lr"] / np.sqrt(ms - np.square(mg) + a["epsilon"])
    return a["var"] - mom, mg, ms, mom


def ftrl(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """Where the linear term is multiplied by the rate, all that would be divided by it is not."""
    lr = a["lr"] if a["multiply_linear_by_lr"] else 1.0
    divisor = 1.0 if a["multiply_linear_by_lr"] else a["lr"]
    grad = a["grad"] if a["l2_shrinkage"] is None else a["grad"] + 2 * a["l2_shrinkage"] * a["var"]
    accum = a["accum"] + np.square(a["grad"])
    before, after = np.power(a["accum"], -1.0 * a["lr_power"]), np.power(accum, -1.0 * a["lr_power"])
    linear = a["linear"] + grad * lr - (after - before) / divisor * a["var"]
    moved = (a["l1"] * lr * np.sign(linear) - linear) / (after / divisor + 2 * a["l2"] * lr)
    return np.where(np.greater(np.abs(linear), a["l1"] * lr), moved, 0.0), accum, linear


def proximal_adagrad(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    accum = a["accum"] + np.square(a["grad"])
    rate = a["lr"] / np.sqrt(accum)
    return _shrunk(np, a["var"] - a["grad"] * rate, rate, a), accum


def adamax(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    m, v = _follow(a["m"], a["grad"], a["beta1"]), np.maximum(a["beta2"] * a["v"], np.abs(a["grad"]))
    step = a["lr"] / (1 - a["beta1_power"]) * (m / (v + a["epsilon"]))
    made = a["var"] - step
    return beside(np, beside(np, made, step), m) if hasattr(made, "of") else made, m, v


def _agreement(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The running mean of gradients, and how far the gradient has its sign, scaled."""
    m = _follow(a["m"], a["grad"], a["beta"])
    return m, a["sign_decay"] * np.sign(a["grad"]) * np.sign(m)


def add_sign(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    m, agreement = _agreement(np, a)
    return a["var"] - a["lr"] * (a["alpha"] + agreement) * a["grad"], m


def power_sign(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    m, agreement = _agreement(np, a)
    return a["var"] - a["lr"] * np.exp(a["logbase"] * agreement) * a["grad"], m


def adagrad_da(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    total, squares = a["gradient_accumulator"] + a["grad"], a["gradient_squared_accumulator"] + np.square(a["grad"])
    nearer = np.sign(total) * np.maximum(np.abs(total) - a["l1"] * a["global_step"], 0)
    chosen = np.where(np.greater(a["l1"], 0), nearer, total)
    above, below = -a["lr"] * chosen, a["l2"] * a["global_step"] * a["lr"] + np.sqrt(squares)
    return beside(np, beside(np, above / below, above), below) if hasattr(above, "of") else above / below, total, squares
