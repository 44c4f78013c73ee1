"""Random programs over a few tensors: loops, branches, writes in place, views, lists, objects, functions. Every name holds a tensor of three numbers."""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c")
HEAD = """import random
import torch
class Box:
    def __init__(self, h):
        self.h = h
    def push(self, x):
        self.h = torch.tanh(self.h) + x
        return self.h
def mix(x, y):
    if x.sum() > y.sum():
        return x - y
    return torch.sigmoid(x) + 1
def grow(x):
    x.mul_(2)
    return x
a = torch.sigmoid(torch.randn(3))
b = torch.full((3,), 2.0)
c = torch.zeros(3)
xs = [torch.ones(3), torch.full((3,), -1.0)]
d = {"k": torch.full((3,), 4.0)}
o = Box(torch.full((3,), 0.5))
"""


def program(seed: int) -> str:
    """The program of a seed."""
    return HEAD + "\n".join(_Writer(Random(seed)).block(0, 5)) + "\nx0 = xs[0] * 1\nx1 = xs[-1] * 1\ndk = d['k'] * 1\noh = o.h * 1\n"


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.loops = 0

    def name(self) -> str:
        return self.random.choice(NAMES)

    def value(self) -> str:
        """An expression that gives three numbers."""
        x, y = self.name(), self.name()
        return self.random.choice(
            [
                f"{x} + {y}", f"{x} * 0.5", f"torch.tanh({x})", f"torch.sigmoid({x} - {y})", f"torch.relu({x}) + 1", f"{x} - 1", f"torch.maximum({x}, {y})",
                f"mix({x}, {y})", f"xs[-1] + {x}", "xs[0]", f"d['k'] - {x}", f"o.push({x})", "o.h", x, f"{x}.clone()", f"grow({x}.clone())",
                f"torch.stack(xs).mean(0) + {x}", f"{x}.view(3)", f"torch.where({x} > {y}, {x}, {y})", "random.choice(xs)", f"sum([{x}, {y}, {x}])",
                "torch.stack([v * 2 for v in xs]).amax(0)", f"({x} if {y}.sum() > 1 else {y})",
            ]
        )  # fmt: skip

    def block(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(2, most)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        random, x = self.random, self.name()
        kind = random.randrange(13 if depth < 1 else 9)
        if kind < 4:
            return [f"{x} = {self.value()}"]
        if kind == 4:
            writes = [f"{x}.add_(1)", f"{x} += {self.name()}", f"{x}[0] = 7.0", f"{x}.view(3).mul_(0.5)", f"{x}.copy_({self.name()})", f"grow({x})"]
            return [random.choice(writes)]
        if kind == 5:
            return [f"a, b = {self.name()}, {self.value()}"]
        if kind == 6:
            return [random.choice([f"xs.append({self.value()})", f"xs[0] = {self.value()}", "xs = [v + 1 for v in xs]", "xs = xs[-2:]"])]
        if kind == 7:
            return [f"d['k'] = {self.value()}"]
        if kind == 8:
            return [f"o.h = {self.value()}"]
        if kind == 9 or self.loops >= 2:
            test = random.choice([f"{x}.sum() > 0", "random.random() > 0.5", f"{x}.max() < {self.name()}.max()"])
            other = ["else:", *self._inside(depth)] if random.random() < 0.6 else []
            return [f"if {test}:", *self._inside(depth), *other]
        self.loops += 1
        if kind == 12:
            return [f"n = {random.randint(2, 30)}", f"while n > 0 and {x}.sum() < 100:", "    n -= 1", *self._inside(depth)]
        leave = [f"    if {x}.sum() > 50:", f"        {random.choice(['break', 'continue'])}"] if random.random() < 0.3 else []
        count = random.choice(["3", "7", "40", "200", "random.randint(0, 9)"])
        return [f"for i in range({count}):", *leave, *self._inside(depth)]

    def _inside(self, depth: int) -> list[str]:
        return [f"    {line}" for line in self.block(depth + 1, 3)]
