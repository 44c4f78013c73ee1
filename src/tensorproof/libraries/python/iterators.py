"""itertools, on any values: what is finite is spelled out, what is endless is made one by one."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator as HostIterator
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, batches, registry
from tensorproof.libraries.data.batch_streams import batch_at
from tensorproof.libraries.plain import argument, iterator, lazy
from tensorproof.terms import Dim, Origin, Term, conj, gt, lower, maximum, minimum
from tensorproof.values import Args, Generator, Iterator, Key, Kwargs, Machine, Model, Unknown, Value, slot

SOURCES: Key[Args] = slot("sources")
START: Key[Dim] = slot("start")
STOP: Key[Dim | None] = slot("stop")
STEP: Key[int] = slot("step")
AT: Key[int] = slot("at")
_END: object = object()
_MOST = 100_000


def _pulled(m: Machine, source: Value, node: ast.AST) -> HostIterator[Value]:
    """The items of an iterator, each taken when it is asked for."""
    while (found := m.call(next, (source, _END), {}, node)) is not _END:
        yield found


def _is_data(value: Value) -> bool:
    """Whether a value gives data in iterations: a loader and its like."""
    if not isinstance(value, Model):
        return False
    found = registry.kind_model(value.kind)
    return found is not None and found.iterations is not None


def _sources(m: Machine, values: Any, node: ast.AST, name: str) -> list[list[Value]] | Unknown:
    found: list[list[Value]] = []
    for value in values:
        one = m.iterate(value, node)
        if one is None:
            return Unknown(name)
        found.append(one)
    return found


def _chained(m: Machine, values: list[Value], node: ast.AST) -> Value:
    if any(_is_data(v) for v in values):
        return Model("itertools.iterations", m.heap.space({"sources": tuple(values)}))
    if any(isinstance(v, Generator) for v in values):
        return lazy(m, itertools.chain.from_iterable(_pulled(m, m.call(iter, (v,), {}, node), node) for v in values))
    found = _sources(m, values, node, "chain")
    return found if isinstance(found, Unknown) else iterator(m, itertools.chain(*found))


def _chain_from(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node)
    return Unknown("chain") if found is None else _chained(m, found, node)


def _eager(name: str, function: Any, m: Machine, args: Args, kwargs: dict[str, Any], node: ast.AST) -> Value:
    """A function of the items' places only."""
    if any(isinstance(v, Unknown) or not isinstance(v, (int, type(None))) for v in kwargs.values()) and name != "zip_longest":
        return m.gap(f"itertools.{name}", node, "an argument is not known")
    numbers = 1 if name in ("combinations", "permutations", "combinations_with_replacement", "batched") else 0
    values, rest = (args[:1], args[1:]) if numbers else (args, ())
    found = _sources(m, values, node, name)
    if isinstance(found, Unknown):
        return found
    if any(not isinstance(r, (int, type(None))) for r in rest):
        return m.gap(f"itertools.{name}", node, "an argument is not known")
    if any(isinstance(n, int) and n > _MOST for n in (*rest, *kwargs.values())) or sum(map(len, found)) * kwargs.get("repeat", 1) > _MOST:
        return m.gap(f"itertools.{name}", node, "it gives too many items")
    try:
        made = list(itertools.islice(function(*found, *rest, **kwargs), _MOST + 1))
    except (TypeError, ValueError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None
    return m.gap(f"itertools.{name}", node, "it gives too many items") if len(made) > _MOST else iterator(m, made)


def _repeat(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    times = argument(args, kwargs, 1, "times")
    if times is None:
        return lazy(m, itertools.repeat(args[0]))
    if not isinstance(times, int):
        return Unknown("repeat")
    return iterator(m, [args[0]] * times) if times <= _MOST else lazy(m, itertools.repeat(args[0], times))


def _count(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    start, step = argument(args, kwargs, 0, "start", 0), argument(args, kwargs, 1, "step", 1)

    def steps() -> HostIterator[Value]:
        now = start
        while True:
            yield now
            now = m.binary(ast.Add, now, step, node)

    return lazy(m, steps())


def _cycle(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if _is_data(args[0]):
        return Model("itertools.iterations", m.heap.space({"sources": (args[0],), "endless": True}))
    found = m.iterate(args[0], node)
    return Unknown("cycle") if found is None else lazy(m, itertools.cycle(found))


def _islice(m: Machine, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    source, bounds = args[0], args[1:]
    if _is_data(source) and bounds and all(b is None or (type(b) in (int, Term) and lower(b) >= 0) for b in bounds):
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, None)[:3]
        parts = {"start": 0 if start is None else start, "stop": stop, "step": 1 if step is None else step}
        return Model("itertools.iterations", m.heap.space({"sources": (source,), **parts}))
    if _is_data(source):
        return m.gap("itertools.islice", node, "its bounds are not known")
    if isinstance(source, Unknown) or any(not isinstance(b, (int, type(None))) for b in bounds):
        return Unknown("islice")
    if any(isinstance(b, int) and b < 0 for b in bounds):
        raise m.raised("ValueError", "islice takes no negative bounds", node)
    inner = m.call(iter, (source,), {}, node)
    if isinstance(inner, Unknown):
        return inner
    taken = itertools.islice(_pulled(m, inner, node), *bounds)
    return iterator(m, taken) if isinstance(inner, Iterator) else lazy(m, taken)


def _accumulate(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node)
    if found is None:
        return Unknown("accumulate")
    function, initial = argument(args, kwargs, 1, "func"), kwargs.get("initial")
    if initial is not None:
        found = [initial, *found]
    made: list[Value] = []
    for one in found:
        if not made:
            made.append(one)
        else:
            made.append(m.binary(ast.Add, made[-1], one, node) if function is None else m.call(function, (made[-1], one), {}, node))
    return iterator(m, made)


def _groupby(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[0], node)
    if found is None:
        return Unknown("groupby")
    key = argument(args, kwargs, 1, "key")
    groups: list[tuple[Value, list[Value]]] = []
    for one in found:
        name = one if key is None else m.call(key, (one,), {}, node)
        same = m.truth(m.compare(ast.Eq, groups[-1][0], name, node), node) if groups else False
        if not isinstance(same, bool):
            return m.gap("itertools.groupby", node, "a key is not known")
        if same:
            groups[-1][1].append(one)
        else:
            groups.append((name, [one]))
    return iterator(m, [(name, iterator(m, items)) for name, items in groups])


def _starmap(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[1], node)
    if found is None:
        return Unknown("starmap")
    made: list[Value] = []
    for row in found:
        parts = m.iterate(row, node)
        if parts is None:
            return Unknown("starmap")
        made.append(m.call(args[0], tuple(parts), {}, node))
    return iterator(m, made)


def _holds(m: Machine, function: Value, value: Value, node: ast.AST) -> bool:
    """The truth of a test; the run forks where it is not known."""
    return m.call(next, (m.call(filter, (function, (value,)), {}, node), _END), {}, node) is not _END


def _while(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    source = args[1]
    inner = m.call(iter, (source,), {}, node)
    if isinstance(inner, Unknown):
        return inner

    def steps() -> HostIterator[Any]:
        dropping = True
        for one in _pulled(m, inner, node):
            if name == "filterfalse":
                if not _holds(m, args[0], one, node):
                    yield one
            elif name == "takewhile":
                if not _holds(m, args[0], one, node):
                    return
                yield one
            else:
                dropping = dropping and _holds(m, args[0], one, node)
                if not dropping:
                    yield one

    return lazy(m, steps()) if isinstance(inner, Generator) else iterator(m, steps())


def _compress(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _sources(m, args, node, "compress")
    if isinstance(found, Unknown):
        return found
    return iterator(m, [value for value, kept in zip(*found) if _holds(m, None, kept, node)])


def _tee(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = argument(args, kwargs, 1, "n", 2)
    if not isinstance(count, int):
        return m.gap("itertools.tee", node, "the number of iterators is unknown")
    if not isinstance(args[0], Generator):
        found = m.iterate(args[0], node)
        return tuple(Unknown("tee") if found is None else iterator(m, found) for _ in range(count))
    kept: list[Value] = []

    def steps() -> HostIterator[Value]:
        at = 0
        while True:
            if at == len(kept):
                found = m.call(next, (args[0], _END), {}, node)
                if found is _END:
                    return
                kept.append(found)
            yield kept[at]
            at += 1

    return tuple(lazy(m, steps()) for _ in range(count))


def _iterations(m: Machine, me: Model, node: ast.AST) -> Any:
    made: list[Value] = []
    for source in me.space[SOURCES]:
        found = registry.iterations(m, source, node) if isinstance(source, Model) else None
        if found is None:
            listed = m.iterate(source, node)
            if listed is None:
                return None
            found = [(True, value) for value in listed]
        if len(me.space[SOURCES]) == 1 and getattr(found, "times", None) is not None:
            return _part(m, me, found, node)
        made += found
    return made


def _part(m: Machine, me: Model, found: Any, node: ast.AST) -> Value:
    """`cycle` and `islice` of regular iterations."""
    if "stop" in me.space:
        start, stop, step = me.space[START], me.space[STOP], me.space[STEP]
        total = found.times
        times = maximum((minimum(total, stop) if stop is not None else total) - start + step - 1, 0) // step
        ends = stop is not None and step == 1
        rest = [(conj(condition, gt(stop, total)) if stop is not None else condition, value) for condition, value in found.rest] if ends or stop is None else []
        return batches(times, lambda k: found.item(start + k * step), rest if step == 1 else ())
    if me.space.get("endless"):
        count = m.symbol(m.name_here("iterations", node), 2, None, Origin.WORLD)
        return batches(count, lambda k: batch_at(m, found, k, node))
    return found


def _next(m: Machine, me: Model, node: ast.AST) -> Value:
    """An iterator of its own: what it has taken is kept with it."""
    if me.space.get("endless") and len(me.space[SOURCES]) == 1:
        found = registry.iterations(m, me.space[SOURCES][0], node)
        if getattr(found, "times", None) is not None:
            at = me.space.get(AT, 0)
            m.heap.set(me.space, AT, at + 1)
            return batch_at(m, found, at, node)
    found = _iterations(m, me, node)
    return Unknown("next") if not found else found[0][1]


def _batched(items: list[Value], size: int) -> HostIterator[tuple[Value, ...]]:
    for at in range(0, len(items), size):
        yield tuple(items[at : at + size])


FUNCTIONS: dict[str, Run] = {
    "itertools.chain": lambda m, a, k, n: _chained(m, list(a), n),
    "itertools.chain.from_iterable": _chain_from, "itertools.repeat": _repeat, "itertools.count": _count,
    "itertools.cycle": _cycle, "itertools.islice": _islice, "itertools.accumulate": _accumulate, "itertools.groupby": _groupby,
    "itertools.starmap": _starmap, "itertools.takewhile": partial(_while, "takewhile"), "itertools.dropwhile": partial(_while, "dropwhile"),
    "itertools.filterfalse": partial(_while, "filterfalse"), "itertools.compress": _compress, "itertools.tee": _tee,
    "itertools.product": partial(_eager, "product", itertools.product), "itertools.combinations": partial(_eager, "combinations", itertools.combinations),
    "itertools.permutations": partial(_eager, "permutations", itertools.permutations), "itertools.pairwise": partial(_eager, "pairwise", itertools.pairwise),
    "itertools.combinations_with_replacement": partial(_eager, "combinations_with_replacement", itertools.combinations_with_replacement),
    "itertools.zip_longest": partial(_eager, "zip_longest", itertools.zip_longest), "itertools.batched": partial(_eager, "batched", _batched),
}  # fmt: skip
KINDS = {"itertools.iterations": KindModel(iterations=_iterations, next=_next)}
