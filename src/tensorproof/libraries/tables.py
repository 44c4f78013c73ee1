"""pandas and scikit-learn: tables from files have as many rows as the world gives and as many columns as the user knows."""

from __future__ import annotations

from math import ceil
from typing import Any

from tensorproof.libraries.label_ranges import keep, note
from tensorproof.libraries.model import KindModel
from tensorproof.terms.dtypes import BY_LABEL
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import List, Model
from tensorproof.values.python_values import REAL, Unknown

FRAME, SERIES = "pandas.DataFrame", "pandas.Series"
FLOAT64, INT64 = BY_LABEL["float64"], BY_LABEL["int64"]


def _frame(m: Any, rows: Any, columns: Any, dtype: Any = None) -> Model:
    return Model(FRAME, m.heap.space({"rows": rows, "columns_": columns, "dtype_": dtype}))


def _series(m: Any, rows: Any, dtype: Any = None) -> Model:
    return Model(SERIES, m.heap.space({"rows": rows, "dtype_": dtype}))


def _rows(m: Any, node: Any) -> Any:
    return m.symbol(m.name_here("rows", node), 1, None, Origin.WORLD)


def _columns(m: Any, node: Any) -> Any:
    return m.symbol(m.name_here("columns", node), 1, None, Origin.USER)


