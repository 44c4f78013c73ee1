"""scikit-learn: splits into folds, one-hot encoders, weights of classes."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import Iterations, KindModel, Run, argument
from tensorproof.libraries.domains.label_ranges import of
from tensorproof.libraries.keras.data.arrays import array_of, enough
from tensorproof.terms import BY_LABEL, INT64, Dim, Origin, Shape, TensorType, Term, floordiv
from tensorproof.values import Args, Key, Kwargs, Machine, Model, Unknown, Value, slot

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


def _split(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
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
    return TensorType(Shape((x.shape[0], classes)), BY_LABEL["float64"] if me.space["columns"] else INT64, framework="numpy")


def _fitted(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _one_hot(m, me, args, kwargs, node)
    return me


def _class_weight(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    classes = array_of(m, argument(args, kwargs, 1, "classes"), node)
    count = classes.shape[0] if isinstance(classes, TensorType) and classes.shape.known and classes.shape else None
    count = count if count is not None else m.symbol(m.name_here("classes", node), 1, None, Origin.USER)
    return TensorType(Shape((count,)), BY_LABEL["float64"], framework="numpy")


_ENCODER: dict[str, Any] = {
    "fit": _fitted, "transform": _one_hot, "fit_transform": _one_hot, "inverse_transform": lambda m, me, a, k, n: Unknown("labels"),
}  # fmt: skip
KINDS = {
    "sklearn.folds": KindModel({"split": _split, "get_n_splits": lambda m, me, a, k, n: me.space["splits"]}, open=True),
    "sklearn.split": KindModel(iterations=_iterations, items=_items),
    "sklearn.one_hot": KindModel(_ENCODER, open=True),
}
FUNCTIONS: dict[str, Run] = {
    **{f"sklearn.model_selection.{n}": partial(_folds, n) for n in ("KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold")},
    "sklearn.preprocessing.LabelBinarizer": lambda m, a, k, n: Model("sklearn.one_hot", m.heap.space({"columns": False})),
    "sklearn.preprocessing.OneHotEncoder": lambda m, a, k, n: Model("sklearn.one_hot", m.heap.space({"columns": True})),
    "sklearn.utils.class_weight.compute_class_weight": _class_weight,
}  # fmt: skip
