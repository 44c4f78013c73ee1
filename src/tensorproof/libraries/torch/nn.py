"""torch.nn: what `nn.Module` does for the program's own modules, and the containers of layers."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import ClassModel
from tensorproof.libraries.plain import nothing
from tensorproof.libraries.torch import hooks as torch_hooks
from tensorproof.libraries.torch import module_containers, module_parts, module_state
from tensorproof.libraries.torch.layer_attributes import COMPILED, SCRIPTED, module_names, of_every_module, of_scripted, of_wrappers
from tensorproof.libraries.torch.layer_attributes import may_have as may_have
from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, children, is_module
from tensorproof.libraries.torch.modules import METHODS, check_begun
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, Args, Bound, Choice, Class, Dict, Function, Instance, Kwargs, Layer, Machine, Model, Named, Native, Unknown, Value


def _init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if (args or kwargs) and _is_plain(m, me):
        raise m.raised("TypeError", f"{me.cls.name}: Module.__init__ takes no arguments: write an __init__ that takes them", node, "call/arguments")
    m.heap.set(me.space, "training", True)
    me.space.setdefault(PARAMETERS, ())
    me.space.setdefault(BUFFERS, ())


def _is_plain(m: Machine, me: Instance) -> bool:
    """Whether no class but `Module` and the program's own stands behind it, and `Module.__init__` does not hand its arguments on."""
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
    module_parts.stored(m, me, name, value, node)
    if isinstance(value, TensorType) and value.parameter and name not in me.space.get(PARAMETERS, ()):
        m.heap.set(me.space, PARAMETERS, (*me.space.get(PARAMETERS, ()), name))


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    if name == "_modules":
        return Dict(m.heap.entries(dict(children(me))))
    if name in ("_parameters", "_buffers"):
        return m.gap(f"Module.{name}", node, "no model")
    if name.startswith("_") and name.endswith("hooks"):
        return Unknown(name)
    if of_scripted(name) and SCRIPTED in m.model_state:
        return _of_scripted(m, name, node)
    return m.gap(f"torch.nn.Module.{name}", node, "no model") if name != "forward" and of_every_module(name) else MISSING


def _of_scripted(m: Machine, name: str, node: ast.AST) -> Value:
    """What a module has when torch.jit compiled it."""
    return Native("save", nothing) if name == "save" else m.gap(f"torch.jit.ScriptModule.{name}", node, "no model")


CLASSES = {"torch.nn.Module": ClassModel("torch.nn.Module", methods=METHODS, init=_init, call=_call, stored=_stored, attribute=_attribute)}
CLASSES["torch.jit.ScriptModule"] = ClassModel("torch.jit.ScriptModule", bases=("torch.nn.Module",))


# --- the program's classes that derive from a library's layer or container ---


