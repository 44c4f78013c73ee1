"""Modules of a package do not import each other in a circle, be it at the top of a file or inside a function.

Imports for types alone (`if TYPE_CHECKING:`) do not count. `import_cycles.txt` names the packages that still have a circle of more than two modules, with the
size of the largest; it only shrinks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
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


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imported(parsed(path), known) - {name} for name, path in known.items()}


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


MOST_THAT_AVOID = 10
BY_NAME = {"import_module": "", "file_named": "tensorproof.libraries.", "later": "tensorproof.", "makers": "tensorproof."}
"""Calls that import a module by its name, and what they put before it."""


def inside_functions(tree: ast.AST, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """(line, module) of the imports inside functions, with those that name the module in a text."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for one in statements(function):
                for name in imported(ast.Module([one], []), known):
                    yield one.lineno, name
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            before = BY_NAME.get(ast.unparse(call.func).rpartition(".")[2])
            if before is not None and f"{before}{call.args[0].value}" in known:
                yield call.lineno, f"{before}{call.args[0].value}"


def reaches(start: str, end: str, edges: dict[str, set[str]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        at = waiting.pop()
        if at == end:
            return True
        waiting += edges[at] - seen
        seen |= edges[at]
    return False


def test_an_import_by_name_is_seen() -> None:
    text = "def f():\n    from p import b\n    return import_module('p.c'), later('d')\n"
    known = dict.fromkeys(("p.a", "p.b", "p.c", "tensorproof.d"), SOURCE)
    assert sorted(inside_functions(ast.parse(text), known)) == [(2, "p.b"), (3, "p.c"), (3, "tensorproof.d")]


def test_few_imports_inside_functions_avoid_a_cycle() -> None:
    """Such an import avoids a cycle when the module that it names imports the importing one, by whatever steps. The others are for a quick start."""
    known, edges = modules(), graph()
    found = {
        f"{name}:{line} {other}"
        for name, path in known.items()
        for line, other in inside_functions(parsed(path), known)
        if other != name and reaches(other, name, edges)
    }
    assert len(found) <= MOST_THAT_AVOID, "\n".join(["move what both need below them:", *sorted(found)])
