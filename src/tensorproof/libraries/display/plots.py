"""matplotlib, of which only the grid of axes of `subplots` has a shape that programs rely on, and progress bars, which are looped through."""

from __future__ import annotations

import ast
from functools import partial
from math import prod
from typing import Any

from tensorproof.libraries import ClassModel, Iterations, KindModel, Run, argument, quiet, registry
from tensorproof.values import NOWHERE, Args, Key, Kwargs, Machine, Model, Unknown, Value, slot

SHAPE: Key[tuple[int, ...]] = slot("shape")


def _grid(m: Machine, sizes: tuple[int, ...]) -> Model:
    """A grid of axes; a single one is an object without effect."""
    return Model("matplotlib.axes", m.heap.space({"shape": sizes})) if sizes else quiet(m, (), {}, NOWHERE)


def _subplots(of_figure: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    rows, columns = argument(args, kwargs, 0, "nrows", 1), argument(args, kwargs, 1, "ncols", 1)
    squeeze = kwargs.get("squeeze", True)
    axes: Value = quiet(m, (), {}, node)
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(squeeze, bool) and 0 < rows * columns < 10_000:
        axes = _grid(m, tuple(n for n in (rows, columns) if n > 1) if squeeze else (rows, columns))
    return axes if of_figure else (quiet(m, (), {}, node), axes)


def _item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    sizes = me.space[SHAPE]
    places = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(p, (int, slice)) for p in places) or any(isinstance(p, slice) and not _plain(p) for p in places):
        return quiet(m, (), {}, node)
    if len(places) > len(sizes):
        raise m.raised("IndexError", f"a grid of axes of shape {sizes} takes {len(sizes)} indices, {len(places)} are given", node)
    left: list[int] = []
    for place, size in zip(places, sizes):
        if isinstance(place, slice):
            left.append(len(range(size)[place]))
        elif not -size <= place < size:
            raise m.raised("IndexError", f"index {place} is out of range for the {size} axes of a grid of shape {sizes}", node)
    return _grid(m, (*left, *sizes[len(places) :]))


def _plain(cut: slice) -> bool:
    return all(isinstance(p, (int, type(None))) for p in (cut.start, cut.stop, cut.step))


def _items(m: Machine, me: Model, node: ast.AST) -> list[Value]:
    sizes = me.space[SHAPE]
    return [_grid(m, sizes[1:]) for _ in range(sizes[0])]


def _flat(m: Machine, me: Model) -> Model:
    sizes = me.space[SHAPE]
    return _grid(m, (prod(sizes),))


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    sizes = me.space[SHAPE]
    match name:
        case "shape":
            return sizes
        case "size":
            return prod(sizes)
        case "ndim":
            return len(sizes)
        case "flat":
            return _flat(m, me)
        case "T":
            return _grid(m, sizes[::-1])
        case _:
            if name in ("plot", "imshow", "set_title", "axis", "legend", "scatter", "bar", "hist", "set_xlabel", "set_ylabel"):
                raise m.raised("AttributeError", f"a grid of axes of shape {sizes} has no attribute {name}: take one of the axes first", node)
            return Unknown(name)


def _reshape(m: Machine, me: Model, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    sizes = me.space[SHAPE]
    total = prod(sizes)
    sizes = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if sizes == (-1,) or sizes == (total,):
        return _flat(m, me)
    return _grid(m, sizes) if all(isinstance(s, int) and s > 0 for s in sizes) and prod(sizes) == total else quiet(m, (), {}, node)


FUNCTIONS: dict[str, Run] = {"matplotlib.pyplot.subplots": partial(_subplots, False)}
KINDS = {
    "matplotlib.axes": KindModel(
        methods={
            "ravel": lambda m, me, a, k, n: _flat(m, me), "flatten": lambda m, me, a, k, n: _flat(m, me),
            "tolist": lambda m, me, a, k, n: m.call(list, (me,), {}, n) if len(me.space[SHAPE]) == 1 else Unknown("axes"),
            "reshape": _reshape,
            "squeeze": lambda m, me, a, k, n: _grid(m, tuple(s for s in me.space[SHAPE] if s > 1)),
            "transpose": lambda m, me, a, k, n: _grid(m, me.space[SHAPE][::-1]),
        },
        attribute=_attribute, item=_item, items=_items, length=lambda m, me, node: me.space[SHAPE][0],
    ),
}  # fmt: skip


def _tqdm(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("tqdm.tqdm", m.heap.space({"source": argument(args, kwargs, 0, "iterable"), "total": kwargs.get("total"), "n": 0}))


def _trange(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return _tqdm(m, (m.call(range, args, {}, node),), kwargs, node)


def _track(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _tqdm(m, args[:1] or (kwargs.get("sequence"),), {}, node)


def _iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    source = me.space["source"]
    if isinstance(source, Model):
        return registry.iterations(m, source, node)
    found = m.iterate(source, node)
    return None if found is None else Iterations([(True, value) for value in found], (1,) * len(found))


def _length(m: Machine, me: Model, node: ast.AST) -> Value:
    if me.space["source"] is None:
        return Unknown("len") if me.space["total"] is None else me.space["total"]
    return m.call(len, (me.space["source"],), {}, node)


_HOMES = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std", "tqdm.autonotebook", "tqdm.rich")
FUNCTIONS |= {
    **{f"{home}.tqdm": _tqdm for home in _HOMES}, **{f"{home}.trange": _trange for home in _HOMES}, "tqdm.tqdm_notebook": _tqdm, "tqdm.tnrange": _trange,
    "rich.progress.track": _track, "fastprogress.progress_bar": _track, "tqdm.contrib.tenumerate": lambda m, a, k, n: m.call(enumerate, a[:2], {}, n),
    "tqdm.contrib.tzip": lambda m, a, k, n: m.call(zip, a, {}, n),
}  # fmt: skip
KINDS |= {
    "tqdm.tqdm": KindModel(
        iterations=_iterations, items=lambda m, me, n: m.iterate(me.space["source"], n), length=_length, open=True,
        item=lambda m, me, index, node: m.item(me.space["source"], index, node),
        enter=lambda m, me, node: me,
    ),
}  # fmt: skip
CLASSES = {"tqdm.tqdm": ClassModel("tqdm.tqdm", closed=False)}
