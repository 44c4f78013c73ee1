"""Elementwise operators: exact contents, requirements on symbols, and (with torch) containment: what torch computes lies within what the
declaration says of values, is finite where it says nothing happens, and is not finite somewhere outside."""

from __future__ import annotations

import importlib.util
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from tensorproof.bindings.call import call, call_module
from tensorproof.catalogue import in_file
from tensorproof.ops.record import Interval, Op
from tensorproof.terms.dtypes import BOOL, BY_LABEL, FLOAT32, INT8, INT32, INT64, UINT8, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

FILES = ("arithmetic", "unary", "comparison", "activation", "special", "complex_numbers", "casting", "quantisation", "dropout")
OPS = [op for file in FILES for op in in_file(f"elementwise.{file}").values()]
B, C = symbol("b", 1), symbol("c", 1)


def tensor(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def result(name: str, *args: Any, **kwargs: Any) -> Any:
    outcome = call(name, args, kwargs)
    assert outcome.refused is None, outcome.refused
    assert outcome.unknown is None, outcome.unknown
    return outcome.outputs


def refusal(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = call(name, args, kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


# --- what needs no torch ---


def test_contents_of_sizes_follow_arithmetic() -> None:
    sizes = tensor(2, dtype=INT64, contents=(B, 4))
    assert result("torch.Tensor.__mul__", sizes, 3).contents == (3 * B, 12)
    assert result("torch.Tensor.__floordiv__", sizes, 2).contents == (B // 2, 2)
    assert result("torch.Tensor.__rsub__", sizes, 3).contents == (3 - B, -1)
    assert result("torch.Tensor.to", sizes, INT32).contents == (B, 4)
    assert result("torch.clamp", sizes, 1).contents == (B, 4)


def test_a_comparison_that_is_not_known_leaves_no_contents() -> None:
    sizes = tensor(2, dtype=INT64, contents=(B, 4))
    assert result("torch.eq", sizes, 4).contents is None
    assert result("torch.ge", sizes, 1).contents == (True, True)


def test_contents_wrap_as_their_element_type_does() -> None:
    small = tensor(2, dtype=UINT8, contents=(200, 100))
    assert result("torch.add", small, small).contents == (144, 200)
    assert result("torch.Tensor.char", small).contents == (-56, 100)


def test_glu_needs_an_even_axis() -> None:
    assert refusal("torch.nn.functional.glu", tensor(2, 5)) == "glu/even"
    outcome = call("torch.nn.functional.glu", (tensor(B, C),))
    assert outcome.outputs.shape == (B, C // 2)
    assert [r.code for r in outcome.requirements] == ["glu/even"]
    assert not call("torch.nn.functional.glu", (tensor(B, 2 * C),)).requirements


def test_prelu_has_one_weight_or_one_for_each_channel() -> None:
    layer = result("torch.nn.PReLU", 3)
    assert layer.state()["weight"].shape == (3,)
    assert call_module(layer, (tensor(B, 3, C),)).outputs.shape == (B, 3, C)
    refused = call_module(layer, (tensor(B, 4, C),)).refused
    assert refused is not None and refused.code == "prelu/channels"


def test_softmax_without_an_axis_needs_the_rank() -> None:
    assert result("torch.nn.functional.softmax", tensor(B, C)).shape == (B, C)
    assert call("torch.nn.functional.softmax", (TensorType(unknown_shape("u")),)).unknown is not None
    assert refusal("torch.nn.functional.softmax", tensor(B, C), dim=2) == "softmax/axis"


def test_in_place_results_must_fit() -> None:
    assert refusal("torch.Tensor.__iadd__", tensor(3, dtype=INT64), 1.5) == "add/inplace"
    assert refusal("torch.Tensor.add_", tensor(3), tensor(2, 3)) == "add/inplace"
    assert refusal("torch.Tensor.copy_", tensor(3), tensor(2, 3)) == "copy_into/rank"
    assert result("torch.Tensor.eq_", tensor(3), tensor(3)).dtype is FLOAT32


def test_kernels_are_chosen_by_the_common_type() -> None:
    assert result("torch.fmod", tensor(3, dtype=BOOL), tensor(3, dtype=INT8)).dtype is INT8
    assert refusal("torch.fmod", tensor(3, dtype=BOOL), tensor(3, dtype=BOOL)) == "fmod/dtype"
    assert refusal("torch.bitwise_and", tensor(3, dtype=INT64), 1.5) == "bitwise_and/dtype"
    assert refusal("torch.sub", tensor(3), tensor(3, dtype=BOOL)) == "sub/dtype"


def test_where_with_one_argument_gives_a_vector_for_each_axis() -> None:
    found = result("torch.where", tensor(2, 2, dtype=BOOL, contents=(True, False, True, True)))
    assert [f.shape for f in found] == [(3,), (3,)]


def test_identity_takes_any_arguments() -> None:
    assert call_module(result("torch.nn.Identity", 54, unused=1), (tensor(B, 3),)).outputs.shape == (B, 3)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_facts_and_hazards_name_inputs(op: Op) -> None:
    names = {p.name for p in op.inputs}
    assert all(word in names | {p.name for p in op.attributes} for h in op.hazards for word in h.about.split())
    assert all(h.code.startswith(f"{op.name}/") or op.name == "float_power" for h in op.hazards)
    assert set(op.values.over.split()) <= names | {p.name for p in op.attributes}


# --- what torch computes ---

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
SHARED = {  # operators that torch spells otherwise, and those that take more than a tensor
    "cast": lambda x: x.clone(),
    "identity": lambda x: x[...],
    "detach": lambda x: x.detach(),
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "softmin": lambda x: (-x).softmax(-1),
    "cbrt": None,
    "numpy": None,
    "polygamma": lambda x: x.polygamma(1),
}  # fmt: skip


def real(name: str) -> Callable[..., Any] | None:
    """The operator in torch; None where it has none."""
    if name in SHARED:
        return SHARED[name]
    import torch

    for home in (torch, torch.nn.functional, torch.special):
        if hasattr(home, name):
            return getattr(home, name)
    return None


def points(where: Interval, count: int = 200, reach: float = 100.0) -> list[float]:
    """Numbers of the interval, its ends and those near zero among them."""
    rng = random.Random(0)
    lo, hi = max(where.lo, -reach), min(where.hi, reach)
    found = [rng.uniform(lo, hi) for _ in range(count)] + [rng.uniform(max(lo, -2), min(hi, 2)) for _ in range(count)] + [lo, hi, 0.0, 1.0, -1.0, 0.5]
    return sorted({v for v in found if where.holds(v)})


def computed(function: Callable[..., Any], *columns: list[float]) -> list[float]:
    import torch

    return function(*(torch.tensor(c, dtype=torch.float32) for c in columns)).double().tolist()


def in_float32(value: float) -> float:
    """What is too large for float32 is infinite there."""
    return value if abs(value) < 3.4028235e38 else math.copysign(math.inf, value)


def slack(value: float) -> float:
    """float32 rounds, and so do torch's approximations."""
    return 2e-5 * abs(value) + 2e-6 if math.isfinite(value) else 0.0


@needs_torch
@pytest.mark.parametrize("op", [op for op in OPS if op.values.function is not None], ids=lambda op: op.name)
def test_monotone_functions_map_ends_to_bounds(op: Op) -> None:
    function = real(op.name)
    if function is None:
        pytest.skip(f"torch has no {op.name}")
    fact = op.values
    assert fact.function is not None
    xs = points(fact.on)
    ys = computed(function, xs)
    rng = random.Random(1)
    for _ in range(300):
        i, j, k = sorted(rng.randrange(len(xs)) for _ in range(3))
        first, last = fact.function(xs[i]), fact.function(xs[k])
        lo, hi = map(in_float32, (first, last) if fact.kind == "increasing" else (last, first))
        assert lo - slack(lo) <= ys[j] <= hi + slack(hi), f"{op.name}({xs[j]}) = {ys[j]} is outside [{lo}, {hi}], the image of [{xs[i]}, {xs[k]}]"


@needs_torch
@pytest.mark.parametrize("op", [op for op in OPS if op.values.function is not None], ids=lambda op: op.name)
def test_monotone_functions_are_defined_at_the_ends(op: Op) -> None:
    fact = op.values
    assert fact.function is not None
    ends = [fact.function(fact.on.lo), fact.function(fact.on.hi)]
    assert not any(map(math.isnan, ends))
    assert ends == sorted(ends, reverse=fact.kind == "decreasing")


@needs_torch
@pytest.mark.parametrize("op", [op for op in OPS if op.values.kind == "bounded" and len(op.inputs) == 1], ids=lambda op: op.name)
def test_bounded_functions_stay_within_their_bounds(op: Op) -> None:
    function = real(op.name)
    if function is None:
        pytest.skip(f"torch has no {op.name}")
    bounds = op.values.bounds
    for x, y in zip(points(op.values.on), computed(function, points(op.values.on))):
        inside = math.isnan(y) or bounds.lo - slack(bounds.lo) <= y <= bounds.hi + slack(bounds.hi)  # nan: outside of the domain
        assert inside, f"{op.name}({x}) = {y} is outside {bounds}"


@needs_torch
@pytest.mark.parametrize("op", [op for op in OPS if op.values.kind in ("moves", "mixes")], ids=lambda op: op.name)
def test_joins_give_one_of_their_inputs(op: Op) -> None:
    function = real(op.name)
    if function is None:
        pytest.skip(f"torch has no {op.name}")
    xs = points(Interval(-10.0, 10.0))
    if op.values.kind == "moves":
        assert computed(function, xs) == computed(lambda x: x, xs)
        return
    import torch

    condition = [torch.tensor([i % 2 == 0 for i in range(len(xs))])] if op.name == "where" else []
    for x, y, made in zip(xs, xs[::-1], computed(lambda x, y: function(*condition, x, y), xs, xs[::-1])):
        assert min(x, y) - slack(x) - slack(y) <= made <= max(x, y) + slack(x) + slack(y)


FOLDED = (
    "add", "sub", "mul", "floor_divide", "remainder", "fmod", "pow", "maximum", "minimum", "fmax", "fmin", "gcd", "lcm", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor",
)  # fmt: skip


@needs_torch
@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("label", ["int64", "int32", "uint8", "int8"])
def test_folded_contents_are_torchs(name: str, label: str) -> None:
    import torch

    rng = random.Random(name)
    dtype = getattr(torch, label)
    least = 0 if label == "uint8" or name in ("pow", "bitwise_left_shift", "bitwise_right_shift") else -7
    shapes = [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((4,), (4,))]
    for first, second in shapes:
        x = torch.tensor([rng.randint(least, 7) for _ in range(math.prod(first))], dtype=dtype).reshape(first)
        y = torch.tensor([rng.choice([v for v in range(least, 7) if v]) for _ in range(math.prod(second))], dtype=dtype).reshape(second)
        ours = [TensorType(Shape(t.shape), BY_LABEL[label], contents=tuple(t.flatten().tolist())) for t in (x, y)]
        expected = getattr(torch, name)(x, y)
        made = result(f"torch.{name}", *ours)
        assert tuple(made.shape) == tuple(expected.shape)
        assert made.contents == tuple(expected.flatten().tolist())
