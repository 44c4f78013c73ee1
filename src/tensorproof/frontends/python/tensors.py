"""Tensors and layers as values of the program: their attributes, their methods, and how containers go into an operator's arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import operator
from tensorproof.bindings.names import is_public
from tensorproof.frontends.python import numpy_scalars
from tensorproof.libraries import autograd, domains, layers, library_objects, module_attributes, registry, signatures, torch_sizes
from tensorproof.libraries.weight_norms import COMPUTED
from tensorproof.libraries.whole_numbers import size_in, whole_tensor
from tensorproof.ops.inputs import Ints, Sizes
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT64
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import SOMEWHERE, Outputs, TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.many import uncounted
from tensorproof.values.objects import Choice, Dict, Instance, Iterator, List, Model, Set
from tensorproof.values.python_values import Device, Layer, Method, Unknown
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_CLASS = {"torch": "torch.Tensor", "tf": "tf.Tensor", "keras": "keras.KerasTensor", "numpy": "numpy.ndarray"}
_CALLED = {"T", "mT", "H", "mH", "real", "imag"}


def tensor_class(tensor: TensorType) -> str:
    """The class whose methods this tensor has."""
    return _CLASS.get(tensor.framework, "torch.Tensor")


def attribute(m: Interpreter, owner: TensorType, name: str, node: ast.AST) -> Any:
    if owner.framework == "tf":
        from tensorproof.libraries import tf_tensors

        return tf_tensors.attribute(m, owner, name, node)
    if owner.framework == "keras":
        return layers.keras_tensor_attribute(m, owner, name, node)
    held, owner = owner, m.memory.current(owner)
    match name:
        case "shape":
            if owner.framework == "torch" and owner.shape.known:
                return torch_sizes.sizes(m, owner.shape)
            return tuple(owner.shape) if owner.shape.known else Unknown("the shape of a tensor of unknown rank")
        case "dtype":
            return owner.dtype if owner.dtype is not None else Unknown("dtype")
        case "ndim":
            return owner.shape.rank if owner.shape.known else Unknown("rank")
        case "size" if owner.framework == "numpy":
            return owner.shape.numel
        case "device":
            return Device(owner.device or "cpu")
        case "requires_grad":
            found = autograd.of(m, owner).requires if owner.framework == "torch" else owner.requires_grad
            return Unknown("requires_grad", number="bool") if found is None else found
        case "is_leaf":
            return Unknown("is_leaf", number="bool") if (leaf := autograd.of(m, owner).leaf) is None else leaf
        case "data":
            if owner.framework != "torch":
                return owner
            data = owner.but(requires_grad=False, parameter=False, base=owner.base or SOMEWHERE, grad=autograd.fresh(m, False))
            shared = m.memory.made(data)
            domains.same(m, owner, shared)
            return shared
        case "grad":
            from tensorproof.libraries import backward

            return backward.grad_of(m, owner)
        case "layout":
            return f"torch.{owner.layout}"
        case "nbytes" | "itemsize" if owner.dtype is not None:
            return (owner.shape.numel if name == "nbytes" else 1) * (owner.dtype.bits // 8)
        case "is_cpu" | "is_leaf" | "flags" | "base" | "flat" if owner.framework == "numpy" or name == "is_cpu":
            return (owner.device or "cpu") == "cpu" if name == "is_cpu" else Unknown(name)
        case "is_cuda":
            return (owner.device or "cpu").startswith("cuda")
        case "is_sparse":
            return owner.layout != "strided"
        case "grad_fn":
            return None if autograd.of(m, owner).leaf else Unknown(name)
        case "names":
            return Unknown(name)
        case _ if name in _CALLED:
            return m.spelling(f"{tensor_class(owner)}.{name}", (owner,), {}, node)
        case _:
            home = tensor_class(owner)
            if is_public(f"{home}.{name}") is False and numpy_scalars.is_scalar(owner):
                return numpy_scalars.attribute(m, owner, name, node)
            if is_public(f"{home}.{name}") is False:
                raise m.raised("AttributeError", f"{home} has no attribute {name}", node)
            return Method(held, name)


def method(m: Interpreter, owner: TensorType, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    home = tensor_class(owner)
    model = registry.function(f"{home}.{name}")
    if model is not None:
        signatures.check(m, f"{home}.{name}", (owner, *args), kwargs, node)
        return model(m, (m.memory.current(owner), *args), kwargs, node)
    made = m.spelling(f"{home}.{name}", (owner, *args), kwargs, node)
    if home == "numpy.ndarray" and name in numpy_scalars.KEEPING:
        made = numpy_scalars.kept(owner, made)
    return torch_sizes.sizes(m, made) if name == "size" and isinstance(made, tuple) else made


def layer_attribute(m: Interpreter, owner: Layer, name: str, node: ast.AST) -> Any:
    if owner.module is not None and not layers.of_keras(owner):
        state = owner.module.state()
        if name in state:
            return state[name]
        for argument in owner.module.row.arguments:
            if argument.theirs == name:
                return _as_kept(owner.module, owner.module.arguments.get(argument.ours), argument.ours)
        if name in ("weight", "bias") and layers.may_have(owner.module.name, name):
            return None
        if name == "training":
            return owner.module.training
    return layers.layer_attribute(m, owner, name, node)


def _as_kept(module: Any, value: Any, name: str) -> Any:
    """A constructor's argument as the layer keeps it: convolutions make tuples of sizes, normalisations of shapes."""
    if not isinstance(value, (int, Term)) or isinstance(value, bool):
        return tuple(value) if isinstance(value, list) else value
    kind = operator(module.row.op).parameter(name)
    if isinstance(kind, Sizes) and "Conv" in module.name:
        n = kind.n if isinstance(kind.n, int) else module.arguments.get(kind.n, 1)
        return (value,) * n
    return (value,) if name == "normalized_shape" or (isinstance(kind, Ints) and "Norm" in module.name) else value


