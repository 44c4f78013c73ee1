"""Hazards against torch, in both directions and by element type: finite where the declaration says safe, not finite elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorproof.catalogue import everything
from tensorproof.engines.values.rules import Box
from tensorproof.ops.hazards import holds
from tensorproof.ops.record import Hazard, Op
from tensorproof.terms.dtypes import BY_LABEL

torch = pytest.importorskip("torch")

SPELLINGS = {"addcdiv": torch.addcdiv, "softmax": lambda x: torch.softmax(x, -1), "log_softmax": lambda x: torch.log_softmax(x, -1)}
ELEMENT_TYPES = ("float64", "float32", "float16", "bfloat16")
ONE = [
    0.0, -0.0, 1e-3, 0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 2.5, 3.0, 7.0, 10.0, 10.9, 11.5, 15.5, 17.0, 40.0, 88.0, 90.0, 126.0, 129.0, 160.0, 700.0, 712.0, 1020.0,
    1030.0,
]  # fmt: skip
FIRST, SECOND = [-3.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5], [-2.0, -1.5, -1.0, -0.75, 0.0, 0.5, 1.0, 2.0, 3.0]
BY_ELEMENT = [
    (op, hazard) for op in everything().values() for hazard in op.hazards
    if hasattr(torch, op.name) or hasattr(torch.special, op.name) or op.name == "addcdiv"
    if op.name not in ("batch_norm", "layer_norm", "rms_norm", "cross_entropy", "nll_loss", "softmax", "log_softmax", "polygamma")
]  # fmt: skip


def real(op: Op) -> Any:
    return SPELLINGS.get(op.name) or getattr(torch, op.name, None) or getattr(torch.special, op.name)


def columns(op: Op) -> list[list[float]]:
    """Numbers for each input: the grid of one, of two, or of two beside a third that stays."""
    if len(op.inputs) == 1:
        return [[*ONE, *(-x for x in ONE)]]
    grid = [(x, y) for x in FIRST for y in SECOND]
    return [*([[1.0] * len(grid)] if len(op.inputs) == 3 else []), [x for x, _ in grid], [y for _, y in grid]]


@pytest.mark.parametrize("label", ELEMENT_TYPES)
@pytest.mark.parametrize("op, hazard", BY_ELEMENT, ids=lambda v: getattr(v, "code", ""))
def test_values_are_finite_where_it_is_safe_and_only_there(op: Op, hazard: Hazard, label: str) -> None:
    given = [torch.tensor(column, dtype=torch.float64).to(getattr(torch, label)) for column in columns(op)]
    try:
        made = real(op)(*given)
    except (RuntimeError, TypeError) as refused:
        pytest.skip(str(refused).splitlines()[0])
    a: dict[str, Any] = {p.name: t.double().numpy() for p, t in zip(op.inputs, given, strict=True)}
    a |= {"results": (BY_LABEL[str(made.dtype).removeprefix("torch.")],), "eps": None, "n": 0}
    safe = np.broadcast_to(holds(np, hazard, a), made.shape)
    finite = torch.isfinite(made).numpy()
    wrong = [tuple(float(t[i]) for t in given) for i in np.nonzero(safe != finite)[0]]
    assert not wrong, f"{hazard.code} in {label}: safe and finite differ at {wrong}"
    assert safe.any() and not safe.all()


def test_a_clamped_logit_is_safe() -> None:
    (hazard,) = everything()["logit"].hazards
    x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0])
    assert torch.isfinite(torch.logit(x, eps=1e-3)).all() and holds(np, hazard, {"x": x.numpy(), "eps": 1e-3}).all()


NORMS = [
    ("batch_norm", [0.0, 1.0], 0.0), ("batch_norm", [0.0, 1.0], 1e-5), ("batch_norm", [2.0, 1.0], 0.0),
    ("layer_norm", [1.0, 2.0], 0.0), ("layer_norm", [3.0, 3.0], 0.0), ("layer_norm", [3.0, 3.0], 1e-5),
    ("rms_norm", [0.0, 0.0], 0.0), ("rms_norm", [0.0, 2.0], 0.0), ("rms_norm", [0.0, 0.0], 1e-5),
]  # fmt: skip


@pytest.mark.parametrize("name, values, eps", NORMS)
def test_a_norm_is_finite_where_what_it_divides_by_is_positive(name: str, values: list[float], eps: float) -> None:
    (hazard,) = everything()[name].hazards
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]]) if name == "batch_norm" else torch.tensor([values, [1.0, 2.0]])
    variance = torch.tensor(values)
    if name == "batch_norm":
        made = torch.nn.functional.batch_norm(x, torch.zeros(2), variance, eps=eps)
    else:
        made = getattr(torch.nn.functional, name)(x, (2,), eps=eps)
    a = {"x": x.numpy(), "eps": eps, "training": False, "running_var": variance.numpy(), "normalized_shape": (2,), "results": (BY_LABEL["float32"],)}
    assert np.array_equal(np.broadcast_to(holds(np, hazard, a), x.shape), torch.isfinite(made).numpy())


@pytest.mark.parametrize("target, weight, reduction", [
    ([0, 1], None, "mean"), ([-100, -100], None, "mean"), ([-100, -100], None, "sum"), ([1, 1], [1.0, 0.0, 1.0], "mean"), ([1, 2], [1.0, 0.0, 1.0], "mean"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_a_mean_is_finite_where_a_target_counts(name: str, target: list[int], weight: list[float] | None, reduction: str) -> None:
    (hazard,) = everything()[name].hazards
    x, classes = torch.zeros(2, 3), torch.tensor(target)
    weights = None if weight is None else torch.tensor(weight)
    made = getattr(torch.nn.functional, name)(x, classes, weight=weights, reduction=reduction)
    a = {"x": x.numpy(), "target": classes.numpy(), "weight": None if weights is None else weights.numpy(), "ignore_index": -100, "reduction": reduction}
    assert bool(holds(np, hazard, a)) == bool(torch.isfinite(made))


@pytest.mark.parametrize("lo, hi, expected", [(1.0, 2.0, (True, True)), (-1.0, 1.0, (False, True)), (-2.0, -1.0, (False, False)), (0.0, 0.0, (False, False))])
def test_bounds_are_safe_unsafe_or_open(lo: float, hi: float, expected: tuple[bool, bool]) -> None:
    for name, argument in (("log", "x"), ("div", "y")) if lo >= 0 or hi > 0 else (("log", "x"),):
        (hazard,) = everything()[name].hazards
        safe = holds(np, hazard, {argument: Box(np.array([lo]), np.array([hi]), np.array([False]), np.dtype("float64"))})
        assert (bool(safe.lo.all()), bool(safe.hi.all())) == expected
