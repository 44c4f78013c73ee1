"""The size of the catalogue and of the spelling tables, the median length of a declaration and the longest file."""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from pathlib import Path

from tensorproof import catalogue
from tensorproof.app.operators import home_of
from tensorproof.bindings import rows as tables

ASKED = {"torch": 600, "torch.nn": 130, "tf + keras": 500, "onnx": 140, "aten": 250, "graphdef": 200}


def declaration_lengths() -> list[int]:
    """Lines of each declaration: the statement that makes the Op, with the rule of its own where only it uses one."""
    lengths: list[int] = []
    for file in catalogue.files():
        source = Path(catalogue.__file__).with_name(f"{file}.py")
        tree = ast.parse(source.read_text(encoding="utf-8"))
        functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        uses = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))
        for node in tree.body:
            if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
                continue
            calls = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for made in calls:
                if not isinstance(made, ast.Call) or (isinstance(made.func, ast.Name) and made.func.id in ("frozenset", "Values", "Interval", "Hazard")):
                    continue
                own = {n.id for n in ast.walk(made) if isinstance(n, ast.Name) and n.id in functions and uses[n.id] == 1}
                extra = sum((functions[f].end_lineno or 0) - functions[f].lineno + 1 for f in own)
                lengths.append((made.end_lineno or 0) - made.lineno + 1 + extra)
    return lengths


def main() -> int:
    spellings = [n for library in sorted(set(tables.LIBRARIES.values())) for n in tables.names(library)]
    homes = Counter(home_of(n) for n in spellings)
    homes["tf + keras"] = homes["tf"] + homes["keras"]
    files = {f: len(Path(catalogue.__file__).with_name(f"{f}.py").read_text(encoding="utf-8").splitlines()) for f in catalogue.files()}
    longest = max(files, key=lambda f: files[f])
    median = statistics.median(declaration_lengths())
    rows = [("operators", 300, len(catalogue.everything())), ("spellings", 1800, len(spellings))]
    rows += [(f"spellings in {home}", asked, homes[home]) for home, asked in ASKED.items()]
    print("| what | asked | measured |\n|---|---|---|")
    for what, asked, measured in rows:
        print(f"| {what} | ≥ {asked} | {measured} |")
    print(f"| spellings in numpy | | {homes['numpy']} |")
    print(f"| median lines of a declaration, with a rule of its own | ≤ 10 | {median:g} |")
    print(f"| longest catalogue file | ≤ 400 | {files[longest]} ({longest}.py) |")
    return int(any(measured < asked for _, asked, measured in rows) or median > 10 or files[longest] > 400)


if __name__ == "__main__":
    sys.exit(main())
