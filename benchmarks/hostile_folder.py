"""A folder of 200 files, 20 of them hostile: each hostile file is named, the others are checked as alone, and nothing is run.

Also: Ctrl-C while Z3 works on a long question, and `--time-limit 5` on ten programs that take minutes. Exits with 1 when a target is missed.

    python benchmarks/hostile_folder.py [--files 200]        (on an idle machine: the limits are also measured by the clock)
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

END = "\nimport torch\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
ORDINARY = (
    "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear({i}, 20), nn.ReLU(), nn.Linear(20, 3))\nprint(net(torch.zeros(8, {i})).shape)\n",
    "import torch\nx = torch.zeros(4, {i})\ny = torch.ones({i}, 2)\nprint((x @ y).sum().item())\n",
    "import torch\nfrom torch import nn\nx = torch.zeros(2, 3, {i} + 8, {i} + 8)\nx = nn.Conv2d(3, 8, 3)(x)\nprint(nn.Linear(8, 2)(x).shape)\n",
    "import torch\nimport torch.nn.functional as F\ndef step(n):\n    return F.cross_entropy(torch.zeros(n, {i} + 2), torch.zeros(n, dtype=torch.long))\n"
    "for n in range(1, 4):\n    print(step(n))\n",
)  # fmt: skip
HOSTILE: dict[str, str | bytes] = {
    "syntax.py": "x = (\n", "python2.py": "print 'hello'\n", "bytes.py": b"\xff\xfe\x00\x80", "nul.py": b"x = 1\0\n", "large.py": b"x = 1\n" * 900_000,
    "brackets.py": "x = " + "[" * 10_000 + "]" * 10_000, "exit.py": f"exit(){END}", "breakpoint.py": f"breakpoint(){END}", "power.py": f"x = 10**10**8{END}",
    "recursion.py": "def f(n):\n    return f(n + 1)\nf(0)\n", "regex.py": f"import re\nre.match(r'(a+)+$', 'a' * 50 + 'b'){END}",
    "text.py": f"x = 'x' * 10**9{END}",
    "forks.py": "import random\nx = []\n" + "".join(f"if random.random() > 0.5:\n    x.append({i})\nfor q in x:\n    pass\n" for i in range(60)) + END,
    "endless.py": "import os\nn = 0\nwhile True:\n    n += len(os.environ)\n", "system.py": f"import os\nos.system('touch RAN'){END}",
    "literal.py": "x = [" + ", ".join(map(str, range(150_000))) + f"]{END}", "input.py": f"x = input()\nhelp()\nlicense(){END}",
}  # fmt: skip
"""Beside these: a dangling link, a link to itself, and a file without permission."""
MINUTES = {
    "table.py": "import numpy as np\nt = np.array([[p / np.power(10000, 2 * (j // 2) / 512) for j in range(512)] for p in range(20000)])\n",
    "fib.py": "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(45))\n",
    "layers.py": "import torch\nx = torch.zeros(2, 8)\nfor i in range(10**6):\n    x = torch.nn.Linear(8, 8 + i % 7 - i % 7)(x)\n"
    "    if i % 1000 == 999:\n        x = x.clone()\n",
    "pairs.py": "import torch\nn = 0\nfor i in range(3000):\n    for j in range(3000):\n        n += torch.zeros(i + 1, j + 1).numel()\n",
    "strings.py": "words = []\nfor i in range(10**6):\n    words.append(str(i) + '-' + str(i * i))\nprint(len(set(words)))\n",
    "sets.py": "a = set()\nfor i in range(20000):\n    a.add((i * 7919) % 10007)\n    a.discard(i)\nprint(len(a))\n",
    "sort.py": "import random\nx = [(i * 7919) % 100003 for i in range(50000)]\nfor i in range(len(x)):\n    for j in range(i):\n"
    "        if x[j] > x[i]:\n            x[i], x[j] = x[j], x[i]\n",
    "generator.py": "def numbers():\n    i = 0\n    while True:\n        yield i\n        i += 1\nt = 0\nfor n in numbers():\n    t += n * n\n"
    "    if t > 10**15:\n        break\n",
    "nested.py": "import torch\ndef walk(d):\n    return torch.zeros(1) if d == 0 else walk(d - 1) + walk(d - 1)\nwalk(30)\n",
    "regexes.py": "import re\nfor i in range(10**5):\n    re.match(r'(a+)+$', 'a' * (40 + i % 10) + 'b' * (i % 97))\n",
}  # fmt: skip
FINDING = (
    "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, required=True)\nn = p.parse_args().n\nif n > 3:\n"
    "    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
)
"""Stands before each program of minutes: it must still be found."""
CTRL_C = """
import sys
from tensorproof.app import check as use_case
from tensorproof.cli.main import main
from tensorproof.solve.z3_solver import Z3Solver
from tensorproof.terms.ints import symbol
from tensorproof.terms.predicates import eq
def ask(source, options=None):
    x, y, z, w = symbol("x", 2, 10**9), symbol("y", 2), symbol("z", 2), symbol("w", 2)
    solver = Z3Solver(2**30)
    solver.assume(eq(x * x * x + y * y * y + z * z * z, w * w * w + 33))
    print("asking", flush=True)
    solver.check()
