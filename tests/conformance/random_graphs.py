"""Random graphs of torch's functions: what torch computes lies within the bounds of the analysis, and what is not finite was not called safe.

`python -m tests.conformance.random_graphs --graphs 500 --seed 0` prints what does not hold.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tensorproof.bindings.call import call
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.analysis import Settings, analyse
from tensorproof.engines.numerics.grid import Grid, refined, units
from tensorproof.program.form import Computed, Record, Same
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

SHAPES = ((4, 6), (6,), (2, 4, 6), (1, 6), (4, 1), (64, 96), (2, 48, 64))
RANGES = ((-1.0, 1.0), (0.0, 1.0), (-10.0, 10.0), (1e-6, 1.0), (0.5, 2.0), (-1000.0, 1000.0), (0.0, 0.0), (-3e38, 3e38), (1e-40, 1e-3), (-0.0, 4.0))
ONE = (
    "exp", "log", "sqrt", "rsqrt", "reciprocal", "sigmoid", "tanh", "relu", "neg", "abs", "square", "log1p", "expm1", "sin", "cos", "floor", "sign", "atan",
    "erf", "nn.functional.softplus", "nn.functional.gelu", "nn.functional.silu", "nn.functional.elu", "nn.functional.leaky_relu", "nn.functional.logsigmoid",
    "nn.functional.hardtanh", "nn.functional.mish",
)  # fmt: skip
TWO = ("add", "sub", "mul", "div", "maximum", "minimum", "pow")
AXIS = ("sum", "mean", "amax", "amin", "logsumexp", "cumsum", "softmax", "log_softmax", "var", "std", "argmax", "prod")


class Drawn:
    """A graph as it grows: for each value our tensor and torch's."""

    def __init__(self, seed: int, dtype: str) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.dtype = dtype
        self.records: list[Record] = []
        self.given: dict[int, Any] = {}
        self.values: list[tuple[TensorType, torch.Tensor]] = []
        self.ended: set[int] = set()
        """The identities of our tensors whose values are no longer compared: something before them was not finite."""
        self.bad: list[tuple[TensorType, str]] = []

    def input(self) -> None:
        shape, (lo, hi) = self.random.choice(SHAPES), self.random.choice(RANGES)
        most = float(torch.finfo(getattr(torch, self.dtype)).max)
        lo, hi = max(lo, -most), min(hi, most)
        drawn = self.numbers.random(shape)
        drawn = np.where(self.numbers.random(shape) < 0.2, self.numbers.integers(0, 2, shape), drawn)
        value = torch.from_numpy(np.clip(lo + drawn * (hi - lo) if hi - lo < most else lo * (1 - drawn) + hi * drawn, lo, hi)).to(getattr(torch, self.dtype))
        value = value.clamp(lo, hi)
        mine = TensorType(Shape(shape), BY_LABEL[self.dtype])
        self.given[id(mine)] = (min(lo, float(value.min())), max(hi, float(value.max())))
        self.values.append((mine, value))

    def step(self) -> None:
        """One more function of some value that is there."""
        x = self.random.choice(self.values)
        kind = self.random.random()
        if kind < 0.3:
            self.apply(self.random.choice(ONE), x)
        elif kind < 0.6:
            y = self.random.choice([v for v in self.values if _broadcast(x[1], v[1])])
            self.apply(self.random.choice(TWO), x, y)
        elif kind < 0.7:
            self.apply(self.random.choice(("add", "mul", "sub", "div", "pow")), x, self.random.choice((2.0, -1.0, 0.5, 1e-3, 3.0, 1e-8)))
        elif kind < 0.85 and x[1].ndim:
            self.apply(self.random.choice(AXIS), x, self.random.randrange(x[1].ndim))
        else:
            self.moved(x)

    def moved(self, x: tuple[TensorType, torch.Tensor]) -> None:
        rank = x[1].ndim
        choices: list[Callable[[], None]] = [lambda: self.apply("reshape", x, (-1,)), lambda: self.apply("clamp", x, -1.0, 1.0)]
        choices.append(lambda: self.apply("where", self.compared(x), x, self.random.choice([v for v in self.values if v[1].shape == x[1].shape])))
        if rank:
            choices += [
                lambda: self.apply("cat", [x, x], 0),
                lambda: self.apply("stack", [x, x], self.random.randrange(rank)),
                lambda: self.apply("unsqueeze", x, self.random.randrange(rank)),
                lambda: self.apply("flip", x, (0,)),
                lambda: self.apply("narrow", x, 0, 0, max(1, x[1].shape[0] // 2)),
                lambda: self.apply("nn.functional.pad", x, (1, 2)),
            ]
        if rank >= 2:
            choices += [lambda: self.apply("transpose", x, 0, -1), lambda: self.apply("matmul", x, self.turned(x)), lambda: self.apply("tril", x)]
        self.random.choice(choices)()

    def turned(self, x: tuple[TensorType, torch.Tensor]) -> Any:
        self.apply("transpose", x, -2, -1)
        return self.values[-1]

    def compared(self, x: tuple[TensorType, torch.Tensor]) -> Any:
        self.apply(self.random.choice(("gt", "le")), x, 0.0)
        return self.values.pop()

    def apply(self, name: str, *args: Any) -> None:
        """Call a function of both; what either refuses is left out."""
        mine, theirs = ([_side(a, i) for a in args] for i in (0, 1))
        outcome = call(f"torch.{name}", tuple(mine), {})
        function = torch
        for part in name.split("."):
            function = getattr(function, part)
        try:
            value = function(*theirs)  # type: ignore[operator]
        except (RuntimeError, TypeError):
            return
        if outcome.refused is not None or outcome.unknown is not None or not isinstance(outcome.outputs, TensorType) or value.numel() > 50_000:
            return
        self.records += [Computed(one, Span("", 1, 1, 1, 1, name)) for one in outcome.applied]
        if outcome.made is not outcome.outputs:
            self.records.append(Same(outcome.made, outcome.outputs))
        before = any(id(t) in self.ended for a in mine for t in (a if isinstance(a, list) else [a]))
        finite = bool(torch.isfinite(value).all()) if value.is_floating_point() else True
        if before or not finite:
            self.ended.add(id(outcome.outputs))
        if not before and not finite:
            self.bad.append((outcome.outputs, name))
        self.values.append((outcome.outputs, value))


def _side(value: Any, i: int) -> Any:
    if isinstance(value, list):
        return [_side(v, i) for v in value]
    return value[i] if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], TensorType) else value


