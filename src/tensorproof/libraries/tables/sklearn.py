"""scikit-learn: splits, folds, scalers, encoders, its own data."""

from __future__ import annotations

import ast
from functools import partial
from math import ceil
from typing import Any

from tensorproof.libraries import Iterations, KindModel, Run, argument
from tensorproof.libraries.domains.label_ranges import keep, note, of
from tensorproof.libraries.domains.number_ranges import span_of
from tensorproof.libraries.keras.data.arrays import array_of, enough
from tensorproof.libraries.tables.pandas import array
from tensorproof.libraries.tables.pandas_shapes import FRAME, SERIES, first_axis
from tensorproof.terms import FLOAT64, INT64, Dim, Origin, Shape, TensorType, Term, eq, floordiv, ge
from tensorproof.values import Args, Key, Kwargs, List, Machine, Model, Unknown, Value, slot


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
    known_rest = isinstance(whole, int) or (isinstance(whole, Term) and isinstance(held, int))
    rest: Value = whole - held if known_rest and whole is not None else m.symbol(m.name_here("training samples", node), 1, None, Origin.WORLD)
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


WHOLE: Key[Dim] = slot("whole")
SIZES: Key[tuple[Dim, ...]] = slot("sizes")
TIMES: Key[tuple[Dim, ...]] = slot("times")


def _folds(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = argument(args, kwargs, 0, "n_splits", 5)
    if isinstance(count, int) and count < 2 and "Shuffle" not in name:
        raise m.raised("ValueError", f"{name} needs at least 2 splits, not {count}", node, "data/split")
    return Model("sklearn.folds", m.heap.space({"splits": count, "test_size": kwargs.get("test_size"), "shuffle": "Shuffle" in name}))


def _rows(m: Machine, value: Value, node: ast.AST) -> Any:
    found = m.call(len, (value,), {}, node) if not isinstance(value, Unknown) else None
    return found if isinstance(found, (int, Term)) else m.symbol(m.name_here("samples", node), 1, None, Origin.USER)


def _into_folds(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    whole, count = _rows(m, argument(args, kwargs, 0, "X"), node), me.space["splits"]
    if not isinstance(count, (int, Term)):
        return m.gap("split into folds", node, "their number is not known")
    if isinstance(whole, int) and isinstance(count, int) and count > whole:
        raise m.raised("ValueError", f"{whole} samples cannot be split into {count} folds", node, "data/split")
    share = me.space["test_size"]
    if me.space["shuffle"]:
        size: Value = int(whole * share) + (whole * share % 1 > 0) if isinstance(whole, int) and isinstance(share, float) else share
        sizes = [size if isinstance(size, int) else m.symbol(m.name_here("test samples", node), 1, None, Origin.WORLD)]
        times: list[Value] = [count]
    elif isinstance(whole, int) and isinstance(count, int):
        few, more = whole // count, whole % count
        sizes, times = ([few + 1, few], [more, count - more]) if more else ([few], [count])
    else:
        sizes, times = [floordiv(whole, count)], [count]
    return Model("sklearn.split", m.heap.space({"whole": whole, "sizes": tuple(sizes), "times": tuple(times)}))


def _pair(me: Model, size: Dim) -> tuple[TensorType, ...]:
    return tuple(TensorType(Shape((n,)), INT64, framework="numpy") for n in (me.space[WHOLE] - size, size))


def _iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    iterations: list[Any] = []
    counts: list[Any] = []
    sizes, numbers = me.space[SIZES], me.space[TIMES]
    for size, times in zip(sizes, numbers):
        pair = (True, _pair(me, size))
        if isinstance(times, int) and times > 1:
            iterations += [pair, pair]
            counts += [1, times - 1]
        else:
            iterations.append(pair)
            counts.append(times)
    return Iterations(iterations, tuple(counts)) if all(isinstance(c, int) for c in counts) else iterations


def _items(m: Machine, me: Model, node: ast.AST) -> list[Value] | None:
    if not all(isinstance(t, int) and t <= 64 for t in me.space[TIMES]):
        return None
    sizes, numbers = me.space[SIZES], me.space[TIMES]
    return [_pair(me, size) for size, times in zip(sizes, numbers) if isinstance(times, int) for _ in range(times)]


def _one_hot(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """As many columns as there are classes; a column of 0 and 1 where a LabelBinarizer sees two."""
    given = argument(args, kwargs, 0, "X", kwargs.get("y"))
    x = array_of(m, given, node)
    if not isinstance(x, TensorType) or not x.shape.known or not x.shape:
        return Unknown("one-hot data") if isinstance(given, Unknown) else m.gap("a one-hot encoder", node, "its data is not known")
    if me.space["columns"] and len(x.shape) != 2:
        raise m.raised("ValueError", f"OneHotEncoder takes a table with two axes, this array has shape {x.shape!r}", node, "data/table")
    known = of(m, x)
    classes: Value = me.space.get("classes")
    if classes is None:
        sure = known is not None and isinstance(known[1], int) and known[0] == 0 and enough(x.shape.numel, known[1])
        classes = known[1] if sure and known is not None else m.symbol(m.name_here("classes", node), 1, None, Origin.USER)
        m.heap.set(me.space, "classes", classes)
    if classes == 2 and not me.space["columns"]:
        classes = 1
    return TensorType(Shape((x.shape[0], classes)), FLOAT64 if me.space["columns"] else INT64, framework="numpy")


def _fitted(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _one_hot(m, me, args, kwargs, node)
    return me


def _class_weight(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    classes = array_of(m, argument(args, kwargs, 1, "classes"), node)
    count = classes.shape[0] if isinstance(classes, TensorType) and classes.shape.known and classes.shape else None
    count = count if count is not None else m.symbol(m.name_here("classes", node), 1, None, Origin.USER)
    return TensorType(Shape((count,)), FLOAT64, framework="numpy")


_ENCODER: dict[str, Any] = {
    "fit": _fitted, "transform": _one_hot, "fit_transform": _one_hot, "inverse_transform": lambda m, me, a, k, n: Unknown("labels"),
}  # fmt: skip
KINDS |= {
    "sklearn.folds": KindModel({"split": _into_folds, "get_n_splits": lambda m, me, a, k, n: me.space["splits"]}, open=True),
    "sklearn.split": KindModel(iterations=_iterations, items=_items),
    "sklearn.one_hot": KindModel(_ENCODER, open=True),
}
FUNCTIONS |= {
    **{f"sklearn.model_selection.{n}": partial(_folds, n) for n in ("KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold")},
    "sklearn.preprocessing.LabelBinarizer": lambda m, a, k, n: Model("sklearn.one_hot", m.heap.space({"columns": False})),
    "sklearn.preprocessing.OneHotEncoder": lambda m, a, k, n: Model("sklearn.one_hot", m.heap.space({"columns": True})),
    "sklearn.utils.class_weight.compute_class_weight": _class_weight,
}  # fmt: skip
