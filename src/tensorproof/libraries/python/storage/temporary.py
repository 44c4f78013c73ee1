"""tempfile: folders that nothing has written to yet, each with a name of its own, so that what is saved there is found again."""

from __future__ import annotations

import ast

from tensorproof.libraries.model import KindModel, Run
from tensorproof.values import Args, Kwargs, Machine, Model, Unknown


def _folder(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> str:
    return f"/tmp/{m.name_here('tmp', node)}"


FUNCTIONS: dict[str, Run] = {
    "tempfile.mkdtemp": _folder, "tempfile.mktemp": _folder,
    "tempfile.TemporaryDirectory": lambda m, a, k, n: Model("tempfile.TemporaryDirectory", m.heap.space({"name": _folder(m, a, k, n)})),
    "tempfile.mkstemp": lambda m, a, k, n: (Unknown("a file's number", number="int"), _folder(m, a, k, n)),
}  # fmt: skip
KINDS = {"tempfile.TemporaryDirectory": KindModel(enter=lambda m, me, node: me.space["name"], leave=lambda m, me, raised, node: False, open=True)}
