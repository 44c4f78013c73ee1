"""The methods that layers, containers and the program's modules share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from tensorproof.libraries.torch import hooks as torch_hooks
from tensorproof.libraries.torch import module_parts, module_paths
from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, TEMPORARY, all_tensors, children, is_module, open_parts, own_tensors, state, walk
from tensorproof.ops.storage import format_strides
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values import MISSING, OPEN, Args, Cursor, Dict, Instance, Kwargs, Layer, List, Machine, Model, Native, Unknown, Value

# --- methods that layers, containers and the program's modules share ---


def _held(m: Machine, me: Value, pick: Any) -> Value:
    """The parameters that are known; where there are none, but parts that are not known, the parameters are unknown."""
    found = all_tensors(me, PARAMETERS)
    if not found and open_parts(me):
        return Unknown("the parameters of a part that is not known")
    return _iterated(m, pick(found))


def listed(m: Machine, items: Value) -> List:
    return List(m.heap.row(items))


def _set_training(m: Machine, me: Value, mode: Value) -> Value:
    for _, module in walk(me):
        if isinstance(module, Instance):
            m.heap.set(module.space, "training", mode)
        elif isinstance(module, Layer) and module.module is None:
            if module.mode is None:
                module.mode = m.heap.cursor()
                module.mode.born = -1
                module.mode["training"] = True
            m.heap.set(module.mode, "training", mode)
        elif isinstance(module, Layer) and module.module is not None and isinstance(mode, bool):
            if not isinstance(module.module.mode, Cursor):
                kept = m.heap.cursor()
                kept.born = -1
                kept.update(module.module.mode)
                module.module.mode = kept
            if module.module.training is not mode:
                m.heap.set(module.module.mode, "training", mode)
    return me


def _train(m: Machine, me: Value, mode: Value, node: ast.AST) -> Value:
    module_parts.check_mode(m, mode, node)
    return _set_training(m, me, mode)


def _moved(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.terms.dtypes import DType

    dtype = next((a for a in (*args, kwargs.get("dtype")) if isinstance(a, DType)), None)
    if dtype is not None:
        _cast(m, me, dtype)
    if (memory := kwargs.get("memory_format")) is not None:
        _changed(m, me, lambda name, t: _laid(t, memory))
    device = next((a for a in (*args, kwargs.get("device")) if isinstance(a, str)), None)
    return _placed(m, me, device) if device is not None else me


def _placed(m: Machine, me: Value, device: Value) -> Value:
    """Parameters and buffers lie on another device."""
    from tensorproof.libraries.domains import devices

    _changed(m, me, lambda name, t: t if t.device is None else t.but(device=None))  # where the layer was made is no longer where they are
    devices.move(m, [t for which in (PARAMETERS, BUFFERS) for _, t in all_tensors(me, which)], device)
    return me


def _cast(m: Machine, me: Value, dtype: Value, only_floats: bool = True) -> Value:
    return _changed(m, me, lambda name, t: t.but(dtype=dtype) if t.dtype is not None and (t.dtype.is_float or not only_floats) and t.dtype is not dtype else t)


def _changed(m: Machine, me: Value, change: Callable[[str, TensorType], TensorType]) -> Value:
    """Parameters and buffers, each with its name in the tree, become others."""
    for path, module in walk(me):
        prefix = f"{path}." if path else ""
        if isinstance(module, Layer):
            if module.module is not None:
                for home in (module.module.parameters, module.module.buffers):
                    for name, t in home.items():
                        if (new := change(prefix + name, t)) is not t:
                            m.remember(module, "module", module.module)
                            home[name] = new
            continue
        for which in (PARAMETERS, BUFFERS):
            for name, t in own_tensors(module, which):
                if (new := change(prefix + name, t)) is not t:
                    m.heap.set(module.space, name, new)
    return me


def _typed(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Module.type: all parameters and buffers get the element type, whole numbers too."""
    from tensorproof.terms.dtypes import DType

    dtype = args[0] if args else kwargs.get("dst_type")
    return _cast(m, me, dtype, only_floats=False) if isinstance(dtype, DType) else m.gap("torch.nn.Module.type", node, "the element type is not known")


def _laid(t: TensorType, memory: Value) -> TensorType:
    """Tensors of four or five axes get the memory format."""
    if not t.shape.known or len(t.shape) not in (4, 5):
        return t
    strides = format_strides(t, memory, False)
    return t if strides == t.strides else t.but(strides=strides)


