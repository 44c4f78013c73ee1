"""What the program does with a layer, of torch or of Keras, and with Keras' symbolic tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.libraries import signatures
from tensorproof.libraries.registry import file_named
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.terms import TensorType
from tensorproof.values import Args, Instance, Kwargs, Layer, Machine, Named, Value
from tensorproof.values.raised import Raised


def _late(file: str, name: str) -> Callable[..., Any]:
    """A function of a file that is loaded when it is called."""
    return lambda *given: getattr(file_named(file), name)(*given)


call_keras_layer = _late("keras.layer", "call_layer")
keras_result = _late("keras.models.graph", "operated")
"""A result of an operator spelled in Keras: symbolic, or a tensor of the backend."""
keras_tensor_attribute = _late("keras.models.graph", "attribute")
keras_operator = _late("keras.models.graph", "operator")
"""The function of keras.ops that an operator of KerasTensors is."""
refuse_symbolic = _late("keras.models.graph", "refuse_symbolic")
may_have = _late("torch.nn", "may_have")
"""Whether a layer of torch of this class may have an attribute."""
container_binary = _late("torch.module_containers", "binary")
"""`+` and `*` of containers of torch.nn; MISSING for other layers."""
delete_item = _late("torch.nn", "layer_delete_item")
"""`del container[index]` of a container of torch.nn."""
call_container = _late("torch.nn", "call_container")
appended = _late("keras.custom", "appended")
"""Look at what is put into a list that a layer of Keras holds."""
call_hooked = _late("torch.hooks", "called")
"""Call a layer of torch that has hooks."""


def of_keras(owner: Layer) -> bool:
    return owner.module is not None and owner.module.row.framework == "keras"


_OVERRIDDEN = frozenset(("build", "call", "compute_mask", "compute_output_shape", "compute_output_spec", "from_config", "quantized_build"))
"""Methods of `keras.Layer` that its layers have with other arguments."""


def layer_method(m: Machine, owner: Layer, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not of_keras(owner) or name not in _OVERRIDDEN:
        signatures.check(m, f"{'keras.Layer' if of_keras(owner) else 'torch.nn.Module'}.{name}", (owner, *args), kwargs, node)
    if of_keras(owner):
        return file_named("keras.layer").method(m, owner, name, args, kwargs, node)
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


def compute(m: Machine, owner: Layer, node: ast.AST, *given: Value) -> None:
    """The tensors of a layer that are computed from others, before they are used, or before one is assigned."""
    file_named("torch.weight_norms").computed(m, owner, node, *given)


def computed_values(m: Machine, owner: Layer, node: ast.AST) -> dict[str, TensorType]:
    """The same tensors, which the layer does not get."""
    found: dict[str, TensorType] = file_named("torch.weight_norms").values(m, owner, node)
    return found


def layer_attribute(m: Machine, owner: Layer, name: str, node: ast.AST) -> Value:
    if owner.module is None and UNSEEN in owner.tensors:
        return wrapped_attribute(m, owner, name, node)
    if of_keras(owner):
        return file_named("keras.layer").attribute(m, owner, name, node)
    return file_named("torch.nn").layer_attribute(m, owner, name, node)


def set_layer_attribute(m: Machine, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if of_keras(owner):
        file_named("keras.layer").set_attribute(m, owner, name, value, node)
        return
    file_named("torch.nn").set_layer_attribute(m, owner, name, value, node)


def printed(m: Machine, owner: Instance, node: ast.AST) -> None:
    """The text of a module of torch is made of what its parts say of themselves."""
    if any(isinstance(one, Named) and one.name.startswith("torch.nn.") for one in owner.cls.mro):
        file_named("torch.module_state").extra_repr(m, owner, node)
