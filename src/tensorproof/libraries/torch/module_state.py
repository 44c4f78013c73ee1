"""What modules of torch.nn register and give back: parameters, buffers and parts by name, `state_dict` and `load_state_dict`."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch import module_parts
from tensorproof.libraries.torch.layer_attributes import module_names
from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, TEMPORARY, children, is_module, own_tensors, put, state, unbuilt, walk
from tensorproof.terms import Outputs, TensorType, eq
from tensorproof.values import (
    MISSING,
    OPEN,
    Args,
    Choice,
    Class,
    Dict,
    Generator,
    Instance,
    Iterator,
    Key,
    Kwargs,
    Layer,
    List,
    Machine,
    Set,
    Unknown,
    Value,
)

_OWN_STATE = ("get_extra_state", "_save_to_state_dict", "_load_from_state_dict", "state_dict", "load_state_dict")
"""Methods by which a class of the program changes what its state is."""
HOOKED = "load_state_dict hooks"


def _written(me: Instance, name: str) -> bool:
    """Whether a class of the program has a method of this name."""
    return any(isinstance(one, Class) and name in one.space for one in me.cls.mro)


def _by_hand(me: Value, but: tuple[str, ...]) -> bool:
    """Whether a class of the program has a say in the state of a module."""
    return any(isinstance(module, Instance) and any(_written(module, n) for n in _OWN_STATE if name or n not in but) for name, module in walk(me))


def _detached(m: Machine, t: TensorType) -> TensorType:
    """What a state_dict holds of a parameter: the same memory, without gradients."""
    from tensorproof.libraries.domains import autograd

    return autograd.detached(m, t) if t.framework == "torch" else t


def state_dict(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    prefix, keep = argument(args, kwargs, 1, "prefix", ""), argument(args, kwargs, 2, "keep_vars", False)
    if argument(args, kwargs, 0, "destination", None) is not None or not isinstance(prefix, str) or _by_hand(me, ("state_dict", "load_state_dict")):
        return m.gap("state_dict", node, "the module or one in it decides what its state is")
    found: dict[str, Value] = {name: t if keep is True else _detached(m, t) for name, t in state(me, prefix).items()}
    for which in (PARAMETERS, BUFFERS):
        found.update({prefix + name: t for name, t in unbuilt(me, which)})
    return Dict(m.heap.entries(found), ordered=True)


def load_state_dict(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = argument(args, kwargs, 0, "state_dict")
    if type(given) is Choice:
        rest = {key: value for key, value in kwargs.items() if key != "state_dict"}
        then, other = (partial(load_state_dict, m, me, (one, *args[1:]), rest, node) for one in (given.then, given.other))
        return m.branching.choose(given.condition, then, other)
    if given is None and m.facts:
        return m.gap("load_state_dict", node, "whether a state was kept is for the data to say")
    if is_module(given) or isinstance(given, (TensorType, List, tuple, str, int, float, Iterator, Generator, Set)) or given is None:
        raise m.raised("TypeError", "load_state_dict takes a dict of names and tensors: the state_dict() of a model", node, "checkpoint/type")
    strict, assign = argument(args, kwargs, 1, "strict", True), argument(args, kwargs, 2, "assign", False)
    names: list[Value] = [Unknown("the missing keys"), Unknown("the unexpected keys")]
    if m.model_state.get(HOOKED) or _by_hand(me, ("state_dict", "load_state_dict")):
        m.gap("load_state_dict", node, "a hook or the module itself decides what is loaded")
    elif isinstance(given, Dict):
        mine = state(me)
        lazy = dict((*unbuilt(me, PARAMETERS), *unbuilt(me, BUFFERS)))
        _check_shapes(m, mine, given, node)
        if OPEN not in given.items:
            missing, extra = [n for n in (*mine, *lazy) if n not in given.items], [n for n in given.items if n not in mine and n not in lazy]
            names = [List(m.heap.row(missing)), List(m.heap.row(extra))]
            if strict is True and (missing or extra):
                words = (f"misses {missing[0]}" if missing else "") + (" and " if missing and extra else "") + (f"has {extra[0]} too many" if extra else "")
                raise m.fail("checkpoint/keys", f"the checkpoint {words}", node)
        if assign is True:
            put(m, me, {name: _assigned(m, mine[name], t) for name, t in given.items.items() if name in mine and isinstance(t, TensorType)})
    return Outputs.named(names, ("missing_keys", "unexpected_keys"))


def _check_shapes(m: Machine, mine: dict[str, TensorType], given: Dict, node: ast.AST) -> None:
    for name, t in given.items.items():
        if name not in mine or not isinstance(t, (TensorType, int, float, str, tuple, List)):
            continue
        if not isinstance(t, TensorType) or t.framework == "numpy":
            raise m.fail("checkpoint/type", f"{name} in the checkpoint is not a tensor", node)
        own = mine[name].shape
        if not t.shape.known or not own.known or (not own and len(t.shape) == 1):  # a file of torch 0.3 has a number as one element
            continue
        words = f"{name} has shape {own!r} in the model and {t.shape!r} in the checkpoint"
        if len(t.shape) != len(own):
            raise m.fail("checkpoint/shape", words, node)
        for a, b in zip(t.shape, own):
            m.require("checkpoint/shape", eq(a, b), words, node)


def _assigned(m: Machine, own: TensorType, given: TensorType) -> TensorType:
    """With assign=True a given tensor takes the place of the module's own, and is a parameter where that was one."""
    if not own.parameter:
        return given
    kept = given.but(parameter=True, requires_grad=own.requires_grad, contents=None, grad=None)
    return m.memory.sharing(kept, given)


