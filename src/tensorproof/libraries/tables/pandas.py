"""pandas: tables from files have as many rows as the world gives and as many columns as the user knows.

A table is its number of rows and columns and the names of the columns that the program is known to have. Args are never known.
"""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.model import KindModel, Open, Run
from tensorproof.libraries.results.facts import others
from tensorproof.libraries.sequences import sequence
from tensorproof.libraries.tables.pandas_shapes import (
    COLUMNS,
    DTYPE,
    FRAME,
    NAMES,
    ROWS,
    SERIES,
    columns_of,
    fewer_rows,
    first_axis,
    frame,
    named,
    names_in,
    rows_of,
    series,
    sliced,
    table,
)
from tensorproof.terms import BOOL, BY_LABEL, DType, Origin, Shape, TensorType, eq
from tensorproof.values import MISSING, NOWHERE, REAL, TEXT, Args, Bound, Dict, Function, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

WHOLE: Key[bool | None] = slot("whole")
OWNER: Key[Model] = slot("owner")
VALUE = "a value of a table"


def _read(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = names_in(kwargs.get("usecols", kwargs.get("names")))
    file = args[0] if args else None
    made = frame(m, rows_of(m, node, file=file), columns_of(m, node, file) if given is None else len(given), names=given or ())
    index = kwargs.get("index_col")
    return made if index is None or index is False else named(m, made, -1 if given is None else len(given) - 1)


def _new_frame(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    data, columns_given = (args[0] if args else kwargs.get("data")), names_in(kwargs.get("columns", args[2] if len(args) > 2 else None))
    if isinstance(data, TensorType) and data.shape.known and len(data.shape) == 2:
        if columns_given is not None:
            m.require("data/columns", eq(data.shape[1], len(columns_given)), f"{len(columns_given)} names for {data.shape[1]!r} columns", node)
        return frame(m, data.shape[0], data.shape[1], data.dtype, columns_given or ())
    if isinstance(data, TensorType) and data.shape.known and len(data.shape) == 1:
        return frame(m, data.shape[0], 1, data.dtype, columns_given or ())
    if isinstance(data, Dict) and all(isinstance(k, str) for k in data.items):
        sizes = [s for s in map(first_axis, data.items.values()) if s is not None]
        for other in sizes[1:]:
            m.require("data/columns", eq(sizes[0], other), f"the columns of a table must have one length: these have {sizes[0]!r} and {other!r}", node)
        return frame(m, sizes[0] if sizes else rows_of(m, node), len(data.items), names=tuple(data.items))
    if isinstance(data, Model) and data.kind in (FRAME, SERIES):
        return table(m, data, columns_given) if columns_given is not None and data.kind == FRAME else data
    rows = len(data.items) if isinstance(data, List) else rows_of(m, node)
    return frame(m, rows, len(columns_given) if columns_given is not None else columns_of(m, node), names=columns_given or ())


def _new_series(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows = first_axis(args[0] if args else kwargs.get("data"))
    return series(m, rows_of(m, node) if rows is None else rows)


def _concat(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("objs")
    parts = list(given.items) if isinstance(given, List) else list(given) if isinstance(given, tuple) else []
    tables = [p for p in parts if isinstance(p, Model) and p.kind in (FRAME, SERIES)]
    if not parts or len(tables) < len(parts):
        return frame(m, rows_of(m, node), columns_of(m, node))
    wide = kwargs.get("axis", args[1] if len(args) > 1 else 0) in (1, "columns")
    widths = [p.space[COLUMNS] if p.kind == FRAME else 1 for p in tables]
    if wide:
        return frame(m, tables[0].space[ROWS], sum(widths[1:], widths[0]), names=tuple(n for p in tables for n in p.space.get(NAMES, ())))
    rows = tables[0].space[ROWS]
    for part in tables[1:]:
        rows = rows + part.space[ROWS]
    return series(m, rows) if all(p.kind == SERIES for p in tables) else frame(m, rows, widths[0], names=tables[0].space.get(NAMES, ()))


def _dummies(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows = first_axis(args[0] if args else kwargs.get("data"))
    return frame(m, rows_of(m, node) if rows is None else rows, columns_of(m, node))


def array(m: Machine, me: Model, args: Args = (), kwargs: dict[str, Value] | None = None, node: ast.AST = NOWHERE) -> TensorType:
    """The array of a table or a column."""
    shape = (me.space[ROWS],) if me.kind == SERIES else (me.space[ROWS], me.space[COLUMNS])
    dtype = (kwargs or {}).get("dtype", args[0] if args else me.space.get(DTYPE))
    return TensorType(Shape(shape), dtype if isinstance(dtype, DType) else me.space.get(DTYPE), framework="numpy")


def _located(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    owner = me.space[OWNER]
    rows, *columns = index if isinstance(index, tuple) else (index,)
    if owner.kind == SERIES:
        kept = sliced(m, owner.space[ROWS], rows, "rows", node)
        return Unknown(VALUE) if kept is None else series(m, kept, owner.space[DTYPE])
    chosen = columns[0] if columns else slice(None)
    if isinstance(chosen, slice) and any(isinstance(v, str) for v in (chosen.start, chosen.stop)):
        chosen = Unknown("columns between two names")
    across = None if isinstance(chosen, str) else sliced(m, owner.space[COLUMNS], chosen, "columns", node)
    kept = sliced(m, owner.space[ROWS], rows, "rows", node)
    if kept is None:
        return Unknown(VALUE) if across is None else series(m, across)
    if across is None:
        return series(m, kept, owner.space[DTYPE])
    return frame(m, kept, across, owner.space[DTYPE], names_in(chosen) or (owner.space[NAMES] if chosen == slice(None) else ()))


def _item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    if isinstance(index, slice):
        return fewer_rows(m, me, sliced(m, me.space[ROWS], index, "rows", node))
    if isinstance(index, (Model, TensorType)):
        return fewer_rows(m, me, rows_of(m, node, 1))
    if me.kind == SERIES:
        return Unknown(VALUE)
    given = names_in(index)
    if given is not None:
        return table(m, me, given)
    if isinstance(index, (str, Unknown)):
        if isinstance(index, str):
            named(m, me, 0, index)
        return series(m, me.space[ROWS])
    return fewer_rows(m, me, rows_of(m, node))


def _set_item(m: Machine, me: Model, index: Value, new: Value, node: ast.AST) -> None:
    if me.kind == SERIES:
        return
    given = (index,) if isinstance(index, str) else names_in(index)
    rows = first_axis(new) if not isinstance(new, str) else None
    if rows is not None and not isinstance(new, Model):
        m.require("data/columns", eq(rows, me.space[ROWS]), f"a column of {rows!r} values for a table of {me.space[ROWS]!r} rows", node)
    if given is None or any(n not in me.space[NAMES] for n in given):
        whole = me.space.get("whole")
        added = sum(n not in me.space[NAMES] for n in given or ())
        m.heap.set(me.space, COLUMNS, me.space[COLUMNS] + added if whole and given is not None else columns_of(m, node))
        for one in given or ():
            named(m, me, 0, one)


def _drop(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    labels = kwargs.get("labels", args[0] if args else None)
    by_name = kwargs.get("axis", args[1] if len(args) > 1 else 0) in (1, "columns")
    given = kwargs.get("columns", labels if by_name else None)
    if given is None:
        return _fewer(m, me, args, kwargs, node)
    gone = (given,) if isinstance(given, str) else names_in(given)
    left = columns_of(m, node) if gone is None else me.space[COLUMNS] - len(gone)
    names = tuple(n for n in me.space[NAMES] if n not in (gone or ()))
    if kwargs.get("inplace") is True:
        m.heap.set(me.space, COLUMNS, left)
        m.heap.set(me.space, NAMES, names)
        return None
    return frame(m, me.space[ROWS], left, me.space[DTYPE], names, me.space.get(WHOLE, False))


def _pop(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A column is taken out of the table."""
    if me.kind == FRAME:
        m.heap.set(me.space, COLUMNS, me.space[COLUMNS] - 1)
        m.heap.set(me.space, NAMES, tuple(n for n in me.space[NAMES] if not args or n != args[0]))
        return series(m, me.space[ROWS])
    return Unknown(VALUE)


def _same(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return None if kwargs.get("inplace") is True else Model(me.kind, m.heap.space(dict(me.space)))


def _fewer(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs.get("inplace") is True:
        m.heap.set(me.space, ROWS, rows_of(m, node))
        return None
    return fewer_rows(m, me, rows_of(m, node))


def _sample(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = kwargs.get("n", args[0] if args else None)
    if kwargs.get("frac") in (1, 1.0):
        return _same(m, me, (), {}, node)
    return fewer_rows(m, me, count if isinstance(count, int) else rows_of(m, node, 1))


def _cast(m: Machine, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Value:
    given = args[0] if args else kwargs.get("dtype")
    words = {float: "float64", int: "int64", "float": "float64", "int": "int64", bool: "bool"}
    try:
        dtype = given if isinstance(given, DType) else BY_LABEL.get(words.get(given, given))  # type: ignore[arg-type]
    except TypeError:
        dtype = None
    return Model(me.kind, m.heap.space({**me.space, "dtype_": dtype}))


def _reduced(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if me.kind == SERIES:
        return REAL
    return series(m, me.space[ROWS] if kwargs.get("axis", args[0] if args else 0) in (1, "columns") else me.space[COLUMNS])


_OF_APPLY = ("func", "axis", "raw", "result_type", "convert_dtype", "by_row", "engine", "engine_kwargs", "args")


def _applied(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, more = kwargs.get("func", args[0] if args else None), kwargs.get("args", ())
    if isinstance(function, (Function, Bound)) and isinstance(more, tuple):
        m.call(function, (Unknown(VALUE), *more), {k: v for k, v in kwargs.items() if k not in _OF_APPLY}, node)
    by_row = me.kind == FRAME and kwargs.get("axis", args[1] if len(args) > 1 else 0) in (1, "columns")
    return series(m, me.space[ROWS]) if by_row else _same(m, me, (), {}, node)


def _filter(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given = names_in(kwargs.get("items", args[0] if args else None))
    return frame(m, me.space[ROWS], columns_of(m, node)) if given is None else table(m, me, given)


def _wider(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return frame(m, rows_of(m, node), columns_of(m, node))


def _other_columns(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return frame(m, me.space[ROWS], columns_of(m, node))


def _listed(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return sequence(m, me.space[ROWS], Unknown(VALUE), Unknown(VALUE))


def _counted(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.symbol(m.name_here("different values", node), 1, None, Origin.WORLD)


_COMPARE = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


def _binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """An operator keeps the form of the table; a column takes an array of its length only."""
    tables = [v for v in (a, b) if isinstance(v, Model) and v.kind in (FRAME, SERIES)]
    me = next((v for v in tables if v.kind == FRAME), tables[0])
    other = b if a is me else a
    if isinstance(other, TensorType) and other.shape.known and len(other.shape) == 1 and me.kind == SERIES:
        m.require("data/columns", eq(other.shape[0], me.space[ROWS]), f"{other.shape[0]!r} values meet a column of {me.space[ROWS]!r} rows", node)
    return Model(me.kind, m.heap.space({**me.space, "dtype_": BOOL if word in _COMPARE else None}))


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    if name == "values":
        return array(m, me)
    if name in ("iloc", "loc", "iat", "at"):
        return Model("pandas.located", m.heap.space({"owner": me}))
    if name == "shape":
        return (me.space[ROWS],) if me.kind == SERIES else (me.space[ROWS], me.space[COLUMNS])
    if name == "size":
        return me.space[ROWS] if me.kind == SERIES else me.space[ROWS] * me.space[COLUMNS]
    if name == "columns" and me.kind == FRAME:
        return series(m, me.space[COLUMNS])
    if name in ("index", "str", "dt", "cat"):
        return series(m, me.space[ROWS])
    if name == "T" and me.kind == FRAME:
        return frame(m, me.space[COLUMNS], me.space[ROWS])
    if name in ("rows", "columns_", "dtype_", "names", "whole"):
        return Unknown(name)
    if me.kind == FRAME and (name in me.space[NAMES] or name not in _METHODS):
        return series(m, me.space[ROWS])
    return MISSING


def _iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    """The values of a column, or the names of a table's columns."""
    value = TEXT if me.kind == FRAME else Unknown(VALUE)
    return Open(me.space[COLUMNS] if me.kind == FRAME else me.space[ROWS], lambda k: value, 1)


def _rows_one_by_one(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("pandas.rows", m.heap.space({"owner": me}))


_GIVE: dict[str, Run] = {
    "same": _same, "fewer rows": _fewer, "of each column": _reduced, "other columns": _other_columns, "another table": _wider,
    "some rows": lambda m, me, a, k, n: fewer_rows(m, me, rows_of(m, n, 1)),
    "truths": lambda m, me, a, k, n: Model(me.kind, m.heap.space({**me.space, "dtype_": BOOL})),
}  # fmt: skip
_METHODS: dict[str, Any] = {
    **{word: _GIVE[what] for word, what in others("tables/pandas").items()}, "to_numpy": array, "flatten": array, "drop": _drop, "pop": _pop,
    "sample": _sample, "astype": _cast, "apply": _applied, "filter": _filter, "nunique": _counted, "tolist": _listed, "to_list": _listed,
    "value_counts": lambda m, me, a, k, n: series(m, rows_of(m, n, 1)), "iterrows": _rows_one_by_one, "itertuples": _rows_one_by_one,
    "unique": lambda m, me, a, k, n: series(m, _counted(m, me, a, k, n), me.space.get(DTYPE)),
}  # fmt: skip
_TABLE = KindModel(
    _METHODS, _attribute, length=lambda m, me, node: me.space[ROWS], item=_item, set_item=_set_item, iterations=_iterations, binary=_binary, open=True,
    set_attribute=lambda m, me, name, value, node: None,
)  # fmt: skip
KINDS = {
    FRAME: _TABLE, SERIES: _TABLE, "pandas.located": KindModel(item=_located, set_item=lambda m, me, index, new, node: None),
    "pandas.rows": KindModel(iterations=lambda m, me, node: Open(me.space[OWNER].space[ROWS], lambda k: (Unknown(VALUE), Unknown(VALUE)), 1)),
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    **{f"pandas.read_{n}": _read for n in ("csv", "table", "excel", "json", "parquet", "pickle", "feather", "hdf", "sql")}, "pandas.DataFrame": _new_frame,
    "pandas.Series": _new_series, "pandas.concat": _concat, "pandas.get_dummies": _dummies,
    "pandas.merge": lambda m, a, k, n: frame(m, rows_of(m, n), columns_of(m, n)),
    **{f"pandas.{n}": lambda m, a, k, n: a[0] if a and isinstance(a[0], (Model, TensorType)) else Unknown(VALUE)
        for n in ("to_datetime", "to_numeric", "Categorical", "to_timedelta")},
    **{f"pandas.{n}": _new_series for n in ("cut", "qcut", "isnull", "isna", "notnull")},
}  # fmt: skip
