"""What imports lead to, as CPython does it: random projects are run by both, and must see the same modules or stop at the same line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import read
from tensorproof.values.objects import List
from tests.differential.layouts import project

COUNT = int(os.environ.get("LAYOUTS", "40"))
RUN = """
import json, runpy, sys, traceback
sys.dont_write_bytecode = True
main, as_module = sys.argv[1], sys.argv[2] == "1"
sys.path[0] = "" if as_module else "."
try:
    found = runpy.run_module(main[:-3].replace("/", "."), run_name="__main__", alter_sys=True) if as_module else runpy.run_path(main, run_name="__main__")
    print(json.dumps({"seen": found["seen"]}))
except Exception as error:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith("/" + main) or f.filename == main]
    print(json.dumps({"error": type(error).__name__, "line": lines[-1] if lines else None}))
"""


def truth(folder: Path, main: str, as_module: bool) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", RUN, main, str(int(as_module))], cwd=folder, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    return [plain(v) for v in value.items] if isinstance(value, List) else value


def ours(main: str) -> dict[str, Any]:
    kept: list[Any] = []
    found = explore(read(main), ended=lambda m: kept.append(plain(m.modules.main.space.get("seen"))))
    gaps = [g.callee for p in found.paths for g in p.gaps]
    errors = [(s.exception, s.span.path, s.span.line) for p in found.paths for s in p.stated if s.requirement.predicate is False]
    return {"gaps": gaps, "errors": errors, "seen": kept[0] if kept else None}


@pytest.mark.parametrize("seed", range(COUNT))
def test_imports_lead_where_python_says(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, main, as_module = project(seed)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    real, found = truth(tmp_path, main, as_module), ours(main)
    shown = "\n".join(f"--- {n}\n{t}" for n, t in files.items())
    if "error" in real:
        assert found["errors"] or found["gaps"], f"Python raises {real}, nothing is found\n{shown}"
    else:
        assert not found["errors"], f"Python runs it, an error is found: {found}\n{shown}"
        assert found["gaps"] or found["seen"] == real["seen"], f"{found} is not {real}\n{shown}"