def _read(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    names = kwargs.get("usecols", kwargs.get("names"))
    count = len(names.items) if isinstance(names, List) else None
    return _frame(m, _rows(m, node), _columns(m, node) if count is None else count)


def _new_frame(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    data = args[0] if args else kwargs.get("data")
    if isinstance(data, TensorType) and data.shape.known and len(data.shape) == 2:
        return _frame(m, data.shape[0], data.shape[1], data.dtype)
    return _frame(m, _rows(m, node), _columns(m, node))


def _array(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    shape = (me.space["rows"],) if me.kind == SERIES else (me.space["rows"], me.space["columns_"])
    return TensorType(Shape(shape), me.space.get("dtype_"), framework="numpy")


def _length(m: Any, me: Model, node: Any) -> Any:
    return me.space["rows"]


def _sliced(size: Any, index: slice) -> Any:
    """How many a slice keeps, where its ends lie within; None where it cannot be told."""
    start, stop = index.start, index.stop
    if index.step is None and (start is None or isinstance(start, int)) and (stop is None or isinstance(stop, int)):
        first = start or 0
        if stop is None:
            return size - first if first >= 0 else -first
        if first >= 0:
            return stop - first if stop >= 0 else size + stop - first
    return None


def _taken(m: Any, size: Any, index: Any, word: str, node: Any) -> Any:
    """How many rows or columns an index keeps: None for one."""
    if isinstance(index, (int, Term)) and not isinstance(index, bool):
        return None
    if isinstance(index, slice):
        kept = _sliced(size, index)
        if kept is not None:
            return kept
    if isinstance(index, List):
        return len(index.items)
    return m.symbol(m.name_here(word, node), 1, None, Origin.WORLD if word == "rows" else Origin.USER)


def _located(m: Any, me: Model, index: Any, node: Any) -> Any:
    owner = me.space["owner"]
    rows, *columns = index if isinstance(index, tuple) else (index,)
    if isinstance(rows, Unknown) or any(isinstance(c, (Unknown, str)) for c in columns):
        return Unknown("a part of a table")
    kept = _taken(m, owner.space["rows"], rows, "rows", node)
    if owner.kind == SERIES:
        return Unknown("a value of a table") if kept is None else _series(m, kept, owner.space["dtype_"])
    across = _taken(m, owner.space["columns_"], columns[0], "columns", node) if columns else owner.space["columns_"]
    if kept is None:
        return Unknown("a value of a table") if across is None else _series(m, across)
    return _series(m, kept, owner.space["dtype_"]) if across is None else _frame(m, kept, across, owner.space["dtype_"])


def _item(m: Any, me: Model, index: Any, node: Any) -> Any:
    if me.kind == SERIES:
        return Unknown("a value of a table")
    if isinstance(index, str):
        return _series(m, me.space["rows"])
    if isinstance(index, List) and all(isinstance(v, str) for v in index.items):
        return _frame(m, me.space["rows"], len(index.items))
    if isinstance(index, slice):
        kept = _taken(m, me.space["rows"], index, "rows", node)
        return _frame(m, kept, me.space["columns_"], me.space["dtype_"])
    return _frame(m, _rows(m, node), me.space["columns_"], me.space["dtype_"])


def _drop(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    given = kwargs.get("columns", args[0] if args and (kwargs.get("axis", args[1] if len(args) > 1 else 0) in (1, "columns")) else None)
    if given is None:
        return _frame(m, _rows(m, node), me.space["columns_"], me.space["dtype_"])
    count = len(given.items) if isinstance(given, List) else 1 if isinstance(given, str) else None
    left = _columns(m, node) if count is None else me.space["columns_"] - count
    if kwargs.get("inplace") is True:
        m.heap.set(me.space, "columns_", left)
        return None
    return _frame(m, me.space["rows"], left, me.space["dtype_"])


def _pop(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    """A column is taken out of the table."""
    if me.kind == FRAME:
        m.heap.set(me.space, "columns_", me.space["columns_"] - 1)
        return _series(m, me.space["rows"])
    return Unknown("a value of a table")


def _same(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return None if kwargs.get("inplace") is True else Model(me.kind, m.heap.space(dict(me.space)))


def _fewer(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    if kwargs.get("inplace") is True:
        m.heap.set(me.space, "rows", _rows(m, node))
        return None
    return Model(me.kind, m.heap.space({**me.space, "rows": _rows(m, node)}))


def _cast(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    from tensorproof.terms.dtypes import DType

    given = args[0] if args else kwargs.get("dtype")
    words = {float: "float64", int: "int64", "float": "float64", "int": "int64", bool: "bool"}
    try:
        dtype = given if isinstance(given, DType) else BY_LABEL.get(words.get(given, given))  # type: ignore[arg-type]
    except TypeError:
        dtype = None
    return Model(me.kind, m.heap.space({**me.space, "dtype_": dtype}))


def _outside(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return Unknown("a value of a table")


def _attribute(m: Any, me: Model, name: str, node: Any) -> Any:
    if name == "values":
        return _array(m, me, (), {}, node)
    if name in ("iloc", "loc", "iat", "at"):
        return Model("pandas.located", m.heap.space({"owner": me}))
    if name == "shape":
        return (me.space["rows"],) if me.kind == SERIES else (me.space["rows"], me.space["columns_"])
    if name == "columns":
        return Model(SERIES, m.heap.space({"rows": me.space["columns_"], "dtype_": None}))
    if name in ("rows", "columns_", "dtype_"):
        return Unknown(name)
    return MISSING


# --- scikit-learn ---


def _split(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    sizes = [_first_axis(a) for a in args]
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
        rest: Any = whole - held
    elif isinstance(whole, Term):
        rest = m.symbol(m.name_here("training samples", node), 1, None, Origin.WORLD)
    else:
        rest = m.symbol(m.name_here("training samples", node), 1, None, Origin.WORLD) if not isinstance(whole, int) else whole - held
    found: list[Any] = []
    for one in args:
        found += [_with_rows(m, one, rest, True), _with_rows(m, one, held, False)]
    return List(m.heap.row(found))


def _first_axis(value: Any) -> Any:
    if isinstance(value, TensorType):
        return value.shape[0] if value.shape.known and len(value.shape) else None
    if isinstance(value, List):
        return len(value.items)
    return value.space["rows"] if isinstance(value, Model) and value.kind in (FRAME, SERIES) else None


def _with_rows(m: Any, value: Any, rows: Any, front: bool) -> Any:
    if isinstance(value, TensorType) and value.shape.known and len(value.shape):
        return keep(m, value, value.but(shape=Shape((rows, *value.shape[1:])), contents=None, strides=None))
    if isinstance(value, List) and isinstance(rows, int):
        return List(m.heap.row(list(value.items)[:rows] if front else list(value.items)[len(value.items) - rows :]))
    if isinstance(value, Model) and value.kind in (FRAME, SERIES):
        return Model(value.kind, m.heap.space({**value.space, "rows": rows}))
    return Unknown("a part of the data")


def _bunch(rows: int, columns: int, whole: bool, classes: int = 0) -> Any:
    def make(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        x, y = TensorType(Shape((rows, columns)), FLOAT64, framework="numpy"), TensorType(Shape((rows,)), INT64 if whole else FLOAT64, framework="numpy")
        if classes:
            note(m, y, 0, classes)
        if kwargs.get("return_X_y") is True:
            return x, y
        return Model("sklearn.Bunch", m.heap.space({"data": x, "target": y}))

    return make


def _generated(columns: str, default: int, whole: bool) -> Any:
    def make(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        rows = args[0] if args else kwargs.get("n_samples", 100)
        across = kwargs.get(columns, args[1] if len(args) > 1 and columns else default) if columns else default
        if not isinstance(rows, (int, Term)) or not isinstance(across, (int, Term)):
            return m.gap("sklearn.datasets", node, "the number of samples is not known")
        return TensorType(Shape((rows, across)), FLOAT64, framework="numpy"), TensorType(Shape((rows,)), INT64 if whole else FLOAT64, framework="numpy")

    return make


def _as_array(m: Any, value: Any, node: Any) -> Any:
    return _array(m, value, (), {}, node) if isinstance(value, Model) and value.kind in (FRAME, SERIES) else value


def _scaled(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    x = _as_array(m, args[0] if args else kwargs.get("X"), node)
    if not isinstance(x, TensorType) or not x.shape.known:
        return Unknown("scaled data")
    if len(x.shape) != 2:
        raise m.raised("ValueError", f"a scaler takes a table with two axes, this array has shape {x.shape!r}", node, "data/table")
    keeps = x.dtype is not None and x.dtype.label == "float32"
    return TensorType(x.shape, x.dtype if keeps else FLOAT64, framework="numpy")


def _encoded(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    rows = _first_axis(args[0]) if args else None
    return Unknown("encoded data") if rows is None else TensorType(Shape((rows,)), INT64, framework="numpy")


def _fit(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return me


def _quiet(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return Unknown("a number about the data")


_ALIKE = ("copy", "fillna", "reset_index", "sample_", "sort_values", "rename", "replace", "apply", "map", "clip", "round", "abs", "shift", "set_index", "ffill")
_LESS = ("dropna", "drop_duplicates", "query", "head", "tail", "sample")
_VALUES = ("mean", "std", "sum", "min", "max", "unique", "nunique", "value_counts", "tolist", "to_list", "describe", "info", "isnull", "isna", "groupby",
           "corr", "to_csv", "iterrows", "itertuples", "to_dict", "items", "keys", "idxmax", "median", "quantile", "any", "all", "count", "get", "isin",
           "astype_")  # fmt: skip
_METHODS: dict[str, Any] = {
    "to_numpy": _array, "drop": _drop, "pop": _pop,
    "astype": _cast, **dict.fromkeys(_ALIKE, _same), **dict.fromkeys(_LESS, _fewer), **dict.fromkeys(_VALUES, _outside),
}
KINDS = {
    FRAME: KindModel(_METHODS, _attribute, length=_length, item=_item, set_item=lambda m, me, index, new, node: None, open=True),
    SERIES: KindModel(_METHODS, _attribute, length=_length, item=_item, set_item=lambda m, me, index, new, node: None, open=True),
    "pandas.located": KindModel(item=_located, set_item=lambda m, me, index, new, node: None),
    "sklearn.Bunch": KindModel(open=True, item=lambda m, me, index, node: me.space.get(index, Unknown("a part of the data"))),
    "sklearn.scaler": KindModel({"fit": _fit, "transform": _scaled, "fit_transform": _scaled, "inverse_transform": _scaled, "partial_fit": _fit}, open=True),
    "sklearn.encoder": KindModel(
        {"fit": _fit, "transform": _encoded, "fit_transform": _encoded, "inverse_transform": lambda m, me, a, k, n: Unknown("labels")}, open=True
    ),
}
_SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer")
_SEVERAL = ("confusion_matrix", "classification_report", "roc_curve")
_METRICS = ("accuracy_score", "f1_score", "precision_score", "recall_score", "roc_auc_score", "confusion_matrix", "classification_report",
            "mean_squared_error", "mean_absolute_error", "r2_score", "average_precision_score", "balanced_accuracy_score", "log_loss", "roc_curve")  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    **{f"pandas.read_{n}": _read for n in ("csv", "table", "excel", "json", "parquet", "pickle", "feather", "hdf", "sql")},
    "pandas.DataFrame": _new_frame, "pandas.concat": lambda m, a, k, n: _frame(m, _rows(m, n), _columns(m, n)),
    "pandas.get_dummies": lambda m, a, k, n: _frame(m, (_first_axis(a[0]) if a else None) or _rows(m, n), _columns(m, n)),
    "pandas.Series": lambda m, a, k, n: _series(m, _first_axis(a[0]) or _rows(m, n) if a else _rows(m, n)),
    "sklearn.model_selection.train_test_split": _split,
    "sklearn.datasets.load_iris": _bunch(150, 4, True, 3), "sklearn.datasets.load_digits": _bunch(1797, 64, True, 10),
    "sklearn.datasets.load_wine": _bunch(178, 13, True, 3),
    "sklearn.datasets.load_breast_cancer": _bunch(569, 30, True, 2), "sklearn.datasets.load_diabetes": _bunch(442, 10, False),
    "sklearn.datasets.fetch_california_housing": _bunch(20640, 8, False), "sklearn.datasets.make_moons": _generated("", 2, True),
    "sklearn.datasets.make_circles": _generated("", 2, True), "sklearn.datasets.make_blobs": _generated("n_features", 2, True),
    "sklearn.datasets.make_classification": _generated("n_features", 20, True), "sklearn.datasets.make_regression": _generated("n_features", 100, False),
    **{f"sklearn.preprocessing.{n}": (lambda m, a, k, n: Model("sklearn.scaler", m.heap.space())) for n in _SCALERS},
    "sklearn.preprocessing.LabelEncoder": lambda m, a, k, n: Model("sklearn.encoder", m.heap.space()),
    **{f"sklearn.metrics.{n}": _quiet if n in _SEVERAL else (lambda m, a, k, n: REAL) for n in _METRICS},
}  # fmt: skip
