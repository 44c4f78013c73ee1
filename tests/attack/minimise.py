"""The smallest program with the same wrong verdict: statements are deleted for as long as it stays."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.attack.judge import Judged, judge
from tests.attack.truth import Truth, run
from tests.attack.worker import Worker

MOST_TRIES = 60


def minimise(wrong: Judged) -> Judged:
    best, tries, again = wrong, 0, True
    worker = Worker()
    while again and tries < MOST_TRIES:
        again = False
        for text in _smaller(best.text):
            tries += 1
            if tries >= MOST_TRIES:
                break
            if (now := _still(text, wrong, worker)) is not None:
                best, again = now, True
                break
    worker.end()
    return judge(best.text, run(best.text))


def _still(text: str, wrong: Judged, worker: Worker) -> Judged | None:
    """The verdict of a smaller program, where it is wrong in the same way."""
    judged = judge(text, Truth(wrong.truth.crashes, 0))
    if judged.kind != wrong.kind and not (wrong.kind == "elsewhere" and judged.verdict == wrong.verdict):
        return None
    known = worker.run(text)
    if (known.crashes, known.exception) != (wrong.truth.crashes, wrong.truth.exception):
        return None
    again = judge(text, known)
    return again if again.kind == wrong.kind else None


def _smaller(text: str) -> Iterator[str]:
    """The program without one of its statements, or with a block in place of its compound statement."""
    count = sum(len(block) for block in _blocks(ast.parse(text)))
    for lifted in (False, True):
        for number in range(count - 1, -1, -1):
            tree = ast.parse(text)
            if _without(tree, number, lifted) and _all_used(tree):
                ast.fix_missing_locations(tree)
                yield ast.unparse(tree) + "\n"


def _all_used(tree: ast.AST) -> bool:
    """Whether something names each function and class: what is never called is judged by other rules."""
    made = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("__") and n.name != "forward"}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    return made <= used


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _without(tree: ast.AST, number: int, lifted: bool) -> bool:
    for block in _blocks(tree):
        if number < len(block):
            statement = block[number]
            if lifted:
                inner = getattr(statement, "body", None)
                if not isinstance(inner, list) or isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                    return False
                block[number : number + 1] = inner
            elif len(block) == 1:
                if isinstance(statement, ast.Pass):
                    return False
                block[0] = ast.Pass()
            else:
                del block[number]
            return True
        number -= len(block)
    return False
