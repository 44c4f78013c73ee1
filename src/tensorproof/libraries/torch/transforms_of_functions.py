"""torch.func: functions made of functions. `grad`, `jacrev` and `hessian` differentiate one, `vmap` runs one over an axis of its arguments.

Inside of `vmap` a tensor stands for many: it has no truth and gives no number, what it is written into must be as wide, and nothing may be drawn.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import argument, leaves, mapped
from tensorproof.libraries.torch import module_tree
from tensorproof.libraries.torch.autograd import _like
from tensorproof.ops.applied import Applied
from tensorproof.ops.storage import is_compact
from tensorproof.terms import UNKNOWN_STRIDES, Shape, TensorType, Term, conj, eq
from tensorproof.values import Args, Choice, Dict, Instance, Kwargs, List, Machine, Named, Native, Unknown, Value


def _given(m: Machine, what: str, inner: Args, which: Value, node: ast.AST) -> tuple[Value, ...]:
    """The arguments that a derivative is taken of: tensors of floats, or nests of such."""
    places = which if isinstance(which, tuple) else (which,)
    found: list[Value] = []
    for at in places:
        if type(at) is not int or not -len(inner) <= at < len(inner):
            raise m.raised("RuntimeError", f"{what} is asked for argument {at!r} of {len(inner)}", node, "call/arguments")
        for one in leaves(inner[at]):
            if isinstance(one, (int, float, str)) or one is None:
                raise m.raised("ValueError", f"{what} takes tensors, and gets {one!r}", node, "call/arguments")
            if isinstance(one, TensorType) and one.dtype is not None and one.dtype.kind not in "fc":
                raise m.raised("RuntimeError", f"{what} takes tensors of floats, and gets one of {one.dtype!r}", node, "backward/dtype")
        found.append(inner[at])
    return tuple(found)


def _tensors_only(m: Machine, what: str, value: Value, node: ast.AST, kind: str = "RuntimeError") -> None:
    """What a function gives must be made of tensors."""
    for one in leaves(value):
        number = isinstance(one, Unknown) and (one.number or one.text)
        if one is None or isinstance(one, (int, float, str, Term)) or number:
            one = "a number" if number else repr(one)
            raise m.raised(kind, f"{what} takes a function that gives tensors only, and this one gives {one}", node, "call/arguments")
        if not isinstance(one, TensorType):
            m.gap(what, node, "what the function gives is not known")


def _gradient_of(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST, with_value: bool) -> Value:
    """torch.func.grad: a function that gives the gradient of one that gives a number."""
    function, which, aux = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "argnums", 0), argument(args, kwargs, 2, "has_aux", False)

    def run(machine: Machine, inner: Args, named: Kwargs, at: Any) -> Any:
        if not isinstance(which, (int, tuple)):
            return machine.gap("torch.func.grad", at, "of which argument is not known")
        _given(machine, "torch.func.grad", inner, which, at)
        result = machine.call(function, inner, named, at)
        if aux and not isinstance(result, (tuple, Unknown, Choice)):
            raise machine.raised("RuntimeError", "with has_aux the function gives two results, and this one gives one", at, "call/arguments")
        value, more = (result[0], result[1]) if aux and isinstance(result, tuple) and len(result) == 2 else (result, None)
        if isinstance(value, (tuple, List, Dict)):
            raise machine.raised("RuntimeError", "torch.func.grad takes a function that gives one tensor, this one gives several", at, "call/arguments")
        _tensors_only(machine, "torch.func.grad", value, at)
        if aux and more is not None:
            _tensors_only(machine, "torch.func.grad", more, at)
        if isinstance(value, TensorType) and value.shape.known:
            words = f"torch.func.grad takes a function that gives one number without axes, this one gives shape {value.shape!r}"
            machine.require("backward/scalar", len(value.shape) == 0, words, at)
        picked = tuple(mapped(machine, inner[i], _like) for i in which) if isinstance(which, tuple) else mapped(machine, inner[which], _like)
        if with_value:
            return picked, (result if not aux else (value, more))
        return (picked, more) if aux else picked

    return Native("gradient", run)


def _jacobian_of(times: int, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.func.jacrev and jacfwd; a Hessian is a Jacobian of one."""
    function, which = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "argnums", 0)

    def run(machine: Machine, inner: tuple[Any, ...], named: Kwargs, at: Any) -> Any:
        _given(machine, "jacrev", inner, which, at)
        result = machine.call(function, inner, named, at)
        _tensors_only(machine, "jacrev", result, at)
        if type(which) is not int or not isinstance(result, TensorType) or not isinstance(inner[which], TensorType) or kwargs.get("has_aux"):
            return machine.gap("jacrev", at, "of values that are not tensors")
        return TensorType(Shape((*result.shape, *(tuple(inner[which].shape) * times))), result.dtype)

    return Native("jacobian", run)


