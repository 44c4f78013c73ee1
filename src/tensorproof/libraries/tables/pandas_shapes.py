"""How many rows and columns a table has, and which of its names are known."""

from __future__ import annotations

import ast
from functools import partial
from math import prod
from typing import Any

from tensorproof.terms import Dim, DType, Origin, Shape, TensorType, Term, eq, symbols
from tensorproof.values import Dict, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

NAMES: Key[tuple[str, ...]] = slot("names")
COLUMNS: Key[Dim] = slot("columns_")
ROWS: Key[Dim] = slot("rows")
DTYPE: Key[DType | None] = slot("dtype_")

FRAME, SERIES = "pandas.DataFrame", "pandas.Series"


def frame(m: Machine, rows: Value, columns: Value, dtype: Value = None, names: tuple[str, ...] = (), whole: bool | None = None) -> Model:
    """A table. It is `whole` when all names of its columns are known."""
    known = isinstance(columns, int) and len(names) == columns if whole is None else whole
    return Model(FRAME, m.heap.space({"rows": rows, "columns_": columns, "dtype_": dtype, "names": names, "whole": known}))


def series(m: Machine, rows: Value, dtype: Value = None) -> Model:
    return Model(SERIES, m.heap.space({"rows": rows, "dtype_": dtype, "names": ()}))


ENOUGH = 1000
"""A file is taken to hold so many rows at least: that a table of ten rows is too short for the program is no fault of the program."""


def rows_of(m: Machine, node: ast.AST, least: int = ENOUGH, file: Value = None) -> Value:
    return m.symbol(m.name_here("rows", node, f"the number of rows in {file if isinstance(file, str) else 'the table'}"), least, None, Origin.WORLD)


def columns_of(m: Machine, node: ast.AST, file: Value = None) -> Value:
    return m.symbol(m.name_here("columns", node, f"the number of columns in {file if isinstance(file, str) else 'the table'}"), 1, None, Origin.USER)


def names_in(value: Value) -> tuple[str, ...] | None:
    """A list of names, where all are known."""
    items = value.items if isinstance(value, List) else value if isinstance(value, tuple) else None
    names = tuple(v for v in items or () if isinstance(v, str))
    return names if items is not None and len(names) == len(items) else None


def named(m: Machine, me: Model, change: int, name: str | None = None) -> Model:
    """Note that a table has a column of this name; `change` is added to the number of its columns."""
    if name is not None and name not in me.space[NAMES]:
        m.heap.set(me.space, NAMES, (*me.space[NAMES], name))
    if change and not isinstance(me.space[COLUMNS], int):
        m.heap.set(me.space, COLUMNS, me.space[COLUMNS] + change)
    elif change:
        m.heap.set(me.space, COLUMNS, change)
    return me


def table(m: Machine, me: Model, names: tuple[str, ...] | None) -> Model:
    """The columns of these names."""
    return me if names is None else frame(m, me.space[ROWS], len(names), names=names)


def fewer_rows(m: Machine, me: Model, rows: Value) -> Model:
    return Model(me.kind, m.heap.space({**me.space, "rows": rows}))


def first_axis(value: Value) -> Any:
    """How many rows a value has, where that is known."""
    if isinstance(value, TensorType):
        return value.shape[0] if value.shape.known and len(value.shape) else None
    if isinstance(value, List):
        return len(value.items) if not any(isinstance(v, Unknown) and type(v) is not Unknown for v in value.items) else None
    if isinstance(value, range):
        return len(value)
    return value.space[ROWS] if isinstance(value, Model) and value.kind in (FRAME, SERIES) else None


def sliced(m: Machine, size: Any, index: Value, word: str, node: ast.AST) -> Value:
    """How many rows or columns an index keeps: None for one. The ends of slices are taken to lie within."""
    if isinstance(index, (int, Term, str)) and not isinstance(index, bool):
        return None
    if isinstance(index, slice) and index.step is None and all(v is None or isinstance(v, (int, Term)) for v in (index.start, index.stop)):
        first, stop = 0 if index.start is None else index.start, index.stop
        if not isinstance(first, int) or first >= 0:
            return size - first if stop is None else stop - first if not isinstance(stop, int) or stop >= 0 else size + stop - first
        if stop is None:
            return -first
    if isinstance(index, (List, Dict)):
        return len(index.items)
    return m.symbol(m.name_here(word, node), 1, None, Origin.WORLD if word == "rows" else Origin.USER)


def _pictures(name: str, m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Any:
    """A reshape of a table's rows: where the number of columns of the file is unknown, each row makes one item, as the program means it."""
    given, sizes = args[0] if args else None, args[1:]
    if len(sizes) == 1:
        sizes = tuple(sizes[0].items) if isinstance(sizes[0], List) else sizes[0] if isinstance(sizes[0], tuple) else sizes
    if not isinstance(given, TensorType) or not given.shape.known or len(given.shape) != 2:
        return m.spelling(name, args, kwargs, node)
    if kwargs or len(sizes) < 2 or not all(type(s) is int and s > 0 for s in sizes[1:]):
        return m.spelling(name, args, kwargs, node)
    rows, columns = given.shape
    if not (sizes[0] == -1 or sizes[0] is rows) or not isinstance(columns, Term) or not any(s.origin is Origin.USER for s in symbols(columns)):
        return m.spelling(name, args, kwargs, node)
    whole = prod(sizes[1:])
    message = f"a table of {columns!r} columns cannot be made into rows of shape {tuple(sizes[1:])}"
    m.require("reshape/numel", eq(columns, whole), message, node)
    return m.memory.made(given.sized(Shape((rows, *sizes[1:])), strides=None, base=None))


FUNCTIONS: dict[str, object] = {name: partial(_pictures, name) for name in ("numpy.reshape", "numpy.ndarray.reshape")}
