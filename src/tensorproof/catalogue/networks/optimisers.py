"""Steps of optimisers: one operator a rule. A step writes into the variable and its slots; with `indices`, into the rows that they name.

Slots and gradient have the variable's shape (the gradient of a sparse step that of the rows), and rates are scalars. All go by the names of the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.frameworks.tensorflow_arrays import agreed
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like
from tensorproof.ops.inputs import REQUIRED, Attribute, Bool, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import INDEX
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import optimiser_steps
    from tensorproof.catalogue.networks.formulas import optimiser_steps as made
else:
    optimiser_steps = later("catalogue.networks.formulas.optimiser_steps")
    made = makers("catalogue.networks.formulas.optimiser_steps")


@any_rank
def updated(c: Call) -> Shape:
    """The variable's shape, which its slots have."""
    slots = [name for name in c.op.writes if c.given(name)]
    names = slots if c.given("indices") else [*slots, "grad"]
    return agreed(c, [c.shape(name) for name in names], tuple(names), "slot")


def step(name: str, slots: str, rates: str, doc: str, *attributes: Attribute, optional: str = "") -> Op:
    kept = tuple(Tensor(n) for n in slots.split())
    scalars = tuple(Tensor(n, "", optional=n in optional.split(), default=None if n in optional.split() else REQUIRED) for n in rates.split())
    inputs = (Tensor("var"), *kept, Tensor("grad"), *scalars, Tensor("indices", "K", INDEX, optional=True, default=None))
    written = ("var", *slots.split())
    rule = getattr(optimiser_steps, name)
    return Op(f"{name}_step", inputs, attributes, updated, Like("var"), writes=written, written=rule, doc=doc, evaluate=made.step_by(rule, written))


NESTEROV, SLOTS, LINEAR = Bool("use_nesterov", False), Bool("update_slots", True), Bool("multiply_linear_by_lr", False)
STEPS = (
    step("gradient_descent", "", "alpha", "var -= alpha · grad"),
    step("proximal_gradient_descent", "", "alpha l1 l2", "A step of gradient descent, shrunk by l1 and l2."),
    step("momentum", "accum", "lr momentum", "accum = momentum · accum + grad; var -= lr · accum", NESTEROV),
    step(
        "adam", "m v", "beta1_power beta2_power lr beta1 beta2 epsilon",
        "m and v follow grad and its square; var -= lr · √(1 - beta2_power) / (1 - beta1_power) · m / (√v + epsilon)", NESTEROV,
    ),
    step("adagrad", "accum", "lr epsilon", "accum += grad²; var -= lr · grad / (√accum + epsilon); epsilon may be left out", SLOTS, optional="epsilon"),
    step("adadelta", "accum accum_update", "lr rho epsilon", "var -= lr · √(accum_update + epsilon) / √(accum + epsilon) · grad"),
    step("rmsprop", "ms mom", "lr rho momentum epsilon", "ms follows grad²; mom = momentum · mom + lr · grad / √(ms + epsilon); var -= mom"),
    step("centered_rmsprop", "mg ms mom", "lr rho momentum epsilon", "As rmsprop, with √(ms - mg² + epsilon), where mg follows grad."),
    step("ftrl", "accum linear", "lr l1 l2 l2_shrinkage lr_power", "Follow the regularised leader.", LINEAR, optional="l2_shrinkage"),
    step("proximal_adagrad", "accum", "lr l1 l2", "A step of adagrad, shrunk by l1 and l2."),
    step("adamax", "m v", "beta1_power lr beta1 beta2 epsilon", "v = max(beta2 · v, |grad|); var -= lr / (1 - beta1_power) · m / (v + epsilon)"),
    step("add_sign", "m", "lr alpha sign_decay beta", "var -= lr · (alpha + sign_decay · sign(grad) · sign(m)) · grad"),
    step("power_sign", "m", "lr logbase sign_decay beta", "var -= lr · exp(logbase · sign_decay · sign(grad) · sign(m)) · grad"),
    step("adagrad_da", "gradient_accumulator gradient_squared_accumulator", "lr l1 l2 global_step", "Adagrad by dual averaging."),
)  # fmt: skip