def _jvp(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The value of a function and its derivative along tangents, which are as large as the arguments."""
    function, primals, tangents = (argument(args, kwargs, i, name) for i, name in enumerate(("func", "primals", "tangents")))
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple) or argument(args, kwargs, 4, "has_aux", False):
        return m.gap("torch.func.jvp", node, "the arguments are not known tuples")
    if len(primals) != len(tangents):
        raise m.raised("RuntimeError", f"jvp gets {len(primals)} primals and {len(tangents)} tangents", node, "call/arguments")
    _alike(m, "jvp", primals, tangents, node)
    result = m.call(function, primals, {}, node)
    _tensors_only(m, "jvp", result, node)
    return result, mapped(m, result, _like)


def _vjp(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The value of a function, and the function that gives the gradients of its arguments for one of the value."""
    primals = args[1:]
    if kwargs.get("has_aux") or not args:
        return m.gap("torch.func.vjp", node, "of several results")
    _given(m, "torch.func.vjp", primals, tuple(range(len(primals))), node)
    result = m.call(args[0], primals, {}, node)
    _tensors_only(m, "vjp", result, node)

    def run(machine: Machine, inner: Args, named: Kwargs, at: Any) -> Any:
        _alike(machine, "vjp", (result,), inner[:1], at)
        return tuple(mapped(machine, one, _like) for one in primals)

    return result, Native("vjp", run)


def _alike(m: Machine, what: str, one: Args, other: Args, node: ast.AST) -> None:
    """Two nests of tensors of the same sizes."""
    for a, b in zip(leaves(one), leaves(other)):
        if isinstance(a, TensorType) and isinstance(b, TensorType) and a.shape.known and b.shape.known:
            same = len(a.shape) == len(b.shape) and conj(*(eq(x, y) for x, y in zip(a.shape, b.shape)))
            m.demand("RuntimeError", same, f"{what} needs tensors of one shape: {a.shape!r} and {b.shape!r}", node, "backward/shape")


def _stacked_state(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The parameters and buffers of several models, stacked by name."""
    models = m.iterate(argument(args, kwargs, 0, "models"), node)
    if models == []:
        raise m.raised("RuntimeError", "stack_module_state needs a model at least", node, "call/arguments")
    if models is None or not all(module_tree.is_module(one) for one in models):
        return m.gap("torch.func.stack_module_state", node, "of models that are not known")
    found: list[Value] = []
    for which in (module_tree.PARAMETERS, module_tree.BUFFERS):
        held = [dict(module_tree.all_tensors(one, which)) for one in models]
        names = [name for name in held[0] if all(name in one for one in held)]
        stacked = {name: m.call(Named("torch.stack"), (List(m.heap.row([one[name].but(parameter=False) for one in held])),), {}, node) for name in names}
        found.append(Dict(m.heap.entries(stacked)))
    return tuple(found)


def _vmap(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function over one axis of its arguments."""
    function, axes, out = argument(args, kwargs, 0, "func"), argument(args, kwargs, 1, "in_dims", 0), argument(args, kwargs, 2, "out_dims", 0)
    random = argument(args, kwargs, 3, "randomness", "error")

    def run(machine: Machine, inner: Args, named: Kwargs, at: Any) -> Any:
        sizes: list[Any] = []
        state = machine.model_state.get("vmap") or {"many": {}, "random": random}
        many: dict[int, TensorType] = state["many"]

        def narrower(axis: int, t: TensorType) -> TensorType:
            if not t.shape.known or not -len(t.shape) <= axis < len(t.shape):
                raise machine.raised("ValueError", f"vmap over axis {axis} of a tensor of shape {t.shape!r}", at, "vmap/range")
            sizes.append(t.shape[axis])
            rest = list(t.shape)
            del rest[axis]
            made = TensorType(Shape(rest), t.dtype, device=t.device, strides=None if axis == 0 and is_compact(t) else UNKNOWN_STRIDES)
            many[id(made)] = made
            return made

        each = axes.items if isinstance(axes, List) else axes if isinstance(axes, tuple) else (axes,) * len(inner)
        if isinstance(axes, (List, tuple)) and len(each) != len(inner):
            raise machine.raised("ValueError", f"vmap has {len(each)} in_dims for {len(inner)} arguments", at, "vmap/range")
        if len(each) != len(inner) or not all(a is None or type(a) is int for a in each) or type(out) is not int:
            return machine.gap("vmap", at, "over axes that are not followed")
        cut = tuple(v if a is None else mapped(machine, v, partial(narrower, a)) for v, a in zip(inner, each))
        for size in sizes[1:]:
            machine.require("vmap/size", eq(sizes[0], size), f"vmap runs over axes of {sizes[0]!r} and of {size!r}", at)
        if not sizes:
            raise machine.raised("ValueError", "vmap has no tensor to run over", at, "vmap/range")
        outer = machine.model_state.get("vmap")
        machine.model_state["vmap"] = state
        try:
            result = machine.call(function, cut, named, at)
        finally:
            if outer is None:
                del machine.model_state["vmap"]
        _tensors_only(machine, "vmap", result, at, "ValueError")

        def wider(t: TensorType) -> TensorType:
            shape = list(t.shape)
            shape.insert(out if out >= 0 else len(shape) + 1 + out, sizes[0])
            return TensorType(Shape(shape), t.dtype, device=t.device, strides=None if out == 0 and is_compact(t) else UNKNOWN_STRIDES)

        return mapped(machine, result, wider)

    return Native("vmap", run)


def is_batched(m: Machine, value: Value) -> bool:
    """Whether a tensor stands for many, inside of a function that vmap runs."""
    return "vmap" in m.model_state and isinstance(value, TensorType) and m.model_state["vmap"]["many"].get(id(value)) is value


def refuse_number(m: Machine, value: Value, node: ast.AST) -> None:
    """A tensor that stands for many has no truth and gives no number."""
    if is_batched(m, value):
        raise m.raised("RuntimeError", "inside of vmap a tensor stands for many: it has no truth value and gives no number", node, "vmap/number")


def observed(m: Machine, name: str, applied: list[Applied], args: Args, kwargs: Kwargs, result: Value, node: ast.AST) -> None:
    """A call inside of vmap: what is computed from what stands for many stands for many."""
    state = m.model_state["vmap"]
    given = [one for value in (*args, *kwargs.values()) for one in leaves(value)]
    batched = any(is_batched(m, one) for one in given)
    for one in applied:
        if one.op.random and state["random"] == "error" and one.arguments.get("training", True) is not False:
            raise m.raised("RuntimeError", "vmap takes no random numbers unless it is called with randomness='different' or 'same'", node, "vmap/random")
        if batched and one.op.data_dependent:
            raise m.raised("RuntimeError", f"vmap cannot run {name}, whose shape depends on the data", node, "vmap/shape")
        if batched and one.op.writes and args and isinstance(args[0], TensorType) and not is_batched(m, args[0]):
            m.gap(name, node, "inside of vmap a tensor that is not mapped is written with one that is")
    if batched and name.endswith((".item", ".tolist", ".__bool__", ".__int__", ".__float__", ".__index__")):
        refuse_number(m, args[0], node)
    if batched:
        for made in leaves(result):
            if isinstance(made, TensorType):
                state["many"][id(made)] = made
            elif isinstance(made, Instance):
                m.gap(name, node, "inside of vmap")


FUNCTIONS: dict[str, Any] = {
    "torch.func.grad": lambda m, a, k, n: _gradient_of(m, a, k, n, False), "torch.func.grad_and_value": lambda m, a, k, n: _gradient_of(m, a, k, n, True),
    "torch.func.vmap": _vmap, "torch.vmap": _vmap, "torch.func.jacrev": partial(_jacobian_of, 1), "torch.func.jacfwd": partial(_jacobian_of, 1),
    "torch.func.hessian": partial(_jacobian_of, 2), "torch.func.jvp": _jvp, "torch.func.vjp": _vjp, "torch.func.stack_module_state": _stacked_state,
}  # fmt: skip
