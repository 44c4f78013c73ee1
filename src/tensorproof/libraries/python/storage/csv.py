"""csv: a small file of the project is read as it is, of any other one row represents all."""

from __future__ import annotations

import ast
import csv
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, from_host, iterator, some_iterations
from tensorproof.values import MISSING, Args, Kwargs, List, Machine, Model, Unknown

MOST_ROWS = 4096
READER = "csv.reader"
_ROW = "a row of a file"


def _reader(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    made = Model(READER, m.heap.space())
    source = argument(args, kwargs, 0, "f" if name == "DictReader" else "iterable")
    given = [v for k, v in kwargs.items() if k not in ("f", "iterable")] + list(args[1:])
    if not all(v is None or isinstance(v, (str, int)) for v in given):
        return made
    lines = m.iterate(source, node) if isinstance(source, List) or (isinstance(source, Model) and source.kind in ("file", "io.StringIO")) else None
    if lines is None or len(lines) > MOST_ROWS or not all(isinstance(line, str) for line in lines):
        return made
    try:
        host: Any = getattr(csv, name)(lines, *args[1:], **{k: v for k, v in kwargs.items() if k not in ("f", "iterable")})
        rows = list(host)
    except (csv.Error, TypeError, ValueError):
        return made
    m.heap.set(made.space, "rows", iterator(m, [from_host(m, row) for row in rows]))
    if name == "DictReader":
        m.heap.set(made.space, "fieldnames", from_host(m, list(host.fieldnames or ())))
    return made


FUNCTIONS: dict[str, Run] = {"csv.reader": partial(_reader, "reader"), "csv.DictReader": partial(_reader, "DictReader")}
KINDS = {
    READER: KindModel(
        attribute=lambda m, me, name, n: me.space["fieldnames"] if name == "fieldnames" and "fieldnames" in me.space else MISSING,
        iterations=lambda m, me, n: None if "rows" in me.space else some_iterations(m, "rows", Unknown(_ROW), n),
        items=lambda m, me, n: m.iterate(me.space["rows"], n) if "rows" in me.space else None,
        next=lambda m, me, n: m.call(next, (me.space["rows"],), {}, n) if "rows" in me.space else Unknown(_ROW),
        open=True,
    )
}
