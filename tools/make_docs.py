"""Writes docs/ops.md and docs/matrix.md from the catalogue. `--check` fails when one is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from tensorproof.app.operators import describe, everything
from tensorproof.reporters.operators import document, matrix

DOCS = Path(__file__).parent.parent / "docs"


def main() -> int:
    described = [describe(op) for op in everything()]
    stale: list[str] = []
    for name, text in (("ops.md", document(described)), ("matrix.md", matrix(described))):
        target = DOCS / name
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            stale.append(f"docs/{name} is stale: run python tools/make_docs.py")
    print("\n".join(stale), end="\n" if stale else "")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