def set_layer_attribute(m: Interpreter, owner: Layer, name: str, value: Any, node: ast.AST) -> None:
    if owner.module is not None and not layers.of_keras(owner):
        for home in (owner.module.parameters, owner.module.buffers):
            if name in home:
                if name not in owner.tensors.get(COMPUTED, ()):
                    module_attributes.refuse(m, name, value, home is owner.module.parameters, node)
                if isinstance(value, TensorType):
                    home[name] = value
                elif value is None:
                    del home[name]
                else:
                    m.gap(f"layer.{name} = …", node)
                return
        for argument in owner.module.row.arguments:
            if argument.theirs == name:
                owner.module.arguments[argument.ours] = value
                return
    layers.set_layer_attribute(m, owner, name, value, node)


# --- into and out of operators ---


_NUMBERS_AND_TEXTS = frozenset((int, float, bool, str, type(None)))


def plain(m: Interpreter, value: Any, node: ast.AST) -> Any:
    """The program's containers as the plain tuples and lists that operators take; what they cannot take is `Unknown`."""
    kind = type(value)
    if kind in _NUMBERS_AND_TEXTS:
        return value
    if kind is TensorType:
        return m.memory.current(value)
    if (kind is List and uncounted(value.items)) or (kind is tuple and uncounted(value)):
        return _uncounted(value.items if kind is List else value)
    if kind is List:
        return [plain(m, v, node) for v in value.items]
    if kind is tuple or kind is TensorShape:
        return tuple([plain(m, v, node) for v in value])
    if kind is Dict:
        return {k: plain(m, v, node) for k, v in value.items.items()}
    if kind is Set:
        return [plain(m, v, node) for v in value.items]
    if kind is Iterator:
        return [plain(m, v, node) for v in value.items[value.state["at"] :]]
    if kind is slice:
        return slice(*(plain(m, p, node) for p in (value.start, value.stop, value.step)))
    if kind is Instance:
        found = registry.tensor_of(value)
        return Unknown(value.cls.name) if found is MISSING else found
    if kind is Model:
        found = registry.tensor_of(value)
        if found is MISSING:
            if value.kind == "tf.TensorArray":
                raise m.raised("TypeError", "a TensorArray is no tensor: stack() gives what it holds", node)
            return value if library_objects.passed(value) else Unknown(value.kind)
        return found
    if kind is Predicate:
        return Unknown("a truth value that is not known", number="bool")
    if kind is Layer:
        return value.module if value.module is not None else Unknown("a container of layers")
    if kind is range:
        return list(value)
    if kind is Choice:
        from tensorproof.frontends.python.operations import number_kind

        return Unknown("one of two values", number=number_kind(value))
    return value