def _broadcast(a: torch.Tensor, b: torch.Tensor) -> bool:
    try:
        torch.broadcast_shapes(a.shape, b.shape)
    except RuntimeError:
        return False
    return True


def violations(seed: int, dtype: str = "float32", steps: int = 14, settings: Settings | None = None) -> list[str]:
    """What does not hold for one graph."""
    drawn = Drawn(seed, dtype)
    for _ in range(3):
        drawn.input()
    for _ in range(steps):
        drawn.step()
    made = analyse(drawn.records, drawn.given, settings)
    found = []
    for mine, value in drawn.values:
        grid = made.values.get(id(mine))
        if id(mine) not in drawn.ended and grid is not None and not _holds(grid, value):
            found.append(f"seed {seed} {dtype}: {_maker(drawn, mine)} gives {float(value.min())}..{float(value.max())}, bounds {grid.least}..{grid.most}")
    for mine, name in drawn.bad:
        judged = [one for one in made.operations if one.verdict == "safe" and one.span.node == name and set(one.operands) == set(_operands(drawn, mine))]
        if judged and len(judged) == len([o for o in made.operations if o.span.node == name and set(o.operands) == set(_operands(drawn, mine))]):
            found.append(f"seed {seed} {dtype}: {name} is not finite and was called safe: {judged[0]}")
    return found


def _operands(drawn: Drawn, mine: TensorType) -> list[int]:
    for record in drawn.records:
        if isinstance(record, Computed) and any(r is mine for r in record.applied.results):
            return [id(v) for v in record.applied.arguments.values() if isinstance(v, TensorType)]
    return []


def _maker(drawn: Drawn, mine: TensorType) -> str:
    for record in drawn.records:
        if isinstance(record, Computed) and any(r is mine for r in record.applied.results):
            return f"{record.applied.spelling}({', '.join(map(repr, record.applied.arguments.values()))})"
    return "an input"


def _holds(grid: Grid, value: torch.Tensor) -> bool:
    if grid.shape != tuple(value.shape):
        return False
    for axis, n in enumerate(grid.shape):
        grid = refined(grid, axis, units(n))
    array = value.to(torch.float64).numpy()
    return bool(((grid.box.lo <= array) & (array <= grid.box.hi)).all())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tensors", default="partition")
    parser.add_argument("--values", default="affine")
    options = parser.parse_args()
    found: list[str] = []
    for seed in range(options.seed, options.seed + options.graphs):
        dtype = ("float32", "float64", "float16", "bfloat16")[seed % 4]
        found += violations(seed, dtype, settings=Settings(tensors=options.tensors, values=options.values))
    print("\n".join(found))
    print(f"{options.graphs} graphs, {len(found)} violations")


if __name__ == "__main__":
    main()
