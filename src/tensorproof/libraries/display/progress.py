"""tqdm and its like: a bar passes the iterations of what it wraps."""

from __future__ import annotations

import ast

from tensorproof.libraries import ClassModel, Iterations, KindModel, Run, argument, registry
from tensorproof.values import Args, Kwargs, Machine, Model, Unknown, Value


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


_SAYING = (
    "set_description", "set_description_str", "set_postfix", "set_postfix_str", "update", "close", "refresh", "clear", "reset", "write", "display", "unpause",
)  # fmt: skip
_HOMES = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std", "tqdm.autonotebook", "tqdm.rich")
FUNCTIONS: dict[str, Run] = {
    **{f"{home}.tqdm": _tqdm for home in _HOMES}, **{f"{home}.trange": _trange for home in _HOMES}, "tqdm.tqdm_notebook": _tqdm, "tqdm.tnrange": _trange,
    "rich.progress.track": _track, "fastprogress.progress_bar": _track, "tqdm.contrib.tenumerate": lambda m, a, k, n: m.call(enumerate, a[:2], {}, n),
    "tqdm.contrib.tzip": lambda m, a, k, n: m.call(zip, a, {}, n),
}  # fmt: skip
KINDS = {
    "tqdm.tqdm": KindModel(
        methods={name: lambda m, me, a, k, n: None for name in _SAYING}, iterations=_iterations,
        items=lambda m, me, n: m.iterate(me.space["source"], n),
        length=_length, open=True,
        item=lambda m, me, index, node: m.item(me.space["source"], index, node),
        enter=lambda m, me, node: me,
    ),
}  # fmt: skip
CLASSES = {"tqdm.tqdm": ClassModel("tqdm.tqdm", closed=False)}