_TYPES = {"float": FLOAT32, "bool": BOOL}
_NUMBERS = {"float": (0.5, 3.0), "bool": (False, True)}
def _uncounted(items: Any) -> Any:
    """Items of which some are not counted out: numbers make a tensor."""
    from tensorproof.libraries.sequences import tensor_of

    made = tensor_of(items)
    return Unknown("a list of unknown length") if made is None else made


STAND_INS: tuple[Any, ...] = (
    lambda kind: TensorType(Shape(), _TYPES.get(kind, INT64), weak=True),
    lambda kind: _NUMBERS.get(kind, (1, 2))[0],
    lambda kind: _NUMBERS.get(kind, (1, 2))[1],
)
"""What is put for a number that nobody knows: a tensor of which only the type is known, and two numbers to try a refusal with."""


def numbered(value: Any, make: Any) -> Any:
    """A plain argument with something made for each number in it that nobody knows."""
    if isinstance(value, Unknown):
        kind = "float" if value.ratio is not None else value.number
        return make(kind) if kind else value
    if type(value) in (tuple, list):
        return type(value)(numbered(v, make) for v in value)
    return value


def sized(m: Interpreter, value: Any, everywhere: bool = True) -> Any:
    """A plain argument with a size for each whole number in it that nobody knows; or only for those that are ends of slices, which any number may be."""
    if isinstance(value, Unknown):
        return size_in(m, value) if everywhere and value.ratio is None and value.number == "int" else value
    if isinstance(value, slice):
        return slice(*(sized(m, p) for p in (value.start, value.stop, value.step)))
    if type(value) in (tuple, list):
        return type(value)(sized(m, v, everywhere) for v in value)
    return size_in(m, value) if everywhere and whole_tensor(value) else value


def whole_unknown(value: Any) -> bool:
    """Whether a whole number in a plain argument is not known: it might be a size or an axis."""
    if isinstance(value, Unknown):
        return value.ratio is None and value.number == "int"
    if isinstance(value, slice):
        return whole_unknown((value.start, value.stop, value.step))
    return isinstance(value, (tuple, list)) and any(map(whole_unknown, value))


def without_values(value: Any) -> Any:
    """An operator's result with its shapes and types only."""
    if isinstance(value, TensorType):
        return value.but(contents=None)
    return type(value)(map(without_values, value)) if type(value) in (tuple, list) else value


def has_unknown(value: Any) -> bool:
    kind = type(value)
    if kind is TensorType or kind in _NUMBERS_AND_TEXTS:
        return False
    if isinstance(value, Unknown):
        return True
    if isinstance(value, (tuple, list)):
        return any(map(has_unknown, value))
    if isinstance(value, dict):
        return any(has_unknown(v) for v in value.values())
    return isinstance(value, slice) and any(isinstance(p, Unknown) for p in (value.start, value.stop, value.step))


def as_program_value(m: Interpreter, value: Any) -> Any:
    """An operator's results as values of the program: its lists become lists in memory."""
    if type(value) is list:
        return List(m.heap.row(as_program_value(m, v) for v in value))
    if type(value) is tuple:
        return tuple(as_program_value(m, v) for v in value)
    if type(value) is Outputs:
        return Outputs.named((as_program_value(m, v) for v in value), value.names)
    return value
