"""scikit-learn: splits, scalers, encoders, its own data."""

from __future__ import annotations

import ast
from functools import partial
from math import ceil
from typing import Any

from tensorproof.libraries.domains.label_ranges import keep, note
from tensorproof.libraries.domains.number_ranges import span_of
from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.tables.pandas import array
from tensorproof.libraries.tables.pandas_shapes import FRAME, SERIES, first_axis
from tensorproof.terms import BY_LABEL, Origin, Shape, TensorType, Term, eq, ge
from tensorproof.values import Args, Kwargs, List, Machine, Model, Unknown, Value

FLOAT64, INT64 = BY_LABEL["float64"], BY_LABEL["int64"]


def _split(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    sizes = [first_axis(a) for a in args]
    known = [s for s in sizes if s is not None]
    for other in known[1:]:
        m.require("data/split", eq(known[0], other), f"train_test_split gets {known[0]!r} and {other!r} samples", node)
    test, train = kwargs.get("test_size"), kwargs.get("train_size")
    share = 0.25 if test is None and train is None else test
    whole = known[0] if known else None
    if isinstance(whole, int) and isinstance(share, float):
        held: Any = ceil(share * whole)
    elif isinstance(share, int) and not isinstance(share, bool):
        held = share
    elif isinstance(whole, int) and isinstance(train, float):
        held = whole - int(train * whole)
    else:
        held = m.symbol(m.name_here("test samples", node), 1, None, Origin.WORLD)
    if isinstance(whole, (int, Term)) and isinstance(held, int):
        rest: Value = whole - held
    elif isinstance(whole, Term):
        rest = m.symbol(m.name_here("training samples", node), 1, None, Origin.WORLD)
    else:
        rest = m.symbol(m.name_here("training samples", node), 1, None, Origin.WORLD) if not isinstance(whole, int) else whole - held
    found: list[Value] = []
    for one in args:
        found += [_with_rows(m, one, rest, True), _with_rows(m, one, held, False)]
    return List(m.heap.row(found))


def _with_rows(m: Machine, value: Value, rows: Value, front: bool) -> Value:
    if isinstance(value, TensorType) and value.shape.known and len(value.shape):
        return keep(m, value, value.but(shape=Shape((rows, *value.shape[1:])), contents=None, strides=None))
    if isinstance(value, List) and isinstance(rows, int):
        return List(m.heap.row(list(value.items)[:rows] if front else list(value.items)[len(value.items) - rows :]))
    if isinstance(value, Model) and value.kind in (FRAME, SERIES):
        return Model(value.kind, m.heap.space({**value.space, "rows": rows}))
    return Unknown("a part of the data")


def _bunch(rows: int, columns: int, whole: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST, *, classes: int = 0) -> Value:
    x, y = TensorType(Shape((rows, columns)), FLOAT64, framework="numpy"), TensorType(Shape((rows,)), INT64 if whole else FLOAT64, framework="numpy")
    if classes:
        note(m, y, 0, classes)
    if kwargs.get("return_X_y") is True:
        return x, y
    return Model("sklearn.Bunch", m.heap.space({"data": x, "target": y}))


def _generated(columns: str, default: int, whole: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows = args[0] if args else kwargs.get("n_samples", 100)
    across = kwargs.get(columns, args[1] if len(args) > 1 and columns else default) if columns else default
    if not isinstance(rows, (int, Term)) or not isinstance(across, (int, Term)):
        return m.gap("sklearn.datasets", node, "the number of samples is not known")
    return TensorType(Shape((rows, across)), FLOAT64, framework="numpy"), TensorType(Shape((rows,)), INT64 if whole else FLOAT64, framework="numpy")


def _as_array(m: Machine, value: Value, node: ast.AST) -> Value:
    return array(m, value) if isinstance(value, Model) and value.kind in (FRAME, SERIES) else value


def _learnt(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A scaler keeps how many columns it was fitted to."""
    x = _as_array(m, args[0] if args else kwargs.get("X"), node)
    m.heap.set(me.space, "columns", x.shape[1] if isinstance(x, TensorType) and x.shape.known and len(x.shape) == 2 else None)
    return me


def _learnt_and_scaled(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _learnt(m, me, args, kwargs, node)
    return _scaled(m, me, args, kwargs, node)


def _scaled(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = _as_array(m, args[0] if args else kwargs.get("X"), node)
    if not isinstance(x, TensorType) or not x.shape.known:
        return Unknown("scaled data")
    if len(x.shape) != 2:
        raise m.raised("ValueError", f"a scaler takes a table with two axes, this array has shape {x.shape!r}", node, "data/table")
    columns = me.space.get("columns")
    if isinstance(columns, (int, Term)):
        m.require("data/table", eq(columns, x.shape[1]), f"the scaler was fitted to {columns!r} columns, and this array has {x.shape[1]!r}", node)
    keeps = x.dtype is not None and x.dtype.label == "float32"
    return TensorType(x.shape, x.dtype if keeps else FLOAT64, framework="numpy")


def _encoded(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows, classes = first_axis(args[0]) if args else None, me.space.get("classes")
    if rows is None:
        return Unknown("encoded data")
    made = TensorType(Shape((rows,)), INT64, framework="numpy")
    return note(m, made, 0, classes) if isinstance(classes, int) else made


def _named(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A LabelEncoder keeps how many different labels it has seen, where they stand in the program."""
    labels = args[0] if args else kwargs.get("y")
    items = labels.items if isinstance(labels, List) else labels if isinstance(labels, tuple) else [None]
    m.heap.set(me.space, "classes", len(set(items)) if all(type(one) in (str, int) for one in items) else None)
    return me


def _named_and_encoded(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _named(m, me, args, kwargs, node)
    return _encoded(m, me, args, kwargs, node)


def _decoded(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The labels of some numbers, each of which must be that of a class."""
    given, classes = args[0] if args else kwargs.get("y"), me.space.get("classes")
    span = span_of(m, given)
    low, past = (span.low, span.past) if span is not None else (-1, 0)
    numbers = [one for one in given.items if type(one) is int] if isinstance(given, List) else []
    if isinstance(given, List) and numbers and len(numbers) == len(given.items):
        low, past = min(numbers), max(numbers) + 1
    if not (isinstance(classes, int) and ge(low, 0) is True and ge(classes, past) is True):
        m.gap("LabelEncoder.inverse_transform", node, "whether each number is that of a class is not known")
    return Unknown("labels")


KINDS = {
    "sklearn.Bunch": KindModel(open=True, item=lambda m, me, index, node: me.space.get(index, Unknown("a part of the data"))),
    "sklearn.scaler": KindModel(
        {"fit": _learnt, "transform": _scaled, "fit_transform": _learnt_and_scaled, "inverse_transform": _scaled, "partial_fit": _learnt}, open=True
    ),
    "sklearn.encoder": KindModel({"fit": _named, "transform": _encoded, "fit_transform": _named_and_encoded, "inverse_transform": _decoded}, open=True),
}
FUNCTIONS: dict[str, Run] = {
    "sklearn.model_selection.train_test_split": _split, "sklearn.datasets.load_iris": partial(_bunch, 150, 4, True, classes=3),
    "sklearn.datasets.load_digits": partial(_bunch, 1797, 64, True, classes=10), "sklearn.datasets.load_wine": partial(_bunch, 178, 13, True, classes=3),
    "sklearn.datasets.load_breast_cancer": partial(_bunch, 569, 30, True, classes=2), "sklearn.datasets.load_diabetes": partial(_bunch, 442, 10, False),
    "sklearn.datasets.fetch_california_housing": partial(_bunch, 20640, 8, False), "sklearn.datasets.make_moons": partial(_generated, "", 2, True),
    "sklearn.datasets.make_circles": partial(_generated, "", 2, True), "sklearn.datasets.make_blobs": partial(_generated, "n_features", 2, True),
    "sklearn.datasets.make_classification": partial(_generated, "n_features", 20, True),
    "sklearn.datasets.make_regression": partial(_generated, "n_features", 100, False),
}  # fmt: skip
