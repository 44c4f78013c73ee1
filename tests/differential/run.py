"""`python -m tests.differential.run 5000 --seed 1 [--symbolic | --loops]`: many programs, the counts, and the first that differ, made small."""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from time import perf_counter

from tensorproof.frontends.python.loops import budgets
from tests.differential import concrete, loops, symbolic
from tests.differential.concrete import Outcome
from tests.differential.programs import program


def shrunk(text: str, differs: Callable[[str], bool], seconds: float = 20) -> str:
    """The program with every statement left out that the difference does not need."""
    end = perf_counter() + seconds
    tree = ast.parse(text)
    changed = True
    while changed and perf_counter() < end:
        changed = False
        for owner, field in _suites(tree):
            body = getattr(owner, field)
            at = 0
            while at < len(body) and perf_counter() < end:
                gone = body[at]
                for instead in ([], *_insides(gone)):
                    body[at : at + 1] = instead
                    if _tried(tree, differs):
                        changed = True
                        break
                    body[at : at + len(instead)] = [gone]
                else:
                    at += 1
                    continue
    return ast.unparse(tree)


def _insides(node: ast.stmt) -> list[list[ast.stmt]]:
    """The suites of a statement, which may stand in its place."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return []
    found = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
    if getattr(node, "orelse", None) or getattr(node, "finalbody", None):
        for name in ("orelse", "finalbody"):
            if getattr(node, name, None):
                bare = ast.parse(ast.unparse(node)).body[0]
                setattr(bare, name, [])
                found.append([bare])
    return found


def _suites(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    return [
        (node, name) for node in ast.walk(tree) for name in ("body", "orelse", "finalbody", "handlers", "cases") if isinstance(getattr(node, name, None), list)
    ]


def _tried(tree: ast.Module, differs: Callable[[str], bool]) -> bool:
    try:
        text = ast.unparse(tree)
        concrete.compiled(text)
    except Exception:
        return False
    return differs(text)


def kind_of(outcome: Outcome) -> str:
    """What a difference is about, so that shrinking does not slip from one to another."""
    return outcome.difference.split(":")[0].split("(")[0][:12] if outcome.difference else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--symbolic", action="store_true")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--any-round", action="store_true", help="one round stands for all as early as it can; values that are not known are no difference")
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--whole", action="store_true")
    chosen = parser.parse_args()
    if chosen.any_round:
        budgets.DEAR = -1
    compare = symbolic.compare if chosen.symbolic else partial(concrete.compare, loose=True) if chosen.any_round else concrete.compare
    total: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    shown: set[str] = set()
    start = perf_counter()
    for number in range(chosen.count):
        seed = chosen.seed * 1_000_000 + number
        text = loops.program(seed) if chosen.loops else program(seed, chosen.symbolic)
        kinds.update(type(n).__name__ for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.stmt, ast.expr, ast.pattern)))
        outcome = compare(text)
        total.update(programs=1, values=outcome.values, unknown=outcome.unknown, paths=outcome.paths, raised=bool(outcome.raised), gaps=bool(outcome.gaps))
        total.update({"skipped": bool(outcome.skipped), "differ": bool(outcome.difference)})
        if outcome.difference and len(shown) < chosen.show and kind_of(outcome) not in shown:
            shown.add(kind_of(outcome))
            wanted = kind_of(outcome)
            small = text if chosen.whole else shrunk(text, lambda t, wanted=wanted: kind_of(compare(t)) == wanted)
            print(f"--- seed {seed}: {compare(small).difference or outcome.difference}\n{small}", flush=True)
    print(dict(total), f"{perf_counter() - start:.0f} s")
    print(len(kinds), "kinds of nodes:", " ".join(f"{k} {n}" for k, n in kinds.most_common()))
    return 1 if total["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
