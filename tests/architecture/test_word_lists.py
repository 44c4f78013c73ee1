"""What operators do is said in their declarations: no list of operators' names elsewhere classifies them again.

`word_lists.txt` names the lists of such words that mean something else, by file, with how many and why: words of Python's data model, of NumPy's functions
on boxes, of other libraries, tables of spellings. It only shrinks.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tensorproof.catalogue.where import WHERE

SOURCE = Path(__file__).parents[2] / "src" / "tensorproof"
LISTED = Path(__file__).parent / "word_lists.txt"


def words(node: ast.AST) -> list[str]:
    """The strings of a collection that is written out: a tuple, a list, a set, the keys of a dict, or a text that is split."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    if isinstance(node, ast.Dict):
        return [k.value for k in node.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split" and isinstance(node.func.value, ast.Constant):
        return str(node.func.value.value).split()
    return []


def lists_in(path: Path) -> int:
    """How many collections of two words or more are made of operators' names for the most part."""
    found = 0
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        given = words(node)
        hits = sum(word in WHERE or word.rstrip("_") in WHERE for word in given)
        found += hits >= 2 and hits * 2 >= len(given)
    return found


def test_operators_are_classified_by_their_declarations() -> None:
    files = [p for p in SOURCE.rglob("*.py") if "catalogue" not in p.relative_to(SOURCE).parts]
    found = Counter({p.relative_to(SOURCE).as_posix(): n for p in files if (n := lists_in(p))})
    allowed = Counter({name: int(n) for name, n, *_ in (line.split(None, 2) for line in LISTED.read_text().splitlines() if line)})
    assert sorted((found - allowed).items()) == [], "say it in the declaration of the operator (ops/record.py) and not by a list of names"
    assert sorted((allowed - found).items()) == [], "fewer lists than word_lists.txt says: lower its numbers"
