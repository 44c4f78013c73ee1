"""The methods that layers, containers and the program's modules of torch.nn share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.torch import hooks as torch_hooks
from tensorproof.libraries.torch import module_parts, module_state, module_tree
from tensorproof.libraries.torch.module_tree import (
    BUFFERS,
    PARAMETERS,
    all_tensors,
    children,
    different_children,
    everywhere,
    open_parts,
    own_tensors,
    unbuilt,
    walk,
)
from tensorproof.ops.storage import format_strides
from tensorproof.terms import BY_LABEL, DType, TensorType
from tensorproof.values import MISSING, Args, Cursor, Function, Instance, Key, Kwargs, Layer, Machine, Model, Native, Unknown, Value


def _named(m: Machine, which: Key[tuple[str, ...]], me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """named_parameters and named_buffers."""
    prefix, recurse = argument(args, kwargs, 0, "prefix", ""), argument(args, kwargs, 1, "recurse", True)
    return _held(m, me, which, prefix, recurse, argument(args, kwargs, 2, "remove_duplicate", True), lambda found: found, node)


def _unnamed(m: Machine, which: Key[tuple[str, ...]], me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """parameters and buffers."""
    return _held(m, me, which, "", argument(args, kwargs, 0, "recurse", True), True, lambda found: [t for _, t in found], node)


def _held(m: Machine, me: Value, which: Key[tuple[str, ...]], prefix: Value, recurse: Value, once: Value, pick: Any, node: ast.AST) -> Value:
    """The tensors that are known; where there are none, but parts that are not known, they are unknown."""
    if not isinstance(prefix, str) or not isinstance(recurse, (bool, int)) or not isinstance(once, (bool, int)):
        return m.gap("named_parameters", node, "an argument is not known")
    found = [*all_tensors(me, which, prefix, bool(recurse), bool(once)), *(unbuilt(me, which) if recurse else ())]
    if not found and which == PARAMETERS and open_parts(me):
        return Unknown("the parameters of a part that is not known")
    return _iterated(m, pick(found))


def _modules(me: Value, args: Args, kwargs: Kwargs) -> Sequence[Value]:
    prefix = str(argument(args, kwargs, 1, "prefix", ""))
    return list(walk(me, prefix) if argument(args, kwargs, 2, "remove_duplicate", True) else everywhere(me, prefix))


def _set_training(m: Machine, me: Value, mode: Value) -> None:
    """One module gets its mode."""
    if isinstance(me, Instance):
        m.heap.set(me.space, "training", mode)
        if isinstance(me.native, Layer):
            _set_training(m, me.native, mode)
    elif isinstance(me, Layer) and me.module is None:
        if me.mode is None:
            me.mode = m.heap.cursor()
            me.mode.born = -1
            me.mode["training"] = True
        m.heap.set(me.mode, "training", mode)
    elif isinstance(me, Layer) and me.module is not None and isinstance(mode, bool):
        if not isinstance(me.module.mode, Cursor):
            kept = m.heap.cursor()
            kept.born = -1
            kept.update(me.module.mode)
            me.module.mode = kept
        if me.module.training is not mode:
            m.heap.set(me.module.mode, "training", mode)


def _train(m: Machine, me: Value, mode: Value, node: ast.AST, seen: tuple[int, ...] = ()) -> Value:
    """A module and those in it get their mode: one with a method `train` of its own by that."""
    module_parts.check_mode(m, mode, node)
    _set_training(m, me, mode)
    for _, child in children(me):
        if id(child) in seen:
            continue
        if isinstance(child, Instance) and isinstance(m.in_class(child.cls, "train"), Function):
            m.call(m.attribute(child, "train", node), (mode,), {}, node)
        else:
            _train(m, child, mode, node, (*seen, id(me)))
    return me


def _eval(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`train(False)`, which the program may have written anew."""
    if isinstance(me, Instance) and isinstance(m.in_class(me.cls, "train"), Function):
        return m.call(m.attribute(me, "train", node), (False,), {}, node)
    return _train(m, me, False, node)


