"""The derivative by autograd, by finite differences and by forward mode is the same, in double precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from tensorproof.bindings.derivatives import derivative
from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.spellings import outcome_of
from tensorproof.equivalence.rules.strided import is_about_memory
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import DType

_SUM = """{name}.sum() * 0 + sum((y.to_dense() * torch.linspace(0.5, 1.5, y.numel(), dtype=torch.float64).reshape(y.shape)).sum()
    for y in torch.utils._pytree.tree_leaves({call}) if torch.is_tensor(y) and y.is_floating_point())"""
"""One number made of all real results, each element with a weight of its own."""
_DIFFERENCE = "(f({name} + 1e-6 * direction) - f({name} - 1e-6 * direction)) / 2e-6"
_AHEAD = "(f({name} + 1e-7 * direction) - f({name})) / 1e-7"
"""With the number at the point itself, which is not finite at a pole."""
_FORWARD = """with torch.autograd.forward_ad.dual_level():
    made = torch.autograd.forward_ad.unpack_dual(f(torch.autograd.forward_ad.make_dual({name}, direction))).tangent
made"""
_CHECK = "torch.autograd.gradcheck(lambda {name}: {call}, ({name}.requires_grad_(),), check_undefined_grad=False{more})"
_BY_FORWARD = ", check_forward_ad=True, check_backward_ad=False"
_CONVENTIONS = frozenset({"padding_idx", "scale_grad_by_freq", "max_norm"})
"""Arguments by which gradients are set to zero or scaled, or inputs are changed without a gradient."""
LOOSE = 300.0


def _applies(api: Api) -> bool:
    varies = not api.random and not is_about_memory(api) and derivative(api.name) is not None
    return varies and not any(op.opaque or op.data_dependent or op.surrogate for op in api.operators)


def _smooth(x: Array, random: Random, used: set[float]) -> Array:
    """Numbers near those of the array, all different, not in `used` and none of them zero: away from the corners of functions. They are short if possible."""
    import numpy as np

    source = np.random.default_rng(random.getrandbits(64))
    near = x.data * (1.0 - 0.01 * source.random(x.shape))
    near = np.where(near == 0, 0.004 + 0.004 * source.random(x.shape), near)
    count = np.unique(near).size
    short = (np.round(near, digits) for digits in range(2, 7))
    found = (numbers for numbers in short if np.unique(numbers).size == count and numbers.all() and used.isdisjoint(numbers.ravel().tolist()))
    chosen = next(found, near)
    used.update(chosen.ravel().tolist())
    return Array("float64", chosen)


def _by_convention(call: Call) -> bool:
    """Whether an argument changes the gradient and not the result."""
    return any(value is not None and value is not False for name, value in {**(call.init or {}), **call.bound()}.items() if name in _CONVENTIONS)


def _narrow(value: object) -> bool:
    """Whether an argument asks for another element type than double precision."""
    if isinstance(value, (tuple, list)):
        return any(map(_narrow, value))
    return isinstance(value, DType) and value.label != "float64"


def _written_twice(call: Call) -> bool:
    """Whether several numbers may go to one place, of which any may stay: there is no derivative then."""
    writes = any(op.values.kind != "selects" and _takes_places(op) for op in call.api.operators)
    return writes and any(x.data.size != len(set(x.data.ravel().tolist())) for x in call.inputs.values() if x.label.startswith("int"))


def _takes_places(op: Op) -> bool:
    """Whether it takes places along an axis that is an argument, or in the whole tensor."""
    return any(isinstance(p, Tensor) and p.values in ("index", "index:dim", "place:dim", "place:numel") and p.name != "offsets" for p in op.inputs)


def _arbitrary(call: Call) -> bool:
    """Whether a part of the result is not determined: what it is says nothing of a derivative."""
    if not any(op.arbitrary for op in call.api.operators):
        return False
    outcome = outcome_of(call, {})
    return outcome is None or any(applied.op.arbitrary and applied.arguments.get(applied.op.arbitrary) is not False for applied in outcome.applied)


def _halves(call: Call) -> dict[str, str]:
    """Texts for the matrices of which one half is read, so that both halves say the same: there is no derivative by the other half alone."""
    ours = {a.theirs: a.ours for row in call.api.rows for a in (*row.arguments, *(row.call_arguments or ()))}
    meant = {p.name: op.half or "symmetric" for op in call.api.operators for p in op.inputs[:1] if op.half or getattr(p, "values", "") == "spd"}
    found: dict[str, str] = {}
    for theirs, value in call.bound().items():
        how = meant.get(ours.get(theirs, ""))
        if how and isinstance(value, Input) and len(shape := call.inputs[value.name].shape) > 1 and shape[-1] == shape[-2]:
            found[value.name] = f"(({value.name} + {value.name}.mT) / 2)" if how == "symmetric" else f"{value.name}.{'triu' if _upper(call) else 'tril'}()"
    return found


def _upper(call: Call) -> bool:
    """Whether the upper half is read, by the call or by its default."""
    default = next((a.default for row in call.api.rows for a in row.arguments if a.theirs == "upper"), False)
    return bool(call.bound().get("upper", default if isinstance(default, bool) else False))


def _inputs(call: Call) -> Iterator[str]:
    """The inputs through which a gradient passes."""
    facts = derivative(call.api.name) or {}
    ours = {a.theirs: a.ours for row in call.api.rows for a in (*row.arguments, *(row.call_arguments or ()))}
    for theirs, value in call.bound().items():
        if isinstance(value, Input) and call.inputs[value.name].is_float and facts.get(ours.get(theirs, "")) is not None:
            yield value.name


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    fixed = [value for row in call.api.rows for value in row.fixed.values()]
    if _narrow([*call.args, *call.kwargs.values(), *fixed]) or _written_twice(call) or _arbitrary(call) or _by_convention(call):
        return
    random = Random(call.number)
    used: set[float] = set()
    smooth = {name: _smooth(x, random, used) for name, x in call.inputs.items() if x.is_float}
    setup = call.setup(dialect)
    for name in _inputs(call):
        body = _SUM.format(name=name, call=call.expression(dialect, _halves(call)))
        lines = [*([setup, "layer = layer.double()"] if setup else ()), f"f = lambda {name}: {body}"]
        own = {**smooth, "direction": _smooth(smooth[name].but(random.random() + abs(smooth[name].data)), random, set())}
        reverse = f"(torch.autograd.grad(f({name}.requires_grad_().clone()), {name})[0] * direction).sum()"
        forward = _FORWARD.format(name=name)
        shown = ["\n".join([*lines[:-1], _CHECK.format(name=name, call=call.expression(dialect, _halves(call)), more=more)]) for more in ("", _BY_FORWARD)]
        by_steps, again = (text.format(name=name) for text in (_DIFFERENCE, _AHEAD))
        yield Pair(by_steps, reverse, "\n".join(lines), f"{name}: autograd", loose=LOOSE, inputs=own, again=again, shown=shown[0])
        yield Pair(by_steps, forward, "\n".join(lines), f"{name}: forward mode", loose=LOOSE, inputs=own, again=again, shown=shown[1])


RULE = Rule("derivative", "differentiation", "finite differences = autograd, or forward mode", ("torch",), _pairs, _applies, special=False, gradients=True,
            unsupported="does not require grad|derivative|[Ff]orward AD|forward mode|double backward|functorch")  # fmt: skip
