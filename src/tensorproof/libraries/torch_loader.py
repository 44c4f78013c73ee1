"""torch.utils.data.DataLoader: a loop over it sees a regular batch and, where the samples may not fill the last one, the residual batch."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import index_limits, loader_checks, registry
from tensorproof.libraries.data_samples import argument, is_concrete, item_of, length_of, sample_of, stacked, unknown_length
from tensorproof.libraries.index_ranges import all_of_it, labelled
from tensorproof.libraries.model import batches
from tensorproof.terms.ints import Origin, Term, ceildiv, lower, mod, upper
from tensorproof.terms.predicates import ne
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, Dict, Generator, Instance, Iterator, List, Model
from tensorproof.values.python_values import Many, Named, Unknown

LOADER = "torch.utils.data.DataLoader"
_ORDER = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory", "drop_last", "timeout", "worker_init_fn")
_NAMES = {*_ORDER, "multiprocessing_context", "generator", "prefetch_factor", "persistent_workers", "pin_memory_device", "in_order"}
_KEPT: dict[str, Any] = {
    "batch_size": 1, "drop_last": False, "sampler": None, "batch_sampler": None, "collate_fn": None, "num_workers": 0, "shuffle": None, "pin_memory": False,
}  # fmt: skip


MOST_VISITED = 8
"""A dataset of so few samples is made whole; of a larger one, a sample with any index is looked at."""
MOST_COUNTED = 2048
"""An iterable dataset is counted up to here."""
MOST_TRIED = 64
"""A collate function that cannot be followed on a list of unknown length is tried with every length up to here."""
ENDLESS: Any = object()
"""The length of a dataset that never ends, and what `next` gives at the end of one that does."""


def loader(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    made = Model(LOADER, m.heap.space(), m.user_span(node))
    loader_init(m, made, args, kwargs, node)
    return made


def loader_init(m: Any, me: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    wrong = next((k for k in kwargs if k not in _NAMES), None)
    if wrong is not None:
        raise m.raised("TypeError", f"DataLoader has no argument {wrong}", node, "call/arguments")
    if not args and "dataset" not in kwargs:
        raise m.raised("TypeError", "DataLoader needs a dataset", node, "call/arguments")
    given = {**dict(zip(_ORDER, args)), **kwargs}
    m.heap.set(me.space, "dataset", given["dataset"])
    for name, default in _KEPT.items():
        m.heap.set(me.space, name, given.get(name, default))
    data = given["dataset"]
    loader_checks.check_loader(m, given, _is_iterable(data), node)
    if data is None or isinstance(data, (int, float)):
        raise m.raised("TypeError", f"{data!r} is no dataset", node, "data/dataset")


def _exists(value: Any) -> bool:
    return value is not None and not isinstance(value, Unknown)


def _is_iterable(data: Any) -> bool:
    if isinstance(data, Instance):
        return registry.is_instance(None, data, "torch.utils.data.IterableDataset") is True
    return isinstance(data, (Generator, Iterator))


def loader_attribute(m: Any, me: Any, name: str, node: Any) -> Any:
    if name in me.space:
        return me.space[name]
    if name == "sampler" or name == "batch_sampler":
        return Unknown(name)
    return MISSING


LOADER_METHODS: dict[str, Any] = {
    "__len__": lambda m, me, a, k, n: asked_length(m, me, n),
    "__iter__": lambda m, me, a, k, n: Model("data iterator", m.heap.space({"source": me})),
}


def sample_count(m: Any, me: Any, node: Any) -> Any:
    """How many samples one pass sees."""
    sampler = me.space["sampler"]
    source = sampler if _exists(sampler) else me.space["dataset"]
    return unknown_length(m, node) if isinstance(source, (Unknown, Generator, Iterator)) else length_of(m, source, node)


def asked_length(m: Any, me: Any, node: Any) -> Any:
    """`len(loader)`: of an iterable dataset, only where the dataset itself has a length."""
    data = me.space["dataset"]
    known = isinstance(data, Instance) and all(isinstance(c, (Class, Named)) for c in data.cls.mro)
    if known and _is_iterable(data) and m.in_class(data.cls, "__len__") is MISSING:
        raise m.raised("TypeError", f"{data.cls.name} is an IterableDataset without __len__, so its DataLoader has no len", node, "python/type")
    return loader_length(m, me, node)


def loader_length(m: Any, me: Any, node: Any) -> Any:
    if _exists(me.space["batch_sampler"]):
        return m.call(len, (me.space["batch_sampler"],), {}, node)
    size = me.space["batch_size"]
    if isinstance(me.space["dataset"], Unknown) or isinstance(size, Unknown):
        return Unknown("len")
    count = sample_count(m, me, node)
    if size is None:
        return count
    return count // size if me.space["drop_last"] is True else ceildiv(count, size)


def loader_items(m: Any, me: Any, node: Any) -> list[Any] | None:
    """All batches of one pass, where they can be counted."""
    count = loader_length(m, me, node)
    if not isinstance(count, int) or count > MOST_COUNTED or _is_iterable(me.space["dataset"]) or _exists(me.space["batch_sampler"]):
        return None
    rounds = loader_rounds(m, me, node)
    if not rounds or any(condition is not True for condition, _ in rounds):
        return [] if not rounds else None
    return [rounds[0][1]] * (count - len(rounds) + 1) + [batch for _, batch in rounds[1:]]


# --- rounds ---


def loader_rounds(m: Any, me: Any, node: Any) -> Any:
    """The batches of one pass: (condition, batch)."""
    data = me.space["dataset"]
    if isinstance(data, Unknown):
        return [(True, m.gap("DataLoader", node, f"the dataset is not known: {data.reason}"))]
    if _exists(me.space["batch_sampler"]):
        return _by_batch_sampler(m, me, node)
    size = me.space["batch_size"]
    samples = _Samples(m, me, node)
    if size is None:
        one = samples.first
        fn = me.space["collate_fn"]
        return [(True, m.call(fn, (one,), {}, node) if fn is not None else _converted(one))]
    if not isinstance(size, (int, Term)):
        return [(True, m.gap("DataLoader", node, "batch_size is not known"))]
    count = sample_count(m, me, node) if samples.count is None else samples.count
    if count is ENDLESS:
        return [(True, samples.batch(size))]
    return _batches(m, me, samples, count, size, me.space["drop_last"], node)


def _batches(m: Any, me: Any, samples: _Samples, count: Any, size: Any, dropping: Any, node: Any) -> list[Any]:
    if isinstance(count, int) and isinstance(size, int):
        rest: list[Any] = []
        whole = samples.batch(size) if count >= size else None
        if count % size and dropping is not True:
            rest = [(True if dropping is False else m.truth(dropping, node), samples.batch(count % size))]
        return batches(count // size, lambda k: whole, rest)
    whole, rest = samples.batch(size), []
    if dropping is not True and size != 1:
        left = mod(count, size)
        if isinstance(size, int) and all(a.origin is Origin.USER for a in symbols(count)):  # the user knows it, the world decides what is left over
            left = m.symbol(m.name_here(f"len(dataset) % {size}", node), 0, size - 1, Origin.WORLD)
        condition = ne(left, 0)
        if condition is True or not isinstance(condition, bool):
            rest.append((condition, samples.batch(left)))
    return batches(count // size, lambda k: whole, rest)


def _converted(value: Any) -> Any:
    """Without batches, arrays become tensors and the rest stays."""
    if isinstance(value, TensorType) and value.framework == "numpy":
        return value.but(framework="torch")
    return tuple(map(_converted, value)) if type(value) is tuple else value


def _by_batch_sampler(m: Any, me: Any, node: Any) -> Any:
    chosen = me.space["batch_sampler"]
    samples = _Samples(m, me, node)
    if isinstance(chosen, Model) and chosen.kind.endswith("BatchSampler"):
        size = chosen.space["batch_size"]
        if not isinstance(size, (int, Term)):
            return [(True, m.gap("BatchSampler", node, "batch_size is not known"))]
        return _batches(m, me, samples, length_of(m, chosen.space["sampler"], node), size, chosen.space["drop_last"], node)
    found = m.iterate(chosen, node)
    if found is None:
        return [(True, m.gap("DataLoader", node, "the batches of its batch_sampler are not known"))]
    counts = dict.fromkeys(m.call(len, (b,), {}, node) for b in found)
    if any(not isinstance(c, (int, Term)) for c in counts):
        return [(True, m.gap("DataLoader", node, "the batches of its batch_sampler are not known"))]
    return [(True, samples.batch(c)) for c in counts]


def _outline(value: Any) -> Any:
    """What tells two samples apart in a batch."""
    match value:
        case TensorType():
            return tuple(value.shape), value.dtype
        case tuple() | List():
            return tuple(_outline(v) for v in (value.items if isinstance(value, List) else value))
        case Dict():
            return tuple((k, _outline(v)) for k, v in value.items.items())
        case _:
            return type(value)


def _in_own_memory(m: Any, batch: Any) -> Any:
    """A batch that was copied together: no other tensor shares its memory."""
    match batch:
        case TensorType():
            return m.path.same(batch, m.memory.made(batch)) if batch.framework == "torch" else batch
        case List():
            batch.items[:] = [_in_own_memory(m, one) for one in batch.items]
        case Dict():
            batch.items.update({key: _in_own_memory(m, one) for key, one in batch.items.items()})
        case tuple():
            return type(batch)(_in_own_memory(m, one) for one in batch) if type(batch) is tuple else batch
    return batch


class _Samples:
    """Two samples of a dataset, and batches of them."""

    def __init__(self, m: Any, me: Any, node: Any) -> None:
        self.m, self.node, self.collate, self.whole = m, node, me.space["collate_fn"], all_of_it(me)
        data = me.space["dataset"]
        self.every: list[Any] = []
        """Samples of which each that there is has the numbers of one."""
        self.count: Any = None
        """How many samples an iterable dataset gives, where that is not its length."""
        if _is_iterable(data):
            self.first, self.second, self.count = _two_of_iterable(m, data, node)
        else:
            count = length_of(m, data, node)
            if isinstance(count, int) and 0 < count <= MOST_VISITED:  # few samples: each of them is made
                self.every = every = [item_of(m, data, i, node) for i in range(count)]
                self.first = every[0]
                self.second = next((s for s in every[1:] if _outline(s) != _outline(every[0])), self.first if is_concrete(self.first) else every[-1])
            else:
                self.first = sample_of(m, data, node)
                self.second = self.first if is_concrete(self.first) else sample_of(m, data, node)
                self.every = [self.first, self.second]

    def batch(self, count: Any) -> Any:
        if self.collate is None or (isinstance(self.collate, Named) and self.collate.name.endswith("default_collate")):
            second = self.first if count == 1 else self.second
            made = _in_own_memory(self.m, stacked(self.m, self.first, second, count, self.node))
            labelled(self.m, self.first, second, made, self.whole)
            return index_limits.collated(self.m, self.every, made)
        if isinstance(count, int):
            return self._collated(count)
        return self._of_any_count(count)

    def _collated(self, count: int) -> Any:
        listed = List(self.m.heap.row(self.second if i % 2 else self.first for i in range(count)))
        return self.m.call(self.collate, (listed,), {}, self.node)

    def _of_any_count(self, count: Any) -> Any:
        """What a collate function makes of so many samples: of a list that is not counted out or, where it cannot be followed on one, of each number of
        samples that there may be."""
        m, path = self.m, self.m.path
        gaps, stated, findings, facts, errors = len(path.gaps), len(path.stated), len(path.findings), len(m.facts), m.errors
        mark, recorded = m.heap.mark(), path.recorded
        many = Many("samples that were not counted out", count=count, first=self.first, second=self.second)
        found = m.call(self.collate, (List(m.heap.row([many])),), {}, self.node)
        if len(path.gaps) == gaps and not isinstance(found, Unknown):
            m.heap.forget(mark)
            return found
        most = upper(count)
        if most > MOST_TRIED:
            m.heap.forget(mark)
            return found if len(path.gaps) > gaps else m.gap("collate_fn", self.node, "its result does not follow from the number of samples")
        m.heap.undo(mark)
        m.heap.forget(mark)
        del path.gaps[gaps:], path.stated[stated:], path.findings[findings:], m.facts[facts:]
        path.unrecord(recorded)
        m.errors = errors
        sizes = tuple(range(max(1, int(lower(count))), int(most) + 1))
        made = [self._collated(n) for n in sizes]
        found = made[0] if len(sizes) == 1 else _generalised(m, made, sizes, count)
        return m.gap("collate_fn", self.node, "its result does not follow from the number of samples") if found is MISSING else found


def _generalised(m: Any, made: list[Any], sizes: tuple[int, ...], count: Any) -> Any:
    first = made[0]
    if any(type(v) is not type(first) for v in made):
        return MISSING
    match first:
        case TensorType():
            if not all(v.shape.known and len(v.shape) == len(first.shape) and v.dtype is first.dtype for v in made):
                return MISSING
            dims = [_generalised(m, [v.shape[i] for v in made], sizes, count) for i in range(len(first.shape))]
            return MISSING if any(d is MISSING for d in dims) else first.but(shape=Shape(dims), contents=None)
        case int() if not isinstance(first, bool):
            step, rest = divmod(made[1] - made[0], sizes[1] - sizes[0])
            if rest or any(v != made[0] + step * (s - sizes[0]) for v, s in zip(made, sizes)):
                return MISSING
            return made[0] - step * sizes[0] + step * count
        case tuple():
            if any(len(v) != len(first) for v in made):
                return MISSING
            parts = [_generalised(m, [v[i] for v in made], sizes, count) for i in range(len(first))]
            return MISSING if any(p is MISSING for p in parts) else tuple(parts)
        case List():
            lengths = [len(v.items) for v in made]
            if lengths == list(sizes):
                return Unknown("a list of as many items as samples")
            if any(n != lengths[0] for n in lengths):
                return MISSING
            parts = [_generalised(m, [v.items[i] for v in made], sizes, count) for i in range(lengths[0])]
            return MISSING if any(p is MISSING for p in parts) else List(m.heap.row(parts))
        case Dict():
            if any(list(v.items) != list(first.items) for v in made):
                return MISSING
            found = {k: _generalised(m, [v.items[k] for v in made], sizes, count) for k in first.items}
            return MISSING if any(p is MISSING for p in found.values()) else Dict(m.heap.entries(found))
        case Unknown():
            return first
        case _:
            return first if all(v is first or v == first for v in made) else MISSING


def _endless(source: Any) -> bool:
    """Whether a generator's text shows that it never ends."""
    code = getattr(getattr(source.frame, "function", None), "code", None)
    if code is None:
        return False
    for statement in code.node.body:
        if isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and statement.test.value:
            return not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast.walk(statement))
    return False


