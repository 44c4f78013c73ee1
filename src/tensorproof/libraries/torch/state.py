"""torch's state of the process: seeds and generators, flags of the backends, memory of a GPU, and what a tensor tells of its storage."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import Run, argument
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType, conj, eq
from tensorproof.values import REAL, Args, Dict, Kwargs, List, Machine, Model, Named, Unknown, Value

_WHOLE = Unknown("a number of the process", number="int")


def _generator(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    seed = argument(args, kwargs, 0, "seed")
    if isinstance(seed, str) and not seed.strip().lstrip("+-").isdigit():
        raise m.raised("TypeError", "a seed is a whole number", node, "call/arguments")
    return Model("torch.Generator", m.heap.space())


def _set_rng_state(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    state = argument(args, kwargs, 0, "new_state")
    if not isinstance(state, (TensorType, Unknown)):
        raise m.raised("TypeError", "the state of a generator is a tensor of bytes", node, "call/arguments")


def _constant(value: Value) -> Run:
    return lambda m, args, kwargs, node: value


def _default_type(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = argument(args, kwargs, 0, "t")
    name = given.name if isinstance(given, Named) else given if isinstance(given, str) else ""
    kinds = {"torch.FloatTensor": "float32", "torch.DoubleTensor": "float64", "torch.HalfTensor": "float16", "torch.BFloat16Tensor": "bfloat16"}
    if (isinstance(given, DType) and given.is_float) or name in kinds:
        m.remember(m.session, "default_float", m.session.default_float)
        m.session.default_float = given if isinstance(given, DType) else BY_LABEL[kinds[name]]
    else:
        m.gap("torch.set_default_tensor_type", node, "the type is not known, or lies on another device")


def _assert_close(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """torch.testing.assert_close: equal shapes and, unless it says otherwise, element types. The values are not known."""
    _close(m, argument(args, kwargs, 0, "actual"), argument(args, kwargs, 1, "expected"), kwargs.get("check_dtype", True), node)


def _close(m: Machine, a: Value, b: Value, typed: Value, node: ast.AST) -> None:
    if isinstance(a, List) and isinstance(b, List) and len(a.items) == len(b.items):
        for one, other in zip(a.items, b.items):
            _close(m, one, other, typed, node)
    if isinstance(a, Dict) and isinstance(b, Dict):
        for name in a.items.keys() & b.items.keys():
            _close(m, a.items[name], b.items[name], typed, node)
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return
    if typed is True and None not in (a.dtype, b.dtype) and a.dtype is not b.dtype:
        raise m.raised("AssertionError", f"the element types are not equal: {a.dtype!r} and {b.dtype!r}", node)
    if a.shape.known and b.shape.known:
        same = conj(*(eq(x, y) for x, y in zip(a.shape, b.shape))) if len(a.shape) == len(b.shape) else False
        m.demand("AssertionError", same, f"the shapes are not equal: {a.shape!r} and {b.shape!r}", node)


def _arrays_close(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """numpy.testing: equal shapes, or a number against an array."""
    a, b = argument(args, kwargs, 0, "actual"), argument(args, kwargs, 1, "desired")
    if isinstance(a, TensorType) and isinstance(b, TensorType) and a.shape.known and b.shape.known and len(a.shape) and len(b.shape):
        same = conj(*(eq(x, y) for x, y in zip(a.shape, b.shape))) if len(a.shape) == len(b.shape) else False
        m.demand("AssertionError", same, f"the shapes are not equal: {a.shape!r} and {b.shape!r}", node)


def _apply_each(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    """Tensor.apply_(function): the function gets each number."""
    m.call(args[1], (REAL,), {}, node)
    return m.memory.write(args[0])


_BACKENDS = ("mkldnn", "mkl", "openmp", "opt_einsum", "cusparselt", "kleidiai")
"""Backends that are or are not built into torch."""
_NUMPY_TESTS = ("assert_allclose", "assert_equal", "assert_array_equal", "assert_almost_equal", "assert_array_almost_equal", "assert_array_less")
FUNCTIONS: dict[str, object] = {
    **{f"torch.backends.{home}.is_available": lambda m, a, k, n: m.open_truth("available", n) for home in _BACKENDS},
    **{f"{home}.manual_seed": _generator for home in ("torch", "torch.random")},
    **{f"{home}.get_rng_state": lambda m, a, k, n: TensorType(Shape((5056,)), BY_LABEL["uint8"]) for home in ("torch", "torch.random")},
    **{f"{home}.set_rng_state": _set_rng_state for home in ("torch", "torch.random")}, "torch.cuda.mem_get_info": _constant((_WHOLE, _WHOLE)),
    "torch.set_default_tensor_type": _default_type, "torch.testing.assert_close": _assert_close,
    **{f"numpy.testing.{name}": _arrays_close for name in _NUMPY_TESTS}, "torch.Tensor.apply_": _apply_each,
}  # fmt: skip
VALUES: dict[str, Run] = {"torch.default_generator": lambda m: Model("torch.Generator", m.heap.space())}
