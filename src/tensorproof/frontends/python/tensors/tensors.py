"""Tensors and layers as values of the program: their attributes, their methods, and how containers go into an operator's arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import operator
from tensorproof.bindings.names import is_public, versions
from tensorproof.frontends.python.tensors import numpy_scalars, own_attributes
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.libraries import layers, library_objects, registry, signatures
from tensorproof.libraries.domains import autograd
from tensorproof.libraries.domains import elements as domains
from tensorproof.libraries.torch import module_parts
from tensorproof.libraries.torch import sizes as torch_sizes
from tensorproof.libraries.torch.module_tree import COMPUTED
from tensorproof.libraries.whole_numbers import size_in, whole_tensor
from tensorproof.ops.inputs import Ints, Sizes
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT64
from tensorproof.terms.facts import of_numbers
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import SOMEWHERE, Outputs, TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, Dict, Instance, Iterator, List, Model, Set
from tensorproof.values.python_values import Device, Layer, Method, Summary, Unknown
from tensorproof.values.summaries import ends_of, is_summarised, length
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_CLASS = {"torch": "torch.Tensor", "tf": "tf.Tensor", "keras": "keras.KerasTensor", "numpy": "numpy.ndarray"}
_CALLED = {"T", "mT", "H", "mH", "real", "imag"}


def tensor_class(tensor: TensorType) -> str:
    """The class whose methods this tensor has."""
    return _CLASS.get(tensor.framework, "torch.Tensor")


def attribute(m: Interpreter, owner: TensorType, name: str, node: ast.AST) -> Value:
    if owner.framework == "tf":
        from tensorproof.libraries.tensorflow import tensors as tf_tensors

        return tf_tensors.attribute(m, owner, name, node)
    if owner.framework == "keras":
        return layers.keras_tensor_attribute(m, owner, name, node)
    if "tensor attributes" in m.model_state and (found := own_attributes.kept(m, owner, name)) is not MISSING:
        return found
    lacking = versions.lacks(f"{tensor_class(owner)}.{name}") if versions.changing(name) else ""
    if lacking:
        raise m.raised("AttributeError", f"{tensor_class(owner)} has no attribute {name}: {lacking}", node)
    held, owner = owner, m.memory.current(owner)
    if name == "grad" and owner.framework == "torch":
        return _grad(m, owner, node)
    known = _ATTRIBUTES.get(name)
    found = MISSING if known is None else known(m, owner)
    if found is not MISSING:
        return found
    home = tensor_class(owner)
    if name in _CALLED:
        return m.spelling(f"{home}.{name}", (owner,), {}, node)
    if is_public(f"{home}.{name}") is False and numpy_scalars.is_scalar(owner):
        return numpy_scalars.attribute(m, owner, name, node)
    if is_public(f"{home}.{name}") is False and not versions.had(f"{home}.{name}"):
        raise m.raised("AttributeError", f"{home} has no attribute {name}", node)
    return Method(held, name)


def _shape(m: Interpreter, owner: TensorType) -> Value:
    if owner.framework == "torch" and owner.shape.known:
        return torch_sizes.sizes(m, owner.shape)
    return tuple(owner.shape) if owner.shape.known else Unknown("the shape of a tensor of unknown rank")


def _requires_grad(m: Interpreter, owner: TensorType) -> Value:
    found = autograd.of(m, owner).requires if owner.framework == "torch" else owner.requires_grad
    return Unknown("requires_grad", number="bool") if found is None else found


def _is_leaf(m: Interpreter, owner: TensorType) -> Value:
    return Unknown("is_leaf", number="bool") if (leaf := autograd.of(m, owner).leaf) is None else leaf


def _data(m: Interpreter, owner: TensorType) -> TensorType:
    if owner.framework != "torch":
        return owner
    data = owner.but(requires_grad=False, parameter=False, base=owner.base or SOMEWHERE, grad=autograd.fresh(m, False))
    shared: TensorType = m.memory.shows(m.memory.made(data), owner)
    domains.same(m, owner, shared)
    return shared


def _grad(m: Interpreter, owner: TensorType, node: ast.AST) -> Value:
    from tensorproof.libraries.domains import backward

    return backward.grad_of(m, owner, node)


def _of_arrays(name: str) -> Callable[[Interpreter, TensorType], Value]:
    return lambda m, owner: Unknown(name) if owner.framework == "numpy" else MISSING


def _of_torch_none(m: Interpreter, owner: TensorType) -> Value:
    """What no tensor is that we know of."""
    return False if owner.framework == "torch" else MISSING


_ATTRIBUTES: dict[str, Callable[[Interpreter, TensorType], Value]] = {
    "shape": _shape,
    "dtype": lambda m, owner: owner.dtype if owner.dtype is not None else Unknown("dtype"),
    "ndim": lambda m, owner: owner.shape.rank if owner.shape.known else Unknown("rank"),
    "size": lambda m, owner: owner.shape.numel if owner.framework == "numpy" else MISSING,
    "device": lambda m, owner: Device(owner.device or "cpu"),
    "requires_grad": _requires_grad,
    "is_leaf": _is_leaf,
    "data": _data,
    "layout": lambda m, owner: f"torch.{owner.layout}",
    "nbytes": lambda m, owner: MISSING if owner.dtype is None else owner.shape.numel * (owner.dtype.bits // 8),
    "itemsize": lambda m, owner: MISSING if owner.dtype is None else owner.dtype.bits // 8,
    "is_cpu": lambda m, owner: (owner.device or "cpu") == "cpu",
    "flags": _of_arrays("flags"),
    "base": _of_arrays("base"),
    "flat": _of_arrays("flat"),
    "is_cuda": lambda m, owner: (owner.device or "cpu").startswith("cuda"),
    "is_sparse": lambda m, owner: owner.layout != "strided",
    "is_quantized": lambda m, owner: MISSING if owner.framework != "torch" else Unknown("kind") if owner.dtype is None else owner.dtype.kind == "q",
    "is_meta": lambda m, owner: MISSING if owner.framework != "torch" else owner.device == "meta",
    **dict.fromkeys(("is_nested", "is_mps", "is_xpu", "is_mkldnn"), _of_torch_none),
    "grad_fn": lambda m, owner: None if autograd.of(m, owner).leaf else Unknown("grad_fn"),
    "names": lambda m, owner: Unknown("names"),
}
"""Attributes of tensors of torch and arrays of NumPy; MISSING where this tensor has them otherwise."""


def method(m: Interpreter, owner: TensorType, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    home = tensor_class(owner)
    model = registry.function(f"{home}.{name}")
    if model is not None:
        signatures.check(m, f"{home}.{name}", (owner, *args), kwargs, node)
        return model(m, (m.memory.current(owner), *args), kwargs, node)
    made = m.spelling(f"{home}.{name}", (owner, *args), kwargs, node)
    if home == "numpy.ndarray" and name in numpy_scalars.KEEPING:
        made = numpy_scalars.kept(owner, made)
    return torch_sizes.sizes(m, made) if name == "size" and isinstance(made, tuple) else made


def layer_attribute(m: Interpreter, owner: Layer, name: str, node: ast.AST) -> Value:
    if owner.module is not None and not layers.of_keras(owner):
        if name in owner.tensors.get(COMPUTED, ()):
            layers.compute(m, owner, node)
        state = owner.module.state()
        if name in state:
            return state[name]
        if any(made.name == name for made in owner.module.row.creations):  # a parameter that it was made without
            return None
        for argument in owner.module.row.arguments:
            if argument.theirs == name:
                if argument.ours in owner.module.unknown:
                    return Unknown(f"{owner.module.name}.{name}")
                return _as_kept(owner.module, owner.module.arguments.get(argument.ours), argument.ours)
        if name in ("weight", "bias") and layers.may_have(owner.module.name, name):
            return None
        if name == "training":
            return owner.module.training
    return layers.layer_attribute(m, owner, name, node)


def _as_kept(module: Any, value: Value, name: str) -> Value:
    """A constructor's argument as the layer keeps it: convolutions make tuples of sizes, normalisations of shapes."""
    if not isinstance(value, (int, Term)) or isinstance(value, bool):
        return tuple(value) if isinstance(value, list) else value
    kind = operator(module.row.op).parameter(name)
    if isinstance(kind, Sizes) and "Conv" in module.name:
        n = kind.n if isinstance(kind.n, int) else module.arguments.get(kind.n, 1)
        return (value,) * n
    return (value,) if name == "normalized_shape" or (isinstance(kind, Ints) and "Norm" in module.name) else value