def _two_of_iterable(m: Any, data: Any, node: Any) -> tuple[Any, Any, Any]:
    """Two samples, and the number of samples: ENDLESS, or a symbol when they could not be counted."""
    source = data
    if isinstance(data, Instance):
        found = m.in_class(data.cls, "__iter__")
        if found is MISSING:
            raise m.raised("NotImplementedError", f"{data.cls.name} has no __iter__", node, "data/dataset")
        source = m.call(Bound(found, data), (), {}, node)
    if not isinstance(source, (Generator, Iterator)):
        listed = m.iterate(source, node)
        if not listed:
            one = m.gap("DataLoader", node, "the samples of the dataset are not known")
            return one, one, unknown_length(m, node)
        return listed[0], listed[min(1, len(listed) - 1)], len(listed)
    forks = m.branching.count
    seen: list[Any] = []
    count = 0
    endless = isinstance(source, Generator) and _endless(source)
    while count < (2 if endless else MOST_COUNTED):
        one = m.call(next, (source, ENDLESS), {}, node)
        if one is ENDLESS:
            break
        if count < 2:
            seen.append(one)
        count += 1
    if not seen:
        return Unknown("a sample of an empty dataset"), Unknown("a sample of an empty dataset"), 0
    if endless:
        return seen[0], seen[-1], ENDLESS
    if m.branching.count != forks:  # the world decides how many there are
        return seen[0], seen[-1], unknown_length(m, node)
    more = m.symbol(m.name_here("len(dataset)", node), 1, None, Origin.UNMODELLED)
    return seen[0], seen[-1], count if count < MOST_COUNTED else more


def collated(m: Any, items: list[Any], node: Any) -> Any:
    """`default_collate` of a list of samples."""
    if not items:
        raise m.raised("IndexError", "there is no sample to make a batch of", node, "data/collate")
    differing = next((i for i in items[1:] if i is not items[0]), items[0])
    return stacked(m, items[0], differing, len(items), node)


__all__ = ["LOADER", "LOADER_METHODS", "argument", "collated", "loader", "loader_attribute", "loader_init", "loader_length", "loader_rounds", "sample_count"]
