"""Hooks of torch.nn modules: pre-hooks run before forward and may replace its inputs, forward hooks run after it and may replace its output."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.domains import backward
from tensorproof.values import Args, Choice, Dict, Instance, Kwargs, Layer, Machine, Model, Native, Unknown, Value

KIND, SLOT = "torch.utils.hooks.RemovableHandle", "_hooks"


def of(me: Any) -> tuple[Model, ...]:
    """The hooks of a module, in the order in which they run."""
    return me.hooks if isinstance(me, Layer) else me.space.get(SLOT, ())


def _keep(m: Machine, me: Any, hooks: tuple[Model, ...]) -> None:
    if isinstance(me, Instance):
        m.heap.set(me.space, SLOT, hooks)
    else:
        m.remember(me, "hooks", me.hooks)
        me.hooks = hooks


def _register(before: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    hook = argument(args, kwargs, 0, "hook")
    handle = Model(KIND, m.heap.space({"owner": me, "hook": hook, "before": before, "named": kwargs.get("with_kwargs") is True}))
    if any(isinstance(given, Unknown) for given in (hook, *kwargs.values())):
        key = hook.key if isinstance(hook, Unknown) and "@" not in hook.key else ""
        m.gap(key or "register_forward_hook", node, "the hook or one of its options is not known")
        return handle
    _keep(m, me, (handle, *of(me)) if kwargs.get("prepend") is True else (*of(me), handle))
    return handle


def _register_backward(full: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """A hook that runs in backward: each call of the module is kept until then."""
    hook = args[0] if args else kwargs.get("hook")
    calls = backward.hook_module(m, me, hook, full)

    def called(machine: Machine, given: tuple[Any, ...], named: Kwargs, at: ast.AST) -> None:
        backward.module_called(machine, calls, given[1], given[2])

    held = {"owner": me, "hook": Native("backward hook", called), "before": False, "named": False, "calls": calls}
    handle = Model(KIND, m.heap.space(held))
    _keep(m, me, (*of(me), handle))
    return handle


def _remove(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    owner = me.space["owner"]
    if "calls" in me.space:
        backward.unhook_module(m, me.space["calls"])
    _keep(m, owner, tuple(one for one in of(owner) if one is not me))


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    _remove(m, me, (), {}, node)
    return False


def called(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST, forward: Callable[[tuple[Value, ...], dict[str, Value]], Value]) -> Value:
    """Call a module that has hooks."""
    hooks = of(me)
    for hook in hooks:
        if hook.space["before"]:
            args, kwargs = _before(m, me, hook, args, kwargs, node)
    result = forward(args, kwargs)
    for hook in hooks:
        if not hook.space["before"]:
            named = (Dict(m.heap.entries(dict(kwargs))),) if hook.space["named"] else ()
            result = _unless_none(m, m.call(hook.space["hook"], (me, args, *named, result), {}, node), result)
    return result


def _unless_none(m: Machine, given: Value, otherwise: Value) -> Value:
    """What a hook returned, or what was there before when it returned None."""
    if isinstance(given, Choice):
        return m.branching.choose(given.condition, lambda: _unless_none(m, given.then, otherwise), lambda: _unless_none(m, given.other, otherwise))
    return otherwise if given is None else given


def _before(m: Machine, me: Value, hook: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> tuple[tuple[Value, ...], dict[str, Value]]:
    named = (Dict(m.heap.entries(dict(kwargs))),) if hook.space["named"] else ()
    given = m.call(hook.space["hook"], (me, args, *named), {}, node)
    if given is None:
        return args, kwargs
    if isinstance(given, (Unknown, Choice)):
        unknown = m.gap("a forward pre-hook", node, "what it returns is not known")
        return tuple(unknown for _ in args), dict.fromkeys(kwargs, unknown)
    if not hook.space["named"]:
        return (given if type(given) is tuple else (given,)), kwargs
    if type(given) is tuple and len(given) == 2 and type(given[0]) is tuple and isinstance(given[1], Dict):
        return given[0], dict(given[1].items)
    raise m.raised("RuntimeError", "a pre-hook with kwargs must return None or a tuple of new args and kwargs", node, "module/hook")


METHODS: dict[str, Run] = {
    "register_forward_hook": partial(_register, False), "register_forward_pre_hook": partial(_register, True),
    "register_full_backward_hook": partial(_register_backward, True), "register_backward_hook": partial(_register_backward, False),
}  # fmt: skip
KINDS = {KIND: KindModel({"remove": _remove}, enter=lambda m, me, node: me, leave=_leave)}
