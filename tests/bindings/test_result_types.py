"""`bindings/results.py` names the operators with several results that adapters apply, as the catalogue declares them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

from tensorproof.bindings import results
from tensorproof.catalogue import find
from tensorproof.ops.record import Op

ADAPTERS = Path(__file__).parents[2] / "src" / "tensorproof" / "bindings" / "adapt"


def has_several(op: Op) -> bool:
    return op.counted or len(op.outputs) > 1


def asked(op: Op) -> bool:
    return sum(not out.when for out in op.outputs) < 2 and not op.counted


def test_those_named_have_several_results() -> None:
    for kind, on_demand in ((results.Several, False), (results.Asked, True)):
        for name in get_args(kind):
            op = find(name)
            assert op is not None and has_several(op) and asked(op) is on_demand, name


def test_an_operator_that_adapters_apply_by_name_has_one_result_or_is_named() -> None:
    named = {*get_args(results.Several), *get_args(results.Asked)}
    for path in sorted(ADAPTERS.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and call.args and ast.unparse(call.func) in ("run", "run.typed", "run.shaped"):
                for word in ast.walk(call.args[0]):
                    op = find(word.value) if isinstance(word, ast.Constant) and isinstance(word.value, str) else None
                    assert op is None or not has_several(op) or op.name in named, f"add {op.name} to Several in bindings/results.py ({path.name}:{call.lineno})"
