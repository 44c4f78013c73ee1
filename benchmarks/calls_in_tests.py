"""Calls of public names in the libraries' own tests give no alarm about their arguments.

    python benchmarks/calls_in_tests.py [--calls 1500] [--seed 0] [--all]

Read, where they are installed: the tests of NumPy, Keras and the standard library; for torch `torch.testing`, `torch.nn` and `torch.distributions`, and for
TensorFlow what Keras' backend and tests call, since neither installs its tests. A call counts once for each number and set of names of its arguments. Each
becomes a program with values that are not known; an alarm is a `call/arguments`. Left out: calls with `*` or `**`, and calls that a test expects to fail.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy

from misspelt_arguments import is_module, reports
from tensorproof.libraries import signatures

SITE, STANDARD = Path(numpy.__file__).parents[1], Path(sysconfig.get_paths()["stdlib"])
FILES = {
    "numpy": ((SITE / "numpy", "test_*.py"),),
    "python": ((STANDARD / "test", "test_*.py"),),
    "keras": ((SITE / "keras", "*_test.py"),),
    "torch": ((SITE / "torch" / "testing", "*.py"), (SITE / "torch" / "nn", "*.py"), (SITE / "torch" / "distributions", "*.py")),
    "tensorflow": ((SITE / "keras" / "src" / "backend" / "tensorflow", "*.py"), (SITE / "keras", "*_test.py")),
}
FAILS = ("aises", "suppress", "warns")


@dataclass(frozen=True, order=True)
class Call:
    name: str
    positional: int
    keywords: tuple[str, ...]

    def program(self) -> str:
        root, _, rest = self.name.partition(".")
        module = self.name.rpartition(".")[0]
        head, name = ("import tensorflow as tf", f"tf.{rest}") if root == "tensorflow" else (f"import {module}", self.name)
        arguments = ", ".join([*["v"] * self.positional, *(f"{key}=v" for key in self.keywords)])
        return f"{head}\nimport json\nv = json.load(open('values.json'))\n{name}({arguments})\n"


def may_fail(parents: dict[ast.AST, ast.AST], node: ast.AST) -> bool:
    """Whether a test expects that a call fails, or catches that."""
    while node in parents:
        node = parents[node]
        if isinstance(node, (ast.Try, ast.Lambda)):
            return True
        if isinstance(node, ast.With) and any(word in ast.unparse(item.context_expr) for item in node.items for word in FAILS):
            return True
    return False


def imported(tree: ast.Module) -> dict[str, str]:
    """What each imported name of a file is; those that the file binds again are left out."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return {name: value for name, value in found.items() if name not in bound}


def dotted(node: ast.expr, names: dict[str, str]) -> str | None:
    if isinstance(node, ast.Attribute):
        before = dotted(node.value, names)
        return None if before is None else f"{before}.{node.attr}"
    return names.get(node.id) if isinstance(node, ast.Name) else None


def of_library(name: str, library: str) -> bool:
    """Whether a name is a function or class of a module of the library with a signature."""
    root, module = name.partition(".")[0], name.rpartition(".")[0]
    if root != library and not (library == "python" and root in sys.stdlib_module_names and root != "test"):
        return False
    if any(part[:1].isupper() for part in module.split(".")) or not is_module(module):
        return False
    return bool(module and signatures.forms(name.replace("tensorflow", "tf", 1) if root == "tensorflow" else name))


def calls(library: str) -> Iterator[Call]:
    for folder, pattern in FILES[library]:
        for path in folder.rglob(pattern):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
            names = imported(tree)
            parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and not any(isinstance(one, ast.Starred) for one in node.args):
                    keywords = tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None)
                    name = (dotted(node.func, names) or "").replace("keras.src.", "keras.")
                    if len(keywords) == len(node.keywords) and of_library(name, library) and not may_fail(parents, node):
                        yield Call(name, len(node.args), keywords)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="every call that is found")
    given = parser.parse_args()
    draw, programs = random.Random(given.seed), dict[str, str]()
    for library in FILES:
        found = sorted(set(calls(library)))
        draw.shuffle(found)
        programs |= {str(call): call.program() for call in (found if given.all else found[: given.calls // len(FILES)])}
    with tempfile.TemporaryDirectory() as folder:
        results = reports(programs, folder)
    alarms = [(key, one["message"]) for key, findings in results.items() for one in findings if one["code"] == "call/arguments"]
    print("".join(f"alarm: {programs[key].splitlines()[-1]}: {message}\n" for key, message in alarms), end="")
    print(f"| what | asked | measured |\n|---|---|---|\n| alarms on {len(programs)} valid calls in the libraries' own tests | 0 | {len(alarms)} |")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