def layer_class(name: str) -> ClassModel | None:
    """What a layer or container does for a class that derives from it: `super().__init__` makes it, `forward` runs it."""
    from tensorproof.bindings.call import spelled

    known = name in FUNCTIONS or name in module_containers.FUNCTIONS
    if not known and not (name.startswith("torch.nn.") and name.count(".") == 2 and name.rpartition(".")[2][0].isupper() and spelled(name)):
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
        if attribute_name in CONTAINER_METHODS.get(me.native.kind, ()) and me.native.module is None:
            return Native(attribute_name, lambda machine, args, kwargs, at: _of_itself(machine, me, attribute_name, args, kwargs, at))
        return m.attribute(me.native, attribute_name, node)

    def add(m: Machine, me: Instance, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
        inside = isinstance(me.native, Layer) and me.native.module is None
        module_state.add_module(m, me.native if inside else me, args, kwargs, node)

    return ClassModel(
        name, bases=("torch.nn.Module",), init=init, methods={"forward": forward, "add_module": add, "register_module": add}, attribute=attribute,
        items=lambda m, me, node: m.iterate(_filled(me), node), length=lambda m, me, node: layer_length(m, _filled(me), node),
        item=lambda m, me, index, node: layer_item(m, _filled(me), index, node),
        set_item=lambda m, me, index, new,
        node: layer_set_item(m, me.native, index, new, node),
    )  # fmt: skip


def _of_itself(m: Machine, me: Instance, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A method of the container inside: what gives back the container gives back the object."""
    assert isinstance(me.native, Layer)
    made = CONTAINER_METHODS[me.native.kind][name](m, me.native, args, kwargs, node)
    return me if made is me.native else made


def _filled(me: Instance) -> Any:
    """The layer inside, with the modules that the program set as attributes: a Sequential runs those too."""
    held = [(k, v) for k, v in me.space.items() if isinstance(k, str) and is_module(v)]
    native = me.native
    if not held or not isinstance(native, Layer) or native.module is not None:
        return native
    return Layer(None, native.span, (*native.children, *(v for _, v in held)), native.kind, (*native.names, *(k for k, _ in held)))


def layer_method(m: Machine, owner: Layer, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if owner.kind == "wrapper" and name in ("no_sync", "join"):
        return Model("context", m.heap.space())
    if name == "update_parameters":
        from tensorproof.libraries.torch.training import update_parameters

        return update_parameters(m, owner, args, kwargs, node)
    if owner.module is None and name in CONTAINER_METHODS.get(owner.kind, ()):
        return CONTAINER_METHODS[owner.kind][name](m, owner, args, kwargs, node)
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
    if name in owner.names:
        return owner.children[owner.names.index(name)]
    if owner.module is None:
        if name == "training":
            return True if owner.mode is None else owner.mode["training"]
        if COMPILED in owner.tensors and name not in METHODS and name not in ("forward", "__call__", "_modules", "__class__"):
            return m.attribute(owner.children[0], name, node)
        if owner.kind == "wrapper" and name not in ("module", "no_sync", "join", "update_parameters") and name not in METHODS:
            if of_wrappers(name) or isinstance(owner.children[0], Unknown):
                return Unknown(name)
            if not name.startswith("__") and name not in module_names():
                raise m.raised("AttributeError", f"a wrapped model has no attribute {name} of its own: write .module.{name}", node)
    if name == "__class__":
        return Named(owner.module.name if owner.module is not None else owner.kind)
    if name == "_modules":
        return Dict(m.heap.entries(dict(children(owner))))
    of_container = owner.module is None and name in CONTAINER_METHODS.get(owner.kind, ())
    if of_container or name in METHODS or name in ("forward", "__call__", "reset_parameters", "_reset_parameters", "flatten_parameters"):
        return Method(owner, name)
    if owner.kind == "wrapper" and name in ("no_sync", "join", *(["update_parameters"] if "n_averaged" in owner.tensors else ())):
        return Method(owner, name)
    kind = owner.module.name if owner.module is not None else owner.kind
    if of_scripted(name) and SCRIPTED in m.model_state:
        return _of_scripted(m, name, node)
    if not may_have(kind, name) or (name == "module" and owner.kind != "wrapper"):
        raise m.raised("AttributeError", f"{kind} has no attribute {name}", node)
    return m.gap(f"{kind}.{name}", node, "no model")


def set_layer_attribute(m: Machine, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if COMPILED in owner.tensors and name not in owner.names:
        m.set_attribute(owner.children[0], name, value, node)
    elif (name in owner.names or is_module(value)) and name != "forward":
        if not is_module(value) and value is not None and not isinstance(value, (Unknown, Choice)):
            module_parts.refuse_in_place_of_module(m, name, value, node)
        module_parts.set_child(m, owner, name, value)
    else:
        m.remember(owner, "tensors", owner.tensors)
        owner.tensors = {**owner.tensors, name: value}


def _namespace(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`nn.Module()` itself: an object without a forward that holds other modules."""
    made = Class("Module", (Named("torch.nn.Module"),), m.heap.space(), span=m.user_span(node))
    made.mro = (made, Named("torch.nn.Module"))
    return m.call(made, args, kwargs, node)


CONTAINER_METHODS = module_containers.METHODS
call_container, layer_items, layer_length = module_containers.call, module_containers.items, module_containers.length
layer_item, layer_set_item, layer_delete_item = module_containers.item, module_containers.set_item, module_containers.delete_item
FUNCTIONS: dict[str, Any] = {
    "torch.nn.Module": _namespace, "torch.nn.SyncBatchNorm.convert_sync_batchnorm": lambda m, a, k, n: a[0] if a else k["module"],
}  # fmt: skip