def _require_grad(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    from tensorproof.libraries.domains import autograd

    on = args[0] if args else kwargs.get("requires_grad", True)
    for _, t in all_tensors(me, PARAMETERS):
        if isinstance(on, bool):
            autograd.mark(m, t, on, node)
    return me


def _zero_grad(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    from tensorproof.libraries.domains import backward

    if (args[0] if args else kwargs.get("set_to_none", True)) is True:
        for _, t in all_tensors(me, PARAMETERS):
            backward.clear(m, t)


def _detached(m: Machine, t: TensorType) -> TensorType:
    """What a state_dict holds of a parameter: the same memory, without gradients."""
    from tensorproof.libraries.domains import autograd

    return autograd.detached(m, t) if t.framework == "torch" else t


def _apply(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    for _, module in reversed(list(walk(me))):
        m.call(args[0], (module,), {}, node)
    return me


def _load_state(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("state_dict", MISSING)
    if given is MISSING:
        raise m.raised("TypeError", "load_state_dict needs a state_dict", node, "call/arguments")
    if is_module(given) or isinstance(given, (TensorType, List, tuple, str, int, float)):
        raise m.raised("TypeError", "load_state_dict takes a dict of names and tensors: the state_dict() of a model", node, "checkpoint/type")
    strict = kwargs.get("strict", args[1] if len(args) > 1 else True)
    names: list[Value] = [Unknown("the missing keys"), Unknown("the unexpected keys")]
    if isinstance(given, Dict):
        mine = state(me)
        for name, t in given.items.items():
            if name in mine and isinstance(t, TensorType) and t.shape.known and mine[name].shape.known:
                if len(t.shape) != len(mine[name].shape):
                    raise m.fail("checkpoint/shape", f"{name} has shape {mine[name].shape!r} in the model and {t.shape!r} in the checkpoint", node)
                for a, b in zip(t.shape, mine[name].shape):
                    from tensorproof.terms.predicates import eq

                    m.require("checkpoint/shape", eq(a, b), f"{name} has shape {mine[name].shape!r} in the model and {t.shape!r} in the checkpoint", node)
        if OPEN not in given.items:
            missing, extra = [n for n in mine if n not in given.items], [n for n in given.items if n not in mine]
            names = [listed(m, missing), listed(m, extra)]
            if strict is True and (missing or extra):
                words = (f"misses {missing[0]}" if missing else "") + (" and " if missing and extra else "") + (f"has {extra[0]} too many" if extra else "")
                raise m.fail("checkpoint/keys", f"the checkpoint {words}", node)
        if kwargs.get("assign", args[2] if len(args) > 2 else False) is True:
            _assigned(m, me, given)
    return Outputs.named(names, ("missing_keys", "unexpected_keys"))


def _assigned(m: Machine, me: Value, given: Dict) -> None:
    """load_state_dict(assign=True): parameters and buffers have the element type and the device of the tensors that are loaded."""

    def loaded(name: str, t: TensorType) -> TensorType:
        new = given.items.get(name)
        if not isinstance(new, TensorType):
            return t
        now = m.memory.current(new)
        m.memory.relabel(t, m.memory.current(t).but(device=now.device))
        return t if now.dtype is t.dtype and t.device == now.device else t.but(dtype=now.dtype, device=now.device)

    _changed(m, me, loaded)


def _register_buffer(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name = args[0] if args else kwargs.get("name")
    value = args[1] if len(args) > 1 else kwargs.get("tensor")
    if len(args) + len(kwargs.keys() & {"name", "tensor"}) < 2:
        raise m.raised("TypeError", "register_buffer needs a name and a tensor", node, "call/arguments")
    if isinstance(name, TensorType) or is_module(name):
        raise m.raised("TypeError", "register_buffer takes a name first", node, "call/arguments")
    module_parts.check_buffer(m, value, node)
    if isinstance(me, Instance) and "training" not in me.space:
        raise m.raised("AttributeError", f"{me.cls.name} registers {name} before super().__init__() is called", node, "module/init")
    if isinstance(name, str) and isinstance(me, Layer):
        if isinstance(value, TensorType) and me.module is not None:
            me.module.buffers[name] = value
        else:
            me.tensors = {**me.tensors, name: value}
    elif isinstance(name, str):
        m.heap.set(me.space, name, value)
        persistent = args[2] if len(args) > 2 else kwargs.get("persistent", True)
        others = tuple(n for n in me.space.get(TEMPORARY, ()) if n != name)
        m.heap.set(me.space, BUFFERS, tuple(dict.fromkeys((*me.space.get(BUFFERS, ()), name))))
        m.heap.set(me.space, TEMPORARY, others if persistent is True else (*others, name))


def _register_parameter(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name = args[0] if args else kwargs.get("name")
    value = args[1] if len(args) > 1 else kwargs.get("param")
    module_parts.check_parameter(m, value, node)
    if isinstance(name, str) and isinstance(me, Layer) and me.module is not None and isinstance(value, TensorType):
        me.module.parameters[name] = value
    elif isinstance(name, str):
        m.set_attribute(me, name, value, node)


def _add_module(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = dict(zip(("name", "module"), args)) | kwargs
    if len(args) > 2 or given.keys() != {"name", "module"}:
        raise m.raised("TypeError", "add_module takes a name and a module", node, "call/arguments")
    name, module = given["name"], given["module"]
    if isinstance(name, Unknown) or isinstance(module, Unknown):
        m.gap("add_module", node, "the name or the module is not known")
    elif not isinstance(name, str) or (module is not None and not is_module(module)):
        raise m.raised("TypeError", "add_module takes a name and a module, in this order", node, "call/arguments")
    elif isinstance(me, Layer):
        m.remember(me, "children", me.children)
        if name in me.names:
            at = me.names.index(name)
            me.children = (*me.children[:at], module, *me.children[at + 1 :])
        else:
            me.children, me.names = (*me.children, module), (*me.names, name)
    else:
        m.set_attribute(me, name, module, node)


def _hook(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Hooks of backward and of loading are kept, and not run."""
    return Model("object", m.heap.space({"remove": Native("remove", lambda *a: None)}))


def _backward_hook(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """It runs when gradients of the module's parameters are computed."""
    from tensorproof.libraries.domains import backward

    backward.hook_module(m, me, args[0] if args else kwargs.get("hook"), [t for _, t in all_tensors(me, PARAMETERS)], node)
    return _hook(m, me, args, kwargs, node)


def _iterated(m: Machine, items: Sequence[Value]) -> Value:
    from tensorproof.values.objects import Iterator as ProgramIterator

    return ProgramIterator(items, m.heap.space({"at": 0}))


def _begun(method: Any, whole: bool) -> Any:
    """A method that needs what `Module.__init__` makes: of the module itself, or of all that it holds."""

    def called(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        for _, part in walk(me) if whole else (("", me),):
            check_begun(m, part, node)
        return method(m, me, args, kwargs, node)

    return called


def check_begun(m: Machine, me: Value, node: ast.AST) -> None:
    """A module's own tables are made by `Module.__init__`: without it, what reads them fails. A class with lookups of its own may give others."""
    if isinstance(me, Instance) and "training" not in me.space and m.in_class(me.cls, "__getattr__") is MISSING:
        raise m.raised("AttributeError", f"{me.cls.name} is used before super().__init__() is called", node, "module/init")


_OF_ITSELF = frozenset(["children", "named_children", *module_paths.METHODS, "add_module", "register_module", "register_parameter", *torch_hooks.METHODS])
_WITHOUT = frozenset(["register_buffer", "compile", "extra_repr", "_get_name"])
_METHODS: dict[str, Any] = {
    "parameters": lambda m, me, a, k, n: _held(m, me, lambda found: [t for _, t in found]),
    "named_parameters": lambda m, me, a, k, n: _held(m, me, lambda found: found),
    "buffers": lambda m, me, a, k, n: _iterated(m, [t for _, t in all_tensors(me, BUFFERS)]),
    "named_buffers": lambda m, me, a, k, n: _iterated(m, all_tensors(me, BUFFERS)),
    "children": lambda m, me, a, k, n: _iterated(m, [c for _, c in children(me)]),
    "named_children": lambda m, me, a, k, n: _iterated(m, children(me)),
    "modules": lambda m, me, a, k, n: _iterated(m, [v for _, v in walk(me)]),
    "named_modules": lambda m, me, a, k, n: _iterated(m, list(walk(me))),
    "state_dict": lambda m, me, a, k, n: Dict(m.heap.entries({name: _detached(m, t) for name, t in state(me).items()}), ordered=True),
    "load_state_dict": _load_state, "apply": _apply, "to": _moved, **module_paths.METHODS, "add_module": _add_module, "register_module": _add_module,
    "train": lambda m, me, a, k, n: _train(m, me, a[0] if a else k.get("mode", True), n), "eval": lambda m, me, a, k, n: _set_training(m, me, False),
    "requires_grad_": _require_grad, "zero_grad": _zero_grad, "share_memory": lambda m, me, a, k, n: me,
    "cuda": lambda m, me, a, k, n: _placed(m, me, "cuda"), "cpu": lambda m, me, a, k, n: _placed(m, me, "cpu"),
    "compile": lambda m, me, a, k, n: None, "extra_repr": lambda m, me, a, k, n: "",
    "half": lambda m, me, a, k, n: _cast(m, me, _dtype("float16")), "float": lambda m, me, a, k, n: _cast(m, me, _dtype("float32")),
    "double": lambda m, me, a, k, n: _cast(m, me, _dtype("float64")), "bfloat16": lambda m, me, a, k, n: _cast(m, me, _dtype("bfloat16")),
    "type": _typed, "to_empty": lambda m, me, a, k, n: _placed(m, me, a[0] if a else k.get("device")),
    "register_buffer": _register_buffer, "register_parameter": _register_parameter, **torch_hooks.METHODS,
    "register_full_backward_hook": _backward_hook, "register_backward_hook": _backward_hook, "register_load_state_dict_pre_hook": _hook,
    "_register_load_state_dict_pre_hook": _hook, "_get_name": lambda m, me, a, k, n: me.cls.name if isinstance(me, Instance) else "Module",
}  # fmt: skip
METHODS: dict[str, Any] = {name: method if name in _WITHOUT else _begun(method, name not in _OF_ITSELF) for name, method in _METHODS.items()}


def _dtype(label: str) -> Value:
    from tensorproof.terms.dtypes import BY_LABEL

    return BY_LABEL[label]
