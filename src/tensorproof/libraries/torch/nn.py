"""torch.nn: what `nn.Module` does for the program's own modules, and the containers of layers."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import ClassModel
from tensorproof.libraries.torch import hooks as torch_hooks
from tensorproof.libraries.torch import module_attributes, module_parts, parameters
from tensorproof.libraries.torch.layer_attributes import WRAPPER_ATTRIBUTES, module_names, of_every_module
from tensorproof.libraries.torch.layer_attributes import may_have as may_have
from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, children, is_module
from tensorproof.libraries.torch.modules import METHODS, check_begun, listed
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, Args, Bound, Choice, Class, Dict, Function, Instance, Kwargs, Layer, Machine, Model, Named, Native, Unknown, Value

# --- the program's modules ---


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if (args or kwargs) and _is_plain(m, me):
        raise m.raised("TypeError", f"{me.cls.name}: Module.__init__ takes no arguments: write an __init__ that takes them", node, "call/arguments")
    m.heap.set(me.space, "training", True)
    me.space.setdefault(PARAMETERS, ())
    me.space.setdefault(BUFFERS, ())


def _is_plain(m: Machine, me: Instance) -> bool:
    """Whether no class but `Module` and the program's own stands behind it, and `Module.__init__` is not told to hand its arguments on."""
    own = all(isinstance(c, Class) or (isinstance(c, Named) and c.name in ("torch.nn.Module", "object")) for c in me.cls.mro)
    return own and m.in_class(me.cls, "call_super_init") is MISSING


