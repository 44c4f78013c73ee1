"""torch.autograd and torch.func: gradients have the shapes of what they are taken of; the program's own Functions run forward and backward."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument
from tensorproof.libraries.domains import autograd
from tensorproof.libraries.domains import backward as paths
from tensorproof.libraries.torch import modes as torch_modes
from tensorproof.terms import Shape, TensorType, Truth, conj, disj, eq
from tensorproof.values import MISSING, Args, Class, Dict, Key, Kwargs, Machine, Model, Native, Unknown, Value, slot

SAVED: Key[tuple[Value, ...]] = slot("saved_tensors")
CONTEXT = "torch.autograd.function.FunctionCtx"


def _each(m: Machine, value: Value, node: ast.AST) -> list[Any] | None:
    """One tensor, or a sequence of them."""
    return [value] if isinstance(value, TensorType) else None if isinstance(value, Unknown) or value is None else m.iterate(value, node)


def _like(value: TensorType, **changes: Value) -> TensorType:
    return value.but(contents=None, requires_grad=False, parameter=False, grad=None, base=None, **changes)


def _given(m: Machine, loss: TensorType, gradient: Value, node: ast.AST) -> None:
    """What is handed back from a result must fit it; without it the result must be one number."""
    if gradient is None:
        words = f"a gradient without grad_outputs is taken of one number, this one has shape {loss.shape!r}"
        m.require("backward/scalar", eq(loss.shape.numel, 1), words, node)
    elif isinstance(gradient, TensorType) and gradient.shape.known and loss.shape.known:
        same = len(gradient.shape) == len(loss.shape) and conj(*(eq(a, b) for a, b in zip(gradient.shape, loss.shape)))
        m.require("backward/gradient", same, f"the gradient that is handed back has shape {gradient.shape!r}, and the result {loss.shape!r}", node)


def backward(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Tensor.backward."""
    loss, gradient = args[0], argument(args, kwargs, 1, "gradient", None)
    if isinstance(loss, TensorType):
        paths.needs_gradient(m, loss, node)
        if gradient is None and loss.dtype is not None and loss.dtype.is_complex:
            raise m.raised("RuntimeError", "backward without a gradient needs a real loss, and this one is complex", node, "backward/scalar")
        if gradient is None:
            m.require("backward/scalar", eq(loss.shape.numel, 1), f"backward needs a loss of one element, this one has shape {loss.shape!r}", node)
        else:
            _given(m, loss, gradient, node)
        retain = argument(args, kwargs, 2, "retain_graph", None)
        create = paths.flag(argument(args, kwargs, 3, "create_graph", None))
        kept = create if retain is None else paths.flag(retain)
        inputs = _asked(m, argument(args, kwargs, 4, "inputs", None), node)
        for t, used in zip(inputs or (), paths.walk(m, [loss], kept, node, inputs, create is not False)):
            paths.stored(m, t, used)
    run_backwards(m, node)
    return None


def _asked(m: Machine, given: Value, node: ast.AST) -> list[Any] | None:
    """The tensors that alone get a gradient, where backward names some."""
    inputs = None if given is None else _each(m, given, node)
    if given is not None and (inputs is None or not all(isinstance(t, TensorType) for t in inputs)):
        m.gap("backward", node, "for which inputs is not known")
        return None
    if given is not None and not inputs:
        raise m.raised("RuntimeError", "the inputs of backward() are empty", node, "backward/input")
    return inputs


