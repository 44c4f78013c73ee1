"""Gradients going back through the graph: what `backward` and `torch.autograd.grad` need of it, what they free, and whom they give a `.grad`."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.domains import autograd
from tensorproof.terms import TensorType, conj, eq
from tensorproof.terms.gradient import FREED, NO, PERHAPS_FREED, UNDECIDED, YES, Gradient, Node, reached
from tensorproof.values import Choice, Kwargs, Machine, Model, Native, Unknown, Value


def needs_gradient(m: Machine, loss: TensorType, node: ast.AST) -> None:
    """Something in the graph must require a gradient."""
    g = autograd.of(m, loss)
    if g.requires is False:
        words = "backward() needs a tensor that was computed from tensors with requires_grad=True, and this one was not"
        raise m.raised("RuntimeError", words, node, "backward/grad")
    if g.requires is None:
        m.gap("backward", node, "whether the result requires a gradient is not known")


def walk(m: Machine, roots: list[TensorType], retain: Value, node: ast.AST, inputs: list[TensorType] | None = None, again: bool = False) -> list[bool | None]:
    """Go back from some results to the leaves, which get a `.grad`, or to some inputs only: says which of those are reached, as far as it is known.

    `again`: the gradients may require gradients in turn."""
    reached: dict[int, bool] = {}
    accumulate = inputs is None
    hooks, later = list[tuple[Value, TensorType]](), list[tuple[Value, TensorType]]()
    seen: set[int] = set()
    found: list[tuple[Node, bool]] = []
    waiting: list[tuple[Gradient, bool]] = [(g, g.requires is True) for g in (autograd.of(m, t) for t in roots)]
    while waiting:
        g, sure = waiting.pop()
        if g.node is not None or reached.get(id(g.own)) is None:
            before = g.node is None and g.own.get("grad") is NO  # the hooks of a leaf run before it gets one
            hooks += () if before else g.own.get("hooks", ())
            _run_hooks(m, list(g.own.get("hooks", ())) if before else [], node)
        if g.node is not None and g.own.get("retains"):
            m.heap.set(g.own, "grad", YES if sure and accumulate and g.requires else UNDECIDED)
        if g.node is None:
            if g.requires is not False and not reached.get(id(g.own)):
                reached[id(g.own)] = sure and g.requires is True
                if accumulate and again:
                    m.heap.set(g.own, "again", True)
                if accumulate:
                    later += g.own.get("later hooks", ())
                if accumulate and g.own.get("grad") is not YES:
                    m.heap.set(g.own, "grad", YES if sure and g.requires else UNDECIDED)
            continue
        if id(g.node) in seen:
            continue
        seen.add(id(g.node))
        sure = sure and not g.node.either
        reached[id(g.node)] = sure
        found.append((g.node, sure))
        waiting += [(parent, sure and parent.requires is True) for parent in g.node.parents]
    needed = None if inputs is None else _leading_to(found, inputs, m)
    for used, sure in found:
        if not used.either and (needed is None or id(used) in needed):
            _used(m, used, sure, retain, node)
    _run_hooks(m, hooks, node)
    for hook, t in later:
        if m.call(hook, (t,), {}, node) is not None:
            raise m.raised("TypeError", "a hook that runs after a gradient was added gives None", node, "backward/hook")
    for module, hook, calls in m.model_state.get(MODULE_HOOKS, {}).get("all", ()):
        _run_module_hook(m, module, hook, calls, reached, retain, node)
    if m.path.program is not None and roots:
        m.path.program.differentiated(roots, inputs or ())
    return [_reached(m, t, reached, node) for t in inputs or ()]


def differentiable(m: Machine, roots: list[TensorType], inputs: list[TensorType]) -> bool | None:
    """Whether the gradients of some results by some inputs depend on what requires a gradient."""
    found: list[tuple[Node, bool]] = []
    seen: set[int] = set()
    waiting: list[tuple[Gradient, bool]] = [(g, g.requires is True) for g in (autograd.of(m, t) for t in roots)]
    while waiting:
        g, sure = waiting.pop()
        if g.node is not None and id(g.node) not in seen:
            seen.add(id(g.node))
            found.append((g.node, sure and not g.node.either))
            waiting += [(parent, sure and not g.node.either and parent.requires is True) for parent in g.node.parents]
    needed = _leading_to(found, inputs, m)
    used = [(one, sure) for one, sure in found if id(one) in needed]
    if any(one.again and sure for one, sure in used):
        return True
    return False if used and all(one.again is False for one, _ in used) else None


def read(m: Machine, roots: list[TensorType], inputs: list[TensorType]) -> list[Gradient] | None:
    """What the gradients of some results by some inputs are computed from: the saved tensors on the way; None where that is not known."""
    found = [(one, True) for t in roots for one in reached(autograd.of(m, t))]
    needed = _leading_to(found, inputs, m)
    used = [one for one, _ in found if id(one) in needed]
    if any(one.either or one.again is None for one in used):
        return None
    states = [(kept.state, len(one.parents) > 1) for one in used if one.again for kept in one.saved if kept.state.requires is not False]
    return [state.but(requires=None) if several else state for state, several in states]  # of several inputs, each may need what is saved for another


def stored(m: Machine, t: TensorType, used: bool | None) -> None:
    """`.grad` of a tensor that backward was asked for by name."""
    if used is not False:
        m.heap.set(autograd.of(m, t).own, "grad", YES if used else UNDECIDED)


def _leading_to(found: list[tuple[Node, bool]], inputs: list[TensorType], m: Machine) -> set[int]:
    """The nodes through which a gradient goes on its way to some inputs."""
    users: dict[int, list[Node]] = {}
    for used, _ in found:
        for parent in used.parents:
            users.setdefault(id(parent.own if parent.node is None else parent.node), []).append(used)
    states = [autograd.of(m, t) for t in inputs]
    waiting = [id(g.own if g.node is None else g.node) for g in states]
    needed: set[int] = set()
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if id(user) not in needed:
                needed.add(id(user))
                waiting.append(id(user))
    return needed


MODULE_HOOKS = "backward hooks"
"""The hooks of modules that run in backward: the module, the function, and a space with the calls of the module that no backward has reached."""


def _run_module_hook(m: Machine, module: Value, hook: Value, calls: Any, reached: dict[int, bool], retain: Value, node: ast.AST) -> None:
    left: list[Value] = []
    for inputs, outputs in calls["made"]:
        states = [autograd.of(m, t) for t in autograd.each(outputs)]
        if not any(reached.get(id(g.own if g.node is None else g.node)) for g in states):
            left.append((inputs, outputs))
            continue
        given = m.call(hook, (module, tuple(_gradient(m, v) for v in inputs), tuple(_gradient(m, v) for v in outputs)), {}, node)
        if calls["full"] and isinstance(given, tuple) and len(given) != len(inputs):
            raise m.raised("RuntimeError", f"a backward hook gives {len(given)} gradients for {len(inputs)} inputs", node, "backward/hook")
        if retain is True:
            left.append((inputs, outputs))
    if len(left) != len(calls["made"]):
        m.heap.set(calls, "made", tuple(left))


def _gradient(m: Machine, value: Value) -> Value:
    """What a hook gets for an input or output: None where no gradient is taken."""
    if not isinstance(value, TensorType):
        return Unknown("a gradient") if isinstance(value, (Unknown, Choice)) else None
    requires = autograd.of(m, value).requires
    return Unknown("a gradient") if requires is None else gradient_of(value) if requires else None


def _run_hooks(m: Machine, hooks: list[tuple[Value, TensorType]], node: ast.AST) -> None:
    while hooks:
        hook, t = hooks.pop(0)
        _check_hooked(m, t, m.call(hook, (gradient_of(t),), {}, node), node)


def _check_hooked(m: Machine, t: TensorType, given: Value, node: ast.AST) -> None:
    """What a hook gives in place of a gradient is None, or a gradient of the same size."""
    if isinstance(given, TensorType) and given.framework == "torch":
        if given.shape.known and t.shape.known:
            same = len(given.shape) == len(t.shape) and conj(*(eq(a, b) for a, b in zip(given.shape, t.shape)))
            m.demand("RuntimeError", same, f"a hook gave a gradient of shape {given.shape!r} for a tensor of shape {t.shape!r}", node, "backward/hook")
    elif given is not None and not isinstance(given, (Unknown, Choice)):
        raise m.raised("TypeError", "a hook of a tensor gives a tensor or None", node, "backward/hook")


def hook_module(m: Machine, module: Value, hook: Value, full: bool) -> Any:
    """A function that runs after the gradients of a module were computed: gives the space in which the calls of the module are kept."""
    held = m.model_state.setdefault(MODULE_HOOKS, m.heap.space({"all": ()}))
    held.born = -1
    calls = m.heap.space({"made": (), "full": full})
    m.heap.set(held, "all", (*held["all"], (module, hook, calls)))
    return calls


def unhook_module(m: Machine, calls: Any) -> None:
    held = m.model_state[MODULE_HOOKS]
    m.heap.set(held, "all", tuple(one for one in held["all"] if one[2] is not calls))


def module_called(m: Machine, calls: Any, inputs: Value, result: Value) -> None:
    """A module with a hook was called: kept where a gradient may come back."""
    outputs = result if isinstance(result, tuple) else (result,)
    if any(autograd.of(m, t).requires is not False for t in autograd.each(outputs)):
        m.heap.set(calls, "made", (*calls["made"], (inputs, outputs)))


def _reached(m: Machine, t: TensorType, reached: dict[int, bool], node: ast.AST) -> bool | None:
    g = autograd.of(m, t)
    if g.requires is False:
        words = "a gradient is taken by a tensor that does not require one: set requires_grad_() before it is used"
        raise m.raised("RuntimeError", words, node, "backward/input")
    if g.requires is None or g.leaf is None or not all(reached.values()):
        return None
    return id(g.own if g.node is None else g.node) in reached


def gradient_of(t: TensorType) -> TensorType:
    """The gradient of a tensor: as large, and no part of a graph."""
    return t.but(requires_grad=False, parameter=False, contents=None, base=None, grad=None, strides=None)


def _used(m: Machine, used: Node, sure: bool, retain: Value, node: ast.AST) -> None:
    """One backward function runs."""
    freed = used.cell["freed"].value
    if freed is not False and used.keeps is not False:
        if freed and used.keeps and sure:
            words = (
                f"backward goes a second time through the graph of line {used.line} ({_word(used)}), whose saved tensors were freed by the first: "
                "use retain_graph=True the first time, or detach() what is carried over"
            )
            raise m.raised("RuntimeError", words, node, "backward/freed")
        m.gap("backward", node, f"whether the graph of line {used.line} was freed before is not known")
    for one in used.saved:
        later = one.cell["version"].is_later(one.version)
        if later and one.sure and sure:
            words = f"backward needs {one.what} of line {one.line}, which was changed in place since then: change a clone(), or work out of place"
            raise m.raised("RuntimeError", words, node, "backward/modified")
        if later is not False:
            m.gap("backward", node, f"whether {one.what} of line {one.line}, which was changed in place, is needed is not known")
    if retain is not True and freed is not True:
        m.heap.set(used.cell, "freed", FREED if sure and retain is False else PERHAPS_FREED)


def _word(used: Node) -> str:
    return used.name.rpartition(".")[2]


def flag(value: Value) -> bool | None:
    """retain_graph and create_graph as given: None where they are not known."""
    return value if isinstance(value, bool) else False if value is None else None


def grad_of(m: Machine, owner: TensorType, node: ast.AST) -> Value:
    """`t.grad`: None where surely no gradient has been stored."""
    g = autograd.of(m, owner)
    made = gradient_of(owner).but(grad=autograd.fresh(m, None if g.own.get("again") else False))
    if g.own.get("given") is not None:
        return g.own["given"]
    if g.own["grad"].value is None and owner.framework == "torch" and not owner.parameter:
        m.gap("Tensor.grad", node, "whether it is None is not known")
    if g.own["grad"] is not NO or m.path.gaps or (g.leaf is not True and g.own.get("retains") is None and g.leaf is None) or g.requires is None:
        return made
    return None


def given(m: Machine, owner: TensorType, value: Value, node: ast.AST) -> None:
    """`t.grad = …`: a gradient is as large as its tensor, and of its element type."""
    if isinstance(value, TensorType) and value.shape.known and owner.shape.known:
        same = len(value.shape) == len(owner.shape) and conj(*(eq(a, b) for a, b in zip(value.shape, owner.shape)))
        m.demand("RuntimeError", same, f"a gradient of shape {value.shape!r} is assigned to a tensor of shape {owner.shape!r}", node, "backward/shape")
        if None not in (value.dtype, owner.dtype) and value.dtype is not owner.dtype:
            raise m.raised("RuntimeError", f"a gradient of {value.dtype!r} is assigned to a tensor of {owner.dtype!r}", node, "backward/dtype")
    own = autograd.of(m, owner).own
    m.heap.set(own, "grad", NO if value is None else YES)
    m.heap.set(own, "given", value)


def clear(m: Machine, t: Value) -> None:
    """The gradient of a parameter is set to None."""
    if isinstance(t, TensorType):
        own = autograd.of(m, t).own
        if own.get("grad") is not NO:
            m.heap.set(own, "grad", NO)
        if own.get("given") is not None:
            m.heap.set(own, "given", None)


def stepped(m: Machine, t: Value) -> None:
    """An optimizer has written into a parameter, if it has a gradient."""
    if isinstance(t, TensorType):
        has = autograd.of(m, t).own["grad"]
        if has is not NO:
            autograd.wrote(m, t, has is YES)
            if m.path.program is not None:
                before = m.memory.current(t)
                m.path.program.changed(t, before)
                m.path.program.same(t, m.memory.write(before))


def register_hook(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST, kept: str = "hooks") -> Value:
    """`t.register_hook(f)`: f runs whenever a gradient of t is computed."""
    t, hook = args[0], args[1] if len(args) > 1 else kwargs.get("hook")
    g = autograd.of(m, t)
    if g.requires is False:
        raise m.raised("RuntimeError", "a hook can be registered on a tensor that requires a gradient only", node, "backward/hook")
    m.heap.set(g.own, kept, (*g.own.get(kept, ()), (hook, t)))
    return Model("object", m.heap.space({"remove": Native("remove", lambda *a: m.heap.set(g.own, kept, ()))}))


def register_later_hook(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """`t.register_post_accumulate_grad_hook(f)`: f runs after a leaf got a gradient."""
    g = autograd.of(m, args[0])
    if g.leaf is False and g.requires is not False:
        raise m.raised("RuntimeError", "a hook that runs after a gradient was added needs a leaf", node, "backward/hook")
    return register_hook(m, args, kwargs, node, "later hooks")


def retain_grad(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> None:
    g = autograd.of(m, args[0])
    if g.requires is False:
        raise m.raised("RuntimeError", "retain_grad can be called on a tensor that requires a gradient only", node, "backward/retain")
    if g.leaf is None:
        m.heap.set(g.own, "grad", UNDECIDED)
    elif not g.leaf:
        m.heap.set(g.own, "retains", True)