use_case.check_source = ask
sys.exit(main(["check", sys.argv[1]]))
"""


def run(*arguments: str, cwd: Path, user: str | None = None) -> tuple[subprocess.CompletedProcess[str], float]:
    """The command, as it is typed; as another user where that is asked."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "tensorproof", *arguments], cwd=cwd, capture_output=True, text=True, input="", user=user, timeout=1800,
    )  # fmt: skip
    return done, time.perf_counter() - start


def report(done: subprocess.CompletedProcess[str]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The programs and the codes found, by path."""
    whole = json.loads(done.stdout)
    codes: dict[str, list[str]] = {p["path"].removeprefix("./"): [] for p in whole["programs"]}
    for d in whole["diagnostics"]:
        codes.setdefault(d["path"].removeprefix("./"), []).append(d["code"])
    return {p["path"].removeprefix("./"): {**p, "path": "", "seconds": 0} for p in whole["programs"]}, codes


def folder_of(count: int, root: Path) -> list[str]:
    """Make the folder; the names of its ordinary files."""
    names = [f"ordinary_{i:03}.py" for i in range(count - 20)]
    for i, name in enumerate(names):
        (root / name).write_text(ORDINARY[i % len(ORDINARY)].format(i=i + 1))
    for name, text in HOSTILE.items():
        (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (root / "dangling.py").symlink_to("nowhere")
    (root / "loop.py").symlink_to("loop.py")
    (root / "secret.py").write_text("x = 1\n")
    (root / "secret.py").chmod(0)
    return names


def _can_run(user: str) -> bool:
    """Whether another user may run this Python."""
    try:
        return subprocess.run([sys.executable, "-m", "tensorproof", "--version"], user=user, capture_output=True).returncode == 0
    except OSError:
        return False


def hostile_folder(count: int, root: Path) -> bool:
    ordinary = folder_of(count, root)
    user = None
    if os.geteuid() == 0:  # root may read everything: the check runs as another user, or the file is one that cannot be read
        user = next((u.pw_name for u in pwd.getpwall() if u.pw_name == "nobody"), None)
        root.chmod(0o777)
        if user is None or not _can_run(user):
            user = None
            (root / "secret.py").unlink()
            (root / "secret.py").symlink_to("/proc/self/mem")
    done, seconds = run("check", ".", "--output-format", "json", cwd=root, user=user)
    if done.returncode != 1 or not done.stdout:
        print(done.stdout[-300:], done.stderr[-300:])
        return False
    together, codes = report(done)
    alone = {name: report(run("check", name, "--output-format", "json", cwd=root, user=user)[0]) for name in ordinary}
    same = sum(programs[name] == together[name] and found[name] == codes[name] for name, (programs, found) in alone.items())
    hostile = [*HOSTILE, "dangling.py", "loop.py", "secret.py"]
    named = [name for name in hostile if codes.get(name)]
    for name in hostile:
        print(f"  {name:16} {together.get(name, {}).get('verdict', '-'):8} {', '.join(codes.get(name, []))}")
    ran = (root / "RAN").exists()
    print(f"{len(together)} files in {seconds:.1f} s (limits add up to {20 * count} s), exit status {done.returncode}")
    print(f"ordinary files as alone: {same} of {len(ordinary)} · hostile files named: {len(named)} of {len(hostile)} · something was run: {ran}")
    return same == len(ordinary) and len(named) == len(hostile) and not ran and seconds < 20 * count


def limited(root: Path) -> bool:
    worst, kept = 0.0, 0
    for name, text in MINUTES.items():
        (root / name).write_text(FINDING + text)
        before = os.times()
        done, seconds = run("check", name, "--time-limit", "5", "--output-format", "json", cwd=root)
        after = os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        found = report(done)[1].get(name, [])
        kept += "matmul/inner" in found
        worst = max(worst, seconds)
        print(f"  {name:16} {seconds:5.1f} s, {processor:5.1f} s of processor time  {', '.join(found)}")
    print(f"--time-limit 5: the longest took {worst:.1f} s (target 7) · findings kept: {kept} of {len(MINUTES)}")
    return worst <= 7 and kept == len(MINUTES)


def interrupted(root: Path) -> bool:
    (root / "one.py").write_text("x = 1\n")
    child = subprocess.Popen([sys.executable, "-c", CTRL_C, "one.py"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(1)
    start = time.perf_counter()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    seconds = time.perf_counter() - start
    print(f"Ctrl-C inside Z3: ended after {seconds:.2f} s (target 1), exit status {child.returncode}, {said.strip()!r}")
    return seconds <= 1 and child.returncode == 2 and said == "tensorproof: interrupted\n"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--only", choices=("folder", "limit", "interrupt"))
    given = parser.parse_args()
    root = Path(tempfile.mkdtemp())
    try:
        parts = {"interrupt": lambda: interrupted(root), "limit": lambda: limited(root), "folder": lambda: hostile_folder(given.files, inner)}
        inner = root / "folder"
        inner.mkdir()
        root.chmod(0o755)
        met = [part() for name, part in parts.items() if given.only in (None, name)]
        return int(not all(met))
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    sys.exit(main())
