"""`tensorproof check` in one run: a training script against `import torch`, and how cost grows with blocks, layers and epochs.

python benchmarks/check_speed.py        (torch must be installed for the first line)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

SCRIPT = Path(__file__).parent.parent / "examples" / "mnist.py"
BLOCKS = """import random
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.bn = nn.BatchNorm2d(c)

    def forward(self, x):
        return torch.relu(x + self.bn(self.conv(x)))

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block(16) for _ in range(n)])
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        for block in self.blocks:
            if random.random() < 0.5:
                x = block(x)
        return self.fc(x.mean(dim=(2, 3)))

y = Net({n})(torch.randn(8, 16, 32, 32))
assert y.shape == (8, 10)
"""
LAYERS = """import torch
import torch.nn as nn
layers = []
for i in range({n}):
    layers.append(nn.Linear(32, 32))
net = nn.Sequential(*layers)
y = net(torch.randn(8, 32))
assert y.shape == (8, 32)
"""
EPOCHS = """import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []
for epoch in range({n}):
    x = torch.randn(16, 32)
    t = torch.randint(0, 10, (16,))
    optimizer.zero_grad()
    loss = loss_fn(net(x), t)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if epoch % 10 == 0:
        print(epoch, loss.item())
"""


def best(command: list[str], times: int) -> float:
    def once() -> float:
        start = perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return perf_counter() - start

    return min(once() for _ in range(times))


def check(path: Path, times: int = 3) -> float:
    return best([sys.executable, "-m", "tensorproof", "check", "--fail-on", "unknown", str(path)], times)


def main() -> int:
    rows: list[tuple[str, str, float, float]] = []
    mnist, torch = check(SCRIPT, 5), best([sys.executable, "-c", "import torch"], 5)
    rows.append(("cold check of examples/mnist.py / import torch", "≤ 0.15", mnist / torch, 0.15))
    with tempfile.TemporaryDirectory() as folder:

        def timed(text: str, n: int) -> float:
            path = Path(folder) / f"p{n}.py"
            path.write_text(text.replace("{n}", str(n)))
            return check(path)

        rows.append(("1,000 stochastic blocks, seconds", "≤ 2", timed(BLOCKS, 1000), 2))
        small, large = timed(LAYERS, 1000), timed(LAYERS, 10_000)
        rows.append(("10,000-layer Sequential, seconds", "≤ 5", large, 5))
        rows.append(("t(10,000) / t(1,000)", "≤ 13", large / small, 13))
        rows.append(("200 epochs / 1 epoch", "≤ 1.2", timed(EPOCHS, 200) / timed(EPOCHS, 1), 1.2))
    print("| what | asked | measured |\n|---|---|---|")
    for what, asked, measured, _ in rows:
        print(f"| {what} | {asked} | {measured:.3f} |")
    return int(any(measured > limit for _, _, measured, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
