"""random: numbers that are unknown, choices from known lists."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, listed
from tensorproof.libraries.whole_numbers import between
from tensorproof.terms import Predicate, TensorType, Term, le
from tensorproof.terms.records import replace
from tensorproof.values import REAL, TEXT, Args, Choice, Dict, Kwargs, List, Machine, Model, Record, Unknown, Value
from tensorproof.values.python_values import DRAWN, UNIT
from tensorproof.values.standing import standing
from tensorproof.values.summaries import ends_of, is_summarised, length, shown, summarise


def _randint(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    low, high = argument(args, kwargs, 0, "a"), argument(args, kwargs, 1, "b")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        raise m.raised("ValueError", f"randint of nothing: {low} is above {high}", node)
    return between(m, "randint", low, high, node)


def _randrange(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    start, stop = (0, args[0]) if len(args) == 1 else args[:2]
    step = args[2] if len(args) > 2 else 1
    if not isinstance(step, int) or type(start) not in (int, Term) or type(stop) not in (int, Term):
        return Unknown("randrange")
    if isinstance(start, int) and isinstance(stop, int):
        count = len(range(start, stop, step))
        if count == 0:
            raise m.raised("ValueError", f"randrange of nothing: {start} to {stop}", node)
        return start + between(m, "randrange", 0, count - 1, node) * step
    return between(m, "randrange", start, stop - 1, node) if step == 1 else Unknown("randrange")


def _uniform(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    low, high = argument(args, kwargs, 0, "a"), argument(args, kwargs, 1, "b")
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low < high:
        return replace(UNIT, least=low, below=high)
    return DRAWN


def _alike(items: list[Value]) -> bool:
    """Whether it does not matter which of the items it is."""
    first = items[0]
    if isinstance(first, TensorType):
        return all(
            isinstance(v, TensorType) and v.contents is None and (v.shape, v.dtype, v.framework) == (first.shape, first.dtype, first.framework) for v in items
        )
    return all(v is first or (type(v) is type(first) and isinstance(v, (int, str, float)) and v == first) for v in items)


def _nothing_to_draw(m: Machine, word: str, node: ast.AST) -> Value:
    """An error, unless the way here hangs on truth values that are unknown: they may never be so together."""
    if any(open_truth(fact) for fact in m.facts):
        return m.gap(f"random.{word}", node, "of what may be nothing")
    raise m.raised("IndexError", f"{word} of nothing", node)


def open_truth(fact: Value) -> bool:
    return isinstance(fact, Predicate) and (fact.kind == "flag" or (fact.kind in ("and", "or", "not") and any(map(open_truth, fact.args))))


def _of_either(m: Machine, source: Value, node: ast.AST) -> list[Value] | None:
    """The items of a sequence, or of both where it is one of two: what is drawn may come from either."""
    if not isinstance(source, Choice):
        return m.iterate(source, node)
    first, second = _of_either(m, source.then, node), _of_either(m, source.other, node)
    return None if first is None or second is None else first + second


def _choice(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    source = argument(args, kwargs, 0, "seq")
    if isinstance(source, Choice):
        found = _of_either(m, source, node)
        return Unknown("choice") if not found else standing(m, any_of(found))
    iterations = m.open_iterations(source, node)
    if iterations is not None:
        return iterations.item(1)
    found = m.iterate(source, node)
    if found is None:
        return Unknown("choice")
    if not found:
        return _nothing_to_draw(m, "choice", node)
    if _alike(found):
        return found[0]
    return m.item(tuple(found), between(m, "choice", 0, len(found) - 1, node), node)


def _choices(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = kwargs.get("k", 1)
    drawn = _from_summary(m, args, kwargs, count, node)
    if drawn is not None:
        return drawn
    found = _of_either(m, argument(args, kwargs, 0, "population"), node)
    if found is None or not isinstance(count, (int, Term)):
        return Unknown("choices")
    if not found:
        return _nothing_to_draw(m, "choices", node)
    _weighted(m, args, kwargs, len(found), node)
    if isinstance(count, Term) or count > 64:
        return listed(m, [summarise(count, [any_of(found)])])
    return listed(m, [_choice(m, (tuple(found),), {}, node) for _ in range(count)])


def _weighted(m: Machine, args: Args, kwargs: Kwargs, number: int, node: ast.AST) -> None:
    """`choices` takes a weight for each item, of which one is not zero."""
    for at, word in ((1, "weights"), (2, "cum_weights")):
        weights = argument(args, kwargs, at, word) if word == "weights" else kwargs.get(word)
        found = m.iterate(weights, node) if isinstance(weights, (List, tuple)) else None
        if found is None:
            continue
        if len(found) != number:
            raise m.raised("ValueError", f"there are {len(found)} weights for {number} items", node, "python/raise")
        if all(isinstance(w, (int, float)) for w in found) and (sum(found) if word == "weights" else found[-1]) <= 0:
            raise m.raised("ValueError", "the sum of the weights must be greater than zero", node, "python/raise")


def _from_summary(m: Machine, args: Args, kwargs: Kwargs, count: Value, node: ast.AST) -> List | None:
    """So many of items that were summarised."""
    iterations = m.open_iterations(argument(args, kwargs, 0, "population"), node)
    if iterations is None or not isinstance(count, (int, Term)):
        return None
    return listed(m, [iterations.item(1)] * count if isinstance(count, int) and count <= 4096 else [summarise(count, [iterations.item(1)])])


def any_of(items: list[Any], m: Machine | None = None) -> Value:
    """One value that stands for any of the items: what they share is kept, the rest is not known."""
    first = items[0]
    if _alike(items):
        return first
    if all(isinstance(v, str) or (isinstance(v, Unknown) and v.text) for v in items):
        return TEXT
    ends = [ends_of(v) for v in items]
    known = [pair for pair in ends if pair is not None]
    if len(known) == len(ends) and kind_of_numbers(items) == "int":
        return replace(DRAWN, number="int", least=min(low for low, _ in known), below=max(past for _, past in known))
    if any(type(v) is not type(first) for v in items):
        return Unknown("one of several items", number=kind_of_numbers(items))
    if isinstance(first, TensorType):
        return _any_tensor(items)
    if isinstance(first, tuple) and all(len(v) == len(first) for v in items):
        return _any_tuple(items, m)
    held = _any_container(items, m) if m is not None else None
    if held is not None:
        return held
    return REAL if isinstance(first, float) else Unknown("one of several items", number=kind_of_numbers(items))


def _any_tensor(items: list[Any]) -> Value:
    whole = items[0].but(contents=None, requires_grad=any(v.requires_grad for v in items))
    same = all(v.but(contents=None, requires_grad=whole.requires_grad) == whole for v in items)
    return whole if same else Unknown("one of several tensors")


def _any_tuple(items: list[Any], m: Machine | None) -> Value:
    first = items[0]
    parts = [any_of(list(column), m) for column in zip(*items)]
    if not isinstance(first, Record):
        return tuple(parts)
    return Record.of(first.cls, parts) if all(v.cls is first.cls for v in items) else Unknown("one of several items")


def _any_container(items: list[Any], m: Machine) -> Dict | List | None:
    """One dictionary or list for any of several; None where they share too little."""
    first = items[0]
    if isinstance(first, Dict) and all(list(v.items) == list(first.items) for v in items):
        return Dict(m.heap.entries({k: any_of([v.items[k] for v in items], m) for k in first.items}))
    if isinstance(first, List) and first.items and not any(v.deque or is_summarised(v.items) or not v.items for v in items):
        return _any_list([list(v.items) for v in items], m)
    return None


def _any_list(rows: list[list[Value]], m: Machine) -> List:
    """One list that stands for any of several."""
    lengths = [len(row) for row in rows]
    if min(lengths) == max(lengths):
        return List(m.heap.row([any_of(list(column), m) for column in zip(*rows)]))
    count = m.session.fresh("length", min(lengths), max(lengths))
    return List(m.heap.row([summarise(count, [any_of([one for row in rows for one in row], m)])]))


def kind_of_numbers(items: Any) -> str:
    """What kind of number all the items are, "" if some is none."""
    kinds = {_number(v) for v in items}
    return kinds.pop() if len(kinds) == 1 else "float" if kinds == {"int", "float"} else ""


def _number(value: Value) -> str:
    """What kind of number a value is, "" if it is not one."""
    if isinstance(value, Unknown):
        return value.number
    if isinstance(value, Choice):
        return kind_of_numbers((value.then, value.other))
    if isinstance(value, TensorType):
        single = value.dtype is not None and value.framework == "numpy" and value.shape.known and not value.shape
        return "" if not single or value.dtype is None else "float" if value.dtype.is_float else "int" if value.dtype.is_integer else ""
    return {bool: "bool", int: "int", Term: "int", float: "float"}.get(type(value), "bool" if isinstance(value, Predicate) else "")


def _shuffled(m: Machine, items: list[Value], node: ast.AST) -> list[Value]:
    """The items in an order that is unknown."""
    if is_summarised(items):
        return [summarise(length(items), shown(items))]
    if items and all(isinstance(v, List) for v in items):
        return [standing(m, any_of(items, m)) for _ in items]  # each of a length of its own
    return [standing(m, any_of(items, m))] * len(items) if items else []


def _sample(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    count = argument(args, kwargs, 1, "k")
    drawn = _from_summary(m, args, kwargs, count, node)
    if drawn is not None:
        return drawn
    found = _of_either(m, argument(args, kwargs, 0, "population"), node)
    if isinstance(count, Term) and found:
        m.demand("ValueError", le(count, len(found)), f"a sample of {count!r} from {len(found)}", node)
        return listed(m, [summarise(count, [any_of(found)])])
    if found is None or not isinstance(count, int):
        return Unknown("sample")
    if not 0 <= count <= len(found):
        raise m.raised("ValueError", f"a sample of {count} from {len(found)}", node)
    return listed(m, _shuffled(m, found, node)[:count])


def shuffle(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The items of a list, or the rows of an array, in another order."""
    value = args[0]
    if isinstance(value, TensorType):
        m.memory.write(value)
    elif isinstance(value, List):
        m.heap.touch(value.items)
        value.items[:] = _shuffled(m, list(value.items), node)
    elif isinstance(value, tuple | str):
        raise m.raised("TypeError", "what is shuffled must be a list", node)
    elif not isinstance(value, Unknown):
        m.gap("random.shuffle", node, "of something that is not a list")
    return None


_METHODS: dict[str, Run] = {
    "uniform": _uniform, "randint": _randint, "randrange": _randrange, "choice": _choice, "choices": _choices, "sample": _sample, "shuffle": shuffle,
    "getrandbits": lambda m, a, k, n: between(m, "bits", 0, (1 << min(a[0], 62)) - 1, n) if isinstance(a[0], int) else Unknown("bits"),
}  # fmt: skip


def _on_object(run: Run) -> Run:
    return lambda m, me, args, kwargs, node: run(m, args, kwargs, node)


FUNCTIONS: dict[str, Run] = {
    **{f"random.{name}": run for name, run in _METHODS.items()}, "random.Random": lambda m, a, k, n: Model("random.Random", m.heap.space()),
}  # fmt: skip
KINDS = {"random.Random": KindModel(methods={name: _on_object(run) for name, run in _METHODS.items()})}
CLASSES = {"random.Random": ClassModel("random.Random", closed=False)}