def set_layer_attribute(m: Interpreter, owner: Layer, name: str, value: Value, node: ast.AST) -> None:
    if owner.module is not None and not layers.of_keras(owner):
        m.remember(owner, "module", owner.module)
        for home in (owner.module.parameters, owner.module.buffers):
            if name in home:
                if name in owner.tensors.get(COMPUTED, ()):
                    layers.compute(m, owner, node, value)
                else:
                    module_parts.refuse(m, name, value, home is owner.module.parameters, node)
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
    known = _PLAIN.get(kind)
    return value if known is None else known(m, value, node)


def _plain_list(m: Interpreter, value: List, node: ast.AST) -> Value:
    return _tensor_of_summarised(m, value.items, node) if is_summarised(value.items) else [plain(m, v, node) for v in value.items]


def _plain_tuple(m: Interpreter, value: tuple[Value, ...], node: ast.AST) -> Value:
    return _tensor_of_summarised(m, value, node) if type(value) is tuple and is_summarised(value) else tuple([plain(m, v, node) for v in value])


def _plain_instance(m: Interpreter, value: Instance, node: ast.AST) -> Value:
    found = registry.tensor_of(value)
    return Unknown(value.cls.name) if found is MISSING else found


def _plain_model(m: Interpreter, value: Model, node: ast.AST) -> Value:
    found = registry.tensor_of(value)
    if found is not MISSING:
        return found
    if value.kind == "tf.TensorArray":
        raise m.raised("TypeError", "a TensorArray is not a tensor: stack() gives what it holds", node)
    return value if library_objects.passed(value) else Unknown(value.kind)


