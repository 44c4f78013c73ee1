"""The contracts that `infer` finds for the modules of the scripts, tried with the real torch: sizes inside run, sizes outside fail."""

from __future__ import annotations

import importlib
import itertools
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.infer import infer
from tensorproof.engines.shapes.contract import Contract
from tensorproof.frontends.python.modules.source import read

HERE = Path(__file__).parent
MODULES: dict[str, dict[str, dict[str, Any]]] = {
    "mnist/model.py": {"DigitCNN": {}, "DigitMLP": {}, "ClassicNet": {}},
    "resnet_cifar/nets/blocks.py": {"Plain": {"cin": 4, "width": 6}, "Narrow": {"cin": 4, "width": 6}, "ChannelGate": {}, "SkipSample": {}},
    "resnet_cifar/nets/residual.py": {"Residual": {}},
    "vae/model.py": {"DenseEncoder": {}, "DenseDecoder": {}, "ConvEncoder": {}, "ConvDecoder": {}, "AutoEncoder": {}},
    "dcgan/networks.py": {"Painter": {}, "Critic": {}, "BatchSpread": {}, "ClassPainter": {}},
    "language_model/model.py": {"SteadyDropout": {}, "Waves": {"features": 6}, "Attentive": {}},
    "seq2seq/model.py": {"Reader": {"words": 9, "embed": 5, "hidden": 4}, "Attention": {"hidden": 4}, "DotAttention": {}},
    "gpt/model.py": {
        "Norm": {"width": 6}, "RootNorm": {"width": 6}, "SelfAttention": {}, "SlowAttention": {}, "FeedForward": {}, "Gated": {"width": 6, "hidden": 5},
        "Layer": {}, "GPT": {},
    },
    "unet/segment/parts.py": {
        "TwoConvs": {"cin": 4, "cout": 6}, "Shrink": {"cin": 4, "cout": 6}, "Grow": {"cin": 8, "cout": 6}, "Classify": {"cin": 4, "classes": 3}, "Gate": {},
    },
    "unet/segment/network.py": {"UNet": {}},
}  # fmt: skip
WORDS = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*")
LEAST, LEAST_EXACT = 30, 25


def loaded(file: str) -> Any:
    """A file of the corpus as a module of Python."""
    path = HERE / file
    root = HERE / file.split("/")[0]
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    for known in [k for k in sys.modules if k.split(".")[0] in ("model", "settings", "nets", "networks", "segment", "data", "helpers")]:
        del sys.modules[known]
    sys.path.insert(0, str(root))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(root))


class Tried:
    """One contract, with values for its constructor's arguments."""

    def __init__(self, contract: Contract, made: dict[str, Any]) -> None:
        self.contract = contract
        self.made = {k: v for k, v in made.items() if isinstance(v, int)}
        self.shapes = {n: s.strip("()").rstrip(",").split(", ") for n, s in contract.inputs.items()}
        used = {w for axes in self.shapes.values() for axis in axes for w in WORDS.findall(axis)} | {w for c in contract.where for w in WORDS.findall(c)}
        self.free = sorted(used - {"min", "max", "if", "else", "and", "or", "not"} - self.made.keys())
        numbers = {int(n) for axes in self.shapes.values() for axis in axes for n in re.findall(r"\d+", axis)}
        self.pool = sorted({1, 2, 3, 4, 5, 7, 8, 12, 16, 28, 30, 32, 33, 64, 70, 256, 257, *self.made.values()} - {n for n in numbers if n > 600})

    def value(self, text: str, sizes: dict[str, int]) -> Any:
        known = {**self.made, **sizes}
        return eval(WORDS.sub(lambda w: str(known.get(w[0], w[0])), text))

    def inside(self, sizes: dict[str, int]) -> bool:
        return all(self.value(c, sizes) for c in self.contract.where)

    def concrete(self, sizes: dict[str, int], lead: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        return {n: tuple(itertools.chain.from_iterable(lead if a == "*" else (self.value(a, sizes),) for a in axes)) for n, axes in self.shapes.items()}

    def draws(self, rng: random.Random, wanted: bool) -> list[dict[str, tuple[int, ...]]]:
        found: list[dict[str, tuple[int, ...]]] = []
        for _ in range(4000):
            sizes = {w: rng.choice(self.pool) for w in self.free}
            shapes = self.concrete(sizes, tuple(rng.choice((1, 2, 3)) for _ in range(rng.choice((1, 2, 3)))))
            if self.inside(sizes) is wanted and sum(_count(s) for s in shapes.values()) < 400_000:
                found.append(shapes)
            if len(found) == 4:
                break
        return found

    def broken(self, rng: random.Random) -> list[dict[str, tuple[int, ...]]]:
        """Shapes outside: those that a condition excludes, and those with an axis that is one off where the contract fixes it."""
        found = self.draws(rng, False)
        for shapes in self.draws(rng, True)[:2]:
            for name, axes in self.shapes.items():
                for at, axis in enumerate(axes):
                    fixed = not WORDS.search(axis) or all(w in self.made for w in WORDS.findall(axis))
                    repeated = sum(axis in other for other in self.shapes.values()) > 1
                    if "*" not in axis and (fixed or repeated):
                        size = list(shapes[name])
                        place = at if axes[0] != "*" else at - len(axes)
                        size[place] += 1
                        if size[place] > 2:
                            found.append({**shapes, name: tuple(size)})
        return found


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def runs(torch: Any, module: Any, contract: Contract, shapes: dict[str, tuple[int, ...]]) -> str:
    """What the real module says: nothing when it runs."""
    given = {n: torch.zeros(s, dtype=getattr(torch, contract.dtypes[n])) for n, s in shapes.items()}
    try:
        with torch.no_grad():
            module(**given)
    except (RuntimeError, ValueError, AssertionError, IndexError) as error:
        return str(error) or type(error).__name__
    return ""


def test_contracts_hold_in_torch() -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(5)
    exact: list[str] = []
    without: list[str] = []
    wrong: list[str] = []
    count = 0
    for file, classes in MODULES.items():
        source = read(str(HERE / file))
        real = loaded(file)
        for name, made in classes.items():
            count += 1
            (found,) = infer(source, name)
            if found.contract is None or found.verdict.value != "valid":
                without.append(name)
                continue
            tried = Tried(found.contract, made)
            module = getattr(real, name)(**made)
            inside, outside = tried.draws(rng, True), tried.broken(rng)
            refused = [(s, said) for s in inside if (said := runs(torch, module, found.contract, s))]
            taken = [s for s in outside if not runs(torch, module, found.contract, s)]
            wrong += [f"{found.contract}: {s} is inside, but {said[:80]}" for s, said in refused] + [f"{found.contract}: {s} is outside, and runs" for s in taken]
            bound = bool(found.contract.where) or any(a not in tried.free and a != "*" for axes in tried.shapes.values() for a in axes)
            if inside and not refused and not taken and (outside or not bound):
                exact.append(name)
    assert not wrong, "\n".join(wrong)
    assert count >= LEAST, count
    assert len(exact) >= LEAST_EXACT, (len(exact), without)