def _call(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = me.space.get("forward", MISSING)  # assigned to this object, it is called as it is
    own = found is not MISSING
    check_begun(m, me, node)
    found = found if own else m.in_class(me.cls, "forward")
    if found is MISSING:
        raise m.raised("NotImplementedError", f"{me.cls.name} has no forward", node, "module/forward")
    forward = Bound(found, me) if isinstance(found, (Function, Native)) and not own else found
    if torch_hooks.of(me):
        return torch_hooks.called(m, me, args, kwargs, node, lambda given, named: m.call(forward, given, named, node))
    return m.call(forward, args, kwargs, node)


def _stored(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if (is_module(value) or (isinstance(value, TensorType) and value.parameter)) and "training" not in me.space:
        raise m.raised("AttributeError", f"{me.cls.name} sets {name} before super().__init__() is called", node, "module/init")
    module_attributes.stored(m, me, name, value, node)
    if isinstance(value, TensorType) and value.parameter and name not in me.space.get(PARAMETERS, ()):
        m.heap.set(me.space, PARAMETERS, (*me.space.get(PARAMETERS, ()), name))


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    if name == "_modules":
        return Dict(m.heap.entries(dict(children(me))))
    if name in ("_parameters", "_buffers"):
        return m.gap(f"Module.{name}", node, "no model")
    if name.startswith("_") and name.endswith("hooks"):
        return Unknown(name)
    return m.gap(f"torch.nn.Module.{name}", node, "no model") if name != "forward" and of_every_module(name) else MISSING


CLASSES = {"torch.nn.Module": ClassModel("torch.nn.Module", methods=METHODS, init=_init, call=_call, stored=_stored, attribute=_attribute)}
CLASSES["torch.jit.ScriptModule"] = ClassModel("torch.jit.ScriptModule", bases=("torch.nn.Module",))


# --- the program's classes that derive from a library's layer or container ---


def layer_class(name: str) -> ClassModel | None:
    """What a layer or container does for a class that derives from it: `super().__init__` makes it, `forward` runs it."""
    from tensorproof.bindings.call import spelled

    if name not in FUNCTIONS and not (name.startswith("torch.nn.") and name.count(".") == 2 and name.rpartition(".")[2][0].isupper() and spelled(name)):
        return None

    def init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        _init(m, me, (), {}, node)
        made = m.call(Named(name), args, kwargs, node)
        if isinstance(made, Layer):
            m.remember(me, "native", me.native)
            me.native = made

    def forward(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        if not isinstance(me.native, Layer):
            return m.gap(f"{me.cls.name}.forward", node, "its layer is not known")
        return m.call(_filled(me), args, kwargs, node)

    def attribute(m: Machine, me: Instance, attribute_name: str, node: ast.AST) -> Value:
        if not isinstance(me.native, Layer):
            return MISSING
        if attribute_name in CONTAINER_METHODS and me.native.module is None:
            return Native(attribute_name, lambda machine, args, kwargs, at: CONTAINER_METHODS[attribute_name](machine, me.native, args, kwargs, at))
        return m.attribute(me.native, attribute_name, node)

    def add(m: Machine, me: Instance, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
        if isinstance(me.native, Layer) and me.native.module is None:
            _append(m, me.native, (args[1],), {}, node)
            me.native.names = (*me.native.names[:-1], args[0])
        else:
            m.set_attribute(me, args[0], args[1], node)

    return ClassModel(
        name, bases=("torch.nn.Module",), init=init, methods={"forward": forward, "add_module": add, "register_module": add}, attribute=attribute,
        items=lambda m, me, node: m.iterate(_filled(me), node), length=lambda m, me, node: layer_length(m, _filled(me), node),
        item=lambda m, me, index, node: layer_item(m, _filled(me), index, node),
        set_item=lambda m, me, index, new,
        node: layer_set_item(m, me.native, index, new, node),
    )  # fmt: skip


def _filled(me: Instance) -> Any:
    """The layer inside, with the modules that the program set as attributes: a Sequential runs those too."""
    held = [(k, v) for k, v in me.space.items() if isinstance(k, str) and is_module(v)]
    native = me.native
    if not held or not isinstance(native, Layer) or native.module is not None:
        return native
    return Layer(None, native.span, (*native.children, *(v for _, v in held)), native.kind, (*native.names, *(k for k, _ in held)))


# --- containers ---


def _sequential(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if len(args) == 1 and isinstance(args[0], Dict):
        return Layer(None, m.user_span(node), tuple(args[0].items.values()), "torch.nn.Sequential", tuple(map(str, args[0].items)))
    open_ = next((i for i, a in enumerate(args) if isinstance(a, Choice)), None)
    if open_ is not None:
        one = args[open_]

        def made(child: Value) -> Value:
            return _sequential(m, (*args[:open_], child, *args[open_ + 1 :]), kwargs, node)

        known = m.implied(one.condition)
        return m.branching.choose(one.condition, lambda: made(one.then), lambda: made(one.other)) if known is None else made(one.then if known else one.other)
    bad = next((a for a in args if not is_module(a) and not isinstance(a, Unknown)), None)
    if bad is not None and not isinstance(bad, (Instance, Model)):
        raise m.raised("TypeError", "nn.Sequential takes modules only", node, "call/arguments")
    module_parts.check_modules(m, args, node)
    return Layer(None, m.user_span(node), args, "torch.nn.Sequential", tuple(map(str, range(len(args)))))


def _module_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("modules")
    found = [] if given is None else m.iterate(given, node)
    if found is None:
        return m.gap("torch.nn.ModuleList", node, "of unknown modules")
    module_parts.check_modules(m, found, node)
    return Layer(None, m.user_span(node), tuple(found), "torch.nn.ModuleList", tuple(map(str, range(len(found)))))


def _module_dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else None
    if given is None:
        return Layer(None, m.user_span(node), (), "torch.nn.ModuleDict", ())
    if isinstance(given, Dict):
        module_parts.check_keys(m, given.items, node)
        module_parts.check_modules(m, given.items.values(), node)
        return Layer(None, m.user_span(node), tuple(given.items.values()), "torch.nn.ModuleDict", tuple(given.items))
    pairs = m.iterate(given, node)
    if pairs is None:
        return m.gap("torch.nn.ModuleDict", node, "of unknown modules")
    return Layer(None, m.user_span(node), tuple(p[1] for p in pairs), "torch.nn.ModuleDict", tuple(p[0] for p in pairs))


def _parameter_list(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node) if args else []
    if found is None:
        return m.gap("torch.nn.ParameterList", node)
    made = Layer(None, m.user_span(node), (), "torch.nn.ParameterList", ())
    made.tensors = {str(i): t for i, t in enumerate(found)}
    return made


def _parameter_dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("parameters")
    pairs: Any = [] if given is None else list(given.items.items()) if isinstance(given, Dict) else m.iterate(given, node)
    if pairs is None or not all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) for p in pairs):
        return m.gap("torch.nn.ParameterDict", node, "of unknown parameters")
    made = Layer(None, m.user_span(node), (), "torch.nn.ParameterDict", ())
    for name, value in pairs:
        layer_set_item(m, made, name, value, node)
    return made


def _wrapper(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """DataParallel and its like: calls go to the module inside."""
    inner = args[0] if args else kwargs.get("module")
    return Layer(None, m.user_span(node), (inner,), "wrapper", ("module",))


def call_container(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if owner.kind == "torch.nn.Sequential":
        if len(args) + len(kwargs) != 1 or not (args or "input" in kwargs):
            raise m.raised("TypeError", f"a Sequential takes one input, {len(args) + len(kwargs)} are given", node, "call/arguments")
        value: Value = args[0] if args else kwargs["input"]
        for child in owner.children:
            m.step()
            value = m.call(child, (value,), {}, node)
        return value
    if owner.kind == "wrapper":
        return m.call(owner.children[0], args, kwargs, node)
    raise m.raised("NotImplementedError", f"a {owner.kind.rpartition('.')[2]} has no forward: call the modules in it", node, "module/forward")


def layer_items(m: Machine, owner: Layer, node: ast.AST) -> list[Value] | None:
    if owner.kind == "torch.nn.ModuleDict":
        return list(owner.names)
    if owner.kind == "torch.nn.ParameterDict":
        return list(owner.tensors)
    if owner.kind == "torch.nn.ParameterList":
        return list(owner.tensors.values())
    return list(owner.children) if owner.module is None else None


def layer_length(m: Machine, owner: Layer, node: ast.AST) -> Value:
    return len(owner.tensors) if owner.kind in ("torch.nn.ParameterList", "torch.nn.ParameterDict") else len(owner.children)


def layer_item(m: Machine, owner: Layer, index: Value, node: ast.AST) -> Value:
    if owner.kind == "torch.nn.ModuleDict":
        if index in owner.names:
            return owner.children[owner.names.index(index)]
        raise m.raised("KeyError", f"the key {index!r} is missing", node)
    if owner.kind == "torch.nn.ParameterDict" and isinstance(index, str):
        if index in owner.tensors:
            return owner.tensors[index]
        raise m.raised("AttributeError", f"the ParameterDict has no parameter {index!r}", node)
    source: Any = tuple(owner.tensors.values()) if owner.kind == "torch.nn.ParameterList" else owner.children
    if isinstance(index, slice) and all(p is None or isinstance(p, int) for p in (index.start, index.stop, index.step)):
        return Layer(None, owner.span, source[index], owner.kind, owner.names[index])
    if isinstance(index, int):
        if not -len(source) <= index < len(source):
            raise m.raised("IndexError", f"index {index} is out of range for {len(source)} modules", node)
        return source[index]
    return m.gap("layers[…]", node, "the index is not known")


def layer_set_item(m: Machine, owner: Layer, index: Value, new: Value, node: ast.AST) -> None:
    module_parts.remember(m, owner)
    if owner.kind == "torch.nn.ModuleDict" and isinstance(index, str):
        module_parts.check_keys(m, (index,), node)
        module_parts.check_modules(m, (new,), node)
        if index in owner.names:
            at = owner.names.index(index)
            owner.children = (*owner.children[:at], new, *owner.children[at + 1 :])
        else:
            owner.children, owner.names = (*owner.children, new), (*owner.names, index)
    elif owner.kind == "torch.nn.ParameterDict" and isinstance(index, str):
        m.remember(owner, "tensors", owner.tensors)
        owner.tensors = {**owner.tensors, index: parameters.parameter(m, (new,), {}, node) if isinstance(new, TensorType) and not new.parameter else new}
    elif isinstance(index, int) and -len(owner.children) <= index < len(owner.children):
        at = index % len(owner.children)
        owner.children = (*owner.children[:at], new, *owner.children[at + 1 :])
    else:
        m.gap("layers[…] = …", node)


def _append(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    module_parts.remember(m, owner)
    if owner.kind in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        module_parts.check_modules(m, args[:1], node)
    owner.names = (*owner.names, str(len(owner.children)))
    owner.children = (*owner.children, args[0])
    return owner


def _extend(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    for one in m.iterate(args[0], node) or ():
        _append(m, owner, (one,), {}, node)
    return owner


def _insert(m: Machine, owner: Layer, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    module_parts.remember(m, owner)
    rest = list(owner.children)
    rest.insert(args[0], args[1])
    owner.children, owner.names = tuple(rest), tuple(map(str, range(len(rest))))
    return None


def _pop(m: Machine, owner: Layer, index: Value, node: ast.AST) -> Value:
    """Takes a part out: of a list the later ones move up, of a dict the others keep their names."""
    found = layer_item(m, owner, index, node)
    if owner.kind in ("torch.nn.ParameterList", "torch.nn.ParameterDict") or not isinstance(index, (int, str)):
        return m.gap(f"{owner.kind}.pop", node, "what is left is not followed")
    module_parts.remember(m, owner)
    at = owner.names.index(index) if isinstance(index, str) else index % len(owner.children)
    owner.children = (*owner.children[:at], *owner.children[at + 1 :])
    owner.names = (*owner.names[:at], *owner.names[at + 1 :]) if isinstance(index, str) else owner.names[: len(owner.children)]
    return found


def _update(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if isinstance(args[0], Dict):
        for k, v in args[0].items.items():
            layer_set_item(m, owner, k, v, node)
    return None


def _entries(owner: Layer) -> dict[str, Value]:
    return owner.tensors if owner.kind == "torch.nn.ParameterDict" else dict(zip(owner.names, owner.children))


CONTAINER_METHODS: dict[str, Any] = {
    "append": _append, "extend": _extend, "insert": _insert, "update": _update,
    "keys": lambda m, me, a, k, n: listed(m, list(_entries(me))), "values": lambda m, me, a, k, n: listed(m, list(_entries(me).values())),
    "items": lambda m, me, a, k, n: listed(m, list(_entries(me).items())),
    "pop": lambda m, me, a, k, n: _pop(m, me, a[0] if a else -1, n),
    "get": lambda m, me, a, k, n: _entries(me).get(a[0], a[1] if len(a) > 1 else None),
}  # fmt: skip


def layer_method(m: Machine, owner: Layer, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if owner.kind == "wrapper" and name in ("no_sync", "join"):
        return Model("context", m.heap.space())
    if name == "update_parameters":
        from tensorproof.libraries.torch.training import update_parameters

        return update_parameters(m, owner, args, kwargs, node)
    if owner.module is None and name in CONTAINER_METHODS:
        return CONTAINER_METHODS[name](m, owner, args, kwargs, node)
    if name in METHODS:
        return METHODS[name](m, owner, args, kwargs, node)
    if name == "__call__":
        return m.call(owner, args, kwargs, node)
    if name == "forward":
        return m.layer_forward(owner, args, kwargs, node)
    if name in ("reset_parameters", "_reset_parameters", "flatten_parameters"):
        return None
    return m.gap(f"{owner.module.name if owner.module is not None else owner.kind}.{name}", node, "no model")


def layer_attribute(m: Machine, owner: Layer, name: str, node: ast.AST) -> Value:
    from tensorproof.values.python_values import Method

    if name in owner.tensors:
        return owner.tensors[name]
    if owner.module is None:
        if name in owner.names:
            return owner.children[owner.names.index(name)]
        if name == "training":
            return True if owner.mode is None else owner.mode["training"]
        if owner.kind == "wrapper" and name not in ("module", "no_sync", "join", "update_parameters") and name not in METHODS:
            if name in WRAPPER_ATTRIBUTES or isinstance(owner.children[0], Unknown):
                return Unknown(name)
            if not name.startswith("__") and name not in module_names():
                raise m.raised("AttributeError", f"a wrapped model has no attribute {name} of its own: write .module.{name}", node)
    if name == "__class__":
        return Named(owner.module.name if owner.module is not None else owner.kind)
    if name == "_modules":
        return Dict(m.heap.entries(dict(children(owner))))
    if name in METHODS or name in CONTAINER_METHODS or name in ("forward", "__call__", "reset_parameters", "_reset_parameters", "flatten_parameters"):
        return Method(owner, name)
    if owner.kind == "wrapper" and name in ("no_sync", "join", *(["update_parameters"] if "n_averaged" in owner.tensors else ())):
        return Method(owner, name)
    kind = owner.module.name if owner.module is not None else owner.kind
    if not may_have(kind, name) or (name == "module" and owner.kind != "wrapper"):
        raise m.raised("AttributeError", f"{kind} has no attribute {name}", node)
    return m.gap(f"{kind}.{name}", node, "no model")


def set_layer_attribute(m: Machine, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if owner.module is None and name in owner.names:
        at = owner.names.index(name)
        owner.children = (*owner.children[:at], value, *owner.children[at + 1 :])
    else:
        owner.tensors = {**owner.tensors, name: value}


def _namespace(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`nn.Module()` itself: an object without a forward that holds other modules."""
    made = Class("Module", (Named("torch.nn.Module"),), m.heap.space(), span=m.user_span(node))
    made.mro = (made, Named("torch.nn.Module"))
    return m.call(made, args, kwargs, node)


FUNCTIONS: dict[str, Any] = {
    "torch.nn.Module": _namespace,
    "torch.nn.Sequential": _sequential, "torch.nn.ModuleList": _module_list, "torch.nn.ModuleDict": _module_dict, "torch.nn.ParameterList": _parameter_list,
    "torch.nn.ParameterDict": _parameter_dict, "torch.nn.SyncBatchNorm.convert_sync_batchnorm": lambda m, a, k, n: a[0] if a else k["module"],
    "torch.nn.DataParallel": _wrapper,
    "torch.nn.parallel.DistributedDataParallel": _wrapper, "torch.nn.parallel.DataParallel": _wrapper, "torch.compile": None,
}  # fmt: skip
del FUNCTIONS["torch.compile"]