def _moved(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = [*args, kwargs.get("dtype"), kwargs.get("device")]
    like = next((a for a in (*args, kwargs.get("tensor")) if isinstance(a, TensorType)), None)
    if like is not None:
        given += [like.dtype, like.device]
    dtype = next((a for a in given if isinstance(a, DType)), None)
    if dtype is not None:
        if not dtype.is_float and not dtype.is_complex:
            raise m.raised("TypeError", f"Module.to takes element types of floating point or complex numbers only, and not {dtype!r}", node)
        _cast(m, me, dtype)
    if (memory := kwargs.get("memory_format")) is not None:
        _changed(m, me, lambda t: _laid(t, memory))
    device = next((a for a in given if isinstance(a, str)), None)
    return _placed(m, me, device, node) if device is not None else me


def _placed(m: Machine, me: Value, device: Value, node: ast.AST, empty: bool = False) -> Value:
    """Parameters and buffers lie on another device."""
    from tensorproof.libraries.domains import devices

    if not empty and device != "meta":
        for t in _tensors(me):
            devices.refuse_values(m, t, "moving the module", node, "NotImplementedError")
    _changed(m, me, lambda t: t if t.device is None else t.but(device=None))  # where the layer was made is no longer where they are
    devices.move(m, _tensors(me), device)
    return me


def _tensors(me: Value) -> list[TensorType]:
    return [t for which in (PARAMETERS, BUFFERS) for _, t in all_tensors(me, which)]


def _cast(m: Machine, me: Value, dtype: Value, only_floats: bool = True) -> Value:
    return _changed(m, me, lambda t: t.but(dtype=dtype) if t.dtype is not None and (t.dtype.is_float or not only_floats) and t.dtype is not dtype else t)


def _changed(m: Machine, me: Value, change: Callable[[TensorType], TensorType]) -> Value:
    """Parameters and buffers become others; one that several modules share stays shared."""
    made: dict[int, tuple[TensorType, TensorType]] = {}

    def changed(t: TensorType) -> TensorType:
        if id(t) not in made:
            made[id(t)] = (t, change(t))
        return made[id(t)][1]

    for _, module in walk(me):
        if isinstance(module, Layer):
            _change_layer(m, module, changed)
            continue
        if not isinstance(module, Instance):  # a transform of torchvision: it has no parameters
            continue
        if isinstance(module.native, Layer):
            _change_layer(m, module.native, changed)
        for which in (PARAMETERS, BUFFERS):
            for name, t in own_tensors(module, which):
                if name in module.space and (new := changed(t)) is not t:
                    m.heap.set(module.space, name, new)
    return me


def _change_layer(m: Machine, layer: Layer, change: Callable[[TensorType], TensorType]) -> None:
    for home in (layer.module.parameters, layer.module.buffers) if layer.module is not None else ():
        for name, t in home.items():
            if (new := change(t)) is not t:
                m.remember(layer, "module", layer.module)
                home[name] = new
    held = {name: t for which in (PARAMETERS, BUFFERS) for name, t in own_tensors(layer, which) if name in layer.tensors}
    own = {name: new for name, t in held.items() if (new := change(t)) is not t}
    if own:
        m.remember(layer, "tensors", layer.tensors)
        layer.tensors = {**layer.tensors, **own}


def _typed(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Module.type: all parameters and buffers get the element type, whole numbers too."""
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


def _apply(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The function gets the modules inside first."""
    function = argument(args, kwargs, 0, "fn")
    for module in _inside_out(me):
        m.call(function, (module,), {}, node)
    return me


def _inside_out(value: Value) -> list[Value]:
    return [*(one for _, child in different_children(value) for one in _inside_out(child)), value]


def _hook(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Hooks of backward are kept, and not run here."""
    return Model("object", m.heap.space({"remove": Native("remove", lambda *a: None)}))


def _loading_hook(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    m.model_state[module_state.HOOKED] = True
    return _hook(m, me, args, kwargs, node)


def _iterated(m: Machine, items: Sequence[Value]) -> Value:
    from tensorproof.values.objects import Iterator as ProgramIterator

    return ProgramIterator(items, m.heap.space({"at": 0}))


def _begun(method: Any, whole: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A method that needs what `Module.__init__` makes: of the module itself, or of all that it holds."""
    for _, part in walk(me) if whole else (("", me),):
        check_begun(m, part, node)
    return method(m, me, args, kwargs, node)


def check_begun(m: Machine, me: Value, node: ast.AST) -> None:
    """A module's own tables are made by `Module.__init__`: without it, what reads them fails. A class with lookups of its own may give others."""
    if isinstance(me, Instance) and "training" not in me.space and m.in_class(me.cls, "__getattr__") is MISSING:
        raise m.raised("AttributeError", f"{me.cls.name} is used before super().__init__() is called", node, "module/init")


_OF_ITSELF = frozenset(["children", "named_children", *module_tree.METHODS, "add_module", "register_module", "register_parameter", *torch_hooks.METHODS])
_WITHOUT = frozenset(["register_buffer", "compile", "extra_repr", "_get_name"])
_METHODS: dict[str, Any] = {
    "parameters": lambda m, me, a, k, n: _unnamed(m, PARAMETERS, me, a, k, n), "buffers": lambda m, me, a, k, n: _unnamed(m, BUFFERS, me, a, k, n),
    "named_parameters": lambda m, me, a, k, n: _named(m, PARAMETERS, me, a, k, n), "named_buffers": lambda m, me, a, k, n: _named(m, BUFFERS, me, a, k, n),
    "children": lambda m, me, a, k, n: _iterated(m, [c for _, c in different_children(me)]),
    "named_children": lambda m, me, a, k, n: _iterated(m, different_children(me)),
    "modules": lambda m, me, a, k, n: _iterated(m, [v for _, v in walk(me)]),
    "named_modules": lambda m, me, a, k, n: _iterated(m, _modules(me, a, k)),
    "state_dict": module_state.state_dict, "load_state_dict": module_state.load_state_dict, "apply": _apply, "to": _moved,
    "to_empty": lambda m, me, a, k, n: _placed(m, me, k.get("device"), n, empty=True),
    **module_tree.METHODS,
    "add_module": module_state.add_module, "register_module": module_state.add_module,
    "train": lambda m, me, a, k, n: _train(m, me, argument(a, k, 0, "mode", True), n), "eval": _eval,
    "requires_grad_": _require_grad, "zero_grad": _zero_grad, "share_memory": lambda m, me, a, k, n: me,
    "cuda": lambda m, me, a, k, n: _placed(m, me, "cuda", n), "cpu": lambda m, me, a, k, n: _placed(m, me, "cpu", n),
    "compile": lambda m, me, a, k, n: None, "extra_repr": lambda m, me, a, k, n: "",
    "half": lambda m, me, a, k, n: _cast(m, me, BY_LABEL["float16"]), "float": lambda m, me, a, k, n: _cast(m, me, BY_LABEL["float32"]),
    "double": lambda m, me, a, k, n: _cast(m, me, BY_LABEL["float64"]), "bfloat16": lambda m, me, a, k, n: _cast(m, me, BY_LABEL["bfloat16"]),
    "type": _typed,
    "register_buffer": module_state.register_buffer, "register_parameter": module_state.register_parameter, **torch_hooks.METHODS,
    **dict.fromkeys(("register_load_state_dict_pre_hook", "_register_load_state_dict_pre_hook", "register_load_state_dict_post_hook"), _loading_hook),
    "_get_name": lambda m, me, a, k, n: me.cls.name if isinstance(me, Instance) else "Module",
}  # fmt: skip
METHODS: dict[str, Any] = {name: method if name in _WITHOUT else partial(_begun, method, name not in _OF_ITSELF) for name, method in _METHODS.items()}
