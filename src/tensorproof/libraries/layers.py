"""What the program does with a layer, of torch or of Keras, and with Keras' symbolic tensors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorproof.libraries import signatures
from tensorproof.libraries.registry import file_of
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Layer


def _keras_layer() -> Any:
    return import_module("tensorproof.libraries.keras_layer")


def of_keras(owner: Layer) -> bool:
    return owner.module is not None and owner.module.row.framework == "keras"


def call_keras_layer(m: Any, owner: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return _keras_layer().call_layer(m, owner, args, kwargs, node)


def keras_result(m: Any, name: str, result: Any, args: Any, kwargs: Any, before: int) -> Any:
    """A result of an operator spelled in Keras: symbolic, or a tensor of the backend."""
    return import_module("tensorproof.libraries.keras_graph").operated(m, name, result, args, kwargs, before)


def keras_tensor_attribute(m: Any, owner: TensorType, name: str, node: Any) -> Any:
    return import_module("tensorproof.libraries.keras_graph").attribute(m, owner, name, node)


def keras_operator(name: str, args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The function of keras.ops that an operator of KerasTensors is."""
    return import_module("tensorproof.libraries.keras_graph").operator(name, args)  # type: ignore[no-any-return]


def refuse_symbolic(m: Any, name: str, args: Any, kwargs: Any, node: Any) -> None:
    import_module("tensorproof.libraries.keras_graph").refuse_symbolic(m, name, args, kwargs, node)


def layer_method(m: Any, owner: Layer, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    signatures.check(m, f"{'keras.Layer' if of_keras(owner) else 'torch.nn.Module'}.{name}", (owner, *args), kwargs, node)
    if of_keras(owner):
        return _keras_layer().method(m, owner, name, args, kwargs, node)
    return file_of("torch.nn").layer_method(m, owner, name, args, kwargs, node)


def layer_attribute(m: Any, owner: Layer, name: str, node: Any) -> Any:
    if of_keras(owner):
        return _keras_layer().attribute(m, owner, name, node)
    return file_of("torch.nn").layer_attribute(m, owner, name, node)


def may_have(kind: str, name: str) -> bool:
    """Whether a layer of torch of this class may have an attribute."""
    found: bool = file_of("torch.nn").may_have(kind, name)
    return found


def set_layer_attribute(m: Any, owner: Layer, name: str, value: Any, node: Any) -> None:
    if of_keras(owner):
        _keras_layer().set_attribute(m, owner, name, value, node)
        return
    file_of("torch.nn").set_layer_attribute(m, owner, name, value, node)


def call_container(m: Any, owner: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return file_of("torch.nn").call_container(m, owner, args, kwargs, node)


def call_hooked(m: Any, owner: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any, forward: Any) -> Any:
    """Call a layer of torch that has hooks."""
    return import_module("tensorproof.libraries.torch_hooks").called(m, owner, args, kwargs, node, forward)
