"""Programs of 400 lines with 40 branches on unknown conditions, as people write them: paths, seconds, and whether the bug at the end is found.

python benchmarks/branches.py [--only WORD]           (from the root of the repository)
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from tensorproof.app.check import check_source
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import parse

BRANCHES, LINES, MOST_PATHS, MOST_SECONDS = 40, 400, 4, 1.0
HEAD = """import random
import torch
from torch import nn
import unseen
cfg = unseen.load()
best, kept, gathered = 1e9, 0, []
x = torch.zeros(4, 12)
net = nn.Linear(12, 12)
"""
LAST = "print(nn.Linear(13, 2)(x))\n"
STYLES: dict[str, Callable[[int], str]] = {
    "flags of a config": lambda i: f"if cfg.flag{i}:\n    x = x * 2 + {i}\nelse:\n    x = x - {i}\n",
    "a loss below the best": lambda i: f"loss = x.mean().item()\nif loss < best:\n    best = loss\n    kept = {i}\n",
    "random numbers": lambda i: "if random.random() < 0.5:\n    x = torch.flip(x, dims=[1])\n",
    "nested": lambda i: f"if cfg.a{i}:\n    if cfg.b{i} > {i}:\n        x = torch.relu(x)\n    else:\n        x = torch.tanh(x)\n",
    "continue": lambda i: f"for k in range(3):\n    if unseen.skip({i}, k):\n        continue\n    x = x + k\n",
    "raise": lambda i: f"if unseen.check({i}) is None:\n    raise ValueError('bad {i}')\nx = x + 1\n",
    "a layer by a word": lambda i: f"act{i} = nn.GELU() if cfg.act{i} == 'gelu' else nn.ReLU()\nx = act{i}(x)\n",
    "lists": lambda i: f"if cfg.keep{i}:\n    gathered.append(x.mean())\n",
    "texts": lambda i: f"name{i} = cfg.name{i}\nif name{i}.startswith('a'):\n    x = x + 1\nelif name{i} == 'b':\n    x = x - 1\n",
    "early return": lambda i: f"if cfg.stop{i}:\n    return x * {i}\nx = net(x)\n",
}


def program(style: str, inside: bool) -> str:
    """A program of one style, whose branches stand inside a loop of 1,000 iterations or not."""
    body = ""
    for i in range(BRANCHES):
        one = STYLES[style](i)
        body += one + "".join(f"y{i}_{j} = x + {j}\n" for j in range(LINES // BRANCHES - one.count("\n")))
    if style == "early return":
        run = f"def run(x, cfg):\n{_indented(body)}    return x\n"
        return HEAD + run + ("for step in range(1000):\n    x = run(x, cfg)\n" if inside else "x = run(x, cfg)\n") + LAST
    return HEAD + (f"for step in range(1000):\n{_indented(body)}" if inside else body) + LAST


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="styles that hold this word")
    given = parser.parse_args()
    short = 0
    print("| style | in a loop | paths | seconds | the bug |\n|---|---|---|---|---|")
    for style in (s for s in STYLES if given.only in s):
        for inside in (False, True):
            text = program(style, inside)
            start = time.process_time()
            found = check_source(parse("program.py", text))
            seconds, paths = time.process_time() - start, sum(found.paths.values())
            last = text.count("\n")
            at_last = [d for d in found.diagnostics if d.span.line == last]
            bug = "found" if any(d.severity is Severity.ERROR for d in at_last) else "a warning" if at_last else found.verdict.value
            short += paths > MOST_PATHS or seconds > MOST_SECONDS or bug != "found"
            print(f"| {style} | {'yes' if inside else 'no'} | {paths} | {seconds:.2f} | {bug} |", flush=True)
    print(f"\nshort of {MOST_PATHS} paths, {MOST_SECONDS} s of processor time and the bug: {short}")
    return int(short > 0)


if __name__ == "__main__":
    sys.exit(main())