def _free(m: Machine, me: Any, name: Value, kind: str, held: bool, node: ast.AST) -> str:
    """A name under which something is registered: a text without a dot that is not another attribute."""
    if not isinstance(name, str):
        raise m.raised("TypeError", f"the name of a {kind} is a text", node, "call/arguments")
    if "." in name or not name:
        raise m.raised("KeyError", f"the name {name!r} of a {kind} must not {'hold a dot' if name else 'be empty'}", node)
    if not held and _has(m, me, name):
        raise m.raised("KeyError", f"there is already an attribute {name!r}", node)
    return name


def _has(m: Machine, me: Any, name: str) -> bool:
    if name in module_names():
        return True
    if isinstance(me, Layer):
        own = me.module is not None and (name in me.module.parameters or name in me.module.buffers)
        return own or name in me.names or name in me.tensors
    return name in me.space or (m.in_class(me.cls, name) is not MISSING and m.in_class(me.cls, "__getattr__") is MISSING)


def register_buffer(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, value = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "tensor")
    if isinstance(me, Instance) and "training" not in me.space:
        raise m.raised("AttributeError", f"{me.cls.name} registers {name} before super().__init__() is called", node, "module/init")
    if isinstance(name, Unknown):
        m.gap("register_buffer", node, "the name is not known")
        return
    free = _free(m, me, name, "buffer", name in _names(me, BUFFERS), node)
    module_parts.check_buffer(m, value, node)
    _keep(m, me, BUFFERS, free, value)
    if argument(args, kwargs, 2, "persistent", True) is not True:
        _keep(m, me, TEMPORARY, free, value)


def _names(me: Any, which: Key[tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(me, Instance):
        return (*me.space.get(which, ()), *(_names(me.native, which) if isinstance(me.native, Layer) else ()))
    return (*me.tensors.get(which, ()), *(name for name, _ in own_tensors(me, which)))


def _keep(m: Machine, me: Any, which: Key[tuple[str, ...]], name: str, value: Value) -> None:
    """A value under a name that is listed among those of its kind."""
    if isinstance(me, Instance):
        m.heap.set(me.space, name, value)
        if name not in me.space.get(which, ()):
            m.heap.set(me.space, which, (*me.space.get(which, ()), name))
    elif name not in _names(me, which) or name in me.tensors:
        m.remember(me, "tensors", me.tensors)
        me.tensors = {**me.tensors, name: value, which: (*(n for n in me.tensors.get(which, ()) if n != name), name)}
    elif isinstance(value, TensorType):
        m.remember(me, "module", me.module)
        (me.module.parameters if which == PARAMETERS else me.module.buffers)[name] = value


def register_parameter(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, value = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "param")
    if isinstance(name, Unknown):
        m.gap("register_parameter", node, "the name is not known")
        return
    if isinstance(me, Instance) and "training" not in me.space:
        raise m.raised("AttributeError", f"{me.cls.name} registers {name} before super().__init__() is called", node, "module/init")
    free = _free(m, me, name, "parameter", name in _names(me, PARAMETERS), node)
    module_parts.check_parameter(m, value, node)
    _keep(m, me, PARAMETERS, free, value)


def add_module(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, module = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "module")
    if isinstance(name, Unknown) or isinstance(module, Unknown):
        m.gap("add_module", node, "the name or the module is not known")
        return
    if not isinstance(name, str) or (module is not None and not is_module(module)):
        raise m.raised("TypeError", "add_module takes a name and a module, in this order", node, "call/arguments")
    _free(m, me, name, "module", name in dict(children(me)) or (isinstance(me, Instance) and me.space.get(name, me) is None), node)
    if isinstance(me, Layer):
        module_parts.set_child(m, me, name, module)
    else:
        m.set_attribute(me, name, module, node)


def extra_repr(m: Machine, me: Value, node: ast.AST) -> None:
    """Printing a module asks each of the program's own modules in it for `extra_repr()`, which gives a text."""
    for _, module in walk(me):
        if isinstance(module, Instance) and _written(module, "extra_repr"):
            given = m.call(m.attribute(module, "extra_repr", node), (), {}, node)
            if given is None or isinstance(given, (int, float, tuple, List, Dict, TensorType)):
                raise m.raised("AttributeError", f"extra_repr of {module.cls.name} must return a text", node)