def _plain_choice(value: Choice) -> Unknown:
    """One of two values: of whole numbers the ends are known where those of both are."""
    ends = ends_of(value)
    return Unknown("one of two values", number=number_kind(value), least=ends and ends[0], below=ends and ends[1])


_PLAIN: dict[type, Callable[[Interpreter, Any, ast.AST], Value]] = {
    List: _plain_list,
    tuple: _plain_tuple,
    TensorShape: _plain_tuple,
    Dict: lambda m, value, node: {k: plain(m, v, node) for k, v in value.items.items()},
    Set: lambda m, value, node: [plain(m, v, node) for v in value.items],
    Iterator: lambda m, value, node: [plain(m, v, node) for v in value.items[value.state["at"] :]],
    slice: lambda m, value, node: slice(*(plain(m, p, node) for p in (value.start, value.stop, value.step))),
    Instance: _plain_instance,
    Model: _plain_model,
    Predicate: lambda m, value, node: Unknown("a truth value that is not known", number="bool"),
    Layer: lambda m, value, node: value.module if value.module is not None else Unknown("a container of layers"),
    range: lambda m, value, node: list(value),
    Choice: lambda m, value, node: _plain_choice(value),
}
"""How a value of exactly this class goes into an operator."""


_TYPES = {"float": FLOAT32, "bool": BOOL, "real": FLOAT32}
_NUMBERS = {"float": (0.5, 3.0), "bool": (False, True), "real": (1, 3.0)}


def _tensor_of_summarised(m: Interpreter, items: Sequence[Value], node: ast.AST) -> Value:
    """Items of which some are summarised: numbers make a tensor."""
    from tensorproof.libraries.sequences import tensor_of

    message = "the lists in a list of numbers must have the same length"
    items = [_counted(m, one, node) if type(one) is Summary and isinstance(one.count, Unknown) else one for one in items]
    made = tensor_of(items, demand=lambda same: m.demand("ValueError", same, message, node, "constant/ragged"))
    if made is not None and made.dtype is None:
        m.gap("a list of numbers", node, "some of its items are not known")
    return Summary("a list of unknown length", count=length(items)) if made is None else made


def _counted(m: Interpreter, summary: Summary, node: ast.AST) -> Summary:
    """Items of which the number is not known: it is some number."""
    count = m.symbol(m.name_here("items", node), 0, None, Origin.UNMODELLED)
    return Summary(summary.reason, count=count, first=summary.first, second=summary.second)


STAND_INS: tuple[Value, ...] = (
    lambda kind, value: TensorType(Shape(), _TYPES.get(kind, INT64), weak=True, facts=of_numbers([ends_of(value)])),
    lambda kind, value: _NUMBERS.get(kind, (1, 2))[0],
    lambda kind, value: _NUMBERS.get(kind, (1, 2))[1],
)
"""What is put for an unknown number: a tensor of which only the type is known, and two numbers to try a refusal with."""


def numbered(value: Any, make: Any) -> Any:
    """A plain argument with something made for each unknown number in it."""
    if isinstance(value, Unknown):
        kind = "float" if value.ratio is not None else value.number
        return make(kind, value) if kind else value
    if type(value) in (tuple, list):
        return type(value)(numbered(v, make) for v in value)
    return value


def sized(m: Interpreter, value: Any, everywhere: bool = True) -> Any:
    """A plain argument with a size for each unknown whole number in it; or only for those that are ends of slices, which any number may be."""
    if isinstance(value, Unknown):
        return size_in(m, value) if everywhere and value.ratio is None and value.number == "int" else value
    if isinstance(value, slice):
        return slice(*(sized(m, p) for p in (value.start, value.stop, value.step)))
    if type(value) in (tuple, list):
        return type(value)(sized(m, v, everywhere) for v in value)
    return size_in(m, value) if everywhere and whole_tensor(value) else value


def whole_unknown(value: Value) -> bool:
    """Whether a whole number in a plain argument is not known: it might be a size or an axis."""
    if isinstance(value, Unknown):
        return value.ratio is None and value.number == "int"
    if isinstance(value, slice):
        return whole_unknown((value.start, value.stop, value.step))
    return isinstance(value, (tuple, list)) and any(map(whole_unknown, value))


def without_values(value: Any) -> Value:
    """An operator's result with its shapes and types only."""
    if isinstance(value, TensorType):
        return value.but(contents=None)
    return type(value)(map(without_values, value)) if type(value) in (tuple, list) else value


def has_unknown(value: Value) -> bool:
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


def as_program_value(m: Interpreter, value: Value) -> Value:
    """An operator's results as values of the program: its lists become lists in memory."""
    if type(value) is list:
        return List(m.heap.row(as_program_value(m, v) for v in value))
    if type(value) is tuple:
        return tuple(as_program_value(m, v) for v in value)
    if type(value) is Outputs:
        return Outputs.named((as_program_value(m, v) for v in value), value.names)
    return value
