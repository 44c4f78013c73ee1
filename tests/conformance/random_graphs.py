"""Random graphs of torch's functions, with joins, loops, guards, masks and relations: what torch computes lies within the bounds of the analysis, and what is
not finite was not called safe.

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
from tensorproof.engines.numerics.grids.grid import Grid, refined, units
from tensorproof.program.form import Carried, Computed, Join, Loop, Record, Same
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
SMOOTH_OPS = ("tanh", "relu", "sigmoid", "neg", "abs", "sin", "nn.functional.softplus", "nn.functional.hardtanh", "atan", "floor")
"""Functions of elements for the bodies of loops."""
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
        self.earlier: list[tuple[TensorType, torch.Tensor]] = []
        """What bodies of loops computed before their last iterations."""

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
        if self.random.random() < 0.3:
            self.random.choice((self.join, self.loop, self.guard, self.related, self.masked))(x)
        elif kind < 0.3:
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

    def join(self, x: tuple[TensorType, torch.Tensor]) -> None:
        """One of two values."""
        y = self.random.choice([v for v in self.values if v[1].shape == x[1].shape and v[1].dtype == x[1].dtype])
        made = TensorType(x[0].shape, x[0].dtype)
        self.records.append(Join(made, (x[0], y[0])))
        if id(x[0]) in self.ended or id(y[0]) in self.ended:
            self.ended.add(id(made))
        self.values.append((made, self.random.choice((x, y))[1]))

    def loop(self, x: tuple[TensorType, torch.Tensor]) -> None:
        """Some functions of elements, several times: the records of the body are made once, and all iterations are compared with them."""
        if not x[1].is_floating_point():
            return
        start, records, count = TensorType(x[0].shape, x[0].dtype), self.records, self.random.randrange(1, 9)
        chosen = [self._turn(x) for _ in range(self.random.randrange(1, 4))]
        first, value, body, made = len(self.values), x[1], list[tuple[TensorType, torch.Tensor]](), list[Record]()
        for turn in range(count):
            self.records, state = ([] if not turn else list(self.records)), (start, value)
            before, known = len(self.records), len(self.values)
            if id(x[0]) in self.ended:
                self.ended.add(id(start))
            for step, (name, *args) in enumerate(chosen):
                if turn:  # the tensors of the body are those of the first iteration
                    self._again(body[step][0], name, state, args)
                    state = self.values[-1]
                    continue
                self.apply(name, state, *args)
                if len(self.values) == known + step:
                    self.records = records
                    del self.values[known:]
                    return
                state = self.values[-1]
            if not turn:
                body = self.values[known:]
                made = list(self.records)
            self.records, value = self.records[:before] if turn else self.records, state[1]
        self.earlier += self.values[first : -len(body)]
        del self.values[first : -len(body)]
        after = TensorType(x[0].shape, x[0].dtype)
        if any(id(t) in self.ended for t, _ in body):
            self.ended.add(id(after))
        self.records = [*records, Loop(tuple(made), (Carried((x[0],), start, (body[-1][0],), after),), Span("", 1, 1, 1, 1, "loop"))]
        self.values.append((after, value))

    def _turn(self, x: tuple[TensorType, torch.Tensor]) -> tuple[Any, ...]:
        if self.random.random() < 0.5:
            return (self.random.choice(SMOOTH_OPS),)
        if self.random.random() < 0.3:
            return self.random.choice(("add", "maximum", "minimum", "mul")), self.random.choice([v for v in self.values if v[1].shape == x[1].shape])
        return self.random.choice(("add", "mul", "sub")), self.random.choice((0.5, -0.5, 1.0, 2.0, 0.1, 1e-3))

    def _again(self, mine: TensorType, name: str, state: tuple[TensorType, torch.Tensor], args: list[Any]) -> None:
        """One function of a further iteration."""
        value = _function(name)(state[1], *(_side(a, 1) for a in args))
        if id(state[0]) in self.ended or not bool(torch.isfinite(value).all()):
            self.ended.add(id(mine))
        self.values.append((mine, value))

    def guard(self, x: tuple[TensorType, torch.Tensor]) -> None:
        """A choice that keeps a function in its domain, or does not."""
        limit, name = self.random.choice((0.0, 1e-3, 1.0)), self.random.choice(("log", "sqrt", "reciprocal", "rsqrt", "log1p"))
        known = len(self.values)
        self.apply(self.random.choice(("gt", "ge", "lt", "le", "ne")), x, limit)
        self.apply("ones_like", x)
        if len(self.values) == known + 2:
            condition, ones = self.values[known:]
            del self.values[known:]
            self.apply("where", condition, *self.random.choice(((x, ones), (ones, x))))
            self.apply(name, self.values[-1])

    def related(self, x: tuple[TensorType, torch.Tensor]) -> None:
        """Differences of what hangs together, and a function of them."""
        y = self.random.choice([v for v in self.values if v[1].shape == x[1].shape])
        axis = self.random.randrange(x[1].ndim) if x[1].ndim else None
        kind = self.random.randrange(5)
        if kind == 0:
            self._chain(("sub", x, y), ("add", x, y), ("sub", -1, -2))
        elif kind == 1:
            self._chain(("relu", x), ("neg", x), ("relu", -1), ("sub", -3, -1))
        elif kind == 2 and axis is not None:
            self._chain((self.random.choice(("amax", "amin")), x, axis, True), *[("sub", x, -1) if self.random.random() < 0.7 else ("sub", -1, x)])
        elif kind == 3 and axis is not None:
            self._chain(("amax", x, axis), ("amin", x, axis), ("sub", -2, -1))
        else:
            self._chain(("mul", x, x), ("mul", x, x), ("sub", -2, -1))
        self.apply(self.random.choice(("sqrt", "exp", "log", "reciprocal", "neg")), self.values[-1])

    def masked(self, x: tuple[TensorType, torch.Tensor]) -> None:
        """Infinity by a mask, and softmax of it."""
        if not x[1].ndim or not x[1].is_floating_point():
            return
        condition = self.compared(x)
        self.apply("masked_fill", x, condition, -torch.inf)
        self.apply(self.random.choice(("softmax", "log_softmax", "logsumexp")), self.values[-1], self.random.randrange(x[1].ndim))

    def _chain(self, *steps: tuple[Any, ...]) -> None:
        """Functions of values and of those made before, which are counted from the end."""
        for name, *args in steps:
            known, made = len(self.values), [self.values[a] if type(a) is int and a < 0 else a for a in args]
            self.apply(name, *made)
            if len(self.values) == known:
                return

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
        try:
            value = _function(name)(*theirs)
        except (RuntimeError, TypeError):
            return
        if outcome.refused is not None or outcome.unknown is not None or not isinstance(outcome.outputs, TensorType) or value.numel() > 50_000:
            return
        self.records += [Computed(one, Span("", 1, 1, 1, 1, name)) for one in outcome.applied]
        if outcome.made is not outcome.outputs:
            self.records.append(Same(outcome.made, outcome.outputs))
        before = any(id(t) in self.ended for a in mine for t in (a if isinstance(a, list) else [a]))
        infinite = any(v is -torch.inf or _has_mask(v) for v in theirs)
        finite = bool((~torch.isnan(value) if infinite else torch.isfinite(value)).all()) if value.is_floating_point() else True
        if before or not finite:
            self.ended.add(id(outcome.outputs))
        if not before and not finite:
            self.bad.append((outcome.outputs, name))
        self.values.append((outcome.outputs, value))


def _function(name: str) -> Any:
    function: Any = torch
    for part in name.split("."):
        function = getattr(function, part)
    return function


def _has_mask(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and bool(torch.isinf(value).any())


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
    for mine, value in (*drawn.values, *drawn.earlier):
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
