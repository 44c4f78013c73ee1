"""What a generator of programs draws with: numbers, names and lines, and places at which one fault may be planted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
Scene = Callable[["Draw"], None]

HANDLED = ("RuntimeError", "ValueError", "TypeError", "IndexError", "(RuntimeError, ValueError)", "AttributeError", "Exception")
FLAGS = ("TP_A", "TP_B")
"""Variables of the environment that a program may ask; the truth is tried with each on and off."""


class Draw:
    """One drawing of a program. The same seed gives the same program with and without its fault."""

    def __init__(self, seed: str, fault: int | None = None) -> None:
        self.rng = random.Random(seed)
        self.wrongs = random.Random(f"wrong {seed}")
        self.fault = fault
        self.places = 0
        self.lines: list[str] = []
        self.depth = 0

    def wrong(self, right: T, *wrong: T) -> T:
        """What is right here, or at the place of the fault one of what is wrong."""
        self.places += 1
        if self.fault == self.places - 1:
            return self.wrongs.choice(wrong)
        return right

    def size(self, low: int = 2, high: int = 7) -> int:
        return self.rng.randint(low, high)

    def sizes(self, count: int, low: int = 2, high: int = 9) -> list[int]:
        """So many sizes, all different."""
        return self.rng.sample(range(low, high + 1), count)

    def pick(self, *items: T) -> T:
        return self.rng.choice(items)

    def often(self, share: float = 0.5) -> bool:
        return self.rng.random() < share

    def line(self, *texts: str) -> None:
        for text in texts:
            self.lines += [("    " * self.depth + part) if part else "" for part in text.split("\n")]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        before = len(self.lines)
        self.depth += 1
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def import_(self, text: str) -> None:
        if text not in self.lines:
            self.lines.insert(0, text)

    def flag(self) -> str:
        self.import_("import os")
        return f'os.environ.get("{self.pick(*FLAGS)}") == "1"'

    def near(self, n: int) -> int:
        """A size near another."""
        return n + 1 if n <= 2 else self.wrongs.choice((n - 1, n + 1))

    def shape(self, sizes: Sequence[int]) -> str:
        """A shape, one of whose sizes may be wrong."""
        place = self.rng.randrange(len(sizes)) if sizes else 0
        other = [n if i != place else self.near(n) for i, n in enumerate(sizes)]
        shown = self.wrong(list(sizes), other) if sizes else list(sizes)
        return ", ".join(map(str, shown))

    def same(self, expression: str, sizes: Sequence[int]) -> None:
        """A line that fails when the expression has another shape."""
        self.line(self.pick(
            f"print(({expression} + torch.zeros({self.shape(sizes) or '()'})).shape)",
            f"print(({expression}).reshape({self.shape(sizes) or '()'}).shape)",
        ))  # fmt: skip


def compose(d: Draw, scenes: Sequence[Scene], most: int = 2) -> None:
    """One or a few scenes, each as it is or within something."""
    for number in range(d.rng.randint(1, most)):
        scene = d.rng.choice(scenes)
        match d.rng.randrange(12):
            case 0:
                with d.block(f"def part{number}():"):
                    scene(d)
                d.line(f"part{number}()")
            case 1:
                with d.block(f"for turn in range({d.pick(1, 2, 3)}):"):
                    scene(d)
            case 2:
                with d.block(f"class Part{number}:"), d.block("def go(self):"):
                    scene(d)
                d.line(f"Part{number}().go()")
            case 3:
                with d.block(f"if {d.flag()}:"):
                    scene(d)
            case 4:
                with d.block("try:"):
                    scene(d)
                with d.block(f"except {d.pick(*HANDLED)}:"):
                    d.line('print("refused")')
            case _:
                scene(d)


def program(draw: Scene, seed: str) -> str:
    """The program of a seed, with a fault in every second one."""
    right = Draw(seed)
    draw(right)
    if right.wrongs.random() < 0.5 or not right.places:
        return "\n".join(right.lines) + "\n"
    faulty = Draw(seed, right.wrongs.randrange(right.places))
    draw(faulty)
    return "\n".join(faulty.lines) + "\n"
