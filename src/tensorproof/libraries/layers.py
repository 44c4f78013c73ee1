"""What the program does with a layer, of torch or of Keras, and with Keras' symbolic tensors."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import Any

from tensorproof.libraries import signatures
from tensorproof.libraries.registry import file_named
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Args, Instance, Kwargs, Layer, Machine, Named, Value
from tensorproof.values.raised import Raised


def _keras_layer() -> Any:
    return import_module("tensorproof.libraries.keras.layer")


def of_keras(owner: Layer) -> bool:
    return owner.module is not None and owner.module.row.framework == "keras"


def call_keras_layer(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _keras_layer().call_layer(m, owner, args, kwargs, node)


def keras_result(m: Machine, name: str, result: Value, args: Args, kwargs: Kwargs, before: int) -> Value:
    """A result of an operator spelled in Keras: symbolic, or a tensor of the backend."""
    return import_module("tensorproof.libraries.keras.models.graph").operated(m, name, result, args, kwargs, before)


def keras_tensor_attribute(m: Machine, owner: TensorType, name: str, node: ast.AST) -> Value:
    return import_module("tensorproof.libraries.keras.models.graph").attribute(m, owner, name, node)


def keras_operator(name: str, args: Args) -> tuple[str, tuple[Value, ...]]:
    """The function of keras.ops that an operator of KerasTensors is."""
    return import_module("tensorproof.libraries.keras.models.graph").operator(name, args)  # type: ignore[no-any-return]


def refuse_symbolic(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    import_module("tensorproof.libraries.keras.models.graph").refuse_symbolic(m, name, args, kwargs, node)


_OVERRIDDEN = frozenset(("build", "call", "compute_mask", "compute_output_shape", "compute_output_spec", "from_config", "quantized_build"))
"""Methods of `keras.Layer` that its layers have with other arguments."""


def layer_method(m: Machine, owner: Layer, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not of_keras(owner) or name not in _OVERRIDDEN:
        signatures.check(m, f"{'keras.Layer' if of_keras(owner) else 'torch.nn.Module'}.{name}", (owner, *args), kwargs, node)
    if of_keras(owner):
        return _keras_layer().method(m, owner, name, args, kwargs, node)
    return file_named("torch.nn").layer_method(m, owner, name, args, kwargs, node)


def wrapped_attribute(m: Machine, owner: Layer, name: str, node: ast.AST) -> Value:
    """An attribute of a module behind the wrapper of an unseen package: the module's, where it has one."""
    if name == "module":
        return owner.children[0]
    m.handlers += 1
    try:
        return m.attribute(owner.children[0], name, node)
    except Raised:
        return m.gap(f"module.{name}", node, "what is called is not known")
    finally:
        m.handlers -= 1


def layer_attribute(m: Machine, owner: Layer, name: str, node: ast.AST) -> Value:
    if owner.module is None and UNSEEN in owner.tensors:
        return wrapped_attribute(m, owner, name, node)
    if of_keras(owner):
        return _keras_layer().attribute(m, owner, name, node)
    return file_named("torch.nn").layer_attribute(m, owner, name, node)


def may_have(kind: str, name: str) -> bool:
    """Whether a layer of torch of this class may have an attribute."""
    found: bool = file_named("torch.nn").may_have(kind, name)
    return found


def set_layer_attribute(m: Machine, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if of_keras(owner):
        _keras_layer().set_attribute(m, owner, name, value, node)
        return
    file_named("torch.nn").set_layer_attribute(m, owner, name, value, node)


def container_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST, in_place: bool) -> Value:
    """`+` and `*` of containers of torch.nn; MISSING for other layers."""
    return import_module("tensorproof.libraries.torch.module_containers").binary(m, word, a, b, node, in_place)


def printed(m: Machine, owner: Instance, node: ast.AST) -> None:
    """The text of a module of torch is made of what its parts say of themselves."""
    if any(isinstance(one, Named) and one.name.startswith("torch.nn.") for one in owner.cls.mro):
        import_module("tensorproof.libraries.torch.module_state").extra_repr(m, owner, node)


def delete_item(m: Machine, owner: Layer, index: Value, node: ast.AST) -> None:
    """`del container[index]` of a container of torch.nn."""
    file_named("torch.nn").layer_delete_item(m, owner, index, node)


def call_container(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return file_named("torch.nn").call_container(m, owner, args, kwargs, node)


def call_hooked(m: Machine, owner: Layer, args: Args, kwargs: Kwargs, node: ast.AST, forward: Value) -> Value:
    """Call a layer of torch that has hooks."""
    return import_module("tensorproof.libraries.torch.hooks").called(m, owner, args, kwargs, node, forward)
