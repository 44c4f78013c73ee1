"""heapq.merge, queue, concurrent.futures and multiprocessing: queues, and pools that run where they are asked."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, iterator, listed
from tensorproof.values import Args, Dict, Key, Kwargs, List, Machine, Model, Named, Unknown, Value, slot

ITEMS: Key[List] = slot("items")


def _merge(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    rows = [m.iterate(a, node) for a in args]
    if any(r is None for r in rows):
        return Unknown("heapq.merge")
    return m.call(iter, (m.call(sorted, (tuple(v for r in rows if r is not None for v in r),), kwargs, node),), {}, node)


def _queue(kind: str) -> Run:
    return lambda m, args, kwargs, node: Model("queue.Queue", m.heap.space({"items": listed(m, []), "kind": kind}))


def _put(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    items = me.space[ITEMS]
    if me.space["kind"] == "PriorityQueue":
        return m.call(Named("heapq.heappush"), (items, args[0]), {}, node)
    m.heap.touch(items.items)
    items.items.append(args[0])
    return None


def _get(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    items = me.space[ITEMS]
    if not items.items:
        if argument(args, kwargs, 0, "block", True) is False or "timeout" in kwargs:
            raise m.raised("Empty", "the queue is empty", node)
        return m.gap("queue.get", node, "the queue is empty here: another thread may fill it")
    if me.space["kind"] == "PriorityQueue":
        return m.call(Named("heapq.heappop"), (items,), {}, node)
    m.heap.touch(items.items)
    return items.items.pop(-1 if me.space["kind"] == "LifoQueue" else 0)


_QUEUE = KindModel(
    methods={
        "put": _put, "put_nowait": _put, "get": _get,
        "get_nowait": lambda m, me, a, k, n: _get(m, me, (False,), {}, n),
        "qsize": lambda m, me, a, k, n: len(me.space[ITEMS].items),
        "empty": lambda m, me, a, k, n: not me.space[ITEMS].items,
    },
)  # fmt: skip


def _map(star: bool, lazily: bool, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if star:
        rows = m.iterate(args[1], node)
        parts = None if rows is None else [m.iterate(row, node) for row in rows]
        if parts is None or any(p is None for p in parts):
            return Unknown("starmap")
        found = [m.call(args[0], tuple(p), {}, node) for p in parts if p is not None]
    else:
        columns = [m.iterate(v, node) for v in (args[1:] if lazily else args[1:2])]
        if any(c is None for c in columns):
            return Unknown("map")
        found = [m.call(args[0], row, {}, node) for row in zip(*(c for c in columns if c is not None))]
    return iterator(m, found) if lazily else listed(m, found)


def _apply_async(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = m.iterate(argument(args, kwargs, 1, "args", ()), node)
    named = argument(args, kwargs, 2, "kwds")
    if given is None:
        return m.gap("apply_async", node, "the arguments are not known")
    return Model("multiprocessing.Result", m.heap.space({"value": m.call(args[0], tuple(given), dict(named.items) if isinstance(named, Dict) else {}, node)}))


def _result(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return me.space["value"]


_POOL = KindModel(
    methods={
        "map": partial(_map, False, False), "starmap": partial(_map, True, False), "imap": partial(_map, False, True),
        "imap_unordered": partial(_map, False, True),
        "submit": lambda m, me, a, k, n: Model("multiprocessing.Result", m.heap.space({"value": m.call(a[0], a[1:], k, n)})),
        "apply_async": _apply_async, "apply": lambda m, me, a, k, n: _result(m, _apply_async(m, me, a, k, n), (), {}, n),
    },
    enter=lambda m, me, node: me,
)  # fmt: skip
_EXECUTOR = KindModel(methods={**_POOL.methods, "map": partial(_map, False, True)}, enter=_POOL.enter, leave=_POOL.leave)
_POOLS = ("multiprocessing", "torch.multiprocessing", "multiprocessing.pool", "multiprocessing.dummy")
FUNCTIONS: dict[str, Any] = {
    "heapq.merge": _merge, **{f"queue.{name}": _queue(name) for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")},
    "multiprocessing.Queue": _queue("Queue"), "multiprocessing.SimpleQueue": _queue("Queue"),
    **{f"{home}.{name}": lambda m, a, k, n: Model("multiprocessing.Pool", m.heap.space()) for home in _POOLS for name in ("Pool", "ThreadPool")},
    "concurrent.futures.wait": lambda m, a, k, n: (a[0], listed(m, [])),
}  # fmt: skip
KINDS = {
    "queue.Queue": _QUEUE, "multiprocessing.Pool": _POOL, "concurrent.futures.Executor": _EXECUTOR,
    "multiprocessing.Result": KindModel(methods={"get": _result, "result": _result}),
}  # fmt: skip
