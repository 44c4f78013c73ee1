"""Python's functions that make and walk sequences: len, range, list, dict, zip, map, sorted, any, next and their like."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterator as HostIterator
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.branching import deciding, questions
from tensorproof.frontends.python.containers import hashing, mappings
from tensorproof.frontends.python.containers.set_algebra import make_set
from tensorproof.frontends.python.containers.sorting import sort_items
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.iteration import changes, generators, iteration
from tensorproof.frontends.python.operators import host_calls, operations, type_rules
from tensorproof.frontends.python.summaries import summarised_lists, summarised_results
from tensorproof.libraries import registry
from tensorproof.libraries.plain import lazy
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import eq
from tensorproof.terms.samples import WORDS
from tensorproof.terms.shapes import Segment
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, Cursor
from tensorproof.values.objects import (
    OPEN,
    Bound,
    Choice,
    Class,
    Dict,
    Generator,
    Instance,
    Iterator,
    List,
    Model,
    Set,
)  # fmt: skip
from tensorproof.values.python_values import AFTER_ERROR, Layer, Unknown, whole_of
from tensorproof.values.summaries import is_summarised, length

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Run = Callable[..., Any]


def _len(m: Interpreter, node: ast.AST, value: Value) -> Value:
    match value:
        case List() | Dict() | Set():
            value = changes.fresh(m, value)
            return length(value.items.values() if isinstance(value, Dict) and OPEN in value.items else value.items)
        case TensorType():
            if value.framework == "keras":
                raise m.raised("TypeError", "a symbolic KerasTensor has no len: ask for its shape", node)
            if value.graph is not None and not traced.converts(m, value):
                traced.refuse(m, "len", value, node)
            if not value.shape.known:
                return m.symbol(m.name_here("len", node), 0, None, Origin.UNMODELLED) if isinstance(value.shape[0], Segment) else value.shape[0]
            if len(value.shape) == 0:
                raise m.raised("TypeError", "a tensor without axes has no len", node)
            return value.shape[0]
        case Choice():
            return m.branching.choose(value.condition, lambda: _len(m, node, value.then), lambda: _len(m, node, value.other))
        case Instance():
            found, _ = in_class(m, value.cls, "__len__")
            if found is not MISSING:
                return m.call(Bound(found, value), (), {}, node)
            return registry.length(m, value, node)
        case Layer() | Model():
            return registry.length(m, value, node)
        case Class():
            members = registry.class_items(m, value)
            if members is MISSING:
                raise m.raised("TypeError", f"the class {value.name} has no len", node)
            return len(members)
        case Unknown(text=True):
            return m.symbol(m.name_here(WORDS, node, ast.unparse(node)[:60]), 0, None, Origin.USER)
        case Unknown():
            return value if value is AFTER_ERROR else m.symbol(questions.part(m, value, ".len") or m.name_here("len", node), 0, None, Origin.UNMODELLED)
        case Iterator() | Generator() | None:
            raise m.raised("TypeError", f"a {type_name(value)} has no len", node)
        case tuple() if is_summarised(value):
            return length(value)
        case _:
            return host_calls.plain(m, len, (value,), node)


def _size(value: Unknown) -> Value:
    whole = whole_of(value)
    return value if whole is None else whole


def _range(m: Interpreter, node: ast.AST, *args: Value) -> Value:
    for given in args:
        if type(given) is TensorType and given.graph is not None and not traced.converts(m, given):
            traced.refuse(m, "range", given, node)
    if any(isinstance(a, TensorType) and a.dtype is not None and not a.dtype.is_integer and a.framework != "tf" for a in args):
        raise m.raised("TypeError", "range takes whole numbers, not a number of another element type: write int(…)", node)
    for given in args:
        if isinstance(given, TensorType) and given.framework == "torch" and given.shape.known:
            m.demand("TypeError", eq(given.shape.numel, 1), f"range takes a tensor of one element, this one is {given.shape!r}", node)
    sizes = [a.contents[0] if isinstance(a, TensorType) and a.contents is not None and len(a.contents) == 1 else a for a in args]
    sizes = [_size(a) if type(a) is Unknown and (not a.number or a.whole is not None) else a for a in sizes]
    if any(isinstance(a, (Unknown, Choice, TensorType)) for a in sizes):
        type_rules.refuse(m, range, args, node)
        return Unknown("range")
    if any(isinstance(a, Term) for a in sizes):
        start, stop, step = (0, sizes[0], 1) if len(sizes) == 1 else (*sizes, 1) if len(sizes) == 2 else tuple(sizes)
        return Model("range", m.heap.space({"start": start, "stop": stop, "step": step}))
    return host_calls.plain(m, range, tuple(sizes), node)


def _listed(m: Interpreter, value: Value, node: ast.AST, what: str) -> list[Value] | Unknown:
    found = summarised_results.listed(m, value, node)
    return Unknown(what) if found is None else found


def _tuple(m: Interpreter, node: ast.AST, value: Value = ()) -> Value:
    found = _listed(m, value, node, "tuple")
    return found if isinstance(found, Unknown) else (*found,)


def _list(m: Interpreter, node: ast.AST, value: Value = ()) -> Value:
    found = _listed(m, value, node, "list")
    return found if isinstance(found, Unknown) else List(m.heap.row(found))


def _set(m: Interpreter, node: ast.AST, value: Value = ()) -> Value:
    found = _listed(m, value, node, "set")
    if not isinstance(found, Unknown) and is_summarised(found):
        return Set(m.heap.row(summarised_results.distinct(m, found, node)))
    return found if isinstance(found, Unknown) else make_set(m, found, node)


def _frozenset(m: Interpreter, node: ast.AST, value: Value = ()) -> Value:
    found = _listed(m, value, node, "frozenset")
    if not isinstance(found, Unknown) and is_summarised(found):
        return Set(m.heap.row(summarised_results.distinct(m, found, node)), frozen=True)
    return found if isinstance(found, Unknown) else make_set(m, found, node, frozen=True)


def _dict(m: Interpreter, node: ast.AST, value: Value = None, **named: Value) -> Value:
    made = Dict(m.heap.entries())
    value = registry.data_of(value)
    if isinstance(value, Dict):
        made.items.update(value.items)
    elif value is not None:
        found = mappings.pairs(m, value, node) if mappings.is_mapping(m, value) else summarised_results.listed(m, value, node)
        if found is None:
            return Unknown("dict")
        if is_summarised(found):
            return summarised_results.dict_of(m, found, node)
        for pair in found:
            parts = m.iterate(pair, node)
            if parts is not None and len(parts) != 2:
                raise m.raised("ValueError", f"a dict is made of pairs; this has {len(parts)} items", node)
            name = MISSING if parts is None or isinstance(parts[0], Term) else hashing.key(m, parts[0], node)
            if parts is None or name is MISSING or isinstance(name, Unknown):
                return Unknown("dict")
            made.items[name] = parts[1]
    made.items.update(named)
    return made


def _open_rows(value: Value) -> bool:
    """Whether a tensor has an unknown number of rows."""
    return isinstance(value, TensorType) and value.shape.known and bool(value.shape) and isinstance(value.shape[0], Term)


def _enumerate(m: Interpreter, node: ast.AST, value: Value, start: Any = 0) -> Value:
    sequence = iteration.sequence_of(value)
    if sequence is not None and isinstance(start, (int, Term)):
        return iteration.iterator(m, iteration.Pairs(sequence, start))
    if isinstance(value, (Generator, Iterator)):
        return lazy(m, ((operations.binary(m, ast.Add, start, i, node), v) for i, v in enumerate(_pulled(m, value, node))))
    value = registry.plain_source(value)
    if isinstance(value, (Model, List, tuple, Set, Dict)) or (isinstance(value, Instance) and registry.iterations_of(value)) or _open_rows(value):
        return Model("enumerate", m.heap.space({"source": value, "start": start}))
    found = m.iterate(value, node)
    return Unknown("enumerate") if found is None else iteration.iterator(m, [(start + i, v) for i, v in enumerate(found)])


def _zip(m: Interpreter, node: ast.AST, *values: Value, strict: Value = False) -> Value:
    values = tuple(registry.plain_source(v) for v in values)
    if any(isinstance(v, Model) or summarised_lists.parts(m, v, node) is not None for v in values):
        return Model("zip", m.heap.space({"sources": values}))
    sequences = [iteration.sequence_of(v) for v in values]
    if strict is False and all(s is not None for s in sequences):
        return iteration.iterator(m, iteration.Columns(sequences))
    if any(isinstance(v, (Generator, Iterator)) for v in values) and strict is False:
        sources = [iteration.iter_of(m, v, node) for v in values]
        return Unknown("zip") if any(isinstance(s, Unknown) for s in sources) else lazy(m, zip(*(_pulled(m, s, node) for s in sources)))
    found = [m.iterate(v, node) for v in values]
    if any(f is None for f in found):
        return Unknown("zip")
    lengths = {len(f) for f in found if f is not None}
    if strict is True and len(lengths) > 1:
        raise m.raised("ValueError", f"zip with strict=True gets sequences of {' and '.join(map(str, sorted(lengths)))} items", node)
    return iteration.iterator(m, list(zip(*(f for f in found if f is not None))))


def _pulled(m: Interpreter, source: Value, node: ast.AST) -> HostIterator[Value]:
    """The items of an iterator, each taken when it is asked for."""
    while (found := iteration.next_of(m, source, node, generators.END)) is not generators.END:
        yield found


def _map(m: Interpreter, node: ast.AST, function: Value, *values: Value) -> Value:
    iterations = summarised_lists.open_iterations(m, values[0], node) if len(values) == 1 else None
    if iterations is not None:
        made = summarised_results.mapped(m, m.frames[-1], iterations, lambda item, add: add(m.call(function, (item,), {}, node)), node)
        return Unknown("map") if made is None else List(m.heap.row(made))
    found = [iteration.walk(m, v, node) for v in values]
    if any(f is None for f in found):
        return Unknown("map")
    return lazy(m, (m.call(function, row, {}, node) for row in zip(*(f for f in found if f is not None))))


def _filter(m: Interpreter, node: ast.AST, function: Value, value: Value) -> Value:
    iterations = summarised_lists.open_iterations(m, value, node)
    if iterations is not None:

        def keep(item: Value, add: Any) -> None:
            summarised_results.kept(m, m.truth(item if function is None else m.call(function, (item,), {}, node), node), lambda: add(item), node)

        made = summarised_results.mapped(m, m.frames[-1], iterations, keep, node)
        return Unknown("filter") if made is None else List(m.heap.row(made))
    found = iteration.walk(m, value, node)
    if found is None:
        return Unknown("filter")
    return lazy(m, (v for v in found if deciding.decided(m, m.truth(v if function is None else m.call(function, (v,), {}, node), node))))


def _reversed(m: Interpreter, node: ast.AST, value: Value) -> Value:
    items_shown = summarised_lists.parts(m, value, node)
    if items_shown is not None:
        return List(m.heap.row(items_shown[::-1]))
    found = m.iterate(value, node)
    return Unknown("reversed") if found is None else iteration.iterator(m, found[::-1])


def _sorted(m: Interpreter, node: ast.AST, value: Value, *, key: Value = None, reverse: Value = False) -> Value:
    if type(value) is TensorType and value.graph is not None and traced.converts(m, value):
        return m.spelling("tf.sort", (value,), {}, node)
    items_shown = summarised_lists.parts(m, value, node)
    if items_shown is not None:
        return List(m.heap.row(summarised_results.sorted_items(items_shown)))
    found = m.iterate(value, node)
    result = Unknown("sorted") if found is None else sort_items(m, found, key, reverse, node)
    return result if isinstance(result, Unknown) else List(m.heap.row(result))


def _any_all(word: str) -> Run:
    wanted = word == "any"

    def run(m: Interpreter, node: ast.AST, value: Value) -> Value:
        from tensorproof.terms.predicates import disj, negate

        found = iteration.walk(m, value, node)
        if found is None:
            return Unknown(word)
        own = (value.frame.space,) if isinstance(value, Generator) else ()
        ends: Any = False
        while True:
            watch = m.heap.mark()
            raised = item = None
            try:
                item = next(found, generators.END)
            except Raised as error:
                raised = error
            except BaseException:
                m.heap.forget(watch)
                raise
            wrote = ends is not False and any(all(o is not x for x in own) and not isinstance(o, Cursor) for o in m.heap.difference(watch).owners.values())
            stops = (wrote or raised is not None) and deciding.decided(m, ends)
            if stops:  # it would have stopped before this item
                m.heap.undo(watch)
            m.heap.forget(watch)
            if stops:
                return wanted
            if raised is not None:
                raise raised
            if item is generators.END:
                return ends if wanted else negate(ends)
            t = m.truth(item, node)
            ends = disj(ends, t if wanted else negate(t))
            if ends is True:
                return wanted

    return run


def _iter(m: Interpreter, node: ast.AST, value: Value, *until: Value) -> Value:
    if not until:
        return iteration.iter_of(m, value, node)

    def steps() -> HostIterator[Value]:
        while True:
            m.step()
            item = m.call(value, (), {}, node)
            if deciding.decided(m, m.truth(m.compare(ast.Eq, item, until[0], node), node)):
                return
            yield item

    return lazy(m, steps())


def _next(m: Interpreter, node: ast.AST, value: Value, *default: Value) -> Value:
    return iteration.next_of(m, value, node, default[0] if default else MISSING)


MODELS: dict[Any, Run] = {
    len: _len, range: _range, tuple: _tuple, list: _list, set: _set, frozenset: _frozenset, dict: _dict, enumerate: _enumerate, zip: _zip, map: _map,
    filter: _filter, reversed: _reversed, sorted: _sorted, any: _any_all("any"), all: _any_all("all"), iter: _iter, next: _next,
}  # fmt: skip