def _grad(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    outputs, inputs = _each(m, argument(args, kwargs, 0, "outputs"), node), _each(m, argument(args, kwargs, 1, "inputs"), node)
    given = argument(args, kwargs, 2, "grad_outputs", None)
    if inputs is None or not all(isinstance(t, TensorType) for t in inputs):
        return m.gap("torch.autograd.grad", node, "of which inputs is not known")
    if outputs is None or not all(isinstance(t, TensorType) for t in outputs):
        m.gap("torch.autograd.grad", node, "of which outputs is not known")
    else:
        gradients = [None] * len(outputs) if given is None else _each(m, given, node)
        if gradients is not None and len(gradients) == len(outputs):
            for one, gradient in zip(outputs, gradients):
                _given(m, one, gradient, node)
        elif gradients is not None:
            raise m.raised("RuntimeError", f"there are {len(outputs)} outputs and {len(gradients)} grad_outputs", node, "backward/gradient")
        return _of_graph(m, outputs, inputs, args, kwargs, node)
    run_backwards(m, node)
    return tuple(_like(t) for t in inputs)


def _of_graph(m: Machine, outputs: list[Any], inputs: list[Any], args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Gradients of some results by some tensors of their graph."""
    create = paths.flag(argument(args, kwargs, 4, "create_graph", None))
    retain = argument(args, kwargs, 3, "retain_graph", None)
    unused = paths.flag(argument(args, kwargs, 6, "allow_unused", kwargs.get("materialize_grads")))
    for one in outputs:
        paths.needs_gradient(m, one, node)
    reached = paths.walk(m, outputs, create if retain is None else paths.flag(retain), node, inputs)
    run_backwards(m, node)
    found: list[Value] = []
    for t, used in zip(inputs, reached):
        if used is False and unused is False:
            words = "an input was not used in the graph of the outputs: set allow_unused=True to get None for it"
            raise m.raised("RuntimeError", words, node, "backward/unused")
        found.append(None if used is False and unused and not kwargs.get("materialize_grads") else _like(t))
    again = _any_of(paths.differentiable(m, outputs, inputs), argument(args, kwargs, 2, "grad_outputs", None) is not None)
    through = paths.read(m, outputs, inputs) if again is True else None
    known = (outputs if through is None else through) if create is not False and again is not False else []
    return autograd.computed(m, "grad", tuple(found), known, [], None, node, sure=again is True, requires=create if again else None)


def _any_of(again: bool | None, given: bool) -> bool | None:
    """Gradients that were given may require one in turn."""
    return None if again is False and given else again


def _all(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """torch.autograd.backward."""
    losses, given = _each(m, argument(args, kwargs, 0, "tensors"), node), argument(args, kwargs, 1, "grad_tensors", None)
    gradients = [None] * len(losses or ()) if given is None else _each(m, given, node)
    known = [t for t in losses or () if isinstance(t, TensorType)]
    for one, gradient in zip(losses or (), gradients or ()):
        if isinstance(one, TensorType):
            paths.needs_gradient(m, one, node)
            _given(m, one, gradient, node)
    retain = argument(args, kwargs, 2, "retain_graph", None)
    paths.walk(m, known, paths.flag(retain if retain is not None else argument(args, kwargs, 3, "create_graph", None)), node)
    run_backwards(m, node)


def _variable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.autograd.Variable: the tensor itself."""
    data = argument(args, kwargs, 0, "data", None)
    return data.but(requires_grad=bool(kwargs.get("requires_grad", False)), grad=None) if isinstance(data, TensorType) else data


def _member(m: Machine, cls: Class, name: str) -> Value:
    if name == "apply":
        return Native(f"{cls.name}.apply", lambda machine, args, kwargs, node: apply(machine, cls, args, kwargs, node))
    return MISSING


def apply(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Runs forward; backward waits until the program asks for gradients."""
    found = m.in_class(cls, "forward")
    if found is MISSING:
        return m.gap(f"{cls.name}.apply", node, "it has no forward")
    needs = tuple(isinstance(a, TensorType) and (a.dtype is None or a.dtype.is_float or a.dtype.is_complex) for a in args)
    context = Model(CONTEXT, m.heap.space({"saved_tensors": (), "needs_input_grad": needs}))
    forward = m.attribute(cls, "forward", node)
    if m.in_class(cls, "setup_context") is MISSING:
        result = torch_modes.without_grad(m, lambda: m.call(forward, (context, *args), kwargs, node))
    else:
        result = torch_modes.without_grad(m, lambda: m.call(forward, args, kwargs, node))
        m.call(m.attribute(cls, "setup_context", node), (context, args, result), {}, node)
    if m.in_class(cls, "backward") is not MISSING:
        place = (cls.name, getattr(node, "lineno", 0))
        m.heap.set(_waiting(m), place, (cls, context, args, result))
    saved = [t for t in context.space[SAVED] if isinstance(t, TensorType)]
    kept = [t for t in saved if not any(t is r for r in (result if isinstance(result, tuple) else (result,)))]
    changed = any(a is r for a in args for r in (result if isinstance(result, tuple) else (result,)))
    tensors = [a for a in args if isinstance(a, TensorType)]
    return result if changed or context.space.get("open") else autograd.computed(m, cls.name, result, tensors, kept, bool(saved), node)


def _waiting(m: Machine) -> Any:
    if "functions" not in m.model_state:
        m.model_state["functions"] = m.heap.space()
    return m.model_state["functions"]


def run_backwards(m: Machine, node: ast.AST) -> None:
    """The gradients go back through the Functions that were applied since they last did."""
    if "functions" not in m.model_state:
        return
    waiting = _waiting(m)
    for place in reversed([k for k, v in waiting.items() if v is not None]):
        cls, context, args, result = waiting[place]
        m.heap.set(waiting, place, None)
        results = result if isinstance(result, tuple) else (result,)
        given = tuple(_like(t) if isinstance(t, TensorType) else None for t in results)
        found = torch_modes.without_grad(m, partial(m.call, m.attribute(cls, "backward", node), (context, *given), {}, node))
        _checked(m, cls, args, found, node)


def _checked(m: Machine, cls: Class, args: Args, found: Value, node: ast.AST) -> None:
    """There is a gradient for every argument of forward, and each fits its argument."""
    if isinstance(found, Unknown):
        return
    gradients = list(found) if isinstance(found, tuple) else [found]
    extra = len(gradients) - len(args)
    if extra < 0 or any(g is not None for g in gradients[len(args) :]):
        raise m.raised("RuntimeError", f"{cls.name}.backward gives {len(gradients)} gradients for {len(args)} arguments", node, "backward/gradient")
    for at, (one, gradient) in enumerate(zip(args, gradients)):
        if isinstance(one, TensorType) and one.requires_grad and isinstance(gradient, TensorType) and one.shape.known and gradient.shape.known:
            words = f"{cls.name}.backward gives argument {at} of shape {one.shape!r} a gradient of shape {gradient.shape!r}"
            m.require("backward/gradient", _reducible(gradient.shape, one.shape), words, node)


def _reducible(gradient: Shape, shape: Shape) -> Truth:
    """A gradient may be larger where its argument was broadcast."""
    if len(gradient) < len(shape):
        return False
    inner = gradient[len(gradient) - len(shape) :]
    return conj(*(disj(eq(g, s), eq(s, 1)) for g, s in zip(inner, shape)))


def _save(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(me.space, "saved_tensors", tuple(args))


def _open(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """What requires a gradient among the results is not known."""
    m.heap.set(me.space, "open", True)


def _functional_call(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A module with other tensors in the place of its own."""
    from tensorproof.libraries.torch import module_tree

    module, given = argument(args, kwargs, 0, "module"), argument(args, kwargs, 1, "parameter_and_buffer_dicts", None)
    given = given if given is not None else kwargs.get("parameters_and_buffers")
    inputs, named = argument(args, kwargs, 2, "args", ()), argument(args, kwargs, 3, "kwargs", None)
    if not module_tree.is_module(module):
        return m.gap("torch.func.functional_call", node, "of a module that is not known")
    new: dict[str, TensorType] = {}
    for one in given if isinstance(given, tuple) else (given,):
        if not isinstance(one, Dict) or not all(isinstance(v, TensorType) for v in one.items.values()):
            return m.gap("torch.func.functional_call", node, "with parameters that are not known")
        new.update(one.items)
    old = module_tree.state(module)
    for name in new:
        if name not in old:
            raise m.raised("KeyError", f"the module has no parameter or buffer {name}", node, "checkpoint/keys")
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    other = {name: tensor for name, tensor in new.items() if tensor is not old[name]}
    module_tree.put(m, module, other)
    try:
        return m.call(module, inputs, dict(named.items) if isinstance(named, Dict) else {}, node)
    finally:
        module_tree.put(m, module, {name: old[name] for name in other})


def _jacobian(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, inputs = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "inputs")
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    result = m.call(function, given, {}, node)
    if not isinstance(result, TensorType) or not all(isinstance(t, TensorType) for t in given):
        return m.gap("jacobian", node, "of values that are not tensors")
    found = tuple(TensorType(Shape((*result.shape, *t.shape)), result.dtype) for t in given)
    return found if isinstance(inputs, tuple) else found[0]


def _hessian(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, inputs = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "inputs")
    result = m.call(function, inputs if isinstance(inputs, tuple) else (inputs,), {}, node)
    if not isinstance(inputs, TensorType) or not isinstance(result, TensorType):
        return m.gap("hessian", node, "of several inputs")
    m.require("backward/scalar", eq(result.shape.numel, 1), f"hessian takes a function that gives one number, this one gives shape {result.shape!r}", node)
    return TensorType(Shape((*inputs.shape, *inputs.shape)), inputs.dtype)


FUNCTIONS: dict[str, Run] = {
    "torch.autograd.grad": _grad, "torch.autograd.backward": _all,
    "torch.autograd.Variable": _variable, "torch.autograd.variable.Variable": _variable,
    "torch.autograd.functional.jacobian": _jacobian, "torch.autograd.functional.hessian": _hessian,
    "torch.func.functional_call": _functional_call, "torch.nn.utils.stateless.functional_call": _functional_call,
}  # fmt: skip
CLASSES = {"torch.autograd.Function": ClassModel("torch.autograd.Function", member=_member, closed=False)}
KINDS = {
    CONTEXT: KindModel(
        methods={"save_for_backward": _save, "mark_dirty": _open, "mark_non_differentiable": _open},
        attribute=lambda m, me, name, node: me.space["saved_tensors"] if name == "saved_variables" else MISSING,
    ),
}  # fmt: skip
