"""Modules of a package do not import each other in a circle, be it at the top of a file or inside a function.

Imports for types alone (`if TYPE_CHECKING:`) do not count. `import_cycles.txt` names the packages that still have a circle of more than two modules, with the
size of the largest; it only shrinks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
LISTED = Path(__file__).parent / "import_cycles.txt"
MOST = 2
"""Two modules may know each other."""


def modules() -> dict[str, Path]:
    found = {}
    for path in (SOURCE / "tensorproof").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run, wherever they stand."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield from statements(ast.Module([other], []))
        else:
            yield from statements(child)


def imported(tree: ast.AST, known: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for one in statements(tree):
        if isinstance(one, ast.Import):
            found |= {alias.name for alias in one.names}
        else:
            names = {f"{one.module}.{alias.name}" for alias in one.names}
            found |= {name if name in known else str(one.module) for name in names}
    return found & set(known)


def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imported(ast.parse(path.read_text(encoding="utf-8")), known) - {name} for name, path in known.items()}


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in edges:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        work = [(root, iter(sorted(edges[root])))]
        while work:
            at, rest = work[-1]
            following = next((n for n in rest if n not in number or n in stack), None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    cut = stack.index(at)
                    found.append(sorted(stack[cut:]))
                    del stack[cut:]
            elif following in number:
                low[at] = min(low[at], number[following])
            else:
                number[following] = low[following] = len(number)
                stack.append(following)
                work.append((following, iter(sorted(edges[following]))))
    return [one for one in found if len(one) > 1]


def package(cycle: list[str]) -> str:
    """The innermost package that holds all modules of a cycle."""
    shared = [name.split(".")[1:-1] for name in cycle]
    common: list[str] = []
    for parts in zip(*shared):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return ".".join(common) or "tensorproof"


def test_cycles_are_found() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert sorted(cycles(edges)) == [["a", "b", "c"], ["d", "e"]]


def test_imports_inside_functions_count_and_those_for_types_do_not() -> None:
    text = "if TYPE_CHECKING:\n    from p import a\nelse:\n    import p.d\ndef f():\n    from p import b\n    from p.c import x\n"
    assert imported(ast.parse(text), dict.fromkeys(("p.a", "p.b", "p.c", "p.d"), SOURCE)) == {"p.b", "p.c", "p.d"}


def test_no_package_has_a_cycle_of_more_than_two_modules() -> None:
    found: dict[str, int] = {}
    for cycle in cycles(graph()):
        if len(cycle) > MOST:
            found[package(cycle)] = max(found.get(package(cycle), 0), len(cycle))
    allowed = {name: int(size) for name, size in (line.split() for line in LISTED.read_text().splitlines() if line)}
    grown = {name: size for name, size in found.items() if size > allowed.get(name, 0)}
    assert grown == {}, "modules import each other in a circle: move what they share below them, or go through the machine"
    shrunk = {name: size for name, size in allowed.items() if found.get(name, 0) < size}
    assert shrunk == {}, "smaller circles than import_cycles.txt says: lower its numbers"
